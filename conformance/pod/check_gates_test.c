/* check_gates_test.c: what is refused where a gate is not as the version has it. */
#include "conformance/pod/check.h"
#include "fakes/unit.h"

#define POD "metadata: {name: a}\nspec: {containers: [{name: c, image: i:1"
#define LIVENESS POD ", livenessProbe: {"
#define AT "spec.containers[0].livenessProbe."
#define INIT_RULES                                                                                 \
    POD "}], initContainers: [{name: d, image: x, restartPolicy: Always, restartPolicyRules: "     \
        "[{action: Restart, exitCodes: {operator: In, values: [1]}}]}]}"

#define SUBDOMAIN                                                                                  \
    " must consist of lower case alphanumeric characters, '-' or '.', and must start and end "     \
    "with "                                                                                        \
    "an alphanumeric character (e.g. 'example.com', regex used for validation is "                 \
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')\n"

/* "+Gate" or "-Gate"; "": as the version has them. */
static const struct {
    const char *version, *gate, *yaml, *lines;
} rows[] = {
    {"1.37", "+H2CContainerProbe",
     LIVENESS "httpGet: {port: 80, host: x, protocol: HTTP1, scheme: HTTPS}}}]}", ""},
    {"1.37", "+H2CContainerProbe", LIVENESS "httpGet: {port: 80, protocol: HTTP2}}}]}", ""},
    {"1.37", "+H2CContainerProbe", LIVENESS "httpGet: {port: 80, host: x, protocol: HTTP2}}}]}",
     AT "httpGet.host: Invalid value: \"x\": must be empty when `protocol` is \"HTTP2\"\n"},
    {"1.37", "+H2CContainerProbe", LIVENESS "httpGet: {port: 80, scheme: ftp, protocol: HTTP2}}}]}",
     AT "httpGet.scheme: Unsupported value: \"ftp\": supported values: \"HTTP\", \"HTTPS\"\n" AT
        "httpGet.protocol: Invalid value: \"HTTP2\": is only supported with HTTP (H2C)\n"},
    {"1.37", "+H2CContainerProbe", LIVENESS "httpGet: {port: 80, protocol: \"\"}}}]}",
     AT "httpGet.protocol: Unsupported value: \"\": supported values: \"HTTP1\", \"HTTP2\"\n"},
    {"1.37", "", LIVENESS "httpGet: {port: 80, protocol: \"\"}}}]}", ""},
    {"1.37", "+GRPCContainerProbeTLS", LIVENESS "grpc: {port: 80, mode: \"\"}}}]}",
     AT "grpc.mode: Unsupported value: \"\": supported values: \"Plaintext\", \"TLS\"\n"},
    {"1.37", "+GRPCContainerProbeTLS", LIVENESS "grpc: {port: 80, mode: TLS}}}]}", ""},
    {"1.37", "", LIVENESS "grpc: {port: 80, mode: x}}}]}", ""},
    {"1.35", "+RestartAllContainersOnContainerExits",
     POD ", restartPolicy: Never, restartPolicyRules: [{action: x, exitCodes: {operator: In, "
         "values: [1]}}]}]}",
     "spec.containers[0].restartPolicyRules[0].action: Unsupported value: \"x\": supported values: "
     "\"Restart\"\n"},
    {"1.36", "", INIT_RULES, ""},
    {"1.36", "-RestartAllContainersOnContainerExits", INIT_RULES,
     "spec.initContainers[0].restartPolicyRules: Forbidden: restartPolicyRules are not allowed for "
     "init containers with restart policy Always\n"},
    {"1.33", "", POD ", restartPolicy: \"\"}]}",
     "spec.containers[0].restartPolicy: Forbidden: may not be set for non-init containers\n"},
    {"1.19", "", "metadata: {name: A}\nspec: {containers: [{name: c, image: i:1}]}",
     "metadata.name: Invalid value: \"A\": a DNS-1123 subdomain" SUBDOMAIN},
    {"1.20", "", "metadata: {name: A}\nspec: {containers: [{name: c, image: i:1}]}",
     "metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain" SUBDOMAIN},
    {"1.36", "", POD ", lifecycle: {preStop: {tcpSocket: {port: 0}}}}]}",
     "spec.containers[0].lifecycle.preStop.tcpSocket.port: Invalid value: 0: must be between 1 and "
     "65535, inclusive\n"},
    {"1.22", "", POD ", lifecycle: {postStart: {tcpSocket: {port: 65536}}}}]}",
     "spec.containers[0].lifecycle.postStart.tcpSocket.port: Invalid value: 65536: must be between "
     "1 and 65535, inclusive\n"},
    {"1.36", "", POD ", ports: [{containerPort: -1}, {containerPort: 0}]}]}",
     "spec.containers[0].ports[0].containerPort: Invalid value: -1: must be between 1 and 65535, "
     "inclusive\nspec.containers[0].ports[1].containerPort: Required value\n"},
};

static void what_is_refused_follows_the_gates(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_profile profile = unit_profile(rows[i].version);
        struct kp_text lines = KP_TEXT("");
        struct cf_check_reply reply;

        if (rows[i].gate[0])
            CHECK_INT(
                kp_profile_set_gate(&profile, kp_text_of(rows[i].gate + 1), rows[i].gate[0] == '+'),
                KP_OK);
        CHECK_INT(cf_check_yaml(&arena, &profile, kp_text_of(rows[i].yaml), &reply), KP_OK);
        for (size_t k = 0; k < reply.error_count; k++)
            lines =
                cf_arena_format(&arena, "%.*s%.*s\n", KP_ARG(lines), KP_ARG(reply.errors[k].text));
        CHECK_TEXT(lines, kp_text_of(rows[i].lines));
        cf_arena_deinit(&arena);
    }
}

const struct unit_test check_gates_test[] = {
    {"what is refused follows the gates", what_is_refused_follows_the_gates},
    {0},
};
