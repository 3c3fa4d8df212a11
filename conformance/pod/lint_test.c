#include "conformance/pod/lint.h"
#include "conformance/text/out.h"
#include "fakes/stderr.h"
#include "fakes/unit.h"

/* "line text" of each refusal, a line each. */
static struct kp_text linted(struct cf_arena *arena, const char *version, const char *yaml)
{
    struct kp_profile profile = unit_profile(version);
    struct cf_manifest manifest;
    struct cf_lint lint = {0};
    struct kp_text text = KP_TEXT("");

    CHECK_INT(cf_manifest_read(arena, &profile, "f", kp_text_of(yaml), &manifest), KP_OK);
    for (size_t i = 0; i < manifest.pod_count; i++)
        CHECK_INT(cf_lint_pod(arena, &profile, &manifest.pods[i], &lint), KP_OK);
    for (size_t i = 0; i < lint.count; i++)
        text = cf_arena_format(arena, "%.*s%d %.*s\n", KP_ARG(text), lint.notes[i].at.line,
                               KP_ARG(lint.notes[i].text));
    return text;
}

#define OF(digit) "{name: a" digit ", image: i}, "
#define RULE "{action: Restart, exitCodes: {values: [1], operator: In}}, "
#define TEN_RULES RULE RULE RULE RULE RULE RULE RULE RULE RULE RULE
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
    {"1.36",
     HEAD "  initContainers:\n  - name: a\n    image: i\n    restartPolicy: OnFailure\n"
          "    restartPolicyRules:\n    - action: Restart\n      exitCodes:\n        values: [1]\n"
          "        operator: x\n  containers: [{name: c, image: i}]\n",
     "13 spec.initContainers[0].restartPolicyRules[0].exitCodes.operator: Unsupported value: "
     "\"x\": supported values: \"In\", \"NotIn\"\n"},
    {"1.36",
     HEAD "  initContainers: [" OF("0") OF("1") OF("2") OF("3") OF("4") OF("5") OF("6") OF("7")
         OF("8") OF("9") "{name: a, image: i, restartPolicy: OnFailure,\n"
                         "    restartPolicyRules: [" TEN_RULES
                         "{action: Restart, exitCodes: {values: [1],\n"
                         "        operator: x}}]}]\n  containers: [{name: c, image: i}]\n",
     "7 spec.initContainers[10].restartPolicyRules[10].exitCodes.operator: Unsupported value: "
     "\"x\": supported values: \"In\", \"NotIn\"\n"},
    {"1.37",
     "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec:\n  template:\n    spec:\n"
     "      containers: [{name: c, image: i}]\n      restartPolicy: <\n",
     "8 spec.template.spec.restartPolicy: Unsupported value: \"\\u003c\": supported values: "
     "\"Always\", \"OnFailure\", \"Never\"\n8 spec.template.spec.restartPolicy: Unsupported "
     "value: \"\\u003c\": supported values: \"Always\"\n"},
    {"1.36", HEAD "  restartPolicy: Never\n  containers: [{name: c, image: i}]\n", ""},
    {"1.36", HEAD "  containers: [{name: c, image: i}]\n", ""},
    {"1.36",
     "apiVersion: v1\nkind: PodTemplate\ntemplate: {spec: {restartPolicy: Never, containers: "
     "[{name: c, image: i}]}}\n",
     ""},
    {"1.36",
     "apiVersion: v1\nkind: PodTemplate\nmetadata: {name: p}\ntemplate:\n  spec: {containers: "
     "[]}\n",
     "5 template.spec.containers: Required value\n"},
    {"1.36",
     "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec: {template: {spec: "
     "{containers: [{name: c, image: i}]}}}\n",
     ""},
    {"1.36",
     "apiVersion: batch/v1\nkind: Job\nmetadata: {name: w}\nspec: {template: {spec: "
     "{restartPolicy: OnFailure, containers: [{name: c, image: i}]}}}\n",
     ""},
    {"1.36",
     "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: w}\nspec: {jobTemplate: {spec: "
     "{template: {spec: {restartPolicy: Always, containers: [{name: c, image: i}]}}}}}\n",
     "4 spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "
     "\"OnFailure\", \"Never\"\n"},
    {"1.36",
     "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: w}\nspec: {jobTemplate: {spec: "
     "{template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}}\n",
     ""},
};

static void refusals_stand_where_they_belong(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};

        CHECK_TEXT(linted(&arena, rows[i].version, rows[i].yaml), kp_text_of(rows[i].notes));
        cf_arena_deinit(&arena);
    }
}

/* So many containers without a name or an image: two refusals each. */
static void so_many_refusals_are_reported_and_all_are_counted(void)
{
    static const size_t counts[] = {
        1, 8, 9, CF_LINT_NOTES_MAX / 2 - 1, CF_LINT_NOTES_MAX / 2, CF_LINT_NOTES_MAX / 2 + 1};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct kp_profile profile = unit_profile("1.36");
        struct cf_manifest manifest;
        struct cf_lint lint = {0};
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct cf_out yaml = {0};

        cf_out_put_string(&yaml, HEAD "  containers:\n");
        for (size_t k = 0; k < counts[i]; k++)
            cf_out_printf(&yaml, "  - {name: c%zu, command: [], livenessProbe: {}}\n", k);
        CHECK_INT(cf_manifest_read(&arena, &profile, "f", cf_out_text(&yaml), &manifest), KP_OK);
        CHECK_INT(cf_lint_pod(&arena, &profile, &manifest.pods[0], &lint), KP_OK);
        CHECK_INT(lint.refused_count, 2 * counts[i]);
        CHECK_INT(lint.count,
                  lint.refused_count < CF_LINT_NOTES_MAX ? lint.refused_count : CF_LINT_NOTES_MAX);
        for (size_t k = 0; k < lint.count; k++)
            CHECK_INT(lint.notes[k].at.line, 6 + k / 2);
        cf_out_deinit(&yaml);
        cf_arena_deinit(&arena);
    }
}

#define BAD(name, list)                                                                            \
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name "}\nspec:\n    containers: [" list    \
    "]\n"
#define NAMED(name) "{name: " name "}, "
#define REFUSED(at, index) "file:" at ": spec.containers[" index "].image: Required value\n"

static void refusals_are_printed_with_their_places(void)
{
    static const char file[] =
        BAD("a", NAMED("u") NAMED("v") NAMED("w") "{name: c, image: i}") BAD("b", "{name: c}")
            BAD("d", "{name: c, image: i}, {name: x}, {name: z, image: i, imagePullPolicy: z}");
    static const char of_a[] = REFUSED("6:18", "0") REFUSED("6:29", "1") REFUSED("6:40", "2");
    static const char of_b[] = REFUSED("12:18", "0");
    static const char of_d[] =
        REFUSED("18:39", "1") "file:18:70: spec.containers[2].imagePullPolicy: Unsupported value: "
                              "\"z\": supported values: \"Always\", \"IfNotPresent\", "
                              "\"Never\"\n";
    static const struct {
        const char *only;
        bool a, b, d;
    } tries[] = {{NULL, true, true, true},
                 {"a", true, false, false},
                 {"b", false, true, false},
                 {"d", false, false, true},
                 {"e", false, false, false}};

    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        struct kp_profile profile = unit_profile("1.36");
        struct cf_manifest manifest;
        struct fake_stderr heard;
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_text want;
        char bytes[1000];
        enum kp_err err;

        want = cf_arena_format(&arena, "%s%s%s", tries[i].a ? of_a : "", tries[i].b ? of_b : "",
                               tries[i].d ? of_d : "");
        CHECK_INT(cf_manifest_read_only(&arena, &profile, "file", kp_text_of(file), tries[i].only,
                                        &manifest),
                  KP_OK);
        fake_stderr_begin(&heard);
        err = cf_lint_refuse(&arena, &profile, &manifest);
        CHECK_TEXT(fake_stderr_end(&heard, bytes, sizeof bytes), want);
        CHECK_INT(err, want.len > 0 ? KP_EINPUT : KP_OK);
        cf_arena_deinit(&arena);
    }
}

const struct unit_test lint_test[] = {
    {"so many refusals are reported, and all are counted",
     so_many_refusals_are_reported_and_all_are_counted},
    {"refusals are printed with their places", refusals_are_printed_with_their_places},
    {"refusals stand where they belong", refusals_stand_where_they_belong},
    {0},
};
