/* check_ends.c: how containers end, as the engine plays it, and what nobody probes. */
#include "conformance/advice/lint_check.h"

#include "conformance/simulate/sim_script.h"

#define LONG_GRACE_S 60 /* a grace that was chosen for draining */

/* ---- ends ------------------------------------------------------------------------------------ */

static void check_grace(const struct cf_container_check *check)
{
    const struct kp_container *container = check->container;
    const struct kp_pod *pod = check->pod_check->pod->pod;
    const struct kp_probe *probe = container->probes[KP_LIVENESS];
    struct cf_arena *arena = check->pod_check->arena;
    struct cf_world world = cf_world_at(check, CF_HANGS, cf_settled_ns(container));
    int64_t hook_s = cf_hook_s(container->pre_stop);
    struct cf_fix fix = {0};
    struct cf_trial trial;
    struct kp_probe *shorter;

    if (!probe || probe->has_grace || !pod->has_grace || pod->grace_s <= LONG_GRACE_S ||
        !cf_has_gate(check, KP_GATE_ProbeTerminationGracePeriod))
        return;
    world.ignores_term = true;
    shorter = cf_fix_change(&fix, container, KP_LIVENESS, CF_FIX_GRACE);
    shorter->has_grace = true;
    shorter->grace_s = 30 + (hook_s > 0 ? hook_s : 0);
    if (!cf_try(check, &world, &fix, &trial) || !cf_saw(&trial.before, CF_SEEN_AGAIN) ||
        trial.after.at_ns[CF_SEEN_AGAIN] >= trial.before.at_ns[CF_SEEN_AGAIN])
        return;
    cf_advise_fix(
        check, CF_LINT_GRACE_WAIT, cf_field_of(check, KP_LIVENESS, ""),
        cf_arena_format(arena,
                        "it hangs and does not end on SIGTERM: it runs again only "
                        "after %s, with a grace of the probe's own after %s",
                        cf_about(arena, cf_after(&trial.before, &world, CF_SEEN_AGAIN)).bytes,
                        cf_about(arena, cf_after(&trial.after, &world, CF_SEEN_AGAIN)).bytes),
        &fix);
}

/* Is the hook cut off, with two seconds left to end, and with the change not? */
static bool is_cut_off(const struct cf_container_check *check, const struct cf_world *world,
                       const struct cf_fix *fix, struct cf_trial *trial)
{
    return cf_try(check, world, fix, trial) && cf_saw(&trial->before, CF_SEEN_KILLED) &&
           trial->before.grace_s <= 2 && trial->after.grace_s >= 30;
}

static void advise_cut_off(const struct cf_container_check *check, struct kp_text field,
                           const char *when, int64_t ran_ns, const struct cf_seen *seen,
                           const struct cf_fix *fix)
{
    struct cf_arena *arena = check->pod_check->arena;

    cf_advise_fix(check, CF_LINT_PRE_STOP, field,
                  cf_arena_format(arena,
                                  "%s: the hook is cut off after %s of %lld s, then SIGTERM, and "
                                  "SIGKILL %lld s later",
                                  when, cf_seconds(arena, ran_ns).bytes,
                                  (long long)cf_hook_s(check->container->pre_stop),
                                  (long long)seen->grace_s),
                  fix);
}

static void check_pre_stop(const struct cf_container_check *check)
{
    const struct kp_container *container = check->container;
    struct cf_world world = cf_world_at(check, CF_PASSES, 0);
    int64_t sleep_s = cf_hook_s(container->pre_stop);
    struct cf_fix fix = {.pod_grace_s = sleep_s + 30};
    struct cf_trial trial;

    if (sleep_s <= 0 || sleep_s < check->pod_check->pod->pod->grace_s)
        return;
    world.deleted_ns = cf_settled_ns(container);
    world.end_ns = world.deleted_ns + (sleep_s + 60) * KP_NS_PER_S;
    if (is_cut_off(check, &world, &fix, &trial))
        advise_cut_off(check, KP_TEXT("lifecycle.preStop"), "the pod is deleted",
                       trial.before.at_ns[CF_SEEN_KILLED] - world.deleted_ns, &trial.before, &fix);
}

/* A probe's own grace, which holds for what it kills (S-209), is the hook's, too: where the hook
 * uses it up, a longer one.  Returns: whether it does. */
static bool outlast_hook(struct cf_fix *fix, const struct kp_container *container,
                         enum kp_probe_type type)
{
    const struct kp_probe *probe = container->probes[type];
    int64_t sleep_s = cf_hook_s(container->pre_stop);

    if (!probe || !probe->has_grace || sleep_s <= 0 || sleep_s < probe->grace_s)
        return false;
    cf_fix_change(fix, container, type, CF_FIX_GRACE)->grace_s = sleep_s + 30;
    return true;
}

static void check_pre_stop_of(const struct cf_container_check *check, enum kp_probe_type type)
{
    const struct kp_container *container = check->container;
    struct cf_world world =
        cf_world_at(check, CF_FAILS, type == KP_STARTUP ? 0 : cf_settled_ns(container));
    struct cf_fix fix = {0};
    struct cf_trial trial;

    if (!outlast_hook(&fix, container, type))
        return;
    for (int other = 0; other < KP_PROBE_TYPES; other++)
        world.spared[other] = other != (int)type;
    world.end_ns += (cf_hook_s(container->pre_stop) + 60) * KP_NS_PER_S;
    if (is_cut_off(check, &world, &fix, &trial))
        advise_cut_off(check, cf_field_of(check, type, "terminationGracePeriodSeconds"),
                       type == KP_STARTUP ? "its startup probe kills it"
                                          : "its liveness probe kills it",
                       trial.before.at_ns[CF_SEEN_KILLED] - trial.before.at_ns[CF_SEEN_RESULT],
                       &trial.before, &fix);
}

static void check_restart(const struct cf_container_check *check)
{
    const struct kp_container *container = check->container;
    struct cf_world world = cf_world_at(check, CF_FAILS, cf_settled_ns(container));
    struct cf_fix fix = {.restarts = true};
    struct cf_trial trial;

    /* Under Never the pod's grace holds (S-137). */
    (void)outlast_hook(&fix, container, KP_LIVENESS);
    (void)outlast_hook(&fix, container, KP_STARTUP);
    if (!container->probes[KP_LIVENESS] || container->kind != KP_REGULAR ||
        container->restart_policy.bytes ||
        !kp_text_equal(check->pod_check->pod->pod->restart_policy, KP_TEXT("Never")))
        return;
    if (!cf_try(check, &world, &fix, &trial) || !cf_saw(&trial.before, CF_SEEN_KILLED) ||
        cf_saw(&trial.before, CF_SEEN_AGAIN) || !cf_saw(&trial.after, CF_SEEN_AGAIN))
        return;
    cf_advise_fix(check, CF_LINT_NO_RESTART, cf_field_of(check, KP_LIVENESS, ""),
                  KP_TEXT("its probe fails: it is killed, and nothing runs again"), &fix);
}

/* ---- no readiness ---------------------------------------------------------------------------- */

static bool is_job(const struct cf_container_check *check)
{
    struct kp_text kind = check->pod_check->pod->kind;

    return kp_text_equal(kind, KP_TEXT("Job")) || kp_text_equal(kind, KP_TEXT("CronJob"));
}

/* The first port that a connection can be opened to; 0: it has none. */
static int32_t tcp_port(const struct kp_container *container)
{
    for (size_t i = 0; i < container->port_count; i++)
        if (container->ports[i].protocol.len == 0 ||
            kp_text_equal(container->ports[i].protocol, KP_TEXT("TCP")))
            return container->ports[i].container_port;
    return 0;
}

/* It serves, and no probe checks whether it does: one like its liveness probe, or of its port. */
static void check_no_readiness(const struct cf_container_check *check)
{
    const struct kp_container *container = check->container;
    struct cf_arena *arena = check->pod_check->arena;
    struct cf_world world = cf_world_at(check, CF_STARTS_SLOWLY, 10 * KP_NS_PER_S);
    struct cf_fix fix = {0};
    struct cf_trial trial;
    struct kp_probe *probe;

    if (container->probes[KP_READINESS] || container->probes[KP_STARTUP] || is_job(check) ||
        container->kind != KP_REGULAR || tcp_port(container) == 0)
        return;
    probe = container->probes[KP_LIVENESS] ? cf_fix_add(&fix, container, KP_READINESS, KP_LIVENESS)
                                           : cf_fix_add_tcp(&fix, tcp_port(container));
    probe->period_s = 5;
    probe->failure_threshold = 3;
    cf_fix_settle(&fix, KP_READINESS);
    cf_keep_out_first(check, &fix);
    world.spared[KP_LIVENESS] = true;
    if (!cf_try(check, &world, &fix, &trial) || !cf_saw(&trial.before, CF_SEEN_READY) ||
        !cf_saw(&trial.after, CF_SEEN_READY) ||
        trial.before.at_ns[CF_SEEN_READY] >= trial.after.at_ns[CF_SEEN_READY])
        return;
    cf_advise_fix(check, CF_LINT_NO_READINESS, KP_TEXT(""),
                  cf_arena_format(arena,
                                  "it answers 10 s after its start: ready after %s all the "
                                  "same; with a readiness probe after %s",
                                  cf_about(arena, cf_age(&trial.before, CF_SEEN_READY)).bytes,
                                  cf_about(arena, cf_age(&trial.after, CF_SEEN_READY)).bytes),
                  &fix);
}

void cf_check_ends(const struct cf_container_check *check)
{
    check_grace(check);
    check_pre_stop(check);
    check_pre_stop_of(check, KP_LIVENESS);
    check_pre_stop_of(check, KP_STARTUP);
    check_restart(check);
    check_no_readiness(check);
}
