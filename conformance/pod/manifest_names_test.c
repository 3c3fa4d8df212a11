/* manifest_names_test.c: which pods a name means, and how those of one name are told apart. */
#include "conformance/pod/manifest_names.h"
#include "fakes/unit.h"

#define SPEC "{containers: [{name: c, image: i}]}"
#define POD "apiVersion: v1\nkind: Pod\nmetadata: "

/* Two pods and a set of one name, in three namespaces, of which one is not said; and a namesake in
 * the same namespace. */
static const char file[] =
    POD "{name: a, namespace: x}\nspec: " SPEC "\n---\n" POD "{name: a}\nspec: " SPEC "\n---\n"
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a, "
        "namespace: z}\nspec: {template: {metadata: {labels: {a: b}}, spec: " SPEC "}}\n---\n"
        "apiVersion: v1\nkind: PodTemplate\nmetadata: {name: b, "
        "namespace: x}\ntemplate: {spec: " SPEC "}\n---\n" POD
        "{name: b, namespace: x}\nspec: " SPEC "\n";

static void those_of_one_name_have_their_namespace(void)
{
    static const char *const objects[] = {"x/a", "default/a", "z/a", "b", "b"};
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct kp_profile profile = unit_profile("1.36");
    struct cf_manifest manifest;

    CHECK_INT(cf_manifest_read(&arena, &profile, "file", kp_text_of(file), &manifest), KP_OK);
    CHECK_INT(manifest.pod_count, 5);
    for (size_t i = 0; i < manifest.pod_count; i++)
        CHECK_TEXT(manifest.pods[i].object, kp_text_of(objects[i]));
    cf_arena_deinit(&arena);
}

/* Who stands first or last, and who has no name. */
static void only_those_of_one_name_have_it(void)
{
    static const struct {
        const char *name;
        const char *space;
    } pods[][3] = {{{"b", "x"}, {"a", "x"}, {"a", "z"}},
                   {{"a", "x"}, {"b", "z"}, {"c", "x"}},
                   {{"", "x"}, {"", "z"}, {"a", "x"}},
                   {{"", "x"}, {"a", "x"}, {"a", "z"}},
                   {{"a", "x"}, {"a", "x"}, {"a", "x"}}};
    static const char *const objects[][3] = {
        {"b", "x/a", "z/a"}, {"a", "b", "c"}, {"", "", "a"}, {"", "x/a", "z/a"}, {"a", "a", "a"}};

    for (size_t i = 0; i < sizeof pods / sizeof pods[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_profile profile = unit_profile("1.36");
        struct cf_manifest manifest;
        struct kp_text text = KP_TEXT("");

        for (size_t k = 0; k < 3; k++)
            text = cf_arena_format(
                &arena,
                "%s" POD "{name: '%s', generateName: g, namespace: %s}\nspec: " SPEC "\n---\n",
                text.bytes, pods[i][k].name, pods[i][k].space);
        CHECK_INT(cf_manifest_read(&arena, &profile, "file", text, &manifest), KP_OK);
        for (size_t k = 0; k < 3; k++)
            CHECK_TEXT(manifest.pods[k].object, kp_text_of(objects[i][k]));
        cf_arena_deinit(&arena);
    }
}

/* By its own name, by its holder's, and by either behind its namespace. */
static void a_name_means_all_that_have_it(void)
{
    static const struct {
        const char *name;
        unsigned means; /* a bit each */
    } rows[] = {
        {NULL, 037},   {"a", 07},    {"x/a", 01},  {"default/a", 02}, {"z/a", 04}, {"a-0", 04},
        {"z/a-0", 04}, {"x/a-0", 0}, {"b", 030},   {"x/b", 030},      {"z/b", 0},  {"/a", 0},
        {"x/", 0},     {"x", 0},     {"x/x/a", 0}, {"w/a", 0},        {"", 0},     {"a/x", 0},
    };
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct kp_profile profile = unit_profile("1.36");
    struct cf_manifest manifest;

    CHECK_INT(cf_manifest_read(&arena, &profile, "file", kp_text_of(file), &manifest), KP_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t count = 0;

        for (size_t k = 0; k < manifest.pod_count; k++) {
            CHECK_INT(cf_manifest_pod_is_called(&manifest.pods[k], rows[i].name),
                      rows[i].means >> k & 1);
            count += rows[i].means >> k & 1;
        }
        CHECK_INT(cf_manifest_count(&manifest, rows[i].name), count);
    }
    cf_arena_deinit(&arena);
}

static void a_pod_alone_goes_by_its_name_and_namespace(void)
{
    const struct kp_pod pod = {.name = KP_TEXT("p"), .namespace_ = KP_TEXT("n")};
    const struct kp_pod plain = {.name = KP_TEXT("p")};

    CHECK(cf_pod_is_called(&pod, NULL) && cf_pod_is_called(&pod, "p"));
    CHECK(cf_pod_is_called(&pod, "n/p") && !cf_pod_is_called(&pod, "m/p"));
    CHECK(!cf_pod_is_called(&pod, "n/q") && !cf_pod_is_called(&pod, "n"));
    CHECK(cf_pod_is_called(&plain, "p") && cf_pod_is_called(&plain, "default/p"));
    CHECK(!cf_pod_is_called(&plain, "n/p"));
}

/* One that is broken is passed over where another one is asked for. */
static void who_is_not_asked_for_is_passed_over(void)
{
    static const char broken[] = POD "{name: a, namespace: x}\nspec: {foo: 1}\n---\n" POD
                                     "{name: a, namespace: z}\nspec: " SPEC "\n";
    static const struct {
        const char *only;
        enum kp_err err;
    } rows[] = {{NULL, KP_EINPUT},    {"a", KP_EINPUT}, {"x/a", KP_EINPUT},
                {"x/a-1", KP_EINPUT}, {"x/ab", KP_OK},  {"z/a", KP_OK},
                {"z/a-1", KP_OK},     {"x/", KP_OK},    {"x/b", KP_OK}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_profile profile = unit_profile("1.36");
        struct cf_manifest manifest;

        CHECK_INT(cf_manifest_read_only(&arena, &profile, "file", kp_text_of(broken), rows[i].only,
                                        &manifest),
                  rows[i].err);
        cf_arena_deinit(&arena);
    }
}

const struct unit_test manifest_names_test[] = {
    {"those of one name have their namespace", those_of_one_name_have_their_namespace},
    {"only those of one name have it", only_those_of_one_name_have_it},
    {"a name means all that have it", a_name_means_all_that_have_it},
    {"a pod alone goes by its name and namespace", a_pod_alone_goes_by_its_name_and_namespace},
    {"who is not asked for is passed over", who_is_not_asked_for_is_passed_over},
    {0},
};
