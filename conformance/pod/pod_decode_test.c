#include "conformance/pod/pod_tree.h"
#include "conformance/text/json.h"
#include "fakes/unit.h"

#include <string.h>

struct fixture {
    struct cf_arena arena;
    struct kp_profile profile;
    struct cf_pod pod;
};

static struct cf_pod *decode(struct fixture *fixture, const char *version, const char *yaml)
{
    fixture->arena = (struct cf_arena){.mem = cf_libc_mem()};
    CHECK_INT(kp_profile_init(&fixture->profile, kp_text_of(version)), KP_OK);
    CHECK_INT(
        cf_pod_decode_yaml(&fixture->arena, &fixture->profile, kp_text_of(yaml), &fixture->pod),
        KP_OK);
    return &fixture->pod;
}

static const char full[] =
    "apiVersion: v1\n"
    "kind: Pod\n"
    "metadata:\n"
    "  name: web\n"
    "  uid: u1\n"
    "  creationTimestamp: 2024-01-01T00:00:10Z\n"
    "  deletionTimestamp: 2024-01-01T01:00:40+01:00\n"
    "  deletionGracePeriodSeconds: 30\n"
    "spec:\n"
    "  terminationGracePeriodSeconds: 5\n"
    "  hostNetwork: true\n"
    "  readinessGates: [{conditionType: a/b}]\n"
    "  initContainers: [{name: i, image: x, restartPolicy: Always, resources: {limits: {cpu: "
    "1}}}]\n"
    "  containers:\n"
    "  - name: app\n"
    "    image: x:1\n"
    "    resources: {}\n"
    "    command: [a, \"\"]\n"
    "    args: [x]\n"
    "    env: [{name: A, value: b}, {name: C, valueFrom: {fieldRef: {fieldPath: x}}}]\n"
    "    ports: [{name: http, containerPort: 80}]\n"
    "    livenessProbe:\n"
    "      httpGet: {port: http, httpHeaders: [{name: X, value: v}]}\n"
    "      periodSeconds: 0x10\n"
    "      terminationGracePeriodSeconds: 0\n"
    "    readinessProbe: {tcpSocket: {port: 080}}\n"
    "    startupProbe: {grpc: {port: 9, service: \"\"}}\n"
    "    lifecycle: {preStop: {sleep: {seconds: 3}}, postStart: {exec: {command: [c]}}}\n"
    "    restartPolicy: Never\n"
    "    restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [1, -2]}}]\n"
    "status:\n"
    "  phase: Running\n"
    "  podIP: 10.0.0.1\n"
    "  conditions: [{type: Ready, status: \"False\", reason: R}]\n"
    "  containerStatuses:\n"
    "  - {name: app, containerID: cri-o://c1, restartCount: 2, started: false,\n"
    "     state: {running: {startedAt: \"1970-01-01T00:00:01.5Z\"}},\n"
    "     lastState: {terminated: {exitCode: 137, reason: Error, containerID: a://b}}}\n"
    "  initContainerStatuses: [{name: i, state: {waiting: {reason: W}}}]\n";

static void every_field_of_the_chain_arrives(void)
{
    struct fixture fixture;
    const struct kp_pod *pod = decode(&fixture, "1.36", full)->pod;
    const struct kp_container *app;

    if (!CHECK(pod != NULL))
        return;
    app = &pod->containers[1];
    CHECK_TEXT(pod->name, KP_TEXT("web"));
    CHECK_INT(pod->creation_ns, 1704067210000000000);
    CHECK(pod->has_deletion);
    CHECK_INT(pod->deletion_grace_s, 30);
    CHECK_INT(pod->grace_s, 5);
    CHECK(pod->host_network);
    CHECK_TEXT(pod->readiness_gates[0].condition_type, KP_TEXT("a/b"));
    CHECK_INT(pod->init_count, 1);
    CHECK(kp_container_is_sidecar(&pod->containers[0]));
    CHECK_INT(app->command.count, 2);
    CHECK_INT(app->args.count, 1);
    CHECK_TEXT(app->env[0].value, KP_TEXT("b"));
    CHECK(app->env[1].has_value_from && !app->env[0].has_value_from);
    CHECK_TEXT(app->probes[KP_LIVENESS]->handler.http_get->port.string, KP_TEXT("http"));
    CHECK_TEXT(app->probes[KP_LIVENESS]->handler.http_get->headers[0].value, KP_TEXT("v"));
    CHECK_INT(app->probes[KP_LIVENESS]->period_s, 16);
    CHECK(app->probes[KP_LIVENESS]->has_grace);
    CHECK_INT(app->probes[KP_READINESS]->handler.tcp_socket->port.number, 80);
    CHECK(app->probes[KP_STARTUP]->handler.grpc->has_service);
    CHECK_INT(app->pre_stop->sleep->seconds, 3);
    CHECK_TEXT(app->post_start->exec->command.items[0], KP_TEXT("c"));
    CHECK_TEXT(app->restart_policy, KP_TEXT("Never"));
    CHECK(app->restart_rules[0].has_exit_codes);
    CHECK(!app->has_resources && pod->containers[0].has_resources);
    CHECK_INT(app->restart_rules[0].values[1], -2);
    cf_arena_deinit(&fixture.arena);
}

static void a_status_is_in_the_order_of_the_containers(void)
{
    struct fixture fixture;
    const struct kp_pod *pod = decode(&fixture, "1.36", full)->pod;
    const struct kp_pod_status *status = pod ? pod->status : NULL;

    if (!CHECK(status != NULL))
        return;
    CHECK_INT(status->phase, KP_RUNNING);
    CHECK_INT(status->conditions[0].status, KP_CONDITION_FALSE);
    CHECK_INT(status->status_count, 2);
    CHECK_TEXT(status->statuses[0].state.reason, KP_TEXT("W"));
    CHECK_TEXT(status->statuses[1].container_id, KP_TEXT("c1"));
    CHECK_INT(status->statuses[1].restart_count, 2);
    CHECK(status->statuses[1].has_started && !status->statuses[1].started);
    CHECK(!status->statuses[0].has_started);
    CHECK_INT(status->statuses[1].last_state.exit_code, 137);
    CHECK_TEXT(status->statuses[1].last_state.container_id, KP_TEXT("b"));
    cf_arena_deinit(&fixture.arena);
}

/* V-034, and V-040 where the field is younger than the server. */
static void versions_and_gates_drop_fields(void)
{
    static const struct {
        const char *version;
        bool startup, grace, sleep, rules, sidecar;
        size_t warnings;
    } rows[] = {
        {"1.15", false, false, false, false, false, 0},
        {"1.17", false, false, false, false, false, 0},
        {"1.18", true, false, false, false, false, 0},
        {"1.24", true, false, false, false, false, 0},
        {"1.25", true, true, false, false, false, 4},
        {"1.28", true, true, false, false, false, 2},
        {"1.29", true, true, false, false, true, 1},
        {"1.30", true, true, true, false, true, 1},
        {"1.34", true, true, true, false, true, 0},
        {"1.35", true, true, true, true, true, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        const struct cf_pod *pod = decode(&fixture, rows[i].version, full);
        const struct kp_container *app = pod->pod ? &pod->pod->containers[1] : NULL;

        if (!app) {
            CHECK_TEXT(pod->fault.message, KP_TEXT(""));
            continue;
        }

        CHECK_INT(app->probes[KP_STARTUP] != NULL, rows[i].startup);
        CHECK_INT(app->probes[KP_LIVENESS]->has_grace, rows[i].grace);
        CHECK_INT(app->pre_stop && app->pre_stop->sleep, rows[i].sleep);
        CHECK_INT(app->restart_rule_count > 0, rows[i].rules);
        CHECK_INT(kp_container_is_sidecar(&pod->pod->containers[0]), rows[i].sidecar);
        CHECK_INT(pod->warning_count, rows[i].warnings);
        cf_arena_deinit(&fixture.arena);
    }
}

/* Each gate has its field, and no other's. V-034 */
static void each_gate_drops_its_field(void)
{
    static const char yaml[] =
        "spec:\n"
        "  containers:\n"
        "  - name: c\n"
        "    restartPolicyRules: [{action: Restart}]\n"
        "    startupProbe: {exec: {command: [x]}}\n"
        "    livenessProbe: {grpc: {port: 1, mode: TLS}}\n"
        "    readinessProbe: {httpGet: {port: 1, protocol: HTTP2}}\n"
        "  ephemeralContainers: [{name: e, restartPolicyRules: [{action: Restart}]}]\n";
    static const char *const gates[] = {"ContainerRestartRules", "GRPCContainerProbeTLS",
                                        "H2CContainerProbe"};

    for (size_t on = 0; on < 4; on++) {
        struct fixture fixture;
        const struct kp_container *app;

        fixture.arena = (struct cf_arena){.mem = cf_libc_mem()};
        CHECK_INT(kp_profile_init(&fixture.profile, KP_TEXT("1.37")), KP_OK);
        for (size_t k = 0; k < 3; k++)
            CHECK_INT(kp_profile_set_gate(&fixture.profile, kp_text_of(gates[k]), k == on), KP_OK);
        CHECK_INT(
            cf_pod_decode_yaml(&fixture.arena, &fixture.profile, kp_text_of(yaml), &fixture.pod),
            KP_OK);
        if (!CHECK(fixture.pod.pod != NULL))
            continue;
        app = &fixture.pod.pod->containers[0];
        CHECK_INT(app[0].restart_rule_count, on == 0);
        CHECK_INT(app[1].restart_rule_count, on == 0);
        CHECK_INT(app->probes[KP_LIVENESS]->handler.grpc->mode.len > 0, on == 1);
        CHECK_INT(app->probes[KP_READINESS]->handler.http_get->protocol.len > 0, on == 2);
        CHECK(app->probes[KP_STARTUP] != NULL);
        cf_arena_deinit(&fixture.arena);
    }
}

/* V-040, V-041, V-042, V-044, E-001: texts that the server's own decoder gave. */
static void what_the_server_says_of_bad_documents(void)
{
    static const struct {
        const char *version;
        const char *yaml;
        const char *text;
    } rows[] = {
        {"1.36", "a: [", "yaml: line 1: did not find expected node content"},
        {"1.36", "abc",
         "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value "
         "of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
         "\"json:\\\"kind,omitempty\\\"\" }"},
        {"1.36", "apiVersion: v1\nkind: Service",
         "converting (v1.Service) to (core.Pod): unknown conversion"},
        {"1.36", "kind: Service\nspec: {containers: [{resources: {limits: {cpu: x}}}]}",
         "converting (v1.Service) to (core.Pod): unknown conversion"},
        {"1.36", "kind: P",
         "no kind \"P\" is registered for version \"v1\" in scheme \"pkg/runtime/scheme.go:111\""},
        {"1.36", "apiVersion: 1\nkind: Pod",
         "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go "
         "struct "
         "field .apiVersion of type string"},
        {"1.36", "apiVersion: 1\nkind: Service",
         "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go "
         "struct field .apiVersion of type string"},
        {"1.36", "spec: 5",
         "json: cannot unmarshal number into Go struct field Pod.spec of type v1.PodSpec"},
        {"1.36", "spec: {containers: {}}",
         "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type "
         "[]v1.Container"},
        {"1.36", "spec: {containers: [{name: 1, livenessProbe: {httpGet: {port: 1.5}}}]}",
         "json: cannot unmarshal number 1.5 into Go struct field HTTPGetAction.spec.containers."
         "livenessProbe.ProbeHandler.httpGet.port of type int32"},
        {"1.31", "spec: {containers: [{name: 1, livenessProbe: {httpGet: {port: 1.5}}}]}",
         "json: cannot unmarshal number 1.5 into Go struct field HTTPGetAction.spec.containers."
         "livenessProbe.httpGet.port of type int32"},
        {"1.36", "metadata: {labels: {a: 1}}",
         "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type "
         "string"},
        /* what has an unmarshaler of its own ends decoding, else the first fault counts */
        {"1.36", "metadata: {annotations: {a: 1}, creationTimestamp: 5}",
         "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp "
         "of type string"},
        {"1.36", "metadata: {annotations: {a: 1}, generation: x}",
         "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.annotations of "
         "type string"},
        {"1.36", "metadata: {creationTimestamp: foo}",
         "parsing time \"foo\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"foo\" as \"2006\""},
        {"1.36", "spec: {activeDeadlineSeconds: 1.5}",
         "json: cannot unmarshal number 1.5 into Go struct field "
         "PodSpec.spec.activeDeadlineSeconds "
         "of type int64"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        const struct cf_pod *pod = decode(&fixture, rows[i].version, rows[i].yaml);

        CHECK(pod->pod == NULL);
        CHECK_TEXT(pod->fault.go_text, kp_text_of(rows[i].text));
        CHECK(pod->fault.at.line > 0);
        cf_arena_deinit(&fixture.arena);
    }
}

/* The value that is of the wrong kind: line, column. */
static void a_fault_stands_at_the_value(void)
{
    static const struct {
        const char *yaml;
        int line, column;
    } rows[] = {
        {"kind: Pod\napiVersion: 1\n", 2, 13},
        {"kind: 1", 1, 7},
        {"\n- a\n", 2, 1},
        {"spec:\n  containers: {}\n", 2, 15},
        {"spec:\n  containers:\n  - resources:\n      limits:\n        cpu: x\n", 5, 14},
        {"spec:\n  containers:\n  - livenessProbe:\n      tcpSocket:\n        port: 1.5\n", 5, 15},
        {"metadata:\n  creationTimestamp: foo\n", 2, 22},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        const struct cf_pod *pod = decode(&fixture, "1.36", rows[i].yaml);

        CHECK_INT(pod->fault.at.line, rows[i].line);
        CHECK_INT(pod->fault.at.column, rows[i].column);
        cf_arena_deinit(&fixture.arena);
    }
}

/* The server of a minor without the field does not mean it. */
static void a_field_may_be_meant_where_it_is_known(void)
{
    static const struct {
        const char *version, *field, *meant;
        int since;
    } rows[] = {
        {"1.33", "restartPolicyRule", NULL, 0},
        {"1.33", "restartPolicyRules", NULL, 34},
        {"1.34", "restartPolicyRule", "restartPolicyRules", 0},
        {"1.36", "liveness", NULL, 0},
        {"1.36", "livenessprobe", "livenessProbe", 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        struct kp_text yaml;
        const struct cf_pod *pod;
        char bytes[100];
        struct kp_buf buf = {bytes, sizeof bytes, 0};

        kp_buf_put(&buf, KP_TEXT("spec: {containers: [{"));
        kp_buf_put(&buf, kp_text_of(rows[i].field));
        kp_buf_put(&buf, KP_TEXT(": 1}]}"));
        kp_buf_put_char(&buf, '\0');
        yaml = kp_buf_text(&buf);
        pod = decode(&fixture, rows[i].version, yaml.bytes);
        if (CHECK_INT(pod->warning_count, 1)) {
            CHECK_STRING(pod->warnings[0].meant ? pod->warnings[0].meant : "",
                         rows[i].meant ? rows[i].meant : "");
            CHECK_INT(pod->warnings[0].since, rows[i].since);
        }
        cf_arena_deinit(&fixture.arena);
    }
}

static void warnings_come_in_order(void)
{
    struct fixture fixture;
    const struct cf_pod *pod =
        decode(&fixture, "1.36",
               "spec:\n  containers:\n  - {name: a, name: b, foo: 1}\n  Containers: []\n"
               "metadata: {labels: {x: z}}\n");

    if (CHECK_INT(pod->warning_count, 3)) {
        CHECK_TEXT(pod->warnings[0].text, KP_TEXT("yaml: unmarshal errors:\n  line 3: key \"name\" "
                                                  "already set in map"));
        CHECK_INT(pod->warnings[0].at.line, 3);
        CHECK_INT(pod->warnings[0].at.column, 15);
        CHECK_TEXT(pod->warnings[1].text, KP_TEXT("unknown field \"spec.Containers\""));
        CHECK_INT(pod->warnings[1].at.line, 4);
        CHECK_TEXT(pod->warnings[2].text, KP_TEXT("unknown field \"spec.containers[0].foo\""));
    }
    CHECK_TEXT(pod->pod->containers[0].name, KP_TEXT("b"));
    cf_arena_deinit(&fixture.arena);
}

/* V-045: the last of repeated JSON keys counts; structs are merged as Go merges them. */
static void json_keys_may_repeat(void)
{
    struct fixture fixture = {0};
    struct kp_text json = KP_TEXT(
        "{\"spec\":{\"containers\":[{\"name\":\"a\",\"livenessProbe\":{\"tcpSocket\":{\"port\":"
        "\"80\",\"port\":81},\"periodSeconds\":3},\"livenessProbe\":{\"timeoutSeconds\":2}}]}}");
    const struct kp_probe *probe;
    struct cf_fault fault;
    struct cf_node *node;

    fixture.arena = (struct cf_arena){.mem = cf_libc_mem()};
    CHECK_INT(kp_profile_init(&fixture.profile, KP_TEXT("1.36")), KP_OK);
    CHECK_INT(cf_json_parse(&fixture.arena, json, &node, &fault), KP_OK);
    CHECK_INT(cf_pod_decode(&fixture.arena, &fixture.profile, node, &fixture.pod), KP_OK);
    CHECK_INT(fixture.pod.warning_count, 2);
    CHECK_TEXT(fixture.pod.warnings[0].text,
               KP_TEXT("duplicate field \"spec.containers[0].livenessProbe.tcpSocket.port\""));
    CHECK_TEXT(fixture.pod.warnings[1].text,
               KP_TEXT("duplicate field \"spec.containers[0].livenessProbe\""));
    probe = fixture.pod.pod->containers[0].probes[KP_LIVENESS];
    CHECK_INT(probe->handler.tcp_socket->port.number, 81);
    CHECK_INT(probe->period_s, 3);
    CHECK_INT(probe->timeout_s, 2);
    cf_arena_deinit(&fixture.arena);
}

#define PORT(value)                                                                                \
    "{\"spec\":{\"containers\":[{\"livenessProbe\":{\"tcpSocket\":{\"port\":" value "}}}]}}"

/* What sigs.k8s.io/json and k8s.io/api v0.37.2 made of them. */
static void json_is_decoded_as_go_decodes_it(void)
{
    static const char *const rows[][2] = {
        {"{\"metadata\":{\"labels\":{\"a\":\"0\",\"a\":\"1\",\"b\":\"1\"},\"labels\":{\"a\":\"2\"}}"
         "}",
         "{\"metadata\":{\"labels\":{\"a\":\"2\",\"b\":\"1\"}}}"},
        {"{\"spec\":{\"terminationGracePeriodSeconds\":-0}}",
         "{\"spec\":{\"terminationGracePeriodSeconds\":0}}"},
        {PORT("\"x\",\"port\":null"), PORT("0")},
        {PORT("5,\"port\":null"), PORT("5")},
        {"{\"spec\":{\"containers\":[{\"env\":[{\"valueFrom\":{\"resourceFieldRef\":{\"divisor\":"
         "\"2\",\"divisor\":null}}}]}]}}",
         "{\"spec\":{\"containers\":[{\"env\":[{\"valueFrom\":{\"resourceFieldRef\":{\"divisor\":"
         "\"2\"}}}]}]}}"},
        {"{\"spec\":{\"containers\":[{\"resources\":{\"limits\":{\"cpu\":0.5}}}]}}",
         "{\"spec\":{\"containers\":[{\"resources\":{\"limits\":{\"cpu\":\"500m\"}}}]}}"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture = {0};
        struct cf_fault fault;
        struct cf_node *node;

        fixture.arena = (struct cf_arena){.mem = cf_libc_mem()};
        CHECK_INT(kp_profile_init(&fixture.profile, KP_TEXT("1.36")), KP_OK);
        CHECK_INT(cf_json_parse(&fixture.arena, kp_text_of(rows[i][0]), &node, &fault), KP_OK);
        CHECK_INT(cf_pod_decode(&fixture.arena, &fixture.profile, node, &fixture.pod), KP_OK);
        CHECK_TEXT(cf_node_json(&fixture.arena, fixture.pod.tree), kp_text_of(rows[i][1]));
        cf_arena_deinit(&fixture.arena);
    }
}

/* V-041.  Upstream: sigs.k8s.io/json, decodeState.saveStrictError. */
static void a_warning_comes_once(void)
{
    struct fixture fixture = {0};
    struct kp_text json =
        KP_TEXT("{\"spec\":{\"bar\":1,\"bar\":2,\"foo\":1,\"baz\":1,\"baz\":2,\"containers\":["
                "{\"name\":\"a\",\"name\":\"b\",\"name\":\"c\"}]}}");
    struct cf_fault fault;
    struct cf_node *node;

    fixture.arena = (struct cf_arena){.mem = cf_libc_mem()};
    CHECK_INT(kp_profile_init(&fixture.profile, KP_TEXT("1.36")), KP_OK);
    CHECK_INT(cf_json_parse(&fixture.arena, json, &node, &fault), KP_OK);
    CHECK_INT(cf_pod_decode(&fixture.arena, &fixture.profile, node, &fixture.pod), KP_OK);
    if (CHECK_INT(fixture.pod.warning_count, 4)) {
        CHECK_TEXT(fixture.pod.warnings[2].text, KP_TEXT("unknown field \"spec.baz\""));
        CHECK_TEXT(fixture.pod.warnings[3].text,
                   KP_TEXT("duplicate field \"spec.containers[0].name\""));
    }
    CHECK_TEXT(fixture.pod.pod->containers[0].name, KP_TEXT("c"));
    cf_arena_deinit(&fixture.arena);
}

/* What kubectl and a kubelet that starts late read of a status. */
static void a_status_arrives_whole(void)
{
    static const char yaml[] =
        "spec:\n"
        "  initContainers: [{name: i}]\n"
        "  containers: [{name: a}, {name: b}]\n"
        "status:\n"
        "  podIP: 10.0.0.1\n"
        "  reason: R\n"
        "  message: M\n"
        "  conditions: [{type: Ready, status: \"True\", reason: r, message: m}]\n"
        "  containerStatuses:\n"
        "  - {name: b, state: {waiting: {reason: w, message: x}}}\n"
        "  - {name: a, containerID: 1b, state: {terminated: {exitCode: 3, signal: 4, message: t, "
        "containerID: \"x://0a\"}}}\n"
        "  ephemeralContainerStatuses: [{name: e, state: {running: {}}}]\n";
    static const char ephemeral[] =
        "spec: {containers: [{name: a}], ephemeralContainers: [{name: e}]}\n"
        "status: {ephemeralContainerStatuses: [{name: e, restartCount: 7}]}\n";
    struct fixture fixture;
    const struct kp_pod_status *status = decode(&fixture, "1.36", yaml)->pod->status;

    CHECK_TEXT(status->pod_ip, KP_TEXT("10.0.0.1"));
    CHECK_TEXT(status->reason, KP_TEXT("R"));
    CHECK_TEXT(status->message, KP_TEXT("M"));
    CHECK_TEXT(status->conditions[0].reason, KP_TEXT("r"));
    CHECK_TEXT(status->conditions[0].message, KP_TEXT("m"));
    CHECK_INT(status->status_count, 2);
    CHECK_INT(status->statuses[0].state.signal, 4);
    CHECK_TEXT(status->statuses[0].state.container_id, KP_TEXT("0a"));
    CHECK_TEXT(status->statuses[0].container_id, KP_TEXT("1b"));
    CHECK_INT(status->statuses[1].container_id.len, 0);
    CHECK_TEXT(status->statuses[0].state.message, KP_TEXT("t"));
    CHECK_TEXT(status->statuses[1].state.message, KP_TEXT("x"));
    cf_arena_deinit(&fixture.arena);
    status = decode(&fixture, "1.36", ephemeral)->pod->status;
    CHECK_INT(status->status_count, 1);
    CHECK_INT(status->statuses[0].restart_count, 7);
    cf_arena_deinit(&fixture.arena);
    status = decode(&fixture, "1.36", "status: {podIP: 10.0.0.1}")->pod->status;
    CHECK_INT(status->phase, KP_PHASE_NONE);
    CHECK(!status->has_start);
    cf_arena_deinit(&fixture.arena);
    CHECK(decode(&fixture, "1.36", "spec: {containers: [{name: a}]}")->pod->status == NULL);
    cf_arena_deinit(&fixture.arena);
}

static void hash(const char *yaml, uint64_t *object, uint64_t containers[3], uint64_t resources[3])
{
    struct fixture fixture;
    struct cf_pod *pod = decode(&fixture, "1.36", yaml);

    CHECK_INT(cf_pod_default(&fixture.arena, &fixture.profile, pod), KP_OK);
    *object = pod->pod->object_hash;
    for (size_t i = 0; i < 3 && i < kp_pod_container_count(pod->pod); i++) {
        containers[i] = pod->pod->containers[i].spec_hash;
        resources[i] = pod->pod->containers[i].resource_hash;
    }
    cf_arena_deinit(&fixture.arena);
}

/* A kubelet sees what the server has stored, in which defaults stand spelt out. */
static void a_default_spelt_out_changes_no_hash(void)
{
    static const struct {
        const char *yaml;
        bool object, container[3], resources[3];
    } rows[] = {
        {"spec: {containers: [{name: a, image: i}, {name: b, image: i}, {name: c, image: i}]}",
         true,
         {true, true, true},
         {true, true, true}},
        {"spec: {restartPolicy: Always, dnsPolicy: ClusterFirst, containers: [{name: a, image: i, "
         "imagePullPolicy: Always}, {name: b, image: i, terminationMessagePolicy: File}, {name: c, "
         "image: i}]}",
         true,
         {true, true, true},
         {true, true, true}},
        {"spec: {hostNetwork: true, containers: [{name: a, image: i}, {name: b, image: i}, {name: "
         "c, image: i}]}",
         false,
         {true, true, true},
         {true, true, true}},
        {"metadata: {labels: {a: b}}\nspec: {containers: [{name: a, image: i}, {name: b, image: "
         "i}, {name: c, image: i}]}",
         false,
         {true, true, true},
         {true, true, true}},
        {"metadata: {annotations: {a: b}}\nspec: {containers: [{name: a, image: i}, {name: b, "
         "image: "
         "i}, {name: c, image: i}]}",
         false,
         {true, true, true},
         {true, true, true}},
        {"spec: {containers: [{name: a, image: i}, {name: b, image: j}, {name: c, image: i}]}",
         false,
         {true, false, true},
         {true, true, true}},
        {"spec: {containers: [{name: a, image: i}, {name: b, image: i}, {name: c, image: i, "
         "resources: {limits: {cpu: 1}}}]}",
         false,
         {true, true, false},
         {true, true, false}},
    };
    uint64_t object, containers[3], resources[3];

    hash(rows[0].yaml, &object, containers, resources);
    CHECK(containers[0] != containers[1] && containers[1] != containers[2]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t other, others[3], of_resources[3];

        hash(rows[i].yaml, &other, others, of_resources);
        CHECK_INT(other == object, rows[i].object);
        for (size_t k = 0; k < 3; k++) {
            CHECK_INT(others[k] == containers[k], rows[i].container[k]);
            CHECK_INT(of_resources[k] == resources[k], rows[i].resources[k]);
        }
    }
}

static void defaults_reach_pod_and_tree_alike(void)
{
    struct fixture fixture;
    struct cf_pod *pod = decode(&fixture, "1.36",
                                "spec:\n  containers:\n  - name: a\n    image: b\n"
                                "    livenessProbe: {httpGet: {port: 1}}\n");

    CHECK_INT(cf_pod_default(&fixture.arena, &fixture.profile, pod), KP_OK);
    CHECK_INT(pod->pod->containers[0].probes[KP_LIVENESS]->period_s, 10);
    CHECK_TEXT(
        cf_node_json(&fixture.arena, cf_node_find(pod->tree, "spec")),
        KP_TEXT("{\"containers\":[{\"image\":\"b\",\"livenessProbe\":{\"httpGet\":{\"port\":1,"
                "\"path\":\"/\",\"scheme\":\"HTTP\"},\"timeoutSeconds\":1,\"periodSeconds\":"
                "10,\"successThreshold\":1,\"failureThreshold\":3},\"name\":\"a\","
                "\"imagePullPolicy\":\"Always\",\"terminationMessagePath\":"
                "\"/dev/termination-log\",\"terminationMessagePolicy\":\"File\"}],"
                "\"restartPolicy\":\"Always\",\"terminationGracePeriodSeconds\":30,"
                "\"dnsPolicy\":\"ClusterFirst\",\"schedulerName\":\"default-scheduler\","
                "\"securityContext\":{},\"enableServiceLinks\":true}"));
    cf_arena_deinit(&fixture.arena);
}

const struct unit_test pod_decode_test[] = {
    {"every field of the chain arrives", every_field_of_the_chain_arrives},
    {"a status is in the order of the containers", a_status_is_in_the_order_of_the_containers},
    {"versions and gates drop fields", versions_and_gates_drop_fields},
    {"each gate drops its field", each_gate_drops_its_field},
    {"what the server says of bad documents", what_the_server_says_of_bad_documents},
    {"a fault stands at the value", a_fault_stands_at_the_value},
    {"a field may be meant where it is known", a_field_may_be_meant_where_it_is_known},
    {"warnings come in order", warnings_come_in_order},
    {"JSON keys may repeat", json_keys_may_repeat},
    {"JSON is decoded as Go decodes it", json_is_decoded_as_go_decodes_it},
    {"a warning comes once", a_warning_comes_once},
    {"a status arrives whole", a_status_arrives_whole},
    {"a default spelt out changes no hash", a_default_spelt_out_changes_no_hash},
    {"defaults reach pod and tree alike", defaults_reach_pod_and_tree_alike},
    {0},
};
