/* deadline_test.c: when an attempt ends that nobody answers, and what is reported. */
#include "fakes/deadline.h"
#include "fakes/unit.h"

static const struct kp_text argv[] = {{"cat", 3}};
static const struct kp_exec_action cat = {{argv, 1}};
static const struct kp_http_get_action get = {.path = {"healthz", 7},
                                              .port = {KP_INTSTR_STRING, 0, {"web", 3}}};
static const struct kp_http_get_action get_tls = {
    .path = {"/", 1}, .port = {KP_INTSTR_INT, 8443, {0}}, .scheme = {"HTTPS", 5}, .host = {"h", 1}};
static const struct kp_http_get_action get_ipv6 = {
    .path = {"/a", 2}, .port = {KP_INTSTR_INT, 80, {0}}, .host = {"fd00::1", 7}};
static const struct kp_tcp_socket_action tcp_ipv6 = {.port = {KP_INTSTR_INT, 80, {0}},
                                                     .host = {"::1", 3}};
static const struct kp_tcp_socket_action tcp = {.port = {KP_INTSTR_INT, 80, {0}}};
static const struct kp_grpc_action grpc = {.port = 9000};
static const struct kp_container_port ports[] = {{.name = {"web", 3}, .container_port = 8080}};
static const struct kp_container container = {.ports = ports, .port_count = 1};

/* P-083 to P-086, P-110, P-117, P-121, P-130: as the real servers of layer fire showed it. */
static void each_kind_ends_in_its_own_words(void)
{
    static const struct {
        const char *version;
        struct kp_handler handler;
        int64_t deadline_ns;
        enum kp_answer answer;
        const char *text;
    } rows[] = {
        {"1.19", {.exec = &cat}, KP_NEVER, KP_ANSWER_TIMEOUT, ""},
        {"1.20", {.exec = &cat}, 2 * KP_NS_PER_S, KP_ANSWER_TIMEOUT, ""},
        {"1.18",
         {.http_get = &get},
         2 * KP_NS_PER_S,
         KP_ANSWER_FAILURE,
         "Get http://10.244.0.5:8080/healthz: net/http: request canceled (Client.Timeout exceeded "
         "while awaiting headers)"},
        {"1.19",
         {.http_get = &get_tls},
         2 * KP_NS_PER_S,
         KP_ANSWER_FAILURE,
         "Get \"https://h:8443/\": context deadline exceeded (Client.Timeout exceeded while "
         "awaiting headers)"},
        {"1.36",
         {.tcp_socket = &tcp},
         2 * KP_NS_PER_S,
         KP_ANSWER_FAILURE,
         "dial tcp 10.244.0.5:80: i/o timeout"},
        {"1.36",
         {.grpc = &grpc},
         2 * KP_NS_PER_S,
         KP_ANSWER_FAILURE,
         "timeout: health rpc did not complete within 2s"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_probe probe = {.handler = rows[i].handler, .timeout_s = 2};
        struct kp_profile profile = unit_profile(rows[i].version);
        char bytes[256];
        struct kp_buf text = {bytes, sizeof bytes, 0};

        CHECK_INT(fake_deadline_ns(&profile, &probe), rows[i].deadline_ns);
        CHECK_INT(fake_deadline_answer(&profile, &container, &probe, &text), rows[i].answer);
        CHECK_TEXT(kp_buf_text(&text), kp_text_of(rows[i].text));
    }
}

/* P-118, P-129: what layer fire has seen of a port where nobody listens. */
static void who_does_not_listen_refuses(void)
{
    static const struct {
        struct kp_handler handler;
        int64_t takes_ns;
        const char *text;
    } rows[] = {
        {{.exec = &cat}, 0, ""},
        {{.http_get = &get_tls},
         0,
         "Get \"https://h:8443/\": dial tcp h:8443: connect: connection refused"},
        {{.http_get = &get_ipv6},
         0,
         "Get \"http://[fd00::1]:80/a\": dial tcp [fd00::1]:80: connect: connection refused"},
        {{.tcp_socket = &tcp}, 0, "dial tcp 10.244.0.5:80: connect: connection refused"},
        {{.tcp_socket = &tcp_ipv6}, 0, "dial tcp [::1]:80: connect: connection refused"},
        {{.grpc = &grpc},
         KP_NS_PER_S - KP_NS_PER_MS,
         "timeout: failed to connect service \"10.244.0.5:9000\" within 1s: context deadline "
         "exceeded"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_probe probe = {.handler = rows[i].handler, .timeout_s = 1};
        struct kp_profile profile = unit_profile("1.36");
        char bytes[256];
        struct kp_buf text = {bytes, sizeof bytes, 0};

        CHECK_INT(fake_refused(&profile, &container, &probe, &text), rows[i].takes_ns);
        CHECK_TEXT(kp_buf_text(&text), kp_text_of(rows[i].text));
    }
}

static void without_its_gate_an_exec_does_not_end(void)
{
    struct kp_probe probe = {.handler = {.exec = &cat}, .timeout_s = 1};
    struct kp_profile profile = unit_profile("1.34");

    CHECK_INT(kp_profile_set_gate(&profile, KP_TEXT("ExecProbeTimeout"), false), KP_OK);
    CHECK_INT(fake_deadline_ns(&profile, &probe), KP_NEVER);
}

const struct unit_test deadline_test[] = {
    {"each kind ends in its own words", each_kind_ends_in_its_own_words},
    {"who does not listen refuses", who_does_not_listen_refuses},
    {"without its gate an exec does not end", without_its_gate_an_exec_does_not_end},
    {0},
};
