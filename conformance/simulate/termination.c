#include "conformance/simulate/termination.h"

#include "conformance/simulate/sim_trace.h"
#include "conformance/simulate/simulation.h"

#include <string.h>

#define GRACE_MAX_S 86400 /* a longer one is nobody's advice */

struct search {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    const struct cf_worlds *given;
    struct cf_worlds said;          /* of them, only what has to do with the end */
    struct cf_worlds roomy;         /* the same, each a quarter longer */
    const struct cf_worlds *worlds; /* one of the two: what is played */
    struct kp_pod pod;              /* with the changes so far */
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

static int64_t quarter_more_ns(int64_t ns)
{
    return ns == KP_NEVER ? KP_NEVER : kp_later_ns(ns, ns / 4);
}

/* What was said of the end, each a quarter longer where that is wanted. */
static enum kp_err copy_worlds(const struct search *search, bool roomy, struct cf_worlds *out)
{
    *out = *search->given;
    out->containers = cf_arena_array(search->arena, out->count + 1, sizeof *out->containers);
    if (!out->containers)
        return KP_ENOMEM;
    for (size_t i = 0; i < out->count; i++) {
        const int64_t *given = search->given->containers[i].ns;
        int64_t *ns = out->containers[i].ns;

        for (int word = 0; word < CF_WORLD_WORDS; word++)
            ns[word] = word < CF_STOPS_IN ? KP_NEVER
                       : roomy            ? quarter_more_ns(given[word])
                                          : given[word];
    }
    return KP_OK;
}

static enum kp_err search_init(struct search *search, const struct kp_pod *pod)
{
    size_t count = kp_pod_container_count(pod);

    search->pod = *pod;
    search->containers = cf_arena_array(search->arena, count, sizeof *search->containers);
    if (!search->containers || copy_worlds(search, false, &search->said) != KP_OK ||
        copy_worlds(search, true, &search->roomy) != KP_OK)
        return KP_ENOMEM;
    memcpy(search->containers, pod->containers, count * sizeof *search->containers);
    search->pod.containers = search->containers;
    search->worlds = &search->said;
    return KP_OK;
}

/* ---- a deletion ------------------------------------------------------------------------------ */

/* How a deletion went. */
struct ending {
    bool killed;  /* by SIGKILL, while it was stopping */
    bool dropped; /* SIGTERM came while there were requests */
    bool cut;     /* ... though the hook would have outlasted them */
};

static struct ending ending_of(const struct search *search, const struct cf_sim_trace *trace)
{
    struct ending ending = {0};
    int64_t from_ns = search->worlds->deleted_ns;

    for (size_t i = 0; i < trace->line_count; i++) {
        const struct cf_sim_line *line = &trace->lines[i];
        const int64_t *ns;

        if (line->at_ns < from_ns || line->container < 0)
            continue;
        ns = search->worlds->containers[line->container].ns;
        ending.killed |= line->mark == CF_SIM_EXITED && ns[CF_STOPS_IN] != KP_NEVER &&
                         line->exit_code == CF_EXIT_CODE_SIGKILL;
        if (line->mark != CF_SIM_KILLED || ns[CF_TRAFFIC_FOR] == KP_NEVER ||
            line->at_ns - from_ns >= ns[CF_TRAFFIC_FOR])
            continue;
        ending.dropped = true;
        ending.cut |= cf_hook_s(search->containers[line->container].pre_stop) * KP_NS_PER_S >=
                      ns[CF_TRAFFIC_FOR];
    }
    return ending;
}

/* Play the pod as it is now, to its end: the hook may take the grace, and up to 1.27 the container
 * has another one behind it (S-218). */
static struct ending play(struct search *search)
{
    int64_t grace_s = search->pod.grace_s < GRACE_MAX_S ? search->pod.grace_s : GRACE_MAX_S;
    struct cf_sim_trace trace = {.profile = search->profile,
                                 .pod = &search->pod,
                                 .end_ns =
                                     search->worlds->deleted_ns + (2 * grace_s + 10) * KP_NS_PER_S};
    struct cf_sim_script made;
    struct ending ending = {0};

    if (search->err == KP_OK)
        search->err = cf_sim_script_make(search->arena, search->profile, &search->pod, 0, 0, &made);
    if (search->err == KP_OK)
        search->err = cf_worlds_apply(search->arena, search->profile, &search->pod, search->worlds,
                                      &made.script);
    if (search->err != KP_OK)
        return ending;
    search->err = cf_sim_play(search->arena, &made.script, 0, &trace, &search->why);
    if (search->err == KP_OK)
        ending = ending_of(search, &trace);
    cf_sim_trace_deinit(&trace);
    return ending;
}

static bool ends_in_time(struct search *search)
{
    struct ending ending = play(search);

    return search->err == KP_OK && !ending.killed && !ending.cut;
}

/* ---- hooks ----------------------------------------------------------------------------------- */

/* A hook that sleeps: the action where the version has it, else the command. */
static const struct kp_handler *sleep_hook(struct search *search, int64_t seconds)
{
    struct kp_handler *hook = cf_arena_array(search->arena, 1, sizeof *hook);
    struct kp_sleep_action *sleep = cf_arena_array(search->arena, 1, sizeof *sleep);
    struct kp_exec_action *exec = cf_arena_array(search->arena, 1, sizeof *exec);
    struct kp_text *words = cf_arena_array(search->arena, 2, sizeof *words);

    if (!hook || !sleep || !exec || !words) {
        search->err = KP_ENOMEM;
        return NULL;
    }
    if (search->profile->gates[KP_GATE_PodLifecycleSleepAction]) {
        sleep->seconds = seconds;
        hook->sleep = sleep;
        return hook;
    }
    words[0] = KP_TEXT("sleep");
    words[1] = cf_arena_format(search->arena, "%lld", (long long)seconds);
    exec->command.items = words;
    exec->command.count = 2;
    hook->exec = exec;
    return hook;
}

/* A hook that lasts a quarter longer than requests come; another hook than a sleep is left alone.
 */
static void lengthen_hook(struct search *search, int index)
{
    struct kp_container *container = &search->containers[index];
    int64_t traffic_ns = search->said.containers[index].ns[CF_TRAFFIC_FOR];
    int64_t least_s = traffic_ns == KP_NEVER ? 0 : seconds_up(traffic_ns);
    int64_t before_s = cf_hook_s(container->pre_stop);
    const struct kp_handler *hook;
    int64_t hook_s;

    if (before_s < 0 || before_s >= least_s || least_s > GRACE_MAX_S || !play(search).dropped)
        return;
    hook_s = seconds_up(search->roomy.containers[index].ns[CF_TRAFFIC_FOR]);
    if (hook_s > GRACE_MAX_S)
        hook_s = least_s;
    hook = sleep_hook(search, hook_s);
    if (!hook)
        return;
    container->pre_stop = hook;
    search->changes[(*search->count)++] =
        (struct cf_change){.kind = CF_CHANGE_PRE_STOP,
                           .container = index,
                           .word = CF_TRAFFIC_FOR,
                           .hook = hook,
                           .least_value = hook_s > least_s ? (int32_t)least_s : 0,
                           .tolerates_ns = hook_s * KP_NS_PER_S};
}

/* The one container whose hook is a sleep, if the others have none; -1. */
static int sleeper(const struct search *search)
{
    int found = -1;

    for (size_t i = 0; i < search->said.count; i++) {
        if (search->said.containers[i].ns[CF_TRAFFIC_FOR] != KP_NEVER)
            return -1;
        if (!search->containers[i].pre_stop)
            continue;
        if (found >= 0 || cf_hook_s(search->containers[i].pre_stop) <= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

/* The longest sleep with which the grace is enough; NULL: there is none. */
static const struct kp_handler *shorter_hook(struct search *search, int index)
{
    struct kp_container *container = &search->containers[index];
    const struct kp_handler *before = container->pre_stop;
    int64_t high_s = cf_hook_s(container->pre_stop);
    int64_t low_s = 0;

    if (high_s > GRACE_MAX_S)
        high_s = GRACE_MAX_S;
    while (search->err == KP_OK && high_s - low_s > 1) {
        int64_t middle_s = low_s + (high_s - low_s) / 2;

        container->pre_stop = sleep_hook(search, middle_s);
        if (search->err == KP_OK && ends_in_time(search))
            low_s = middle_s;
        else
            high_s = middle_s;
    }
    container->pre_stop = before;
    return low_s > 0 && search->err == KP_OK ? sleep_hook(search, low_s) : NULL;
}

/* ---- graces ---------------------------------------------------------------------------------- */

/* Is it ended by SIGKILL when this probe's failures end it? */
static bool is_cut_off(struct search *search, int index, enum kp_probe_type type)
{
    struct cf_simulation simulation;
    struct cf_world world = {.health = CF_FAILS,
                             .stops_ns = search->worlds->containers[index].ns[CF_STOPS_IN],
                             .until = CF_SEEN_AGAIN};
    struct cf_seen seen = {0};

    for (int other = 0; other < KP_PROBE_TYPES; other++)
        world.spared[other] = other != (int)type;
    search->err = cf_simulation_init(&simulation, search->arena, search->profile, &search->pod);
    simulation.container = index;
    world.end_ns = cf_budget_horizon_ns(&search->pod, index) + 2 * world.stops_ns;
    if (search->err == KP_OK)
        search->err = cf_simulation_play(&simulation, &world, &seen);
    search->why = simulation.why;
    cf_simulation_deinit(&simulation);
    return search->err == KP_OK && seen.exit_code == CF_EXIT_CODE_SIGKILL;
}

/* A grace: the pod's, or that of a container's probe. */
struct grace {
    int64_t *seconds;
    bool of_pod;
    int index;
    enum kp_probe_type type;
};

static bool is_short(struct search *search, const struct grace *grace)
{
    return grace->of_pod ? !ends_in_time(search) : is_cut_off(search, grace->index, grace->type);
}

/* The least with which all is well; false: none is up to a day. */
static bool find_least(struct search *search, const struct grace *grace)
{
    int64_t low_s = *grace->seconds;
    int64_t high_s = low_s > 0 ? low_s : 1;

    do {
        if (search->err != KP_OK || high_s >= GRACE_MAX_S)
            return false;
        high_s *= 2;
        *grace->seconds = high_s;
    } while (is_short(search, grace));
    while (high_s - low_s > 1) {
        *grace->seconds = low_s + (high_s - low_s) / 2;
        *(is_short(search, grace) ? &low_s : &high_s) = *grace->seconds;
    }
    *grace->seconds = high_s;
    return search->err == KP_OK && high_s <= GRACE_MAX_S;
}

/*
 * The least with which stops that take a quarter longer are in time, too, where there is one.
 *
 * Returns: whether there is any; change: the grace, and the least without that room.
 */
static bool find_roomy(struct search *search, const struct grace *grace, struct cf_change *change)
{
    int64_t before_s = *grace->seconds;
    int64_t least_s;

    if (!find_least(search, grace)) {
        *grace->seconds = before_s;
        return false;
    }
    least_s = *grace->seconds;
    *grace->seconds = before_s;
    search->worlds = &search->roomy;
    if (!find_least(search, grace))
        *grace->seconds = least_s;
    search->worlds = &search->said;
    change->value = (int32_t)*grace->seconds;
    change->least_value = *grace->seconds > least_s ? (int32_t)least_s : 0;
    return search->err == KP_OK;
}

static void change_pod_grace(struct search *search)
{
    const struct grace grace = {.seconds = &search->pod.grace_s, .of_pod = true};
    struct cf_change change = {.kind = CF_CHANGE_GRACE,
                               .container = sleeper(search),
                               .word = CF_STOPS_IN,
                               .field = "terminationGracePeriodSeconds"};

    if (ends_in_time(search) || search->err != KP_OK)
        return;
    search->worlds = &search->roomy;
    if (change.container >= 0)
        change.shorter = shorter_hook(search, change.container);
    search->worlds = &search->said;
    if (find_roomy(search, &grace, &change))
        search->changes[(*search->count)++] = change;
}

/* A grace of a probe's own goes before the pod's. */
static void change_probe_grace(struct search *search, int index, enum kp_probe_type type)
{
    const struct kp_probe *before = search->containers[index].probes[type];
    int64_t stops_ns = search->said.containers[index].ns[CF_STOPS_IN];
    struct cf_change change = {.kind = CF_CHANGE_FIELD,
                               .container = index,
                               .type = type,
                               .word = CF_STOPS_IN,
                               .field = "terminationGracePeriodSeconds",
                               .tolerates_ns = stops_ns};
    struct grace grace = {.index = index, .type = type};
    struct kp_probe *probe;

    if (!before || !before->has_grace || before->grace_s > GRACE_MAX_S || stops_ns == KP_NEVER ||
        seconds_up(stops_ns) > GRACE_MAX_S || !is_cut_off(search, index, type))
        return;
    probe = cf_arena_array(search->arena, 1, sizeof *probe);
    if (!probe) {
        search->err = KP_ENOMEM;
        return;
    }
    *probe = *before;
    search->containers[index].probes[type] = probe;
    grace.seconds = &probe->grace_s;
    if (find_roomy(search, &grace, &change))
        search->changes[(*search->count)++] = change;
}

enum kp_err cf_termination_find(struct cf_arena *arena, const struct kp_profile *profile,
                                const struct kp_pod *pod, const struct cf_worlds *worlds,
                                struct cf_change *changes, size_t *count, const char **why)
{
    struct search search = {.arena = arena,
                            .profile = profile,
                            .given = worlds,
                            .changes = changes,
                            .count = count,
                            .err = KP_OK};

    if (search_init(&search, pod) != KP_OK)
        return KP_ENOMEM;
    if (worlds->deleted_ns != KP_NEVER) {
        for (size_t i = 0; i < worlds->count && search.err == KP_OK; i++)
            lengthen_hook(&search, (int)i);
        change_pod_grace(&search);
    }
    for (size_t i = 0; i < worlds->count; i++)
        for (int type = 0; type < KP_PROBE_TYPES && search.err == KP_OK; type++)
            change_probe_grace(&search, (int)i, (enum kp_probe_type)type);
    *why = search.why;
    return search.err;
}
