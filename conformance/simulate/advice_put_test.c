/* advice_put_test.c: a pod with all the changes that were printed needs none any more, whatever the
 * worlds are that were said together; and its patch says each probe once. */
#include "conformance/simulate/advice.h"

#include "conformance/pod/manifest.h"
#include "fakes/unit.h"

#include <stdio.h>

#define S KP_NS_PER_S
#define MS KP_NS_PER_MS

struct row {
    const char *k8s;
    const char *probes; /* of the container, as YAML */
    int64_t starts_ns;  /* 0: not said, as the next */
    int64_t answers_ns;
    int64_t down_ns;
    const char *patch; /* what follows the container's name in it */
};

#define GET "{httpGet: {port: 80}"

static const struct row rows[] = {
    {"1.36", "livenessProbe: " GET "}", 50 * S, 1200 * MS, 0,
     "    livenessProbe: {timeoutSeconds: 2}\n"
     "    startupProbe:\n"
     "      httpGet: {path: \"/\", port: 80}\n"
     "      timeoutSeconds: 2\n"
     "      failureThreshold: 8  # minimum 6 (50 s), a quarter to spare\n"},
    {"1.36", "livenessProbe: " GET "}", 0, 1200 * MS, 60 * S,
     "    livenessProbe: {timeoutSeconds: 2, failureThreshold: 7}\n"
     "    # minimum for an outage of 60 s\n"},
    {"1.36", "livenessProbe: {httpGet: {port: 80}, periodSeconds: 9, failureThreshold: 1}", 50 * S,
     0, 0,
     "    livenessProbe: {failureThreshold: 3}  # with 1, one failure kills\n"
     "    # but what hangs is killed after up to 29 s, not 11 s\n"
     "    startupProbe:\n"
     "      httpGet: {path: \"/\", port: 80}\n"
     "      periodSeconds: 9\n"
     "      failureThreshold: 8  # minimum 7 (54 s), a quarter to spare\n"},
    {"1.36", "livenessProbe: " GET "}, readinessProbe: " GET "}", 50 * S, 1200 * MS, 60 * S, NULL},
    {"1.36", "livenessProbe: " GET ", failureThreshold: 1}", 70 * S, 3500 * MS, 0, NULL},
    {"1.36", "livenessProbe: " GET "}, startupProbe: " GET "}", 90 * S, 2500 * MS, 0,
     "    livenessProbe: {timeoutSeconds: 3}\n"
     "    startupProbe: {timeoutSeconds: 3, failureThreshold: 13}\n"
     "    # minimum 10 (90 s), a quarter to spare\n"},
    {"1.36", "livenessProbe: {exec: {command: [a]}, initialDelaySeconds: 5}", 70 * S, 3 * S + 1, 0,
     NULL},
    {"1.15", "livenessProbe: " GET "}", 50 * S, 1200 * MS, 0, NULL},
};

static void put_pod(struct cf_out *out, const char *probes)
{
    cf_out_printf(out,
                  "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
                  "  - {name: c, image: b, %s}\n",
                  probes);
    cf_out_put_char(out, '\0');
}

static size_t say(const struct row *row, struct cf_world_said *said)
{
    size_t count = 0;

    if (row->starts_ns > 0)
        said[count++] = (struct cf_world_said){CF_STARTS_IN, KP_TEXT_NONE, row->starts_ns};
    if (row->answers_ns > 0)
        said[count++] = (struct cf_world_said){CF_ANSWERS_IN, KP_TEXT_NONE, row->answers_ns};
    if (row->down_ns > 0)
        said[count++] = (struct cf_world_said){CF_DOWN_FOR, KP_TEXT_NONE, row->down_ns};
    return count;
}

static void check_patch(const struct cf_manifest_pod *pod, const struct cf_advice *advice,
                        const char *want)
{
    struct cf_out patch = {0};
    struct cf_out wanted = {0};

    cf_out_printf(&wanted,
                  "# a live Pod cannot be patched so: kubectl replace --force -f FILE\nspec:\n  "
                  "containers:\n  - name: \"c\"\n%s",
                  want);
    cf_advice_put_patch(&patch, pod, advice);
    CHECK_TEXT(cf_out_text(&patch), cf_out_text(&wanted));
    cf_out_deinit(&patch);
    cf_out_deinit(&wanted);
}

/* How long a start may take with a failureThreshold of a probe of the changed pod. */
static int64_t start_ns(struct cf_arena *arena, const struct kp_profile *profile,
                        const struct cf_advice *advice, const struct cf_change *change,
                        int32_t threshold)
{
    struct kp_container container = advice->pod->containers[change->container];
    struct kp_probe probe = *container.probes[change->type];
    struct kp_pod pod = *advice->pod;
    struct cf_container_budget budget;
    const char *why;

    probe.failure_threshold = threshold;
    container.probes[change->type] = &probe;
    pod.containers = &container;
    CHECK_INT(cf_budget_find_one(arena, profile, &pod, 0, CF_BUDGET_START, &budget, &why), KP_OK);
    return budget.start.earliest_ns;
}

/* What is advised tolerates a quarter more, and is the least that does; beside it stands the least
 * that tolerates what was wanted. */
static void check_room(struct cf_arena *arena, const struct kp_profile *profile,
                       const struct cf_advice *advice, int64_t starts_ns)
{
    bool seen = starts_ns == 0;

    for (size_t i = 0; i < advice->count; i++) {
        const struct cf_change *change = &advice->changes[i];
        int32_t value = change->value;
        int32_t least = change->least_value;
        const struct kp_container *container;

        if (least == 0)
            continue;
        seen = true;
        CHECK(value > least);
        container = &advice->pod->containers[change->container];
        CHECK_INT(container->probes[change->type]->failure_threshold, value);
        CHECK_INT(start_ns(arena, profile, advice, change, value), change->tolerates_ns);
        CHECK(change->tolerates_ns >= starts_ns / 4 * 5);
        CHECK(start_ns(arena, profile, advice, change, value - 1) < starts_ns / 4 * 5);
        CHECK_INT(start_ns(arena, profile, advice, change, least), change->least_ns);
        CHECK(change->least_ns >= starts_ns);
        CHECK(start_ns(arena, profile, advice, change, least - 1) < starts_ns);
    }
    CHECK(seen);
}

static void check_row(const struct row *row)
{
    struct cf_world_said said[3];
    size_t count = say(row, said);
    struct cf_out yaml = {0};
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_manifest manifest;
    struct kp_profile profile = unit_profile(row->k8s);
    struct cf_worlds worlds;
    struct cf_advice advice;
    struct cf_advice again;
    struct kp_text unknown;
    const char *why;

    put_pod(&yaml, row->probes);
    if (CHECK_INT(cf_manifest_read(&arena, &profile, "p", kp_text_of(yaml.bytes), &manifest),
                  KP_OK) &&
        CHECK_INT(cf_worlds_make(&arena, manifest.pods[0].pod, said, count, &worlds, &unknown),
                  KP_OK) &&
        CHECK_INT(cf_advice_find(&arena, &profile, manifest.pods[0].pod, &worlds, &advice, &why),
                  KP_OK) &&
        CHECK(!cf_advice_is_empty(&advice)) &&
        CHECK_INT(cf_advice_find(&arena, &profile, advice.pod, &worlds, &again, &why), KP_OK)) {
        if (!CHECK(cf_advice_is_empty(&again)))
            printf("  row %d\n", (int)(row - rows));
        check_room(&arena, &profile, &advice, row->starts_ns);
        if (row->patch)
            check_patch(&manifest.pods[0], &advice, row->patch);
    }
    cf_out_deinit(&yaml);
    cf_arena_deinit(&arena);
}

static void a_pod_with_its_changes_needs_no_more(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
}

/* Of a custom resource kubectl makes no strategic merge, and a merge patch would replace the list
 * of containers. */
static void what_takes_no_patch_is_told(void)
{
    static const char *const objects[][2] = {
        {"argoproj.io/v1alpha1",
         "# a custom resource takes no strategic merge patch: edit its YAML "
         "instead\nspec:\n  template:\n    spec:\n"},
        {"apps/v1", "spec:\n  template:\n    spec:\n"},
    };

    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_profile profile = unit_profile("1.36");
        struct cf_manifest manifest;
        struct cf_change change = {.kind = CF_CHANGE_GRACE, .field = "a", .value = 1};
        const struct cf_advice advice = {.changes = &change, .count = 1};
        struct cf_out patch = {0};
        struct kp_text yaml = cf_arena_format(
            &arena,
            "{apiVersion: %s, kind: %s, metadata: {name: r}, spec: {selector: {matchLabels: {a: "
            "b}}, "
            "template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}",
            objects[i][0], i == 0 ? "Rollout" : "Deployment");

        if (CHECK_INT(cf_manifest_read(&arena, &profile, "p", yaml, &manifest), KP_OK)) {
            cf_advice_put_patch(&patch, &manifest.pods[0], &advice);
            patch.len -= sizeof "      a: 1\n" - 1;
            CHECK_TEXT(cf_out_text(&patch), kp_text_of(objects[i][1]));
        }
        cf_out_deinit(&patch);
        cf_arena_deinit(&arena);
    }
}

const struct unit_test advice_put_test[] = {
    {"what takes no patch is told", what_takes_no_patch_is_told},
    {"a pod with its changes needs no more", a_pod_with_its_changes_needs_no_more},
    {0},
};
