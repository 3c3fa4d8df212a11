#include "fuzz/shared/scenario.h"

#include "fakes/alloc.h"

#include <stdio.h>
#include <stdlib.h>

#define SECOND KP_NS_PER_S

uint8_t fuzz_byte(struct fuzz_bytes *bytes)
{
    if (bytes->left == 0)
        return 0;
    bytes->left--;
    return *bytes->at++;
}

int64_t fuzz_number(struct fuzz_bytes *bytes, int64_t min, int64_t max)
{
    return min + fuzz_byte(bytes) % (max - min + 1);
}

/* Anywhere up to most, by how many bits it has. */
static int64_t draw_width(struct fuzz_bytes *bytes, int64_t most)
{
    /* The last that fits, with StopContainer's two minutes too, and one that is 2.256 s. */
    static const int64_t corners[] = {INT64_C(9223372036), INT64_C(9223371916),
                                      INT64_C(288230376151714), INT64_MAX - 1};
    int bits = most > INT32_MAX ? 63 : 31;
    uint8_t which = fuzz_byte(bytes);
    int64_t near = fuzz_number(bytes, -1, 1);

    if (most > INT32_MAX && which >= 0xe0)
        return corners[which % 4] + near;
    return which % (bits + 1) == bits ? most : (INT64_C(1) << which % (bits + 1)) + near;
}

int64_t fuzz_api_int(struct fuzz_bytes *bytes, int64_t least, int64_t usual, int64_t most)
{
    uint8_t byte = fuzz_byte(bytes);
    int64_t drawn;

    if (byte < 0xf0)
        return least + byte % (usual - least + 1);
    drawn = draw_width(bytes, most);
    return drawn < least ? least : drawn;
}

static bool fuzz_bit(struct fuzz_bytes *bytes, unsigned one_in)
{
    return fuzz_byte(bytes) % one_in == one_in - 1;
}

/* ---- the pod --------------------------------------------------------------------------------- */

static const struct kp_handler *handler_of(struct fuzz_bytes *bytes)
{
    static const struct kp_text words[] = {{"true", 4}, {"$(NAME)$$", 9}};
    static const struct kp_exec_action exec = {{words, 2}};
    static const struct kp_tcp_socket_action tcp = {{KP_INTSTR_INT, 80, {"", 0}}, {"", 0}};
    static const struct kp_http_get_action http = {
        .path = {"/", 1}, .port = {KP_INTSTR_STRING, 0, {"web", 3}}, .scheme = {"HTTP", 4}};
    static const struct kp_handler handlers[] = {
        {.exec = &exec}, {.tcp_socket = &tcp}, {.http_get = &http}};

    return &handlers[fuzz_byte(bytes) % 3];
}

static void read_probe(struct fuzz_bytes *bytes, struct kp_probe *probe, enum kp_probe_type type)
{
    uint8_t rare = fuzz_byte(bytes);

    *probe = (struct kp_probe){
        .handler = *handler_of(bytes),
        .timeout_s = 1,
        .period_s = (int32_t)fuzz_api_int(bytes, 1, 7, INT32_MAX),
        .success_threshold =
            type == KP_READINESS ? (int32_t)fuzz_api_int(bytes, 1, 3, INT32_MAX) : 1,
        .failure_threshold = (int32_t)fuzz_api_int(bytes, 1, 4, INT32_MAX),
        .initial_delay_s = rare % 4 == 3 ? rare % 16 : 0,
        .has_grace = rare % 8 == 1 && type != KP_READINESS,
        .grace_s = 1 + rare % 9,
    };
    if (rare >= 0xf0 && probe->has_grace)
        probe->grace_s = fuzz_api_int(bytes, 1, 9, INT64_MAX);
    else if (rare >= 0xf0) {
        probe->timeout_s = (int32_t)fuzz_api_int(bytes, 1, 9, INT32_MAX);
        probe->initial_delay_s = (int32_t)fuzz_api_int(bytes, 0, 9, INT32_MAX);
    }
}

static void read_container(struct scenario *scenario, struct fuzz_bytes *bytes, size_t i)
{
    /* Of different lengths: libFuzzer writes down what memcmp compares, which takes its time. */
    static const struct kp_text names[] = {{"init", 4}, {"web", 3}, {"agent", 5}};
    static const struct kp_container_port port = {.name = {"web", 3}, .container_port = 8080};
    struct kp_container *container = &scenario->containers[i];
    uint8_t has = fuzz_byte(bytes);

    *container = (struct kp_container){.name = names[i],
                                       .kind = i == 0 ? KP_INIT : KP_REGULAR,
                                       .image = {"image", 5},
                                       .image_pull_policy = {"IfNotPresent", 12},
                                       .ports = &port,
                                       .port_count = 1,
                                       .spec_hash = i + 1};
    /* What its API server would have dropped is not there. */
    if (i == 0 && (has % 2 == 1 || !scenario->profile.gates[KP_GATE_SidecarContainers]))
        return;
    if (i == 0)
        container->restart_policy = KP_TEXT("Always");
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        if (has >> type & 2 &&
            (type != KP_STARTUP || scenario->profile.gates[KP_GATE_StartupProbe])) {
            read_probe(bytes, &scenario->probes[i][type], (enum kp_probe_type)type);
            container->probes[type] = &scenario->probes[i][type];
        }
    scenario->sleeps[i].seconds = 2;
    scenario->sleepers[i] = (struct kp_handler){.sleep = &scenario->sleeps[i]};
    if (has >= 0xe0 && has < 0xf0)
        scenario->sleeps[i].seconds = fuzz_api_int(bytes, 0, 4, INT64_MAX);
    if (has >= 0xe0)
        container->pre_stop = has >= 0xf0 ? handler_of(bytes) : &scenario->sleepers[i];
    if (has % 32 == 31)
        container->post_start = has >= 0xe0 ? &scenario->sleepers[i] : handler_of(bytes);
}

static void read_pod(struct scenario *scenario, struct fuzz_bytes *bytes)
{
    static const char *const policies[] = {"Always", "Always", "OnFailure", "Never"};
    uint8_t shape = fuzz_byte(bytes);
    size_t first = shape % 4 == 3 ? 0 : 1;
    size_t last = shape % 8 >= 4 ? 3 : 2;

    scenario->pod = (struct kp_pod){
        .name = {"pod", 3},
        .namespace_ = {"default", 7},
        .uid = {"uid", 3},
        .restart_policy = kp_text_of(policies[shape / 8 % 4]),
        .has_grace = true,
        .grace_s = shape % 16 == 9 ? 0 : shape / 16,
        .containers = &scenario->containers[first],
        .init_count = 1 - first,
        .regular_count = last - 1,
    };
    if (shape >= 0xe0)
        scenario->pod.grace_s = fuzz_api_int(bytes, 0, 15, INT64_MAX);
    if (shape % 16 == 10 || shape % 16 == 15) {
        scenario->pod.has_deadline = true;
        scenario->pod.deadline_s = fuzz_api_int(bytes, 1, 15, INT32_MAX);
    }
    scenario->gate.condition_type = KP_TEXT("example.org/gate");
    if (shape == 0xff) {
        scenario->pod.readiness_gates = &scenario->gate;
        scenario->pod.readiness_gate_count = 1;
    }
    for (size_t i = first; i < last; i++)
        read_container(scenario, bytes, i);
    scenario->pods[0] = &scenario->pod;
}

/* ---- its world ------------------------------------------------------------------------------- */

static void read_step(struct fuzz_bytes *bytes, struct fake_step *step)
{
    uint8_t how = fuzz_byte(bytes);

    *step = (struct fake_step){
        .attempts = {(enum kp_answer)(how % 6), (enum kp_answer)(how / 6 % 6),
                     (enum kp_answer)(how / 36 % 6)},
        .attempt_count = how == 0xff ? 0 : 3,
        .output = KP_TEXT("out"),
        .takes_ns = fuzz_bit(bytes, 4) ? fuzz_number(bytes, 1, 40) * SECOND / 4 : 0,
        .until = FAKE_TIMES,
        .bound = fuzz_number(bytes, 1, 8),
    };
    if (step->attempts[0] != KP_ANSWER_ERROR)
        step->attempts[1] = step->attempts[2] = step->attempts[0];
}

static void read_answers(struct scenario *scenario, struct fuzz_bytes *bytes)
{
    size_t count = 0;

    for (size_t i = 0; i < scenario->pod.init_count + scenario->pod.regular_count; i++)
        for (int call = 0; call <= FAKE_CALL_POST_START && count < SCENARIO_ANSWERS; call++) {
            const struct kp_container *container = &scenario->pod.containers[i];
            struct fake_answers *answers = &scenario->answers[count];

            if (call < KP_PROBE_TYPES ? !container->probes[call] : !container->pre_stop)
                continue;
            *answers = (struct fake_answers){.container = container->name,
                                             .call = (enum fake_call)call,
                                             .steps = scenario->steps[count],
                                             .step_count = 3};
            for (size_t k = 0; k < 3; k++)
                read_step(bytes, &scenario->steps[count][k]);
            scenario->steps[count++][2].until = FAKE_FOREVER;
        }
    scenario->run.script.answers = scenario->answers;
    scenario->run.script.answers_count = count;
}

static void read_behaviour(struct scenario *scenario, struct fuzz_bytes *bytes, size_t i)
{
    bool init = scenario->pod.containers[i].kind == KP_INIT &&
                scenario->pod.containers[i].restart_policy.len == 0;

    for (size_t k = 0; k < 2; k++) {
        uint8_t start = fuzz_byte(bytes);
        uint8_t end = fuzz_byte(bytes);
        uint8_t stop = fuzz_byte(bytes);

        scenario->starts[i][k] = (struct fake_done){.fails = start % 16 == 15,
                                                    .reason = KP_TEXT("RunContainerError"),
                                                    .message = KP_TEXT("no"),
                                                    .takes_ns = start % 8 * SECOND / 2};
        scenario->exits[i][k] = (struct fake_exit){.never = !init && end % 4 != 3,
                                                   .code = end % 8 < 5 ? 0 : 1,
                                                   .after_ns = end / 8 * SECOND};
        scenario->stops[i][k] =
            (struct fake_stop){.kind = (enum fake_stop_kind)(stop % 16 < 14 ? stop % 2 : 2),
                               .code = stop % 32 == 0 ? 0 : 143,
                               .message = KP_TEXT("no"),
                               .takes_ns = stop / 64 * SECOND};
    }
    scenario->behaviours[i] = (struct fake_behaviour){.container = scenario->pod.containers[i].name,
                                                      .starts = scenario->starts[i],
                                                      .start_count = 2,
                                                      .exits = scenario->exits[i],
                                                      .exit_count = 2,
                                                      .stops = scenario->stops[i],
                                                      .stop_count = 2};
}

static struct kp_event event_of(struct fuzz_bytes *bytes, const struct kp_pod *pod,
                                enum fake_layer layer)
{
    static const enum kp_event_kind of_pod[] = {KP_EVENT_DELETE, KP_EVENT_KUBELET_RESTART,
                                                KP_EVENT_RUNTIME_DOWN, KP_EVENT_RUNTIME_UP,
                                                KP_EVENT_CLOCK};
    static const enum kp_event_kind of_probe[] = {KP_EVENT_RUNNING, KP_EVENT_EXITED, KP_EVENT_SYNC,
                                                  KP_EVENT_WAITING, KP_EVENT_CLEANUP};
    uint8_t which = fuzz_byte(bytes);
    struct kp_event event = {
        .kind = layer == FAKE_LAYER_POD ? of_pod[which % 5] : of_probe[which % 5], .container = -1};

    if (event.kind == KP_EVENT_DELETE)
        event.u.grace_s = which < 0xe0 ? which / 8 : fuzz_api_int(bytes, 0, 31, INT64_MAX);
    if (event.kind == KP_EVENT_KUBELET_RESTART)
        event.u.down_ns = which / 8 * SECOND;
    if (event.kind == KP_EVENT_CLOCK)
        event.u.by_ns = (which / 8 - 16) * SECOND;
    /* What failed by its deadline lives again where a clock goes back; no real kubelet can show
     * how. */
    if (event.kind == KP_EVENT_CLOCK && pod->has_deadline && event.u.by_ns < 0)
        event.u.by_ns = -event.u.by_ns;
    if (event.kind == KP_EVENT_CLEANUP)
        event.u.keep = which >= 64;
    if (event.kind == KP_EVENT_RUNNING || event.kind == KP_EVENT_EXITED ||
        event.kind == KP_EVENT_WAITING)
        event.container = (int)(which / 8 % (pod->init_count + pod->regular_count));
    if (event.kind == KP_EVENT_EXITED)
        event.u.exit_code = which / 64;
    return event;
}

static void read_script_events(struct scenario *scenario, struct fuzz_bytes *bytes)
{
    size_t count = 0;
    int64_t at_ns = 0;

    if (scenario->run.open.layer == FAKE_LAYER_PROBE)
        for (size_t i = 0; i < scenario->pod.init_count + scenario->pod.regular_count; i++)
            scenario->script_events[count++] = (struct fake_script_event){
                .event = {.kind = KP_EVENT_RUNNING, .container = (int)i}};
    while (bytes->left > 1 && count < SCENARIO_SCRIPT_EVENTS) {
        at_ns += fuzz_byte(bytes) * (SECOND / 4);
        scenario->script_events[count++] = (struct fake_script_event){
            .at_ns = at_ns, .event = event_of(bytes, &scenario->pod, scenario->run.open.layer)};
    }
    scenario->run.script.script_events = scenario->script_events;
    scenario->run.script.script_event_count = count;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void read_version(struct scenario *scenario, struct fuzz_bytes *bytes)
{
    static struct kp_profile profiles[KP_MINOR_MAX - KP_MINOR_MIN + 1];
    size_t back = fuzz_byte(bytes) % (sizeof profiles / sizeof *profiles);
    char version[16];

    if (profiles[back].minor == 0) {
        snprintf(version, sizeof version, "1.%d", KP_MINOR_MAX - (int)back);
        if (kp_profile_init(&profiles[back], kp_text_of(version)) != KP_OK)
            abort();
    }
    scenario->profile = profiles[back];
}

/* Up to a bit more than a minute, most of them less, which is many inputs a second.  Of each 2,048
 * worlds one runs for two hours: drawn from all of its bytes, so that no change of one brings more
 * of them. */
static int64_t end_of(struct fuzz_bytes all, uint8_t byte)
{
    uint32_t hash = 2166136261;

    for (size_t i = 0; i < all.left; i++)
        hash = (hash ^ all.at[i]) * 16777619;
    return (hash >> 21 == 0 ? 7200 : 10 + byte * byte / 1024) * SECOND;
}

void scenario_read(struct scenario *scenario, struct fuzz_bytes *bytes)
{
    const struct fuzz_bytes all = *bytes;
    uint8_t how;

    read_version(scenario, bytes);
    how = fuzz_byte(bytes);
    scenario->run = (struct fake_run){
        .open = {.layer = how % 4 == 3 ? FAKE_LAYER_PROBE : FAKE_LAYER_POD,
                 .profile = &scenario->profile,
                 .pods = scenario->pods,
                 .pod_count = 1,
                 .uptime_ns = how / 4 % 4 * 30 * SECOND,
                 .sync_frequency_ns = 60 * SECOND,
                 .jitter = how >= 0x80 ? FAKE_JITTER_FREE : FAKE_JITTER_NONE,
                 .seed = how},
        .end_ns = end_of(all, fuzz_byte(bytes)),
        .rounds_max = SCENARIO_ROUNDS,
    };
    read_pod(scenario, bytes);
    read_answers(scenario, bytes);
    for (size_t i = 0; i < scenario->pod.init_count + scenario->pod.regular_count; i++)
        read_behaviour(scenario, bytes, i);
    scenario->run.script.behaviours = scenario->behaviours;
    scenario->run.script.behaviour_count = scenario->pod.init_count + scenario->pod.regular_count;
    read_script_events(scenario, bytes);
}

enum fake_end scenario_play(struct scenario *scenario, const struct kp_profile *profile,
                            struct fake_observer observer)
{
    struct kp_mem mem = fake_alloc_plain();
    struct fake_engine_impl impl = {.mem = &mem};

    scenario->run.impl = fake_engine_impl_interface(&impl);
    scenario->run.observer = observer;
    scenario->run.open.profile = profile ? profile : &scenario->profile;
    return fake_world_run(&scenario->run, &mem);
}
