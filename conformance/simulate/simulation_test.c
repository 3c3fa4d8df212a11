/* simulation_test.c: what is seen of one container in some worlds, alone and as the second one of
 * its pod; instants by hand. */
#include "conformance/simulate/simulation.h"

#include "conformance/pod/manifest.h"
#include "fakes/unit.h"

#include <stdio.h>

#define MS KP_NS_PER_MS
#define S KP_NS_PER_S
#define GET "httpGet: {port: 80}"

struct played {
    struct cf_arena arena;
    struct kp_profile profile;
    struct cf_manifest manifest;
    struct cf_simulation simulation;
    struct cf_seen seen;
};

static void play(struct played *played, const char *k8s, const char *container, bool second,
                 const struct cf_world *world)
{
    struct kp_text pod;

    *played = (struct played){.arena.mem = cf_libc_mem(), .profile = unit_profile(k8s)};
    pod = cf_arena_format(&played->arena,
                          "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: "
                          "[%s{name: c, image: 'b:1', %s}]}}",
                          second ? "{name: a, image: 'b:1', livenessProbe: {" GET "}}, " : "",
                          container);
    if (CHECK_INT(cf_manifest_read(&played->arena, &played->profile, "p", pod, &played->manifest),
                  KP_OK) &&
        CHECK_INT(cf_simulation_init(&played->simulation, &played->arena, &played->profile,
                                     played->manifest.pods[0].pod),
                  KP_OK)) {
        played->simulation.container = second;
        CHECK_INT(cf_simulation_play(&played->simulation, world, &played->seen), KP_OK);
    }
}

static void played_deinit(struct played *played)
{
    cf_simulation_deinit(&played->simulation);
    cf_arena_deinit(&played->arena);
}

static const struct row {
    const char *k8s;
    const char *container;
    struct cf_world world;
    int64_t runs_ms;
    int64_t first_probe_ms; /* of liveness; -1: none, as the next */
    int64_t at_ms[CF_OBSERVATIONS];
    int exit_code; /* -1: it runs */
} rows[] = {
    /* Ticks are 10 s apart, at 0.1 s; the first comes before it runs. */
    {"1.30",
     "livenessProbe: {" GET "}",
     {.draws = {.relist_ns = 500 * MS, .start_ns = 417 * MS, .wait_ns = {[KP_LIVENESS] = 100 * MS}},
      .health = CF_FAILS,
      .until = CF_SEEN_KILLED,
      .end_ns = 60 * S},
     417,
     10100,
     {-1, 500, 500, 500, -1, 30100, 30100, -1},
     143},
    /* The new kubelet runs from 61 s on: ready again with its probe, which waits for 3 s (S-304).
     */
    {"1.25",
     "readinessProbe: {" GET "}",
     {.draws = {.relist_ns = 500 * MS, .wait_ns = {[KP_READINESS] = 3 * S}},
      .restarts_ns = 60 * S,
      .from_ns = 60 * S,
      .until = CF_OBSERVATIONS,
      .end_ns = 80 * S},
     0,
     -1,
     {-1, -1, 64000, 64000, -1, -1, -1, -1},
     -1},
    /* Deleted at 60 s: SIGTERM at once, the end 2 s later. */
    {"1.30",
     "livenessProbe: {" GET "}",
     {.draws = {.relist_ns = 500 * MS, .wait_ns = {[KP_LIVENESS] = 1 * S}},
      .deleted_ns = 60 * S,
      .from_ns = 60 * S,
      .stops_ns = 2 * S,
      .until = CF_OBSERVATIONS,
      .end_ns = 80 * S},
     0,
     1000,
     {-1, -1, -1, -1, -1, -1, 60000, -1},
     143},
    {"1.30",
     "livenessProbe: {" GET "}",
     {.draws = {.relist_ns = 500 * MS, .wait_ns = {[KP_LIVENESS] = 1 * S}},
      .deleted_ns = 60 * S,
      .from_ns = 60 * S,
      .ignores_term = true,
      .until = CF_OBSERVATIONS,
      .end_ns = 100 * S},
     0,
     1000,
     {-1, -1, -1, -1, -1, -1, 60000, -1},
     137},
};

static int64_t ms(int64_t ns)
{
    return ns == KP_NEVER ? -1 : ns / MS;
}

static void check_row(size_t i, bool second)
{
    static const enum cf_observation looked_at[] = {CF_SEEN_READY_LAST, CF_SEEN_RESULT,
                                                    CF_SEEN_KILLED};
    const struct row *row = &rows[i];
    struct played played;
    bool fine;

    play(&played, row->k8s, row->container, second, &row->world);
    fine = CHECK_INT(ms(played.seen.runs_ns), row->runs_ms) &&
           CHECK_INT(ms(played.seen.first_probe_ns[KP_LIVENESS]), row->first_probe_ms) &&
           CHECK_INT(played.seen.exit_code, row->exit_code);
    for (size_t k = 0; k < sizeof looked_at / sizeof looked_at[0]; k++)
        if (row->world.deleted_ns == 0 || looked_at[k] == CF_SEEN_KILLED)
            fine &= CHECK_INT(ms(played.seen.at_ns[looked_at[k]]), row->at_ms[looked_at[k]]);
    if (!fine)
        printf("  row %zu\n", i);
    played_deinit(&played);
}

static void instants_are_the_world_s(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_row(i, false);
        check_row(i, true);
    }
}

/* It ends at 30.1 s; the relist half a second behind the next whole second sees it, and it starts
 * again at once (S-015).  It ends at 60.6 s, and waits for 10 s or some more (S-251): the play is
 * over with that start. */
static void restarts_are_counted(void)
{
    for (int second = 0; second < 2; second++) {
        int64_t gap_ns[3] = {0};
        int64_t window_ns[3] = {-1, -1, -1};
        int64_t at_ns[3] = {0};
        struct cf_loop loop = {
            .wanted = 2, .gap_ns = gap_ns, .window_ns = window_ns, .at_ns = at_ns};
        const struct cf_world world = {.draws = {.relist_ns = 500 * MS},
                                       .exits = true,
                                       .exit_ns = 30100 * MS,
                                       .exit_code = 7,
                                       .loop = &loop,
                                       .until = CF_OBSERVATIONS,
                                       .end_ns = 1000 * S};
        struct played played;

        play(&played, "1.30", "livenessProbe: {" GET ", initialDelaySeconds: 90}", second, &world);
        CHECK_INT(loop.count, 2);
        CHECK_INT(played.seen.exit_code, 7);
        CHECK_INT(gap_ns[0] / MS, 400);
        CHECK_INT(gap_ns[1] / MS, at_ns[1] / MS - 60600);
        CHECK_INT(gap_ns[2], 0);
        CHECK_INT(window_ns[0], 0);
        CHECK_INT(window_ns[1], 10 * S);
        CHECK_INT(window_ns[2], -1);
        CHECK_INT(at_ns[0] / MS, 30500);
        CHECK(at_ns[1] >= 70600 * MS && at_ns[1] <= 86 * S);
        CHECK_INT(at_ns[2], 0);
        played_deinit(&played);
    }
}

const struct unit_test simulation_test[] = {
    {"instants are the world's", instants_are_the_world_s},
    {"restarts are counted", restarts_are_counted},
    {0},
};
