/*
 * check_time.c: checks that play: each plays a world in which something bad happens as
 * the container is, and does not with the change that is advised.  What is not so is not reported.
 */
#include "conformance/advice/lint_check.h"

#include "conformance/text/human.h"

#include <string.h>

#define SLOW_START_S 30 /* a start that is not unusual: of a JVM, a database, a cold cache */
#define OUTAGE_S 30     /* of a dependency: a failover, a rolling update */
#define WORTH_NS (20 * KP_NS_PER_S) /* sooner by less is not worth a change */
#define SOON_NS (5 * KP_NS_PER_S)
#define EARLY_HANG_NS (10700 * KP_NS_PER_MS)
#define THRESHOLD_MAX 1000000 /* more than anybody means */
#define EXEC_TAKES_NS (3 * KP_NS_PER_S / 2)

static int64_t at_least(int64_t number, int64_t least)
{
    return number > least ? number : least;
}

/* The least number of periods that lasts so long. */
static int32_t periods(int64_t seconds, int32_t period_s)
{
    int64_t count = (seconds + period_s - 1) / period_s;

    return count < THRESHOLD_MAX ? (int32_t)count : THRESHOLD_MAX;
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* As long a start as its own readiness probe waits for, where that is longer. */
static int64_t slow_start_s(const struct kp_container *container)
{
    const struct kp_probe *readiness = container->probes[KP_READINESS];

    return at_least(readiness ? readiness->initial_delay_s : 0, SLOW_START_S);
}

/* Where there is a startup probe it gets more attempts, else there is one; a delay where there is
 * none yet. */
static enum kp_probe_type widen_start(const struct cf_container_check *check, struct cf_fix *fix,
                                      int64_t start_s)
{
    const struct kp_container *container = check->container;
    struct kp_probe *probe;

    if (container->probes[KP_STARTUP]) {
        probe = cf_fix_change(fix, container, KP_STARTUP, CF_FIX_FAILURE);
        probe->failure_threshold = periods(2 * start_s, probe->period_s) + 1;
        return KP_STARTUP;
    }
    if (cf_has_gate(check, KP_GATE_StartupProbe)) {
        probe = cf_fix_add(fix, container, KP_STARTUP, KP_LIVENESS);
        probe->period_s = probe->period_s < 10 ? probe->period_s : 10;
        cf_fix_settle(fix, KP_STARTUP);
        probe->failure_threshold = periods(at_least(2 * start_s, 300), probe->period_s);
        return KP_LIVENESS;
    }
    probe = cf_fix_change(fix, container, KP_LIVENESS, CF_FIX_DELAY);
    probe->initial_delay_s = (int32_t)(2 * start_s);
    return KP_LIVENESS;
}

/* Whether so slow a start is killed at all by chance, and in no case with the change. */
static bool may_be_killed(const struct cf_container_check *check, const struct cf_fix *fix,
                          int64_t start_s, struct cf_promises *promises)
{
    return cf_promise(check, fix, CF_BUDGET_START, promises) &&
           promises->before.start.earliest_ns < start_s * KP_NS_PER_S &&
           promises->after.start.earliest_ns >= start_s * KP_NS_PER_S;
}

static void report_promise(const struct cf_container_check *check, enum kp_probe_type type,
                           const struct cf_promises *promises, const struct cf_fix *fix)
{
    struct cf_arena *arena = check->pod_check->arena;
    struct cf_out out = {0};

    cf_out_put_string(&out, "a start of up to ");
    cf_put_duration(&out, promises->before.start.earliest_ns, false);
    cf_out_put_string(&out, " is safe, up to ");
    cf_put_duration(&out, promises->before.start.latest_ns, true);
    cf_out_put_string(&out, " at risk, a slower one killed each time; with the change ");
    if (promises->after.start.earliest_ns == KP_NEVER) {
        cf_out_put_string(&out, "any is safe");
    } else {
        cf_out_put_string(&out, "up to ");
        cf_put_duration(&out, promises->after.start.earliest_ns, false);
        cf_out_put_string(&out, " is safe");
    }
    cf_advise_fix(check, CF_LINT_SLOW_START, cf_field_of(check, type, ""),
                  cf_arena_text(arena, cf_out_text(&out)), fix);
    cf_out_deinit(&out);
}

static void check_slow_start(const struct cf_container_check *check)
{
    const struct kp_container *container = check->container;
    struct cf_arena *arena = check->pod_check->arena;
    int64_t start_s = slow_start_s(container);
    struct cf_world world = cf_world_at(check, CF_STARTS_SLOWLY, start_s * KP_NS_PER_S);
    struct cf_fix fix = {0};
    struct cf_trial trial;
    struct cf_promises promises;
    enum kp_probe_type type;

    if (!container->probes[KP_LIVENESS] && !container->probes[KP_STARTUP])
        return;
    type = widen_start(check, &fix, start_s);
    world.until = CF_SEEN_KILLED;
    if (!cf_try(check, &world, &fix, &trial) || cf_saw(&trial.after, CF_SEEN_KILLED))
        return;
    if (!cf_saw(&trial.before, CF_SEEN_KILLED)) {
        if (may_be_killed(check, &fix, start_s, &promises))
            report_promise(check, type, &promises, &fix);
        return;
    }
    cf_advise_fix(
        check, CF_LINT_SLOW_START, cf_field_of(check, type, ""),
        cf_arena_format(arena,
                        "a start that takes %lld s%s is killed after %s, at each start: it never "
                        "gets through",
                        (long long)start_s,
                        start_s > SLOW_START_S ? ", which its readiness probe waits for," : "",
                        cf_about(arena, cf_age(&trial.before, CF_SEEN_KILLED)).bytes),
        &fix);
}

/* What hangs soon after its start. */
static void check_delay(const struct cf_container_check *check)
{
    const struct kp_container *container = check->container;
    const struct kp_probe *liveness = container->probes[KP_LIVENESS];
    struct cf_arena *arena = check->pod_check->arena;
    struct cf_world world = cf_world_at(check, CF_HANGS, EARLY_HANG_NS);
    struct cf_fix fix = {0};
    struct cf_trial trial;
    struct kp_probe *startup;

    if (!liveness || liveness->initial_delay_s < SLOW_START_S || container->probes[KP_STARTUP] ||
        !cf_has_gate(check, KP_GATE_StartupProbe))
        return;
    startup = cf_fix_add(&fix, container, KP_STARTUP, KP_LIVENESS);
    startup->period_s = startup->period_s < 5 ? startup->period_s : 5;
    cf_fix_settle(&fix, KP_STARTUP);
    startup->failure_threshold = periods(
        liveness->initial_delay_s + (int64_t)liveness->failure_threshold * liveness->period_s,
        startup->period_s);
    cf_fix_change(&fix, container, KP_LIVENESS, CF_FIX_DELAY)->initial_delay_s = 0;
    world.until = CF_SEEN_KILLED;
    if (!cf_try(check, &world, &fix, &trial) || !cf_saw(&trial.after, CF_SEEN_KILLED) ||
        trial.before.at_ns[CF_SEEN_KILLED] < trial.after.at_ns[CF_SEEN_KILLED] + WORTH_NS)
        return;
    cf_advise_fix(
        check, CF_LINT_DELAY_GUARDS, cf_field_of(check, KP_LIVENESS, "initialDelaySeconds"),
        cf_arena_format(arena,
                        "what hangs 10 s after a start is killed %s later; a startup probe "
                        "guards as slow a start, and it is killed after %s",
                        cf_about(arena, cf_after(&trial.before, &world, CF_SEEN_KILLED)).bytes,
                        cf_about(arena, cf_after(&trial.after, &world, CF_SEEN_KILLED)).bytes),
        &fix);
}

/* ---- liveness and readiness ------------------------------------------------------------------ */

static bool same_port(const struct kp_int_or_string *a, const struct kp_int_or_string *b)
{
    return a->kind == b->kind && a->number == b->number && kp_text_equal(a->string, b->string);
}

static bool same_command(const struct kp_text_list *a, const struct kp_text_list *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!kp_text_equal(a->items[i], b->items[i]))
            return false;
    return true;
}

static bool same_handler(const struct kp_handler *a, const struct kp_handler *b)
{
    if (a->exec && b->exec)
        return same_command(&a->exec->command, &b->exec->command);
    if (a->http_get && b->http_get)
        return kp_text_equal(a->http_get->path, b->http_get->path) &&
               kp_text_equal(a->http_get->scheme, b->http_get->scheme) &&
               same_port(&a->http_get->port, &b->http_get->port);
    if (a->tcp_socket && b->tcp_socket)
        return same_port(&a->tcp_socket->port, &b->tcp_socket->port);
    return a->grpc && b->grpc && a->grpc->port == b->grpc->port &&
           kp_text_equal(a->grpc->service, b->grpc->service);
}

static bool has_both(const struct kp_container *container)
{
    return container->probes[KP_LIVENESS] && container->probes[KP_READINESS];
}

/* A timeout beyond the period, for which trouble is noticed later: with the period as timeout. */
struct late {
    enum cf_observation noticed;
    struct cf_world world;
    struct cf_fix fix;
    struct cf_trial trial;
};

static bool is_noticed_late(const struct cf_container_check *check, enum kp_probe_type type,
                            struct late *late)
{
    const struct kp_container *container = check->container;
    const struct kp_probe *probe = container->probes[type];
    int64_t from_ns = type == KP_STARTUP ? 0 : cf_settled_ns(container);

    if (!probe || probe->timeout_s <= probe->period_s)
        return false;
    *late = (struct late){.noticed = type == KP_READINESS ? CF_SEEN_UNREADY : CF_SEEN_KILLED,
                          .world = cf_world_at(check, CF_HANGS, from_ns)};
    for (int other = 0; other < KP_PROBE_TYPES; other++)
        late->world.spared[other] = other != (int)type;
    cf_fix_change(&late->fix, container, type, CF_FIX_TIMEOUT);
    cf_fix_settle(&late->fix, type);
    /* A refused gRPC attempt takes its timeout (P-129): with a shorter one starts are cut short. */
    if (probe->handler.grpc && type != KP_READINESS &&
        (type == KP_STARTUP || !container->probes[KP_STARTUP]))
        widen_start(check, &late->fix, slow_start_s(container));
    cf_keep_out_first(check, &late->fix);
    return cf_try(check, &late->world, &late->fix, &late->trial) &&
           cf_saw(&late->trial.before, late->noticed) &&
           late->trial.before.at_ns[late->noticed] > late->trial.after.at_ns[late->noticed];
}

/* More attempts bring a timeout to light that was none the worse before. */
static void settle(const struct cf_container_check *check, struct cf_fix *fix,
                   enum kp_probe_type type)
{
    const struct kp_probe *probe = &fix->of[type].probe;
    struct late late;

    if (probe->timeout_s > probe->period_s && !is_noticed_late(check, type, &late))
        cf_fix_settle(fix, type);
}

static void check_long_timeout(const struct cf_container_check *check, enum kp_probe_type type)
{
    struct cf_arena *arena = check->pod_check->arena;
    struct late late;

    if (!is_noticed_late(check, type, &late))
        return;
    cf_advise_fix(
        check, CF_LINT_TIMEOUT_LONG, cf_field_of(check, type, "timeoutSeconds"),
        cf_arena_format(
            arena, "it hangs: %s after %s; with its period as timeout after %s",
            type == KP_READINESS ? "out of its Service" : "SIGTERM",
            cf_about(arena, cf_after(&late.trial.before, &late.world, late.noticed)).bytes,
            cf_about(arena, cf_after(&late.trial.after, &late.world, late.noticed)).bytes),
        &late.fix);
}

static void check_same(const struct cf_container_check *check)
{
    const struct kp_container *container = check->container;
    struct cf_arena *arena = check->pod_check->arena;
    struct cf_world world = cf_world_at(check, CF_FAILS_A_WHILE, cf_settled_ns(container));
    struct cf_fix fix = {0};
    struct cf_trial trial;
    struct kp_probe *probe;

    if (!has_both(container) || !same_handler(&container->probes[KP_LIVENESS]->handler,
                                              &container->probes[KP_READINESS]->handler))
        return;
    probe = cf_fix_change(&fix, container, KP_LIVENESS, CF_FIX_FAILURE);
    settle(check, &fix, KP_LIVENESS);
    probe->failure_threshold = periods(2 * OUTAGE_S, probe->period_s) + 1;
    world.for_ns = OUTAGE_S * KP_NS_PER_S;
    world.until = CF_SEEN_KILLED;
    if (!cf_try(check, &world, &fix, &trial) || !cf_saw(&trial.before, CF_SEEN_KILLED) ||
        cf_saw(&trial.after, CF_SEEN_KILLED))
        return;
    cf_advise_fix(
        check, CF_LINT_SAME, cf_field_of(check, KP_LIVENESS, ""),
        cf_arena_format(
            arena,
            "%d s without an answer to what both ask (a long pause, a backend away): killed after "
            "%s, though readiness already keeps requests away; failureThreshold %d outlasts %d s",
            OUTAGE_S, cf_about(arena, cf_after(&trial.before, &world, CF_SEEN_KILLED)).bytes,
            (int)probe->failure_threshold, 2 * OUTAGE_S),
        &fix);
}

/* With so many attempts liveness comes behind readiness, where it hangs. */
static int32_t attempts_behind(const struct kp_probe *liveness, const struct kp_probe *readiness)
{
    return periods(((int64_t)readiness->failure_threshold + 1) * readiness->period_s +
                       readiness->timeout_s,
                   liveness->period_s) +
           1;
}

static const struct kp_probe *fixed_probe(const struct cf_container_check *check,
                                          const struct cf_fix *fix, enum kp_probe_type type)
{
    return fix->of[type].fields ? &fix->of[type].probe : check->container->probes[type];
}

void cf_keep_out_first(const struct cf_container_check *check, struct cf_fix *fix)
{
    const struct kp_container *container = check->container;
    struct cf_world world = cf_world_at(check, CF_HANGS, cf_settled_ns(container));
    const struct kp_probe *liveness = fixed_probe(check, fix, KP_LIVENESS);
    const struct kp_probe *readiness = fixed_probe(check, fix, KP_READINESS);
    struct cf_trial trial;
    unsigned fields = fix->of[KP_LIVENESS].fields;

    if (!liveness || !readiness)
        return;
    world.ignores_term = true;
    if (!cf_try(check, &world, fix, &trial) || !cf_saw(&trial.after, CF_SEEN_KILLED) ||
        trial.after.at_ns[CF_SEEN_KILLED] >= trial.after.at_ns[CF_SEEN_UNREADY] ||
        (fix->of[KP_READINESS].fields == 0 &&
         trial.before.at_ns[CF_SEEN_KILLED] < trial.before.at_ns[CF_SEEN_UNREADY]))
        return;
    if (fields == 0)
        cf_fix_change(fix, container, KP_LIVENESS, CF_FIX_FAILURE);
    fix->of[KP_LIVENESS].fields |= CF_FIX_FAILURE;
    fix->keeps_out = true;
    cf_fix_settle(fix, KP_LIVENESS);
    fix->of[KP_LIVENESS].probe.failure_threshold =
        attempts_behind(&fix->of[KP_LIVENESS].probe, readiness);
}

static void check_service(const struct cf_container_check *check)
{
    const struct kp_container *container = check->container;
    struct cf_arena *arena = check->pod_check->arena;
    struct cf_world world = cf_world_at(check, CF_HANGS, cf_settled_ns(container));
    struct cf_fix fix = {0};
    const struct kp_probe *readiness;
    struct cf_trial trial;
    struct kp_probe *probe;

    if (!has_both(container))
        return;
    readiness = container->probes[KP_READINESS];
    probe = cf_fix_change(&fix, container, KP_LIVENESS, CF_FIX_FAILURE);
    settle(check, &fix, KP_LIVENESS);
    probe->failure_threshold = attempts_behind(probe, readiness);
    world.ignores_term = true;
    world.end_ns = kp_later_ns(world.end_ns,
                               cf_span_ns(2 * (int64_t)probe->failure_threshold * probe->period_s));
    if (!cf_try(check, &world, &fix, &trial) || !cf_saw(&trial.after, CF_SEEN_UNREADY) ||
        !cf_saw(&trial.before, CF_SEEN_KILLED) ||
        trial.before.at_ns[CF_SEEN_KILLED] >= trial.before.at_ns[CF_SEEN_UNREADY] ||
        trial.after.at_ns[CF_SEEN_UNREADY] >= trial.after.at_ns[CF_SEEN_KILLED] ||
        trial.after.at_ns[CF_SEEN_UNREADY] < trial.before.at_ns[CF_SEEN_KILLED] + SOON_NS)
        return;
    cf_advise_fix(
        check, CF_LINT_IN_SERVICE, cf_field_of(check, KP_LIVENESS, ""),
        cf_arena_format(arena,
                        "it hangs: SIGTERM after %s, while its Service still sends it "
                        "requests; with more attempts it is out after %s",
                        cf_about(arena, cf_after(&trial.before, &world, CF_SEEN_KILLED)).bytes,
                        cf_about(arena, cf_after(&trial.after, &world, CF_SEEN_UNREADY)).bytes),
        &fix);
}

/* ---- thresholds ------------------------------------------------------------------------------ */

/* One answer is lost, or the first one comes before it has started. */
static void check_one(const struct cf_container_check *check, enum kp_probe_type type)
{
    const struct kp_container *container = check->container;
    const struct kp_probe *probe = container->probes[type];
    struct cf_arena *arena = check->pod_check->arena;
    struct cf_world world = cf_world_at(check, CF_FAILS_A_WHILE, cf_settled_ns(container));
    struct cf_fix fix = {0};
    struct cf_trial trial;

    if (!probe || probe->failure_threshold != 1 || type == KP_READINESS)
        return;
    if (type == KP_STARTUP)
        world = cf_world_at(check, CF_STARTS_SLOWLY,
                            cf_span_ns((int64_t)probe->initial_delay_s + probe->period_s + 2));
    world.lost = 1;
    world.until = CF_SEEN_KILLED;
    cf_fix_change(&fix, container, type, CF_FIX_FAILURE)->failure_threshold =
        type == KP_STARTUP ? 30 : 3;
    settle(check, &fix, type);
    if (!cf_try(check, &world, &fix, &trial) || !cf_saw(&trial.before, CF_SEEN_KILLED) ||
        cf_saw(&trial.after, CF_SEEN_KILLED))
        return;
    cf_advise_fix(check, CF_LINT_ONE_KILLS, cf_field_of(check, type, "failureThreshold"),
                  cf_arena_format(arena, "%s: SIGTERM after %s",
                                  type == KP_STARTUP ? "it has not started when it is first asked"
                                                     : "one answer that fails or comes too late",
                                  cf_about(arena, cf_after(&trial.before, &world, CF_SEEN_KILLED) +
                                                      (type == KP_STARTUP ? world.at_ns : 0))
                                      .bytes),
                  &fix);
}

static void check_flaps(const struct cf_container_check *check)
{
    const struct kp_container *container = check->container;
    const struct kp_probe *readiness = container->probes[KP_READINESS];
    struct cf_arena *arena = check->pod_check->arena;
    struct cf_world world = cf_world_at(check, CF_FAILS_A_WHILE, cf_settled_ns(container));
    struct cf_fix fix = {0};
    struct cf_trial trial;

    if (!readiness || readiness->failure_threshold != 1)
        return;
    world.lost = 2; /* from 1.22 on the second probe comes at once (P-164) */
    world.spared[KP_LIVENESS] = world.spared[KP_STARTUP] = true;
    cf_fix_change(&fix, container, KP_READINESS, CF_FIX_FAILURE)->failure_threshold = 3;
    cf_keep_out_first(check, &fix);
    if (!cf_try(check, &world, &fix, &trial) || !cf_saw(&trial.before, CF_SEEN_UNREADY) ||
        !cf_saw(&trial.before, CF_SEEN_READY_LAST) || cf_saw(&trial.after, CF_SEEN_UNREADY))
        return;
    cf_advise_fix(
        check, CF_LINT_FLAPS, cf_field_of(check, KP_READINESS, "failureThreshold"),
        cf_arena_format(arena,
                        "a pause that loses two answers: no requests for %s, in all replicas "
                        "at once where they ask the same dependency",
                        cf_about(arena, trial.before.at_ns[CF_SEEN_READY_LAST] -
                                            trial.before.at_ns[CF_SEEN_UNREADY])
                            .bytes),
        &fix);
}

/* ---- timeouts -------------------------------------------------------------------------------- */

static void check_exec_timeout(const struct cf_container_check *check, enum kp_probe_type type)
{
    static const char *const then[] = {[KP_LIVENESS] = "SIGTERM after",
                                       [KP_READINESS] = "never ready",
                                       [KP_STARTUP] = "SIGTERM after"};
    const struct kp_container *container = check->container;
    const struct kp_probe *probe = container->probes[type];
    struct cf_arena *arena = check->pod_check->arena;
    struct cf_world world = cf_world_at(check, CF_ANSWERS_SLOWLY, 0);
    struct kp_text when = KP_TEXT("");
    struct cf_fix fix = {0};
    struct cf_trial trial;

    if (!probe || !probe->handler.exec || probe->timeout_s != 1)
        return;
    for (int other = 0; other < KP_PROBE_TYPES; other++)
        world.spared[other] = other != (int)type;
    world.takes_ns = EXEC_TAKES_NS;
    cf_fix_change(&fix, container, type, CF_FIX_TIMEOUT);
    cf_fix_settle(&fix, type);
    cf_keep_out_first(check, &fix);
    if (!cf_try(check, &world, &fix, &trial) ||
        (type == KP_READINESS ? cf_saw(&trial.before, CF_SEEN_READY)
                              : !cf_saw(&trial.before, CF_SEEN_KILLED)) ||
        cf_saw(&trial.after, CF_SEEN_KILLED) || !cf_saw(&trial.after, CF_SEEN_READY))
        return;
    if (type != KP_READINESS)
        when = cf_arena_format(arena, " %s",
                               cf_about(arena, cf_age(&trial.before, CF_SEEN_KILLED)).bytes);
    cf_advise_fix(check, CF_LINT_EXEC_TIMEOUT, cf_field_of(check, type, "timeoutSeconds"),
                  cf_arena_format(arena,
                                  "a command that takes 1.5 s, as its own start may on a busy "
                                  "node: %s%s",
                                  then[type], when.bytes),
                  &fix);
}

/* The command itself has to end in time: `timeout` of coreutils or busybox. */
static struct kp_text timeout_fix(const struct cf_container_check *check, enum kp_probe_type type)
{
    const struct kp_container *container = check->container;
    const struct kp_probe *probe = container->probes[type];
    struct cf_out out = {0};
    struct kp_text text;

    cf_fix_put_container(&out, container);
    cf_out_printf(&out, "  %s:\n    exec:\n      command: [timeout, \"%d\"", cf_probe_field(type),
                  (int)probe->timeout_s);
    for (size_t i = 0; i < probe->handler.exec->command.count; i++) {
        cf_out_put_string(&out, ", ");
        cf_out_put_json(&out, probe->handler.exec->command.items[i]);
    }
    cf_out_put_string(&out, "]\n");
    text = cf_arena_text(check->pod_check->arena, cf_out_text(&out));
    cf_out_deinit(&out);
    return text;
}

static bool ends_itself(const struct kp_text_list *command)
{
    return command->count > 0 && kp_text_ends(command->items[0], "timeout");
}

static void check_unended(const struct cf_container_check *check)
{
    const struct kp_container *container = check->container;
    const struct kp_probe *probe = container->probes[KP_LIVENESS];
    struct cf_world world = cf_world_at(check, CF_HANGS, cf_settled_ns(container));
    struct cf_fix none = {0};
    struct cf_trial trial;

    if (!probe || !probe->handler.exec || cf_has_gate(check, KP_GATE_ExecProbeTimeout) ||
        ends_itself(&probe->handler.exec->command))
        return;
    world.spared[KP_READINESS] = world.spared[KP_STARTUP] = true;
    if (!cf_try(check, &world, &none, &trial) || cf_saw(&trial.before, CF_SEEN_KILLED))
        return;
    cf_advise_of(
        check, CF_LINT_EXEC_UNENDED, cf_field_of(check, KP_LIVENESS, "timeoutSeconds"),
        cf_arena_format(check->pod_check->arena,
                        "the command hangs with its container: no attempt follows, and "
                        "%s later it has not been killed",
                        cf_seconds(check->pod_check->arena, world.end_ns - world.at_ns).bytes),
        timeout_fix(check, KP_LIVENESS));
}

void cf_check_time(const struct cf_container_check *check)
{
    check_slow_start(check);
    check_delay(check);
    check_same(check);
    check_service(check);
    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        check_one(check, (enum kp_probe_type)type);
        if (type != KP_STARTUP) /* there a late notice costs less than an answer that is cut off */
            check_long_timeout(check, (enum kp_probe_type)type);
        check_exec_timeout(check, (enum kp_probe_type)type);
    }
    check_flaps(check);
    check_unended(check);
}
