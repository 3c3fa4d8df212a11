#include "conformance/simulate/world_effects.h"

#include "conformance/simulate/budget_print.h"
#include "conformance/simulate/sim_outcome.h"
#include "conformance/text/human.h"
#include "core/rules/rules.h"

/* For how long a pod is Ready between an instant and the end of the container that runs then, or
 * the other instant; *last_ns: at last. */
static int64_t ready_for_ns(const struct cf_sim_trace *trace, int container, int64_t from_ns,
                            int64_t to_ns, int64_t *last_ns)
{
    int64_t since_ns = KP_NEVER;
    int64_t sum_ns = 0;

    for (size_t i = 0; i <= trace->line_count; i++) {
        const struct cf_sim_line *line = i < trace->line_count ? &trace->lines[i] : NULL;
        int64_t at_ns = line && line->at_ns < to_ns ? line->at_ns : to_ns;
        bool ends =
            !line || line->at_ns >= to_ns ||
            (line->at_ns > from_ns && line->mark == CF_SIM_EXITED && line->container == container);
        bool shows = line && line->kind == CF_SIM_COLUMNS;
        bool ready = shows && cf_sim_is_all(line->columns.ready);

        if (since_ns != KP_NEVER && at_ns > from_ns && (ends || (shows && !ready))) {
            sum_ns += at_ns - (since_ns > from_ns ? since_ns : from_ns);
            *last_ns = at_ns;
        }
        if (ends)
            break;
        if (shows)
            since_ns = !ready ? KP_NEVER : since_ns != KP_NEVER ? since_ns : line->at_ns;
    }
    return sum_ns;
}

/* Between a hang and the next instance; KP_NEVER: there is none. */
static int64_t again_after_ns(const struct cf_sim_trace *trace, int container, int64_t from_ns)
{
    for (size_t i = 0; i < trace->line_count; i++)
        if (trace->lines[i].mark == CF_SIM_RUNS && trace->lines[i].container == container &&
            trace->lines[i].at_ns > from_ns)
            return trace->lines[i].at_ns - from_ns;
    return KP_NEVER;
}

/* How long a container that hangs without a readiness probe stays Ready. */
static void put_stays_ready(struct cf_out *out, const struct cf_sim_trace *trace, int index,
                            const int64_t *ns)
{
    const struct kp_container *container = &trace->pod->containers[index];
    bool passes = ns[CF_DOWN_FOR] != KP_NEVER;
    int64_t from_ns = passes && ns[CF_HANGS_AT] == KP_NEVER ? CF_DOWN_AT_NS : ns[CF_HANGS_AT];
    int64_t to_ns = passes ? from_ns + ns[CF_DOWN_FOR] : trace->end_ns;
    int64_t last_ns = from_ns;
    int64_t ready_ns;

    if (from_ns >= trace->end_ns || container->probes[KP_READINESS])
        return;
    ready_ns = ready_for_ns(trace, index, from_ns, to_ns < trace->end_ns ? to_ns : trace->end_ns,
                            &last_ns);
    if (ready_ns == 0)
        return;
    cf_out_printf(out, "%.*s: hung but Ready ", KP_ARG(container->name));
    if (ready_ns < last_ns - from_ns) {
        cf_out_put_string(out, "for ");
        cf_put_duration(out, ready_ns, true);
        cf_out_put_char(out, ' ');
    }
    cf_out_put_string(out, "from ");
    cf_put_duration(out, from_ns, false);
    cf_out_put_string(out, " to ");
    cf_put_duration(out, last_ns, true);
    cf_out_put_string(out, ": no readiness probe\n");
}

bool cf_worlds_find_hanging(struct cf_worlds *worlds, const struct cf_sim_trace *trace)
{
    bool found = false;

    for (size_t i = 0; i < worlds->count; i++) {
        struct cf_container_world *world = &worlds->containers[i];
        int kills = 0;
        bool runs = false;

        if (world->ns[CF_HANGS_AT] == KP_NEVER || world->hangs != 0)
            continue;
        for (size_t k = 0; k < trace->line_count; k++) {
            const struct cf_sim_line *line = &trace->lines[k];

            if (line->container != (int)i || line->at_ns > world->ns[CF_HANGS_AT])
                continue;
            kills += line->mark == CF_SIM_KILLED;
            world->hangs += line->mark == CF_SIM_RUNS;
            runs = line->mark == CF_SIM_RUNS ||
                   (runs && line->mark != CF_SIM_KILLED && line->mark != CF_SIM_EXITED);
        }
        world->ignored_kill = runs ? kills + 1 : 0;
        world->hangs = world->hangs > 0 ? world->hangs : CF_NONE_HANGS;
        found = true;
    }
    return found;
}

/* Does an attempt end before an answer that takes so long?  Of exec nothing ended it up to 1.19. */
static bool is_late(const struct kp_profile *profile, const struct kp_probe *probe,
                    int64_t takes_ns)
{
    return probe && takes_ns != KP_NEVER && takes_ns >= probe->timeout_s * KP_NS_PER_S &&
           (!probe->handler.exec || profile->exec_timeout_is_answer);
}

/* The probes that such an answer is too late for.  Returns: whether one of them is exec. */
static bool put_late(struct cf_out *out, const struct cf_sim_trace *trace,
                     const struct kp_container *container, int64_t takes_ns)
{
    static const char *const names[] = {
        [KP_LIVENESS] = "liveness", [KP_READINESS] = "readiness", [KP_STARTUP] = "startup"};
    size_t begin = out->len;
    bool exec = false;

    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        const struct kp_probe *probe = container->probes[type];

        if (!is_late(trace->profile, probe, takes_ns))
            continue;
        if (out->len == begin)
            cf_out_printf(out, "%.*s: timeoutSeconds too short: ", KP_ARG(container->name));
        else
            cf_out_put_string(out, ", ");
        cf_out_printf(out, "%s %d s", names[type], (int)probe->timeout_s);
        exec |= probe->handler.exec != NULL;
    }
    if (out->len > begin)
        cf_out_put_char(out, '\n');
    return exec;
}

/* How late chance may make the next instance, where that is later than it was. */
static void put_latest(struct cf_out *out, const struct cf_budget *budget, int container,
                       int64_t again_ns)
{
    for (size_t i = 0; i < budget->count; i++) {
        int64_t latest_ns = budget->containers[i].hangs.again.latest_ns;

        if (budget->containers[i].container != container || latest_ns == KP_NEVER ||
            latest_ns < again_ns + KP_NS_PER_S + again_ns / 60)
            continue; /* or it reads the same */
        cf_out_put_string(out, ", or up to ");
        cf_put_duration(out, latest_ns, true);
        cf_out_put_string(out, " by probe timing");
    }
}

/* What hangs runs; in a back-off nothing does. */
static bool put_none(struct cf_out *out, struct kp_text name,
                     const struct cf_container_world *world)
{
    if (world->ns[CF_HANGS_AT] == KP_NEVER || world->ignored_kill > 0)
        return false;
    cf_out_printf(out, "%.*s: does not run at ", KP_ARG(name));
    cf_put_duration(out, world->ns[CF_HANGS_AT], false);
    cf_out_put_string(out, ", so nothing hangs: choose another instant\n");
    return true;
}

static bool hangs(const int64_t *ns)
{
    return ns[CF_HANGS_AT] != KP_NEVER && ns[CF_DOWN_FOR] == KP_NEVER;
}

/* Is it killed while it hangs for a time? */
static bool dies_of_pause(const struct cf_sim_trace *trace, int container, const int64_t *ns)
{
    if (ns[CF_HANGS_AT] == KP_NEVER || ns[CF_DOWN_FOR] == KP_NEVER)
        return false;
    for (size_t i = 0; i < trace->line_count; i++)
        if (trace->lines[i].mark == CF_SIM_KILLED && trace->lines[i].container == container &&
            trace->lines[i].at_ns >= ns[CF_HANGS_AT] &&
            trace->lines[i].at_ns - ns[CF_HANGS_AT] < ns[CF_DOWN_FOR])
            return true;
    return false;
}

/* The kernel goes on to accept for a process that hangs: what is played is one that does not. */
static void put_accepting(struct cf_out *out, const struct kp_container *container,
                          const struct cf_container_world *world)
{
    static const char *const names[] = {"liveness", "readiness"};
    size_t count = 0;

    if (world->ns[CF_HANGS_AT] == KP_NEVER)
        return;
    for (int type = 0; type <= KP_READINESS; type++) {
        const struct kp_probe *probe = container->probes[type];

        if (!probe || !probe->handler.tcp_socket || probe->handler.exec)
            continue;
        if (count++ == 0)
            cf_out_printf(out, "%.*s: if its port still accepts, its tcpSocket ",
                          KP_ARG(container->name));
        cf_out_printf(out, "%s%s", count > 1 ? " and " : "", names[type]);
    }
    if (count > 0)
        cf_out_printf(out, " %s no hang  [%s]\n", count > 1 ? "see" : "sees",
                      kp_rule_get(KP_RULE_TCP_CONNECT)->id);
}

/* What chance may make of a hang; where the pod cannot be measured: nothing is known. */
static enum kp_err measure(struct cf_arena *arena, const struct cf_sim_trace *trace,
                           const struct cf_worlds *worlds, struct cf_budget *budget)
{
    bool any = false;
    const char *why;

    *budget = (struct cf_budget){0};
    for (size_t i = 0; i < worlds->count; i++)
        any |= hangs(worlds->containers[i].ns);
    if (any && cf_budget_find(arena, trace->profile, trace->pod, budget, &why) == KP_ENOMEM)
        return KP_ENOMEM;
    return KP_OK;
}

enum kp_err cf_world_effects_put(struct cf_arena *arena, struct cf_out *out,
                                 const struct cf_sim_trace *trace, const struct cf_worlds *worlds,
                                 size_t columns)
{
    size_t begin = out->len;
    struct cf_budget budget;
    bool exec = false;

    if (measure(arena, trace, worlds, &budget) != KP_OK)
        return KP_ENOMEM;
    if (worlds->unseen)
        cf_out_put_string(out, "nothing probes it: Kubernetes does not see whether it answers\n");
    for (size_t i = 0; i < worlds->count; i++) {
        struct kp_text name = trace->pod->containers[i].name;
        const int64_t *ns = worlds->containers[i].ns;
        int64_t again_ns = KP_NEVER;

        exec |= put_late(out, trace, &trace->pod->containers[i], ns[CF_ANSWERS_IN]);
        if (put_none(out, name, &worlds->containers[i]))
            continue;
        put_accepting(out, &trace->pod->containers[i], &worlds->containers[i]);
        put_stays_ready(out, trace, (int)i, ns);
        if (hangs(ns) || dies_of_pause(trace, (int)i, ns))
            again_ns = again_after_ns(trace, (int)i, ns[CF_HANGS_AT]);
        if (again_ns == KP_NEVER) {
            if (hangs(ns) && !trace->pod->containers[i].probes[KP_LIVENESS])
                cf_out_printf(out, "%.*s: no liveness probe restarts it\n", KP_ARG(name));
            continue;
        }
        cf_out_printf(out, "%.*s: runs again ", KP_ARG(name));
        cf_put_exact(out, again_ns, true);
        cf_out_put_string(out, " after the hang began");
        if (hangs(ns))
            put_latest(out, &budget, (int)i, again_ns);
        cf_out_put_char(out, '\n');
    }
    if (exec)
        cf_out_put_string(out, "exec timeouts count since 1.20; before, they were ignored\n");
    cf_fold_lines(out, begin, columns);
    return KP_OK;
}

/* Does what owns the pod make another one, which takes its place in a Service? */
static bool is_replaced(struct kp_text kind)
{
    static const char *const replaced[] = {"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet",
                                           "ReplicationController"};

    for (size_t i = 0; i < sizeof replaced / sizeof replaced[0]; i++)
        if (kp_text_equal(kind, kp_text_of(replaced[i])))
            return true;
    return false;
}

enum kp_err cf_world_put_next_ready(struct cf_arena *arena, struct cf_out *out,
                                    const struct cf_sim_trace *trace,
                                    const struct cf_worlds *worlds, struct kp_text kind)
{
    struct cf_budget budget;
    const char *why;

    if (worlds->deleted_ns == KP_NEVER || !is_replaced(kind))
        return KP_OK;
    if (cf_budget_find(arena, trace->profile, trace->pod, &budget, &why) == KP_ENOMEM)
        return KP_ENOMEM;
    for (size_t i = 0; i < budget.count; i++) {
        const struct kp_container *container =
            &trace->pod->containers[budget.containers[i].container];

        if (budget.containers[i].ready.earliest_ns == KP_NEVER ||
            !(container->probes[KP_READINESS] || container->probes[KP_STARTUP]))
            continue;
        cf_out_printf(out, "%.*s: its replacement is Ready ", KP_ARG(container->name));
        cf_budget_put_ready(out, &budget.containers[i]);
        cf_out_put_char(out, '\n');
    }
    return KP_OK;
}
