#include "conformance/advice/advice.h"

#include "conformance/advice/lint_check.h"
#include "conformance/pod/lint.h"

enum { FINDINGS_MAX = 10000 };

/* What only the API server's log would show. */
static void report_conflict(struct cf_pod_check *pod_check)
{
    const struct cf_podpreset_outcome *presets = &pod_check->pod->presets;

    if (presets->log.len > 0)
        cf_findings_add(pod_check->arena, pod_check->out,
                        (struct cf_finding){.rule = CF_LINT_PRESET_CONFLICT,
                                            .at = pod_check->pod->source->at,
                                            .pod = cf_object_of(pod_check),
                                            .evidence = presets->log});
}

/* Appends to `lint`, which knows how many are reported. */
static enum kp_err take_refusals(struct cf_pod_check *pod_check, struct cf_lint *lint)
{
    size_t known = lint->count;
    enum kp_err err = cf_lint_pod(pod_check->arena, pod_check->profile, pod_check->pod, lint);

    for (size_t i = known; err == KP_OK && i < lint->count; i++)
        cf_findings_add(pod_check->arena, pod_check->out,
                        (struct cf_finding){.rule = CF_LINT_REFUSED,
                                            .at = lint->notes[i].at,
                                            .pod = cf_object_of(pod_check),
                                            .evidence = lint->notes[i].text});
    return err;
}

/* A container's findings in the order of their lines. */
static void sort(struct cf_findings *findings, size_t from)
{
    for (size_t i = from; i < findings->count; i++) {
        struct cf_finding finding = findings->list[i];
        size_t at = i;

        for (; at > from && findings->list[at - 1].at.line > finding.at.line; at--)
            findings->list[at] = findings->list[at - 1];
        findings->list[at] = finding;
    }
}

static void check_all(const struct cf_container_check *check)
{
    cf_check_spec(check);
    cf_check_time(check);
    cf_check_ends(check);
}

static void check_container(struct cf_pod_check *pod_check, size_t index)
{
    size_t from = pod_check->out->count;
    const struct kp_pod *pod = pod_check->pod->pod;
    bool init = index < pod->init_count;
    struct cf_container_check check = {
        .pod_check = pod_check,
        .container = &pod->containers[index],
        .index = index,
        .path = cf_arena_format(pod_check->arena, "spec.%s[%zu]",
                                init ? "initContainers" : "containers",
                                init ? index : index - pod->init_count),
    };

    if (pod_check->arena->failed)
        return;
    check_all(&check);
    sort(pod_check->out, from);
    cf_put_together(&check, from, check_all);
}

enum kp_err cf_advise(struct cf_arena *arena, const struct kp_profile *profile,
                      const struct cf_manifest *manifest, const struct cf_ignores *ignores,
                      struct cf_findings *out)
{
    struct cf_lint lint = {0};
    struct cf_trials trials = {0};

    *out = (struct cf_findings){0};
    for (size_t i = 0; i < manifest->pod_count; i++) {
        struct cf_pod_check pod_check = {arena, profile, &manifest->pods[i], ignores, out, &trials};
        size_t count = pod_check.pod->pod->init_count + pod_check.pod->pod->regular_count;
        size_t refused = lint.refused_count;

        if (take_refusals(&pod_check, &lint) != KP_OK)
            return KP_ENOMEM;
        report_conflict(&pod_check);
        /* What is refused never runs: no advice on it. */
        for (size_t k = 0; refused == lint.refused_count && k < count; k++) {
            if (out->count >= FINDINGS_MAX) {
                out->cut = true;
                break;
            }
            check_container(&pod_check, k);
        }
    }
    out->errors = lint.refused_count;
    return arena->failed ? KP_ENOMEM : KP_OK;
}
