#include "conformance/text/yaml.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

/* The tree as JSON, or "! line:column message". */
static struct kp_text as_json(struct cf_arena *arena, struct kp_text yaml, bool plain)
{
    struct cf_node *documents;
    struct cf_fault fault = {{1, 1}, KP_TEXT("of another"), KP_TEXT("of another")};
    enum kp_err err =
        cf_yaml_parse(arena, yaml, (struct cf_yaml_options){.plain = plain}, &documents, &fault);

    if (err == KP_OK) {
        CHECK_INT(fault.message.len + fault.go_text.len, 0);
        CHECK_INT(documents->at.line, 1);
        CHECK_INT(documents->at.column, 1);
        return cf_node_json(arena, documents);
    }
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

/* As sigs.k8s.io/yaml 1.6.0 has them. */
static void numbers_are_those_of_go(void)
{
    static const char *const rows[][2] = {
        {".NAN", "! 1:1 unsupported value: NaN"},
        {"+.inf", "! 1:1 unsupported value: +Inf"},
        {"-.5", "[-0.5]"},
        {"{a: .inf, b: 1}", "! 1:5 unsupported value: +Inf"},
        {"{b: &x .inf, b: 1, a: *x}", "! 1:23 unsupported value: +Inf"},
        {".", "[\".\"]"},
        {"-.", "[\"-.\"]"},
        {"+.", "[\"+.\"]"},
        {"+.5", "[0.5]"},
        {"-.5e1", "[-5]"},
        {"1.", "[1]"},
        {"-1.e5", "[-100000]"},
        {"+.e5", "[\"+.e5\"]"},
        {".e5", "[\".e5\"]"},
        {"-e5", "[\"-e5\"]"},
        {".5e", "[\".5e\"]"},
        {"1e5x", "[\"1e5x\"]"},
        {"1.5.5", "[\"1.5.5\"]"},
        {"1.x5", "[\"1.x5\"]"},
        {"-x", "[\"-x\"]"},
        {"-", "[[null]]"},
        {"8e+3", "[8000]"},
        {"8e-3", "[0.008]"},
        {"8E3", "[8000]"},
        {".5E-1", "[0.05]"},
        {".5_5", "[0.55]"},
        {".5_5_5e1_0", "[5550000000]"},
        {".5_", "[\".5_\"]"},
        {"._5", "[\"._5\"]"},
        {".5_e1", "[\".5_e1\"]"},
        {".5__5", "[\".5__5\"]"},
        {"-.5_5", "[-0.55]"},
        {"1_0.5_5", "[10.55]"},
        {"0x_1", "[1]"},
        {"0x1.8", "[\"0x1.8\"]"},
        {"-0x10", "[-16]"},
        {"0_8", "[8]"},
        {"1e-6", "[0.000001]"},
        {"9.99e-7", "[9.99e-7]"},
        {"-1e21", "[-1e+21]"},
        {"999999999999999900000.0", "[999999999999999900000]"},
        {"1e20", "[100000000000000000000]"},
        {"100.0", "[100]"},
        {"5e-324", "[5e-324]"},
        {"{1000000.0: 1, 100000.0: 2, -1e300: 3, 1e300: 4}",
         "[{\"1e+06\":1,\"100000\":2,\"-.inf\":3,\".inf\":4}]"},
        {"{0.0001: 1, 0.00001: 2, 1e-300: 3, -1.1: 4}",
         "[{\"0.0001\":1,\"1e-05\":2,\"0\":3,\"-1.1\":4}]"},
        {"{1_0.5: 0, 16777217.0: 1, 3.14159265358979: 2, 999999.5: 3, 1234.5: 4}",
         "[{\"10.5\":0,\"1.6777216e+07\":1,\"3.1415927\":2,\"999999.5\":3,\"1234.5\":4}]"},
    };

    check_rows(rows, sizeof rows / sizeof rows[0], false);
}

static void tags_want_what_they_say(void)
{
    static const char *const rows[][2] = {
        {"!!binary QQ==", "[\"A\"]"},
        {"!!binary QR==", "[\"A\"]"},
        {"!!binary QUI=", "[\"AB\"]"},
        {"!!binary QUJDRA==", "[\"ABCD\"]"},
        {"!!binary \"QU\\nJD\\r\\n\"", "[\"ABC\"]"},
        {"!!binary \"\"", "[\"\"]"},
        {"!!timestamp 2001-01-01", "[\"2001-01-01\"]"},
        {"!!timestamp x", "! 1:1 cannot decode !!str `x` as a !!timestamp"},
        {"!!timestamp 2001x", "! 1:1 cannot decode !!str `2001x` as a !!timestamp"},
        {"!!timestamp 20011-01", "! 1:1 cannot decode !!str `20011-01` as a !!timestamp"},
        {"!!timestamp 80", "! 1:1 cannot decode !!int `80` as a !!timestamp"},
        {"!!int true", "! 1:1 cannot decode !!bool `true` as a !!int"},
        {"!!int 1.5", "! 1:1 cannot decode !!float `1.5` as a !!int"},
        {"!!int ~", "! 1:1 cannot decode !!null `~` as a !!int"},
        {"!!bool 1", "! 1:1 cannot decode !!int `1` as a !!bool"},
        {"!!float 1.5", "[1.5]"},
        {"!!float x", "! 1:1 cannot decode !!str `x` as a !!float"},
        {"!!float 18446744073709551615",
         "! 1:1 cannot decode !!int `18446744073709551615` as a !!float"},
        {"!!null \"\"", "[null]"},
        {"!!bool \"yes\"", "[true]"},
        {"!<b> 80", "[\"80\"]"},
        {"!<tag:yaml.org,2003:int> x", "[\"x\"]"},
        {"!!timestamp abcd-01", "! 1:1 cannot decode !!str `abcd-01` as a !!timestamp"},
        {"!!int 2001-01-01", "! 1:1 cannot decode !!str `2001-01-01` as a !!int"},
    };
    static const char *const no_base64[] = {
        "QQ=Q",   "Q*==",      "QQ",          "QQQ",   "Q===",  "====", "QQ==QQ==",
        "QQ====", "\"QU JD\"", "\"QUJD\\0\"", "QQ===", "QUI==", "Q*JD", "QUJ*",
    };

    check_rows(rows, sizeof rows / sizeof rows[0], false);
    for (size_t i = 0; i < sizeof no_base64 / sizeof no_base64[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};

        CHECK_TEXT(as_json(&arena, cf_arena_format(&arena, "!!binary %s", no_base64[i]), false),
                   KP_TEXT("! 1:1 !!binary value contains invalid base64 data"));
        cf_arena_deinit(&arena);
    }
}

/* A text that a tag wants to be a number is none where a zero byte ends what would be one. */
static void a_zero_byte_ends_no_number(void)
{
    static const char *const rows[] = {"!!float \".5\\0\"", "!!int \"8\\0\"", "!!float \"8.5\\0\""};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};

        CHECK(kp_text_begins(as_json(&arena, kp_text_of(rows[i]), false), "! 1:1 cannot decode"));
        cf_arena_deinit(&arena);
    }
}

/* What stands in the text is kept, beside what JSON has. */
static void a_scalar_keeps_how_it_is_written(void)
{
    static const char *const rows[] = {"0x50", "1_000", "8.50", ".NaN", "Yes", "~", "0b11"};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_text yaml = cf_arena_format(&arena, "{a: %s, a: %s}", rows[i], "1");
        struct cf_node *documents;
        struct cf_fault fault;

        CHECK_INT(cf_yaml_parse(&arena, yaml, (struct cf_yaml_options){0}, &documents, &fault),
                  KP_OK);
        CHECK_TEXT(documents->first->first->source, kp_text_of(rows[i]));
        cf_arena_deinit(&arena);
    }
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
        {"k: [\r  \"a\"\r  \"b\"\r]", "! 3:3 did not find expected ',' or ']' of the [ in line 1"},
        {"k: [\"a\"\n  b]", "! 2:3 did not find expected ',' or ']' of the [ in line 1"},
        {"- [\"a\"\n- b\n", "! 1:3 a [ that is not closed before line 2"},
        {"[\"a?\", 'b?', {\"c\": \"?\"}]", "[[\"a?\",\"b?\",{\"c\":\"?\"}]]"},
        {"k: a?b", "[{\"k\":\"a?b\"}]"},
        {"- [a]\n- b?c\n", "[[[\"a\"],\"b?c\"]]"},
        {"- [[a]\n, b?c]", "! 2:4 did not find expected ',' or ']'"},
        {"{a: [b], c: d?e}", "! 1:14 did not find expected ',' or '}'"},
        {"[{a: b}, d?e]", "! 1:11 did not find expected ',' or ']'"},
        {"[\"?\", a?b]", "! 1:8 did not find expected ',' or ']'"},
        {"[a?]", "! 1:3 did not find expected ',' or ']'"},
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
        {"{<<: [{a: 1, b: 1}, {b: 2, c: 2}, {c: 3, d: 3}, {d: 4, e: 4}]}",
         "[{\"e\":4,\"d\":3,\"c\":2,\"a\":1,\"b\":1}]"},
        {"x: &x {a: 1}\nz: {<<: [*x, {a: 2, b: 2}]}\n",
         "[{\"x\":{\"a\":1},\"z\":{\"b\":2,\"a\":1}}]"},
        {"{<<: [{a: 1}, 3]}", "! 1:15 map merge requires map or sequence of maps as the value"},
        {"{<<: [3, {a: 1}]}", "! 1:7 map merge requires map or sequence of maps as the value"},
        {"{<<: [[{a: 1}]]}", "! 1:7 map merge requires map or sequence of maps as the value"},
        {"{a: 1, <<: {a: 2}}", "[{\"a\":2}]"},
        {"{<<: {a: 2}, a: 1}", "[{\"a\":1}]"},
        {"{\"<<\": {a: 2}, a: 1}", "[{\"<<\":{\"a\":2},\"a\":1}]"},
        {"{!!str <<: {a: 2}, a: 1}", "[{\"<<\":{\"a\":2},\"a\":1}]"},
        {"{!!merge \"<<\": {a: 2}, b: 1}", "[{\"a\":2,\"b\":1}]"},
        {"{! \"<<\": {a: 2}}", "[{\"a\":2}]"},
        {"{<<: {a: 1, b: !!int x}}", "! 1:16 cannot decode !!str `x` as a !!int"},
        {"{!!int x: 1}", "! 1:2 cannot decode !!str `x` as a !!int"},
        {"{!!int x: !!int y}", "! 1:2 cannot decode !!str `x` as a !!int"},
        {"{~: 1}", "! 1:2 a map key must not be null"},
        {"{18446744073709551615: 1}",
         "! 1:2 a map key that is a number must be below 9223372036854775808"},
        {"{9223372036854775807: 1, -9223372036854775808: 2}",
         "[{\"9223372036854775807\":1,\"-9223372036854775808\":2}]"},
        {"? {a: 1}\n: 2\n", "! 1:3 a map key must be a scalar"},
        {"--- 1\n---\n--- [2]\n", "[1,null,[2]]"},
        {"a: 1\n a: 2\n", "! 2:3 mapping values are not allowed in this context"},
        {"a: \"b\n", "! 1:4 a quote that is not closed"},
        {"? [1]\n: 2\n", "! 1:3 a map key must be a scalar"},
    };
    static const char *const plain_rows[][2] = {
        {"a: &x 1\n", "! 1:4 anchors are not allowed here"},
        {"a: !!str 1\n", "! 1:4 tags are not allowed here"},
        {"a: !<b> 1\n", "! 1:4 tags are not allowed here"},
        {"a: *x\n", "! 1:4 aliases are not allowed here"},
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

/* The text of a bomb of 37 nodes and what comes from aliases, and some more nodes. */
static size_t put_bomb(char *text, size_t cap, int more)
{
    size_t len = (size_t)snprintf(text, cap, "---\n[");

    for (int i = 0; i < more; i++)
        len += (size_t)snprintf(text + len, cap - len, "x,");
    len += (size_t)snprintf(text + len, cap - len,
                            "&a [x,x,x,x,x,x,x,x,x],&b [*a,*a,*a,*a,*a,*a,*a,*a,*a],"
                            "&c [*b,*b,*b,*b,*b,*b,*b,*b,*b],*c,*c,*c]\n");
    return len;
}

/* 3720 come from aliases: more than 99 % where 37 others stand, and less where 38 do, with the
 * document, as for sigs.k8s.io/yaml 1.6.0.  Each document is measured by itself. */
static void the_share_of_aliases_is_that_of_go(void)
{
    for (int more = 2; more <= 3; more++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        char text[512];
        size_t len = put_bomb(text, sizeof text, more);
        struct kp_text json;

        len += put_bomb(text + len, sizeof text - len, more);
        json = as_json(&arena, (struct kp_text){text, len}, false);
        CHECK_INT(kp_text_has(json, "excessive aliasing"), more == 2);
        CHECK_INT(json.bytes[0] == '[', more == 3);
        cf_arena_deinit(&arena);
    }
}

/* "a: 1" is no alias, whatever stood before it. */
static void what_follows_an_alias_does_not_come_from_it(void)
{
    enum { ITEMS = 1100 };
    struct cf_arena arena = {.mem = cf_libc_mem()};
    char text[2 * ITEMS + 16] = "[&x 1,*x,";
    size_t len = strlen(text);

    for (int i = 0; i < ITEMS; i++, len += 2)
        memcpy(text + len, "1,", 2);
    text[len++] = ']';
    CHECK(as_json(&arena, (struct kp_text){text, len}, false).bytes[0] == '[');
    cf_arena_deinit(&arena);
}

static void hostile_bytes_get_one_message(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    char deep[4000];

    CHECK_TEXT(as_json(&arena, KP_TEXT_NONE, false), KP_TEXT("[]"));
    CHECK_TEXT(as_json(&arena, KP_TEXT("a: \0"), false),
               KP_TEXT("! 1:4 control characters are not allowed"));
    CHECK_TEXT(as_json(&arena, KP_TEXT("a: \xff"), false),
               KP_TEXT("! 1:4 invalid leading UTF-8 octet"));
    /* A line ends as it does for the parser, and a column counts characters. */
    CHECK_TEXT(as_json(&arena, KP_TEXT("a: 1\r\xc3\xa9: \xff"), false),
               KP_TEXT("! 2:4 invalid leading UTF-8 octet"));
    CHECK_TEXT(as_json(&arena, KP_TEXT("\n\na:\r\n\n \xff"), false),
               KP_TEXT("! 5:2 invalid leading UTF-8 octet"));
    memset(deep, '[', sizeof deep);
    CHECK_TEXT(as_json(&arena, (struct kp_text){deep, sizeof deep}, false),
               KP_TEXT("! 1:1001 nested deeper than 1000 levels"));
    cf_arena_deinit(&arena);
}

static size_t put_nested(char *text, const char *open, const char *inside, const char *close,
                         int levels)
{
    size_t len = 0;

    for (int i = 0; i < levels; i++)
        len += (size_t)sprintf(text + len, "%s", open);
    len += (size_t)sprintf(text + len, "%s", inside);
    for (int i = 0; i < levels; i++)
        len += (size_t)sprintf(text + len, "%s", close);
    return len;
}

/* What an alias stands for is as deep as where it stands; a key as its map. */
static void a_thousand_levels_are_read(void)
{
    static const char *const kinds[][2] = {{"[", "]"}, {"{a: ", "}"}, {"{<<: {a: ", "}}"}};
    static const struct {
        const char *inside;
        int levels; /* in the second item */
        bool good;
    } rows[] = {{"1", 998, true},   {"1", 999, false},         {"*a", 498, true},
                {"*a", 499, false}, {"{? 1 : *a}", 497, true}, {"{? 1 : *a}", 498, false}};

    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        const char *const *kind = kinds[i % 2];
        static char text[16000];
        size_t len = (size_t)sprintf(text, "[&a ");

        len += put_nested(text + len, kind[0], "1", kind[1], 500);
        len += (size_t)sprintf(text + len, ",");
        len += put_nested(text + len, kind[0], rows[i / 2].inside, kind[1], rows[i / 2].levels);
        len += (size_t)sprintf(text + len, "]");
        CHECK_INT(kp_text_ends(as_json(&arena, (struct kp_text){text, len}, false),
                               "nested deeper than 1000 levels"),
                  !rows[i / 2].good);
        cf_arena_deinit(&arena);
    }
}

/* As sigs.k8s.io/yaml 1.6.0 words them: a parser's line is one less than it is. */
static void faults_are_worded_as_gos(void)
{
    static const char *const rows[][2] = {
        {"a: *x", "yaml: unknown anchor 'x' referenced"},
        {"{!!int x: 1}", "yaml: cannot decode !!str `x` as a !!int"},
        {"!!binary x", "yaml: !!binary value contains invalid base64 data"},
        {".inf", "json: unsupported value: +Inf"},
        {"a: b: c", "yaml: mapping values are not allowed in this context"},
        {"a: 1\n b: 2", "yaml: line 2: mapping values are not allowed in this context"},
        {"\n\na: \"\\x\"", "yaml: line 3: did not find expected hexdecimal number"},
        {"}", "yaml: did not find expected node content"},
        {"\na:      }", "yaml: line 1: did not find expected node content"},
        {"a:\n  - b\n  - d\n c: d", "yaml: line 3: did not find expected key"},
        {"a: 'x", "yaml: found unexpected end of stream"},
        {"a: [b", "yaml: line 1: did not find expected ',' or ']'"},
        {"a:\n\n\xff", "yaml: invalid leading UTF-8 octet"},
        {"[b?]", "yaml: did not find expected ',' or ']'"},
        {"k: [a,\n  b\n     c?]", "yaml: line 2: did not find expected ',' or ']'"},
        {"k: {a: 1,\n b: x?}", "yaml: line 1: did not find expected ',' or '}'"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct cf_node *documents;
        struct cf_fault fault;

        CHECK_INT(cf_yaml_parse(&arena, kp_text_of(rows[i][0]), (struct cf_yaml_options){0},
                                &documents, &fault),
                  KP_EINPUT);
        CHECK_TEXT(fault.go_text, kp_text_of(rows[i][1]));
        cf_arena_deinit(&arena);
    }
}

/* YAML 1.1, "Line Break Characters". */
static void a_line_ends_as_it_does_for_the_parser(void)
{
    static const struct {
        struct kp_text text;
        const char *lines;
    } rows[] = {
        {{"a\nb\r\nc\rd\xc2\x85"
          "e\xe2\x80\xa8"
          "f\xe2\x80\xa9g",
          19},
         "a|b|c|d|e|f|g|"},
        {{"", 0}, ""},
        {{"\n", 1}, "|"},
        {{"\n\r", 2}, "||"},
        {{"a", 1}, "a|"},
        {{"a\n\nb", 4}, "a||b|"},
        {{"a\r", 2}, "a|"},
        {{"a\xe2\x80\xa8", 4}, "a|"},
        {{"a\xe2\x80\xa8", 3}, "a\xe2\x80|"},
        {{"a\xc2\x85", 2}, "a\xc2|"},
        {{"\xc2\x86\xe2\x80\xaa", 5}, "\xc2\x86\xe2\x80\xaa|"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_text left = rows[i].text;
        struct kp_text line;
        char lines[64];
        struct kp_buf buf = {lines, sizeof lines, 0};

        while (buf.need < sizeof lines && cf_yaml_next_line(&left, &line)) {
            kp_buf_put(&buf, line);
            kp_buf_put_char(&buf, '|');
        }
        CHECK_TEXT(kp_buf_text(&buf), kp_text_of(rows[i].lines));
        CHECK_INT(left.len, 0);
    }
}

static void repeated_keys_are_reported_as_the_strict_decoder_reports_them(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_node *documents;
    struct cf_fault fault;
    struct kp_text yaml = KP_TEXT("b: 1\na: {c: 1,\n c: 2}\nb:\n  3\n");
    struct kp_text kinds = KP_TEXT("{80: 1, 80: 2, \"8\": 3, \"8\": 4, on: 5, on: 6,\n"
                                   " \"a\\n\": 7, \"a\\n\": 8}");

    CHECK_INT(cf_yaml_parse(&arena, yaml, (struct cf_yaml_options){0}, &documents, &fault), KP_OK);
    CHECK_TEXT(cf_yaml_strict_text(&arena, documents->first),
               KP_TEXT("yaml: unmarshal errors:\n  line 3: key \"c\" already set in map\n  line 5: "
                       "key \"b\" already set in map"));
    CHECK_TEXT(cf_node_json(&arena, cf_node_sorted(&arena, documents->first)),
               KP_TEXT("{\"a\":{\"c\":2},\"b\":3}"));
    CHECK_INT(cf_yaml_parse(&arena, kinds, (struct cf_yaml_options){0}, &documents, &fault), KP_OK);
    CHECK_TEXT(cf_yaml_strict_text(&arena, documents->first),
               KP_TEXT("yaml: unmarshal errors:\n  line 1: key 80 already set in map\n"
                       "  line 1: key \"8\" already set in map\n"
                       "  line 1: key true already set in map\n"
                       "  line 2: key \"a\\n\" already set in map"));
    cf_arena_deinit(&arena);
}

const struct unit_test yaml_test[] = {
    {"scalars mean what they mean to the server", scalars_mean_what_they_mean_to_the_server},
    {"numbers are those of Go", numbers_are_those_of_go},
    {"tags want what they say", tags_want_what_they_say},
    {"a zero byte ends no number", a_zero_byte_ends_no_number},
    {"a scalar keeps how it is written", a_scalar_keeps_how_it_is_written},
    {"flow scalars end where Go ends them", flow_scalars_end_where_go_ends_them},
    {"a document is not read without end", a_document_is_not_read_without_end},
    {"anchors and merges are expanded", anchors_and_merges_are_expanded},
    {"an alias bomb is refused", an_alias_bomb_is_refused},
    {"the share of aliases is that of Go", the_share_of_aliases_is_that_of_go},
    {"what follows an alias does not come from it", what_follows_an_alias_does_not_come_from_it},
    {"a thousand levels are read", a_thousand_levels_are_read},
    {"faults are worded as Go's", faults_are_worded_as_gos},
    {"a line ends as it does for the parser", a_line_ends_as_it_does_for_the_parser},
    {"hostile bytes get one message", hostile_bytes_get_one_message},
    {"repeated keys are reported as the strict decoder reports them",
     repeated_keys_are_reported_as_the_strict_decoder_reports_them},
    {0},
};
