#include "conformance/pod/pod_tree.h"
#include "conformance/text/yaml.h"
#include "fakes/unit.h"

struct fixture {
    struct cf_arena arena;
    struct kp_profile profile;
    struct cf_pod pod;
};

static const struct cf_pod *decode(struct fixture *fixture, const char *version, const char *yaml)
{
    *fixture = (struct fixture){.arena = {.mem = cf_libc_mem()}};
    CHECK_INT(kp_profile_init(&fixture->profile, kp_text_of(version)), KP_OK);
    CHECK_INT(
        cf_pod_decode_yaml(&fixture->arena, &fixture->profile, kp_text_of(yaml), &fixture->pod),
        KP_OK);
    return &fixture->pod;
}

/* What a server says from 1.25 on (V-041); kubectl's own checks are manifest.c's. */
static void warnings_come_from_1_25_on(void)
{
    static const char yaml[] = "metadata: {name: a, name: b}\nspec: {foo: 1}\n";
    struct fixture fixture;

    CHECK_INT(decode(&fixture, "1.25", yaml)->warning_count, 2);
    cf_arena_deinit(&fixture.arena);
    CHECK_INT(decode(&fixture, "1.24", yaml)->warning_count, 0);
    cf_arena_deinit(&fixture.arena);
}

/* A field that comes later is known as that, however near to it is one that is there. */
static void a_later_field_is_not_taken_for_another(void)
{
    struct fixture fixture;
    const struct cf_pod *pod = decode(&fixture, "1.27", "status: {hostIPs: []}");

    if (CHECK_INT(pod->warning_count, 1)) {
        CHECK(pod->warnings[0].meant == NULL);
        CHECK_INT(pod->warnings[0].since, 28);
    }
    cf_arena_deinit(&fixture.arena);
}

/* What was a label and is an annotation is an update. */
static void labels_and_annotations_are_two(void)
{
    static const char *const rows[] = {"metadata: {labels: {a: b}, annotations: {c: d}}",
                                       "metadata: {labels: {c: d}, annotations: {a: b}}"};
    uint64_t hashes[2];

    for (size_t i = 0; i < 2; i++) {
        struct fixture fixture;

        hashes[i] = decode(&fixture, "1.36", rows[i])->pod->object_hash;
        cf_arena_deinit(&fixture.arena);
    }
    CHECK(hashes[0] != hashes[1]);
}

static void false_is_false(void)
{
    static const char *const rows[] = {"spec: {hostNetwork: false}", "spec: {hostNetwork: true}",
                                       "spec: {hostNetwork: null}"};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        CHECK_INT(decode(&fixture, "1.36", rows[i])->pod->host_network, i == 1);
        cf_arena_deinit(&fixture.arena);
    }
}

/* Where the gate of sleep hooks is off, 1.29 leaves a lifecycle that was empty anyway. */
static void an_empty_lifecycle_stays_in_1_29(void)
{
    static const char yaml[] = "spec: {initContainers: [{name: a, lifecycle: {}}]}";
    struct fixture fixture;

    CHECK(decode(&fixture, "1.29", yaml)->pod->containers[0].has_lifecycle);
    cf_arena_deinit(&fixture.arena);
    CHECK(decode(&fixture, "1.28", yaml)->pod->containers[0].has_lifecycle);
    cf_arena_deinit(&fixture.arena);
}

/* A pod has one name and one namespace, whatever its template says. */
static void a_templates_names_are_its_objects(void)
{
    static const char yaml[] = "metadata: {name: own, namespace: own}\nspec: {}\n";
    struct fixture fixture = {.arena = {.mem = cf_libc_mem()}};
    struct kp_text documents = kp_text_of(yaml);
    struct cf_fault fault;
    struct cf_node *list;
    const struct cf_node *metadata;

    CHECK_INT(kp_profile_init(&fixture.profile, KP_TEXT("1.36")), KP_OK);
    CHECK_INT(cf_yaml_parse(&fixture.arena, documents, (struct cf_yaml_options){0}, &list, &fault),
              KP_OK);
    CHECK_INT(cf_pod_decode_template(&fixture.arena, &fixture.profile, list->first,
                                     KP_TEXT("spec.template"), KP_TEXT("web-1"), KP_TEXT("ns"),
                                     &fixture.pod),
              KP_OK);
    metadata = cf_node_find(fixture.pod.tree, "metadata");
    CHECK_INT(metadata->count, 2);
    CHECK_TEXT(cf_node_text(metadata, "name"), KP_TEXT("web-1"));
    CHECK_TEXT(cf_node_text(metadata, "namespace"), KP_TEXT("ns"));
    CHECK_TEXT(fixture.pod.pod->name, KP_TEXT("web-1"));
    cf_arena_deinit(&fixture.arena);
}

/* What stands behind the first document is not looked at. */
static void the_first_document_counts(void)
{
    struct fixture fixture;
    const struct cf_pod *pod = decode(&fixture, "1.36", "metadata: {name: a}\n---\nspec: [\n");

    if (CHECK(pod->pod != NULL))
        CHECK_TEXT(pod->pod->name, KP_TEXT("a"));
    cf_arena_deinit(&fixture.arena);
}

static void a_status_has_its_start_and_conditions(void)
{
    static const char yaml[] = "status: {startTime: 1970-01-01T00:00:02Z, conditions: [{type: a, "
                               "status: Unknown}, {type: b, status: \"False\"}, {type: c}]}";
    struct fixture fixture;
    const struct kp_pod_status *status = decode(&fixture, "1.36", yaml)->pod->status;

    CHECK(status->has_start);
    CHECK_INT(status->start_ns, 2000000000);
    CHECK_INT(status->conditions[0].status, KP_CONDITION_UNKNOWN);
    CHECK_INT(status->conditions[1].status, KP_CONDITION_FALSE);
    CHECK_INT(status->conditions[2].status, KP_CONDITION_UNKNOWN);
    cf_arena_deinit(&fixture.arena);
    CHECK(decode(&fixture, "1.36", "status: {}")->pod->status != NULL);
    cf_arena_deinit(&fixture.arena);
}

const struct unit_test pod_load_test[] = {
    {"a status has its start and conditions", a_status_has_its_start_and_conditions},
    {"a template's names are its object's", a_templates_names_are_its_objects},
    {"the first document counts", the_first_document_counts},
    {"an empty lifecycle stays in 1.29", an_empty_lifecycle_stays_in_1_29},
    {"warnings come from 1.25 on", warnings_come_from_1_25_on},
    {"a later field is not taken for another", a_later_field_is_not_taken_for_another},
    {"labels and annotations are two", labels_and_annotations_are_two},
    {"false is false", false_is_false},
    {0},
};
