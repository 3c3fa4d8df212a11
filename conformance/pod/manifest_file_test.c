#define _DEFAULT_SOURCE /* mkstemp */
#include "conformance/pod/manifest_file.h"

#include "conformance/text/cli.h"
#include "fakes/stderr.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The bytes in a file of a name of its own; false: there is no such file. */
static bool written(char *name, const char *bytes, size_t len)
{
    int fd = mkstemp(name);
    bool fine = CHECK(fd >= 0) && CHECK(write(fd, bytes, len) == (ssize_t)len);

    if (fd >= 0)
        close(fd);
    return fine;
}

static void what_cannot_be_read_is_said(void)
{
    static char large[CF_MANIFEST_BYTES_MAX + 1];
    char name[] = "/tmp/manifest_file.XXXXXX";
    char bytes[200];
    struct fake_stderr heard;
    struct cf_manifest_file file = {.among = true};
    struct cf_arena arena = {.mem = cf_libc_mem()};

    memset(large, '#', sizeof large);
    if (written(name, large, sizeof large)) {
        struct kp_text want = cf_arena_format(
            &arena, "%s:1:1: larger than 4194304 bytes\n%s.none: No such file or directory\n", name,
            name);

        fake_stderr_begin(&heard);
        CHECK_INT(cf_manifest_file_open(&arena, name, &file), CF_EXIT_USAGE);
        CHECK(!file.among);
        CHECK_INT(
            cf_manifest_file_open(&arena, cf_arena_format(&arena, "%s.none", name).bytes, &file),
            CF_EXIT_USAGE);
        CHECK_TEXT(fake_stderr_end(&heard, bytes, sizeof bytes), want);
    }
    unlink(name);
    cf_arena_deinit(&arena);
}

static void standard_input_has_a_name(void)
{
    char name[] = "/tmp/manifest_file.XXXXXX";
    int kept = dup(STDIN_FILENO);
    struct cf_manifest_file file = {.only = "x"};
    struct cf_arena arena = {.mem = cf_libc_mem()};

    if (written(name, "a: b\n", 5) && CHECK(freopen(name, "r", stdin) != NULL)) {
        CHECK_INT(cf_manifest_file_open(&arena, "-", &file), CF_EXIT_OK);
        CHECK_STRING(file.name, "<stdin>");
        CHECK_TEXT(file.bytes, KP_TEXT("a: b\n"));
        CHECK(file.only == NULL);
    }
    dup2(kept, STDIN_FILENO);
    close(kept);
    unlink(name);
    cf_arena_deinit(&arena);
}

#define POD "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
#define PRESET "---\napiVersion: settings.k8s.io/v1alpha1\nkind: PodPreset\nmetadata: {name: p}\n"
#define KNATIVE                                                                                    \
    "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: hello}\nspec: "           \
    "{template: "                                                                                  \
    "{spec: {containers: [{image: b}]}}}\n"
#define OF_KNATIVE                                                                                 \
    "kind \"Service\" of Knative, whose proxy does the probing; ask about a pod of it: `kubectl "  \
    "get pod NAME -o yaml`\n"
#define FLOW "---\n{apiVersion: v2, kind: Flow, metadata: {name: f}, containers: [{name: c}]}\n"
#define OF_FLOW                                                                                    \
    "warning: \"f\" is passed over: kind \"Flow\" has containers, but no pod template that is "    \
    "known\n"
#define GONE "warning: no matches for kind \"PodPreset\" in version \"settings.k8s.io/v1alpha1\"\n"

static void what_is_wrong_stands_line_by_line(void)
{
    static const struct {
        const char *bytes;
        const char *only;
        int code;
        const char *said;
    } rows[] = {
        {POD, NULL, CF_EXIT_OK, ""},
        {POD "foo: 1\n", NULL, CF_EXIT_USAGE, "file:4:1: unknown field \"foo\"\n"},
        {POD "foo: 1\n", "b", CF_EXIT_USAGE, "file:1:1: no pod and no pod template in it\n"},
        {POD PRESET PRESET PRESET, NULL, CF_EXIT_OK,
         "file:5:1: " GONE "file:9:1: " GONE "file:13:1: " GONE},
        /* Whoever asks for one of them has an answer to that one. */
        {KNATIVE "---\n" POD, NULL, CF_EXIT_OK,
         "file:2:7: warning: \"hello\" is passed over: " OF_KNATIVE},
        {KNATIVE "---\n" POD, "a", CF_EXIT_OK, ""},
        {KNATIVE "---\n" POD, "hello", CF_EXIT_OK,
         "file:2:7: warning: \"hello\" is passed over: " OF_KNATIVE},
        {KNATIVE, NULL, CF_EXIT_USAGE,
         "file:2:7: no pod and no pod template in it, but " OF_KNATIVE},
        {POD "---\napiVersion: apps/v1\nkind: Deploymnet\nmetadata: {name: d}\nspec: {template: "
             "{spec: {containers: [{name: c}]}}}\n---\napiVersion: x.io/v1\nkind: "
             "Flow\nmetadata: {name: f}\nspec: {steps: [{containers: [{name: c}]}]}\n---\n"
             "apiVersion: v1\nkind: ConfigMap\ndata: {containers: '[{a: b}]'}\n",
         NULL, CF_EXIT_OK,
         "file:6:7: warning: \"d\" is passed over: kind \"Deploymnet\"; did you mean Deployment?\n"
         "file:11:7: warning: \"f\" is passed over: kind \"Flow\" has containers, but no pod "
         "template that is known\n"},
        /* Neither has containers: a list of others, and a text. */
        {POD "---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\nspec: "
             "{rules: [{host: x}], containers: [x], a: {containers: {b: c}}}\n",
         NULL, CF_EXIT_OK, ""},
        {POD FLOW FLOW FLOW, NULL, CF_EXIT_OK,
         "file:5:24: " OF_FLOW "file:7:24: " OF_FLOW "file:9:24: " OF_FLOW},
        {POD "---\n{apiVersion: v2, kind: Flow, containers: [{name: c}]}\n", NULL, CF_EXIT_OK,
         "file:5:24: warning: passed over: kind \"Flow\" has containers, but no pod template that "
         "is "
         "known\n"},
        {FLOW FLOW FLOW, NULL, CF_EXIT_USAGE,
         "file:2:24: no pod and no pod template in it, but kind \"Flow\" has containers, but no "
         "pod "
         "template that is known\nfile:4:24: " OF_FLOW "file:6:24: " OF_FLOW},
        {POD "  bad\n", NULL, CF_EXIT_USAGE,
         "file:4:3: this line is indented by 2, line 3 by 0: fields of one object stand in one "
         "column\n"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_manifest_file file = {
            .name = "file", .bytes = kp_text_of(rows[i].bytes), .only = rows[i].only};
        struct kp_profile profile = unit_profile("1.36");
        struct cf_manifest manifest;
        struct fake_stderr heard;
        struct cf_arena arena = {.mem = cf_libc_mem()};
        char bytes[400];
        int code;

        fake_stderr_begin(&heard);
        code = cf_manifest_file_read(&arena, "lint", &profile, &file, &manifest);
        CHECK_TEXT(fake_stderr_end(&heard, bytes, sizeof bytes), kp_text_of(rows[i].said));
        CHECK_INT(code, rows[i].code);
        cf_arena_deinit(&arena);
    }
}

/* Of a folder's files those without a pod are counted; of a file that was named they are a fault.
 */
static void what_has_no_pod_is_counted(void)
{
    static const struct {
        const char *only;
        size_t empty;
        const char *said;
        int code;
    } rows[] = {
        {NULL, 0, "", CF_EXIT_OK},
        {NULL, 1, "probetest lint: 1 of 3 files have no pod\n", CF_EXIT_OK},
        {NULL, 3, "probetest lint: 3 of 3 files have no pod\n", CF_EXIT_USAGE},
        {"web", 1, "", CF_EXIT_OK},
        {"web", 3, "probetest lint: none of 3 files has a pod 'web'\n", CF_EXIT_USAGE},
    };
    struct fake_stderr heard;
    char bytes[200];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fake_stderr_begin(&heard);
        CHECK_INT(cf_manifest_print_empty("lint", rows[i].only, rows[i].empty, 3), rows[i].code);
        CHECK_TEXT(fake_stderr_end(&heard, bytes, sizeof bytes), kp_text_of(rows[i].said));
    }
}

static void a_file_among_others_may_have_no_pod(void)
{
    static const struct {
        const char *bytes;
        bool among;
        const char *said;
        int code;
    } rows[] = {
        {"", true, "", CF_EXIT_OK},
        {KNATIVE, true, "f:2:7: warning: no pod and no pod template in it, but " OF_KNATIVE,
         CF_EXIT_OK},
        {"", false, "f:1:1: no pod and no pod template in it\n", CF_EXIT_USAGE},
        {"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\na: b\n", true,
         "f:5:1: kind is not set\n", CF_EXIT_USAGE},
        {"kind: 1", true, "f:1:7: kind must be a string\n", CF_EXIT_USAGE},
        {"apiVersion: v1\nkind: Pod\nmetadata: {name: a}", true, "", CF_EXIT_OK},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cf_manifest_file file = {
            .name = "f", .bytes = kp_text_of(rows[i].bytes), .among = rows[i].among};
        struct kp_profile profile = unit_profile("1.36");
        struct cf_manifest manifest;
        struct fake_stderr heard;
        struct cf_arena arena = {.mem = cf_libc_mem()};
        char bytes[200];

        fake_stderr_begin(&heard);
        CHECK_INT(cf_manifest_file_read(&arena, "lint", &profile, &file, &manifest), rows[i].code);
        CHECK_TEXT(fake_stderr_end(&heard, bytes, sizeof bytes), kp_text_of(rows[i].said));
        CHECK_INT(manifest.fault_count > 0, rows[i].said[0] != '\0');
        cf_arena_deinit(&arena);
    }
}

const struct unit_test manifest_file_test[] = {
    {"what has no pod is counted", what_has_no_pod_is_counted},
    {"a file among others may have no pod", a_file_among_others_may_have_no_pod},
    {"what cannot be read is said", what_cannot_be_read_is_said},
    {"standard input has a name", standard_input_has_a_name},
    {"what is wrong stands line by line", what_is_wrong_stands_line_by_line},
    {0},
};
