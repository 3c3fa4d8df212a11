/*
 * budget_net_test.c: what a budget promises of pods whose containers start late, or are seen late:
 * behind hooks, pulls, sidecars and neighbours.  They are played as `simulate` plays them, and all
 * that a node leaves to chance is drawn at random, for the other containers, too.
 */
#include "conformance/pod/manifest.h"
#include "conformance/simulate/budget.h"
#include "conformance/simulate/worlds.h"
#include "conformance/text/out.h"
#include "fakes/engine_impl.h"
#include "fakes/seed.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <stdlib.h>

#define MS KP_NS_PER_MS
#define PPB INT64_C(1000000000)
#define LONG_NS (48 * 3600 * KP_NS_PER_S)

enum { ROWS_MAX = 12 };

/* One container of a pod, and plays of it. */
struct net {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    const struct kp_pod *pod;
    const struct cf_container_budget *budget;
    struct fake_seed seed;
    const char *k8s;
    struct kp_text yaml;
};

/* What is seen of it in a play: KP_NEVER. */
struct sights {
    int container;
    int64_t from_ns; /* kills, and that it is not ready, are looked at from then on */
    int64_t runs_ns, ready_ns, unready_ns, killed_ns;
    bool ready, unready, killed; /* at an instant that is not known yet */
};

static void on_effect(void *ctx, const struct kp_effect *effect)
{
    struct sights *seen = ctx;

    if (effect->container != seen->container)
        return;
    seen->killed |= effect->kind == KP_EFFECT_KILL;
    if (effect->kind == KP_EFFECT_READY && effect->u.value)
        seen->ready = true;
    if (effect->kind == KP_EFFECT_READY && !effect->u.value)
        seen->unready = true;
}

static void note(bool *pending, int64_t *first_ns, int64_t at_ns)
{
    if (*pending && *first_ns == KP_NEVER)
        *first_ns = at_ns;
    *pending = false;
}

static void on_instant(void *ctx, int64_t at_ns)
{
    struct sights *seen = ctx;

    note(&seen->ready, &seen->ready_ns, at_ns);
    if (at_ns < seen->from_ns)
        seen->killed = seen->unready = false;
    note(&seen->killed, &seen->killed_ns, at_ns);
    note(&seen->unready, &seen->unready_ns, at_ns);
}

static void on_event(void *ctx, int64_t at_ns, const struct kp_event *event)
{
    struct sights *seen = ctx;

    if (event->kind == KP_EVENT_RUNNING && event->container == seen->container &&
        seen->runs_ns == KP_NEVER)
        seen->runs_ns = at_ns;
}

static size_t draw_waits(struct net *net, struct fake_jitter_row *rows)
{
    size_t count = 0;

    for (size_t i = 0; i < kp_pod_container_count(net->pod); i++)
        for (int type = 0; type < KP_PROBE_TYPES && count < ROWS_MAX; type++) {
            const struct kp_probe *probe = net->pod->containers[i].probes[type];

            if (probe)
                rows[count++] =
                    (struct fake_jitter_row){.container = net->pod->containers[i].name,
                                             .type = (enum kp_probe_type)type,
                                             .delay_ppb = fake_seed_below(&net->seed, PPB)};
        }
    return count;
}

/* In the world that was said, with draws of its own. */
static struct sights play(struct net *net, const struct cf_world_said *said, size_t said_count,
                          int64_t from_ns, int64_t end_ns)
{
    static const int64_t pulls_ms[] = {0, 0, 417, 2300, 12345};
    struct sights seen = {.container = net->budget->container,
                          .from_ns = from_ns,
                          .runs_ns = KP_NEVER,
                          .ready_ns = KP_NEVER,
                          .unready_ns = KP_NEVER,
                          .killed_ns = KP_NEVER};
    struct fake_engine_impl impl = {.mem = net->arena->mem};
    struct fake_jitter_row rows[ROWS_MAX];
    const struct kp_pod *const pods[] = {net->pod};
    struct cf_sim_script made;
    struct cf_worlds worlds;
    struct kp_text unknown;
    struct fake_run run = {.end_ns = end_ns, .observer = {on_effect, on_instant, on_event, &seen}};

    CHECK_INT(cf_sim_script_make(net->arena, net->profile, net->pod, 0,
                                 pulls_ms[fake_seed_below(&net->seed, 5)] * MS, &made),
              KP_OK);
    CHECK_INT(cf_worlds_make(net->arena, net->pod, said, said_count, &worlds, &unknown), KP_OK);
    run.script = made.script;
    CHECK_INT(cf_worlds_apply(net->arena, net->profile, net->pod, &worlds, &run.script), KP_OK);
    run.impl = fake_engine_impl_interface(&impl);
    run.open = (struct fake_open){.layer = FAKE_LAYER_POD,
                                  .profile = net->profile,
                                  .pods = pods,
                                  .pod_count = 1,
                                  .uptime_ns = fake_seed_below(&net->seed, 1000) * MS,
                                  .wall_ns = fake_seed_below(&net->seed, 1000) * MS,
                                  .sync_frequency_ns = 60 * KP_NS_PER_S,
                                  .requeue_ppb = fake_seed_below(&net->seed, 2) * (PPB - 1),
                                  .jitter = FAKE_JITTER_MAP,
                                  .jitter_rows = rows,
                                  .jitter_row_count = draw_waits(net, rows)};
    CHECK_INT(fake_world_run(&run, net->arena->mem), FAKE_END_DONE);
    return seen;
}

static struct cf_world_said said_of(const struct net *net, enum cf_world_word word, int64_t ns)
{
    return (struct cf_world_said){word, net->pod->containers[net->budget->container].name, ns};
}

static void check(struct net *net, bool holds, const char *what, int64_t got_ns,
                  const struct cf_time_range *range)
{
    if (!CHECK(holds))
        printf("  %.*s on %s: %s: %lld ms, and the budget says %lld to %lld ms\n%.*s\n",
               KP_ARG(net->pod->containers[net->budget->container].name), net->k8s, what,
               (long long)(got_ns / MS), (long long)(range->earliest_ns / MS),
               (long long)(range->latest_ns / MS), KP_ARG(net->yaml));
}

/* at_ns: KP_NEVER where it was not seen. */
static void within(struct net *net, const struct cf_time_range *range, int64_t at_ns,
                   int64_t from_ns, const char *what)
{
    check(net,
          at_ns == KP_NEVER
              ? range->earliest_ns == KP_NEVER
              : at_ns - from_ns >= range->earliest_ns && at_ns - from_ns <= range->latest_ns,
          what, at_ns == KP_NEVER ? -MS : at_ns - from_ns, range);
}

static int64_t horizon_ns(const struct net *net)
{
    return cf_budget_horizon_ns(net->pod, net->budget->container) + 20 * KP_NS_PER_S;
}

/* Nothing is killed that answers at the earliest or sooner; all is that answers behind the latest.
 */
static void starts_keep_to_it(struct net *net)
{
    const struct cf_time_range *start = &net->budget->start;
    struct cf_world_said said = said_of(net, CF_STARTS_IN, LONG_NS);
    struct sights seen;

    if (start->earliest_ns == KP_NEVER) {
        seen = play(net, &said, 1, 0, horizon_ns(net));
        check(net, seen.killed_ns == KP_NEVER, "is killed", seen.killed_ns, start);
        return;
    }
    said.ns =
        start->earliest_ns - fake_seed_below(&net->seed, 2) * (start->earliest_ns / 3 / MS * MS);
    seen = play(net, &said, 1, 0, horizon_ns(net) + start->earliest_ns);
    check(net, seen.killed_ns == KP_NEVER, "is killed in spite of", said.ns, start);
    said.ns = start->latest_ns + MS;
    seen = play(net, &said, 1, 0, horizon_ns(net) + start->latest_ns);
    check(net, seen.killed_ns != KP_NEVER, "is not killed in spite of", said.ns, start);
}

/* A sidecar's kill may wait for the hook of another container; and so does any for the next sync
 * where results start none. */
static void lives_keep_to_it(struct net *net)
{
    const struct cf_time_range *killed = &net->budget->killed;
    struct cf_world_said said = said_of(net, CF_STARTS_IN, LONG_NS);
    struct sights seen;

    if (net->pod->containers[net->budget->container].kind != KP_REGULAR ||
        !net->profile->probe_sync || killed->earliest_ns == KP_NEVER)
        return;
    seen = play(net, &said, 1, 0, horizon_ns(net) + killed->latest_ns);
    within(net, killed, seen.killed_ns, seen.runs_ns, "never answers, is killed");
}

/* Whenever it answers, at once or later; where its times count from its start, at once. */
static void readiness_keeps_to_it(struct net *net)
{
    const struct kp_container *container = &net->pod->containers[net->budget->container];
    const struct cf_time_range *start = &net->budget->start;
    int64_t most_ns = start->earliest_ns == KP_NEVER ? 100 * KP_NS_PER_S : start->earliest_ns;
    struct cf_world_said said =
        said_of(net, CF_STARTS_IN, fake_seed_below(&net->seed, most_ns / MS + 1) * MS);
    struct sights seen;

    if (!container->probes[KP_READINESS] && !container->probes[KP_STARTUP])
        return;
    if (net->budget->ready_from_start || fake_seed_below(&net->seed, 3) == 0)
        said.ns = 0;
    seen = play(net, &said, said.ns > 0, 0, horizon_ns(net) + most_ns);
    within(net, &net->budget->ready, seen.ready_ns, seen.runs_ns + said.ns, "is ready");
}

static void troubles_keep_to_it(struct net *net)
{
    int64_t at_ns = horizon_ns(net) + fake_seed_below(&net->seed, 60000) * MS;
    struct cf_world_said said = said_of(net, CF_HANGS_AT, at_ns);
    struct sights seen = play(net, &said, 1, at_ns, at_ns + horizon_ns(net));

    within(net, &net->budget->hangs.term, seen.killed_ns, at_ns, "hangs, SIGTERM");
    if (seen.killed_ns == KP_NEVER)
        within(net, &net->budget->hangs.unready, seen.unready_ns, at_ns, "hangs, not ready");
}

/* Every container's budget against so many plays of each kind. */
static void check_pod(const char *k8s, struct kp_text yaml, int plays)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct kp_profile profile = unit_profile(k8s);
    struct cf_manifest manifest;
    struct cf_budget budget;
    const char *why;

    if (CHECK_INT(cf_manifest_read(&arena, &profile, "p", yaml, &manifest), KP_OK) &&
        CHECK_INT(cf_budget_find(&arena, &profile, manifest.pods[0].pod, &budget, &why), KP_OK))
        for (size_t i = 0; i < budget.count; i++) {
            struct net net = {&arena, &profile, manifest.pods[0].pod, &budget.containers[i], {7},
                              k8s,    yaml};

            for (int k = 0; k < plays; k++) {
                starts_keep_to_it(&net);
                lives_keep_to_it(&net);
                readiness_keeps_to_it(&net);
                readiness_keeps_to_it(&net);
                troubles_keep_to_it(&net);
            }
        }
    cf_arena_deinit(&arena);
}

/* ---- random pods ------------------------------------------------------------------------------
 */

/* What a version takes. */
struct draw {
    struct fake_seed seed;
    bool sleeps; /* a hook may be a sleep */
    bool sidecars;
    int handlers;
};

static void put_probe(struct cf_out *out, struct draw *draw, const char *type, bool sidecar)
{
    static const char *const handlers[] = {"exec: {command: [a]}", "httpGet: {port: 80}",
                                           "tcpSocket: {port: 80}", "grpc: {port: 80}"};

    cf_out_printf(out, ", %s: {%s, periodSeconds: %d, timeoutSeconds: %d, failureThreshold: %d",
                  type, handlers[fake_seed_below(&draw->seed, draw->handlers)],
                  (int)fake_seed_below(&draw->seed, 12) + 1,
                  (int)fake_seed_below(&draw->seed, 3) + 1,
                  (int)fake_seed_below(&draw->seed, 5) + 1);
    cf_out_printf(out, ", initialDelaySeconds: %d}",
                  sidecar ? (int)fake_seed_below(&draw->seed, 4)
                          : (int)(fake_seed_below(&draw->seed, 2) == 0) *
                                (int)fake_seed_below(&draw->seed, 20));
}

static void put_post_start(struct cf_out *out, struct draw *draw)
{
    int seconds = (int)fake_seed_below(&draw->seed, 30) + 1;

    if (draw->sleeps && fake_seed_below(&draw->seed, 2) == 0)
        cf_out_printf(out, ", lifecycle: {postStart: {sleep: {seconds: %d}}}", seconds);
    else
        cf_out_printf(out, ", lifecycle: {postStart: {exec: {command: [sleep, '%d']}}}", seconds);
}

static void put_container(struct cf_out *out, struct draw *draw, const char *name, int probes)
{
    static const char *const types[] = {"livenessProbe", "readinessProbe", "startupProbe"};

    cf_out_printf(out, "{name: %s, image: 'b:1', imagePullPolicy: %s%s", name,
                  probes > 0 && name[0] == 'c' && fake_seed_below(&draw->seed, 3) == 0
                      ? "Always"
                      : "IfNotPresent",
                  name[0] == 's' ? ", restartPolicy: Always" : "");
    if (fake_seed_below(&draw->seed, 3) == 0)
        put_post_start(out, draw);
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        if (fake_seed_below(&draw->seed, 3) < probes)
            put_probe(out, draw, types[type], name[0] == 's');
    cf_out_put_string(out, "}");
}

static void put_pod(struct cf_out *out, struct draw *draw)
{
    cf_out_printf(out,
                  "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: "
                  "{terminationGracePeriodSeconds: %d, initContainers: [",
                  (int)fake_seed_below(&draw->seed, 40) + 1);
    if (fake_seed_below(&draw->seed, 4) == 0)
        cf_out_put_string(out, fake_seed_below(&draw->seed, 2)
                                   ? "{name: i, image: 'b:1'}, "
                                   : "{name: i, image: 'b:1'}, {name: j, image: 'b:1'}, ");
    for (int i = 0; draw->sidecars && i < 2; i++)
        if (fake_seed_below(&draw->seed, 4) == 0) {
            put_container(out, draw, i ? "s2" : "s1", 2);
            cf_out_put_string(out, ", ");
        }
    cf_out_put_string(out, "], containers: [");
    if (fake_seed_below(&draw->seed, 4) == 0) {
        put_container(out, draw, "before", 0);
        cf_out_put_string(out, ", ");
    }
    put_container(out, draw, "c", 2);
    if (fake_seed_below(&draw->seed, 4) == 0) {
        cf_out_put_string(out, ", ");
        put_container(out, draw, "after", 0);
    }
    cf_out_put_string(out, "]}}");
}

static void late_pods_keep_to_their_budgets(void)
{
    static const char *const versions[] = {"1.36", "1.33", "1.29", "1.28", "1.22", "1.18"};
    struct draw draw = {.seed = {29}};

    for (int i = 0; i < (getenv("UNDER_VALGRIND") ? 6 : 90); i++) {
        struct cf_out yaml = {0};

        draw.sleeps = i % 6 < 2;
        draw.sidecars = i % 6 < 3;
        draw.handlers = i % 6 < 4 ? 4 : 3;
        put_pod(&yaml, &draw);
        check_pod(versions[i % 6], cf_out_text(&yaml), 3);
        cf_out_deinit(&yaml);
    }
}

/* ---- given pods -------------------------------------------------------------------------------
 */

#define POD(spec) "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {" spec "}}"
#define GET "httpGet: {port: 80}"

/* Pods whose budgets were wrong once. */
static void these_pods_keep_to_their_budgets(void)
{
    static const char *const pods[] = {
        /* A hook that lasts longer than both periods. */
        POD("containers: [{name: c, image: 'b:1', lifecycle: {postStart: {exec: {command: [sleep, "
            "'25']}}}, livenessProbe: {" GET "}, readinessProbe: {" GET ", periodSeconds: 5}}]"),
        /* Started by a sidecar's answer, not by a relist; ready by ticks that a trigger has put. */
        POD("initContainers: [{name: i, image: 'b:1'}, {name: s, image: 'b:1', restartPolicy: "
            "Always, startupProbe: {" GET ", periodSeconds: 1}}], containers: [{name: c, image: "
            "'b:1', readinessProbe: {" GET ", periodSeconds: 20}, livenessProbe: {" GET
            ", initialDelaySeconds: 15, periodSeconds: 5, failureThreshold: 1}}]"),
        POD("initContainers: [{name: i, image: 'b:1'}, {name: j, image: 'b:1'}, {name: k, image: "
            "'b:1'}], containers: [{name: c, image: 'b:1', readinessProbe: {" GET
            ", periodSeconds: 5}}]"),
        /* Refused attempts that last longer than a period. */
        POD("containers: [{name: c, image: 'b:1', startupProbe: {grpc: {port: 80}, periodSeconds: "
            "3, timeoutSeconds: 4, failureThreshold: 4}}]"),
    };

    for (size_t i = 0; i < sizeof pods / sizeof pods[0]; i++)
        check_pod("1.36", kp_text_of(pods[i]), getenv("UNDER_VALGRIND") ? 2 : 40);
}

const struct unit_test budget_net_test[] = {
    {"late pods keep to their budgets", late_pods_keep_to_their_budgets},
    {"these pods keep to their budgets", these_pods_keep_to_their_budgets},
    {0},
};
