/*
 * budget_test.c: each figure of a budget against the world that it speaks of: 1 ms below and 1 ms
 * above it, and within it whatever chance has drawn.
 */
#include "conformance/pod/check.h"
#include "conformance/pod/manifest.h"
#include "conformance/simulate/simulation.h"
#include "conformance/table/case_read.h"
#include "conformance/table/guard.h"
#include "conformance/text/out.h"
#include "fakes/seed.h"
#include "fakes/unit.h"

#include <stdio.h>

#define MS KP_NS_PER_MS
#define DRAWS 12 /* random ones, of each pod */

/* A container, its budget, and plays of it. */
struct probed {
    struct cf_simulation simulation;
    const struct cf_container_budget *budget;
    const struct kp_container *container;
    struct fake_seed seed;
    const char *name; /* for failures */
    bool failed;
};

static struct cf_draws random_draws(struct probed *probed)
{
    struct cf_draws draws = {.relist_ns = fake_seed_below(&probed->seed, 1000) * MS,
                             .wall_ns = fake_seed_below(&probed->seed, 1000) * MS,
                             .late_ns = fake_seed_below(&probed->seed, 2),
                             .start_ns = fake_seed_below(&probed->seed, 3) * 417 * MS};

    for (int type = 0; type < KP_PROBE_TYPES; type++)
        if (probed->container->probes[type])
            draws.wait_ns[type] =
                fake_seed_below(&probed->seed, probed->container->probes[type]->period_s * 1000) *
                MS;
    return draws;
}

static struct cf_seen play(struct probed *probed, struct cf_world world)
{
    struct cf_seen seen;

    world.end_ns =
        world.from_ns + cf_budget_horizon_ns(probed->simulation.pod, probed->simulation.container);
    CHECK_INT(cf_simulation_play(&probed->simulation, &world, &seen), KP_OK);
    return seen;
}

/* Does a start that takes so long get killed?  Only its first instance is looked at. */
static bool dies(struct probed *probed, const struct cf_draws *draws, int64_t age_ns)
{
    struct cf_seen seen = play(probed, (struct cf_world){.draws = *draws,
                                                         .health = CF_STARTS_SLOWLY,
                                                         .at_ns = age_ns,
                                                         .until = CF_SEEN_KILLED});

    return seen.at_ns[CF_SEEN_KILLED] != KP_NEVER;
}

static bool check(struct probed *probed, bool holds, const char *what, const struct cf_draws *draws)
{
    probed->failed |= !holds;
    if (!holds)
        printf("\n  %s: %s: relist %lld wall %lld start %lld waits %lld %lld %lld ms\n",
               probed->name, what, (long long)(draws->relist_ns / MS),
               (long long)(draws->wall_ns / MS), (long long)(draws->start_ns / MS),
               (long long)(draws->wait_ns[0] / MS), (long long)(draws->wait_ns[1] / MS),
               (long long)(draws->wait_ns[2] / MS));
    return CHECK(holds);
}

static void a_start_is_killed_just_beyond(struct probed *probed)
{
    const struct cf_time_range *start = &probed->budget->start;
    const struct cf_draws *low = &probed->budget->start_draws[0];
    const struct cf_draws *high = &probed->budget->start_draws[1];

    if (start->earliest_ns == KP_NEVER) {
        for (int i = 0; i < 3; i++) {
            struct cf_draws draws = random_draws(probed);

            check(probed, !dies(probed, &draws, CF_BUDGET_MAX_NS), "a start is killed", &draws);
        }
        return;
    }
    check(probed, !dies(probed, low, start->earliest_ns), "the earliest is too early", low);
    check(probed, dies(probed, low, start->earliest_ns + MS), "the earliest is too late", low);
    check(probed, !dies(probed, high, start->latest_ns), "the latest is too early", high);
    check(probed, dies(probed, high, start->latest_ns + MS), "the latest is too late", high);
    for (int i = 0; i < DRAWS; i++) {
        struct cf_draws draws = random_draws(probed);

        check(probed, !dies(probed, &draws, start->earliest_ns), "killed before the earliest",
              &draws);
        check(probed, dies(probed, &draws, start->latest_ns + MS), "not killed after the latest",
              &draws);
    }
}

/* ns: -1 where it was not seen. */
static void within(struct probed *probed, const struct cf_time_range *range, int64_t ns,
                   const char *what, const struct cf_draws *draws)
{
    bool holds = range->earliest_ns == KP_NEVER
                     ? ns < 0
                     : ns >= range->earliest_ns && ns <= range->latest_ns;

    if (!check(probed, holds, what, draws))
        printf("  %lld ms, and not from %lld to %lld\n", (long long)(ns / MS),
               (long long)(range->earliest_ns / MS), (long long)(range->latest_ns / MS));
}

static void it_is_ready_within(struct probed *probed)
{
    for (int i = 0; i < DRAWS; i++) {
        struct cf_draws draws = random_draws(probed);
        struct cf_seen seen =
            play(probed, (struct cf_world){.draws = draws, .until = CF_SEEN_READY});
        bool is_ready = seen.at_ns[CF_SEEN_READY] != KP_NEVER;

        within(probed, &probed->budget->ready,
               is_ready ? seen.at_ns[CF_SEEN_READY] - seen.runs_ns : -1, "ready", &draws);
    }
}

/* Within 5 ms of either end. */
static void it_is_ready_at_both_ends(struct probed *probed)
{
    const struct cf_time_range *ready = &probed->budget->ready;

    for (int i = 0; i < 2 && ready->earliest_ns != KP_NEVER; i++) {
        const struct cf_draws *draws = &probed->budget->ready_draws[i];
        int64_t age_ns = probed->budget->ready_age_ns[i];
        struct cf_seen seen =
            play(probed, (struct cf_world){.draws = *draws,
                                           .health = age_ns > 0 ? CF_STARTS_SLOWLY : CF_PASSES,
                                           .at_ns = age_ns,
                                           .until = CF_SEEN_READY});
        int64_t ns = seen.at_ns[CF_SEEN_READY] - seen.runs_ns - age_ns;

        if (i == 0)
            check(probed, ns - ready->earliest_ns <= 5 * MS, "the earliest is too early", draws);
        else
            check(probed, ready->latest_ns - ns <= 5 * MS, "the latest is too late", draws);
    }
}

static int64_t settled_ns(const struct probed *probed)
{
    return cf_budget_horizon_ns(probed->simulation.pod, probed->simulation.container);
}

static void one_trouble(struct probed *probed, enum cf_health health,
                        const struct cf_trouble *trouble)
{
    struct cf_draws draws = random_draws(probed);
    int64_t at_ns = settled_ns(probed) + fake_seed_below(&probed->seed, 60000) * MS;
    struct cf_seen seen = play(probed, (struct cf_world){.draws = draws,
                                                         .health = health,
                                                         .at_ns = at_ns,
                                                         .from_ns = at_ns,
                                                         .ignores_term = at_ns / MS % 2,
                                                         .until = CF_SEEN_AGAIN});
    int64_t after_ns[CF_OBSERVATIONS];

    for (int observation = 0; observation < CF_OBSERVATIONS; observation++)
        after_ns[observation] =
            seen.at_ns[observation] == KP_NEVER ? -1 : seen.at_ns[observation] - at_ns;
    within(probed, &trouble->term, after_ns[CF_SEEN_KILLED],
           health == CF_HANGS ? "hangs: SIGTERM" : "fails: SIGTERM", &draws);
    within(probed, &trouble->again, after_ns[CF_SEEN_AGAIN],
           health == CF_HANGS ? "hangs: runs again" : "fails: runs again", &draws);
}

/* By readiness alone. */
static void one_absence(struct probed *probed, enum cf_health health,
                        const struct cf_trouble *trouble)
{
    struct cf_draws draws = random_draws(probed);
    int64_t at_ns = settled_ns(probed) + fake_seed_below(&probed->seed, 60000) * MS;
    struct cf_seen seen = play(probed, (struct cf_world){.draws = draws,
                                                         .health = health,
                                                         .spared = {[KP_LIVENESS] = true},
                                                         .at_ns = at_ns,
                                                         .from_ns = at_ns,
                                                         .until = CF_SEEN_UNREADY});
    bool unready = seen.at_ns[CF_SEEN_UNREADY] != KP_NEVER;

    within(probed, &trouble->unready, unready ? seen.at_ns[CF_SEEN_UNREADY] - at_ns : -1,
           health == CF_HANGS ? "hangs: not ready" : "fails: not ready", &draws);
}

static void trouble_takes_its_time(struct probed *probed)
{
    for (int i = 0; i < DRAWS; i++) {
        one_trouble(probed, CF_HANGS, &probed->budget->hangs);
        one_trouble(probed, CF_FAILS, &probed->budget->fails);
        one_absence(probed, CF_HANGS, &probed->budget->hangs);
        one_absence(probed, CF_FAILS, &probed->budget->fails);
    }
}

/* Has it come to harm: killed, or out of the Service? */
static bool suffers(struct probed *probed, enum kp_probe_type type, struct cf_world world)
{
    enum cf_observation observation = type == KP_READINESS ? CF_SEEN_UNREADY : CF_SEEN_KILLED;
    struct cf_seen seen;

    world.until = observation;
    world.from_ns = world.at_ns = settled_ns(probed);
    for (int other = 0; other < KP_PROBE_TYPES; other++)
        world.spared[other] = other != (int)type;
    seen = play(probed, world);
    return seen.at_ns[observation] != KP_NEVER;
}

static void so_much_is_tolerated(struct probed *probed)
{
    for (int type = 0; type < KP_STARTUP; type++) {
        const struct cf_tolerance *tolerance = &probed->budget->tolerance[type];
        struct cf_draws draws = random_draws(probed);
        struct cf_world world = {.draws = draws,
                                 .health = tolerance->lost > 0 ? CF_FAILS_A_WHILE : CF_PASSES,
                                 .lost = tolerance->lost};

        if (!tolerance->exists || tolerance->lost < 0)
            continue;
        check(probed, !suffers(probed, (enum kp_probe_type)type, world), "lost answers", &draws);
        world.health = CF_FAILS_A_WHILE;
        world.lost++;
        check(probed, suffers(probed, (enum kp_probe_type)type, world), "one more lost", &draws);
        if (tolerance->slowest_ns == KP_NEVER)
            continue;
        world = (struct cf_world){
            .draws = draws, .health = CF_ANSWERS_SLOWLY, .takes_ns = tolerance->slowest_ns};
        check(probed, !suffers(probed, (enum kp_probe_type)type, world), "a slow answer", &draws);
        world.takes_ns += MS;
        check(probed, suffers(probed, (enum kp_probe_type)type, world), "a slower one", &draws);
    }
}

static void a_kubelet_restarts(struct probed *probed)
{
    for (int i = 0; i < DRAWS / 2; i++) {
        struct cf_draws draws = random_draws(probed);
        int64_t at_ns = settled_ns(probed) + fake_seed_below(&probed->seed, 60000) * MS;
        struct cf_seen seen = play(probed, (struct cf_world){.draws = draws,
                                                             .restarts_ns = at_ns,
                                                             .from_ns = at_ns,
                                                             .until = CF_OBSERVATIONS});
        bool unready = seen.at_ns[CF_SEEN_UNREADY] != KP_NEVER;

        within(probed, &probed->budget->restart,
               unready ? seen.at_ns[CF_SEEN_READY_LAST] - at_ns - CF_KUBELET_DOWN_NS : -1,
               "a kubelet's restart", &draws);
    }
}

static bool check_pod(struct cf_arena *arena, const struct kp_profile *profile,
                      const struct kp_pod *pod, const char *name)
{
    struct probed probed = {.seed = {1}, .name = name};
    struct cf_budget budget;
    const char *why;

    if (!CHECK_INT(cf_budget_find(arena, profile, pod, &budget, &why), KP_OK) ||
        !CHECK_INT(cf_simulation_init(&probed.simulation, arena, profile, pod), KP_OK))
        return false;
    for (size_t i = 0; i < budget.count; i++) {
        probed.budget = &budget.containers[i];
        probed.simulation.container = probed.budget->container;
        probed.container = &pod->containers[probed.simulation.container];
        a_start_is_killed_just_beyond(&probed);
        it_is_ready_within(&probed);
        it_is_ready_at_both_ends(&probed);
        trouble_takes_its_time(&probed);
        so_much_is_tolerated(&probed);
        a_kubelet_restarts(&probed);
    }
    cf_simulation_deinit(&probed.simulation);
    return !probed.failed;
}

/* ---- random pods ------------------------------------------------------------------------------
 */

static void put_random_probe(struct cf_out *out, struct fake_seed *seed, const char *type)
{
    static const char *const handlers[] = {"exec: {command: [a]}", "httpGet: {port: 80}",
                                           "tcpSocket: {port: 80}", "grpc: {port: 80}"};

    cf_out_printf(out, "    %s: {%s, periodSeconds: %d, timeoutSeconds: %d, failureThreshold: %d",
                  type, handlers[fake_seed_below(seed, 4)], (int)fake_seed_below(seed, 12) + 1,
                  (int)fake_seed_below(seed, 4) + 1, (int)fake_seed_below(seed, 5) + 1);
    cf_out_printf(out, ", initialDelaySeconds: %d}\n",
                  (int)fake_seed_below(seed, 3) * (int)fake_seed_below(seed, 20));
}

static void put_random_pod(struct cf_out *out, struct fake_seed *seed, bool sleeps)
{
    static const char *const types[] = {"livenessProbe", "readinessProbe", "startupProbe"};

    cf_out_printf(out,
                  "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
                  "  terminationGracePeriodSeconds: %d\n",
                  (int)fake_seed_below(seed, 40) + 1);
    if (fake_seed_below(seed, 4) == 0)
        cf_out_put_string(out, "  initContainers: [{name: i, image: b}]\n");
    cf_out_put_string(out, "  containers:\n  - name: c\n    image: b\n");
    if (sleeps && fake_seed_below(seed, 3) == 0)
        cf_out_printf(out, "    lifecycle: {preStop: {sleep: {seconds: %d}}}\n",
                      (int)fake_seed_below(seed, 20) + 1);
    else if (fake_seed_below(seed, 4) == 0)
        cf_out_printf(out, "    lifecycle: {postStart: {exec: {command: [sleep, '%d']}}}\n",
                      (int)fake_seed_below(seed, 40) + 1);
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        if (fake_seed_below(seed, 3) > 0)
            put_random_probe(out, seed, types[type]);
}

static void random_pods_keep_to_their_budgets(void)
{
    static const char *const versions[] = {"1.36", "1.33", "1.28", "1.22", "1.20", "1.18"};
    struct fake_seed seed = {23};

    for (int i = 0; i < 150; i++) {
        struct cf_out yaml = {0};
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct cf_manifest manifest;
        struct kp_profile profile = unit_profile(versions[i % 6]);

        put_random_pod(&yaml, &seed, i % 6 < 2);
        cf_out_put_char(&yaml, '\0');
        if (cf_manifest_read(&arena, &profile, "p", kp_text_of(yaml.bytes), &manifest) == KP_OK) {
            if (!check_pod(&arena, &profile, manifest.pods[0].pod, versions[i % 6]))
                printf("%s", yaml.bytes);
        }
        cf_out_deinit(&yaml);
        cf_arena_deinit(&arena);
    }
}

/* ---- the table's pods -------------------------------------------------------------------------
 */

static void check_table_pod(const struct cf_case *item)
{
    struct cf_check_reply reply;
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct kp_profile profile = unit_profile(KP_NEWEST);
    struct kp_pod pod;
    char name[200];

    snprintf(name, sizeof name, "%.*s", KP_ARG(item->id));
    if (cf_check_node(&arena, &profile, item->pods[0], &reply) == KP_OK && reply.decoded.pod &&
        reply.error_count == 0) {
        pod = *reply.decoded.pod;
        pod.status = NULL;
        pod.has_deletion = pod.has_deletion_grace = false;
        /* What lasts longer than a play may is seen in part alone. */
        if (cf_budget_horizon_ns(&pod, (int)pod.init_count) < CF_BUDGET_MAX_NS)
            check_pod(&arena, &profile, &pod, name);
    }
    cf_arena_deinit(&arena);
}

static void the_tables_pods_keep_to_their_budgets(void)
{
    struct cf_suite suite = {.arena.mem = cf_libc_mem()};
    int played = 0;

    if (!CHECK_INT(cf_suite_load(&suite, cf_cases_folder()), KP_OK))
        return;
    for (size_t i = 0; i < suite.case_count; i++) {
        const struct cf_case *item = &suite.cases[i];

        if (item->layer != CF_LAYER_POD || item->kind != CF_SCENARIO || item->pod_count != 1 ||
            i % 5)
            continue;
        check_table_pod(item);
        played++;
    }
    CHECK(played > 20);
    cf_suite_deinit(&suite);
}

/* ---- ready behind a delay ---------------------------------------------------------------------
 */

struct delayed {
    const char *k8s;
    int inits;
    int period_s;
    int successes;
    int delay_s;
    int startup_period_s; /* 0: no startup probe */
    int startup_delay_s;
    int earliest_s;
    int latest_s;
};

static bool find_delayed(struct cf_arena *arena, struct kp_profile *profile,
                         const struct delayed *row, const struct kp_pod **pod,
                         struct cf_container_budget *budget)
{
    struct cf_out yaml = {0};
    struct cf_manifest manifest;
    const char *why;
    bool found;

    cf_out_printf(&yaml,
                  "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n%s  containers:\n"
                  "  - name: c\n    image: b\n    readinessProbe: {httpGet: {port: 80}, "
                  "periodSeconds: %d, successThreshold: %d, initialDelaySeconds: %d}\n",
                  row->inits ? "  initContainers: [{name: i, image: b}]\n" : "", row->period_s,
                  row->successes, row->delay_s);
    if (row->startup_period_s > 0)
        cf_out_printf(&yaml,
                      "    startupProbe: {httpGet: {port: 80}, periodSeconds: %d, "
                      "initialDelaySeconds: %d}\n",
                      row->startup_period_s, row->startup_delay_s);
    cf_out_put_char(&yaml, '\0');
    found = CHECK_INT(kp_profile_init(profile, kp_text_of(row->k8s)), KP_OK) &&
            CHECK_INT(cf_manifest_read(arena, profile, "p", kp_text_of(yaml.bytes), &manifest),
                      KP_OK) &&
            CHECK_INT(cf_budget_find_one(arena, profile, manifest.pods[0].pod, row->inits,
                                         CF_BUDGET_READY, budget, &why),
                      KP_OK);
    *pod = found ? manifest.pods[0].pod : NULL;
    cf_out_deinit(&yaml);
    return found;
}

/* Ends that brute force found, apart from the search: all ticks in all orders of their parts of a
 * second, each played. */
static void delayed_pods_have_these_ends(void)
{
    static const struct delayed rows[] = {
        {"1.36", 1, 7, 3, 2, 8, 0, 1, 23},        {"1.33", 1, 6, 2, 8, 12, 10, 9, 28},
        {"1.36", 1, 6, 3, 12, 12, 11, 17, 35},    {"1.36", 1, 4, 1, 23, 0, 0, 22, 27},
        {"1.35", 1, 3, 2, 11, 12, 0, 10, 17},     {"1.28", 1, 8, 3, 2, 0, 0, 1, 18},
        {"1.36", 1, 5, 2, 19, 0, 0, 23, 29},      {"1.33", 1, 9, 3, 4, 6, 8, 7, 32},
        {"1.36", 1, 11, 1, 21, 0, 0, 20, 32},     {"1.26", 1, 11, 1, 6, 10, 0, 5, 17},
        {"1.28", 0, 7, 3, 8, 4, 4, 14, 29},       {"1.26", 0, 8, 2, 11, 12, 6, 10, 27},
        {"1.36", 1, 5, 3, 4, 0, 0, 8, 19},        {"1.28", 1, 5, 3, 3, 5, 6, 6, 21},
        {"1.36", 1, 6, 2, 17, 0, 0, 22, 29},      {"1.33", 1, 6, 2, 16, 3, 0, 21, 28},
        {"1.33", 1, 12, 2, 7, 12, 7, 6, 31},      {"1.36", 1, 7, 1, 6, 0, 0, 5, 13},
        {"1.36", 1, 10, 2, 7, 9, 6, 6, 27},       {"1.35", 1, 6, 1, 16, 3, 0, 15, 22},
        {"1.36", 1, 1, 3, 11, 12, 1, 11, 15},     {"1.22", 1, 11, 1, 6, 10, 0, 5, 17},
        {"1.35", 1, 7, 2, 0, 7, 6, 5, 20},        {"1.36", 0, 6, 1, 18, 11, 17, 17, 28},
        {"1.33", 1, 55, 1, 86, 10, 0, 85, 141},   {"1.36", 1, 55, 2, 1, 15, 110, 164, 181},
        {"1.28", 1, 25, 1, 1, 25, 110, 109, 136}, {"1.35", 1, 55, 1, 77, 0, 0, 76, 132},
        {"1.36", 1, 30, 3, 72, 60, 31, 102, 162}, {"1.26", 0, 25, 1, 106, 25, 106, 105, 132},
        {"1.33", 0, 55, 1, 47, 45, 51, 50, 97},   {"1.36", 0, 45, 2, 28, 45, 100, 144, 191},
        {"1.28", 0, 40, 1, 38, 40, 47, 46, 88},   {"1.33", 1, 40, 1, 98, 0, 0, 97, 138},
        {"1.22", 0, 55, 1, 104, 45, 0, 103, 154}, {"1.26", 0, 25, 1, 68, 15, 68, 67, 84},
        {"1.28", 1, 60, 3, 38, 35, 56, 55, 182},  {"1.22", 0, 25, 2, 10, 30, 21, 20, 76},
        {"1.33", 1, 5, 1, 16, 0, 0, 17, 19},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_profile profile;
        struct cf_container_budget budget;
        const struct kp_pod *pod;

        if (find_delayed(&arena, &profile, &rows[i], &pod, &budget) &&
            (!CHECK_INT(budget.ready.earliest_ns, rows[i].earliest_s * KP_NS_PER_S) ||
             !CHECK_INT(budget.ready.latest_ns, rows[i].latest_s * KP_NS_PER_S)))
            printf("  row %zu\n", i);
        cf_arena_deinit(&arena);
    }
}

/* Each chance in a net that has all orders of four parts of a second: both ends are in the same
 * seconds as those of the net, and nothing in it lies beyond. */
static void the_net_has_the_same_ends(struct cf_simulation *simulation, const struct delayed *row,
                                      const struct cf_time_range *ready)
{
    int64_t low_ns = KP_NEVER;
    int64_t high_ns = -1;
    int64_t points = 4 * 4 * (4 * row->period_s) * (4 * (row->startup_period_s + 1));

    for (int64_t point = 0; point < points; point++) {
        int64_t left = point;
        struct cf_world world = {.until = CF_SEEN_READY, .end_ns = 100 * KP_NS_PER_S};
        struct cf_seen seen;

        world.draws.relist_ns = (left % 4 + 1) * 200 * MS;
        left /= 4;
        world.draws.wall_ns = (left % 4 + 1) * 200 * MS;
        left /= 4;
        world.draws.wait_ns[KP_READINESS] =
            left / 4 % row->period_s * KP_NS_PER_S + (left % 4 + 1) * 200 * MS;
        left /= 4 * (int64_t)row->period_s;
        if (left / 4 < row->startup_period_s)
            world.draws.wait_ns[KP_STARTUP] = left / 4 * KP_NS_PER_S + (left % 4 + 1) * 200 * MS;
        CHECK_INT(cf_simulation_play(simulation, &world, &seen), KP_OK);
        low_ns = seen.at_ns[CF_SEEN_READY] < low_ns ? seen.at_ns[CF_SEEN_READY] : low_ns;
        high_ns = seen.at_ns[CF_SEEN_READY] > high_ns ? seen.at_ns[CF_SEEN_READY] : high_ns;
    }
    if (!CHECK_INT(ready->earliest_ns, low_ns / KP_NS_PER_S * KP_NS_PER_S) ||
        !CHECK_INT(ready->latest_ns, (high_ns + KP_NS_PER_S - MS) / KP_NS_PER_S * KP_NS_PER_S))
        printf("  %s: period %d successes %d delay %d, startup %d %d\n", row->k8s, row->period_s,
               row->successes, row->delay_s, row->startup_period_s, row->startup_delay_s);
}

static void delayed_pods_keep_to_a_complete_search(void)
{
    static const char *const versions[] = {"1.36", "1.33", "1.28", "1.21", "1.18"};
    struct fake_seed seed = {7};

    for (int i = 0; i < 60; i++) {
        struct delayed row = {.k8s = versions[i % 5],
                              .period_s = (int)fake_seed_below(&seed, 5) + 1,
                              .successes = (int)fake_seed_below(&seed, 3) + 1,
                              .delay_s = (int)fake_seed_below(&seed, 9),
                              .startup_period_s = (int)fake_seed_below(&seed, 5),
                              .startup_delay_s = (int)fake_seed_below(&seed, 9)};
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_profile profile;
        struct cf_container_budget budget;
        struct cf_simulation simulation;
        const struct kp_pod *pod;

        if (find_delayed(&arena, &profile, &row, &pod, &budget) &&
            CHECK_INT(cf_simulation_init(&simulation, &arena, &profile, pod), KP_OK)) {
            the_net_has_the_same_ends(&simulation, &row, &budget.ready);
            cf_simulation_deinit(&simulation);
        }
        cf_arena_deinit(&arena);
    }
}

const struct unit_test budget_test[] = {
    {"delayed pods have these ends", delayed_pods_have_these_ends},
    {"delayed pods keep to a complete search", delayed_pods_keep_to_a_complete_search},
    {"random pods keep to their budgets", random_pods_keep_to_their_budgets},
    {"the table's pods keep to their budgets", the_tables_pods_keep_to_their_budgets},
    {0},
};
