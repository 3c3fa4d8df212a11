#include "conformance/pod/manifest.h"
#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "kind/pod name" of each pod, or "! line:column message" of each fault. */
static struct kp_text read(struct cf_arena *arena, struct kp_text bytes)
{
    struct kp_profile profile = unit_profile("1.36");
    struct cf_manifest manifest;
    struct kp_text faults = KP_TEXT("");
    struct kp_text text = KP_TEXT("");
    enum kp_err err;

    err = cf_manifest_read(arena, &profile, "file", bytes, &manifest);
    for (size_t i = 0; err == KP_EINPUT && i < manifest.fault_count; i++) {
        const struct cf_manifest_fault *fault = &manifest.faults[i];

        faults = cf_arena_format(arena, "%.*s%s! %d:%d %.*s", (int)faults.len,
                                 faults.len > 0 ? faults.bytes : "", i > 0 ? "\n" : "",
                                 fault->at.line, fault->at.column, KP_ARG(fault->text));
    }
    if (faults.len > 0)
        return faults;
    for (size_t i = 0; err == KP_OK && i < manifest.pod_count; i++)
        text = cf_arena_format(arena, "%s%s%s/%s/%.*s", text.bytes, i > 0 ? " " : "",
                               manifest.pods[i].kind.bytes, manifest.pods[i].pod->namespace_.bytes,
                               KP_ARG(manifest.pods[i].pod->name));
    return text;
}

#define SPEC "{containers: [{name: c, image: i}]}"
#define PIPE " | probetest COMMAND -`"
#define TEMPLATE "{metadata: {labels: {a: b}}, spec: " SPEC "}"

static void check_rows(const char *const (*rows)[2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};

        CHECK_TEXT(read(&arena, kp_text_of(rows[i][0])), kp_text_of(rows[i][1]));
        cf_arena_deinit(&arena);
    }
}

static void pods_are_found_wherever_they_stand(void)
{
    static const char *const rows[][2] = {
        {"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: " SPEC, "Pod/default/a"},
        {"{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"j\"}, \"spec\": "
         "{\"containers\": []}}",
         "Pod/default/j"},
        {"{apiVersion: v1, kind: Pod, metadata: {name: flow}, spec: " SPEC "}", "Pod/default/flow"},
        {" \t\r\n{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"k\"}}\n",
         "Pod/default/k"},
        {"\n {apiVersion: v1, kind: Pod, metadata: {name: l}}\n", "Pod/default/l"},
        {"apiVersion: v1\nkind: PodTemplate\ntemplate: " TEMPLATE "\n", "PodTemplate/default/pod"},
        {"---\n---\napiVersion: v1\nkind: Service\n---\napiVersion: v1\nkind: Pod\nmetadata: "
         "{name: "
         "b}\n",
         "Pod/default/b"},
        {"apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db, namespace: ns}\nspec: "
         "{template: " TEMPLATE "}",
         "StatefulSet/ns/db-0"},
        {"apiVersion: v1\nkind: PodTemplate\nmetadata: {name: x}\ntemplate: " TEMPLATE "\n",
         "PodTemplate/default/x"},
        {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: "
         "a}}\n- "
         "{apiVersion: v1, kind: ConfigMap}\n- {apiVersion: v1, kind: Pod, metadata: {name: b}}\n",
         "Pod/default/a Pod/default/b"},
        {"apiVersion: v1\nkind: PodList\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: "
         "a}}]\n",
         "Pod/default/a"},
        {"apiVersion: v1\nkind: List\nitems: []\nitems: [{apiVersion: v1, kind: Pod, metadata: "
         "{name: a}}]\n",
         "Pod/default/a"},
    };

    check_rows(rows, sizeof rows / sizeof rows[0]);
}

/* web-<ten>-<five>, of letters that make no words; another template, another hash. */
static void pods_of_templates_are_named_as_controllers_name_them(void)
{
    static const struct {
        const char *kind;
        const char *path;
        const char *begins;
        size_t letters;
    } rows[] = {
        {"Deployment", "{template: " TEMPLATE "}", "Deployment/default/web-", 16},
        {"CronJob", "{jobTemplate: {spec: {template: " TEMPLATE "}}}", "CronJob/default/web-", 16},
        {"Job", "{template: " TEMPLATE "}", "Job/default/web-", 5},
        {"DaemonSet", "{template: {spec: {containers: []}}}", "DaemonSet/default/web-", 5},
        {"ReplicaSet", "{template: " TEMPLATE "}", "ReplicaSet/default/web-", 5},
        {"ReplicationController", "{template: " TEMPLATE "}", "ReplicationController/default/web-",
         5},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_text yaml;
        struct kp_text name;

        yaml = cf_arena_format(&arena, "apiVersion: x\nkind: %s\nmetadata: {name: web}\nspec: %s\n",
                               rows[i].kind, rows[i].path);
        name = read(&arena, yaml);
        CHECK_TEXT(read(&arena, yaml), name);
        CHECK(strncmp(name.bytes, rows[i].begins, strlen(rows[i].begins)) == 0);
        CHECK_INT(name.len, strlen(rows[i].begins) + rows[i].letters);
        CHECK_INT(strspn(name.bytes + strlen(rows[i].begins), "bcdfghjklmnpqrstvwxz2456789-"),
                  rows[i].letters);
        cf_arena_deinit(&arena);
    }
}

static void custom_resources_have_pods(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct kp_text name;

    name = read(&arena, KP_TEXT("apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: "
                                "web}\nspec: {template: " TEMPLATE "}"));
    CHECK(strncmp(name.bytes, "Rollout/default/web-", 20) == 0);
    name = read(&arena, KP_TEXT("apiVersion: serving.knative.dev.org/v1\nkind: X\nmetadata: {name: "
                                "web}\nspec: {template: " TEMPLATE "}"));
    CHECK(strncmp(name.bytes, "X/default/web-", 14) == 0);
    cf_arena_deinit(&arena);
}

/* As `kubectl get -o yaml` writes it: an object that is created anew has none of that. */
static void a_pod_begins_without_a_past(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct kp_profile profile = unit_profile("1.36");
    struct cf_manifest manifest;

    CHECK_INT(cf_manifest_read(&arena, &profile, "file",
                               KP_TEXT("apiVersion: v1\nkind: Pod\nmetadata: {name: a, uid: u, "
                                       "deletionTimestamp: \"2024-01-01T00:00:00Z\", "
                                       "deletionGracePeriodSeconds: 5}\nspec: " SPEC
                                       "\nstatus: {phase: Succeeded}\n"),
                               &manifest),
              KP_OK);
    CHECK(!manifest.pods[0].pod->status);
    CHECK_TEXT(manifest.pods[0].pod->uid, KP_TEXT("u"));
    CHECK(!manifest.pods[0].pod->has_deletion);
    CHECK(!manifest.pods[0].pod->has_deletion_grace);
    cf_arena_deinit(&arena);
}

static void broken_yaml_is_reported_in_plain_words(void)
{
    static const char *const rows[][2] = {
        {"apiVersion: v1\nkind: Pod\nmetadata: {name: {{ .Values.name }}}\n",
         "! 3:18 this is a template; pipe `helm template DIR" PIPE},
        {"apiVersion: v1\nkind: Pod\nspec:\n  {{- toYaml . }}\n   x: 1\n y\n",
         "! 4:3 this is a template; pipe `helm template DIR" PIPE},
        {"apiVersion: v1\nkind: Pod\nspec: {a: \"{{ b }}\"\n  c: ]\n",
         "! 4:3 did not find expected ',' or '}' of the { in line 3"},
        {"apiVersion: v1\nkind: Pod\nspec:\n  a: b\n   c: d\n",
         "! 5:4 this line is indented by 3, line 4 by 2: fields of one object stand in one column"},
        {"kind: Pod\nspec:\n- name: a\n\n   # x\n   c: d\n",
         "! 6:4 this line is indented by 3, line 3 by 2: fields of one object stand in one column"},
        {"kind: Pod\nspec:\n  command: echo: b\n",
         "! 3:16 a second ': ' in one line: a value that has one is quoted"},
        {"kind: Pod\nspec:\n\ta: b\n", "! 3:1 a tab: YAML indents with spaces"},
        {"kind: Pod\nspec:\n  a: @b\n", "! 3:6 found character that cannot start any token"},
        {"kind: Pod\nspec:\n    a: b\n  c: d\n",
         "! 4:3 this line is indented by 2, which is where no object above it stands"},
    };

    check_rows(rows, sizeof rows / sizeof rows[0]);
}

#define TEN "abcdefghij"
#define LONGEST_KIND TEN TEN TEN TEN TEN TEN "abc"

static void bad_input_gets_one_message_with_its_place(void)
{
    static const char *const rows[][2] = {
        {"", "! 1:1 no pod and no pod template in it"},
        {"\n\n# only a comment\n", "! 1:1 no pod and no pod template in it"},
        {"apiVersion: v1\nkind: Service\n",
         "! 2:7 no pod and no pod template in it, but kind \"Service\""},
        {"apiVersion: v1\nkind: \"a\\nb\"\n---\napiVersion: v1\nkind: Service\n",
         "! 2:7 no pod and no pod template in it, but kind \"a\\nb\""},
        {"apiVersion: apps/v1\nkind: daemonset\nspec: {template: " TEMPLATE "}",
         "! 2:7 no pod and no pod template in it, but kind \"daemonset\"; did you mean DaemonSet?"},
        {"apiVersion: argoproj.io/v1\nkind: Rollout\nspec: {workloadRef: {name: w}}",
         "! 2:7 no pod and no pod template in it, but kind \"Rollout\""},
        {"apiVersion: v1\nkind: " LONGEST_KIND "\n",
         "! 2:7 no pod and no pod template in it, but kind \"" LONGEST_KIND "\""},
        {"apiVersion: v1\nkind: " LONGEST_KIND "d\n",
         "! 2:7 no pod and no pod template in it, but kind \"" LONGEST_KIND "\"..."},
        {"just words\n", "! 1:1 an object must be a map with apiVersion and kind, not a string"},
        {"- a\n", "! 1:1 an object must be a map with apiVersion and kind, not a list"},
        {"metadata: {}\n", "! 1:1 kind is not set"},
        {"answers: {}\n", "! 1:1 kind is not set: this is a script; `probetest simulate --script` "
                          "takes it, beside the pod's file"},
        {"resources: [a.yaml]\n",
         "! 1:1 kind is not set: this is a kustomization; pipe `kubectl kustomize DIR" PIPE},
        {"apiVersion: v2\nname: c\nappVersion: 1\n",
         "! 1:1 kind is not set: this is of a Helm chart; pipe `helm template DIR" PIPE},
        {"kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\n",
         "! 1:7 no pod and no pod template in it, but kind \"Kustomization\"; pipe `kubectl "
         "kustomize DIR" PIPE},
        {"kind: Pod\n", "! 1:1 apiVersion is not set"},
        {"kind: [Pod]\n", "! 1:7 kind must be a string"},
        {"apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, image: b]}\n",
         "! 3:39 did not find expected ',' or '}'"},
        {"{\"apiVersion\": \"v1\", \"kind\": ", "! 1:30 unexpected end of JSON input"},
        {" \t\r\n{\"apiVersion\": \"v1\", \"kind\": ", "! 2:30 unexpected end of JSON input"},
        {"{apiVersion: v1, kind: Pod\n", "! 1:1 a { that is not closed before line 2"},
        {"apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    livenessprobe: {}\n",
         "! 6:5 unknown field \"spec.containers[0].livenessprobe\"; did you mean livenessProbe?"},
        {"apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    livenessProbe:\n"
         "      httpget: {}\n      periodSecond: 5\n",
         "! 7:7 unknown field \"spec.containers[0].livenessProbe.httpget\"; did you mean httpGet?\n"
         "! 8:7 unknown field \"spec.containers[0].livenessProbe.periodSecond\"; did you mean "
         "periodSeconds?"},
        {"apiVersion: v1\nkind: Pod\nspec:\n  hostNetwork: true\n  hostNetwork: false\n",
         "! 5:3 key \"hostNetwork\" already set in map"},
        {"apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - ports: [{containerPort: x}]\n",
         "! 5:29 json: cannot unmarshal string into Go struct field "
         "ContainerPort.spec.containers.ports.containerPort of type int32"},
        {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: n}\nspec: {template: {}}\n",
         "! 3:18 json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.name of type "
         "string"},
        {"apiVersion: apps/v1\nkind: Deployment\n", "! 1:1 Deployment has no spec.template"},
        {"apiVersion: apps/v1\nkind: Deployment\nspec: {template: {spec: {foo: 1}}}\n",
         "! 3:26 unknown field \"spec.template.spec.foo\""},
        {"apiVersion: v1\nkind: List\n", "! 1:1 a List must have items, which must be a list"},
        {"apiVersion: v1\nkind: List\nitems: {a: b}\n",
         "! 3:8 a List must have items, which must be a list"},
        {"apiVersion: v1\nkind: \"\"\n", "! 2:7 kind must be a string"},
        {"apiVersion: v1\nkind: L\n", "! 2:7 no pod and no pod template in it, but kind \"L\""},
        {"apiVersion: v2\nkind: Pod\n",
         "! 1:1 no kind \"Pod\" is registered for version \"v2\" in scheme "
         "\"pkg/runtime/scheme.go:111\""},
    };

    check_rows(rows, sizeof rows / sizeof rows[0]);
}

/* Of two faults one is reported; an object that has no template says so by its own kind. */
static void of_several_faults_the_first_is_reported(void)
{
    static const char *const rows[][2] = {
        {"kind: List\nitems: []\n", "! 1:1 apiVersion is not set"},
        {"apiVersion: v1\nkind: ReplicationController\n",
         "! 1:1 ReplicationController has no spec.template"},
        {"apiVersion: apps/v1\nkind: DaemonSet\n", "! 1:1 DaemonSet has no spec.template"},
        {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: n}\n",
         "! 1:1 Deployment has no spec.template"},
        {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, foo: 1}\n"
         "spec: {template: " TEMPLATE "}\n",
         "! 3:23 unknown field \"metadata.foo\""},
        {"apiVersion: v1\nkind: Pod\nspec: {foo: 1, containers: 5}\n",
         "! 3:28 json: cannot unmarshal number into Go struct field PodSpec.spec.containers of "
         "type []v1.Container"},
        {"apiVersion: v1\nkind: Pod\nspec: {containers: [{livenessProbe: {httpGet: {port: 1, "
         "protocol: HTTP2}}}]}\n",
         "! 3:57 unknown field \"spec.containers[0].livenessProbe.httpGet.protocol\": it exists "
         "from Kubernetes 1.37 on"},
        {"world: {}\n", "! 1:1 kind is not set: this is a script; `probetest simulate --script` "
                        "takes it, beside the pod's file"},
    };

    check_rows(rows, sizeof rows / sizeof rows[0]);
}

/* Every beginning of a document and every byte of it spoilt: a result or a message, never more. */
static void no_damage_to_a_document_does_harm(void)
{
    static const char whole[] =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {x: &l \"\\u00e9\"}}\nspec:\n"
        "  containers:\n  - name: c\n    image: !!str i\n    livenessProbe:\n      httpGet: {port: "
        "0x50}\n    env: [{name: A, value: *l}]\n    resources: {limits: {cpu: 100m, memory: "
        "1.5Gi}}\n";
    static const char spoils[] = "\0\n\t{]:*&!\"-\xff";

    for (size_t cut = 0; cut < sizeof whole; cut++) {
        for (size_t i = 0; i < sizeof spoils; i++) {
            char *copy = malloc(sizeof whole);
            struct cf_arena arena = {.mem = cf_libc_mem()};

            if (!copy)
                return;
            memcpy(copy, whole, sizeof whole);
            if (i > 0)
                copy[cut] = spoils[i - 1];
            (void)read(&arena, (struct kp_text){copy, i > 0 ? sizeof whole - 1 : cut});
            CHECK(!arena.failed);
            cf_arena_deinit(&arena);
            free(copy);
        }
    }
}

static void a_file_too_large_is_refused_at_once(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    size_t size = 10 * 1024 * 1024;
    char *bytes = malloc(size);

    if (!bytes)
        return;
    memset(bytes, 'a', size);
    CHECK_TEXT(read(&arena, (struct kp_text){bytes, size}),
               KP_TEXT("! 1:1 larger than 4194304 bytes"));
    CHECK(arena.bytes < 100000);
    cf_arena_deinit(&arena);
    free(bytes);
}

/* Fails from the n-th call on. */
/* What the reading comes to once there is memory; before that it says that there was none. */
static void check_memory(const char *bytes, enum kp_err wanted)
{
    enum kp_err err = KP_ENOMEM;

    for (int calls = 0; err == KP_ENOMEM && calls < 100; calls++) {
        struct fake_alloc state = {calls, 0, 0};
        struct kp_mem mem = fake_alloc_mem(&state);
        struct kp_profile profile = unit_profile("1.36");
        struct cf_arena arena;
        struct cf_manifest manifest;

        arena = (struct cf_arena){.mem = &mem};
        err = cf_manifest_read(&arena, &profile, "file", kp_text_of(bytes), &manifest);
        CHECK(err != KP_EINPUT || (manifest.fault_count == 1 && manifest.faults[0].text.len > 0));
        cf_arena_deinit(&arena);
        CHECK_INT(state.live, 0);
    }
    CHECK_INT(err, wanted);
}

static void memory_may_fail_at_any_call(void)
{
    static char items[1200];
    char bytes[1300];

    for (size_t i = 0; i < sizeof items; i++)
        items[i] = "- x\n"[i % 4];
    check_memory("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: " SPEC, KP_OK);
    /* Longer and longer: some time the error itself begins a block of the arena. */
    for (int len = 0; len < 300; len++) {
        snprintf(bytes, sizeof bytes, "%.*s%s", 4 * len, items, "- {{ .Values.kind }}\n");
        check_memory(bytes, KP_EINPUT);
    }
}

/* The plugin's presets are there before the pods, wherever they stand in the file. */
static void presets_of_the_file_are_merged(void)
{
    static const char file[] =
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {template: " TEMPLATE
        "}\n---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: settings.k8s.io/v1alpha1, "
        "kind: "
        "PodPreset, metadata: {name: p}, spec: {selector: {matchLabels: {a: b}}, env: [{name: A, "
        "value: x}]}}\n";
    static const struct {
        const char *version;
        bool merged;
        size_t faults;
    } rows[] = {{"1.15", true, 0}, {"1.19", true, 0}, {"1.20", false, 1}, {"1.36", false, 1}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_profile profile = unit_profile(rows[i].version);
        struct cf_manifest manifest;

        CHECK_INT(cf_manifest_read(&arena, &profile, "file", kp_text_of(file), &manifest), KP_OK);
        CHECK_INT(manifest.fault_count, rows[i].faults);
        CHECK(rows[i].faults == 0 || manifest.faults[0].warning);
        CHECK_INT(manifest.pods[0].presets.applied, rows[i].merged);
        CHECK_INT(manifest.pods[0].pod->containers[0].env_count, rows[i].merged);
        CHECK(manifest.pods[0].pod->uid.len > 0);
        cf_arena_deinit(&arena);
    }
}

/* A pod a document, each called by its number. */
static char *many_pods(size_t count)
{
    char *bytes = malloc(100 * count + 1);
    size_t len = 0;

    for (size_t i = 0; bytes && i < count; i++)
        len += (size_t)snprintf(bytes + len, 100,
                                "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p%zu}\n", i);
    return bytes;
}

static void many_pods_have_a_uid_each(void)
{
    char *bytes = many_pods(40);
    struct kp_profile profile = unit_profile("1.36");
    struct cf_manifest manifest;
    struct cf_arena arena = {.mem = cf_libc_mem()};

    if (bytes && CHECK_INT(cf_manifest_read(&arena, &profile, "file", kp_text_of(bytes), &manifest),
                           KP_OK)) {
        CHECK_INT(manifest.pod_count, 40);
        CHECK_INT(cf_manifest_count(&manifest, NULL), 40);
        CHECK_INT(cf_manifest_count(&manifest, "p0"), 1);
        CHECK_INT(cf_manifest_count(&manifest, "p39"), 1);
        for (size_t i = 0; i < manifest.pod_count; i++) {
            char name[32];
            char uid[64];

            snprintf(name, sizeof name, "p%zu", i);
            snprintf(uid, sizeof uid, "00000000-0000-4000-8000-%012zu", i + 1);
            CHECK_STRING(manifest.pods[i].pod->name.bytes, name);
            CHECK_STRING(manifest.pods[i].pod->uid.bytes, uid);
            CHECK_TEXT(manifest.pods[i].object, kp_text_of(name));
            CHECK_TEXT(manifest.pods[i].path, KP_TEXT(""));
        }
    }
    cf_arena_deinit(&arena);
    free(bytes);
}

/* Of a file with a pod, a template, and others that are broken, what is asked for alone is read. */
static void who_is_not_asked_for_may_be_broken(void)
{
    static const char file[] =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: " SPEC "\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: bad}\nspec: {containers: 1}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: odd}\nspec: {foo: 1}\n---\n"
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db, labels: {a: 1}}\n"
        "spec: {template: " TEMPLATE "}\n";
    static const struct {
        const char *only;
        const char *fault; /* NULL: none */
    } rows[] = {
        {"web", NULL},
        {"we", NULL},
        {"webx", NULL},
        {"nobody", NULL},
        {"bad", "json: cannot unmarshal number into Go struct field PodSpec.spec.containers of "
                "type []v1.Container"},
        {"odd", "unknown field \"spec.foo\""},
        {"odd-1", "unknown field \"spec.foo\""},
        {"oddly", NULL},
        {"db", "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of "
               "type string"},
        {"db-0", "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of "
                 "type string"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_profile profile = unit_profile("1.36");
        struct cf_manifest manifest;
        struct cf_arena arena = {.mem = cf_libc_mem()};

        CHECK_INT(cf_manifest_read_only(&arena, &profile, "file", kp_text_of(file), rows[i].only,
                                        &manifest),
                  rows[i].fault ? KP_EINPUT : KP_OK);
        CHECK_TEXT(manifest.fault_count > 0 ? manifest.faults[0].text : KP_TEXT(""),
                   kp_text_of(rows[i].fault ? rows[i].fault : ""));
        cf_arena_deinit(&arena);
    }
}

static void the_way_to_a_pods_spec_is_keys(void)
{
    static const struct {
        const char *path;
        const char *keys;
        int column;
    } rows[] = {
        {"", "spec:\n", 2},
        {"template", "template:\n  spec:\n", 4},
        {"spec.template", "spec:\n  template:\n    spec:\n", 6},
        {"spec.jobTemplate.spec.template",
         "spec:\n  jobTemplate:\n    spec:\n      template:\n        spec:\n", 10},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_out out = {0};

        CHECK_INT(cf_manifest_put_path(&out, kp_text_of(rows[i].path)), rows[i].column);
        CHECK_TEXT(cf_out_text(&out), kp_text_of(rows[i].keys));
        cf_out_deinit(&out);
    }
}

/* Lists in Lists; so many pieces before, so many behind. */
static void check_nested(int depth, const char *inner, const char *wanted)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_out out = {0};

    for (int i = 0; i < depth; i++)
        cf_out_put_string(&out, "{apiVersion: v1, kind: List, items: [");
    cf_out_put_string(&out, inner);
    for (int i = 0; i < depth; i++)
        cf_out_put_string(&out, "]}");
    CHECK_TEXT(read(&arena, cf_out_text(&out)), kp_text_of(wanted));
    cf_arena_deinit(&arena);
    cf_out_deinit(&out);
}

static void lists_are_nine_deep_at_most(void)
{
    static const char pod[] = "{apiVersion: v1, kind: Pod, metadata: {name: a}}";

    check_nested(1, pod, "Pod/default/a");
    check_nested(9, pod, "Pod/default/a");
    check_nested(9, "{apiVersion: v1, kind: List}",
                 "! 1:334 a List must have items, which must be a list");
    check_nested(10, pod, "! 1:334 Lists in Lists, more than eight deep");
}

/* A list of so many, with the list itself one more value. */
static void check_values(size_t count, const char *wanted)
{
    char *bytes = malloc(2 * count + 2);
    struct cf_arena arena = {.mem = cf_libc_mem()};

    if (!bytes)
        return;
    for (size_t i = 0; i < count; i++)
        memcpy(bytes + 2 * i + 1, "1,", 2);
    bytes[0] = '[';
    bytes[2 * count] = ']';
    CHECK_TEXT(read(&arena, (struct kp_text){bytes, 2 * count + 1}), kp_text_of(wanted));
    cf_arena_deinit(&arena);
    free(bytes);
}

static void values_are_counted(void)
{
    check_values(299999, "! 1:1 an object must be a map with apiVersion and kind, not a list");
    check_values(300000, "! 1:1 more than 300000 values");
}

static void a_file_just_small_enough_is_read(void)
{
    char *bytes = malloc(CF_MANIFEST_BYTES_MAX);
    struct cf_arena arena = {.mem = cf_libc_mem()};

    if (!bytes)
        return;
    memset(bytes, '#', CF_MANIFEST_BYTES_MAX);
    CHECK_TEXT(read(&arena, (struct kp_text){bytes, CF_MANIFEST_BYTES_MAX}),
               KP_TEXT("! 1:1 no pod and no pod template in it"));
    cf_arena_deinit(&arena);
    free(bytes);
}

const struct unit_test manifest_test[] = {
    {"pods are found wherever they stand", pods_are_found_wherever_they_stand},
    {"pods of templates are named as controllers name them",
     pods_of_templates_are_named_as_controllers_name_them},
    {"custom resources have pods", custom_resources_have_pods},
    {"a pod begins without a past", a_pod_begins_without_a_past},
    {"broken YAML is reported in plain words", broken_yaml_is_reported_in_plain_words},
    {"bad input gets one message with its place", bad_input_gets_one_message_with_its_place},
    {"of several faults the first is reported", of_several_faults_the_first_is_reported},
    {"no damage to a document does harm", no_damage_to_a_document_does_harm},
    {"a file too large is refused at once", a_file_too_large_is_refused_at_once},
    {"memory may fail at any call", memory_may_fail_at_any_call},
    {"presets of the file are merged", presets_of_the_file_are_merged},
    {"many pods have a uid each", many_pods_have_a_uid_each},
    {"who is not asked for may be broken", who_is_not_asked_for_may_be_broken},
    {"the way to a pod's spec is keys", the_way_to_a_pods_spec_is_keys},
    {"Lists are nine deep at most", lists_are_nine_deep_at_most},
    {"values are counted", values_are_counted},
    {"a file just small enough is read", a_file_just_small_enough_is_read},
    {0},
};
