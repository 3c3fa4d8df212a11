#include "conformance/judge/table_run.h"

#include "conformance/fire/fire.h"
#include "conformance/judge/run.h"
#include "conformance/text/versions.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct pool;

/* One process of the implementation and the thread that plays on it. */
struct worker {
    struct pool *pool;
    struct cf_subject *subject;
    pthread_t thread;
    bool started;
    bool attempts_only;
};

/* Attempts mostly wait: so many more workers are there for them alone, where there are enough. */
enum { REAL_JOBS = 64, ATTEMPT_WORKERS = 63, ATTEMPT_PROCESSES = 7, ATTEMPTS_EACH = 4 };

/* What the workers share. */
struct pool {
    const struct cf_table_run *table_run;
    struct cf_table_run_end *end;
    struct cf_result_case *cases;
    struct cf_arena *arenas; /* a case each: of its outcome */
    bool *done;
    struct worker *workers;
    int worker_count;
    int jobs;
    pthread_mutex_t lock;
    size_t next[2];  /* the first case that nobody has taken: of all others, of attempts */
    size_t reported; /* of the cases, in order */
};

/* ---- what a case is called ---------------------------------------------------------------- */

static struct kp_text_list rule_names(struct cf_arena *arena, const struct cf_case *item)
{
    struct kp_text *names = cf_arena_array(arena, item->rule_count + 1, sizeof *names);

    for (size_t i = 0; names && i < item->rule_count; i++)
        names[i] = kp_text_of(kp_rule_get(item->rules[i])->id);
    return (struct kp_text_list){names, names ? item->rule_count : 0};
}

/* Its place is below the table's folder: a result does not depend on where that stands. */
static struct cf_result_case describe(struct cf_arena *arena, const struct cf_selected *selected)
{
    const struct cf_case *item = selected->item;

    return (struct cf_result_case){
        .id = item->id,
        .k8s = kp_text_of(selected->version),
        .topic = item->topic,
        .layer = kp_text_of(cf_layer_name(item->layer)),
        .sentence = item->why,
        .place = cf_arena_format(arena, "%.*s.yaml:%d", KP_ARG(item->topic), item->at.line),
        .rules = rule_names(arena, item),
        .issues = item->issues,
        .outcome = {.verdict = CF_NOT_RUN, .why = KP_TEXT("interrupted")},
    };
}

/* The versions of the selection, each once, in order of appearance. */
static struct kp_text_list versions(struct cf_arena *arena, const struct cf_selection *selection)
{
    struct kp_text *items = cf_arena_array(arena, selection->count + 1, sizeof *items);
    struct kp_text_list list = {items, 0};

    for (size_t i = 0; i < selection->count; i++) {
        struct kp_text version = kp_text_of(selection->list[i].version);
        bool listed = false;

        for (size_t k = 0; k < list.count; k++)
            listed = listed || kp_text_equal(items[k], version);
        if (!listed)
            items[list.count++] = version;
    }
    return list;
}

void cf_suite_hash(const struct cf_suite *suite, char hex[CF_SHA256_HEX + 1])
{
    struct cf_sha256 sha;

    cf_sha256_init(&sha);
    for (size_t i = 0; i < suite->case_count; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};

        cf_sha256_put(&sha, suite->cases[i].id);
        cf_sha256_put(&sha, cf_node_json(&arena, suite->cases[i].node));
        cf_arena_deinit(&arena);
    }
    cf_sha256_take(&sha, hex);
}

/* ---- playing ------------------------------------------------------------------------------ */

/* Which kinds of effects does the case want that the implementation does not report? */
static void note_unobserved(struct pool *pool, const struct cf_case *item,
                            const struct cf_hello_ok *about)
{
    for (size_t t = 0; about && t < item->trace_count; t++)
        for (size_t i = 0; i < item->traces[t].want_count; i++)
            if (!about->observes[item->traces[t].wants[i].kind])
                pool->end->unobserved[item->traces[t].wants[i].kind] = true;
}

static void forget(struct pool *pool, size_t index)
{
    pool->cases[index].outcome = (struct cf_outcome){.verdict = CF_PASS};
    cf_arena_deinit(&pool->arenas[index]);
}

/* The lock is held. */
static void report_in_order(struct pool *pool)
{
    while (pool->reported < pool->table_run->selection->count && pool->done[pool->reported]) {
        size_t index = pool->reported++;
        enum cf_verdict verdict = pool->cases[index].outcome.verdict;

        pool->end->result.totals[verdict]++;
        pool->table_run->each(pool->table_run->ctx, &pool->cases[index]);
        if (verdict == CF_PASS && pool->table_run->keeps_passes == CF_KEEP_UNTIL_TOLD)
            forget(pool, index);
    }
}

/* Signatures stand in files of lines: no control characters, no blanks at the end. */
static struct kp_text one_line(struct cf_arena *arena, struct kp_text text)
{
    char *bytes = cf_arena_alloc(arena, text.len + 1);

    for (size_t i = 0; i < text.len; i++)
        bytes[i] = (unsigned char)text.bytes[i] < 0x20 ? ' ' : text.bytes[i];
    while (text.len > 0 && bytes[text.len - 1] == ' ')
        text.len--;
    return (struct kp_text){bytes, text.len};
}

static void finish(struct pool *pool, struct worker *worker, size_t index)
{
    struct cf_result_case *item = &pool->cases[index];
    struct cf_arena *arena = &pool->arenas[index];

    item->outcome.signature = one_line(arena, item->outcome.signature);
    if (pool->table_run->known)
        cf_known_apply(pool->table_run->known, arena, item);
    pthread_mutex_lock(&pool->lock);
    if (item->outcome.verdict == CF_PASS || item->outcome.verdict == CF_FAIL)
        note_unobserved(pool, pool->table_run->selection->list[index].item,
                        cf_subject_about(worker->subject));
    if (item->outcome.verdict == CF_PASS && pool->table_run->keeps_passes == CF_KEEP_NOT)
        forget(pool, index);
    pool->done[index] = true;
    report_in_order(pool);
    pthread_mutex_unlock(&pool->lock);
}

static bool is_attempt(const struct pool *pool, size_t index)
{
    return pool->table_run->selection->list[index].item->kind == CF_ATTEMPT;
}

/* The lock is held. */
static size_t take_of(struct pool *pool, bool attempts)
{
    size_t *next = &pool->next[attempts];

    while (*next < pool->table_run->selection->count && is_attempt(pool, *next) != attempts)
        ++*next;
    return *next < pool->table_run->selection->count ? (*next)++ : SIZE_MAX;
}

/* SIZE_MAX: there is nothing left to play. */
static size_t take_case(struct pool *pool, bool attempts_only)
{
    size_t index = SIZE_MAX;

    pthread_mutex_lock(&pool->lock);
    if (!cf_interrupted()) {
        index = attempts_only ? SIZE_MAX : take_of(pool, false);
        if (index == SIZE_MAX)
            index = take_of(pool, true);
    }
    pthread_mutex_unlock(&pool->lock);
    return index;
}

static void *play(void *ctx)
{
    struct worker *worker = ctx;
    struct pool *pool = worker->pool;
    struct cf_run run = {
        .subject = worker->subject, .mem = cf_libc_mem(), .seed = pool->table_run->seed};
    size_t index;

    while ((index = take_case(pool, worker->attempts_only)) != SIZE_MAX) {
        struct cf_result_case *item = &pool->cases[index];

        pool->arenas[index] = (struct cf_arena){.mem = cf_libc_mem()};
        run.tier = item->tier;
        cf_run_case(&run, pool->table_run->selection->list[index].item, item->k8s,
                    &pool->arenas[index], &item->outcome);
        finish(pool, worker, index);
    }
    return NULL;
}

/* ---- who plays ---------------------------------------------------------------------------- */

/*
 * Get to know the implementation: the first version of the selection that it plays, so that every
 * worker knows from the start what is claimed.
 */
static bool greet(const struct cf_table_run *table_run, struct cf_subject *subject,
                  struct kp_text_list k8s)
{
    for (size_t i = 0; i < k8s.count; i++) {
        struct cf_hello hello = {
            .protocol = CF_PROTOCOL_VERSION, .k8s = k8s.items[i], .seed = table_run->seed};

        if (cf_subject_begin(subject, &hello))
            return true;
        if (cf_subject_error(subject) != CF_ERROR_REFUSED)
            return false;
    }
    return false;
}

/*
 * Of all minors the newest that it plays, where it refused each version of the selection as
 * `unsupported`; empty: none.
 */
static struct kp_text find_version(const struct cf_table_run *table_run, struct cf_subject *subject,
                                   struct cf_arena *arena)
{
    struct cf_versions minors;
    bool listed = cf_versions_read(&minors, "all", NULL);

    for (size_t i = minors.count; listed && i > 0 && cf_subject_declined(subject); i--) {
        struct kp_text name = cf_arena_text(arena, kp_text_of(minors.list[i - 1].name));

        if (greet(table_run, subject, (struct kp_text_list){&name, 1}))
            return name;
    }
    return KP_TEXT_NONE;
}

static bool add_worker(struct pool *pool, struct kp_text_list k8s)
{
    const struct cf_table_run *table_run = pool->table_run;
    struct worker *worker = &pool->workers[pool->worker_count++];

    worker->pool = pool;
    worker->subject = table_run->adapter
                          ? cf_subject_new_adapter(table_run->adapter, table_run->limits)
                          : cf_subject_new_engine(cf_libc_mem());
    if (worker->subject == NULL)
        cf_out_of_memory();
    return greet(table_run, worker->subject, k8s);
}

static int attempt_workers(const struct pool *pool, const struct cf_result_header *header)
{
    int most = pool->table_run->adapter ? ATTEMPT_PROCESSES : ATTEMPT_WORKERS;
    int attempts = 0;

    for (size_t i = 0; i < pool->table_run->selection->count; i++)
        attempts += is_attempt(pool, i);
    if (!header->about.layers[CF_LAYER_FIRE])
        return 0;
    most /= 4 * cf_fire_slower() - 3; /* and one processor */
    return attempts / ATTEMPTS_EACH < most ? attempts / ATTEMPTS_EACH : most;
}

/* Proxies that nobody answers at: a probe through one of them fails (P-111). */
static void name_proxies(const struct pool *pool)
{
    static const char *const names[] = {"http_proxy", "https_proxy", "HTTPS_PROXY",
                                        "all_proxy",  "ALL_PROXY",   "grpc_proxy"};
    bool attempts = false;

    for (size_t i = 0; i < pool->table_run->selection->count; i++)
        attempts = attempts || is_attempt(pool, i);
    for (size_t i = 0; attempts && i < sizeof names / sizeof *names; i++)
        setenv(names[i], "http://127.0.0.1:9", 1);
}

/* It plays none of the selection's versions.  Where nobody asked for those, another will do. */
static bool settle_for(struct pool *pool, struct cf_result_header *header, struct cf_arena *arena)
{
    struct cf_subject *subject = pool->workers[0].subject;
    struct kp_text why = cf_arena_text(arena, cf_subject_why(subject));
    struct kp_text *version = cf_arena_array(arena, 1, sizeof *version);

    *version = find_version(pool->table_run, subject, arena);
    if (version->len > 0 && !pool->table_run->selection->k8s) {
        header->k8s = (struct kp_text_list){version, 1};
        return true;
    }
    if (version->len > 0)
        why = cf_arena_format(arena, "it plays no version of --k8s %s: try --k8s %.*s",
                              pool->table_run->selection->k8s, KP_ARG(*version));
    else if (cf_subject_declined(subject))
        why = cf_arena_format(arena, "%.*s; nor does it play any other version", KP_ARG(why));
    else
        why = cf_arena_text(arena, cf_subject_why(subject));
    pool->end->unusable = why;
    return false;
}

/* The first of them, who says what is claimed.  false: it cannot be judged at all. */
static bool make_worker(struct pool *pool, struct cf_result_header *header, struct cf_arena *arena)
{
    bool usable = add_worker(pool, header->k8s);
    struct cf_subject *subject = pool->workers[0].subject;

    if (!usable && cf_subject_declined(subject))
        usable = settle_for(pool, header, arena);
    else if (!usable)
        pool->end->unusable = cf_arena_text(arena, cf_subject_why(subject));
    if (usable)
        header->about = *cf_subject_about(subject);
    else
        pool->end->log = cf_arena_text(arena, cf_subject_log(subject));
    return usable;
}

static void make_others(struct pool *pool, struct kp_text_list k8s,
                        const struct cf_result_header *header)
{
    for (int i = 1; i < pool->jobs + attempt_workers(pool, header); i++) {
        pool->workers[i].attempts_only = i >= pool->jobs;
        if (!add_worker(pool, k8s))
            break; /* fewer will do */
    }
}

static void play_all(struct pool *pool)
{
    for (int i = 1; i < pool->worker_count; i++)
        pool->workers[i].started =
            pthread_create(&pool->workers[i].thread, NULL, play, &pool->workers[i]) == 0;
    play(&pool->workers[0]);
    for (int i = 1; i < pool->worker_count; i++)
        if (pool->workers[i].started)
            pthread_join(pool->workers[i].thread, NULL);
    for (size_t i = 0; i < pool->table_run->selection->count; i++)
        pool->done[i] = true;
    report_in_order(pool);
}

/* Texts of outcomes live in the cases' arenas: the result takes them over. */
static void leave(struct pool *pool, struct cf_arena *arena)
{
    for (int i = 0; i < pool->worker_count; i++)
        cf_subject_free(pool->workers[i].subject);
    for (size_t i = 0; i < pool->table_run->selection->count; i++)
        cf_arena_adopt(arena, &pool->arenas[i]);
}

static struct cf_hello_ok keep_about(struct cf_arena *arena, const struct cf_hello_ok *about)
{
    struct cf_hello_ok kept = *about;
    struct kp_text *const texts[] = {&kept.name, &kept.version, &kept.language, &kept.url};
    struct kp_text_list *const lists[] = {&kept.k8s, &kept.features, &kept.lacks};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        *texts[i] = cf_arena_text(arena, *texts[i]);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct kp_text *items = cf_arena_array(arena, lists[i]->count + 1, sizeof *items);

        for (size_t k = 0; k < lists[i]->count; k++)
            items[k] = cf_arena_text(arena, lists[i]->items[k]);
        lists[i]->items = items;
    }
    return kept;
}

static struct kp_text_list unobserved_words(struct cf_arena *arena, const bool *unobserved)
{
    struct kp_text *items = cf_arena_array(arena, CF_EFFECT_KINDS, sizeof *items);
    struct kp_text_list list = {items, 0};

    for (int kind = 0; kind < CF_EFFECT_KINDS; kind++)
        if (unobserved[kind])
            items[list.count++] = kp_text_of(cf_word(&cf_effect_words, kind));
    return list;
}

/* In real time a case mostly waits; a faster one waits less. */
static int jobs_for(const struct cf_hello_ok *about, size_t cases)
{
    int jobs = about->speed > 1 ? REAL_JOBS / 4 : REAL_JOBS;

    if (!about->real_clock || (!about->layers[CF_LAYER_PROBE] && !about->layers[CF_LAYER_POD]))
        return 1;
    return cases < (size_t)jobs ? (int)cases + 1 : jobs;
}

/* What a case is judged by: what the command line says, or else what is claimed. */
static enum cf_tier tier_of(const struct cf_table_run *table_run, const struct cf_hello_ok *about,
                            const struct cf_case *item)
{
    const char *said = table_run->selection->tier;
    int tier = said                 ? cf_find_word(&cf_tier_words, kp_text_of(said))
               : table_run->of_tier ? about->tiers[item->layer]
                                    : CF_NO_WORD;

    return tier == CF_NO_WORD ? CF_TIER_EXACT : (enum cf_tier)tier;
}

/* Of what was selected that which is of the tier that it claims. */
static void narrow(const struct cf_table_run *table_run, struct cf_result_header *header,
                   struct cf_arena *arena)
{
    struct cf_selection *selection = table_run->selection;
    struct cf_out said = {0};
    size_t kept = 0;

    for (size_t i = 0; i < selection->count; i++)
        if (cf_tier_has(tier_of(table_run, &header->about, selection->list[i].item),
                        selection->list[i].item))
            selection->list[kept++] = selection->list[i];
    selection->count = kept;
    cf_put_tiers(&said, &header->about);
    if (said.len > 0)
        header->selection = cf_arena_format(arena, "%.*s %.*s", KP_ARG(header->selection),
                                            KP_ARG(cf_out_text(&said)));
    cf_out_deinit(&said);
}

static void make_room(struct pool *pool, const struct cf_hello_ok *about, struct cf_arena *arena)
{
    const struct cf_selection *selection = pool->table_run->selection;

    pool->cases = cf_arena_array(arena, selection->count + 1, sizeof *pool->cases);
    pool->arenas = cf_arena_array(arena, selection->count + 1, sizeof *pool->arenas);
    pool->done = cf_arena_array(arena, selection->count + 1, sizeof *pool->done);
    for (size_t i = 0; i < selection->count; i++) {
        pool->cases[i] = describe(arena, &selection->list[i]);
        pool->cases[i].tier = tier_of(pool->table_run, about, selection->list[i].item);
    }
}

void cf_table_run_play(const struct cf_table_run *table_run, struct cf_result_header *header,
                       struct cf_arena *arena, struct cf_table_run_end *end)
{
    struct cf_selection *selection = table_run->selection;
    struct pool pool = {.table_run = table_run, .end = end, .lock = PTHREAD_MUTEX_INITIALIZER};
    bool usable;

    *end = (struct cf_table_run_end){0};
    pool.workers = cf_arena_array(arena, (size_t)(table_run->jobs + REAL_JOBS + ATTEMPT_WORKERS),
                                  sizeof *pool.workers);
    header->k8s = versions(arena, selection);
    header->seed = table_run->seed;
    name_proxies(&pool);
    usable = make_worker(&pool, header, arena);
    if (usable && !selection->k8s)
        cf_select_among(selection, header->about.k8s.count > 0 ? header->about.k8s : header->k8s);
    if (usable && table_run->of_tier)
        narrow(table_run, header, arena);
    make_room(&pool, &header->about, arena);
    header->selected = selection->count;
    pool.jobs = table_run->jobs > 0 ? table_run->jobs : jobs_for(&header->about, selection->count);
    if (usable) {
        make_others(&pool, header->k8s, header);
        header->k8s = versions(arena, selection);
        header->about = keep_about(arena, &header->about);
        table_run->begin(table_run->ctx, header);
        play_all(&pool);
    }
    leave(&pool, arena);
    end->result.header = *header;
    end->result.cases = pool.cases;
    end->result.case_count = selection->count;
    end->result.unobserved = unobserved_words(arena, end->unobserved);
    end->result.interrupted = end->result.totals[CF_NOT_RUN] > 0;
}
