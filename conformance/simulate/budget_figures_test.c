/*
 * budget_figures_test.c: each figure of some budgets, to the millisecond, by hand from the pod's
 * fields: period P, failureThreshold F, timeout T, delay D, grace G.
 *
 * Ticks of a worker are P apart, anywhere in its period (P-014, P-015); F failures in a row kill
 * (S-130).  Where D is 0:
 *   start    the first tick 1 ms behind the start, or just before it: (F-1)P + 1 ms to F P
 *   killed   by the first attempt's failures at once: (F-1)P + 1 ms; where F is 1, 1 ms more, for a
 *            relist that is newer than the start's sync (S-020).  At the latest each times out, and
 * a sync 1 ms before the result and a relist 2 ms before it make it wait for the next relist, 998
 * ms: F P + T + 0.998 trouble  comes at a tick, or 1 ms behind one: fails (F-1)P to F P - 1 ms, for
 * liveness and the wait for the relist besides, F P + 0.997; hangs T later SIGKILL  G behind
 * SIGTERM; it runs again at once, behind SIGTERM at the earliest, or SIGKILL
 */
#include "conformance/simulate/budget.h"

#include "conformance/pod/manifest.h"
#include "fakes/unit.h"

#include <stdio.h>

#define MS KP_NS_PER_MS

struct span {
    int64_t from_ms; /* -1: never, as the next */
    int64_t to_ms;
};

struct trouble {
    struct span unready, term, kill, again;
    int grace_s;
    int kill_grace_s;
};

struct row {
    const char *k8s;
    const char *pod; /* fields of its spec, with a comma behind */
    const char *container;
    struct span start, killed;
    int killed_grace_s;
    int64_t soonest_ms;
    struct trouble hangs, fails;
    struct tolerance {
        int64_t slowest_ms; /* -1: any; 0: there is no probe */
        int64_t lost;
    } tolerates[KP_PROBE_TYPES]; /* liveness, readiness, startup */
    struct span ready;
    struct span ends;
    int ends_grace_s;
    struct span restart;
};

/* clang-format off */
#define NEVER {-1, -1}
#define UNTROUBLED {NEVER, NEVER, NEVER, NEVER, 0, 0}
#define GET "httpGet: {port: 80}"

static const struct row rows[] = {
    /* The documentation's: P 5, F 2; readiness P 2. */
    {"1.36", "", "livenessProbe: {" GET ", periodSeconds: 5, failureThreshold: 2}, "
                 "readinessProbe: {" GET ", periodSeconds: 2}",
     {5001, 10000}, {5001, 11998}, 30, 5001,
     {{5000, 6999}, {6000, 11997}, {36000, 41997}, {6000, 41997}, 30, 30},
     {{4000, 5999}, {5000, 10997}, {35000, 40997}, {5000, 40997}, 30, 30},
     {{999, 1}, {999, 2}, {0, 0}}, {0, 2000}, {0, 0}, 30, NEVER},
    /* All defaults, P 10, F 3, and the pod's grace 5. */
    {"1.36", "terminationGracePeriodSeconds: 5,", "livenessProbe: {" GET "}",
     {20001, 30000}, {20001, 31998}, 5, 20001,
     {NEVER, {21000, 31997}, {26000, 36997}, {21000, 36997}, 5, 5},
     {NEVER, {20000, 30997}, {25000, 35997}, {20000, 35997}, 5, 5},
     {{999, 2}, {0, 0}, {0, 0}}, {0, 0}, {0, 0}, 5, NEVER},
    /* A grace of the probe's own; T 3: slower than 2.999 s is too slow. */
    {"1.36", "", "livenessProbe: {" GET ", terminationGracePeriodSeconds: 7, timeoutSeconds: 3, failureThreshold: 1}",
     {1, 10000}, {2, 13998}, 7, 2,
     {NEVER, {3000, 13997}, {10000, 20997}, {3000, 20997}, 7, 7},
     {NEVER, {0, 10997}, {7000, 17997}, {0, 17997}, 7, 7},
     {{2999, 0}, {0, 0}, {0, 0}}, {0, 0}, {0, 0}, 30, NEVER},
    /* Readiness alone kills nothing. */
    {"1.36", "", "readinessProbe: {" GET ", periodSeconds: 4, failureThreshold: 1, timeoutSeconds: 2}",
     NEVER, NEVER, 0, -1,
     {{2000, 5999}, NEVER, NEVER, NEVER, 0, 0}, {{0, 3999}, NEVER, NEVER, NEVER, 0, 0},
     {{0, 0}, {1999, 0}, {0, 0}}, {0, 4000}, {0, 0}, 30, NEVER},
    /* A preStop hook of 10 s of the grace's 60: SIGTERM behind it, 50 s are left. */
    {"1.36", "terminationGracePeriodSeconds: 60,",
     "livenessProbe: {" GET "}, lifecycle: {preStop: {sleep: {seconds: 10}}}",
     {20001, 30000}, {30001, 41998}, 50, 30001,
     {NEVER, {31000, 41997}, {81000, 91997}, {31000, 91997}, 50, 60},
     {NEVER, {30000, 40997}, {80000, 90997}, {30000, 90997}, 50, 60},
     {{999, 2}, {0, 0}, {0, 0}}, {0, 0}, {10000, 10000}, 50, NEVER},
    /* It is not started again. */
    {"1.36", "restartPolicy: Never,", "livenessProbe: {exec: {command: [a]}, periodSeconds: 1, failureThreshold: 2}",
     {1001, 2000}, {1001, 3998}, 30, 1001,
     {NEVER, {2000, 3997}, {32000, 33997}, NEVER, 30, 30},
     {NEVER, {1000, 2997}, {31000, 32997}, NEVER, 30, 30},
     {{999, 1}, {0, 0}, {0, 0}}, {0, 0}, {0, 0}, 30, NEVER},
    /* Exec's timeouts do not count before 1.20, so that only failures kill.  Before 1.36 no relist is
     * asked for behind the start (S-020): that it runs is known up to 999 ms later, and that relist's
     * sync puts off the kill by a second. */
    {"1.19", "", "livenessProbe: {exec: {command: [a]}, failureThreshold: 1}",
     {1, 10999}, {1001, 11000}, 30, 1001,
     UNTROUBLED, {NEVER, {0, 10997}, {30000, 40997}, {0, 40997}, 30, 30},
     {{-1, 0}, {0, 0}, {0, 0}}, {0, 1000}, {0, 0}, 30, NEVER},
    /* A port that has no number is never asked (E-010). */
    {"1.36", "", "readinessProbe: {httpGet: {port: web}}",
     NEVER, NEVER, 0, -1, UNTROUBLED, UNTROUBLED,
     {{0, 0}, {-1, -1}, {0, 0}}, NEVER, {0, 0}, 30, NEVER},
    /* Startup guards, P 3, F 4, and what it has found waits for a relist, too; liveness behind it: P 6,
     * F 2.  The soonest is told in whole seconds. */
    {"1.36", "", "startupProbe: {" GET ", periodSeconds: 3, failureThreshold: 4}, "
                 "livenessProbe: {" GET ", periodSeconds: 6, failureThreshold: 2}",
     {9001, 12000}, {9001, 13998}, 30, 6000,
     {NEVER, {7000, 13997}, {37000, 43997}, {7000, 43997}, 30, 30},
     {NEVER, {6000, 12997}, {36000, 42997}, {6000, 42997}, 30, 30},
     {{999, 1}, {0, 0}, {999, 3}}, {0, 4000}, {0, 0}, 30, NEVER},
    /* D 60, which is counted from the start's whole second (P-040): from 60 - 0.999 s on, and 1 ms
     * before 60 s a tick may be too early. */
    {"1.36", "", "livenessProbe: {" GET ", initialDelaySeconds: 60}",
     {79001, 89999}, {79001, 91997}, 30, 79001,
     {NEVER, {21000, 31997}, {51000, 61997}, {21000, 61997}, 30, 30},
     {NEVER, {20000, 30997}, {50000, 60997}, {20000, 60997}, 30, 30},
     {{999, 2}, {0, 0}, {0, 0}}, {0, 0}, {0, 0}, 30, NEVER},
    /* Startup D 10, P 5: passes from 9.001 to 14.999 s on, and triggers readiness, whose ticker begins
     * anew (P-022), P 10: two of its ticks later D 30 is over. */
    {"1.36", "", "startupProbe: {" GET ", initialDelaySeconds: 10, periodSeconds: 5}, "
                 "readinessProbe: {" GET ", initialDelaySeconds: 30}",
     {19001, 24999}, {19001, 26997}, 30, 19001,
     {{21000, 30999}, NEVER, NEVER, NEVER, 0, 0}, {{20000, 29999}, NEVER, NEVER, NEVER, 0, 0},
     {{0, 0}, {999, 2}, {999, 2}}, {29000, 35000}, {0, 0}, 30, NEVER},
    /* Before 1.35 a new kubelet takes nothing for ready until its first probe: within P (P-015). */
    {"1.25", "", "readinessProbe: {" GET "}",
     NEVER, NEVER, 0, -1,
     {{21000, 30999}, NEVER, NEVER, NEVER, 0, 0}, {{20000, 29999}, NEVER, NEVER, NEVER, 0, 0},
     {{0, 0}, {999, 2}, {0, 0}}, {0, 10000}, {0, 0}, 30, {0, 9999}},
    /* A postStart hook of 25 s: a sync is not over before it is, so that nothing probes. */
    {"1.36", "", "livenessProbe: {" GET "}, lifecycle: {postStart: {exec: {command: [sleep, '25']}}}, "
                 "readinessProbe: {" GET ", periodSeconds: 5}",
     {45001, 55000}, {45001, 56998}, 30, 45001,
     {{11000, 15999}, {21000, 31997}, {51000, 61997}, {21000, 61997}, 30, 30},
     {{10000, 14999}, {20000, 30997}, {50000, 60997}, {20000, 60997}, 30, 30},
     {{999, 2}, {999, 2}, {0, 0}}, {25000, 25000}, {0, 0}, 30, NEVER},
    /* gRPC is refused 1 ms before its timeout's end (P-129), and a ticker keeps the tick that comes
     * meanwhile (P-019): attempts of 3.999 s, one right behind the other.  What answers fails at once,
     * and what hangs takes 4 s each time. */
    {"1.36", "", "startupProbe: {grpc: {port: 80}, periodSeconds: 3, timeoutSeconds: 4, failureThreshold: 3}",
     {7999, 10998}, {6001, 15998}, 30, 6001,
     UNTROUBLED, UNTROUBLED,
     {{0, 0}, {0, 0}, {3999, 2}}, {0, 4000}, {0, 0}, 30, NEVER},
    /* What lasts up to a day is played; what is longer never kills. */
    {"1.36", "", "livenessProbe: {" GET ", periodSeconds: 600, failureThreshold: 100}",
     {59400001, 60000000}, {59400001, 60001998}, 30, 59400001,
     {NEVER, {59401000, 60001997}, {59431000, 60031997}, {59401000, 60031997}, 30, 30},
     {NEVER, {59400000, 60000997}, {59430000, 60030997}, {59400000, 60030997}, 30, 30},
     {{999, 99}, {0, 0}, {0, 0}}, {0, 0}, {0, 0}, 30, NEVER},
    {"1.36", "", "livenessProbe: {" GET ", periodSeconds: 600, failureThreshold: 200}",
     NEVER, NEVER, 0, -1, UNTROUBLED, UNTROUBLED,
     {{999, -1}, {0, 0}, {0, 0}}, {0, 0}, {0, 0}, 30, NEVER},
};
/* clang-format on */

static void check_span(const char *what, size_t row, const struct cf_time_range *got,
                       struct span want)
{
    int64_t from_ms = got->earliest_ns == KP_NEVER ? -1 : got->earliest_ns / MS;
    int64_t to_ms = got->latest_ns == KP_NEVER ? -1 : got->latest_ns / MS;

    CHECK_INT((got->rule == KP_RULE_NONE), want.from_ms < 0);
    if (!CHECK_INT(from_ms, want.from_ms) || !CHECK_INT(to_ms, want.to_ms))
        printf("  row %zu, %s: %lld to %lld\n", row, what, (long long)from_ms, (long long)to_ms);
}

static void check_trouble(size_t row, const struct cf_trouble *got, const struct trouble *want)
{
    check_span("unready", row, &got->unready, want->unready);
    check_span("term", row, &got->term, want->term);
    check_span("kill", row, &got->kill, want->kill);
    check_span("again", row, &got->again, want->again);
    CHECK_INT(got->grace_s, want->grace_s);
    CHECK_INT(got->kill_grace_s, want->kill_grace_s);
}

static void check_tolerance(size_t row, const struct cf_tolerance *got,
                            const struct tolerance *want)
{
    int64_t slowest_ms = got->slowest_ns == KP_NEVER ? -1 : got->slowest_ns / MS;

    CHECK_INT(got->exists, want->slowest_ms != 0);
    if (got->exists &&
        (!CHECK_INT(slowest_ms, want->slowest_ms) || !CHECK_INT(got->lost, want->lost) ||
         !CHECK_INT(got->asks, want->slowest_ms > 0 || want->lost >= 0)))
        printf("  row %zu\n", row);
}

static void check_figures(size_t i, const struct cf_container_budget *got)
{
    const struct row *row = &rows[i];

    check_span("start", i, &got->start, row->start);
    check_span("killed", i, &got->killed, row->killed);
    check_span("ready", i, &got->ready, row->ready);
    check_span("ends", i, &got->ends, row->ends);
    check_span("restart", i, &got->restart, row->restart);
    CHECK_INT(got->killed_grace_s, row->killed_grace_s);
    CHECK_INT(got->ends_grace_s, row->ends_grace_s);
    check_trouble(i, &got->hangs, &row->hangs);
    check_trouble(i, &got->fails, &row->fails);
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        check_tolerance(i, &got->tolerance[type], &row->tolerates[type]);
}

static void check_row(size_t i)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct kp_profile profile = unit_profile(rows[i].k8s);
    struct cf_manifest manifest;
    struct cf_budget budget;
    struct cf_container_budget soonest;
    const char *why;
    struct kp_text text = cf_arena_format(
        &arena,
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {%s containers: [{name: c, image: "
        "b:1, %s}]}}",
        rows[i].pod, rows[i].container);

    if (CHECK_INT(cf_manifest_read(&arena, &profile, "p", text, &manifest), KP_OK) &&
        CHECK_INT(cf_budget_find(&arena, &profile, manifest.pods[0].pod, &budget, &why), KP_OK) &&
        CHECK_INT(budget.count, 1) &&
        CHECK_INT(cf_budget_find_one(&arena, &profile, manifest.pods[0].pod, 0,
                                     CF_BUDGET_SOONEST | CF_BUDGET_START, &soonest, &why),
                  KP_OK)) {
        check_figures(i, &budget.containers[0]);
        CHECK_INT(soonest.soonest_ns == KP_NEVER ? -1 : soonest.soonest_ns / MS,
                  rows[i].soonest_ms);
    }
    cf_arena_deinit(&arena);
}

static void each_figure_is_the_sum_of_the_fields(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(i);
}

/* Each container's are its own, whatever stands before it; init containers that end by themselves
 * have none, though they could not have probes either. */
static void each_container_has_its_own(void)
{
    static const char text[] =
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {initContainers: [{name: setup, "
        "image: 'b:1'}, {name: proxy, image: 'b:1', restartPolicy: Always, livenessProbe: {" GET
        ", periodSeconds: 7, failureThreshold: 2}}], containers: [{name: a, image: 'b:1'}, "
        "{name: b, image: 'b:1', livenessProbe: {" GET
        ", periodSeconds: 100, terminationGracePeriodSeconds: 9}}, {name: c, image: 'b:1', "
        "readinessProbe: {" GET ", periodSeconds: 3, failureThreshold: 1}}]}}";
    static const struct {
        int container;
        struct span start, term, unready;
        int grace_s;
    } wanted[] = {{1, {7001, 14000}, {8000, 15997}, NEVER, 30},
                  {3, {200001, 300000}, {201000, 301997}, NEVER, 9},
                  {4, NEVER, NEVER, {1000, 3999}, 0}};
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct kp_profile profile = unit_profile("1.36");
    struct cf_manifest manifest;
    struct cf_budget budget;
    struct cf_container_budget one;
    const char *why;

    if (CHECK_INT(cf_manifest_read(&arena, &profile, "p", kp_text_of(text), &manifest), KP_OK) &&
        CHECK_INT(cf_budget_find(&arena, &profile, manifest.pods[0].pod, &budget, &why), KP_OK) &&
        CHECK_INT(budget.count, 3))
        for (size_t i = 0; i < budget.count; i++) {
            const struct cf_container_budget *got = &budget.containers[i];

            CHECK_INT(got->container, wanted[i].container);
            check_span("start", i, &got->start, wanted[i].start);
            check_span("term", i, &got->hangs.term, wanted[i].term);
            check_span("unready", i, &got->hangs.unready, wanted[i].unready);
            CHECK_INT(got->hangs.grace_s, wanted[i].grace_s);
            CHECK_INT(got->hangs.kill_grace_s, wanted[i].grace_s);
            CHECK_INT(cf_budget_find_one(&arena, &profile, manifest.pods[0].pod, got->container,
                                         CF_BUDGET_START, &one, &why),
                      KP_OK);
            CHECK_INT(one.container, got->container);
            check_span("its start", i, &one.start, wanted[i].start);
        }
    cf_arena_deinit(&arena);
}

const struct unit_test budget_figures_test[] = {
    {"each figure is the sum of the fields", each_figure_is_the_sum_of_the_fields},
    {"each container has its own", each_container_has_its_own},
    {0},
};
