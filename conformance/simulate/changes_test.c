/*
 * changes_test.c: each change that is printed holds: with its patch merged into the manifest the
 * pod is played again in the worlds that it is for, wherever in the probes' periods they fall, and
 * nothing is killed any more; and where something is killed, there is a change.
 */
#include "conformance/simulate/advice.h"
#include "conformance/simulate/sim_trace.h"
#include "conformance/simulate/world_effects.h"
#include "conformance/text/human.h"
#include "conformance/text/yaml.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S KP_NS_PER_S
#define MS KP_NS_PER_MS

enum { SAID_MAX = 3, INSTANTS = 5 };

struct worlds {
    struct cf_world_said said[SAID_MAX];
    size_t count;
};

/* ---- a strategic merge ------------------------------------------------------------------------
 */

static struct cf_node *document_of(struct cf_arena *arena, struct kp_text yaml)
{
    struct cf_node *documents = NULL;
    struct cf_fault fault;

    CHECK_INT(cf_yaml_parse(arena, yaml, (struct cf_yaml_options){0}, &documents, &fault), KP_OK);
    return documents ? documents->first : NULL;
}

static struct cf_node *named(const struct cf_node *list, struct kp_text name)
{
    for (struct cf_node *item = list->first; item; item = item->next)
        if (kp_text_equal(cf_node_text(item, "name"), name))
            return item;
    return NULL;
}

/* Maps member by member, containers by their names, null takes a member out. */
static void merge(struct cf_arena *arena, struct cf_node *into, const struct cf_node *patch)
{
    for (const struct cf_node *member = patch->first; member; member = member->next) {
        struct cf_node *found = cf_node_find(into, cf_arena_text(arena, member->key).bytes);

        if (member->kind == CF_NULL) {
            cf_node_remove(into, member->key);
        } else if (found && found->kind == CF_MAP && member->kind == CF_MAP) {
            merge(arena, found, member);
        } else if (found && kp_text_ends(member->key, "ontainers")) {
            for (const struct cf_node *item = member->first; item; item = item->next)
                merge(arena, named(found, cf_node_text(item, "name")), item);
        } else {
            cf_node_set(into, member->key, cf_node_copy(arena, member));
        }
    }
}

/* The pod with the patch, and with the options where they are wanted. */
static struct kp_text changed(struct cf_arena *arena, struct kp_text yaml,
                              const struct cf_manifest_pod *pod, const struct cf_advice *advice,
                              bool options)
{
    struct cf_node *document = document_of(arena, yaml);
    struct cf_out patch = {0};

    cf_advice_put_patch(&patch, pod, advice);
    if (!cf_advice_is_empty(advice))
        merge(arena, document, document_of(arena, cf_out_text(&patch)));
    cf_out_deinit(&patch);
    for (size_t i = 0; options && i < advice->count; i++) {
        const struct cf_change *change = &advice->changes[i];
        static const char *const fields[] = {"livenessProbe", "readinessProbe", "startupProbe"};

        if (change->optional)
            merge(arena, document,
                  document_of(
                      arena,
                      cf_arena_format(arena, "{spec: {containers: [{name: %.*s, %s: {%s: %d}}]}}",
                                      KP_ARG(pod->pod->containers[change->container].name),
                                      fields[change->type], change->field, (int)change->value)));
    }
    return cf_node_json(arena, document);
}

/* ---- a play -----------------------------------------------------------------------------------
 */

/* What came of it. */
struct outcome {
    bool probed;  /* a probe's failures killed something */
    bool unready; /* it was Ready, and then it was not */
    bool cut_off; /* SIGKILL came while something stopped */
    bool dropped; /* SIGTERM came while requests did */
    bool early;   /* a probe passed before what runs had started */
};

/* Has what runs then been up for so long? */
static bool is_up(const struct cf_sim_trace *trace, const struct cf_sim_line *until,
                  int64_t starts_ns)
{
    int64_t since_ns = KP_NEVER;

    for (const struct cf_sim_line *line = trace->lines; line < until; line++)
        if (line->container == until->container &&
            (line->mark == CF_SIM_RUNS || line->mark == CF_SIM_EXITED))
            since_ns = line->mark == CF_SIM_RUNS ? line->at_ns : KP_NEVER;
    return since_ns != KP_NEVER && until->at_ns - since_ns >= starts_ns;
}

static void look_at(const struct cf_sim_trace *trace, const struct cf_worlds *worlds,
                    struct outcome *outcome)
{
    bool ready = false;

    for (size_t i = 0; i < trace->line_count; i++) {
        const struct cf_sim_line *line = &trace->lines[i];
        const int64_t *ns = line->container >= 0 ? worlds->containers[line->container].ns : NULL;
        bool all = line->kind == CF_SIM_COLUMNS && line->columns.ready[0] == line->columns.ready[2];

        if (line->kind == CF_SIM_COLUMNS && line->at_ns < trace->deleted_ns)
            outcome->unready |= ready && !all;
        ready |= all;
        if (line->mark == CF_SIM_KILLED)
            outcome->probed |=
                line->kill_reason == KP_KILL_LIVENESS || line->kill_reason == KP_KILL_STARTUP;
        if (line->mark == CF_SIM_SUCCEEDED && ns[CF_STARTS_IN] != KP_NEVER)
            outcome->early |= !is_up(trace, line, ns[CF_STARTS_IN]);
        if (line->at_ns < trace->deleted_ns || !ns)
            continue;
        outcome->cut_off |= line->mark == CF_SIM_EXITED &&
                            line->exit_code == CF_EXIT_CODE_SIGKILL && ns[CF_STOPS_IN] != KP_NEVER;
        outcome->dropped |= line->mark == CF_SIM_KILLED && ns[CF_TRAFFIC_FOR] != KP_NEVER &&
                            line->at_ns - trace->deleted_ns < ns[CF_TRAFFIC_FOR];
    }
}

static struct outcome play(struct cf_arena *arena, const struct kp_profile *profile,
                           const struct kp_pod *pod, const struct worlds *told)
{
    struct outcome outcome = {0};
    struct cf_worlds worlds;
    struct kp_text unknown;
    bool again = true;

    if (!CHECK_INT(cf_worlds_make(arena, pod, told->said, told->count, &worlds, &unknown), KP_OK))
        return outcome;
    while (again) {
        struct cf_sim_trace trace = {
            .profile = profile, .pod = pod, .end_ns = 600 * S, .every_probe = true};
        struct cf_sim_script script;
        const char *why = "";

        CHECK_INT(cf_sim_script_make(arena, profile, pod, 0, 0, &script), KP_OK);
        CHECK_INT(cf_worlds_apply(arena, profile, pod, &worlds, &script.script), KP_OK);
        CHECK_INT(cf_sim_play(arena, &script.script, 0, &trace, &why), KP_OK);
        again = cf_worlds_find_hanging(&worlds, &trace);
        if (!again)
            look_at(&trace, &worlds, &outcome);
        cf_sim_trace_deinit(&trace);
    }
    return outcome;
}

static void add(struct outcome *all, struct outcome one)
{
    all->probed |= one.probed;
    all->unready |= one.unready;
    all->cut_off |= one.cut_off;
    all->dropped |= one.dropped;
    all->early |= one.early;
}

/* At several instants of the probes' periods where it is an outage. */
static struct outcome play_all(struct cf_arena *arena, const struct kp_profile *profile,
                               const struct kp_pod *pod, const struct worlds *told)
{
    struct outcome all = play(arena, profile, pod, told);
    struct worlds shifted = *told;
    bool outage = false;

    for (size_t i = 0; i < told->count; i++)
        outage |= told->said[i].word == CF_DOWN_FOR;
    for (int i = 0; outage && i < INSTANTS; i++) {
        shifted.said[told->count] =
            (struct cf_world_said){CF_HANGS_AT, KP_TEXT_NONE, 300 * S + i * 1700 * MS};
        shifted.count = told->count + 1;
        add(&all, play(arena, profile, pod, &shifted));
    }
    return all;
}

/* ---- one pod in its worlds --------------------------------------------------------------------
 */

static bool has_options(const struct cf_advice *advice)
{
    for (size_t i = 0; i < advice->count; i++)
        if (advice->changes[i].optional)
            return true;
    return false;
}

/* No line is wider than people read. */
static bool check_lines(struct cf_arena *arena, const struct cf_manifest_pod *pod,
                        const struct cf_advice *advice)
{
    struct cf_out out = {0};
    struct kp_text text;
    struct kp_text line;
    bool fine = true;

    cf_advice_put_text(&out, pod->pod, advice);
    cf_advice_put_patch(&out, pod, advice);
    text = cf_arena_text(arena, cf_out_text(&out));
    while (kp_text_next_line(&text, &line))
        fine = CHECK(cf_columns_of(line) <= CF_COLUMNS) && fine;
    cf_out_deinit(&out);
    return fine;
}

/* Requests behind a hook whose length nobody knows are lost whatever is changed. */
static bool is_lost(const struct kp_pod *pod)
{
    return cf_hook_s(pod->containers[0].pre_stop) < 0;
}

static bool is_bad(const struct outcome *outcome, const struct kp_pod *pod)
{
    return outcome->probed || outcome->cut_off || (outcome->dropped && !is_lost(pod));
}

/* Returns: the number of changes; -1: something is wrong. */
static int check(const char *k8s, struct kp_text yaml, const struct worlds *told)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct kp_profile profile = unit_profile(k8s);
    struct cf_manifest before;
    struct cf_manifest after;
    struct cf_worlds worlds;
    struct cf_advice advice = {0};
    struct kp_text unknown;
    struct outcome was;
    struct outcome is;
    const char *why = "";
    bool fine;

    if (cf_manifest_read(&arena, &profile, "p", yaml, &before) != KP_OK) {
        cf_arena_deinit(&arena);
        return 0;
    }
    fine = CHECK_INT(cf_worlds_make(&arena, before.pods[0].pod, told->said, told->count, &worlds,
                                    &unknown),
                     KP_OK) &&
           CHECK_INT(cf_advice_find(&arena, &profile, before.pods[0].pod, &worlds, &advice, &why),
                     KP_OK);
    if (fine) {
        bool optional = has_options(&advice);

        was = play_all(&arena, &profile, before.pods[0].pod, told);
        fine = CHECK_INT(cf_manifest_read(&arena, &profile, "p",
                                          changed(&arena, yaml, &before.pods[0], &advice, optional),
                                          &after),
                         KP_OK);
        is = play_all(&arena, &profile, after.pods[0].pod, told);
        fine = fine && CHECK(!is_bad(&was, before.pods[0].pod) || !cf_advice_is_empty(&advice)) &&
               CHECK(!is.probed) && CHECK(!is.cut_off) &&
               CHECK(!is.dropped || is_lost(after.pods[0].pod)) && CHECK(!was.early) &&
               CHECK(!is.early) && CHECK(!optional || !is.unready) &&
               check_lines(&arena, &before.pods[0], &advice);
    }
    if (!fine) {
        struct cf_out out = {0};

        cf_advice_put_text(&out, before.pods[0].pod, &advice);
        printf("  %s: %.*s\n", k8s, KP_ARG(yaml));
        for (size_t i = 0; i < told->count; i++)
            printf("  word %d: %.3f s\n", (int)told->said[i].word, (double)told->said[i].ns / S);
        printf("%.*s", KP_ARG(out));
        cf_out_deinit(&out);
    }
    cf_arena_deinit(&arena);
    return fine ? (int)advice.count : -1;
}

/* ---- pods that were wrong ----------------------------------------------------------------------
 */

static void each_of_these_is_right(void)
{
#define POD(fields) "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {" fields "}}"
#define GET "{httpGet: {path: /, port: 80}"
    static const struct {
        const char *pod;
        enum cf_world_word word;
        int64_t ns;
    } rows[] = {
        /* SIGTERM comes behind the outage, and was decided within it. */
        {POD("terminationGracePeriodSeconds: 45, containers: [{name: a, image: i:1, lifecycle: "
             "{preStop: {sleep: {seconds: 15}}}, livenessProbe: " GET ", timeoutSeconds: 3}}]"),
         CF_DOWN_FOR, 40 * S},
        {POD("terminationGracePeriodSeconds: 45, containers: [{name: a, image: i:1, lifecycle: "
             "{preStop: {sleep: {seconds: 15}}}, livenessProbe: " GET "}}]"),
         CF_DOWN_FOR, 25 * S},
        /* While postStart runs the kubelet still probes the instance before. */
        {POD("containers: [{name: a, image: i:1, lifecycle: {postStart: {sleep: {seconds: 25}}}, "
             "livenessProbe: " GET "}, readinessProbe: " GET ", periodSeconds: 5}}]"),
         CF_STARTS_IN, 52 * S},
        {POD("containers: [{name: a, image: i:1, lifecycle: {postStart: {sleep: {seconds: 25}}}, "
             "livenessProbe: " GET "}, readinessProbe: {exec: {command: [a]}}}]"),
         CF_STARTS_IN, 52 * S},
    };
#undef GET
#undef POD

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct worlds told = {.said = {{rows[i].word, KP_TEXT_NONE, rows[i].ns}}, .count = 1};

        CHECK(check("1.36", kp_text_of(rows[i].pod), &told) > 0);
    }
}

/* ---- random pods ------------------------------------------------------------------------------
 */

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

static const char *draw_probe(struct cf_arena *arena, uint64_t *state, const char *name)
{
    static const char *const handlers[] = {"httpGet: {port: 80}", "exec: {command: [a]}",
                                           "grpc: {port: 82}", "tcpSocket: {port: 81}"};
    static const uint32_t timeouts[] = {1, 1, 3, 5, 25};

    if (draw(state, 4) == 0)
        return "";
    return cf_arena_format(arena,
                           ", %s: {%s, initialDelaySeconds: %u, timeoutSeconds: %u, periodSeconds: "
                           "%u, failureThreshold: %u%s}",
                           name, handlers[draw(state, 4)], draw(state, 3) * 7,
                           timeouts[draw(state, 5)], 1 + draw(state, 15), 1 + draw(state, 5),
                           strcmp(name, "readinessProbe") != 0 && draw(state, 4) == 0
                               ? ", terminationGracePeriodSeconds: 20"
                               : "")
        .bytes;
}

static struct kp_text draw_pod(struct cf_arena *arena, uint64_t *state)
{
    static const char *const hooks[] = {
        "",
        "",
        ", lifecycle: {preStop: {sleep: {seconds: 15}}}",
        ", lifecycle: {preStop: {exec: {command: [sleep, '7']}}}",
        ", lifecycle: {preStop: {httpGet: {port: 80}}}",
        ", lifecycle: {postStart: {exec: {command: [sleep, '20']}}}"};
    static const char *const graces[] = {"", "", "terminationGracePeriodSeconds: 45,",
                                         "terminationGracePeriodSeconds: 5,"};
    const char *grace = graces[draw(state, 4)];
    const char *hook = hooks[draw(state, 6)];
    const char *liveness = draw_probe(arena, state, "livenessProbe");
    const char *readiness = draw_probe(arena, state, "readinessProbe");
    const char *startup = draw_probe(arena, state, "startupProbe");

    return cf_arena_format(arena,
                           "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {%s containers: "
                           "[{name: web, image: i:1, ports: [{containerPort: 80}]%s%s%s%s}]}}",
                           grace, hook, liveness, readiness, startup);
}

static struct worlds draw_worlds(uint64_t *state)
{
    struct worlds told = {0};
    unsigned which = draw(state, 8);

    if (which < 3)
        told.said[told.count++] =
            (struct cf_world_said){CF_DOWN_FOR, KP_TEXT_NONE, (1 + draw(state, 90)) * S};
    else if (which == 3 || which == 4)
        told.said[told.count++] =
            (struct cf_world_said){CF_STARTS_IN, KP_TEXT_NONE, (1 + draw(state, 120)) * S};
    if (which == 4 || which == 5)
        told.said[told.count++] =
            (struct cf_world_said){CF_ANSWERS_IN, KP_TEXT_NONE, (1 + draw(state, 60)) * 100 * MS};
    if (which == 6)
        told.said[told.count++] =
            (struct cf_world_said){CF_TRAFFIC_FOR, KP_TEXT_NONE, (1 + draw(state, 40)) * S};
    if (which >= 6)
        told.said[told.count++] =
            (struct cf_world_said){CF_STOPS_IN, KP_TEXT_NONE, (1 + draw(state, 60)) * S};
    return told;
}

static void with_its_change_nothing_is_killed(void)
{
    int pods = getenv("UNDER_VALGRIND") ? 10 : 100;
    uint64_t state = 5;
    int changes = 0;

    for (int i = 0; i < pods; i++) {
        static const char *const versions[] = {"1.24", "1.29", "1.33", "1.36"};
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_text yaml = draw_pod(&arena, &state);
        struct worlds told = draw_worlds(&state);
        const char *k8s = versions[draw(&state, 4)];
        int count = check(k8s, yaml, &told);

        changes += count > 0 ? count : 0;
        cf_arena_deinit(&arena);
    }
    CHECK(changes > pods / 2);
}

const struct unit_test changes_test[] = {
    {"each of these is right", each_of_these_is_right},
    {"with its change nothing is killed", with_its_change_nothing_is_killed},
    {0},
};
