/*
 * symmetry_test.c: what a node does for a pod is the same whichever pods stand beside it, and for a
 * container wherever it stands among those of its kind.  Random pods in random worlds.
 */
#include "fakes/alloc.h"
#include "fakes/engine_impl.h"
#include "fakes/seed.h"
#include "fakes/unit.h"
#include "fakes/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INITS = 3,
    REGULARS = 4,
    EPHEMERALS = 3,
    CONTAINERS = INITS + REGULARS + EPHEMERALS,
    ANSWERS = CONTAINERS * (FAKE_CALL_POST_START + 1),
    GATES = 4,
    SCRIPT_EVENTS = 12,
    NEIGHBOURS = 4,
    PODS = NEIGHBOURS + 1,
    LINES = 16384,
    SEEDS = 900
};

/* ---- what is seen ---------------------------------------------------------------------------- */

struct line {
    int64_t at_ns;
    char text[480];
};

struct sheet {
    uint32_t pod;  /* of which alone is noted */
    bool in_order; /* also what hangs on the order of a pod's containers: lists of them in messages,
                      and how many results of one instant a sync takes */
    int64_t at_ns;
    size_t count;
    struct line lines[LINES];
};

static int put_state(char *at, size_t room, const struct kp_state *state)
{
    int len =
        snprintf(at, room, "%d %.*s %.*s %lld %lld %d %.*s; ", (int)state->kind,
                 KP_ARG(state->reason), KP_ARG(state->message), (long long)state->started_at_ns,
                 (long long)state->finished_at_ns, state->exit_code, KP_ARG(state->container_id));
    return len < (int)room ? len : (int)room - 1;
}

static int put_words(char *at, size_t room, struct kp_text text, const struct kp_message *message)
{
    char words[200];
    struct kp_buf buf = {.bytes = words, .cap = sizeof words};

    kp_message_put(&buf, message);
    return snprintf(at, room, "%.*s %.*s", KP_ARG(text), (int)kp_buf_text(&buf).len, words);
}

static void put_details(char *at, size_t room, const struct kp_effect *effect, bool in_order)
{
    const struct kp_condition *condition = effect->u.condition;
    int len;

    switch (effect->kind) {
    case KP_EFFECT_PROBE:
        snprintf(at, room, "%d %d", (int)effect->u.probe.type, effect->u.probe.attempt);
        break;
    case KP_EFFECT_RESULT:
        snprintf(at, room, "%d %d", (int)effect->u.result.type, (int)effect->u.result.value);
        break;
    case KP_EFFECT_STARTED:
    case KP_EFFECT_READY:
        snprintf(at, room, "%d", effect->u.value);
        break;
    case KP_EFFECT_HOOK:
        snprintf(at, room, "%d", (int)effect->u.hook.type);
        break;
    case KP_EFFECT_KILL:
        len = snprintf(at, room, "%lld %d ", (long long)effect->u.kill.grace_s,
                       (int)effect->u.kill.reason);
        put_words(at + len, room - (size_t)len, KP_TEXT(""), &effect->u.kill.message);
        break;
    case KP_EFFECT_SANDBOX:
        snprintf(at, room, "%d %u", (int)effect->u.sandbox.what, effect->u.sandbox.attempt);
        break;
    case KP_EFFECT_START:
    case KP_EFFECT_BACKOFF:
        snprintf(at, room, "%lld", (long long)effect->u.restart);
        break;
    case KP_EFFECT_EVENT:
        if (in_order || !kp_text_equal(effect->u.event.reason, KP_TEXT("FailedKillPod")))
            put_words(at, room, effect->u.event.reason, &effect->u.event.message);
        break;
    case KP_EFFECT_STATE:
        len = put_state(at, room, effect->u.state.state);
        len += put_state(at + len, room - (size_t)len, effect->u.state.last);
        snprintf(at + len, room - (size_t)len, "%lld", (long long)effect->u.state.restarts);
        break;
    case KP_EFFECT_PHASE:
        snprintf(at, room, "%d", (int)effect->u.phase);
        break;
    case KP_EFFECT_CONDITION:
        snprintf(at, room, "%.*s %d %.*s %.*s", KP_ARG(condition->type), (int)condition->status,
                 KP_ARG(condition->reason), in_order ? (int)condition->message.len : 0,
                 condition->message.bytes);
        break;
    case KP_EFFECT_SYNC:
        snprintf(at, room, "%.*s", KP_ARG(effect->u.cause));
        break;
    case KP_EFFECT_APIDELETE:
        break;
    }
}

static void note(void *ctx, const struct kp_effect *effect)
{
    struct sheet *sheet = ctx;
    struct kp_text name =
        effect->container < 0 ? KP_TEXT("pod") : effect->spec->containers[effect->container].name;
    struct line *line = &sheet->lines[sheet->count];
    int len;

    if (effect->kind == KP_EFFECT_SYNC && !sheet->in_order)
        return;
    if (effect->pod != sheet->pod || !CHECK(sheet->count < LINES))
        return;
    line->at_ns = sheet->at_ns;
    len = snprintf(line->text, sizeof line->text, "%d %.*s %.*s %s ", (int)effect->kind,
                   KP_ARG(name), KP_ARG(effect->cid), kp_rule_get(effect->rule)->id);
    put_details(line->text + len, sizeof line->text - (size_t)len, effect, sheet->in_order);
    sheet->count++;
}

/* The effects of an instant come before it is reported. */
static void note_instant(void *ctx, int64_t at_ns)
{
    struct sheet *sheet = ctx;

    for (size_t i = sheet->count; i > 0 && sheet->lines[i - 1].at_ns < 0; i--)
        sheet->lines[i - 1].at_ns = at_ns;
    sheet->at_ns = -1;
}

static int by_text(const void *a, const void *b)
{
    const struct line *l = a;
    const struct line *r = b;

    return l->at_ns != r->at_ns ? (l->at_ns > r->at_ns) - (l->at_ns < r->at_ns)
                                : strcmp(l->text, r->text);
}

/* In whichever order within an instant. */
static bool are_alike(struct sheet *a, struct sheet *b, const char *what, uint64_t seed)
{
    size_t same = 0;

    qsort(a->lines, a->count, sizeof *a->lines, by_text);
    qsort(b->lines, b->count, sizeof *b->lines, by_text);
    while (same < a->count && same < b->count && by_text(&a->lines[same], &b->lines[same]) == 0)
        same++;
    if (same == a->count && same == b->count)
        return true;
    printf("  %s, seed %llu\n", what, (unsigned long long)seed);
    if (same < a->count)
        printf("    first  %.3f %s\n", (double)a->lines[same].at_ns / 1e9, a->lines[same].text);
    if (same < b->count)
        printf("    second %.3f %s\n", (double)b->lines[same].at_ns / 1e9, b->lines[same].text);
    return false;
}

/* ---- a pod and its world --------------------------------------------------------------------- */

/* All that is drawn for a pod; of a container everything stands at its index. */
struct scenario {
    struct kp_profile profile;
    char names[PODS][24];
    struct kp_pod pod;
    struct kp_pod updated;
    struct kp_readiness_gate gates[GATES];
    struct kp_condition conditions[GATES];
    struct kp_pod_status status;
    struct kp_container containers[CONTAINERS];
    struct kp_container others[CONTAINERS];
    struct kp_probe probes[CONTAINERS][KP_PROBE_TYPES];
    struct fake_answers answers[ANSWERS];
    struct fake_step steps[ANSWERS][3];
    size_t answers_count;
    struct fake_behaviour behaviours[CONTAINERS];
    struct fake_exit exits[CONTAINERS][2];
    struct fake_stop stops[CONTAINERS][2];
    struct fake_done starts[CONTAINERS][2];
    struct fake_script_event script_events[SCRIPT_EVENTS + CONTAINERS];
    size_t script_event_count;
};

static struct fake_seed draws;

static int64_t draw(int64_t bound)
{
    return fake_seed_below(&draws, bound);
}

static bool one_in(int64_t bound)
{
    return draw(bound) == 0;
}

static void draw_probe(struct kp_probe *probe, enum kp_probe_type type)
{
    static const struct kp_text words[] = {{"true", 4}};
    static const struct kp_exec_action exec = {{words, 1}};

    *probe = (struct kp_probe){.handler = {.exec = &exec},
                               .timeout_s = 1,
                               .period_s = (int32_t)(1 + draw(5)),
                               .success_threshold = type == KP_READINESS && one_in(4) ? 2 : 1,
                               .failure_threshold = (int32_t)(1 + draw(3)),
                               .initial_delay_s = (int32_t)(one_in(4) ? draw(5) : 0)};
}

static void draw_container(struct scenario *given, size_t i, enum kp_container_kind kind,
                           bool with_probes)
{
    static const struct kp_text words[] = {{"hook", 4}};
    static const struct kp_exec_action exec = {{words, 1}};
    static const struct kp_handler hook = {.exec = &exec};
    static const char *const names[CONTAINERS] = {"init-0", "init-1", "init-2", "web",     "agent",
                                                  "proxy",  "log",    "dbg-0",  "dbg-one", "dbg-2"};
    struct kp_container *container = &given->containers[i];
    bool sidecar = kind == KP_INIT && given->profile.gates[KP_GATE_SidecarContainers] && one_in(2);
    size_t name = i + (kind == KP_INIT ? 0 : INITS - given->pod.init_count);

    if (kind == KP_EPHEMERAL)
        name += REGULARS - given->pod.regular_count;
    *container = (struct kp_container){.name = kp_text_of(names[name]),
                                       .kind = kind,
                                       .image = kp_text_of(names[CONTAINERS - 1 - name]),
                                       .image_pull_policy =
                                           one_in(3) ? KP_TEXT("Always") : KP_TEXT("IfNotPresent"),
                                       .spec_hash = name + 1};
    if (kind == KP_EPHEMERAL || (kind == KP_INIT && !sidecar))
        return;
    if (sidecar)
        container->restart_policy = KP_TEXT("Always");
    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        if (one_in(2) || !with_probes ||
            (type == KP_STARTUP && !given->profile.gates[KP_GATE_StartupProbe]))
            continue;
        draw_probe(&given->probes[i][type], (enum kp_probe_type)type);
        container->probes[type] = &given->probes[i][type];
    }
    container->pre_stop = one_in(4) ? &hook : NULL;
    container->post_start = one_in(4) ? &hook : NULL;
}

static void draw_answers(struct scenario *given, size_t i, bool in_time)
{
    const struct kp_container *container = &given->containers[i];

    for (int call = 0; call <= FAKE_CALL_POST_START; call++) {
        size_t n = given->answers_count;
        int64_t own_ns = call < KP_PROBE_TYPES
                             ? (int64_t)(KP_PROBE_TYPES * i + (size_t)call + 1) * KP_NS_PER_MS
                             : 0;

        if (call < KP_PROBE_TYPES ? !container->probes[call] : container->kind != KP_REGULAR)
            continue;
        given->answers[n] = (struct fake_answers){.container = container->name,
                                                  .call = (enum fake_call)call,
                                                  .steps = given->steps[n],
                                                  .step_count = 3};
        for (size_t k = 0; k < 3; k++)
            given->steps[n][k] = (struct fake_step){
                .attempts = {one_in(3) ? KP_ANSWER_FAILURE : KP_ANSWER_SUCCESS},
                .attempt_count = 1,
                .output = KP_TEXT("out"),
                .takes_ns = (in_time && one_in(3) ? draw(4) * KP_NS_PER_S / 2 : 0) + own_ns,
                .until = k == 2 ? FAKE_FOREVER : FAKE_TIMES,
                .bound = 1 + draw(9)};
        given->answers_count++;
    }
}

/* in_time: starts and stops may take some, which those of another container then wait for. */
static void draw_behaviour(struct scenario *given, size_t i, bool in_time)
{
    bool init =
        given->containers[i].kind == KP_INIT && given->containers[i].restart_policy.len == 0;

    for (size_t k = 0; k < 2; k++) {
        given->starts[i][k] = (struct fake_done){.fails = one_in(12),
                                                 .reason = KP_TEXT("RunContainerError"),
                                                 .message = KP_TEXT("no"),
                                                 .takes_ns = in_time ? draw(3) * KP_NS_PER_S : 0};
        given->exits[i][k] = (struct fake_exit){.never = !init && one_in(2),
                                                .code = one_in(3) ? 1 : 0,
                                                .after_ns = draw(init ? 4 : 40) * KP_NS_PER_S +
                                                            (int64_t)(i + 1) * KP_NS_PER_MS};
        given->stops[i][k] = (struct fake_stop){.kind = !in_time     ? FAKE_STOP_EXITS
                                                        : one_in(12) ? FAKE_STOP_FAILS
                                                        : one_in(3)  ? FAKE_STOP_IGNORES
                                                                     : FAKE_STOP_EXITS,
                                                .code = one_in(4) ? 0 : 143,
                                                .message = KP_TEXT("no"),
                                                .takes_ns = in_time ? draw(3) * KP_NS_PER_S : 0};
    }
    given->behaviours[i] = (struct fake_behaviour){.container = given->containers[i].name,
                                                   .starts = given->starts[i],
                                                   .start_count = 2,
                                                   .exits = given->exits[i],
                                                   .exit_count = 2,
                                                   .stops = given->stops[i],
                                                   .stop_count = 2};
}

static struct kp_event draw_event(const struct scenario *given, enum fake_layer layer, bool of_node)
{
    static const enum kp_event_kind of_pod[] = {KP_EVENT_DELETE,          KP_EVENT_UPDATE,
                                                KP_EVENT_KUBELET_RESTART, KP_EVENT_RUNTIME_DOWN,
                                                KP_EVENT_RUNTIME_UP,      KP_EVENT_CLOCK};
    static const enum kp_event_kind of_probe[] = {
        KP_EVENT_RUNNING, KP_EVENT_EXITED,         KP_EVENT_WAITING, KP_EVENT_SYNC,
        KP_EVENT_PHASE,   KP_EVENT_NOSTATUS,       KP_EVENT_CLEANUP, KP_EVENT_DELETE,
        KP_EVENT_CLOCK,   KP_EVENT_KUBELET_RESTART};
    struct kp_event event = {.container = -1};

    event.kind =
        layer == FAKE_LAYER_POD ? of_pod[draw(of_node ? 6 : 2)] : of_probe[draw(of_node ? 10 : 5)];
    if (event.kind == KP_EVENT_DELETE)
        event.u.grace_s = draw(20);
    else if (event.kind == KP_EVENT_UPDATE)
        event.u.update = &given->updated;
    else if (event.kind == KP_EVENT_KUBELET_RESTART)
        event.u.down_ns = draw(4) * KP_NS_PER_S;
    else if (event.kind == KP_EVENT_CLOCK)
        event.u.by_ns = (draw(41) - 20) * KP_NS_PER_S;
    else if (event.kind == KP_EVENT_PHASE)
        event.u.phase = one_in(4) ? KP_FAILED : KP_RUNNING;
    else if (event.kind == KP_EVENT_CLEANUP)
        event.u.keep = !one_in(4);
    else if (event.kind == KP_EVENT_RUNNING || event.kind == KP_EVENT_EXITED ||
             event.kind == KP_EVENT_WAITING)
        event.container = (int)draw((int64_t)given->pod.regular_count);
    if (event.kind == KP_EVENT_EXITED)
        event.u.exit_code = (int32_t)draw(2);
    if (event.kind == KP_EVENT_WAITING)
        event.reason = KP_TEXT("CrashLoopBackOff");
    if (event.container >= 0)
        event.message = KP_TEXT("words");
    return event;
}

static void draw_script_events(struct scenario *given, enum fake_layer layer, bool of_node)
{
    int64_t at_ns = 237 * KP_NS_PER_MS;

    for (size_t i = 0; layer == FAKE_LAYER_PROBE && i < given->pod.regular_count; i++)
        given->script_events[given->script_event_count++] =
            (struct fake_script_event){.event = {.kind = KP_EVENT_RUNNING, .container = (int)i}};
    for (int i = 0; i < SCRIPT_EVENTS; i++) {
        at_ns += draw(24) * KP_NS_PER_S / 2;
        given->script_events[given->script_event_count++] = (struct fake_script_event){
            .at_ns = at_ns, .event = draw_event(given, layer, of_node && one_in(2))};
    }
}

/* Gates, all of them open, or one not. */
static void draw_gates(struct scenario *given)
{
    static const char *const types[GATES] = {"example.org/a", "example.org/bb", "example.org/ccc",
                                             "example.org/dddd"};
    size_t count = one_in(3) ? (size_t)draw(GATES + 1) : 0;
    int64_t shut = draw(2 * GATES);

    for (size_t i = 0; i < count; i++) {
        given->gates[i].condition_type = kp_text_of(types[i]);
        given->conditions[count - 1 - i] = (struct kp_condition){
            .type = kp_text_of(types[i]),
            .status = shut == (int64_t)i ? KP_CONDITION_FALSE : KP_CONDITION_TRUE};
    }
    given->status =
        (struct kp_pod_status){.conditions = given->conditions, .condition_count = count};
    given->pod.readiness_gates = given->gates;
    given->pod.readiness_gate_count = count;
    given->pod.status = count > 0 ? &given->status : NULL;
}

static const char *const policies[] = {"Always", "Always", "OnFailure", "Never"};

static void draw_scenario(struct scenario *given, size_t n, const struct kp_profile *profile,
                          enum fake_layer layer, bool in_time)
{
    bool whole = layer == FAKE_LAYER_POD;
    int64_t changed = draw(REGULARS);

    memset(given, 0, sizeof *given);
    given->profile = *profile;
    snprintf(given->names[0], sizeof given->names[0], "pod-%u", (unsigned)n % 100);
    given->pod = (struct kp_pod){
        .name = kp_text_of(given->names[0]),
        .namespace_ = {"default", 7},
        .uid = kp_text_of(given->names[0]),
        .restart_policy = kp_text_of(policies[draw(4)]),
        .has_grace = true,
        .grace_s = 1 + draw(9),
        .containers = given->containers,
        .init_count = (size_t)(whole ? draw(INITS + 1) : 0),
        .regular_count = (size_t)(1 + draw(REGULARS)),
        .ephemeral_count =
            (size_t)(whole && profile->gates[KP_GATE_EphemeralContainers] && one_in(3)
                         ? draw(EPHEMERALS + 1)
                         : 0),
    };
    for (size_t i = 0; i < kp_pod_container_count(&given->pod); i++) {
        size_t regulars_end = given->pod.init_count + given->pod.regular_count;

        draw_container(given, i,
                       i < given->pod.init_count ? KP_INIT
                       : i < regulars_end        ? KP_REGULAR
                                                 : KP_EPHEMERAL,
                       in_time || kp_text_equal(given->pod.restart_policy, KP_TEXT("Always")));
        draw_answers(given, i, in_time);
        draw_behaviour(given, i, in_time);
        given->others[i] = given->containers[i];
        if (in_time ? one_in(3) : (int64_t)i == changed) /* of several kills the first to fail ends
                                                             the sync */
            given->others[i].spec_hash += 100;
    }
    draw_gates(given);
    given->updated = given->pod;
    given->updated.containers = given->others;
    draw_script_events(given, layer, n == 0);
}

/* ---- playing it ------------------------------------------------------------------------------ */

/* All of a world's pods in one script. */
struct crowd {
    const struct kp_pod *pods[PODS];
    struct fake_answers answers[PODS * ANSWERS];
    struct fake_behaviour behaviours[PODS * CONTAINERS];
    struct fake_script_event script_events[PODS * (SCRIPT_EVENTS + CONTAINERS)];
    struct fake_script script;
};

static void add_script_event(struct crowd *crowd, const struct fake_script_event *script_event,
                             uint32_t pod)
{
    size_t at = crowd->script.script_event_count++;

    for (; at > 0 && crowd->script_events[at - 1].at_ns > script_event->at_ns; at--)
        crowd->script_events[at] = crowd->script_events[at - 1];
    crowd->script_events[at] = *script_event;
    crowd->script_events[at].event.pod = pod;
}

static void join(struct crowd *crowd, const struct scenario *given, uint32_t pod)
{
    crowd->pods[pod] = &given->pod;
    for (size_t i = 0; i < given->answers_count; i++) {
        crowd->answers[crowd->script.answers_count] = given->answers[i];
        crowd->answers[crowd->script.answers_count++].pod = pod;
    }
    for (size_t i = 0; i < kp_pod_container_count(&given->pod); i++) {
        crowd->behaviours[crowd->script.behaviour_count] = given->behaviours[i];
        crowd->behaviours[crowd->script.behaviour_count++].pod = pod;
    }
    for (size_t i = 0; i < given->script_event_count; i++)
        add_script_event(crowd, &given->script_events[i], pod);
}

/* Side by side; what is done for pod number `at` is noted. */
static void play(struct sheet *sheet, const struct scenario *const *givens, size_t count,
                 uint32_t at, enum fake_layer layer)
{
    static struct crowd crowd;
    struct kp_mem mem = fake_alloc_plain();
    struct fake_engine_impl impl = {.mem = &mem};
    struct fake_run run = {.impl = fake_engine_impl_interface(&impl),
                           .open = {.layer = layer,
                                    .profile = &givens[0]->profile,
                                    .pods = crowd.pods,
                                    .pod_count = count,
                                    .uptime_ns = 120500 * KP_NS_PER_MS,
                                    .sync_frequency_ns = 60 * KP_NS_PER_S},
                           .observer = {note, note_instant, NULL, sheet},
                           .end_ns = 100 * KP_NS_PER_S};

    crowd.script = (struct fake_script){.answers = crowd.answers,
                                        .behaviours = crowd.behaviours,
                                        .script_events = crowd.script_events};
    for (uint32_t p = 0; p < count; p++)
        join(&crowd, givens[p], p);
    run.script = crowd.script;
    sheet->pod = at;
    sheet->count = 0;
    sheet->at_ns = -1;
    CHECK_INT(fake_world_run(&run, &mem), FAKE_END_DONE);
}

/* ---- the tests ------------------------------------------------------------------------------- */

static const char *const versions[] = {"1.15", "1.20", "1.21", "1.22", "1.25", "1.27",
                                       "1.29", "1.31", "1.33", "1.35", "1.36", "1.37"};

static const enum fake_layer layers[] = {FAKE_LAYER_POD, FAKE_LAYER_POD, FAKE_LAYER_PROBE};

struct stage {
    struct scenario givens[PODS];
    struct sheet sheets[2];
};

static enum fake_layer set_stage(struct stage *stage, uint64_t seed, size_t count, bool in_time)
{
    enum fake_layer layer = layers[seed % 3];
    struct kp_profile profile = unit_profile(versions[seed / 3 % 12]);

    draws = (struct fake_seed){seed};
    for (size_t n = 0; n < count; n++)
        draw_scenario(&stage->givens[n], n, &profile, layer, in_time);
    return layer;
}

static void a_pod_beside_others_is_as_if_alone(void)
{
    struct stage *stage = calloc(1, sizeof *stage);

    for (uint64_t seed = 0; seed < SEEDS && stage; seed++) {
        enum fake_layer layer = set_stage(stage, seed, PODS, true);
        const struct scenario *givens[PODS] = {&stage->givens[0]};
        uint32_t at = (uint32_t)(1 + seed % NEIGHBOURS);

        stage->sheets[0].in_order = stage->sheets[1].in_order = true;
        play(&stage->sheets[0], givens, 1, 0, layer);
        for (uint32_t p = 0, n = 1; p < PODS; p++)
            givens[p] = &stage->givens[p == at ? 0 : n++];
        play(&stage->sheets[1], givens, PODS, at, layer);
        CHECK(are_alike(&stage->sheets[0], &stage->sheets[1], "alone, and beside others", seed));
    }
    free(stage);
}

/* The last comes first. */
static void turn(struct kp_container *containers, size_t count)
{
    struct kp_container last;

    if (count < 2)
        return;
    last = containers[count - 1];
    memmove(containers + 1, containers, (count - 1) * sizeof *containers);
    containers[0] = last;
}

static void turn_scene(struct scenario *given)
{
    struct kp_container *lists[] = {given->containers, given->others};
    size_t inits = given->pod.init_count;
    size_t regulars = given->pod.regular_count;

    for (size_t i = 0; i < 2; i++) {
        turn(lists[i] + inits, regulars);
        turn(lists[i] + inits + regulars, given->pod.ephemeral_count);
    }
    for (size_t i = 0; i < given->script_event_count; i++)
        if (given->script_events[i].event.container >= 0)
            given->script_events[i].event.container =
                (int)(((size_t)given->script_events[i].event.container + 1) % regulars);
}

static void containers_in_another_order_do_the_same(void)
{
    struct stage *stage = calloc(1, sizeof *stage);

    for (uint64_t seed = 0; seed < SEEDS && stage; seed++) {
        enum fake_layer layer = set_stage(stage, seed, 1, false);
        const struct scenario *givens[1] = {&stage->givens[0]};

        play(&stage->sheets[0], givens, 1, 0, layer);
        for (size_t turns = 1; turns < stage->givens[0].pod.regular_count; turns++) {
            turn_scene(&stage->givens[0]);
            play(&stage->sheets[1], givens, 1, 0, layer);
            if (!CHECK(are_alike(&stage->sheets[0], &stage->sheets[1], "in another order", seed)))
                break;
        }
    }
    free(stage);
}

const struct unit_test symmetry_test[] = {
    {"a pod beside others is as if alone", a_pod_beside_others_is_as_if_alone},
    {"containers in another order do the same", containers_in_another_order_do_the_same},
    {0}};
