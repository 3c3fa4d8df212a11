/* termination_test.c: what hooks and graces a pod needs for its end, by the kubelet's sums (S-214,
 * S-217): the hook counts against the grace, and 2 s are left in any case. */
#include "conformance/simulate/termination.h"

#include "conformance/pod/manifest.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

struct row {
    const char *k8s;
    int grace_s;
    int hook_s;     /* 0: none; -1: over httpGet */
    int probes_s;   /* a grace of the liveness probe's own; 0: none */
    int stops_s;    /* 0: at once */
    int traffic_s;  /* 0: none */
    int pod_wanted; /* graces and hooks that are advised; 0: none is */
    int hook_wanted;
    int probe_wanted;
    int shorter_wanted; /* the hook that would do instead */
    int other_hook_s;   /* of a second container; 0: there is none */
    int least_wanted;   /* without room: the graces in all; 0: it is the same */
};

/* clang-format off */
static const struct row rows[] = {
    /* A quarter to spare: of the stop, and of the requests.
       k8s    grace hook probe stops traffic | pod hook probe shorter | other hook | least pod */
    {"1.36",  30,   0,   0,    45,   0,        57, 0,   0,    0,  0,  45}, /* 56.25 */
    {"1.36",  30,   0,   0,    30,   0,        0,  0,   0,    0,  0,  0},
    {"1.36",  30,   0,   0,    31,   0,        39, 0,   0,    0,  0,  31}, /* 38.75 */
    {"1.36",  30,   20,  0,    15,   0,        39, 0,   0,    11, 0,  35}, /* 18.75 */
    {"1.36",  30,   20,  0,    10,   0,        0,  0,   0,    0,  0,  0},
    {"1.36",  30,   20,  0,    45,   0,        77, 0,   0,    0,  0,  65},
    {"1.36",  20,   20,  0,    2,    0,        0,  0,   0,    0,  0,  0},
    {"1.36",  20,   20,  0,    3,    0,        24, 0,   0,    16, 0,  23}, /* 3.75 */
    {"1.36",  30,   0,   0,    0,    10,       0,  13,  0,    0,  0,  0},  /* 12.5 */
    {"1.36",  30,   0,   0,    12,   25,       47, 32,  0,    0,  0,  44}, /* 31.25 and 15 */
    {"1.36",  30,   0,   0,    0,    40,       50, 50,  0,    0,  0,  40},
    {"1.36",  30,   5,   0,    0,    5,        0,  0,   0,    0,  0,  0},
    {"1.36",  30,   5,   0,    0,    6,        0,  8,   0,    0,  0,  0},  /* 7.5 */
    {"1.28",  30,   0,   0,    12,   25,       47, 32,  0,    0,  0,  44},
    {"1.15",  30,   20,  0,    15,   0,        39, 0,   0,    11, 0,  35},
    /* The whole grace again behind the hook, up to 1.27 (S-218). */
    {"1.24",  30,   20,  0,    15,   0,        0,  0,   0,    0,  0,  0},
    {"1.24",  30,   20,  0,    40,   0,        50, 0,   0,    0,  0,  40},
    {"1.24",  30,   0,   0,    45,   17,       57, 22,  0,    0,  0,  45}, /* 21.25, 56.25 */
    {"1.36",  30,   0,   10,   12,   0,        0,  0,   15,   0,  0,  12},
    {"1.36",  30,   0,   10,   10,   0,        0,  0,   0,    0,  0,  0},
    {"1.36",  30,   0,   10,   45,   0,        57, 0,   57,   0,  0,  90}, /* of both */
    /* From none, or from 1 s; more than a day is nobody's grace. */
    {"1.36",  0,    0,  0,    5,    0,         7,  0,   0,    0,  0,  5},
    {"1.36",  1,    0,  0,    5,    0,         7,  0,   0,    0,  0,  5},
    {"1.36",  30,   0,  0,    69120, 0,    86400,  0,   0,    0,  0,  69120},
    {"1.36",  30,   0,  0,    69121, 0,    69121,  0,   0,    0,  0,  0},
    {"1.36",  30,   0,  0,    86400, 0,    86400,  0,   0,    0,  0,  0},
    {"1.36",  30,   0,  0,    86401, 0,        0,  0,   0,    0,  0,  0},
    {"1.36",  30,   0,  10,   86401, 0,        0,  0,   0,    0,  0,  0},
    {"1.36",  30,   0,  0,    0,    86401,     0,  0,   0,    0,  0,  0},
    /* Of two hooks none is the one to be shorter. */
    {"1.36",  30,   20,  0,    5,    0,        47, 0,   0,    0,  40, 45}, /* 46.25 */
    /* A hook whose length nobody knows is left alone: the requests are lost, the stop is not. */
    {"1.36",  30,   -1,  0,    45,   17,       57, 0,   0,    0,  0,  45},
};
/* clang-format on */

/* Behind so many containers that stop at once, without hooks. */
static void put_pod(struct cf_out *out, const struct row *row, int before)
{
    cf_out_printf(out,
                  "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
                  "  terminationGracePeriodSeconds: %d\n  containers:\n",
                  row->grace_s);
    for (int i = 0; i < before; i++)
        cf_out_printf(out, "  - {name: x%d, image: b}\n", i);
    cf_out_put_string(out, "  - name: c\n    image: b\n");
    if (row->hook_s > 0)
        cf_out_printf(out, "    lifecycle: {preStop: {exec: {command: [sleep, \"%d\"]}}}\n",
                      row->hook_s);
    if (row->hook_s < 0)
        cf_out_put_string(out, "    lifecycle: {preStop: {httpGet: {path: /, port: 80}}}\n");
    if (row->probes_s > 0)
        cf_out_printf(out,
                      "    livenessProbe: {tcpSocket: {port: 80}, terminationGracePeriodSeconds: "
                      "%d}\n",
                      row->probes_s);
    if (row->other_hook_s > 0)
        cf_out_printf(out,
                      "  - name: d\n    image: b\n"
                      "    lifecycle: {preStop: {exec: {command: [sleep, \"%d\"]}}}\n",
                      row->other_hook_s);
    cf_out_put_char(out, '\0');
}

/* What the changes say: hook, pod's grace, probe's grace, shorter hook. */
static void check_changes(const struct cf_change *changes, size_t count, const struct row *row,
                          int before)
{
    static const char grace[] = "terminationGracePeriodSeconds";
    int pod_s = 0, hook_s = 0, probe_s = 0, shorter_s = 0, least_s = 0;

    for (size_t i = 0; i < count; i++) {
        struct kp_container with = {.pre_stop = changes[i].hook};
        bool is_of_one = changes[i].kind != CF_CHANGE_GRACE ||
                         (row->hook_s > 0 && row->other_hook_s == 0 && row->traffic_s == 0);

        CHECK_STRING(changes[i].field ? changes[i].field : "", changes[i].hook ? "" : grace);
        CHECK_INT(changes[i].container, is_of_one ? before : -1);
        if (changes[i].hook) /* the action since 1.30, where its gate is on */
            CHECK_INT(changes[i].hook->sleep != NULL, strcmp(row->k8s, "1.36") == 0);
        if (changes[i].kind == CF_CHANGE_GRACE)
            pod_s = changes[i].value;
        else if (changes[i].kind == CF_CHANGE_PRE_STOP)
            hook_s = (int)cf_hook_s(with.pre_stop);
        else
            probe_s = changes[i].value;
        if (!changes[i].hook)
            least_s += changes[i].least_value;
        with.pre_stop = changes[i].shorter;
        shorter_s += (int)cf_hook_s(with.pre_stop);
    }
    if (!CHECK_INT(pod_s, row->pod_wanted) || !CHECK_INT(hook_s, row->hook_wanted) ||
        !CHECK_INT(probe_s, row->probe_wanted) || !CHECK_INT(shorter_s, row->shorter_wanted) ||
        !CHECK_INT(least_s, row->least_wanted))
        printf("  row %d\n", (int)(row - rows));
}

static void check_row(const struct row *row, int before)
{
    struct cf_world_said said[2];
    /* Of all where a second one is to stop, too. */
    struct kp_text whose = row->other_hook_s > 0 ? KP_TEXT_NONE : KP_TEXT("c");
    size_t said_count = 0;
    struct cf_change changes[13];
    size_t count = 0;
    struct cf_out yaml = {0};
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_manifest manifest;
    struct kp_profile profile = unit_profile(row->k8s);
    struct cf_worlds worlds;
    struct kp_text unknown;
    const char *why;

    if (row->stops_s > 0)
        said[said_count++] = (struct cf_world_said){CF_STOPS_IN, whose, row->stops_s * KP_NS_PER_S};
    if (row->traffic_s > 0)
        said[said_count++] =
            (struct cf_world_said){CF_TRAFFIC_FOR, whose, row->traffic_s * KP_NS_PER_S};
    put_pod(&yaml, row, before);
    if (CHECK_INT(cf_manifest_read(&arena, &profile, "p", kp_text_of(yaml.bytes), &manifest),
                  KP_OK) &&
        CHECK_INT(cf_worlds_make(&arena, manifest.pods[0].pod, said, said_count, &worlds, &unknown),
                  KP_OK) &&
        CHECK_INT(cf_termination_find(&arena, &profile, manifest.pods[0].pod, &worlds, changes,
                                      &count, &why),
                  KP_OK))
        check_changes(changes, count, row, before);
    cf_out_deinit(&yaml);
    cf_arena_deinit(&arena);
}

static void a_pod_gets_the_time_that_its_end_takes(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int before = 0; before < 3; before++)
            check_row(&rows[i], before);
}

const struct unit_test termination_test[] = {
    {"a pod gets the time that its end takes", a_pod_gets_the_time_that_its_end_takes},
    {0},
};
