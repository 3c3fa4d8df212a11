#include "core/api/defaults.h"
#include "core/api/names.h"
#include "core/api/validate.h"
#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <stdlib.h>
#include <string.h>

/* Of whoever has them (V-034). */
#define NOT_ON_CREATE "spec.ephemeralContainers: Forbidden: cannot be set on create\n"

struct collected {
    char text[2000];
    struct kp_buf buf;
    const struct kp_profile *profile;
};

static void collect(void *ctx, const struct kp_field_error *error)
{
    struct collected *collected = ctx;

    kp_field_error_put(&collected->buf, collected->profile, error);
    kp_buf_put_char(&collected->buf, '\n');
}

static void *test_alloc(void *ctx, size_t bytes)
{
    int *left = ctx;

    return (*left)-- > 0 ? malloc(bytes) : NULL;
}

static void test_free(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

static struct kp_pod good_pod(struct kp_container *container)
{
    *container = (struct kp_container){.name = KP_TEXT("c"),
                                       .kind = KP_REGULAR,
                                       .image = KP_TEXT("i"),
                                       .image_pull_policy = KP_TEXT("Always"),
                                       .termination_message_policy = KP_TEXT("File")};
    return (struct kp_pod){.name = KP_TEXT("p"),
                           .restart_policy = KP_TEXT("Always"),
                           .has_grace = true,
                           .grace_s = 30,
                           .containers = container,
                           .regular_count = 1};
}

static struct kp_profile profile_of(const char *version)
{
    struct kp_profile profile = unit_profile(version);

    return profile;
}

/* V-035 */
static void an_update_may_not_change_what_the_kubelet_started_with(void)
{
    static const struct {
        const char *version;
        const char *text;
    } rows[] = {
        {"1.21", "spec: Forbidden: pod updates may not change fields other than "
                 "`spec.containers[*].image`, `spec.initContainers[*].image`, "
                 "`spec.activeDeadlineSeconds` or `spec.tolerations` (only additions to existing "
                 "tolerations)\n"},
        {"1.36", "spec: Forbidden: pod updates may not change fields other than "
                 "`spec.containers[*].image`,`spec.initContainers[*].image`,"
                 "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
                 "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it "
                 "was previously negative)\n"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_profile profile = profile_of(rows[i].version);
        struct collected collected = {.profile = &profile};
        struct kp_field_error_sink sink = {collect, &collected};
        struct kp_container container;
        struct kp_pod pod = good_pod(&container);
        int left = 1000;
        struct kp_mem mem = {test_alloc, test_free, &left};

        collected.buf = (struct kp_buf){collected.text, sizeof collected.text, 0};
        CHECK_INT(kp_pod_validate_update(&profile, &mem, &pod, &pod, true, sink), KP_OK);
        CHECK_INT(collected.buf.need, 0);
        CHECK_INT(kp_pod_validate_update(&profile, &mem, &pod, &pod, false, sink), KP_EINPUT);
        CHECK_TEXT(kp_buf_text(&collected.buf), kp_text_of(rows[i].text));
    }
}

/* A deadline of 0, which only an update leaves, is one, too; init containers stay as many. */
static void an_update_takes_nothing_away(void)
{
    struct kp_profile profile = profile_of("1.36");
    struct collected collected = {.profile = &profile};
    struct kp_field_error_sink sink = {collect, &collected};
    struct kp_container containers[2];
    struct kp_pod pod = good_pod(&containers[1]);
    struct kp_pod old = pod;
    int left = 1000;
    struct kp_mem mem = {test_alloc, test_free, &left};

    old.has_deadline = true;
    collected.buf = (struct kp_buf){collected.text, sizeof collected.text, 0};
    CHECK_INT(kp_pod_validate_update(&profile, &mem, &pod, &old, true, sink), KP_EINPUT);
    CHECK_TEXT(kp_buf_text(&collected.buf),
               KP_TEXT("spec.activeDeadlineSeconds: Invalid value: null: must not update from a "
                       "positive integer to nil value\n"));
    pod.has_deadline = true;
    pod.deadline_s = 1;
    collected.buf = (struct kp_buf){collected.text, sizeof collected.text, 0};
    CHECK_INT(kp_pod_validate_update(&profile, &mem, &pod, &old, true, sink), KP_EINPUT);
    CHECK_TEXT(kp_buf_text(&collected.buf),
               KP_TEXT("spec.activeDeadlineSeconds: Invalid value: 1: must be less than or equal "
                       "to previous value\n"));
    pod = good_pod(&containers[1]);
    containers[0] = containers[1];
    containers[0].kind = KP_INIT;
    containers[0].name = KP_TEXT("i");
    old = pod;
    old.containers = containers;
    old.init_count = 1;
    for (int i = 0; i < 2; i++) {
        collected.buf = (struct kp_buf){collected.text, sizeof collected.text, 0};
        CHECK_INT(kp_pod_validate_update(&profile, &mem, i == 0 ? &pod : &old, i == 0 ? &old : &pod,
                                         true, sink),
                  KP_EINPUT);
        CHECK_TEXT(kp_buf_text(&collected.buf),
                   KP_TEXT("spec.initContainers: Forbidden: pod updates may not add or remove "
                           "containers\n"));
    }
}

/* A changed probe is validated before the change itself is refused. */
static void an_update_is_validated_first(void)
{
    struct kp_profile profile = profile_of("1.36");
    struct collected collected = {.profile = &profile};
    struct kp_field_error_sink sink = {collect, &collected};
    struct kp_probe probe = {.success_threshold = 1};
    struct kp_container container;
    struct kp_pod pod = good_pod(&container);
    int left = 1000;
    struct kp_mem mem = {test_alloc, test_free, &left};

    container.probes[KP_LIVENESS] = &probe;
    collected.buf = (struct kp_buf){collected.text, 84, 0};
    CHECK_INT(kp_pod_validate_update(&profile, &mem, &pod, &pod, false, sink), KP_EINPUT);
    CHECK_TEXT(kp_buf_text(&collected.buf),
               KP_TEXT("spec.containers[0].livenessProbe: Required value: must specify a handler "
                       "type\nspec: "));
}

/* One of each kind, with the ports of two. */
static struct kp_pod full_pod(struct kp_container containers[4])
{
    static const struct kp_container_port ports[] = {
        {.name = {"a", 1}, .container_port = 80, .protocol = {"TCP", 3}, .host_port = 80},
        {.name = {"b", 1}, .container_port = 81, .protocol = {"TCP", 3}, .host_port = 81}};
    struct kp_pod pod = good_pod(&containers[0]);

    for (int i = 0; i < 4; i++) {
        containers[i] = containers[0];
        containers[i].name = kp_text_of(&"icde"[i]);
        containers[i].name.len = 1;
    }
    containers[0].kind = KP_INIT;
    containers[1].ports = ports;
    containers[1].port_count = 2;
    containers[2].kind = KP_EPHEMERAL;
    containers[3].kind = KP_EPHEMERAL;
    pod.init_count = 1;
    pod.ephemeral_count = 2;
    return pod;
}

static void check_memory_of(const char *version)
{
    enum kp_err err = KP_ENOMEM;

    for (int calls = 0; err == KP_ENOMEM && calls < 50; calls++) {
        struct kp_profile profile = profile_of(version);
        struct collected collected = {.profile = &profile};
        struct kp_field_error_sink sink = {collect, &collected};
        struct kp_container containers[4];
        struct kp_pod pod = full_pod(containers);
        struct fake_alloc state = {.fail_at = calls};
        struct kp_mem mem = fake_alloc_mem(&state);

        pod.ephemeral_count = 0;
        err = kp_pod_validate(&profile, &mem, &pod, sink);
        CHECK_INT(err, state.calls > calls ? KP_ENOMEM : KP_OK);
        CHECK_INT(collected.buf.need, 0);
        CHECK_INT(state.live, 0);
    }
    CHECK_INT(err, KP_OK);
}

static void no_memory_is_said_and_nothing_is_lost(void)
{
    check_memory_of("1.24");
    check_memory_of("1.36");
}

/* Returns: what is said of a pod, in `collected`. */
static struct kp_text errors_of(struct collected *collected, const char *version,
                                const struct kp_pod *pod)
{
    struct kp_profile profile = profile_of(version);
    struct kp_field_error_sink sink = {collect, collected};
    struct kp_mem mem = fake_alloc_plain();
    enum kp_err err;

    *collected = (struct collected){.profile = &profile};
    collected->buf = (struct kp_buf){collected->text, sizeof collected->text, 0};
    err = kp_pod_validate(&profile, &mem, pod, sink);
    CHECK_INT(err, collected->buf.need > 0 ? KP_EINPUT : KP_OK);
    return kp_buf_text(&collected->buf);
}

/* V-030: from 1.28 a sidecar may; a server of 1.27 that is given one knows of no sidecars. */
static void init_containers_had_no_probes_and_hooks(void)
{
    static const struct kp_probe probe = {.handler = {.exec = NULL}};
    struct kp_container containers[4];
    struct kp_pod pod = full_pod(containers);
    struct collected collected;

    pod.ephemeral_count = 0;
    containers[0].has_lifecycle = true;
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        containers[0].probes[type] = &probe;
    containers[0].restart_policy = KP_TEXT("Always");
    CHECK_TEXT(errors_of(&collected, "1.27", &pod),
               KP_TEXT("spec.initContainers[0].lifecycle: Forbidden: may not be set for init "
                       "containers\nspec.initContainers[0].livenessProbe: Forbidden: may not be "
                       "set for init containers\nspec.initContainers[0].readinessProbe: Forbidden: "
                       "may not be set for init containers\nspec.initContainers[0].startupProbe: "
                       "Forbidden: may not be set for init containers\n"));
}

/* Up to 1.24 the server prints the whole value, with addresses: of that the type alone is said. */
static void init_containers_had_no_probes_and_hooks_long_ago(void)
{
    static const struct kp_exec_action exec = {.command = {.count = 0}};
    static const struct kp_probe probe = {.handler = {.exec = &exec},
                                          .timeout_s = 1,
                                          .period_s = 1,
                                          .success_threshold = 1,
                                          .failure_threshold = 1};
    static const char *const wanted[] = {
        "spec.initContainers[0].lifecycle: Invalid value: core.Lifecycle{...}: must not be set for "
        "init containers\n",
        "spec.initContainers[0].livenessProbe: Invalid value: core.Probe{...}: must not be set for "
        "init containers\n",
        "spec.initContainers[0].readinessProbe: Invalid value: core.Probe{...}: must not be set "
        "for init containers\n",
        "spec.initContainers[0].startupProbe: Invalid value: core.Probe{...}: must not be set for "
        "init containers\n",
    };
    static const enum kp_probe_type types[] = {KP_PROBE_TYPES, KP_LIVENESS, KP_READINESS,
                                               KP_STARTUP};

    for (int i = 0; i < 4; i++) {
        struct kp_container containers[4];
        struct kp_pod pod = full_pod(containers);
        struct collected collected;
        struct kp_text said;

        pod.ephemeral_count = 0;
        containers[0].has_lifecycle = i == 0;
        if (i > 0)
            containers[0].probes[types[i]] = &probe;
        said = errors_of(&collected, "1.24", &pod);
        CHECK(said.len >= strlen(wanted[i]));
        CHECK_TEXT(kp_text_of(said.bytes + said.len - strlen(wanted[i])), kp_text_of(wanted[i]));
    }
}

/* V-032: up to 1.24 each is a list of its own, and one without a name is looked at no further. */
static void ephemeral_containers_were_lists_of_one(void)
{
    static const struct kp_container_port port = {
        .container_port = 80, .protocol = {"TCP", 3}, .host_port = 80};
    static const struct kp_container_port twice[] = {
        {.container_port = 80, .protocol = {"TCP", 3}, .host_port = 80},
        {.container_port = 80, .protocol = {"TCP", 3}, .host_port = 80}};
    struct kp_container containers[4];
    struct kp_pod pod = full_pod(containers);
    struct collected collected;

    containers[2].name = KP_TEXT_NONE;
    containers[2].ports = &port;
    containers[2].port_count = 1;
    containers[3].image = KP_TEXT(" i");
    containers[3].ports = twice;
    containers[3].port_count = 2;
    CHECK_TEXT(errors_of(&collected, "1.24", &pod),
               KP_TEXT("spec.ephemeralContainers[0]: Required value: ephemeralContainer requires a "
                       "name\n"
                       "spec.ephemeralContainers[1][0].ports[1].hostPort: Duplicate value: "
                       "\"TCP//80\"\n"
                       "spec.ephemeralContainers[1][0].image: Invalid value: \" i\": must not have "
                       "leading or trailing whitespace\n"
                       "spec.ephemeralContainers[1].ports: Forbidden: cannot be set for an "
                       "Ephemeral Container\n" NOT_ON_CREATE));
    containers[2].name = KP_TEXT("d");
    containers[3].image = KP_TEXT("i");
    containers[3].port_count = 1;
    CHECK_TEXT(errors_of(&collected, "1.24", &pod),
               KP_TEXT("spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an "
                       "Ephemeral Container\n"
                       "spec.ephemeralContainers[1].ports: Forbidden: cannot be set for an "
                       "Ephemeral Container\n" NOT_ON_CREATE));
}

/* A zero byte ends no list of allowed signs. */
static void a_zero_byte_is_no_sign_of_a_name(void)
{
    struct kp_profile profile = profile_of("1.27");
    const struct kp_text name = {"a\0b", 3};

    CHECK_INT(kp_name_env(&profile, name).count, 1);
    CHECK_INT(kp_name_qualified(&profile, name).count, 1);
}

static void a_zero_byte_is_no_space_around_an_image(void)
{
    struct kp_container containers[4];
    struct kp_pod pod = full_pod(containers);
    struct collected collected;

    containers[2].image = (struct kp_text){"\0i", 2};
    containers[3].image = (struct kp_text){"i\0", 2};
    CHECK_TEXT(errors_of(&collected, "1.36", &pod), KP_TEXT(NOT_ON_CREATE));
}

/* What defaulting fills in is missing where nobody defaulted (V-027 and its like). */
static void a_pod_that_nobody_defaulted_lacks_fields(void)
{
    static const struct kp_container_port port = {.container_port = 80};
    static const struct kp_http_get_action action = {.port = {.kind = KP_INTSTR_INT, .number = 80},
                                                     .scheme = {"HTTP", 4}};
    static const struct kp_probe probe = {.handler = {.http_get = &action},
                                          .period_s = 10,
                                          .timeout_s = 1,
                                          .success_threshold = 1,
                                          .failure_threshold = 3};
    static const char *const lacks[] = {
        "spec.restartPolicy: Required value\n",
        "spec.terminationGracePeriodSeconds: Required value\n",
        "spec.containers[0].imagePullPolicy: Required value\n",
        "spec.containers[0].ports[0].protocol: Required value\n",
        "spec.containers[0].livenessProbe.httpGet.path: Required value\n",
    };

    for (size_t i = 0; i < sizeof lacks / sizeof lacks[0]; i++) {
        struct kp_profile profile = profile_of("1.36");
        struct collected collected = {.profile = &profile};
        struct kp_field_error_sink sink = {collect, &collected};
        struct kp_container container;
        struct kp_pod pod = good_pod(&container);
        int left = 1000;
        struct kp_mem mem = {test_alloc, test_free, &left};

        if (i == 0)
            pod.restart_policy = KP_TEXT_NONE;
        pod.has_grace = i != 1;
        if (i == 2)
            container.image_pull_policy = KP_TEXT_NONE;
        container.ports = i == 3 ? &port : NULL;
        container.port_count = i == 3;
        container.probes[KP_LIVENESS] = i == 4 ? &probe : NULL;
        collected.buf = (struct kp_buf){collected.text, sizeof collected.text, 0};
        CHECK_INT(kp_pod_validate(&profile, &mem, &pod, sink), KP_EINPUT);
        CHECK_TEXT(kp_buf_text(&collected.buf), kp_text_of(lacks[i]));
        if (i == 1)
            CHECK_TEXT(errors_of(&collected, "1.30", &pod), KP_TEXT(""));
    }
}

/* What is said of one letter, and the first letter of a name, count as of many.  Upstream:
 * validation.go; apimachinery util/validation. */
static void a_word_of_one_letter_is_a_word(void)
{
    static const struct kp_container_port ports[] = {
        {.container_port = 80, .name = {"-a", 2}, .protocol = {"x", 1}},
        {.container_port = 80, .name = {"-a", 2}, .protocol = {"TCP", 3}}};
    static const struct kp_sleep_action sleep = {.seconds = 1};
    static const struct kp_text words[] = {{"x", 1}};
    static const struct kp_exec_action exec = {.command = {words, 1}};
    static const struct kp_handler hook = {.exec = &exec, .sleep = &sleep};
    const struct kp_field_error not_found = {.path = &(struct kp_path){NULL, "x", 0},
                                             .type = KP_FIELD_ERROR_NOT_FOUND};
    struct kp_profile profile = profile_of("1.36");
    struct collected collected = {.profile = &profile};
    struct kp_field_error_sink sink = {collect, &collected};
    struct kp_container container;
    struct kp_pod pod = good_pod(&container);
    int left = 1000;
    struct kp_mem mem = {test_alloc, test_free, &left};

    container.image = KP_TEXT(" ");
    container.image_pull_policy = container.termination_message_policy = KP_TEXT("x");
    container.ports = ports;
    container.port_count = 2;
    container.pre_stop = &hook;
    pod.restart_policy = KP_TEXT("x");
    collected.buf = (struct kp_buf){collected.text, sizeof collected.text, 0};
    CHECK_INT(kp_pod_validate(&profile, &mem, &pod, sink), KP_EINPUT);
    collect(&collected, &not_found);
    CHECK_TEXT(
        kp_buf_text(&collected.buf),
        KP_TEXT(
            "spec.containers[0].terminationMessagePolicy: Unsupported value: \"x\": supported "
            "values: \"File\", \"FallbackToLogsOnError\"\n"
            "spec.containers[0].ports[0].name: Invalid value: \"-a\": must not begin or end with a "
            "hyphen\n"
            "spec.containers[0].ports[0].protocol: Unsupported value: \"x\": supported "
            "values: \"SCTP\", \"TCP\", \"UDP\"\n"
            "spec.containers[0].ports[1].name: Invalid value: \"-a\": must not begin or end with a "
            "hyphen\n"
            "spec.containers[0].imagePullPolicy: Unsupported value: \"x\": supported values: "
            "\"Always\", \"IfNotPresent\", \"Never\"\n"
            "spec.containers[0].lifecycle.preStop.sleep: Forbidden: may not specify more "
            "than 1 handler type\n"
            "spec.restartPolicy: Unsupported value: \"x\": supported values: \"Always\", "
            "\"OnFailure\", \"Never\"\n"
            "spec.containers[0].image: Invalid value: \" \": must not have leading or "
            "trailing whitespace\nx: Not found\n"));
    kp_pod_default(&profile, &pod);
    CHECK_TEXT(pod.restart_policy, KP_TEXT("x"));
    CHECK_INT(kp_name_http_header(KP_TEXT("(a")).count, 1);
    CHECK_INT(kp_name_port(&profile, KP_TEXT("-")).count, 2);
    CHECK_STRING(kp_name_qualified(&profile, KP_TEXT("a//")).texts[0],
                 kp_name_qualified(&profile, KP_TEXT("a/b/c")).texts[0]);
    profile = profile_of("1.28");
    CHECK_INT(kp_name_env(&profile, KP_TEXT("=a")).count, 1);
}

/* Newer servers print values of named types as JSON, older ones as Go. */
static void named_values_are_quoted_by_version(void)
{
    static const struct {
        const char *version;
        const char *text;
    } rows[] = {
        {"1.33", "x: Unsupported value: \"<\\a>\": supported values: \"A\", \"B\""},
        {"1.34", "x: Unsupported value: \"\\u003c\\u0007\\u003e\": supported values: \"A\", \"B\""},
    };
    static const char *const supported[] = {"A", "B", NULL};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_profile profile = profile_of(rows[i].version);
        const struct kp_path path = {NULL, "x", 0};
        char text[200];
        struct kp_buf buf = {text, sizeof text, 0};
        const struct kp_field_error error = {.path = &path,
                                             .type = KP_FIELD_ERROR_NOT_SUPPORTED,
                                             .value = KP_VALUE_NAMED,
                                             .text = KP_TEXT("<\a>"),
                                             .supported = supported};

        kp_field_error_put(&buf, &profile, &error);
        CHECK_TEXT(kp_buf_text(&buf), kp_text_of(rows[i].text));
    }
}

/* So many that a set of names with room for fewer would be full: 40 init containers or regular
 * ones, and 40 ports of the last container, each with a name and a host's port. */
static void many_names_and_ports_are_told_apart(void)
{
    enum { MANY = 40 };
    static struct kp_container containers[MANY + 1];
    static struct kp_container_port ports[MANY];
    static char names[MANY + 1][8];
    const struct kp_mem mem = fake_alloc_plain();
    struct kp_profile profile = profile_of("1.36");

    for (int i = 0; i < MANY; i++)
        ports[i] = (struct kp_container_port){.name = {names[i], strlen("p00")},
                                              .container_port = i + 1,
                                              .host_port = i + 1,
                                              .protocol = KP_TEXT("TCP")};
    for (size_t inits = 1; inits <= MANY; inits += MANY - 1) {
        struct collected collected = {.profile = &profile};
        struct kp_pod pod = good_pod(&containers[0]);

        for (size_t i = 0; i <= MANY; i++) {
            memcpy(names[i], (char[]){'p', (char)('0' + i / 10), (char)('0' + i % 10)}, 3);
            containers[i] = containers[0];
            containers[i].kind = i < inits ? KP_INIT : KP_REGULAR;
            containers[i].name = (struct kp_text){names[i], strlen("p00")};
        }
        containers[MANY].ports = ports;
        containers[MANY].port_count = MANY;
        pod.init_count = inits;
        pod.regular_count = MANY + 1 - inits;
        collected.buf = (struct kp_buf){collected.text, sizeof collected.text, 0};
        CHECK_INT(kp_pod_validate(&profile, &mem, &pod,
                                  (struct kp_field_error_sink){collect, &collected}),
                  KP_OK);
        CHECK_TEXT(kp_buf_text(&collected.buf), KP_TEXT(""));
    }
}

/* UTF-8 of a rune below 0x10000. */
static struct kp_text put_rune(char *bytes, unsigned rune)
{
    size_t len = 0;

    if (rune < 0x80) {
        bytes[len++] = (char)rune;
    } else if (rune < 0x800) {
        bytes[len++] = (char)(0xc0 | rune >> 6);
        bytes[len++] = (char)(0x80 | (rune & 0x3f));
    } else {
        bytes[len++] = (char)(0xe0 | rune >> 12);
        bytes[len++] = (char)(0x80 | (rune >> 6 & 0x3f));
        bytes[len++] = (char)(0x80 | (rune & 0x3f));
    }
    return (struct kp_text){bytes, len};
}

/* White_Space of Unicode, by its ranges. */
static bool is_space(unsigned rune)
{
    static const unsigned ranges[][2] = {
        {0x09, 0x0d},     {0x20, 0x20},     {0x85, 0x85},     {0xa0, 0xa0},     {0x1680, 0x1680},
        {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}};

    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (rune >= ranges[i][0] && rune <= ranges[i][1])
            return true;
    return false;
}

static bool is_refused_image(const struct kp_profile *profile, struct kp_text image)
{
    struct collected collected = {.profile = profile};
    struct kp_container container;
    struct kp_pod pod = good_pod(&container);
    int left = 1000;
    struct kp_mem mem = {test_alloc, test_free, &left};

    container.image = image;
    collected.buf = (struct kp_buf){collected.text, sizeof collected.text, 0};
    return kp_pod_validate(profile, &mem, &pod,
                           (struct kp_field_error_sink){collect, &collected}) == KP_EINPUT;
}

/* Before an image, behind it, and alone; in its midst none is minded. */
static void spaces_around_an_image_are_those_of_unicode(void)
{
    struct kp_profile profile = profile_of("1.36");

    for (unsigned rune = 1; rune < 0x3100; rune++) {
        char bytes[8];
        struct kp_text before = put_rune(bytes, rune);
        struct kp_text behind;
        bool wanted = is_space(rune);

        if (strchr("\x01\x16\x18\x20\x30", (int)(rune >> 8) + (rune < 0x100)) == NULL)
            continue; /* none of them is in that row */
        CHECK_INT(is_refused_image(&profile, before), wanted);
        bytes[before.len] = 'i';
        CHECK_INT(is_refused_image(&profile, (struct kp_text){bytes, before.len + 1}), wanted);
        bytes[0] = 'i';
        behind = put_rune(bytes + 1, rune);
        CHECK_INT(is_refused_image(&profile, (struct kp_text){bytes, behind.len + 1}), wanted);
        bytes[behind.len + 1] = 'i';
        CHECK(!is_refused_image(&profile, (struct kp_text){bytes, behind.len + 2}));
    }
}

const struct unit_test validate_test[] = {
    {"spaces around an image are those of Unicode", spaces_around_an_image_are_those_of_unicode},
    {"many names and ports are told apart", many_names_and_ports_are_told_apart},
    {"an update may not change what the kubelet started with",
     an_update_may_not_change_what_the_kubelet_started_with},
    {"an update takes nothing away", an_update_takes_nothing_away},
    {"an update is validated first", an_update_is_validated_first},
    {"no memory is said and nothing is lost", no_memory_is_said_and_nothing_is_lost},
    {"init containers had no probes and hooks", init_containers_had_no_probes_and_hooks},
    {"init containers had no probes and hooks long ago",
     init_containers_had_no_probes_and_hooks_long_ago},
    {"ephemeral containers were lists of one", ephemeral_containers_were_lists_of_one},
    {"a zero byte is no sign of a name", a_zero_byte_is_no_sign_of_a_name},
    {"a zero byte is no space around an image", a_zero_byte_is_no_space_around_an_image},
    {"a pod that nobody defaulted lacks fields", a_pod_that_nobody_defaulted_lacks_fields},
    {"a word of one letter is a word", a_word_of_one_letter_is_a_word},
    {"named values are quoted by version", named_values_are_quoted_by_version},
    {0},
};
