#include "conformance/pod/check.h"
#include "fakes/unit.h"

#include "conformance/text/out.h"

#include <string.h>

struct fixture {
    struct cf_arena arena;
    struct kp_profile profile;
    struct cf_check_reply reply;
};

static struct cf_check_reply *check(struct fixture *fixture, const char *version, const char *yaml)
{
    fixture->arena = (struct cf_arena){.mem = cf_libc_mem()};
    CHECK_INT(kp_profile_init(&fixture->profile, kp_text_of(version)), KP_OK);
    CHECK_INT(cf_check_yaml(&fixture->arena, &fixture->profile, kp_text_of(yaml), &fixture->reply),
              KP_OK);
    return &fixture->reply;
}

#define POD                                                                                        \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i:1"

struct row {
    const char *version;
    const char *yaml;
    const char *texts[5];
};

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct fixture fixture;
        const struct cf_check_reply *reply = check(&fixture, rows[i].version, rows[i].yaml);
        size_t want = 0;

        for (; want < 5 && rows[i].texts[want]; want++)
            if (CHECK(want < reply->error_count))
                CHECK_TEXT(reply->errors[want].text, kp_text_of(rows[i].texts[want]));
        if (!CHECK_INT(reply->error_count, want))
            CHECK_STRING(rows[i].yaml, "");
        cf_arena_deinit(&fixture.arena);
    }
}

/* Every text here is one that the server's own packages gave for the same document. */
static void probes_are_refused_as_the_server_refuses_them(void)
{
    static const struct row rows[] = {
        {"1.36",
         POD ", livenessProbe: {exec: {command: [x]}, successThreshold: -1, periodSeconds: -2}}]}",
         {"spec.containers[0].livenessProbe.periodSeconds: Invalid value: -2: must be greater than "
          "or equal to 0",
          "spec.containers[0].livenessProbe.successThreshold: Invalid value: -1: must be greater "
          "than or equal to 0",
          "spec.containers[0].livenessProbe.successThreshold: Invalid value: -1: must be 1"}},
        {"1.36",
         POD ", livenessProbe: {}}]}",
         {"spec.containers[0].livenessProbe: Required value: must specify a handler type"}},
        {"1.36",
         POD
         ", readinessProbe: {exec: {}, tcpSocket: {port: 0}, terminationGracePeriodSeconds: 0}}]}",
         {"spec.containers[0].readinessProbe.exec.command: Required value",
          "spec.containers[0].readinessProbe.tcpSocket: Forbidden: may not specify more than 1 "
          "handler type",
          "spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 0: must "
          "be greater than 0",
          "spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 0: must "
          "not be set for readinessProbes"}},
        {"1.36",
         POD
         ", startupProbe: {httpGet: {port: \"8080\", scheme: http, httpHeaders: [{name: a b}]}}}]}",
         {"spec.containers[0].startupProbe.httpGet.port: Invalid value: \"8080\": must contain at "
          "least one letter (a-z)",
          "spec.containers[0].startupProbe.httpGet.scheme: Unsupported value: \"http\": supported "
          "values: \"HTTP\", \"HTTPS\"",
          "spec.containers[0].startupProbe.httpGet.httpHeaders: Invalid value: \"a b\": a valid "
          "HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex "
          "used for validation is '[-A-Za-z0-9]+')"}},
        {"1.24",
         POD ", startupProbe: {tcpSocket: {port: \"80\"}}}]}",
         {"spec.containers[0].startupProbe.tcpSocket.port: Invalid value: \"80\": must contain at "
          "least one letter or number (a-z, 0-9)",
          "spec.containers[0].startupProbe.tcpSocket.port: Invalid value: \"80\": must contain at "
          "least one letter or number (a-z, 0-9)"}},
        {"1.22",
         POD ", livenessProbe: {grpc: {port: 80}}}]}",
         {"spec.containers[0].livenessProbe: Required value: must specify a handler type"}},
        {"1.23", POD ", livenessProbe: {grpc: {port: 80}}}]}", {NULL}},
        {"1.24",
         POD ", livenessProbe: {grpc: {port: 0}}}]}",
         {"spec.containers[0].livenessProbe.grpc.port: Invalid value: 0: must be between 1 and "
          "65535, inclusive"}},
    };

    check_rows(rows, sizeof rows / sizeof rows[0]);
}

static void containers_are_refused_as_the_server_refuses_them(void)
{
    static const struct row rows[] = {
        {"1.36",
         POD "}, {name: c, image: \" x\", ports: [{containerPort: 80, hostPort: 8}, "
             "{containerPort: 81, hostPort: 8}]}]}",
         {"spec.containers[1].name: Duplicate value: \"c\"",
          "spec.containers[1].ports[1].hostPort: Duplicate value: \"TCP//8\"",
          "spec.containers[1].image: Invalid value: \" x\": must not have leading or trailing "
          "whitespace"}},
        {"1.36",
         POD "}], initContainers: [{name: c, image: x, livenessProbe: {tcpSocket: {port: 1}}}]}",
         {"spec.initContainers[0].name: Duplicate value: \"c\"",
          "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers "
          "without restartPolicy=Always"}},
        {"1.27",
         POD "}], initContainers: [{name: d, image: x, lifecycle: {}}]}",
         {"spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers"}},
        {"1.33",
         POD
         ", restartPolicy: Always}], initContainers: [{name: d, image: x, restartPolicy: Never}]}",
         {"spec.containers[0].restartPolicy: Forbidden: may not be set for non-init containers",
          "spec.initContainers[0].restartPolicy: Unsupported value: \"Never\": supported values: "
          "\"Always\""}},
        {"1.36",
         POD ", restartPolicy: \"\", restartPolicyRules: [{action: x}]}]}",
         {"spec.containers[0].restartPolicy: Unsupported value: \"\": supported values: "
          "\"Always\", "
          "\"Never\", \"OnFailure\"",
          "spec.containers[0].restartPolicyRules[0].action: Unsupported value: \"x\": supported "
          "values: \"Restart\", \"RestartAllContainers\"",
          "spec.containers[0].restartPolicyRules[0].exitCodes: Required value: must be specified"}},
        {"1.36",
         POD "}], ephemeralContainers: [{name: e, image: x, ports: []}], restartPolicy: x}",
         {"spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container",
          "spec.restartPolicy: Unsupported value: \"x\": supported values: \"Always\", "
          "\"OnFailure\", \"Never\"",
          "spec.ephemeralContainers: Forbidden: cannot be set on create"}},
        {"1.36",
         POD "}], ephemeralContainers: [{name: e, image: x, restartPolicy: \"\", "
             "restartPolicyRules: []}]}",
         {"spec.ephemeralContainers[0].restartPolicy: Forbidden: cannot be set for an Ephemeral "
          "Container",
          "spec.ephemeralContainers[0].restartPolicyRules: Forbidden: cannot be set for an "
          "Ephemeral Container",
          "spec.ephemeralContainers: Forbidden: cannot be set on create"}},
        {"1.36",
         POD ", ports: [{containerPort: 80, hostPort: 8}]}], hostNetwork: true}",
         {"spec.containers[0].ports[0].hostPort: Invalid value: 8: must match `containerPort` when "
          "`hostNetwork` is true"}},
        {"1.26",
         POD ", ports: [{containerPort: 80, hostPort: 8}]}], hostNetwork: true}",
         {"spec.containers[0].ports[0].containerPort: Invalid value: 80: must match `hostPort` "
          "when "
          "`hostNetwork` is true"}},
        {"1.18",
         POD ", ports: [{containerPort: 80, protocol: SCTP}]}]}",
         {"[].spec.containers[0].ports[0].protocol: Unsupported value: \"SCTP\": supported values: "
          "\"TCP\", \"UDP\""}},
        {"1.36",
         "spec: {}",
         {"metadata.name: Required value: name or generateName is required",
          "spec.containers: Required value"}},
    };

    check_rows(rows, sizeof rows / sizeof rows[0]);
}

static void an_error_knows_its_place(void)
{
    struct fixture fixture;
    const struct cf_check_reply *reply = check(&fixture, "1.36",
                                               "metadata: {name: a}\n"
                                               "spec:\n"
                                               "  containers:\n"
                                               "  - name: c\n"
                                               "    image: i\n"
                                               "    livenessProbe:\n"
                                               "      tcpSocket:\n"
                                               "        port: 0\n");

    if (CHECK_INT(reply->error_count, 1)) {
        CHECK_INT(reply->errors[0].at.line, 8);
        CHECK_INT(reply->errors[0].at.column, 9);
        CHECK_TEXT(reply->errors[0].type, KP_TEXT("FieldValueInvalid"));
        CHECK_TEXT(reply->errors[0].detail, KP_TEXT("must be between 1 and 65535, inclusive"));
    }
    cf_arena_deinit(&fixture.arena);
}

/* As the server of 1.36 stored it. */
static void a_pod_prints_as_the_server_stores_it(void)
{
    struct fixture fixture;
    const struct cf_check_reply *reply = check(
        &fixture, "1.36",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: "
        "b, livenessProbe: {foo: 1, tcpSocket: {port: 80}}}]}");

    CHECK_TEXT(
        cf_node_json(&fixture.arena, cf_check_ok(&fixture.arena, reply)),
        KP_TEXT(
            "{\"pod\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
            "\"namespace\":\"default\",\"generation\":1},\"spec\":{\"containers\":[{\"name\":\"a\","
            "\"image\":\"b\",\"resources\":{},\"livenessProbe\":{\"tcpSocket\":{\"port\":80},"
            "\"timeoutSeconds\":1,\"periodSeconds\":10,\"successThreshold\":1,\"failureThreshold\":"
            "3},\"terminationMessagePath\":\"/dev/termination-log\",\"terminationMessagePolicy\":"
            "\"File\",\"imagePullPolicy\":\"Always\"}],\"restartPolicy\":\"Always\","
            "\"terminationGracePeriodSeconds\":30,\"dnsPolicy\":\"ClusterFirst\","
            "\"securityContext\":{},\"schedulerName\":\"default-scheduler\",\"enableServiceLinks\":"
            "true},\"status\":{\"phase\":\"Pending\",\"qosClass\":\"BestEffort\"}},\"errors\":[],"
            "\"warnings\":[\"unknown field \\\"spec.containers[0].livenessProbe.foo\\\"\"]}"));
    cf_arena_deinit(&fixture.arena);
}

/* V-025, D-007 */
static void a_valid_pod_may_be_warned_of(void)
{
    static const char yaml[] = POD ", env: [{name: A, value: x}, {name: A, value: z}], ports: "
                                   "[{name: p, containerPort: 80}]}, "
                                   "{name: d, image: i, ports: [{name: p, containerPort: 81}]}]}";
    struct fixture fixture;
    const struct cf_check_reply *reply = check(&fixture, "1.36", yaml);

    if (CHECK_INT(reply->warning_count, 2)) {
        CHECK_TEXT(reply->warnings[0].text,
                   KP_TEXT("spec.containers[0].env[1]: hides previous definition of \"A\", which "
                           "may be dropped when using apply"));
        CHECK_TEXT(reply->warnings[1].text,
                   KP_TEXT("spec.containers[1].ports[0]: duplicate port name \"p\" with "
                           "spec.containers[0].ports[0], services and probes that select ports by "
                           "name will use spec.containers[0].ports[0]"));
    }
    cf_arena_deinit(&fixture.arena);
    CHECK_INT(check(&fixture, "1.32", yaml)->warning_count, 1);
    cf_arena_deinit(&fixture.arena);
}

#define DOUBLED ", foo: 1, env: [{name: A, value: x}, {name: A, value: z}]"

/* What is refused gets no advice, nor does an update; that a field is not known is said all the
 * same.  Upstream: strategy.go, WarningsOnCreate, WarningsOnUpdate. */
static void advice_is_for_what_is_created(void)
{
    struct fixture fixture;
    struct cf_check_reply update;
    struct cf_pod pod;

    CHECK_INT(check(&fixture, "1.36", POD DOUBLED ", imagePullPolicy: x}]}")->warning_count, 1);
    CHECK_INT(fixture.reply.error_count, 1);
    cf_arena_deinit(&fixture.arena);
    CHECK_INT(check(&fixture, "1.36", POD DOUBLED "}]}")->warning_count, 2);
    CHECK_INT(
        cf_pod_decode_yaml(&fixture.arena, &fixture.profile, KP_TEXT(POD DOUBLED "}]}"), &pod),
        KP_OK);
    CHECK_INT(
        cf_check_decoded(&fixture.arena, &fixture.profile, &pod, NULL, &fixture.reply, &update),
        KP_OK);
    CHECK_INT(update.error_count, 0);
    CHECK_INT(update.warning_count, 1);
    cf_arena_deinit(&fixture.arena);
}

/* Up to 1.15 the init containers have no say.  Upstream: qos.go GetPodQOS. */
static void a_class_is_that_of_the_containers(void)
{
#define LIMITED ", resources: {limits: {cpu: 1, memory: 1Gi}}}"
    static const char *const rows[][3] = {
        {"1.15", POD LIMITED ", {name: d, image: x" LIMITED "], initContainers: [{name: i}]}",
         "Guaranteed"},
        {"1.16", POD LIMITED ", {name: d, image: x" LIMITED "], initContainers: [{name: i}]}",
         "Burstable"},
        {"1.15", POD LIMITED ", {name: d, image: x}], initContainers: [{name: i}]}", "Burstable"},
        {"1.36", POD LIMITED "], ephemeralContainers: [{name: e}]}", "Guaranteed"},
        {"1.36", POD "}], ephemeralContainers: [{name: e" LIMITED "]}", "BestEffort"},
    };
#undef LIMITED

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        const struct cf_check_reply *reply = check(&fixture, rows[i][0], rows[i][1]);

        CHECK_TEXT(cf_node_find(cf_node_find(reply->pod, "status"), "qosClass")->text,
                   kp_text_of(rows[i][2]));
        cf_arena_deinit(&fixture.arena);
    }
}

static void what_cannot_be_read_knows_its_place(void)
{
    struct fixture fixture;

    CHECK_INT(check(&fixture, "1.36", "kind: Pod\napiVersion: 1\n")->at.line, 2);
    cf_arena_deinit(&fixture.arena);
    if (CHECK(check(&fixture, "1.36", "")->error_count > 0)) {
        CHECK_INT(fixture.reply.errors[0].at.line, 1);
        CHECK_INT(fixture.reply.errors[0].at.column, 1);
    }
    cf_arena_deinit(&fixture.arena);
}

/* Upstream: pkg/api/pod/warnings.go. */
static void warnings_say_what_and_where(void)
{
#define NAMED(name) "metadata: {name: " name "}\nspec: {containers: [{name: c, image: i, "
#define PORTS NAMED("a") "ports: [\n"
    static const struct {
        const char *yaml;
        int line, column;
        const char *text; /* NULL: none */
    } rows[] = {
        {NAMED("a") "env: [{name: A, value: x}, {name: A, value: \"$(A)y\"}]}]}", 0, 0, NULL},
        {PORTS "{containerPort: 80, hostPort: 1, hostIP: 10.0.0.1}]}]}", 0, 0, NULL},
        {PORTS "{containerPort: 80, hostPort: 2}, {containerPort: 80, hostPort: 1}, "
               "{containerPort: 80, hostPort: 3}]}]}",
         0, 0, NULL},
        {PORTS "{containerPort: 80, hostIP: \"::\"}]}]}", 3, 1,
         "spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 "
         "ContainerPort:80 Protocol:TCP HostIP:::}"},
        {PORTS "{containerPort: 80, name: p}]}, {name: d, image: i, ports: [\n"
               " {containerPort: 81, name: p}]}]}",
         4, 2,
         "spec.containers[1].ports[0]: duplicate port name \"p\" with "
         "spec.containers[0].ports[0], services and probes that select ports by name will use "
         "spec.containers[0].ports[0]"},
        {NAMED("a.b") "}]}", 1, 12,
         "metadata.name: this is used in the Pod's hostname, which can result in surprising "
         "behavior; a DNS label is recommended: [must not contain dots]"},
    };
#undef PORTS
#undef NAMED

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        const struct cf_check_reply *reply = check(&fixture, "1.36", rows[i].yaml);

        CHECK_INT(reply->error_count, 0);
        if (CHECK_INT(reply->warning_count, rows[i].text != NULL) && rows[i].text) {
            CHECK_TEXT(reply->warnings[0].text, kp_text_of(rows[i].text));
            CHECK_INT(reply->warnings[0].at.line, rows[i].line);
            CHECK_INT(reply->warnings[0].at.column, rows[i].column);
        }
        cf_arena_deinit(&fixture.arena);
    }
}

/* Places are looked for in what has a thousand errors, pairs of ports in what has two thousand. */
static void what_takes_long_has_a_bound(void)
{
    struct fixture fixture;
    struct cf_out yaml = {0};

    cf_out_put_string(&yaml, "metadata: {name: a}\nspec: {containers: [");
    for (int i = 0; i <= 1000; i++)
        cf_out_printf(&yaml, "{name: c%d}, ", i);
    cf_out_put(&yaml, (struct kp_text){"]}", 3});
    if (CHECK_INT(check(&fixture, "1.36", cf_out_text(&yaml).bytes)->error_count, 1001)) {
        CHECK_INT(fixture.reply.errors[999].at.line, 2);
        CHECK_INT(fixture.reply.errors[1000].at.line, 0);
    }
    cf_arena_deinit(&fixture.arena);
    cf_out_deinit(&yaml);
    for (int count = 2000; count <= 2001; count++) {
        yaml = (struct cf_out){0};
        cf_out_put_string(&yaml, POD ", ports: [{containerPort: 1}, ");
        for (int i = 1; i < count; i++)
            cf_out_printf(&yaml, "{containerPort: %d}, ", i);
        cf_out_put(&yaml, (struct kp_text){"]}]}", 5});
        CHECK_INT(check(&fixture, "1.36", cf_out_text(&yaml).bytes)->warning_count, count == 2000);
        cf_arena_deinit(&fixture.arena);
        cf_out_deinit(&yaml);
    }
}

/* Defaulting leaves alone what is there, and what only looks like an amount.  Upstream:
 * v1/defaults.go. */
static void defaults_do_not_reach_further(void)
{
    struct fixture fixture;
    const struct cf_check_reply *reply =
        check(&fixture, "1.36",
              "metadata: {name: a, labels: {x: \"0.0005\"}}\nspec: {containers: [{name: c, image: "
              "i, resources: {requests: {cpu: \"0.0005\"}}}], volumes: [{name: v, image: "
              "{reference: r, pullPolicy: x}}, {}, {hostPath: {path: /}}], overhead: {cpu: 100u}, "
              "ephemeralContainers: [{name: e, image: i, resources: {limits: {cpu: 1}}}]}");
    const struct cf_node *root = reply->decoded.tree;

    CHECK_TEXT(cf_node_follow(root, KP_TEXT("metadata.labels[x]"))->text, KP_TEXT("0.0005"));
    CHECK_TEXT(cf_node_follow(root, KP_TEXT("spec.containers[0].resources.requests[cpu]"))->text,
               KP_TEXT("1m"));
    CHECK_TEXT(cf_node_follow(root, KP_TEXT("spec.overhead[cpu]"))->text, KP_TEXT("1m"));
    CHECK_TEXT(cf_node_follow(root, KP_TEXT("spec.volumes[0].image.pullPolicy"))->text,
               KP_TEXT("x"));
    CHECK(cf_node_follow(root, KP_TEXT("spec.ephemeralContainers[0].resources.limits")) != NULL);
    CHECK(cf_node_follow(root, KP_TEXT("spec.ephemeralContainers[0].resources.requests")) == NULL);
    /* Also where a volume has no name, which is refused later. */
    CHECK(cf_node_follow(root, KP_TEXT("spec.volumes[1].emptyDir")) != NULL);
    CHECK(cf_node_follow(root, KP_TEXT("spec.volumes[2].emptyDir")) == NULL);
    cf_arena_deinit(&fixture.arena);
}

const struct unit_test check_test[] = {
    {"warnings say what and where", warnings_say_what_and_where},
    {"what takes long has a bound", what_takes_long_has_a_bound},
    {"defaults do not reach further", defaults_do_not_reach_further},
    {"probes are refused as the server refuses them",
     probes_are_refused_as_the_server_refuses_them},
    {"containers are refused as the server refuses them",
     containers_are_refused_as_the_server_refuses_them},
    {"an error knows its place", an_error_knows_its_place},
    {"a pod prints as the server stores it", a_pod_prints_as_the_server_stores_it},
    {"a valid pod may be warned of", a_valid_pod_may_be_warned_of},
    {"advice is for what is created", advice_is_for_what_is_created},
    {"a class is that of the containers", a_class_is_that_of_the_containers},
    {"what cannot be read knows its place", what_cannot_be_read_knows_its_place},
    {0},
};
