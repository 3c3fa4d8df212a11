#include "conformance/pod/podpreset.h"
#include "conformance/text/yaml.h"
#include "fakes/unit.h"

struct fixture {
    struct cf_arena arena;
    struct kp_profile profile;
    struct cf_pod pod;
    struct cf_podpreset_outcome outcome;
};

static void apply(struct fixture *fixture, const char *version, const char *pod,
                  const char *presets)
{
    struct cf_node *documents;
    struct cf_fault fault;

    fixture->arena = (struct cf_arena){.mem = cf_libc_mem()};
    CHECK_INT(kp_profile_init(&fixture->profile, kp_text_of(version)), KP_OK);
    CHECK_INT(
        cf_pod_decode_yaml(&fixture->arena, &fixture->profile, kp_text_of(pod), &fixture->pod),
        KP_OK);
    CHECK_INT(cf_pod_default(&fixture->arena, &fixture->profile, &fixture->pod), KP_OK);
    CHECK_INT(cf_yaml_parse(&fixture->arena, kp_text_of(presets), (struct cf_yaml_options){0},
                            &documents, &fault),
              KP_OK);
    CHECK_INT(cf_podpreset_apply(&fixture->arena, &fixture->profile, documents, &fixture->pod,
                                 &fixture->outcome),
              KP_OK);
}

#define POD "metadata: {name: a, labels: {app: web}}\n" SPEC
#define SPEC                                                                                       \
    "spec:\n"                                                                                      \
    "  initContainers: [{name: i, image: x}]\n"                                                    \
    "  containers:\n"                                                                              \
    "  - {name: c, image: x, env: [{name: A, value: own}], volumeMounts: [{name: x, mountPath: "   \
    "/x}], livenessProbe: {exec: {command: "                                                       \
    "[x]}}}\n"
#define GENERATED "metadata: {generateName: w-}\n" SPEC
#define PRESET(name, spec)                                                                         \
    "---\nmetadata: {name: " name ", resourceVersion: \"77\"}\nspec: " spec "\n"

/* not by plugin, annotation, or namespace; A-002: by selector. */
static void who_gets_a_preset(void)
{
    static const struct {
        const char *version;
        const char *pod;
        const char *spec;
        size_t matched;
    } rows[] = {
        {"1.19", POD, PRESET("p", "{env: [{name: B, value: b}]}"), 1},
        {"1.20", POD, PRESET("p", "{env: [{name: B, value: b}]}"), 0},
        {"1.15", POD, PRESET("p", "{selector: {matchLabels: {app: web}}}"), 1},
        {"1.15", POD, PRESET("p", "{selector: {matchLabels: {app: db}}}"), 0},
        {"1.15", POD,
         PRESET("p", "{selector: {matchExpressions: [{key: app, operator: In, values: [web]}]}}"),
         1},
        {"1.15", POD,
         PRESET("p", "{selector: {matchExpressions: [{key: app, operator: DoesNotExist}]}}"), 0},
        {"1.15", POD,
         PRESET("p", "{selector: {matchExpressions: [{key: x, operator: NotIn, values: [web]}]}}"),
         1},
        {"1.15", "metadata: {annotations: {podpreset.admission.kubernetes.io/exclude: \"true\"}}",
         PRESET("p", "{}"), 0},
        {"1.15", "metadata: {annotations: {podpreset.admission.kubernetes.io/exclude: \"True\"}}",
         PRESET("p", "{}"), 1},
        {"1.15", "metadata: {annotations: {kubernetes.io/config.mirror: x}}", PRESET("p", "{}"), 0},
        {"1.15", "metadata: {annotations: {kubernetes.io/config.mirror: \"\"}}", PRESET("p", "{}"),
         0},
        {"1.15", "metadata: {namespace: default}", PRESET("p", "{}"), 1},
        {"1.15", "metadata: {namespace: other}", PRESET("p", "{}"), 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        apply(&fixture, rows[i].version, rows[i].pod, rows[i].spec);
        if (!CHECK_INT(fixture.outcome.matched, rows[i].matched))
            CHECK_STRING(rows[i].spec, "");
        CHECK_INT(fixture.outcome.applied, rows[i].matched > 0);
        CHECK(!fixture.outcome.bad_preset);
        cf_arena_deinit(&fixture.arena);
    }
}

static struct kp_text json_of(struct fixture *fixture, const char *list, const char *field)
{
    const struct cf_node *spec = cf_node_find(fixture->pod.tree, "spec");
    const struct cf_node *found = cf_node_find(cf_node_at(cf_node_find(spec, list), 0), field);

    return found ? cf_node_json(&fixture->arena, found) : KP_TEXT("none");
}

/* */
static void presets_are_merged_into_every_container(void)
{
    struct fixture fixture;
    const struct kp_container *container;

    apply(&fixture, "1.19", POD,
          PRESET("p", "{env: [{name: A, value: own}, {name: B, value: b}], envFrom: "
                      "[{configMapRef: {name: m}}], volumeMounts: [{name: v, mountPath: /v}], "
                      "volumes: [{name: v}]}") PRESET("pre", "{env: [{name: C, value: c}]}"));
    CHECK(fixture.outcome.applied);
    CHECK_INT(fixture.outcome.matched, 2);
    CHECK_TEXT(fixture.outcome.names, KP_TEXT("p,pre"));
    CHECK_TEXT(json_of(&fixture, "containers", "env"),
               KP_TEXT("[{\"name\":\"A\",\"value\":\"own\"},{\"name\":\"B\",\"value\":\"b\"},"
                       "{\"name\":\"C\",\"value\":\"c\"}]"));
    CHECK_TEXT(json_of(&fixture, "initContainers", "volumeMounts"),
               KP_TEXT("[{\"name\":\"v\",\"mountPath\":\"/v\"}]"));
    CHECK_TEXT(json_of(&fixture, "initContainers", "envFrom"),
               KP_TEXT("[{\"configMapRef\":{\"name\":\"m\"}}]"));
    CHECK_TEXT(cf_node_json(&fixture.arena,
                            cf_node_find(cf_node_find(fixture.pod.tree, "spec"), "volumes")),
               KP_TEXT("[{\"name\":\"v\",\"emptyDir\":{}}]"));
    CHECK_TEXT(cf_node_json(&fixture.arena, cf_node_find(cf_node_find(fixture.pod.tree, "metadata"),
                                                         "annotations")),
               KP_TEXT("{\"podpreset.admission.kubernetes.io/podpreset-p\":\"77\","
                       "\"podpreset.admission.kubernetes.io/podpreset-pre\":\"77\"}"));
    container = &fixture.pod.pod->containers[1];
    CHECK_INT(container->env_count, 3);
    CHECK(container->probes[KP_LIVENESS] != NULL);
    cf_arena_deinit(&fixture.arena);
}

/* Presets that differ from what is there say so in a line; volumes, which come first, stay out too.
 * */
static void a_conflict_leaves_the_pod_as_it_was(void)
{
    static const struct {
        const char *presets;
        const char *error;
    } rows[] = {
        {PRESET("p", "{env: [{name: A, value: other}], volumes: [{name: v}]}"),
         "p on pod: w- err: merging env for p has a conflict on A: ..."},
        {PRESET("p", "{env: [{name: A, value: b}]}") PRESET("pre", "{env: [{name: A, value: c}]}"),
         "p,pre on pod: w- err: [merging env for p has a conflict on A: ..., merging env for pre "
         "has a conflict on A: ..., merging env for pre has a conflict on A: ...]"},
        {PRESET("p", "{env: [{name: B, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}")
             PRESET("q", "{env: [{name: B, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]}"),
         "p,q on pod: w- err: [merging env for q has a conflict on B: ..., merging env for q has a "
         "conflict on B: ...]"},
        {PRESET("p", "{volumeMounts: [{name: v, mountPath: /x}]}"),
         "p on pod: w- err: merging volume mounts for p has a conflict on mount path /x: ..."},
        {PRESET("p", "{volumeMounts: [{name: v, mountPath: /v}]}")
             PRESET("q", "{volumeMounts: [{name: w, mountPath: /v}]}"),
         "p,q on pod: w- err: [merging volume mounts for q has a conflict on mount path /v: ..., "
         "merging volume mounts for q has a conflict on mount path /v: ...]"},
        {PRESET("p", "{volumeMounts: [{name: x, mountPath: /y}]}")
             PRESET("q", "{volumeMounts: [{name: z, mountPath: /y}]}"),
         "p,q on pod: w- err: [merging volume mounts for p has a conflict on x: ..., merging "
         "volume "
         "mounts for q has a conflict on mount path /y: ..., merging volume mounts for q has a "
         "conflict on mount path /y: ...]"},
        {PRESET("p", "{volumes: [{name: v}, {name: v, hostPath: {path: /}}]}"),
         "p on pod: w- err: merging volumes for p has a conflict on v: ..."},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        apply(&fixture, "1.18", GENERATED, rows[i].presets);
        CHECK(!fixture.outcome.applied);
        CHECK_TEXT(fixture.outcome.log,
                   cf_arena_format(&fixture.arena,
                                   "conflict occurred while applying podpresets: %s",
                                   rows[i].error));
        CHECK(cf_node_find(cf_node_find(fixture.pod.tree, "spec"), "volumes") == NULL);
        CHECK_INT(fixture.pod.pod->containers[1].env_count, 1);
        CHECK(cf_node_find(cf_node_find(fixture.pod.tree, "metadata"), "annotations") == NULL);
        cf_arena_deinit(&fixture.arena);
    }
}

/* What A-004 leaves out: envFrom is not checked, and fails where nobody looks. */
static void sources_that_differ_vanish(void)
{
    struct fixture fixture;

    apply(&fixture, "1.19",
          "spec: {containers: [{name: c, image: x, envFrom: [{configMapRef: {name: m}}]}]}",
          PRESET("p", "{envFrom: [{configMapRef: {name: m}}, {secretRef: {name: s}}]}"));
    CHECK_TEXT(json_of(&fixture, "containers", "envFrom"),
               KP_TEXT("[{\"configMapRef\":{\"name\":\"m\"}},{\"secretRef\":{\"name\":\"s\"}}]"));
    cf_arena_deinit(&fixture.arena);
    apply(&fixture, "1.19",
          "spec: {containers: [{name: c, image: x, envFrom: [{configMapRef: {name: m}}]}]}",
          PRESET("p", "{envFrom: [{configMapRef: {name: m}, prefix: P}]}"));
    CHECK_TEXT(json_of(&fixture, "containers", "envFrom"),
               KP_TEXT("[{\"configMapRef\":{\"name\":\"m\"}},{\"configMapRef\":{\"name\":\"m\"},"
                       "\"prefix\":\"P\"}]"));
    cf_arena_deinit(&fixture.arena);
    apply(&fixture, "1.19",
          "spec: {containers: [{name: c, image: x, envFrom: [{configMapRef: {name: m}}]}]}",
          PRESET("p", "{envFrom: [{configMapRef: {name: m, optional: true}}]}"));
    CHECK(fixture.outcome.applied);
    CHECK_TEXT(json_of(&fixture, "containers", "envFrom"), KP_TEXT("none"));
    cf_arena_deinit(&fixture.arena);
    /* What one preset spoils no later one mends. */
    apply(&fixture, "1.19",
          "spec: {containers: [{name: c, image: x, envFrom: [{configMapRef: {name: m}}]}]}",
          PRESET("p", "{envFrom: [{configMapRef: {name: m, optional: true}}]}")
              PRESET("q", "{envFrom: [{secretRef: {name: s}}]}"));
    CHECK_TEXT(json_of(&fixture, "containers", "envFrom"), KP_TEXT("none"));
    cf_arena_deinit(&fixture.arena);
    /* They are held against the container's own, not against one another. */
    apply(&fixture, "1.19", "spec: {containers: [{name: c, image: x}]}",
          PRESET("p", "{envFrom: [{secretRef: {name: s}}]}")
              PRESET("q", "{envFrom: [{secretRef: {name: s}}]}"));
    CHECK_TEXT(json_of(&fixture, "containers", "envFrom"),
               KP_TEXT("[{\"secretRef\":{\"name\":\"s\"}},{\"secretRef\":{\"name\":\"s\"}}]"));
    cf_arena_deinit(&fixture.arena);
    /* Secrets are told apart by their names, too. */
    apply(&fixture, "1.19",
          "spec: {containers: [{name: c, image: x, envFrom: [{secretRef: {name: s}}]}]}",
          PRESET("p", "{envFrom: [{secretRef: {name: t}}]}"));
    CHECK_TEXT(json_of(&fixture, "containers", "envFrom"),
               KP_TEXT("[{\"secretRef\":{\"name\":\"s\"}},{\"secretRef\":{\"name\":\"t\"}}]"));
    cf_arena_deinit(&fixture.arena);
    /* A secret is no config map, whatever it is called. */
    apply(&fixture, "1.19",
          "spec: {containers: [{name: c, image: x, envFrom: [{configMapRef: {name: m}}]}]}",
          PRESET("p", "{envFrom: [{secretRef: {name: m}}]}"));
    CHECK_TEXT(json_of(&fixture, "containers", "envFrom"),
               KP_TEXT("[{\"configMapRef\":{\"name\":\"m\"}},{\"secretRef\":{\"name\":\"m\"}}]"));
    cf_arena_deinit(&fixture.arena);
    /* Of two that the container has the last is the one that counts. */
    apply(&fixture, "1.19",
          "spec: {containers: [{name: c, image: x, envFrom: [{configMapRef: {name: m}}, "
          "{configMapRef: {name: m, optional: true}}]}]}",
          PRESET("p", "{envFrom: [{configMapRef: {name: m, optional: true}}]}"));
    CHECK_TEXT(json_of(&fixture, "containers", "envFrom"),
               KP_TEXT("[{\"configMapRef\":{\"name\":\"m\"}},{\"configMapRef\":{\"name\":\"m\","
                       "\"optional\":true}}]"));
    cf_arena_deinit(&fixture.arena);
    /* What another preset brought counts for none. */
    apply(&fixture, "1.19", "spec: {containers: [{name: c, image: x}]}",
          PRESET("p", "{envFrom: [{secretRef: {name: s}}]}")
              PRESET("q", "{envFrom: [{secretRef: {name: s, optional: true}}]}"));
    CHECK_TEXT(json_of(&fixture, "containers", "envFrom"),
               KP_TEXT("[{\"secretRef\":{\"name\":\"s\"}},{\"secretRef\":{\"name\":\"s\","
                       "\"optional\":true}}]"));
    cf_arena_deinit(&fixture.arena);
}

static void a_preset_that_is_none_is_said(void)
{
    struct fixture fixture;

    apply(&fixture, "1.19", POD,
          PRESET("o", "{env: [{name: B, value: b}]}") PRESET("p", "{env: 5}"));
    CHECK(fixture.outcome.bad_preset && !fixture.outcome.applied);
    CHECK_TEXT(fixture.outcome.fault.message,
               KP_TEXT("json: cannot unmarshal number into Go struct field PodPresetSpec.spec.env "
                       "of type []v1.EnvVar"));
    cf_arena_deinit(&fixture.arena);
}

#define V1ALPHA1 "apiVersion: settings.k8s.io/v1alpha1\nkind: PodPreset\n"
#define NAMED V1ALPHA1 "metadata: {name: p}\n"

static void what_the_server_would_not_take_is_said(void)
{
    static const struct {
        const char *version;
        const char *preset;
        const char *fault; /* "line:column text"; empty: none */
    } rows[] = {
        {"1.15", NAMED "spec: {env: [{name: A}]}\n", ""},
        {"1.19",
         NAMED "spec: {volumes: [], selector: {matchExpressions: [{key: a, operator: Exists}]}}\n",
         ""},
        {"1.15", NAMED "spec: {volumeMounts: [{name: v, mountPath: /v}]}\n", ""},
        {"1.20", NAMED "spec: {env: [{name: A}]}\n",
         "1:1 no matches for kind \"PodPreset\" in version \"settings.k8s.io/v1alpha1\""},
        {"1.19", "apiVersion: v1\nkind: PodPreset\n",
         "1:1 no matches for kind \"PodPreset\" in version \"v1\""},
        {"1.19", "kind: PodPreset\napiVersion: v1\n",
         "2:1 no matches for kind \"PodPreset\" in version \"v1\""},
        {"1.19", V1ALPHA1 "spec: {env: [{name: A}]}\n",
         "1:1 metadata.name: Required value: name or generateName is required"},
        {"1.19", NAMED "spec: {}\n",
         "4:1 spec.volumes.env.envFrom.volumeMounts: Required value: must specify at least one"},
        {"1.19", NAMED "spec: {env: [{name: A}], more: 1}\n", "4:26 unknown field \"spec.more\""},
        {"1.19", NAMED "spec: {env: [{name: A}], selector: []}\n",
         "4:36 json: cannot unmarshal array into Go struct field PodPresetSpec.spec.selector of "
         "type v1.LabelSelector"},
        {"1.19",
         NAMED "spec: {env: [{name: A}], selector: {matchExpressions: [{key: a, operator: In}]}}\n",
         "4:56 spec.selector.matchExpressions[0].values: Required value: must be specified when "
         "`operator` is 'In' or 'NotIn'"},
        {"1.19",
         NAMED "spec: {env: [{name: A}], selector: {matchExpressions: [{key: a, operator: "
               "Exists},\n {key: a, operator: NotIn}]}}\n",
         "5:2 spec.selector.matchExpressions[1].values: Required value: must be specified when "
         "`operator` is 'In' or 'NotIn'"},
        {"1.19",
         NAMED "spec: {env: [{name: A}], selector: {matchExpressions: [{key: a, operator: Exists, "
               "values: [b]}]}}\n",
         "4:83 spec.selector.matchExpressions[0].values: Forbidden: may not be specified when "
         "`operator` is 'Exists' or 'DoesNotExist'"},
        {"1.19",
         NAMED "spec: {env: [{name: A}], selector: {matchExpressions: [{key: a, operator: "
               "in}]}}\n",
         "4:65 spec.selector.matchExpressions[0].operator: Invalid value: \"in\": not a valid "
         "selector operator"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_text got = KP_TEXT("");
        struct kp_profile profile = unit_profile(rows[i].version);
        struct cf_node *documents;
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct cf_fault fault;

        CHECK_INT(cf_yaml_parse(&arena, kp_text_of(rows[i].preset), (struct cf_yaml_options){0},
                                &documents, &fault),
                  KP_OK);
        if (!cf_podpreset_check(&arena, &profile, documents->first, &fault))
            got = cf_arena_format(&arena, "%d:%d %.*s", fault.at.line, fault.at.column,
                                  KP_ARG(fault.go_text));
        CHECK_TEXT(got, kp_text_of(rows[i].fault));
        cf_arena_deinit(&arena);
    }
}

const struct unit_test podpreset_test[] = {
    {"who gets a preset", who_gets_a_preset},
    {"presets are merged into every container", presets_are_merged_into_every_container},
    {"a conflict leaves the pod as it was", a_conflict_leaves_the_pod_as_it_was},
    {"sources that differ vanish", sources_that_differ_vanish},
    {"a preset that is none is said", a_preset_that_is_none_is_said},
    {"what the server would not take is said", what_the_server_would_not_take_is_said},
    {0},
};
