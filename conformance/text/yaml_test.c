#include "conformance/text/yaml.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

/* The tree as JSON, or "! line:column message". */
static struct kp_text as_json(struct cf_arena *arena, struct kp_text yaml, bool plain)
{
    struct cf_node *documents;
    struct cf_fault fault;
    enum kp_err err =
        cf_yaml_parse(arena, yaml, (struct cf_yaml_options){.plain = plain}, &documents, &fault);

    if (err == KP_OK)
        return cf_node_json(arena, documents);
    return cf_arena_format(arena, "! %d:%d %.*s", fault.at.line, fault.at.column,
                           KP_ARG(fault.message));
}

static void check_rows(const char *const (*rows)[2], size_t count, bool plain)
{
    for (size_t i = 0; i < count; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};

        CHECK_TEXT(as_json(&arena, kp_text_of(rows[i][0]), plain), kp_text_of(rows[i][1]));
        cf_arena_deinit(&arena);
    }
}

/* E-002 and what running go-yaml added to it. */
static void scalars_mean_what_they_mean_to_the_server(void)
{
    static const char *const rows[][2] = {
        {"8080", "[8080]"},
        {"08080", "[8080]"},
        {"010", "[8]"},
        {"0o17", "[15]"},
        {"0x50", "[80]"},
        {"0b1010", "[10]"},
        {"1_000", "[1000]"},
        {"+80", "[80]"},
        {"8080.0", "[8080]"},
        {"8e3", "[8000]"},
        {"-0", "[0]"},
        {"0.0", "[0]"},
        {"~", "[null]"},
        {"", "[]"},
        {"1:30", "[\"1:30\"]"},
        {"8080.5", "[8080.5]"},
        {".5", "[0.5]"},
        {"yes", "[true]"},
        {"Off", "[false]"},
        {"y", "[true]"},
        {"1e400", "[\"1e400\"]"},
        {"0x10000000000000000", "[\"0x10000000000000000\"]"},
        {"18446744073709551616", "[18446744073709552000]"},
        {"18446744073709551615", "[18446744073709551615]"},
        {"+18446744073709551615", "[18446744073709552000]"},
        {"+9223372036854775807", "[9223372036854775807]"},
        {"-9223372036854775808", "[-9223372036854775808]"},
        {"-9223372036854775809", "[-9223372036854776000]"},
        {"0x", "[\"0x\"]"},
        {"-0b", "[\"-0b\"]"},
        {"0o", "[\"0o\"]"},
        {"+", "[\"+\"]"},
        {"0_", "[0]"},
        {"0b2", "[\"0b2\"]"},
        {"0o8", "[\"0o8\"]"},
        {"++80", "[\"++80\"]"},
        {"_1", "[\"_1\"]"},
        {"8e", "[\"8e\"]"},
        {"1_", "[1]"},
        {"1__0", "[10]"},
        {"!!binary ODA=", "[\"80\"]"},
        {"!foo 80", "[\"80\"]"},
        {"!!int \"80\"", "[80]"},
        {"!!str 80", "[\"80\"]"},
        {"!!float 80", "[80]"},
        {"!!int http", "! 1:1 cannot decode !!str `http` as a !!int"},
        {".inf", "! 1:1 unsupported value: +Inf"},
        {".nan", "! 1:1 unsupported value: NaN"},
        {"-.INF", "! 1:1 unsupported value: -Inf"},
        {"!!float .inf", "! 1:1 unsupported value: +Inf"},
        {"{a: .inf, a: 1}", "[{\"a\":1}]"},
        {"{a: {b: .inf}, a: 1}", "[{\"a\":1}]"},
        {"{a: 1, a: .inf}", "! 1:11 unsupported value: +Inf"},
        {"{b: .inf, a: .nan}", "! 1:14 unsupported value: NaN"},
        {"{.inf: 1, -.Inf: 2, .NAN: 3}", "[{\".inf\":1,\"-.inf\":2,\".nan\":3}]"},
        {"2001-01-01", "[\"2001-01-01\"]"},
        {"1e21", "[1e+21]"},
        {"1.5e-7", "[1.5e-7]"},
        {"123456789012345680000.0", "[123456789012345680000]"},
        {"{port:80}", "[{\"port:80\":null}]"},
        {"\"\\t\"", "[\"\\t\"]"},
        {"{80: a, on: b, 1.5: c}", "[{\"80\":\"a\",\"true\":\"b\",\"1.5\":\"c\"}]"},
    };

    check_rows(rows, sizeof rows / sizeof rows[0], false);
}

/* go-yaml: a colon may end a plain scalar, a question mark does (sigs.k8s.io/yaml 1.6.0). */
static void flow_scalars_end_where_go_ends_them(void)
{
    static const char *const rows[][2] = {
        {"{name: Host:, value: v}", "[{\"name\":\"Host:\",\"value\":\"v\"}]"},
        {"[sh, -c, echo x:]", "[[\"sh\",\"-c\",\"echo x:\"]]"},
        {"[a:, \xee\x80\x80:, \"b:,\", c:d:]", "[[\"a:\",\"\xee\x80\x80:\",\"b:,\",\"c:d:\"]]"},
        {"\xef\xbb\xbf[\xc3\xa9:,\r\n\xe2\x82\xac:]", "[[\"\xc3\xa9:\",\"\xe2\x82\xac:\"]]"},
        {"{a:, b: :}", "! 1:9 did not find expected node content"},
        {"[a:, *x]", "! 1:6 unknown anchor 'x' referenced"},
        {"- &x 1\n- *x\n---\n- *x\n", "! 4:3 unknown anchor 'x' referenced"},
        {"k: {path: /a?b=c, port: 80}", "! 1:13 did not find expected ',' or '}'"},
        {"k: [a,\n  b\n  c?]", "! 3:4 did not find expected ',' or ']'"},
        {"k: {a: b\nl: c\n", "! 1:4 a { that is not closed before line 2"},
        {"- k: [a\n  l: c\n", "! 1:6 a [ that is not closed before line 2"},
        {"k: [a, b\n", "! 1:4 a [ that is not closed before line 2"},
        {"k: [\n  \"a\"\n  \"b\"\n]", "! 3:3 did not find expected ',' or ']' of the [ in line 1"},
        {"[\"a?\", 'b?', {\"c\": \"?\"}]", "[[\"a?\",\"b?\",{\"c\":\"?\"}]]"},
        {"k: a?b", "[{\"k\":\"a?b\"}]"},
    };

    check_rows(rows, sizeof rows / sizeof rows[0], false);
}

/* It is read once for each such colon; a document of too many is refused as libyaml refuses it. */
static void a_document_is_not_read_without_end(void)
{
    enum { COLONS = 20000 };
    static char text[3 * COLONS + 2] = "[";
    struct cf_arena arena = {.mem = cf_libc_mem()};

    for (size_t i = 0; i < COLONS; i++)
        memcpy(text + 1 + 3 * i, "a:,", 3);
    CHECK(strstr(as_json(&arena, (struct kp_text){text, 3 * COLONS + 1}, false).bytes,
                 "found unexpected ':'") != NULL);
    CHECK(arena.bytes < 200u * 1024 * 1024);
    cf_arena_deinit(&arena);
}

static void anchors_and_merges_are_expanded(void)
{
    static const char *const rows[][2] = {
        {"a: &x {b: 1}\nc: *x\n", "[{\"a\":{\"b\":1},\"c\":{\"b\":1}}]"},
        {"a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\n",
         "[{\"a\":{\"b\":1,\"c\":2},\"d\":{\"b\":1,\"c\":3}}]"},
        {"a: *x\n", "! 1:4 unknown anchor 'x' referenced"},
        {"a: &x [*x]\n", "! 1:8 anchor 'x' value contains itself"},
        {"a: {<<: 1}\n", "! 1:9 map merge requires map or sequence of maps as the value"},
        {"--- 1\n---\n--- [2]\n", "[1,null,[2]]"},
        {"a: 1\n a: 2\n", "! 2:3 mapping values are not allowed in this context"},
        {"a: \"b\n", "! 1:4 a quote that is not closed"},
        {"? [1]\n: 2\n", "! 1:3 a map key must be a scalar"},
    };
    static const char *const plain_rows[][2] = {
        {"a: &x 1\n", "! 1:4 anchors are not allowed here"},
        {"a: !!str 1\n", "! 1:4 tags are not allowed here"},
        {"<<: {a: 1}\n", "! 1:5 merge keys are not allowed here"},
    };

    check_rows(rows, sizeof rows / sizeof rows[0], false);
    check_rows(plain_rows, sizeof plain_rows / sizeof plain_rows[0], true);
}

static void an_alias_bomb_is_refused(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    char text[4096];
    size_t len = 0;

    len += (size_t)snprintf(text, sizeof text, "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for (int i = 1; i < 12; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            len += (size_t)snprintf(text + len, sizeof text - len, "*a%d,", i - 1);
        len += (size_t)snprintf(text + len, sizeof text - len, "]\n");
    }
    CHECK(strstr(as_json(&arena, (struct kp_text){text, len}, false).bytes,
                 "document contains excessive aliasing") != NULL);
    CHECK(arena.bytes < 200u * 1024 * 1024);
    cf_arena_deinit(&arena);
}

static void hostile_bytes_get_one_message(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    char deep[4000];

    CHECK_TEXT(as_json(&arena, KP_TEXT("a: \0"), false),
               KP_TEXT("! 1:4 control characters are not allowed"));
    CHECK_TEXT(as_json(&arena, KP_TEXT("a: \xff"), false),
               KP_TEXT("! 1:4 invalid leading UTF-8 octet"));
    /* A line ends as it does for the parser, and a column counts characters. */
    CHECK_TEXT(as_json(&arena, KP_TEXT("a: 1\r\xc3\xa9: \xff"), false),
               KP_TEXT("! 2:4 invalid leading UTF-8 octet"));
    memset(deep, '[', sizeof deep);
    CHECK_TEXT(as_json(&arena, (struct kp_text){deep, sizeof deep}, false),
               KP_TEXT("! 1:1001 nested deeper than 1000 levels"));
    cf_arena_deinit(&arena);
}

static void repeated_keys_are_reported_as_the_strict_decoder_reports_them(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_node *documents;
    struct cf_fault fault;
    struct kp_text yaml = KP_TEXT("b: 1\na: {c: 1,\n c: 2}\nb:\n  3\n");

    CHECK_INT(cf_yaml_parse(&arena, yaml, (struct cf_yaml_options){0}, &documents, &fault), KP_OK);
    CHECK_TEXT(cf_yaml_strict_text(&arena, documents->first),
               KP_TEXT("yaml: unmarshal errors:\n  line 3: key \"c\" already set in map\n  line 5: "
                       "key \"b\" already set in map"));
    CHECK_TEXT(cf_node_json(&arena, cf_node_sorted(&arena, documents->first)),
               KP_TEXT("{\"a\":{\"c\":2},\"b\":3}"));
    cf_arena_deinit(&arena);
}

const struct unit_test yaml_test[] = {
    {"scalars mean what they mean to the server", scalars_mean_what_they_mean_to_the_server},
    {"flow scalars end where Go ends them", flow_scalars_end_where_go_ends_them},
    {"a document is not read without end", a_document_is_not_read_without_end},
    {"anchors and merges are expanded", anchors_and_merges_are_expanded},
    {"an alias bomb is refused", an_alias_bomb_is_refused},
    {"hostile bytes get one message", hostile_bytes_get_one_message},
    {"repeated keys are reported as the strict decoder reports them",
     repeated_keys_are_reported_as_the_strict_decoder_reports_them},
    {0},
};
