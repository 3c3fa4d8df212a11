#include "conformance/pod/lint.h"
#include "fakes/unit.h"

/* "line text" of each refusal, a line each. */
static struct kp_text linted(struct cf_arena *arena, const char *version, const char *yaml)
{
    struct kp_profile profile;
    struct cf_manifest manifest;
    struct cf_lint lint = {0};
    struct kp_text text = KP_TEXT("");

    CHECK_INT(kp_profile_init(&profile, kp_text_of(version)), KP_OK);
    CHECK_INT(cf_manifest_read(arena, &profile, "f", kp_text_of(yaml), &manifest), KP_OK);
    for (size_t i = 0; i < manifest.pod_count; i++)
        CHECK_INT(cf_lint_pod(arena, &profile, &manifest.pods[i], &lint), KP_OK);
    for (size_t i = 0; i < lint.count; i++)
        text = cf_arena_format(arena, "%.*s%d %.*s\n", (int)text.len, text.bytes,
                               lint.notes[i].at.line, (int)lint.notes[i].text.len,
                               lint.notes[i].text.bytes);
    return text;
}

#define HEAD "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"

static const struct row {
    const char *version;
    const char *yaml;
    const char *notes;
} rows[] = {
    {"1.36",
     HEAD "  containers:\n  - name: c\n    image: i\n    livenessProbe:\n      tcpSocket:\n        "
          "port: 0\n",
     "10 spec.containers[0].livenessProbe.tcpSocket.port: Invalid value: 0: must be "
     "between 1 and 65535, inclusive\n"},
    {"1.36",
     "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec:\n  template:\n    spec:\n  "
     " "
     "   restartPolicy: Never\n      containers:\n      - name: C\n        image: i\n",
     "9 spec.template.spec.containers[0].name: Invalid value: \"C\": a lowercase RFC "
     "1123 "
     "label must consist of lower case alphanumeric characters or '-', and must start and end with "
     "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
     "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n"
     "7 spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported "
     "values: "
     "\"Always\"\n"},
    {"1.36",
     "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  template:\n    spec:\n      "
     "containers: [{name: c, image: i}]\n",
     "6 spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", "
     "\"Never\"\n"},
};

static void refusals_stand_where_they_belong(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena;

        cf_arena_init(&arena, cf_libc_mem());
        CHECK_TEXT(linted(&arena, rows[i].version, rows[i].yaml), kp_text_of(rows[i].notes));
        cf_arena_deinit(&arena);
    }
}

const struct unit_test lint_test[] = {
    {"refusals stand where they belong", refusals_stand_where_they_belong},
    {0},
};
