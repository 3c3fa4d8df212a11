#include "core/engine.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

/*
 * One container `app` on a whole kubelet.  A play says what the world does and what is then seen,
 * one letter a note:
 *   S start  K kill  X sandbox stopped  B BackOff  P phase  R ready  C CrashLoopBackOff published
 *   U Unhealthy  F the first attempt of a probe  N restart count published  D object deleted
 */
struct play {
    const char *why;
    const char *k8s;
    const char *policy;
    int period_s;        /* of the liveness probe; 0: there is none */
    int fail;            /* failureThreshold */
    const char *answers; /* + and -, the last one repeats */
    int kill_ms;         /* how long SIGTERM takes; -1: StopContainer fails */
    int kill_code;
    int exit_ms; /* lives that long; -1: for ever */
    int exit_code;
    int delete_ms; /* -1: never */
    int delete_grace_s;
    int64_t until_ms;
    int sync_s;       /* resync interval; 0: 60 s */
    const char *show; /* the letters that count */
    const char *want; /* "50.000K 55.000S" */
};

/* clang-format off */
static const struct play plays[] = {
    {"part C up to 1.35", "1.35", "Always", 10, 3, "++---+", 5000, 143, -1, 0, -1, 0, 65000, 0, "SKURNF",
     "0.000S 0.500R 10.000F 20.000F 30.000F 30.000U 40.000F 40.000U 50.000F 50.000U 50.000K 55.000S 55.500N 60.000F"},
    {"part C before on-demand relists", "1.33", "Always", 10, 3, "++---+", 5000, 143, -1, 0, -1, 0, 65000, 0, "SKURNF",
     "0.000S 0.500R 10.000F 20.000F 30.000F 30.000U 40.000F 40.000U 50.000F 50.000U 50.000K 55.000S 55.500N 60.000F"},
    {"part C from 1.36", "1.36", "Always", 10, 3, "++---+", 5000, 143, -1, 0, -1, 0, 65000, 0, "SKURNF",
     "0.000S 0.000R 10.000F 20.000F 30.000F 30.000U 40.000F 40.000U 50.000F 50.000U 50.000K 55.000S 55.000N 60.000F"},
    {"a failure acts at once only after a relist", "1.35", "Always", 4, 1, "-", 0, 143, -1, 0, -1, 0, 4900, 0, "FK",
     "4.000F 4.000K"},
    {"a failed kill is repeated", "1.36", "Always", 10, 2, "-", -1, 0, -1, 0, -1, 0, 53000, 0, "K",
     "20.000K 30.500K 41.500K 52.500K"},
    {"S-251 in 1.36", "1.36", "Always", 0, 0, "", 0, 0, 0, 1, -1, 0, 920000, 0, "S",
     "0.000S 0.000S 10.500S 31.500S 72.500S 153.500S 314.500S 615.500S 916.500S"},
    {"S-251 in 1.34", "1.34", "Always", 0, 0, "", 0, 0, 1130, 1, -1, 0, 343000, 0, "S",
     "0.000S 1.500S 15.500S 39.500S 85.500S 175.500S 342.500S"},
    {"S-252, the golden trace", "1.36", "Always", 15, 3, "-", 30000, 137, -1, 0, -1, 0, 1730000, 3600, "SBC",
     "0.000S 75.000S 150.000S 225.000S 300.000S 375.000S 450.000B 450.500B 450.500C 530.500S 600.000B 600.500B 600.500C "
     "760.500S 825.000B 825.500B 825.500C 1125.500S 1200.000S 1275.000B 1275.500B 1275.500C 1575.500S 1650.000S "
     "1725.000B 1725.500B 1725.500C"},
    {"S-254 in 1.36", "1.36", "OnFailure", 2, 1, "-", 1070, 0, -1, 0, -1, 0, 20000, 0, "KB",
     "2.000K 4.500K 6.500K 7.570B"},
    {"S-254 in 1.35", "1.35", "OnFailure", 2, 1, "-", 1070, 0, -1, 0, -1, 0, 20000, 0, "KB",
     "2.500K 6.500K 10.500K 11.570B"},
    {"S-330 in 1.36: the phase is held back", "1.36", "Never", 10, 3, "++-", 5070, 143, -1, 0, -1, 0, 70000, 0, "KPXR",
     "0.000R 0.000P=Running 50.000K 55.070X 55.070R 55.500X 56.500P=Failed"},
    {"S-330 in 1.35", "1.35", "Never", 10, 3, "++-", 5070, 143, -1, 0, -1, 0, 70000, 0, "KPXR",
     "0.500R 0.500P=Running 50.000K 55.070X 55.500R 56.500X 57.500P=Failed"},
    {"S-330: an exit with 0", "1.36", "Never", 0, 0, "", 0, 0, 20130, 0, -1, 0, 30000, 0, "PXR",
     "0.000R 0.000P=Running 20.500R 21.500X 22.500P=Succeeded"},
    {"S-330: an exit with 0 in 1.33", "1.33", "Never", 0, 0, "", 0, 0, 20130, 0, -1, 0, 30000, 0, "PXR",
     "0.500R 0.500P=Running 20.500R 21.500X 22.500P=Succeeded"},
    {"S-331: deletion does not interrupt a kill", "1.36", "Always", 10, 2, "-", 20070, 143, -1, 0, 25000, 5, 45000, 0, "SK",
     "0.000S 20.000K 40.070S 40.070K"},
    {"S-331 in 1.34", "1.34", "Always", 10, 2, "-", 20070, 143, -1, 0, 25000, 5, 45000, 0, "SK",
     "0.000S 20.000K 40.070S 40.500K"},
    {"S-031: the object goes with what is left of its pod", "1.21", "Always", 0, 0, "", 3000, 143, -1, 0, 20200, 12, 40000, 0, "KD",
     "20.200K 29.500D"},
    {"S-027: the object goes with the last word", "1.36", "Always", 0, 0, "", 3000, 143, -1, 0, 20200, 12, 40000, 0, "KD",
     "20.200K 23.500D"},
    {"a restart after an exit waits for the relist", "1.36", "Always", 0, 0, "", 0, 0, 20130, 2, -1, 0, 25000, 0, "S",
     "0.000S 20.500S"},
    {"part B: a window over the resync interval", "1.36", "Always", 0, 0, "", 0, 0, 0, 1, -1, 0, 155000, 0, "S",
     "0.000S 0.000S 10.500S 31.500S 72.500S 153.500S"},
};
/* clang-format on */

/* ---- the world --------------------------------------------------------------------------- */

struct world {
    const struct play *play;
    struct kp_event due[16];
    int64_t due_ns[16];
    size_t due_count;
    char seen[4096];
    size_t seen_len;
    size_t answers;
    int instances;
    char cids[64][16];
    bool alive;
    bool deleted;
    int64_t now_ns;
    /* What was published last. */
    enum kp_phase phase;
    bool is[2]; /* ready, started */
    uint64_t state;
    struct {
        struct kp_text type;
        uint64_t value;
    } conditions[8];
};

static void note(struct world *world, char letter, const char *more)
{
    int len;

    if (!strchr(world->play->show, letter))
        return;
    len = snprintf(world->seen + world->seen_len, sizeof world->seen - world->seen_len,
                   "%s%lld.%03lld%c%s", world->seen_len > 0 ? " " : "",
                   (long long)(world->now_ns / KP_NS_PER_S),
                   (long long)(world->now_ns / KP_NS_PER_MS % 1000), letter, more);
    world->seen_len += (size_t)len;
}

static void plan(struct world *world, int64_t after_ms, struct kp_event event)
{
    if (event.kind == KP_EVENT_EXITED)
        event.reason = event.u.exit_code == 0 ? KP_TEXT("Completed") : KP_TEXT("Error");
    world->due[world->due_count] = event;
    world->due_ns[world->due_count++] = world->now_ns + after_ms * KP_NS_PER_MS;
}

static void see_probe(struct world *world, const struct kp_effect *effect)
{
    size_t last = strlen(world->play->answers) - 1;
    char answer = world->play->answers[world->answers < last ? world->answers : last];

    world->answers++;
    note(world, 'F', "");
    plan(world, 0,
         (struct kp_event){
             .kind = KP_EVENT_ANSWER,
             .u.answer = {.n = effect->u.probe.n,
                          .result = answer == '+' ? KP_ANSWER_SUCCESS : KP_ANSWER_FAILURE}});
}

static void see_start(struct world *world, const struct kp_effect *effect)
{
    char *cid = world->cids[world->instances++];

    (void)snprintf(cid, 16, "c%d", world->instances);
    note(world, 'S', "");
    world->alive = true;
    plan(world, 0,
         (struct kp_event){.kind = KP_EVENT_RUNNING,
                           .cid = kp_text_of(cid),
                           .u.running.restarts = effect->u.restart});
    if (world->play->exit_ms >= 0)
        plan(world, world->play->exit_ms,
             (struct kp_event){.kind = KP_EVENT_EXITED,
                               .cid = kp_text_of(cid),
                               .u.exit_code = world->play->exit_code});
}

static void see_kill(struct world *world, const struct kp_effect *effect)
{
    struct kp_event event = {
        .kind = KP_EVENT_EXITED, .cid = effect->cid, .u.exit_code = world->play->kill_code};

    note(world, 'K', "");
    if (world->play->kill_ms < 0)
        event = (struct kp_event){
            .kind = KP_EVENT_KILLFAIL, .cid = effect->cid, .message = KP_TEXT("no")};
    plan(world, world->play->kill_ms < 0 ? 0 : world->play->kill_ms, event);
}

static void see_sandbox(struct world *world, const struct kp_effect *effect)
{
    if (effect->u.sandbox.what == KP_SANDBOX_STOP)
        note(world, 'X', "");
    plan(world, 0,
         (struct kp_event){
             .kind = KP_EVENT_SANDBOX,
             .u.sandbox = {.what = effect->u.sandbox.what, .attempt = effect->u.sandbox.attempt}});
}

static uint64_t mix(uint64_t hash, struct kp_text text, int64_t number)
{
    for (size_t i = 0; i < text.len; i++)
        hash = hash * 31 + (unsigned char)text.bytes[i];
    return hash * 1000003 + (uint64_t)number;
}

static uint64_t hash_of(uint64_t hash, const struct kp_state *state)
{
    return mix(mix(mix(hash, state->reason, 1), state->message, (int64_t)state->kind), KP_TEXT_NONE,
               state->exit_code);
}

/* What is emitted of a status is what differs from before: its states, */
static void a_state_is_new(struct world *world, const struct kp_effect *effect)
{
    uint64_t state =
        hash_of(hash_of(mix(1, KP_TEXT_NONE, effect->u.state.restarts), effect->u.state.state),
                effect->u.state.last);

    CHECK(state != world->state);
    world->state = state;
}

/* its conditions, */
static void a_condition_is_new(struct world *world, const struct kp_effect *effect)
{
    const struct kp_condition *condition = effect->u.condition;
    uint64_t value =
        mix(mix(1, condition->reason, (int64_t)condition->status), condition->message, 1);
    size_t i = 0;

    CHECK_INT(effect->container, KP_POD_ITSELF);
    while (world->conditions[i].type.len > 0 &&
           !kp_text_equal(world->conditions[i].type, condition->type))
        i++;
    CHECK(value != world->conditions[i].value);
    world->conditions[i].type = condition->type;
    world->conditions[i].value = value;
}

/* its phase, and what its containers are. */
static void what_is_published_is_new(struct world *world, const struct kp_effect *effect)
{
    bool *is = &world->is[effect->kind == KP_EFFECT_READY];

    if (effect->kind == KP_EFFECT_STATE)
        a_state_is_new(world, effect);
    if (effect->kind == KP_EFFECT_CONDITION)
        a_condition_is_new(world, effect);
    if (effect->kind == KP_EFFECT_READY || effect->kind == KP_EFFECT_STARTED) {
        CHECK(effect->u.value != *is);
        *is = effect->u.value;
    }
    if (effect->kind == KP_EFFECT_PHASE) {
        CHECK(effect->u.phase != world->phase);
        CHECK_INT(effect->container, KP_POD_ITSELF);
        world->phase = effect->u.phase;
    }
}

static void see_state(struct world *world, const struct kp_effect *effect)
{
    const struct kp_state *state = effect->u.state.state;

    if (kp_text_equal(state->reason, KP_TEXT("CrashLoopBackOff")))
        note(world, 'C', "");
    if (state->kind == KP_STATE_RUNNING && effect->u.state.restarts > 0)
        note(world, 'N', "");
}

static void see(void *ctx, const struct kp_effect *effect)
{
    static const char *const phases[] = {"", "=Pending", "=Running", "=Succeeded", "=Failed", ""};
    struct world *world = ctx;

    CHECK(effect->rule != KP_RULE_NONE);
    what_is_published_is_new(world, effect);
    switch (effect->kind) {
    case KP_EFFECT_PROBE:
        see_probe(world, effect);
        break;
    case KP_EFFECT_START:
        see_start(world, effect);
        break;
    case KP_EFFECT_KILL:
        see_kill(world, effect);
        break;
    case KP_EFFECT_SANDBOX:
        see_sandbox(world, effect);
        break;
    case KP_EFFECT_STATE:
        see_state(world, effect);
        break;
    case KP_EFFECT_EVENT:
        if (kp_text_equal(effect->u.event.reason, KP_TEXT("Unhealthy")))
            note(world, 'U', "");
        if (kp_text_equal(effect->u.event.reason, KP_TEXT("BackOff")))
            note(world, 'B', "");
        break;
    case KP_EFFECT_READY:
        note(world, 'R', "");
        break;
    case KP_EFFECT_PHASE:
        note(world, 'P', phases[effect->u.phase]);
        break;
    case KP_EFFECT_APIDELETE:
        CHECK(effect->rule == (strcmp(world->play->k8s, "1.21") == 0
                                   ? KP_RULE_HOUSEKEEPING
                                   : KP_RULE_SYNC_TERMINATING_POD));
        note(world, 'D', "");
        break;
    default:
        break;
    }
}

/* ---- the play ---------------------------------------------------------------------------- */

static void send_due(struct world *world, struct kp_engine *engine)
{
    size_t kept = 0;
    size_t count = world->due_count;

    for (size_t i = 0; i < count; i++) {
        if (world->due_ns[i] <= world->now_ns) {
            CHECK_INT(kp_engine_event(engine, &world->due[i]), KP_OK);
            continue;
        }
        world->due[kept] = world->due[i];
        world->due_ns[kept++] = world->due_ns[i];
    }
    world->due_count = kept;
}

static int64_t next_due_ns(const struct world *world)
{
    int64_t next_ns = world->play->until_ms * KP_NS_PER_MS;

    for (size_t i = 0; i < world->due_count; i++)
        if (world->due_ns[i] < next_ns)
            next_ns = world->due_ns[i];
    return next_ns;
}

static void perform(struct world *world, const struct kp_pod *pod, const struct kp_profile *profile)
{
    int64_t sync_s = world->play->sync_s > 0 ? world->play->sync_s : 60;
    const struct kp_engine_config config = {.profile = profile,
                                            .uptime_ns = 120500 * KP_NS_PER_MS,
                                            .sync_frequency_ns = sync_s * KP_NS_PER_S,
                                            .sink = {see, world}};
    struct fake_alloc memory = {.fail_at = FAKE_ALLOC_NEVER};
    struct kp_mem mem = fake_alloc_mem(&memory);
    struct kp_engine *engine;
    int64_t calls;
    uint32_t handle;

    CHECK_INT(kp_engine_new(&mem, &config, &engine), KP_OK);
    CHECK_INT(kp_engine_add_pod(engine, pod, &handle), KP_OK);
    calls = memory.calls;
    if (world->play->delete_ms >= 0)
        plan(world, world->play->delete_ms,
             (struct kp_event){.kind = KP_EVENT_DELETE, .u.grace_s = world->play->delete_grace_s});
    (void)kp_engine_run(engine, 0);
    while (world->now_ns < world->play->until_ms * KP_NS_PER_MS) {
        int64_t before_ns = world->now_ns;
        int64_t next_ns = next_due_ns(world);

        send_due(world, engine);
        next_ns = next_ns > before_ns ? next_ns : before_ns;
        world->now_ns = next_ns;
        while (kp_engine_next_ns(engine) < world->now_ns)
            world->now_ns = kp_engine_next_ns(engine);
        world->now_ns = kp_engine_run(engine, world->now_ns);
    }
    CHECK_INT(memory.calls, calls); /* a step takes no memory */
    kp_engine_free(engine);
    CHECK_INT(memory.live, 0);
}

static void show(const struct play *play)
{
    static const struct kp_text word = {"x", 1};
    static const struct kp_exec_action exec = {{&word, 1}};
    struct kp_probe liveness = {.handler = {.exec = &exec},
                                .timeout_s = 1,
                                .period_s = play->period_s,
                                .success_threshold = 1,
                                .failure_threshold = play->fail};
    struct kp_container app = {.name = KP_TEXT("app"),
                               .kind = KP_REGULAR,
                               .image = KP_TEXT("img:1"),
                               .probes = {[KP_LIVENESS] = play->period_s > 0 ? &liveness : NULL}};
    struct kp_pod pod = {.name = KP_TEXT("p"),
                         .namespace_ = KP_TEXT("default"),
                         .uid = KP_TEXT("u1"),
                         .restart_policy = kp_text_of(play->policy),
                         .has_grace = true,
                         .grace_s = 30,
                         .containers = &app,
                         .regular_count = 1};
    struct world world = {.play = play, .phase = KP_PENDING};
    struct kp_profile profile = unit_profile(play->k8s);

    perform(&world, &pod, &profile);
    if (!unit_check_text(kp_text_of(world.seen), kp_text_of(play->want), play->why, __FILE__,
                         __LINE__))
        fprintf(stderr, "  in the play: %s (%s)\n", play->why, play->k8s);
}

static void the_instants_of_the_real_kubelet_come_out(void)
{
    for (size_t i = 0; i < sizeof plays / sizeof plays[0]; i++)
        show(&plays[i]);
}

static void ignore(void *ctx, const struct kp_effect *effect)
{
    (void)ctx;
    (void)effect;
}

static void memory_that_runs_out_is_given_back(void)
{
    static const struct kp_handler hook = {0};
    struct kp_container app = {.name = KP_TEXT("app"), .kind = KP_REGULAR, .pre_stop = &hook};
    struct kp_pod pod = {.uid = KP_TEXT("u"), .containers = &app, .regular_count = 1};
    struct kp_profile profile = unit_profile("1.36");
    struct kp_engine_config config = {.profile = &profile, .sink = {ignore, NULL}};
    enum kp_err err = KP_ENOMEM;

    for (int64_t at = 0; err == KP_ENOMEM; at++) {
        struct fake_alloc state = {.fail_at = at};
        struct kp_mem mem = fake_alloc_mem(&state);
        struct kp_engine *engine;
        uint32_t handle;

        err = kp_engine_new(&mem, &config, &engine);
        if (err == KP_OK) {
            err = kp_engine_add_pod(engine, &pod, &handle);
            kp_engine_free(engine);
        }
        CHECK_INT(state.live, 0);
    }
    CHECK_INT(err, KP_OK);
}

static void events_of_the_other_layer_are_ignored(void)
{
    static const enum kp_event_kind others[] = {
        KP_EVENT_WAITING, KP_EVENT_SYNC,    KP_EVENT_PHASE, KP_EVENT_NOSTATUS,
        KP_EVENT_REMOVE,  KP_EVENT_CLEANUP, KP_EVENT_STOP,  KP_EVENT_ADDPOD};
    struct kp_container app = {.name = KP_TEXT("app"), .kind = KP_REGULAR};
    struct kp_pod pod = {.uid = KP_TEXT("u"), .containers = &app, .regular_count = 1};
    struct kp_profile profile = unit_profile("1.36");
    struct kp_engine_config config = {.profile = &profile, .sink = {ignore, NULL}};
    struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
    struct kp_mem mem = fake_alloc_mem(&state);
    struct kp_event event = {.kind = KP_EVENT_KILLFAIL, .cid = KP_TEXT("c1")};
    struct kp_engine *engine;
    uint32_t handle;

    CHECK_INT(kp_engine_new(&mem, &config, &engine), KP_OK);
    CHECK_INT(kp_engine_add_pod(engine, &pod, &handle), KP_OK);
    CHECK_INT(kp_engine_event(engine, &event), KP_EINPUT); /* nothing was killed */
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        event = (struct kp_event){.kind = others[i]};
        CHECK_INT(kp_engine_event(engine, &event), KP_OK);
    }
    kp_engine_free(engine);
}

/* Remembers the pods whose sandboxes were requested, in order. */
struct order {
    uint32_t pods[4];
    size_t count;
};

static void note_sandbox(void *ctx, const struct kp_effect *effect)
{
    struct order *order = ctx;

    if (effect->kind == KP_EFFECT_SANDBOX && order->count < 4)
        order->pods[order->count++] = effect->pod;
}

static void run_to(struct kp_engine *engine, int64_t to_ns)
{
    while (kp_engine_run(engine, to_ns) < to_ns)
        continue;
}

/* The loop finds the runtime's last answer too old, and sleeps. */
static void fall_asleep(struct kp_engine *engine, const struct kp_pod *first)
{
    uint32_t handle;

    CHECK_INT(kp_engine_add_pod(engine, first, &handle), KP_OK);
    run_to(engine, KP_NS_PER_S);
    CHECK_INT(kp_engine_event(engine, &(struct kp_event){.kind = KP_EVENT_RUNTIME_DOWN}), KP_OK);
    run_to(engine, 40 * KP_NS_PER_S);
}

/* S-005: three pods added together, the second of them the oldest; equal ones keep their order.
 * Where the loop sleeps (S-003) they wait in it. */
static void come_in_order(bool asleep)
{
    static const struct kp_container web = {
        .name = {"web", 3}, .kind = KP_REGULAR, .image = {"i", 1}};
    static const char *const uids[] = {"u0", "u1", "u2", "u3"};
    static const int64_t created_s[] = {10, 20, 10, 20};
    struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
    const struct kp_mem mem = fake_alloc_mem(&state);
    struct order order = {.count = 0};
    struct kp_pod pods[4];
    struct kp_profile profile = unit_profile("1.36");
    struct kp_engine *engine;
    struct kp_engine_config config = {.profile = &profile,
                                      .uptime_ns = 120500 * KP_NS_PER_MS,
                                      .sync_frequency_ns = 60 * KP_NS_PER_S,
                                      .sink = {note_sandbox, &order}};
    size_t first = asleep ? 0 : 1;

    for (size_t i = 0; i < 4; i++)
        pods[i] = (struct kp_pod){.uid = kp_text_of(uids[i]),
                                  .creation_ns = created_s[i] * KP_NS_PER_S,
                                  .restart_policy = {"Always", 6},
                                  .containers = &web,
                                  .regular_count = 1};
    CHECK_INT(kp_engine_new(&mem, &config, &engine), KP_OK);
    if (asleep)
        fall_asleep(engine, &pods[0]);
    for (size_t i = 1; i < 4; i++) {
        uint32_t handle;

        CHECK_INT(kp_engine_add_pod(engine, &pods[i], &handle), KP_OK);
        CHECK_INT(handle, i - first);
    }
    if (asleep) {
        run_to(engine, 41 * KP_NS_PER_S);
        CHECK_INT(order.count, 1);
        CHECK_INT(kp_engine_event(engine, &(struct kp_event){.kind = KP_EVENT_RUNTIME_UP}), KP_OK);
    }
    run_to(engine, 60 * KP_NS_PER_S);
    CHECK_INT(order.count, 4 - first);
    CHECK_INT(order.pods[1 - first], 2 - first);
    CHECK_INT(order.pods[2 - first], 1 - first);
    CHECK_INT(order.pods[3 - first], 3 - first);
    kp_engine_free(engine);
    CHECK_INT(state.live, 0);
}

static void added_pods_come_in_order_of_creation(void)
{
    come_in_order(false);
    come_in_order(true);
}

const struct unit_test engine_plays_test[] = {
    {"added pods come in order of creation", added_pods_come_in_order_of_creation},
    {"events of the other layer are ignored", events_of_the_other_layer_are_ignored},
    {"memory that runs out is given back", memory_that_runs_out_is_given_back},
    {"the instants of the real kubelet come out", the_instants_of_the_real_kubelet_come_out},
    {0},
};
