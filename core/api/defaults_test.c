#include "core/api/defaults.h"
#include "core/api/image.h"
#include "fakes/unit.h"

/* D-005: the vectors of distribution/reference's own rules. */
static void an_image_without_tag_is_the_latest(void)
{
    static const struct {
        const char *image;
        bool latest;
    } rows[] = {
        {"nginx", true},
        {"nginx:latest", true},
        {"nginx:1.25", false},
        {"nginx:", false},
        {"", false},
        {"Nginx", false},
        {"library/nginx", true},
        {"localhost:5000/a/b", true},
        {"localhost:5000/a/b:v1", false},
        {"registry.k8s.io/pause", true},
        {"Foo/bar", true}, /* an upper-case first part is taken for a registry */
        {"a--b", true},
        {"a___b", false},
        {"a/", false},
        {"a b", false},
        {"a@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", false},
        {"a:latest@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", true},
        {"a@sha256:xyz", false},
        {"a.b-c__d", true},
        {"[::1]/a", true},
        {"[::1]:5000/a", true},
        {"[::1/a", false},
        {"a..b/c", false},
        {"a-.b/c", false},
        {"a_b.c/d", true},
        {"host:5x/a", false},
        {"host:/a", false},
        {"a:b!", false},
        {"a:.b", false},
        {"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", false}, /* an id */
        {"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef:latest", true},
        {"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0", true}, /* a name */
    };
    struct kp_profile profile = unit_profile("1.36");

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!CHECK(kp_image_is_latest(&profile, kp_text_of(rows[i].image)) == rows[i].latest))
            CHECK_STRING(rows[i].image, "");
}

static struct kp_profile profile_of(const char *version)
{
    struct kp_profile profile = unit_profile(version);

    return profile;
}

/* D-001, D-002: a written 0 cannot be told from nothing; negatives are left for validation. */
static void zeros_of_a_probe_become_its_defaults(void)
{
    struct kp_profile profile = profile_of("1.36");
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT, .number = 80}};
    struct kp_grpc_action grpc = {.port = 1};
    struct kp_probe probe = {.handler = {.http_get = &get, .grpc = &grpc}, .timeout_s = -1};

    kp_probe_default(&profile, &probe);
    CHECK_INT(probe.initial_delay_s, 0);
    CHECK_INT(probe.timeout_s, -1);
    CHECK_INT(probe.period_s, 10);
    CHECK_INT(probe.success_threshold, 1);
    CHECK_INT(probe.failure_threshold, 3);
    CHECK(!probe.has_grace);
    CHECK_TEXT(get.path, KP_TEXT("/"));
    CHECK_TEXT(get.scheme, KP_TEXT("HTTP"));
    CHECK_TEXT(get.host, KP_TEXT(""));
    CHECK_TEXT(get.protocol, KP_TEXT(""));
    CHECK(grpc.has_service);
}

static void a_protocol_is_written_only_behind_its_gate(void)
{
    struct kp_profile profile = profile_of("1.37");
    struct kp_http_get_action get = {.path = KP_TEXT("/x")};
    struct kp_probe probe = {.handler = {.http_get = &get}};

    CHECK_INT(kp_profile_set_gate(&profile, KP_TEXT("H2CContainerProbe"), true), KP_OK);
    kp_probe_default(&profile, &probe);
    CHECK_TEXT(get.path, KP_TEXT("/x"));
    CHECK_TEXT(get.protocol, KP_TEXT("HTTP1"));
}

/* D-005, D-007, D-008 */
static void a_pod_gets_its_own(void)
{
    static const struct {
        const char *version;
        int64_t grace_s;
    } rows[] = {{"1.26", -5}, {"1.27", 1}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_profile profile = profile_of(rows[i].version);
        struct kp_container_port ports[] = {
            {.container_port = 80},
            {.container_port = 81, .host_port = 8, .protocol = KP_TEXT("UDP")}};
        struct kp_container container = {
            .kind = KP_REGULAR, .image = KP_TEXT("a:1"), .ports = ports, .port_count = 2};
        struct kp_pod pod = {.has_grace = true,
                             .grace_s = -5,
                             .host_network = true,
                             .containers = &container,
                             .regular_count = 1};

        kp_pod_default(&profile, &pod);
        CHECK_INT(pod.grace_s, rows[i].grace_s);
        CHECK_TEXT(pod.restart_policy, KP_TEXT("Always"));
        CHECK_TEXT(container.image_pull_policy, KP_TEXT("IfNotPresent"));
        CHECK_TEXT(container.termination_message_policy, KP_TEXT("File"));
        CHECK_INT(ports[0].host_port, 80);
        CHECK_TEXT(ports[0].protocol, KP_TEXT("TCP"));
        CHECK_INT(ports[1].host_port, 8);
        CHECK_TEXT(ports[1].protocol, KP_TEXT("UDP"));
    }
}

const struct unit_test defaults_test[] = {
    {"an image without tag is the latest", an_image_without_tag_is_the_latest},
    {"zeros of a probe become its defaults", zeros_of_a_probe_become_its_defaults},
    {"a protocol is written only behind its gate", a_protocol_is_written_only_behind_its_gate},
    {"a pod gets its own", a_pod_gets_its_own},
    {0},
};
