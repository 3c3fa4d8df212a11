/* manifest_objects_test.c: what becomes of each object of a file. */
#include "conformance/pod/manifest.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

#define SPEC "{containers: [{name: c, image: i}]}"
#define TEMPLATE "{metadata: {labels: {a: b}}, spec: " SPEC "}"

/* What reading comes to at one version. */
static enum kp_err read_at(struct cf_arena *arena, const char *version, const char *bytes,
                           struct cf_manifest *manifest)
{
    static struct kp_profile profile;

    *arena = (struct cf_arena){.mem = cf_libc_mem()};
    CHECK_INT(kp_profile_init(&profile, kp_text_of(version)), KP_OK);
    return cf_manifest_read(arena, &profile, "file", kp_text_of(bytes), manifest);
}

static void presets_go_into_each_pod(void)
{
    static const char file[] =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: " SPEC "\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: b, labels: {a: b}}\nspec: " SPEC "\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: c, labels: {a: b}}\nspec: " SPEC "\n---\n"
        "apiVersion: settings.k8s.io/v1alpha1\nkind: PodPreset\nmetadata: {name: p}\n"
        "spec: {selector: {matchLabels: {a: b}}, env: [{name: A, value: x}]}\n";
    struct cf_manifest manifest;
    struct cf_arena arena;

    if (CHECK_INT(read_at(&arena, "1.19", file, &manifest), KP_OK))
        for (size_t i = 0; i < 3; i++) {
            const struct kp_pod *pod = manifest.pods[i].pod;

            CHECK_TEXT(pod->uid, cf_arena_format(&arena, "00000000-0000-4000-8000-%012zu", i + 1));
            CHECK_INT(pod->containers[0].env_count, i > 0);
            CHECK_INT(manifest.pods[i].presets.applied, i > 0);
        }
    cf_arena_deinit(&arena);
}

/* From 1.20 on, to which it means nothing: a pod behind it does not silence that. */
static void a_preset_that_is_gone_is_reported_all_the_same(void)
{
    static const char file[] =
        "apiVersion: settings.k8s.io/v1alpha1\nkind: PodPreset\nmetadata: {name: p}\n"
        "spec: {env: [{name: A, value: x}]}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: " SPEC "\n";
    struct cf_manifest manifest;
    struct cf_arena arena;

    if (CHECK_INT(read_at(&arena, "1.20", file, &manifest), KP_OK) &&
        CHECK_INT(manifest.fault_count, 1))
        CHECK(manifest.faults[0].warning);
    CHECK_INT(manifest.pod_count, 1);
    cf_arena_deinit(&arena);
}

/* Whether a fault is that there is no pod at all. */
static void a_file_without_a_pod_is_empty(void)
{
    static const struct {
        const char *bytes;
        bool empty;
    } rows[] = {{"", true},
                {"apiVersion: v1\nkind: Service\n", true},
                {"kind: Pod\n", false},
                {"replicas: 1\nimage: x\n", true},
                {"items: []\n", false},
                {"spec: {}\n", false},
                {"apiVersion: v1\n", false},
                {"metadata: {name: a}\n", false}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_manifest manifest;
        struct cf_arena arena;

        CHECK_INT(read_at(&arena, "1.36", rows[i].bytes, &manifest), KP_EINPUT);
        CHECK_INT(manifest.empty, rows[i].empty);
        cf_arena_deinit(&arena);
    }
}

/* kubectl looks at fields whatever the server's version; YAML goes through a map, which sorts. */
static void kubectl_names_the_first_unknown_field(void)
{
    static const char *const rows[][2] = {
        {"apiVersion: v1\nkind: Pod\nspec: {zz: 1, aa: 2}\n", "unknown field \"spec.aa\""},
        {"{apiVersion: v1, kind: Pod, spec: {zz: 1, aa: 2}}\n", "unknown field \"spec.aa\""},
        {"{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"spec\": {\"zz\": 1, \"aa\": 2}}\n",
         "unknown field \"spec.zz\""},
        {"apiVersion: apps/v1\nkind: Deployment\nspec: {template: {zz: 1, aa: 2}}\n",
         "unknown field \"spec.template.aa\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_manifest manifest;
        struct cf_arena arena;

        if (CHECK_INT(read_at(&arena, "1.24", rows[i][0], &manifest), KP_EINPUT))
            CHECK_TEXT(manifest.faults[0].text, kp_text_of(rows[i][1]));
        cf_arena_deinit(&arena);
    }
}

/* However many there are; null is an item as any. */
static void each_unknown_field_is_reported(void)
{
    static const char yaml[] =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, z0: 1, z1: 1, z2: 1, z3: 1, z4: 1, z5: 1, "
        "z6: 1, z7: 1, z8: 1, z9: 1}\nspec: {containers: [null, {name: c, zz: 1}]}\n";
    struct cf_manifest manifest;
    struct cf_arena arena;

    if (CHECK_INT(read_at(&arena, "1.36", yaml, &manifest), KP_EINPUT) &&
        CHECK_INT(manifest.fault_count, 11)) {
        CHECK_TEXT(manifest.faults[9].text, KP_TEXT("unknown field \"metadata.z9\""));
        CHECK_TEXT(manifest.faults[10].text, KP_TEXT("unknown field \"spec.containers[1].zz\""));
        CHECK_INT(manifest.faults[10].at.line, 4);
    }
    cf_arena_deinit(&arena);
}

/* Names of controllers draw on all of their letters. */
static void names_of_pods_differ_as_their_templates_do(void)
{
    static bool seen[256];
    size_t letters = 0;

    for (int i = 0; i < 60; i++) {
        struct cf_manifest manifest;
        struct cf_arena arena;
        char yaml[200];

        snprintf(yaml, sizeof yaml,
                 "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: A}\n"
                 "spec: {template: {metadata: {labels: {a: \"%d\"}}, spec: " SPEC "}}\n",
                 i);
        if (CHECK_INT(read_at(&arena, "1.36", yaml, &manifest), KP_OK)) {
            struct kp_text name = manifest.pods[0].pod->name;

            CHECK_INT(name.len, 18);
            CHECK(memchr(name.bytes, 0, name.len) == NULL);
            CHECK(memcmp(name.bytes + 2, name.bytes + 13, 5) != 0);
            for (size_t k = 0; k < name.len; k++)
                seen[(unsigned char)name.bytes[k]] = true;
        }
        cf_arena_deinit(&arena);
    }
    for (int i = 0; i < 256; i++)
        letters += seen[i];
    CHECK_INT(letters, 27 + 2); /* and A, and the hyphen */
}

static void metadata_may_be_null(void)
{
    static const char yaml[] = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n"
                               "spec: {template: " TEMPLATE "}\n";
    struct cf_manifest manifest;
    struct cf_arena arena;

    if (CHECK_INT(read_at(&arena, "1.36", yaml, &manifest), KP_OK)) {
        CHECK_TEXT(manifest.pods[0].pod->name, KP_TEXT("pod-0"));
        CHECK_TEXT(cf_node_text(manifest.pods[0].holder, "kind"), KP_TEXT("StatefulSet"));
        CHECK(cf_node_find(manifest.pods[0].source, "kind") == NULL);
    }
    cf_arena_deinit(&arena);
}

/* What a template or metadata of a wrong kind is reported with. */
static void templates_are_maps(void)
{
    static const char *const rows[][2] = {
        {"spec: {template: 5}", "of type v1.PodTemplateSpec"},
        {"metadata: [a]\nspec: {template: " TEMPLATE "}", "of type v1.ObjectMeta"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_manifest manifest;
        struct cf_arena arena;
        char yaml[200];

        snprintf(yaml, sizeof yaml, "apiVersion: apps/v1\nkind: Deployment\n%s\n", rows[i][0]);
        if (CHECK_INT(read_at(&arena, "1.36", yaml, &manifest), KP_EINPUT)) {
            CHECK(strstr(manifest.faults[0].text.bytes, rows[i][1]) != NULL);
            CHECK_INT(manifest.faults[0].at.line, 3);
        }
        cf_arena_deinit(&arena);
    }
}

/* Who a live Pod or Job is changed by; of an owner that might end the comment nothing is said. */
static void who_to_change_instead_is_named(void)
{
#define LIVE(kind) "# a live " kind " cannot be patched so: kubectl replace --force -f FILE\n"
    static const char *const rows[][4] = {
        /* kind, its owner's kind and name, what is said */
        {"Pod", NULL, NULL, LIVE("Pod")},
        {"Job", NULL, NULL, LIVE("Job")},
        {"Deployment", NULL, NULL, ""},
        {"Deployment", "A", "b", ""},
        {"Pod", "ReplicaSet", "web", "# change its Deployment or ReplicaSet web instead\n"},
        {"Pod", "StatefulSet", "db", "# change its StatefulSet db instead\n"},
        {"Job", "CronJob", "x", "# change its CronJob x instead\n"},
        {"Pod", "A!~", "~", "# change its A!~ ~ instead\n"},
        {"Pod", "", "web", LIVE("Pod")},
        {"Pod", "ReplicaSet", "", LIVE("Pod")},
        {"Pod", "Replica Set", "web", LIVE("Pod")},
        {"Pod", "ReplicaSet", "we\nb", LIVE("Pod")},
        {"Pod", "ReplicaSet", "web\177", LIVE("Pod")},
        {"Pod", "R\303\251", "web", LIVE("Pod")},
    };
#undef LIVE

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct cf_node *object = cf_node_new(&arena, CF_MAP, (struct cf_place){0});
        struct cf_node *metadata = cf_node_new(&arena, CF_MAP, (struct cf_place){0});
        struct cf_node *list = cf_node_new(&arena, CF_LIST, (struct cf_place){0});
        struct cf_node *owner = cf_node_new(&arena, CF_MAP, (struct cf_place){0});
        struct cf_out out = {0};

        cf_node_put(object, KP_TEXT("metadata"), metadata);
        if (rows[i][1]) {
            cf_node_put(owner, KP_TEXT("kind"), cf_node_string(&arena, kp_text_of(rows[i][1])));
            cf_node_put(owner, KP_TEXT("name"), cf_node_string(&arena, kp_text_of(rows[i][2])));
            cf_node_append(list, owner);
            cf_node_put(metadata, KP_TEXT("ownerReferences"), list);
        }
        cf_manifest_put_fixed(&out, kp_text_of(rows[i][0]), object);
        CHECK_TEXT(cf_out_text(&out), kp_text_of(rows[i][3]));
        cf_out_deinit(&out);
        cf_arena_deinit(&arena);
    }
}

/* A group with a dot is that of a custom resource: Kubernetes' own workloads have none. */
static void a_custom_resource_takes_no_patch(void)
{
    static const struct {
        const char *version;
        const char *says;
    } rows[] = {
        {"argoproj.io/v1alpha1", "# a custom resource takes no strategic merge patch: edit its "
                                 "YAML instead\n"},
        {"apps/v1", ""},
        {"apps/v1.1", ""},
        {"v1", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct cf_node *object = cf_node_new(&arena, CF_MAP, (struct cf_place){0});
        struct cf_out out = {0};

        cf_node_put(object, KP_TEXT("apiVersion"),
                    cf_node_string(&arena, kp_text_of(rows[i].version)));
        cf_manifest_put_fixed(&out, KP_TEXT("Rollout"), object);
        CHECK_TEXT(cf_out_text(&out), kp_text_of(rows[i].says));
        cf_out_deinit(&out);
        cf_arena_deinit(&arena);
    }
}

/* What stands there in the place of a pod, and what was meant. */
static void what_is_no_pod_is_named(void)
{
#define NO_POD "no pod and no pod template in it"
#define OF_KIND(kind) NO_POD ", but kind \"" kind "\""
#define MEANT(kind, meant) "apiVersion: v1\nkind: " kind, OF_KIND(kind) "; did you mean " meant "?"
    static const char *const rows[][2] = {
        {"", NO_POD},
        {"apiVersion: v1\nkind: Service", OF_KIND("Service")},
        {"apiVersion: v1\nkind: Service\n---\napiVersion: v1\nkind: Pot", OF_KIND("Service")},
        {"apiVersion: serving.knative.dev/v1\nkind: Service\nspec: {template: {spec: {containers: "
         "[]}}}",
         OF_KIND("Service") " of Knative, whose proxy does the probing; ask about a pod of it: "
                            "`kubectl get pod NAME -o yaml`"},
        {"apiVersion: serving.knative.dev/v1\nkind: Revision\nspec: {template: {spec: {containers: "
         "[]}}}",
         OF_KIND("Revision")},
        {"apiVersion: apps/v1.1\nkind: Rollout\nspec: {template: {spec: {containers: []}}}",
         OF_KIND("Rollout")},
        {"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization",
         OF_KIND("Kustomization") "; pipe `kubectl kustomize DIR | probetest COMMAND -`"},
        {MEANT("pod", "Pod")},
        {MEANT("deployment", "Deployment")},
        {MEANT("replicaSet", "ReplicaSet")},
        {MEANT("ReplicationControler", "ReplicationController")},
        {MEANT("Daemonset", "DaemonSet")},
        {MEANT("Statefulset", "StatefulSet")},
        {MEANT("Jobs", "Job")},
        {MEANT("Cronjob", "CronJob")},
        {MEANT("podTemplate", "PodTemplate")},
    };
#undef MEANT
#undef OF_KIND
#undef NO_POD

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_manifest manifest;
        struct cf_arena arena;

        if (CHECK_INT(read_at(&arena, "1.36", rows[i][0], &manifest), KP_EINPUT))
            CHECK_TEXT(manifest.faults[0].text, kp_text_of(rows[i][1]));
        cf_arena_deinit(&arena);
    }
}

const struct unit_test manifest_objects_test[] = {
    {"metadata may be null", metadata_may_be_null},
    {"each unknown field is reported", each_unknown_field_is_reported},
    {"who to change instead is named", who_to_change_instead_is_named},
    {"a custom resource takes no patch", a_custom_resource_takes_no_patch},
    {"what is no pod is named", what_is_no_pod_is_named},
    {"presets go into each pod", presets_go_into_each_pod},
    {"a preset that is gone is reported all the same",
     a_preset_that_is_gone_is_reported_all_the_same},
    {"a file without a pod is empty", a_file_without_a_pod_is_empty},
    {"kubectl names the first unknown field", kubectl_names_the_first_unknown_field},
    {"names of pods differ as their templates do", names_of_pods_differ_as_their_templates_do},
    {"templates are maps", templates_are_maps},
    {0},
};
