#include "conformance/judge/contest.h"

#include "conformance/fire/fire.h"
#include "conformance/judge/run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct hall;

/* One process of the implementation and the thread that plays on it. */
struct player {
    struct hall *hall;
    struct cf_subject *subject;
    pthread_t thread;
    bool started;
    bool shots_only;
};

/* Shots mostly wait: so many more players are there for them alone, where there are enough. */
enum { SHOT_PLAYERS = 63, SHOT_PROCESSES = 7, SHOTS_EACH = 4 };

/* What the players share. */
struct hall {
    const struct cf_contest *contest;
    struct cf_contest_end *end;
    struct cf_result_case *cases;
    struct cf_arena *arenas; /* a case each: of its outcome */
    bool *done;
    struct player *players;
    int player_count;
    pthread_mutex_t lock;
    size_t next[2]; /* the first case that nobody has taken: of all others, of shots */
    size_t told;    /* cases told so far */
};

/* ---- what a case is called ---------------------------------------------------------------- */

static struct kp_text_list rule_names(struct cf_arena *arena, const struct cf_case *item)
{
    struct kp_text *names = cf_arena_array(arena, item->rule_count + 1, sizeof *names);

    for (size_t i = 0; names && i < item->rule_count; i++)
        names[i] = kp_text_of(kp_rule_get(item->rules[i])->id);
    return (struct kp_text_list){names, names ? item->rule_count : 0};
}

/* The file without its folder: a result does not depend on where the table stands. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static struct cf_result_case describe(struct cf_arena *arena, const struct cf_selected *selected)
{
    const struct cf_case *item = selected->item;

    return (struct cf_result_case){
        .id = item->id,
        .k8s = kp_text_of(selected->version),
        .topic = item->topic,
        .layer = kp_text_of(cf_layer_name(item->layer)),
        .sentence = item->why,
        .place = cf_arena_format(arena, "%s:%d", base_name(item->file), item->at.line),
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
        struct cf_arena arena;

        cf_arena_init(&arena, cf_libc_mem());
        cf_sha256_put(&sha, suite->cases[i].id);
        cf_sha256_put(&sha, cf_node_json(&arena, suite->cases[i].node));
        cf_arena_deinit(&arena);
    }
    cf_sha256_take(&sha, hex);
}

/* ---- playing ------------------------------------------------------------------------------ */

/* Which kinds of effects does the case want that the implementation does not report? */
static void note_unobserved(struct hall *hall, const struct cf_case *item,
                            const struct cf_hello_ok *about)
{
    for (size_t t = 0; about && t < item->trace_count; t++)
        for (size_t i = 0; i < item->traces[t].want_count; i++)
            if (!about->observes[item->traces[t].wants[i].kind])
                hall->end->unobserved[item->traces[t].wants[i].kind] = true;
}

static void forget(struct hall *hall, size_t index)
{
    hall->cases[index].outcome = (struct cf_outcome){.verdict = CF_PASS};
    cf_arena_deinit(&hall->arenas[index]);
}

/* The lock is held. */
static void tell_in_order(struct hall *hall)
{
    while (hall->told < hall->contest->selection->count && hall->done[hall->told]) {
        size_t index = hall->told++;
        enum cf_verdict verdict = hall->cases[index].outcome.verdict;

        hall->end->result.totals[verdict]++;
        hall->contest->each(hall->contest->ctx, &hall->cases[index]);
        if (verdict == CF_PASS && hall->contest->keeps_passes == CF_KEEP_UNTIL_TOLD)
            forget(hall, index);
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

static void finish(struct hall *hall, struct player *player, size_t index)
{
    struct cf_result_case *item = &hall->cases[index];
    struct cf_arena *arena = &hall->arenas[index];

    item->outcome.signature = one_line(arena, item->outcome.signature);
    if (hall->contest->known)
        cf_known_apply(hall->contest->known, arena, item);
    pthread_mutex_lock(&hall->lock);
    if (item->outcome.verdict == CF_PASS || item->outcome.verdict == CF_FAIL)
        note_unobserved(hall, hall->contest->selection->list[index].item,
                        cf_subject_about(player->subject));
    if (item->outcome.verdict == CF_PASS && hall->contest->keeps_passes == CF_KEEP_NOT)
        forget(hall, index);
    hall->done[index] = true;
    tell_in_order(hall);
    pthread_mutex_unlock(&hall->lock);
}

static bool is_shot(const struct hall *hall, size_t index)
{
    return hall->contest->selection->list[index].item->kind == CF_SHOT;
}

/* The lock is held. */
static size_t take_of(struct hall *hall, bool shots)
{
    size_t *next = &hall->next[shots];

    while (*next < hall->contest->selection->count && is_shot(hall, *next) != shots)
        ++*next;
    return *next < hall->contest->selection->count ? (*next)++ : SIZE_MAX;
}

/* SIZE_MAX: there is nothing left to play. */
static size_t take_case(struct hall *hall, bool shots_only)
{
    size_t index = SIZE_MAX;

    pthread_mutex_lock(&hall->lock);
    if (!cf_interrupted()) {
        index = shots_only ? SIZE_MAX : take_of(hall, false);
        if (index == SIZE_MAX)
            index = take_of(hall, true);
    }
    pthread_mutex_unlock(&hall->lock);
    return index;
}

static void *play(void *ctx)
{
    struct player *player = ctx;
    struct hall *hall = player->hall;
    const struct cf_run run = {
        .subject = player->subject, .mem = cf_libc_mem(), .seed = hall->contest->seed};
    size_t index;

    while ((index = take_case(hall, player->shots_only)) != SIZE_MAX) {
        struct cf_result_case *item = &hall->cases[index];

        cf_arena_init(&hall->arenas[index], cf_libc_mem());
        cf_run_case(&run, hall->contest->selection->list[index].item, item->k8s,
                    &hall->arenas[index], &item->outcome);
        finish(hall, player, index);
    }
    return NULL;
}

/* ---- who plays ---------------------------------------------------------------------------- */

/*
 * Get to know the implementation: the first version of the selection that it plays, so that every
 * player knows from the start what is claimed.
 */
static bool greet(const struct cf_contest *contest, struct cf_subject *subject,
                  struct kp_text_list k8s)
{
    for (size_t i = 0; i < k8s.count; i++) {
        struct cf_hello hello = {
            .protocol = CF_PROTOCOL_VERSION, .k8s = k8s.items[i], .seed = contest->seed};

        if (cf_subject_begin(subject, &hello))
            return true;
        if (cf_subject_fate(subject) != CF_FATE_REFUSED)
            return false;
    }
    return false;
}

static bool add_player(struct hall *hall, struct kp_text_list k8s)
{
    const struct cf_contest *contest = hall->contest;
    struct player *player = &hall->players[hall->player_count++];

    player->hall = hall;
    player->subject = contest->adapter ? cf_subject_new_adapter(contest->adapter, contest->limits)
                                       : cf_subject_new_engine(cf_libc_mem());
    if (player->subject == NULL)
        cf_out_of_memory();
    return greet(contest, player->subject, k8s);
}

static int shot_players(const struct hall *hall, const struct cf_result_header *header)
{
    int most = hall->contest->adapter ? SHOT_PROCESSES : SHOT_PLAYERS;
    int shots = 0;

    for (size_t i = 0; i < hall->contest->selection->count; i++)
        shots += is_shot(hall, i);
    if (!header->about.layers[CF_LAYER_FIRE])
        return 0;
    most /= 4 * cf_fire_slower() - 3; /* and one processor */
    return shots / SHOTS_EACH < most ? shots / SHOTS_EACH : most;
}

/* Proxies that nobody answers at: a probe that asks one of them fails (P-111). */
static void name_proxies(const struct hall *hall)
{
    static const char *const names[] = {"http_proxy", "https_proxy", "HTTPS_PROXY",
                                        "all_proxy",  "ALL_PROXY",   "grpc_proxy"};
    bool shots = false;

    for (size_t i = 0; i < hall->contest->selection->count; i++)
        shots = shots || is_shot(hall, i);
    for (size_t i = 0; shots && i < sizeof names / sizeof *names; i++)
        setenv(names[i], "http://127.0.0.1:9", 1);
}

/* false: it cannot be judged at all. */
static bool make_players(struct hall *hall, struct cf_result_header *header, struct cf_arena *arena)
{
    if (!add_player(hall, header->k8s)) {
        struct cf_subject *subject = hall->players[0].subject;

        hall->end->unusable = cf_arena_text(arena, cf_subject_why(subject));
        hall->end->log = cf_arena_text(arena, cf_subject_log(subject));
        return false;
    }
    header->about = *cf_subject_about(hall->players[0].subject);
    for (int i = 1; i < hall->contest->jobs + shot_players(hall, header); i++) {
        hall->players[i].shots_only = i >= hall->contest->jobs;
        if (!add_player(hall, header->k8s))
            break; /* fewer will do */
    }
    return true;
}

static void play_all(struct hall *hall)
{
    for (int i = 1; i < hall->player_count; i++)
        hall->players[i].started =
            pthread_create(&hall->players[i].thread, NULL, play, &hall->players[i]) == 0;
    play(&hall->players[0]);
    for (int i = 1; i < hall->player_count; i++)
        if (hall->players[i].started)
            pthread_join(hall->players[i].thread, NULL);
    for (size_t i = 0; i < hall->contest->selection->count; i++)
        hall->done[i] = true;
    tell_in_order(hall);
}

/* Texts of outcomes live in the cases' arenas: the result takes them over. */
static void leave(struct hall *hall, struct cf_arena *arena)
{
    for (int i = 0; i < hall->player_count; i++)
        cf_subject_free(hall->players[i].subject);
    for (size_t i = 0; i < hall->contest->selection->count; i++)
        cf_arena_adopt(arena, &hall->arenas[i]);
}

static struct cf_hello_ok keep_about(struct cf_arena *arena, const struct cf_hello_ok *about)
{
    struct cf_hello_ok kept = *about;
    struct kp_text *const texts[] = {&kept.name, &kept.version, &kept.language, &kept.url};
    struct kp_text_list *const lists[] = {&kept.k8s, &kept.features};

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
            items[list.count++] = kp_text_of(cf_effect_word((enum kp_effect_kind)kind));
    return list;
}

void cf_contest_play(const struct cf_contest *contest, struct cf_result_header *header,
                     struct cf_arena *arena, struct cf_contest_end *end)
{
    size_t count = contest->selection->count;
    struct hall hall = {.contest = contest, .end = end, .lock = PTHREAD_MUTEX_INITIALIZER};

    *end = (struct cf_contest_end){.result = {.case_count = count}};
    hall.cases = cf_arena_array(arena, count + 1, sizeof *hall.cases);
    hall.arenas = cf_arena_array(arena, count + 1, sizeof *hall.arenas);
    hall.done = cf_arena_array(arena, count + 1, sizeof *hall.done);
    hall.players =
        cf_arena_array(arena, (size_t)contest->jobs + SHOT_PLAYERS, sizeof *hall.players);
    for (size_t i = 0; i < count; i++)
        hall.cases[i] = describe(arena, &contest->selection->list[i]);
    header->k8s = versions(arena, contest->selection);
    header->seed = contest->seed;
    header->selected = count;
    name_proxies(&hall);
    if (make_players(&hall, header, arena)) {
        header->about = keep_about(arena, &header->about);
        contest->begin(contest->ctx, header);
        play_all(&hall);
    }
    leave(&hall, arena);
    end->result.header = *header;
    end->result.cases = hall.cases;
    end->result.unobserved = unobserved_words(arena, end->unobserved);
    end->result.interrupted = end->result.totals[CF_NOT_RUN] > 0;
}
