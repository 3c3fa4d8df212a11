/* fire_attempts_test.c: the engine's own probes satisfy layer fire, and each expectation can fail.
 */
#include "conformance/fire/fire.h"

#include "conformance/judge/run.h"
#include "conformance/table/selection.h"
#include "fakes/rig.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>

/* Attempts played by several threads at once, each with an engine of its own. */
struct pool {
    struct cf_suite suite;
    struct cf_selection selection;
    pthread_mutex_t lock;
    size_t next;
    size_t passed;
    size_t perturbed;
    size_t wrong;
};

/* There posix_spawn does not report that a command cannot be started. */
static bool is_beyond_valgrind(const struct cf_case *item)
{
    static const char family[] = "fire-exec-cannot.";

    return cf_fire_slower() > 1 && strncmp(item->id.bytes, family, sizeof family - 1) == 0;
}

static const struct cf_selected *take(struct pool *pool)
{
    const struct cf_selected *taken = NULL;

    pthread_mutex_lock(&pool->lock);
    while (!taken && pool->next < pool->selection.count) {
        const struct cf_selected *one = &pool->selection.list[pool->next++];

        if (one->item->kind == CF_ATTEMPT && !one->item->observed && !is_beyond_valgrind(one->item))
            taken = one;
    }
    pthread_mutex_unlock(&pool->lock);
    return taken;
}

static void tell(struct pool *pool, const struct cf_case *item, bool fine, const char *what,
                 struct kp_text why)
{
    pthread_mutex_lock(&pool->lock);
    pool->perturbed += fine;
    pool->wrong += !fine;
    if (!fine)
        printf("  %.*s: %s %.*s\n", KP_ARG(item->id), what, KP_ARG(why));
    pthread_mutex_unlock(&pool->lock);
}

static void perturb(struct pool *pool, const struct cf_case *item, const struct cf_fire_seen *seen,
                    struct cf_arena *arena)
{
    static const bool all[CF_FIRE_PARTS] = {true, true};
    static const char *const keys[] = {"result", "output", "error", "request"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct cf_case changed = *item;
        struct cf_node *node = cf_node_copy(arena, item->node);
        struct cf_node *wanted = cf_node_find(node, keys[i]);
        struct cf_outcome outcome;

        if (!wanted)
            continue;
        wanted->text = KP_TEXT("something else");
        changed.node = node;
        cf_fire_judge(&changed, seen, all, arena, &outcome);
        tell(pool, item, outcome.verdict == CF_FAIL, "stays green with another",
             kp_text_of(keys[i]));
    }
}

static void shoot(struct pool *pool, struct cf_subject *subject, const struct cf_selected *one)
{
    struct cf_fire_seen seen = {0};
    struct cf_outcome outcome = {0};
    struct cf_arena arena = {.mem = cf_libc_mem()};
    const struct cf_run run = {.subject = subject, .mem = cf_libc_mem(), .seed = 1, .seen = &seen};

    cf_run_case(&run, one->item, kp_text_of(one->version), &arena, &outcome);
    if (outcome.verdict == CF_PASS) {
        perturb(pool, one->item, &seen, &arena);
        pthread_mutex_lock(&pool->lock);
        pool->passed++;
        pthread_mutex_unlock(&pool->lock);
    } else if (outcome.verdict != CF_SKIP)
        tell(pool, one->item, false, "is not green:", outcome.why);
    cf_arena_deinit(&arena);
}

static void *play(void *ctx)
{
    struct pool *pool = ctx;
    struct cf_subject *subject = cf_subject_new_engine(cf_libc_mem());
    const struct cf_selected *one;

    while (subject && (one = take(pool)) != NULL)
        shoot(pool, subject, one);
    cf_subject_free(subject);
    return NULL;
}

static void each_attempt_hits_and_can_miss(void)
{
    enum { THREADS = 32 };
    const int count = cf_fire_slower() > 1 ? 3 : THREADS;
    struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER};
    size_t open_before = rig_count_entries("/proc/self/fd");
    pthread_t threads[THREADS];

    pool.suite = (struct cf_suite){.arena.mem = cf_libc_mem()};
    pool.selection.arena = &pool.suite.arena;
    if (CHECK_INT(cf_suite_load(&pool.suite, cf_cases_folder()), KP_OK) &&
        CHECK(cf_select(&pool.selection, &pool.suite) == NULL)) {
        for (int i = 0; i < count; i++)
            CHECK_INT(pthread_create(&threads[i], NULL, play, &pool), 0);
        for (int i = 0; i < count; i++)
            pthread_join(threads[i], NULL);
    }
    CHECK_INT(pool.wrong, 0);
    CHECK(pool.passed >= 250);
    CHECK(pool.perturbed > 2 * pool.passed);
    cf_suite_deinit(&pool.suite);
    CHECK_INT(rig_count_entries("/proc/self/fd"), open_before);
    CHECK(rig_no_child_is_left());
}

const struct unit_test fire_attempts_test[] = {
    {"each attempt hits and can miss", each_attempt_hits_and_can_miss},
    {0},
};
