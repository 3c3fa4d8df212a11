#include "conformance/simulate/drain.h"

#include "conformance/simulate/sim_trace.h"
#include "conformance/simulate/stage.h"

#include <string.h>

#define GRACE_MAX_S 86400 /* a longer one is nobody's advice */

struct drain {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    const struct cf_worlds *asked;
    struct cf_worlds worlds; /* of them, only what has to do with the end */
    struct kp_pod pod;       /* with the changes so far */
    struct kp_container *containers;
    struct cf_change *changes;
    size_t *count;
    const char *why;
    enum kp_err err;
};

static int64_t seconds_up(int64_t ns)
{
    return (ns + KP_NS_PER_S - 1) / KP_NS_PER_S;
}

static enum kp_err drain_init(struct drain *drain, const struct kp_pod *pod)
{
    size_t count = kp_pod_container_count(pod);

    drain->pod = *pod;
    drain->worlds = *drain->asked;
    drain->containers = cf_arena_array(drain->arena, count, sizeof *drain->containers);
    drain->worlds.containers =
        cf_arena_array(drain->arena, count + 1, sizeof *drain->worlds.containers);
    if (!drain->containers || !drain->worlds.containers)
        return KP_ENOMEM;
    memcpy(drain->containers, pod->containers, count * sizeof *drain->containers);
    drain->pod.containers = drain->containers;
    for (size_t i = 0; i < count; i++) {
        drain->worlds.containers[i] = drain->asked->containers[i];
        for (int word = 0; word < CF_STOPS_IN; word++)
            drain->worlds.containers[i].ns[word] = KP_NEVER;
    }
    return KP_OK;
}

/* ---- a deletion ------------------------------------------------------------------------------ */

/* How a deletion went. */
struct ending {
    bool killed;  /* by SIGKILL, while it was stopping */
    bool dropped; /* SIGTERM came while there were requests */
};

static struct ending ending_of(const struct drain *drain, const struct cf_sim_trace *trace)
{
    struct ending ending = {0};
    int64_t from_ns = drain->worlds.deleted_ns;

    for (size_t i = 0; i < trace->line_count; i++) {
        const struct cf_sim_line *line = &trace->lines[i];
        const int64_t *ns;

        if (line->at_ns < from_ns || line->container < 0)
            continue;
        ns = drain->worlds.containers[line->container].ns;
        ending.killed |= line->mark == CF_SIM_EXITED && ns[CF_STOPS_IN] != KP_NEVER &&
                         line->exit_code == CF_EXIT_CODE_SIGKILL;
        ending.dropped |= line->mark == CF_SIM_KILLED && ns[CF_TRAFFIC_FOR] != KP_NEVER &&
                          line->at_ns - from_ns < ns[CF_TRAFFIC_FOR];
    }
    return ending;
}

/* Play the pod as it is now, to its end. */
static struct ending play(struct drain *drain)
{
    int64_t grace_s = drain->pod.grace_s < GRACE_MAX_S ? drain->pod.grace_s : GRACE_MAX_S;
    struct cf_sim_trace trace = {.profile = drain->profile,
                                 .pod = &drain->pod,
                                 .end_ns = drain->worlds.deleted_ns + (grace_s + 10) * KP_NS_PER_S};
    struct cf_sim_script made;
    struct ending ending = {0};

    if (drain->err == KP_OK)
        drain->err = cf_sim_script_make(drain->arena, drain->profile, &drain->pod, 0, 0, &made);
    if (drain->err == KP_OK)
        drain->err =
            cf_worlds_play(drain->arena, drain->profile, &drain->pod, &drain->worlds, &made.script);
    if (drain->err != KP_OK)
        return ending;
    drain->err = cf_sim_play(drain->arena, &made.script, 0, &trace, &drain->why);
    if (drain->err == KP_OK)
        ending = ending_of(drain, &trace);
    cf_sim_trace_deinit(&trace);
    return ending;
}

static bool drains(struct drain *drain)
{
    struct ending ending = play(drain);

    return drain->err == KP_OK && !ending.killed && !ending.dropped;
}

/* ---- hooks ----------------------------------------------------------------------------------- */

/* A hook that sleeps: the action where the version has it, else the command. */
static const struct kp_handler *sleep_hook(struct drain *drain, int64_t seconds)
{
    struct kp_handler *hook = cf_arena_array(drain->arena, 1, sizeof *hook);
    struct kp_sleep_action *sleep = cf_arena_array(drain->arena, 1, sizeof *sleep);
    struct kp_exec_action *exec = cf_arena_array(drain->arena, 1, sizeof *exec);
    struct kp_text *words = cf_arena_array(drain->arena, 2, sizeof *words);

    if (!hook || !sleep || !exec || !words) {
        drain->err = KP_ENOMEM;
        return NULL;
    }
    if (drain->profile->gates[KP_GATE_PodLifecycleSleepAction]) {
        sleep->seconds = seconds;
        hook->sleep = sleep;
        return hook;
    }
    words[0] = KP_TEXT("sleep");
    words[1] = cf_arena_format(drain->arena, "%lld", (long long)seconds);
    exec->command.items = words;
    exec->command.count = 2;
    hook->exec = exec;
    return hook;
}

/* A hook that lasts as long as requests come; another hook than a sleep is left alone. */
static void lengthen_hook(struct drain *drain, int index)
{
    struct kp_container *container = &drain->containers[index];
    int64_t traffic_ns = drain->worlds.containers[index].ns[CF_TRAFFIC_FOR];
    const struct kp_handler *hook;

    if (traffic_ns == KP_NEVER || cf_pre_stop_s(container) < 0 ||
        cf_pre_stop_s(container) * KP_NS_PER_S >= traffic_ns ||
        seconds_up(traffic_ns) > GRACE_MAX_S || !play(drain).dropped)
        return;
    hook = sleep_hook(drain, seconds_up(traffic_ns));
    if (!hook)
        return;
    container->pre_stop = hook;
    drain->changes[(*drain->count)++] = (struct cf_change){.kind = CF_CHANGE_PRE_STOP,
                                                           .container = index,
                                                           .word = CF_TRAFFIC_FOR,
                                                           .hook = hook,
                                                           .tolerates_ns = traffic_ns};
}

/* The one container whose hook is a sleep, if the others have none; -1. */
static int sleeper(const struct drain *drain)
{
    int found = -1;

    for (size_t i = 0; i < drain->worlds.count; i++) {
        if (drain->worlds.containers[i].ns[CF_TRAFFIC_FOR] != KP_NEVER)
            return -1;
        if (!drain->containers[i].pre_stop)
            continue;
        if (found >= 0 || cf_pre_stop_s(&drain->containers[i]) <= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

/* The longest sleep with which the grace is enough; NULL: there is none. */
static const struct kp_handler *shorter_hook(struct drain *drain, int index)
{
    struct kp_container *container = &drain->containers[index];
    const struct kp_handler *before = container->pre_stop;
    int64_t high_s = cf_pre_stop_s(container);
    int64_t low_s = 0;

    if (high_s > GRACE_MAX_S)
        high_s = GRACE_MAX_S;
    while (drain->err == KP_OK && high_s - low_s > 1) {
        int64_t middle_s = low_s + (high_s - low_s) / 2;

        container->pre_stop = sleep_hook(drain, middle_s);
        if (drain->err == KP_OK && drains(drain))
            low_s = middle_s;
        else
            high_s = middle_s;
    }
    container->pre_stop = before;
    return low_s > 0 && drain->err == KP_OK ? sleep_hook(drain, low_s) : NULL;
}

/* ---- graces ---------------------------------------------------------------------------------- */

/* The least grace of the pod with which all is well; false: none is. */
static bool find_grace(struct drain *drain)
{
    int64_t low_s = drain->pod.grace_s;
    int64_t high_s = low_s > 0 ? low_s : 1;

    do {
        if (drain->err != KP_OK || high_s >= GRACE_MAX_S)
            return false;
        high_s *= 2;
        drain->pod.grace_s = high_s;
    } while (!drains(drain));
    while (high_s - low_s > 1) {
        drain->pod.grace_s = low_s + (high_s - low_s) / 2;
        if (drains(drain))
            high_s = drain->pod.grace_s;
        else
            low_s = drain->pod.grace_s;
    }
    drain->pod.grace_s = high_s;
    return drain->err == KP_OK;
}

static void change_pod_grace(struct drain *drain)
{
    int64_t before_s = drain->pod.grace_s;
    struct cf_change change = {.kind = CF_CHANGE_GRACE,
                               .container = sleeper(drain),
                               .word = CF_STOPS_IN,
                               .field = "terminationGracePeriodSeconds"};

    if (drains(drain) || drain->err != KP_OK)
        return;
    if (change.container >= 0)
        change.shorter = shorter_hook(drain, change.container);
    if (!find_grace(drain)) {
        drain->pod.grace_s = before_s;
        return;
    }
    change.value = (int32_t)drain->pod.grace_s;
    drain->changes[(*drain->count)++] = change;
}

/* Is it ended by SIGKILL when this probe's failures end it? */
static bool is_cut_off(struct drain *drain, int index, enum kp_probe_type type)
{
    struct cf_stage stage;
    struct cf_world world = {.manner = CF_FAILS,
                             .stops_ns = drain->worlds.containers[index].ns[CF_STOPS_IN],
                             .until = CF_SEEN_AGAIN};
    struct cf_seen seen = {0};

    for (int other = 0; other < KP_PROBE_TYPES; other++)
        world.spared[other] = other != (int)type;
    drain->err = cf_stage_init(&stage, drain->arena, drain->profile, &drain->pod);
    stage.container = index;
    world.end_ns = cf_budget_horizon_ns(&drain->pod, index) + 2 * world.stops_ns;
    if (drain->err == KP_OK)
        drain->err = cf_stage_play(&stage, &world, &seen);
    drain->why = stage.why;
    cf_stage_deinit(&stage);
    return drain->err == KP_OK && seen.exit_code == CF_EXIT_CODE_SIGKILL;
}

/* A grace of a probe's own goes before the pod's. */
static void change_probe_grace(struct drain *drain, int index, enum kp_probe_type type)
{
    const struct kp_probe *before = drain->containers[index].probes[type];
    int64_t stops_ns = drain->worlds.containers[index].ns[CF_STOPS_IN];
    struct kp_probe *probe;
    int64_t low_s;

    if (!before || !before->has_grace || before->grace_s > GRACE_MAX_S || stops_ns == KP_NEVER ||
        seconds_up(stops_ns) > GRACE_MAX_S || !is_cut_off(drain, index, type))
        return;
    probe = cf_arena_array(drain->arena, 1, sizeof *probe);
    if (!probe) {
        drain->err = KP_ENOMEM;
        return;
    }
    *probe = *before;
    drain->containers[index].probes[type] = probe;
    low_s = before->grace_s;
    do
        probe->grace_s *= 2;
    while (probe->grace_s < 2 * GRACE_MAX_S && is_cut_off(drain, index, type));
    for (int64_t high_s = probe->grace_s; drain->err == KP_OK && high_s - low_s > 1;) {
        probe->grace_s = low_s + (high_s - low_s) / 2;
        *(is_cut_off(drain, index, type) ? &low_s : &high_s) = probe->grace_s;
    }
    probe->grace_s = low_s + 1;
    if (drain->err != KP_OK || is_cut_off(drain, index, type))
        return;
    drain->changes[(*drain->count)++] = (struct cf_change){.kind = CF_CHANGE_FIELD,
                                                           .container = index,
                                                           .type = type,
                                                           .word = CF_STOPS_IN,
                                                           .field = "terminationGracePeriodSeconds",
                                                           .value = (int32_t)probe->grace_s,
                                                           .tolerates_ns = stops_ns};
}

enum kp_err cf_drain_find(struct cf_arena *arena, const struct kp_profile *profile,
                          const struct kp_pod *pod, const struct cf_worlds *worlds,
                          struct cf_change *changes, size_t *count, const char **why)
{
    struct drain drain = {.arena = arena,
                          .profile = profile,
                          .asked = worlds,
                          .changes = changes,
                          .count = count,
                          .err = KP_OK};

    if (drain_init(&drain, pod) != KP_OK)
        return KP_ENOMEM;
    if (worlds->deleted_ns != KP_NEVER) {
        for (size_t i = 0; i < worlds->count && drain.err == KP_OK; i++)
            lengthen_hook(&drain, (int)i);
        change_pod_grace(&drain);
    }
    for (size_t i = 0; i < worlds->count; i++)
        for (int type = 0; type < KP_PROBE_TYPES && drain.err == KP_OK; type++)
            change_probe_grace(&drain, (int)i, (enum kp_probe_type)type);
    *why = drain.why;
    return drain.err;
}
