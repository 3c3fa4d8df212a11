/*
 * differential.c: the same bytes for the engine and for a naive second one, which is a formula:
 * when a probe runs follows from its period, and what its result is from the answers so far, read
 * backwards.
 *
 * One container that never ends, probes that are answered at once, no jitter, no trigger: the
 * probing half at its plainest.
 */
#include "fuzz/fuzz.h"
#include "fuzz/shared/profile.h"
#include "fuzz/shared/scenario.h"

#include <stdio.h>
#include <string.h>

enum { EXECUTIONS = 24, SECONDS = 120, NOTES = 256 };

struct plain {
    bool there;
    struct kp_probe probe;
    enum kp_answer answers[EXECUTIONS]; /* the last one goes on */
};

struct note {
    int64_t at_s;
    int value; /* of a result; of a probe: 0 */
};

struct notes {
    struct note list[NOTES];
    size_t count;
};

struct emitted {
    struct notes probes[KP_PROBE_TYPES];
    struct notes results[KP_PROBE_TYPES];
};

static void note(struct notes *notes, int64_t at_s, int value)
{
    if (notes->count < NOTES)
        notes->list[notes->count++] = (struct note){at_s, value};
}

/* ---- the formula ----------------------------------------------------------------------------- */

/* As the worker counts it: a warning is a success (P-065), an error is neither. */
static char letter_of(enum kp_answer answer)
{
    if (answer == KP_ANSWER_ERROR)
        return '!';
    return answer == KP_ANSWER_SUCCESS || answer == KP_ANSWER_WARNING ? '+' : '-';
}

/* The newest run of equal letters that is long enough decides; errors are as if never probed
 * (P-051). */
static int decide(const char *saw, size_t count, const struct kp_probe *probe, int otherwise)
{
    for (size_t end = count; end > 0; end--) {
        char kind = saw[end - 1];
        int32_t run = 0;

        if (kind == '!')
            continue;
        for (size_t i = end; i > 0 && (saw[i - 1] == kind || saw[i - 1] == '!'); i--)
            run += saw[i - 1] == kind;
        if (run >= (kind == '-' ? probe->failure_threshold : probe->success_threshold))
            return kind == '-' ? KP_RESULT_FAILURE : KP_RESULT_SUCCESS;
    }
    return otherwise;
}

/*
 * One worker on its own.
 *
 * from_s:   liveness and readiness: the startup probe has passed at that instant; -1: there is
 * none. Returns:  when it passed, or SECONDS + 1.
 */
static int64_t foretell(const struct plain *plain, enum kp_probe_type type, int64_t from_s,
                        struct emitted *emitted)
{
    static const int initial[] = {[KP_LIVENESS] = KP_RESULT_SUCCESS,
                                  [KP_READINESS] = KP_RESULT_FAILURE,
                                  [KP_STARTUP] = KP_RESULT_UNKNOWN};
    char saw[SECONDS + 1];
    size_t count = 0;
    int result = initial[type];

    /* At 0 it looks, and nothing runs yet: the next look is a period later. */
    if (plain->probe.period_s <= SECONDS)
        note(&emitted->results[type], plain->probe.period_s, result);
    for (int64_t at_s = plain->probe.period_s; at_s <= SECONDS; at_s += plain->probe.period_s) {
        int now;

        if (at_s < plain->probe.initial_delay_s || at_s <= from_s)
            continue;
        note(&emitted->probes[type], at_s, 0);
        saw[count] = letter_of(plain->answers[count < EXECUTIONS ? count : EXECUTIONS - 1]);
        now = decide(saw, ++count, &plain->probe, initial[type]);
        if (now != result)
            note(&emitted->results[type], at_s, now);
        result = now;
        if (type == KP_STARTUP && now == KP_RESULT_SUCCESS)
            return at_s;
        if (type != KP_READINESS && now == KP_RESULT_FAILURE)
            break; /* on hold, and nobody replaces the container (P-033) */
    }
    return SECONDS + 1;
}

/* ---- the engine ------------------------------------------------------------------------------ */

struct watch {
    struct emitted emitted;
    struct {
        bool is_result;
        enum kp_probe_type type;
        int value;
    } pending[64]; /* of this instant */
    size_t count;
};

static void observe(void *ctx, const struct kp_effect *effect)
{
    struct watch *w = ctx;
    bool is_result = effect->kind == KP_EFFECT_RESULT;

    if (!is_result && (effect->kind != KP_EFFECT_PROBE || effect->u.probe.attempt > 1))
        return;
    PROMISE(w->count < 64);
    w->pending[w->count].is_result = is_result;
    w->pending[w->count].type = is_result ? effect->u.result.type : effect->u.probe.type;
    w->pending[w->count++].value = is_result ? (int)effect->u.result.value : 0;
}

static void end_instant(void *ctx, int64_t at_ns)
{
    struct watch *w = ctx;

    for (size_t i = 0; i < w->count; i++) {
        enum kp_probe_type type = w->pending[i].type;

        note(w->pending[i].is_result ? &w->emitted.results[type] : &w->emitted.probes[type],
             at_ns / KP_NS_PER_S, w->pending[i].value);
    }
    w->count = 0;
}

static void play(const struct plain plains[KP_PROBE_TYPES], const struct kp_profile *profile,
                 struct watch *watch)
{
    static struct scenario scenario;
    static struct fake_step steps[KP_PROBE_TYPES][EXECUTIONS];
    struct kp_container *container = &scenario.containers[0];

    *container = (struct kp_container){.name = {"web", 3}, .kind = KP_REGULAR, .image = {"i", 1}};
    scenario.pod = (struct kp_pod){.name = {"p", 1},
                                   .namespace_ = {"n", 1},
                                   .uid = {"u", 1},
                                   .restart_policy = {"Always", 6},
                                   .has_grace = true,
                                   .grace_s = 30,
                                   .containers = container,
                                   .regular_count = 1};
    scenario.pods[0] = &scenario.pod;
    scenario.profile = *profile;
    scenario.script_events[0] = (struct fake_script_event){.event = {.kind = KP_EVENT_RUNNING}};
    scenario.run = (struct fake_run){.open = {.layer = FAKE_LAYER_PROBE,
                                              .pods = scenario.pods,
                                              .pod_count = 1,
                                              .sync_frequency_ns = 60 * KP_NS_PER_S},
                                     .script = {.answers = scenario.answers,
                                                .answers_count = KP_PROBE_TYPES,
                                                .script_events = scenario.script_events,
                                                .script_event_count = 1},
                                     .end_ns = SECONDS * KP_NS_PER_S};
    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        for (size_t i = 0; i < EXECUTIONS; i++)
            steps[type][i] =
                (struct fake_step){.attempts = {plains[type].answers[i], plains[type].answers[i],
                                                plains[type].answers[i]},
                                   .attempt_count = 3,
                                   .until = i + 1 < EXECUTIONS ? FAKE_TIMES : FAKE_FOREVER,
                                   .bound = 1};
        scenario.answers[type] = (struct fake_answers){
            .call = (enum fake_call)type, .steps = steps[type], .step_count = EXECUTIONS};
        if (plains[type].there)
            container->probes[type] = &plains[type].probe;
    }
    PROMISE(
        scenario_play(&scenario, NULL, (struct fake_observer){observe, end_instant, NULL, watch}) ==
        FAKE_END_DONE);
}

/* ---- both ------------------------------------------------------------------------------------ */

static void read_plain(struct fuzz_bytes *bytes, struct plain *plain, enum kp_probe_type type)
{
    static const struct kp_tcp_socket_action tcp = {{KP_INTSTR_INT, 80, {"", 0}}, {"", 0}};
    uint8_t has = fuzz_byte(bytes);

    *plain = (struct plain){
        .there = has % 4 > 0,
        .probe = {.handler = {.tcp_socket = &tcp},
                  .timeout_s = 1,
                  .period_s = (int32_t)fuzz_api_int(bytes, 1, 9, INT32_MAX),
                  .initial_delay_s = has / 4 % 20,
                  .success_threshold =
                      type == KP_READINESS ? (int32_t)fuzz_api_int(bytes, 1, 4, INT32_MAX) : 1,
                  .failure_threshold = (int32_t)fuzz_api_int(bytes, 1, 5, INT32_MAX)}};
    if (has >= 0xf0)
        plain->probe.initial_delay_s = (int32_t)fuzz_api_int(bytes, 0, 19, INT32_MAX);
    for (size_t i = 0; i < EXECUTIONS; i++)
        plain->answers[i] = (enum kp_answer)(fuzz_byte(bytes) % (KP_ANSWER_ERROR + 1));
}

static void compare(const char *what, const struct notes *engine, const struct notes *formula)
{
    bool same = engine->count == formula->count;

    for (size_t i = 0; same && i < engine->count; i++)
        same = engine->list[i].at_s == formula->list[i].at_s &&
               engine->list[i].value == formula->list[i].value;
    if (same)
        return;
    fprintf(stderr, "%s\n  engine ", what);
    for (size_t i = 0; i < engine->count; i++)
        fprintf(stderr, " %d@%d", engine->list[i].value, (int)engine->list[i].at_s);
    fprintf(stderr, "\n  formula");
    for (size_t i = 0; i < formula->count; i++)
        fprintf(stderr, " %d@%d", formula->list[i].value, (int)formula->list[i].at_s);
    fprintf(stderr, "\n");
    PROMISE(same);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const versions[] = {"1.18", "1.19", "1.20", "1.21", "1.25",
                                           "1.31", "1.32", "1.36", "1.37"};
    struct fuzz_bytes bytes = {data, size};
    struct plain plains[KP_PROBE_TYPES];
    static struct watch watch;
    static struct emitted emitted;
    const struct kp_profile *profile = fuzz_profile(versions[fuzz_byte(&bytes) % 9]);
    int64_t passed_s = -1;

    for (int type = 0; type < KP_PROBE_TYPES; type++)
        read_plain(&bytes, &plains[type], (enum kp_probe_type)type);
    if (profile->readiness_trigger > 0)
        plains[KP_READINESS].there = false; /* a matter of status updates, not of a formula */
    if (!profile->gates[KP_GATE_StartupProbe])
        plains[KP_STARTUP].there = false;
    watch.count = 0;
    memset(&watch.emitted, 0, sizeof watch.emitted);
    memset(&emitted, 0, sizeof emitted);
    play(plains, profile, &watch);
    if (plains[KP_STARTUP].there)
        passed_s = foretell(&plains[KP_STARTUP], KP_STARTUP, -1, &emitted);
    for (int type = 0; type < KP_STARTUP; type++)
        if (plains[type].there)
            foretell(&plains[type], (enum kp_probe_type)type, passed_s, &emitted);
    compare("startup probes", &watch.emitted.probes[KP_STARTUP], &emitted.probes[KP_STARTUP]);
    compare("startup results", &watch.emitted.results[KP_STARTUP], &emitted.results[KP_STARTUP]);
    compare("liveness probes", &watch.emitted.probes[KP_LIVENESS], &emitted.probes[KP_LIVENESS]);
    compare("liveness results", &watch.emitted.results[KP_LIVENESS], &emitted.results[KP_LIVENESS]);
    compare("readiness probes", &watch.emitted.probes[KP_READINESS], &emitted.probes[KP_READINESS]);
    compare("readiness results", &watch.emitted.results[KP_READINESS],
            &emitted.results[KP_READINESS]);
    return 0;
}
