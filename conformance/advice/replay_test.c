/*
 * Every piece of advice is true: with what its rule speaks of played by `simulate`, something bad
 * happens to the pod as it is, and does not once the change that is advised is merged into it; then
 * the rule has nothing to say any more.
 */
#include "conformance/advice/advice.h"
#include "conformance/simulate/sim_file.h"
#include "conformance/simulate/sim_trace.h"
#include "conformance/text/yaml.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a play came to. */
struct outcome {
    int64_t killed_ns;
    int64_t grace_ns; /* of that kill */
    int64_t ready_ns;
    int64_t unready_ns;
    int64_t again_ns; /* the second instance runs */
};

/* What is bad in the pod as it is, and whether it is gone. */
typedef bool bad_fn(const struct outcome *outcome);

static bool is_killed(const struct outcome *o)
{
    return o->killed_ns != KP_NEVER;
}

static bool is_never_killed(const struct outcome *o)
{
    return o->killed_ns == KP_NEVER;
}

static bool is_unready(const struct outcome *o)
{
    return o->unready_ns != KP_NEVER;
}

static bool is_never_ready(const struct outcome *o)
{
    return o->ready_ns == KP_NEVER;
}

/* It answers from 30 s on. */
static bool is_ready_too_soon(const struct outcome *o)
{
    return o->ready_ns < 30 * KP_NS_PER_S;
}

static bool is_killed_in_service(const struct outcome *o)
{
    return o->killed_ns <= o->unready_ns;
}

/* It hangs at 10.7 s: a minute is late. */
static bool is_killed_late(const struct outcome *o)
{
    return o->killed_ns > 70 * KP_NS_PER_S;
}

/* It hangs at 100 s. */
static bool is_noticed_late(const struct outcome *o)
{
    return o->killed_ns > 140 * KP_NS_PER_S;
}

static bool runs_again_late(const struct outcome *o)
{
    return o->again_ns > 240 * KP_NS_PER_S;
}

static bool never_runs_again(const struct outcome *o)
{
    return o->again_ns == KP_NEVER;
}

static bool has_two_seconds_left(const struct outcome *o)
{
    return o->grace_ns == 2 * KP_NS_PER_S;
}

#define HTTP "httpGet: {path: /, port: 80}"

static const struct row {
    const char *rule;
    const char *version;
    const char *pod; /* its spec's fields beside the container */
    const char *container;
    const char *script; /* of simulate */
    const char *then;   /* with the change; NULL: the same */
    bad_fn *bad;
} rows[] = {
    {"slow-start-killed", "1.36", "", "livenessProbe: {" HTTP ", periodSeconds: 5}",
     "answers: {liveness: 'failure until 30s, success'}",
     "answers: {liveness: 'failure until 30s, success', startup: 'failure until 30s, success'}",
     is_killed},
    {"slow-start-killed", "1.36", "", "startupProbe: {" HTTP ", periodSeconds: 3}",
     "answers: {startup: 'failure until 30s, success'}", NULL, is_killed},
    {"slow-start-killed", "1.17", "", "livenessProbe: {" HTTP ", periodSeconds: 5}",
     "answers: {liveness: 'failure until 30s, success'}", NULL, is_killed},
    {"slow-start-killed", "1.36", "",
     "livenessProbe: {" HTTP "}, readinessProbe: {tcpSocket: {port: 81}, initialDelaySeconds: 90}",
     "answers: {liveness: 'failure until 90s, success'}",
     "answers: {liveness: 'failure until 90s, success', startup: 'failure until 90s, success'}",
     is_killed},
    {"delay-guards-start", "1.36", "", "livenessProbe: {" HTTP ", initialDelaySeconds: 60}",
     "answers: {liveness: 'success until 10.7s, failure'}", NULL, is_killed_late},
    {"liveness-equals-readiness", "1.36", "",
     "livenessProbe: {" HTTP "}, readinessProbe: {" HTTP "}",
     "answers: {liveness: 'success until 101s, failure until 131s, success'}", NULL, is_killed},
    {"liveness-equals-readiness", "1.19", "",
     "livenessProbe: {exec: {command: [a, b]}}, readinessProbe: {exec: {command: [a, b]}}",
     "answers: {liveness: 'success until 101s, failure until 131s, success'}", NULL, is_killed},
    {"killed-while-in-service", "1.36", "",
     "livenessProbe: {" HTTP ", periodSeconds: 3}, readinessProbe: {tcpSocket: {port: 1}}",
     "answers: {liveness: 'success until 100s, failure', readiness: 'success until 100s, failure'}",
     NULL, is_killed_in_service},
    {"one-failure-kills", "1.36", "", "livenessProbe: {" HTTP ", failureThreshold: 1}",
     "answers: {liveness: 'success until 100s, failure x1, success'}", NULL, is_killed},
    {"one-failure-kills", "1.36", "", "startupProbe: {" HTTP ", failureThreshold: 1}",
     "answers: {startup: 'failure until 11s, success'}", NULL, is_killed},
    {"readiness-flaps", "1.36", "", "readinessProbe: {" HTTP ", failureThreshold: 1}",
     "answers: {readiness: 'success until 100s, failure x2, success'}", NULL, is_unready},
    {"timeout-over-period", "1.36", "", "livenessProbe: {" HTTP ", timeoutSeconds: 20}",
     "answers: {liveness: 'success until 100s, never'}", NULL, is_noticed_late},
    {"exec-timeout-1s", "1.36", "", "livenessProbe: {exec: {command: [sh, -c, x]}}",
     "answers: {liveness: 'success in 1.5s'}", NULL, is_killed},
    {"exec-timeout-1s", "1.36", "", "readinessProbe: {exec: {command: [java]}}",
     "answers: {readiness: 'success in 1.5s'}", NULL, is_never_ready},
    {"exec-timeout-ignored", "1.19", "", "livenessProbe: {exec: {command: [cat, '/a \"b\"']}}",
     "answers: {liveness: 'success until 100s, never'}",
     "answers: {liveness: 'success until 100s, failure in 1s'}", is_never_killed},
    {"hang-waits-for-grace", "1.36", "terminationGracePeriodSeconds: 300",
     "livenessProbe: {" HTTP "}",
     "{answers: {liveness: 'success until 100s, failure'}, world: {web: {stops: ignores}}}", NULL,
     runs_again_late},
    {"prestop-over-grace", "1.36", "", "lifecycle: {preStop: {exec: {command: [sleep, '60']}}}",
     "{answers: {preStop: success in 60s}, events: '100s pod delete 30s'}",
     "{answers: {preStop: success in 60s}, events: '100s pod delete 90s'}", has_two_seconds_left},
    {"prestop-over-grace", "1.36", "",
     "lifecycle: {preStop: {exec: {command: [sh, -c, 'sleep 60; pg_ctl stop']}}}",
     "{answers: {preStop: success in 60s}, events: '100s pod delete 30s'}",
     "{answers: {preStop: success in 60s}, events: '100s pod delete 90s'}", has_two_seconds_left},
    {"prestop-over-grace", "1.36", "", "lifecycle: {preStop: {sleep: {seconds: 30}}}",
     "{answers: {preStop: success in 30s}, events: '100s pod delete 30s'}",
     "{answers: {preStop: success in 30s}, events: '100s pod delete 60s'}", has_two_seconds_left},
    {"prestop-over-grace", "1.36", "",
     "lifecycle: {preStop: {sleep: {seconds: 20}}}, livenessProbe: {" HTTP
     ", failureThreshold: 9, terminationGracePeriodSeconds: 10}",
     "answers: {preStop: success in 20s, liveness: 'success until 100s, failure'}", NULL,
     has_two_seconds_left},
    {"prestop-over-grace", "1.25", "",
     "lifecycle: {preStop: {exec: {command: [sleep, '10']}}}, startupProbe: {" HTTP
     ", failureThreshold: 9, terminationGracePeriodSeconds: 10}",
     "answers: {preStop: success in 10s, startup: failure}", NULL, has_two_seconds_left},
    {"liveness-ends-for-good", "1.36", "restartPolicy: Never",
     "livenessProbe: {" HTTP ", failureThreshold: 9}",
     "answers: {liveness: 'success until 100s, failure'}", NULL, never_runs_again},
    {"port-name-unknown", "1.36", "",
     "ports: [{name: http, containerPort: 80}], readinessProbe: {httpGet: {path: /, port: web}}",
     NULL, NULL, is_never_ready},
    {"no-readiness", "1.36", "", "ports: [{containerPort: 80}]", NULL,
     "answers: {readiness: 'failure until 30s, success'}", is_ready_too_soon},
    {"no-readiness", "1.36", "",
     "ports: [{containerPort: 80}], livenessProbe: {" HTTP ", initialDelaySeconds: 20}", NULL,
     "answers: {readiness: 'failure until 30s, success'}", is_ready_too_soon},
};

/* ---- the pod, and a change merged into it ---------------------------------------------------- */

static struct cf_node *document_of(struct cf_arena *arena, struct kp_text yaml)
{
    struct cf_node *documents = NULL;
    struct cf_fault fault;

    CHECK_INT(cf_yaml_parse(arena, yaml, (struct cf_yaml_options){0}, &documents, &fault), KP_OK);
    return documents ? documents->first : NULL;
}

/* A strategic merge: maps member by member, lists of containers by their names, all else as it is
 * in the patch. */
static void merge(struct cf_arena *arena, struct cf_node *into, const struct cf_node *patch)
{
    for (const struct cf_node *member = patch->first; member; member = member->next) {
        const char *key = cf_arena_text(arena, member->key).bytes;
        struct cf_node *found = (struct cf_node *)(uintptr_t)cf_node_find(into, key);

        if (found && found->kind == CF_MAP && member->kind == CF_MAP) {
            merge(arena, found, member);
        } else if (found && found->kind == CF_LIST && strcmp(key, "containers") == 0) {
            CHECK_TEXT(cf_node_find(found->first, "name")->text,
                       cf_node_find(member->first, "name")->text);
            merge(arena, found->first, member->first);
        } else {
            cf_node_set(into, member->key, cf_node_copy(arena, member));
        }
    }
}

static struct kp_text fixed_text(struct cf_arena *arena, struct kp_text yaml, struct kp_text fix)
{
    struct cf_node *pod = document_of(arena, yaml);
    const struct cf_node *patch = document_of(arena, fix);

    CHECK(pod && patch && patch->kind == CF_MAP);
    merge(arena, pod, patch);
    return cf_node_json(arena, pod);
}

/* ---- plays ----------------------------------------------------------------------------------- */

/* "web/1 kill 30s liveness": the seconds. */
static int64_t grace_in(struct kp_text text)
{
    const char *at = memchr(text.bytes, ' ', text.len);

    return strtol(at + sizeof " kill", NULL, 10) * KP_NS_PER_S;
}

static void take_line(const struct cf_sim_line *line, struct outcome *outcome, int *runs)
{
    bool ready = line->kind == CF_SIM_COLUMNS && line->columns.ready[0] == '1';

    if (line->mark == CF_SIM_KILLED && outcome->killed_ns == KP_NEVER) {
        outcome->killed_ns = line->at_ns;
        outcome->grace_ns = grace_in(line->text);
    }
    if (line->mark == CF_SIM_RUNS && ++*runs == 2)
        outcome->again_ns = line->at_ns;
    if (ready && outcome->ready_ns == KP_NEVER)
        outcome->ready_ns = line->at_ns;
    if (line->kind == CF_SIM_COLUMNS && !ready && outcome->ready_ns != KP_NEVER &&
        outcome->unready_ns == KP_NEVER)
        outcome->unready_ns = line->at_ns;
}

static struct outcome simulate(const struct kp_profile *profile, const struct cf_manifest_pod *pod,
                               const char *script)
{
    struct outcome outcome = {KP_NEVER, KP_NEVER, KP_NEVER, KP_NEVER, KP_NEVER};
    struct cf_sim_trace trace = {.profile = profile, .pod = pod->pod, .end_ns = 600 * KP_NS_PER_S};
    struct cf_sim_script assumed;
    struct cf_suite suite = {.arena.mem = cf_libc_mem()};
    const char *why = "";
    int runs = 0;

    CHECK_INT(cf_sim_script_make(&suite.arena, profile, pod->pod, 0, 0, &assumed), KP_OK);
    if (script)
        CHECK_INT(
            cf_sim_file_read(&suite, "script", kp_text_of(script), pod->tree, &assumed.script),
            KP_OK);
    CHECK_INT(cf_sim_play(&suite.arena, &assumed.script, 0, &trace, &why), KP_OK);
    for (size_t i = 0; i < trace.line_count; i++)
        take_line(&trace.lines[i], &outcome, &runs);
    cf_sim_trace_deinit(&trace);
    cf_suite_deinit(&suite);
    return outcome;
}

/* ---- one row --------------------------------------------------------------------------------- */

struct look {
    struct cf_manifest manifest;
    const struct cf_finding *finding; /* of the rule; NULL */
    size_t errors;
};

static struct look look_at(struct cf_arena *arena, const struct kp_profile *profile,
                           struct kp_text text, const char *rule)
{
    static const struct cf_ignores none;
    struct cf_findings findings;
    struct look look = {0};

    CHECK_INT(cf_manifest_read(arena, profile, "f", text, &look.manifest), KP_OK);
    CHECK_INT(cf_advise(arena, profile, &look.manifest, &none, &findings), KP_OK);
    for (size_t i = 0; i < findings.count; i++)
        if (strcmp(cf_lint_row(findings.list[i].rule)->id, rule) == 0)
            look.finding = &findings.list[i];
    look.errors = findings.errors;
    return look;
}

static void check_row(struct cf_arena *arena, const struct row *row)
{
    struct kp_text yaml = cf_arena_format(
        arena,
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {%s%s containers: [{name: "
        "web, image: i, imagePullPolicy: Never, %s}]}}",
        row->pod, row->pod[0] ? "," : "", row->container);
    struct kp_profile profile = unit_profile(row->version);
    struct look before;
    struct look after;
    struct outcome was;
    struct outcome is;

    before = look_at(arena, &profile, yaml, row->rule);
    CHECK_INT(before.errors, 0);
    CHECK(before.finding != NULL);
    if (!before.finding) {
        printf("    no %s on %s: %s\n", row->rule, row->version, row->container);
        return;
    }
    after = look_at(arena, &profile, fixed_text(arena, yaml, before.finding->fix), row->rule);
    CHECK_INT(after.errors, 0);
    CHECK(after.finding == NULL);
    was = simulate(&profile, &before.manifest.pods[0], row->script);
    is = simulate(&profile, &after.manifest.pods[0], row->then ? row->then : row->script);
    CHECK(row->bad(&was));
    CHECK(!row->bad(&is));
    if (!row->bad(&was) || row->bad(&is) || after.finding)
        printf("    %s on %s: %s\n", row->rule, row->version, row->container);
}

static void advice_is_true_by_replay(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};

        check_row(&arena, &rows[i]);
        cf_arena_deinit(&arena);
    }
}

/* But for what the API server says, what a gate keeps out, and what the kubelet probes; and one
 * whose claim is about what does not hold (P-054 has its own cases). */
static void every_rule_is_replayed(void)
{
    static const enum cf_lint_rule not_played[] = {CF_LINT_REFUSED, CF_LINT_PRESET_CONFLICT,
                                                   CF_LINT_DROPPED, CF_LINT_GRPC_OFF,
                                                   CF_LINT_HOST,    CF_LINT_SUCCESS_RUN};

    for (int rule = 0; rule < CF_LINT_RULES; rule++) {
        bool found = false;

        for (size_t i = 0; i < sizeof not_played / sizeof not_played[0]; i++)
            found |= not_played[i] == (enum cf_lint_rule)rule;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            found |= strcmp(rows[i].rule, cf_lint_row((enum cf_lint_rule)rule)->id) == 0;
        CHECK(found);
    }
}

/* ---- random pods ----------------------------------------------------------------------------- */

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

static struct kp_text draw_probe(struct cf_arena *arena, uint64_t *state, const char *name)
{
    static const char *const handlers[] = {"httpGet: {path: /, port: 80}", "tcpSocket: {port: 81}",
                                           "httpGet: {path: /, port: web}", "exec: {command: [a]}",
                                           "grpc: {port: 82}"};
    static const uint32_t delays[] = {0, 0, 5, 30, 75};
    static const uint32_t timeouts[] = {1, 1, 1, 5, 25};
    static const uint32_t graces[] = {2, 10, 90};
    bool grace = strcmp(name, "readinessProbe") != 0 && draw(state, 4) == 0;

    if (draw(state, 3) == 0)
        return KP_TEXT("");
    return cf_arena_format(
        arena,
        ", %s: {%s, initialDelaySeconds: %u, timeoutSeconds: %u, periodSeconds: %u, "
        "failureThreshold: %u%s}",
        name, handlers[draw(state, 5)], delays[draw(state, 5)], timeouts[draw(state, 5)],
        1 + draw(state, 15), 1 + draw(state, 5),
        grace
            ? cf_arena_format(arena, ", terminationGracePeriodSeconds: %u", graces[draw(state, 3)])
                  .bytes
            : "");
}

static struct kp_text draw_pod(struct cf_arena *arena, uint64_t *state)
{
    static const char *const fields[] = {"", "terminationGracePeriodSeconds: 200,",
                                         "restartPolicy: Never,", "restartPolicy: OnFailure,"};
    static const char *const more[] = {"", ", ports: [{name: http, containerPort: 80}]",
                                       ", lifecycle: {preStop: {exec: {command: [sleep, '45']}}}"};
    struct kp_text probes[3] = {draw_probe(arena, state, "livenessProbe"),
                                draw_probe(arena, state, "readinessProbe"),
                                draw_probe(arena, state, "startupProbe")};

    return cf_arena_format(arena,
                           "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {%s containers: "
                           "[{name: web, image: i%s%s%s%s}]}}",
                           fields[draw(state, 4)], more[draw(state, 3)], probes[0].bytes,
                           probes[1].bytes, probes[2].bytes);
}

static bool has_advice(const struct cf_findings *findings, const struct cf_finding *wanted)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->list[i].rule == wanted->rule &&
            kp_text_equal(findings->list[i].field, wanted->field))
            return true;
    return false;
}

/*
 * What is said of the pod with a change was said of it before; but where the change has a probe
 * work that did not, or is one of several and has another one probe what liveness probes: that is
 * looked at, too.
 */
static void check_nothing_new(struct cf_arena *arena, const struct kp_profile *profile,
                              const struct cf_findings *before, const struct cf_finding *finding,
                              struct kp_text yaml)
{
    static const struct cf_ignores none;
    struct kp_text fixed = fixed_text(arena, yaml, finding->fix);
    struct cf_manifest manifest;
    struct cf_findings after;

    CHECK_INT(cf_manifest_read(arena, profile, "f", fixed, &manifest), KP_OK);
    CHECK_INT(cf_advise(arena, profile, &manifest, &none, &after), KP_OK);
    for (size_t i = 0; i < after.count; i++) {
        if (has_advice(before, &after.list[i]) || finding->rule == CF_LINT_PORT_NAME ||
            (finding->rule == CF_LINT_PRE_STOP && after.list[i].rule == CF_LINT_GRACE_WAIT) ||
            (finding->rule == CF_LINT_NO_READINESS && after.list[i].rule == CF_LINT_SAME &&
             finding->together.len > 0))
            continue;
        CHECK(has_advice(before, &after.list[i]));
        printf("    %s earns %s: %.*s\n%.*s\n", cf_lint_row(finding->rule)->id,
               cf_lint_row(after.list[i].rule)->id, KP_ARG(yaml), KP_ARG(finding->fix));
    }
}

/* With the one change for all of a container nothing is left that a change would end. */
static void check_together(struct cf_arena *arena, const struct kp_profile *profile,
                           struct kp_text together, struct kp_text yaml)
{
    static const struct cf_ignores none;
    struct cf_manifest manifest;
    struct cf_findings after;

    CHECK_INT(cf_manifest_read(arena, profile, "f", fixed_text(arena, yaml, together), &manifest),
              KP_OK);
    CHECK_INT(cf_advise(arena, profile, &manifest, &none, &after), KP_OK);
    CHECK_INT(after.errors, 0);
    for (size_t i = 0; i < after.count; i++) {
        if (after.list[i].change == NULL)
            continue;
        CHECK(after.list[i].change == NULL);
        printf("    together leaves %s: %.*s\n%.*s\n", cf_lint_row(after.list[i].rule)->id,
               KP_ARG(yaml), KP_ARG(together));
    }
}

/* A change that is advised is one that the API server takes, with which its rule is content, and
 * no other one finds anything new. */
static void check_changes(struct cf_arena *arena, const struct kp_profile *profile,
                          struct kp_text yaml, size_t *count, size_t *apart, size_t *together)
{
    static const struct cf_ignores none;
    struct cf_manifest manifest;
    struct cf_findings findings;
    size_t changes = 0;

    CHECK_INT(cf_manifest_read(arena, profile, "f", yaml, &manifest), KP_OK);
    CHECK_INT(cf_advise(arena, profile, &manifest, &none, &findings), KP_OK);
    CHECK_INT(findings.errors, 0);
    for (size_t i = 0; i < findings.count; i++) {
        const struct cf_finding *finding = &findings.list[i];
        const char *rule = cf_lint_row(finding->rule)->id;
        struct look after;

        if (finding->together.len > 0 && changes == 0)
            check_together(arena, profile, finding->together, yaml);
        if (finding->together.len == 0 && finding->change)
            check_together(arena, profile, finding->fix, yaml);
        *apart += finding->change && finding->together.len == 0 && changes > 0;
        *together += finding->together.len > 0 && changes == 0;
        changes += finding->change != NULL;
        if (finding->fix.len == 0)
            continue;
        after = look_at(arena, profile, fixed_text(arena, yaml, finding->fix), rule);
        CHECK_INT(after.errors, 0);
        check_nothing_new(arena, profile, &findings, finding, yaml);
        if (after.finding && kp_text_equal(after.finding->field, finding->field)) {
            CHECK(after.finding == NULL);
            printf("    %s stays: %.*s\n%.*s\n", rule, KP_ARG(yaml), KP_ARG(finding->fix));
        }
        ++*count;
    }
}

static void changes_are_taken_and_end_what_they_are_for(void)
{
    uint64_t state = 7;
    size_t count = 0;
    size_t apart = 0; /* several changes that do not go into one */
    size_t together = 0;

    for (int i = 0; i < 200; i++) {
        static const char *const versions[] = {"1.27", "1.30", "1.33", "1.36"};
        struct kp_profile profile = unit_profile(versions[draw(&state, 4)]);
        struct cf_arena arena = {.mem = cf_libc_mem()};

        check_changes(&arena, &profile, draw_pod(&arena, &state), &count, &apart, &together);
        cf_arena_deinit(&arena);
    }
    CHECK(count > 200);
    CHECK_INT(apart, 0);
    CHECK(together > 50);
}

const struct unit_test replay_test[] = {
    {"advice is true by replay", advice_is_true_by_replay},
    {"every rule is replayed", every_rule_is_replayed},
    {"changes are taken and end what they are for", changes_are_taken_and_end_what_they_are_for},
    {0},
};
