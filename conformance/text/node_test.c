#include "conformance/text/json.h"
#include "fakes/unit.h"

static struct cf_node *member(struct cf_arena *arena, struct cf_node *map, const char *key,
                              struct cf_node *value, int line)
{
    cf_node_put(map, kp_text_of(key), value);
    value->key_at = (struct cf_place){line, 1};
    (void)arena;
    return value;
}

static void a_path_leads_to_its_place_or_to_the_nearest_parent(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_node *root;
    struct cf_node *list;
    struct cf_node *item;

    root = cf_node_new(&arena, CF_MAP, (struct cf_place){1, 1});
    list = member(&arena, root, "spec", cf_node_new(&arena, CF_MAP, (struct cf_place){2, 3}), 2);
    list = member(&arena, list, "containers", cf_node_new(&arena, CF_LIST, (struct cf_place){3, 3}),
                  3);
    item = cf_node_new(&arena, CF_MAP, (struct cf_place){4, 5});
    cf_node_append(list, item);
    member(&arena, item, "name", cf_node_string(&arena, KP_TEXT("a")), 5);
    CHECK_INT(cf_node_place(root, KP_TEXT("spec.containers[0].name")).line, 5);
    CHECK_INT(cf_node_place(root, KP_TEXT("spec.containers[0].image.x")).line, 4);
    CHECK_INT(cf_node_place(root, KP_TEXT("spec.containers[1].name")).line, 3);
    CHECK_INT(cf_node_place(root, KP_TEXT("metadata.name")).line, 1);
    cf_arena_deinit(&arena);
}

static void a_path_goes_on_behind_a_bracket(void)
{
    static const char *const rows[][2] = {
        {"m[0][1]", "2"}, {"m[1].k", "3"}, {"l[a.b/c]", "4"}, {"m[0][2]", NULL}, {"m[k]", NULL},
        {"m[-1]", NULL},  {"m.k", NULL},   {"l[a.b/c", "4"},  {"s[0]", NULL},    {"s", "5"},
    };
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_fault fault;
    struct cf_node *root;

    CHECK_INT(cf_json_parse(
                  &arena, KP_TEXT("{\"m\": [[1, 2], {\"k\": 3}], \"l\": {\"a.b/c\": 4}, \"s\": 5}"),
                  &root, &fault),
              KP_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cf_node *found = cf_node_follow(root, kp_text_of(rows[i][0]));

        CHECK_INT(found != NULL, rows[i][1] != NULL);
        if (found && rows[i][1])
            CHECK_TEXT(found->text, kp_text_of(rows[i][1]));
    }
    cf_arena_deinit(&arena);
}

/* As Go compares strings. */
static void members_have_an_order(void)
{
    static const struct {
        struct kp_text a;
        struct kp_text b;
        int order;
    } rows[] = {
        {{"", 0}, {"", 0}, 0},     {{"", 0}, {"a", 1}, -1},          {{"a", 1}, {"a", 1}, 0},
        {{"a", 1}, {"b", 1}, -1},  {{"ab", 2}, {"b", 1}, -1},        {{"az", 1}, {"ab", 2}, -1},
        {{"aa", 2}, {"az", 1}, 1}, {{"a\x7f", 2}, {"a\x80", 2}, -1}, {{NULL, 0}, {"a", 1}, -1},
        {{"ax", 1}, {"ay", 1}, 0}, {{"aa", 2}, {"az", 2}, -1},       {{"abcd", 4}, {"abca", 4}, 1},
        {{"ba", 2}, {"ab", 2}, 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_node a = {.key = rows[i].a, .text = rows[i].b};
        struct cf_node b = {.key = rows[i].b, .text = rows[i].a};
        int there = cf_node_order(&a, &b);
        int back = cf_node_order(&b, &a);

        CHECK_INT((there > 0) - (there < 0), rows[i].order);
        CHECK_INT((back > 0) - (back < 0), -rows[i].order);
    }
}

/* Of many members each one that repeats an earlier one, and no other, is marked. */
static void repeats_are_marked(void)
{
    static const char *const rows[][2] = {
        {"", ""},
        {"a", "."},
        {"aa", ".!"},
        {"ab", ".."},
        {"aba", "..!"},
        {"baab", "..!!"},
        {"cbabcabc", "...!!!!!"},
        {"zyxwzv", "....!."},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct cf_node *map = cf_node_new(&arena, CF_MAP, (struct cf_place){1, 1});
        const struct cf_node *child;
        size_t at = 0;

        for (const char *key = rows[i][0]; *key; key++)
            cf_node_put(map, (struct kp_text){key, 1}, cf_node_int(&arena, key - rows[i][0]));
        CHECK(cf_node_mark_duplicates(&arena, map));
        for (child = map->first; child; child = child->next)
            CHECK_INT(child->duplicate, rows[i][1][at++] == '!');
        CHECK_INT(rows[i][1][at], 0);
        cf_arena_deinit(&arena);
    }
}

static void maps_change(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_node *map = cf_node_new(&arena, CF_MAP, (struct cf_place){1, 1});
    struct cf_node *truth = cf_node_bool(&arena, true);
    struct cf_node *list = cf_node_new(&arena, CF_LIST, (struct cf_place){0});
    struct cf_node *one = cf_node_new(&arena, CF_LIST, (struct cf_place){0});

    CHECK_INT(truth->truth, true);
    CHECK_INT(cf_node_bool(&arena, false)->truth, false);
    member(&arena, map, "a", truth, 7)->at = (struct cf_place){8, 2};
    CHECK_INT(cf_node_bare(&arena, map)->count, 0);
    CHECK_INT(cf_node_copy(&arena, map)->count, 1);
    cf_node_set(map, KP_TEXT("a"), cf_node_int(&arena, 1));
    CHECK_INT(cf_node_find(map, "a")->key_at.line, 7);
    cf_node_remove(map, KP_TEXT("a"));
    CHECK_TEXT(cf_node_json(&arena, map), KP_TEXT("{}"));
    cf_node_put(map, KP_TEXT("b"), cf_node_string(&arena, KP_TEXT("\b\f\r\t/\x1f")));
    CHECK_TEXT(cf_node_json(&arena, map), KP_TEXT("{\"b\":\"\\b\\f\\r\\t/\\u001f\"}"));
    cf_node_append(list, map);
    cf_node_append(list, cf_node_int(&arena, 2));
    cf_node_append(one, list->first);
    CHECK_TEXT(cf_node_json(&arena, one), KP_TEXT("[{\"b\":\"\\b\\f\\r\\t/\\u001f\"}]"));
    cf_node_set(NULL, KP_TEXT("a"), map);
    cf_node_remove(NULL, KP_TEXT("a"));
    cf_arena_deinit(&arena);
}

static void kinds_have_names(void)
{
    CHECK_STRING(cf_node_kind_name(CF_NULL), "null");
    CHECK_STRING(cf_node_kind_name(CF_BOOL), "true or false");
    CHECK_STRING(cf_node_kind_name(CF_NUMBER), "a number");
    CHECK_STRING(cf_node_kind_name(CF_STRING), "a string");
    CHECK_STRING(cf_node_kind_name(CF_LIST), "a list");
    CHECK_STRING(cf_node_kind_name(CF_MAP), "a map");
}

static void the_last_of_duplicates_counts(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_node *map;

    map = cf_node_new(&arena, CF_MAP, (struct cf_place){1, 1});
    cf_node_put(map, KP_TEXT("a"), cf_node_int(&arena, 1));
    cf_node_put(map, KP_TEXT("b"), cf_node_bool(&arena, true));
    cf_node_put(map, KP_TEXT("a"), cf_node_int(&arena, -2));
    CHECK(cf_node_mark_duplicates(&arena, map));
    CHECK(cf_node_first_duplicate(map) == map->last);
    CHECK_TEXT(cf_node_json(&arena, map), KP_TEXT("{\"b\":true,\"a\":-2}"));
    CHECK_TEXT(cf_node_find(map, "a")->text, KP_TEXT("-2"));
    cf_node_remove(map, KP_TEXT("a"));
    CHECK_TEXT(cf_node_json(&arena, map), KP_TEXT("{\"b\":true}"));
    cf_node_set(map, KP_TEXT("b"), cf_node_string(&arena, KP_TEXT("q\"\n\x01")));
    CHECK_TEXT(cf_node_json(&arena, map), KP_TEXT("{\"b\":\"q\\\"\\n\\u0001\"}"));
    CHECK_INT(map->count, 1);
    cf_arena_deinit(&arena);
}

static void only_whole_numbers_that_fit_are_integers(void)
{
    static const struct {
        const char *text;
        bool fits;
        int64_t value;
    } rows[] = {
        {"0", true, 0},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"1.5", false, 0},
        {"1e3", false, 0},
        {"-", false, 0},
        {"", false, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_node node = {.kind = CF_NUMBER, .text = kp_text_of(rows[i].text)};
        int64_t value = 0;

        CHECK(cf_node_int_value(&node, &value) == rows[i].fits);
        CHECK_INT(value, rows[i].value);
        node.kind = CF_STRING;
        CHECK(!cf_node_int_value(&node, &value));
    }
    CHECK(!cf_node_int_value(NULL, &(int64_t){0}));
}

static uint64_t hash_of(const char *json)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_fault fault;
    struct cf_node *node = NULL;
    uint64_t hash;

    CHECK_INT(cf_json_parse(&arena, kp_text_of(json), &node, &fault), KP_OK);
    hash = cf_node_hash(node);
    cf_arena_deinit(&arena);
    return hash;
}

static void a_hash_is_of_what_a_tree_says(void)
{
    static const struct {
        const char *a;
        const char *b;
        bool same;
    } rows[] = {
        {"{\"a\":1,\"b\":{\"c\":2,\"d\":[]}}", "{\"b\":{\"d\":[],\"c\":2},\"a\":1}", true},
        {"{\"a\":1,\"a\":2}", "{\"a\":2}", true},
        {"{\"a\":null}", "{}", true},
        {"[1,2]", "[2,1]", false},
        {"[1]", "[\"1\"]", false},
        {"{}", "[]", false},
        {"{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}", false},
        {"{\"a\":{\"b\":1}}", "{\"b\":{\"a\":1}}", false},
        {"[[1],2]", "[[1,2]]", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        unit_check_int(hash_of(rows[i].a) == hash_of(rows[i].b), rows[i].same, rows[i].a, __FILE__,
                       __LINE__);
}

const struct unit_test node_test[] = {
    {"a path leads to its place or to the nearest parent",
     a_path_leads_to_its_place_or_to_the_nearest_parent},
    {"a path goes on behind a bracket", a_path_goes_on_behind_a_bracket},
    {"members have an order", members_have_an_order},
    {"repeats are marked", repeats_are_marked},
    {"maps change", maps_change},
    {"kinds have names", kinds_have_names},
    {"the last of duplicates counts", the_last_of_duplicates_counts},
    {"only whole numbers that fit are integers", only_whole_numbers_that_fit_are_integers},
    {"a hash is of what a tree says", a_hash_is_of_what_a_tree_says},
    {0},
};
