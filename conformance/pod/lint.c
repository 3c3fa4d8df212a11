#include "conformance/pod/lint.h"
#include "conformance/text/print.h"

#include <stdio.h>

#include "core/api/validate.h"

#include <string.h>

struct linter {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    const struct cf_manifest_pod *pod;
    struct cf_lint *out;
};

/* Who reads more?  It also bounds the time for finding their places. */
static bool is_full(const struct cf_lint *out)
{
    return out->count >= CF_LINT_NOTES_MAX;
}

static void add(struct linter *linter, struct cf_lint_note note)
{
    struct cf_lint *out = linter->out;
    struct cf_lint_note *notes =
        cf_arena_grow(linter->arena, out->notes, &out->room, out->count, sizeof *notes);

    if (!notes)
        return;
    out->notes = notes;
    notes[out->count++] = note;
}

static void put_refusal(struct kp_buf *buf, const struct linter *linter,
                        const struct kp_field_error *error)
{
    if (linter->pod->path.len > 0) {
        kp_buf_put(buf, linter->pod->path);
        kp_buf_put_char(buf, '.');
    }
    kp_field_error_put(buf, linter->profile, error);
}

static struct cf_place place_of(const struct linter *linter, const struct kp_field_error *error)
{
    struct kp_buf buf = {0};

    kp_path_put(&buf, error->path);
    buf = cf_arena_buf(linter->arena, buf.need);
    kp_path_put(&buf, error->path);
    return cf_node_place(linter->pod->source, kp_buf_text(&buf));
}

static void take_refusal(void *ctx, const struct kp_field_error *error)
{
    struct linter *linter = ctx;
    struct kp_buf buf = {0};

    linter->out->refused_count++;
    if (is_full(linter->out))
        return;
    put_refusal(&buf, linter, error);
    buf = cf_arena_buf(linter->arena, buf.need);
    if (!buf.bytes)
        return;
    put_refusal(&buf, linter, error);
    add(linter, (struct cf_lint_note){place_of(linter, error), kp_buf_text(&buf)});
}

static bool is_kind(const struct linter *linter, const char *kind)
{
    return kp_text_equal(linter->pod->kind, kp_text_of(kind));
}

/* Which restart policies the object around a template leaves to it. */
static void check_restart_policy(struct linter *linter)
{
    static const char *const only_always[] = {"Always", NULL};
    const struct kp_path spec = {NULL, "spec", 0};
    const struct kp_path path = {&spec, "restartPolicy", 0};
    struct kp_text policy = linter->pod->pod->restart_policy;
    bool always = kp_text_equal(policy, KP_TEXT("Always"));
    bool job = is_kind(linter, "Job") || is_kind(linter, "CronJob");
    struct kp_field_error error = {.path = &path, .type = KP_FIELD_ERROR_REQUIRED};

    if (job && always) {
        error.detail = "valid values: \"OnFailure\", \"Never\"";
    } else if (!job && !always) {
        error.type = KP_FIELD_ERROR_NOT_SUPPORTED;
        error.value = KP_VALUE_NAMED;
        error.text = policy;
        error.supported = only_always;
    } else {
        return;
    }
    if (linter->pod->path.len > 0 && !is_kind(linter, "PodTemplate"))
        take_refusal(linter, &error);
}

enum kp_err cf_lint_pod(struct cf_arena *arena, const struct kp_profile *profile,
                        const struct cf_manifest_pod *pod, struct cf_lint *lint)
{
    struct linter linter = {arena, profile, pod, lint};
    struct kp_field_error_sink sink = {take_refusal, &linter};

    if (kp_pod_validate(profile, arena->mem, pod->pod, sink) == KP_ENOMEM)
        return KP_ENOMEM;
    check_restart_policy(&linter);
    return arena->failed ? KP_ENOMEM : KP_OK;
}

enum kp_err cf_lint_refuse(struct cf_arena *arena, const struct kp_profile *profile,
                           const struct cf_manifest *manifest)
{
    struct cf_lint lint = {0};

    for (size_t i = 0; i < manifest->pod_count; i++) {
        if (!cf_manifest_pod_is_called(&manifest->pods[i], manifest->only) ||
            cf_lint_pod(arena, profile, &manifest->pods[i], &lint) == KP_OK)
            continue;
        cf_print(stderr, "probetest: out of memory\n");
        return KP_ENOMEM;
    }
    for (size_t i = 0; i < lint.count; i++)
        cf_print(stderr, "%s:%d:%d: %.*s\n", manifest->name, lint.notes[i].at.line,
                 lint.notes[i].at.column, KP_ARG(lint.notes[i].text));
    return lint.refused_count > 0 ? KP_EINPUT : KP_OK;
}
