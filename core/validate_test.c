#include "core/names.h"
#include "core/validate.h"
#include "fakes/unit.h"

#include <stdlib.h>

struct collected {
    char text[2000];
    struct kp_buf buf;
    const struct kp_profile *profile;
};

static void collect(void *ctx, const struct kp_complaint *complaint)
{
    struct collected *collected = ctx;

    kp_complaint_put(&collected->buf, collected->profile, complaint);
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
    struct kp_profile profile;

    CHECK_INT(kp_profile_init(&profile, kp_text_of(version)), KP_OK);
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
        struct kp_complaint_sink sink = {collect, &collected};
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

/* A changed probe is validated before the change itself is refused. */
static void an_update_is_validated_first(void)
{
    struct kp_profile profile = profile_of("1.36");
    struct collected collected = {.profile = &profile};
    struct kp_complaint_sink sink = {collect, &collected};
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

static void no_memory_is_said_and_nothing_is_lost(void)
{
    enum kp_err err = KP_ENOMEM;

    for (int calls = 0; err == KP_ENOMEM && calls < 50; calls++) {
        struct kp_profile profile = profile_of("1.36");
        struct collected collected = {.profile = &profile};
        struct kp_complaint_sink sink = {collect, &collected};
        struct kp_container container;
        struct kp_pod pod = good_pod(&container);
        int left = calls;
        struct kp_mem mem = {test_alloc, test_free, &left};

        err = kp_pod_validate(&profile, &mem, &pod, sink);
        CHECK_INT(collected.buf.need, 0);
    }
    CHECK_INT(err, KP_OK);
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
        struct kp_complaint_sink sink = {collect, &collected};
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
    }
}

/* validation.go IsDNS1123Subdomain: the length alone is wrong. */
static void a_prefix_has_253_characters_at_most(void)
{
    struct kp_profile profile = profile_of("1.36");
    char name[254 + 7];
    struct kp_name_faults faults;

    for (size_t i = 0; i < 254; i++)
        name[i] = 'a';
    for (size_t i = 0; i < 7; i++)
        name[254 + i] = "/ready"[i];
    faults = kp_name_qualified(&profile, kp_text_of(name));
    CHECK_INT(faults.count, 1);
    CHECK_TEXT(kp_text_of(faults.texts[0]),
               KP_TEXT("prefix part must be no more than 253 characters"));
    CHECK_INT(kp_name_qualified(&profile, kp_text_of(name + 1)).count, 0);
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
        const struct kp_complaint complaint = {.path = &path,
                                               .type = KP_COMPLAINT_UNSUPPORTED,
                                               .value = KP_VALUE_NAMED,
                                               .text = KP_TEXT("<\a>"),
                                               .supported = supported};

        kp_complaint_put(&buf, &profile, &complaint);
        CHECK_TEXT(kp_buf_text(&buf), kp_text_of(rows[i].text));
    }
}

const struct unit_test validate_test[] = {
    {"an update may not change what the kubelet started with",
     an_update_may_not_change_what_the_kubelet_started_with},
    {"an update is validated first", an_update_is_validated_first},
    {"no memory is said and nothing is lost", no_memory_is_said_and_nothing_is_lost},
    {"a pod that nobody defaulted lacks fields", a_pod_that_nobody_defaulted_lacks_fields},
    {"a prefix has 253 characters at most", a_prefix_has_253_characters_at_most},
    {"named values are quoted by version", named_values_are_quoted_by_version},
    {0},
};
