#include "conformance/pod/lint.h"
#include "fakes/unit.h"

/* "line [rule] text" of each note, a line each. */
static struct kp_text linted(struct cf_arena *arena, const char *version, const char *yaml)
{
    struct kp_profile profile;
    struct cf_manifest manifest;
    struct cf_lint lint;
    struct kp_text text = KP_TEXT("");

    CHECK_INT(kp_profile_init(&profile, kp_text_of(version)), KP_OK);
    CHECK_INT(cf_manifest_read(arena, &profile, "f", kp_text_of(yaml), &manifest), KP_OK);
    CHECK_INT(cf_lint_manifest(arena, &profile, &manifest, &lint), KP_OK);
    for (size_t i = 0; i < lint.count; i++)
        text = cf_arena_format(arena, "%.*s%d [%s] %.*s\n", (int)text.len, text.bytes,
                               lint.notes[i].at.line,
                               lint.notes[i].refused ? "refused" : lint.notes[i].rule,
                               (int)lint.notes[i].text.len, lint.notes[i].text.bytes);
    return text;
}

#define HEAD "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"

static const struct row {
    const char *version;
    const char *yaml;
    const char *notes;
} rows[] = {
    {"1.19",
     "apiVersion: settings.k8s.io/v1alpha1\nkind: PodPreset\nmetadata: {name: p}\nspec: {env: "
     "[{name: A, value: b}]}\n---\n" HEAD
     "  containers:\n  - name: c\n    image: i\n    env: [{name: A, value: a}]\n",
     "6 [A-005] no PodPreset is merged into this pod: conflict occurred while applying podpresets: "
     "p on pod:  err: merging env for p has a conflict on A: ...\n"},
    {"1.19",
     "apiVersion: settings.k8s.io/v1alpha1\nkind: PodPreset\nmetadata: {name: p}\nspec: {env: "
     "[{name: A, value: a}]}\n---\n" HEAD
     "  containers:\n  - name: c\n    image: i\n    env: [{name: A, value: a}]\n",
     ""},
    {"1.36",
     HEAD "  containers:\n  - name: c\n    image: i\n    livenessProbe:\n      tcpSocket:\n        "
          "port: 0\n",
     "10 [refused] spec.containers[0].livenessProbe.tcpSocket.port: Invalid value: 0: must be "
     "between 1 and 65535, inclusive\n"},
    {"1.36",
     "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec:\n  template:\n    spec:\n  "
     " "
     "   restartPolicy: Never\n      containers:\n      - name: C\n        image: i\n",
     "9 [refused] spec.template.spec.containers[0].name: Invalid value: \"C\": a lowercase RFC "
     "1123 "
     "label must consist of lower case alphanumeric characters or '-', and must start and end with "
     "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
     "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n"
     "7 [refused] spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported "
     "values: "
     "\"Always\"\n"},
    {"1.36",
     "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  template:\n    spec:\n      "
     "containers: [{name: c, image: i}]\n",
     "6 [refused] spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", "
     "\"Never\"\n"},
    {"1.36",
     HEAD
     "  containers:\n  - name: c\n    image: i\n    livenessProbe:\n      httpGet: {port: web, "
     "host: h}\n      timeoutSeconds: 20\n      failureThreshold: 1\n      "
     "initialDelaySeconds: 60\n",
     "9 [E-010] spec.containers[0].livenessProbe.httpGet.port: no port of this container is called "
     "\"web\": every attempt is an error that is discarded, so the probe never succeeds and never "
     "fails\n"
     "9 [P-091] spec.containers[0].livenessProbe.httpGet.host: the kubelet connects to this host "
     "instead of the pod; a virtual host belongs into the Host header\n"
     "10 [P-019] spec.containers[0].livenessProbe.timeoutSeconds: an attempt may take 20 s, longer "
     "than the period of 10 s: the next ones follow at once or are lost\n"
     "11 [P-046] spec.containers[0].livenessProbe.failureThreshold: a single failed attempt kills "
     "the container\n"
     "12 [P-018] spec.containers[0].livenessProbe.initialDelaySeconds: every restart waits 60 to "
     "70 "
     "s before it is watched; a startupProbe ends the wait as soon as the container has started\n"},
    {"1.19", HEAD "  containers: [{name: c, image: i, livenessProbe: {exec: {command: [x]}}}]\n",
     ""},
    {"1.36",
     HEAD "  restartPolicy: Never\n  containers:\n  - name: c\n    image: i\n    livenessProbe: "
          "{exec: {command: [x]}}\n",
     "9 [P-084] spec.containers[0].livenessProbe.timeoutSeconds: a command that takes longer than "
     "1 "
     "s counts as failed; on a busy node the start of a process alone may take that long\n"
     "9 [S-130] spec.containers[0].livenessProbe: with restartPolicy Never a failed liveness probe "
     "ends the container for good\n"},
};

static void refusals_and_advice_stand_where_they_belong(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena;

        cf_arena_init(&arena, cf_libc_mem());
        CHECK_TEXT(linted(&arena, rows[i].version, rows[i].yaml), kp_text_of(rows[i].notes));
        cf_arena_deinit(&arena);
    }
}

const struct unit_test lint_test[] = {
    {"refusals and advice stand where they belong", refusals_and_advice_stand_where_they_belong},
    {0},
};
