#include "conformance/text/json.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

static struct kp_text again(struct cf_arena *arena, struct kp_text json)
{
    struct cf_node *node;
    struct cf_fault fault = {{1, 1}, KP_TEXT("of another"), KP_TEXT("of another")};

    if (cf_json_parse(arena, json, &node, &fault) == KP_OK) {
        CHECK_INT(fault.message.len + fault.go_text.len, 0);
        return cf_node_json(arena, node);
    }
    CHECK_TEXT(fault.go_text, fault.message);
    return cf_arena_format(arena, "! %d:%d %.*s", fault.at.line, fault.at.column,
                           KP_ARG(fault.message));
}

static void values_survive_and_faults_read_as_gos(void)
{
    static const char *const rows[][2] = {
        {" {\"a\": [1, -2.5e+3, true, false, null, \"x\"]} ",
         "{\"a\":[1,-2.5e+3,true,false,null,\"x\"]}"},
        {"{}", "{}"},
        {"[]", "[]"},
        {"\"\\u00e9\\n\\ud83d\\ude00\\ud800x\"", "\"\xc3\xa9\\n\xf0\x9f\x98\x80\xef\xbf\xbdx\""},
        {"\"a\xff\"", "\"a\xef\xbf\xbd\""},
        {"\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\""},
        {"\"\\ud83d\\u0041\\udE00\"", "\"\xef\xbf\xbd"
                                      "A\xef\xbf\xbd\""},
        {"\"\\u0080\\u07ff\\u0800\\u20ac\\ud7ff\\ue000\\uffff\"",
         "\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xe2\x82\xac\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\""},
        {"\"\\ud800\\udc00\\ud8c0\\udc00\\udbff\\udfff\"",
         "\"\xf0\x90\x80\x80\xf1\x80\x80\x80\xf4\x8f\xbf\xbf\""},
        {"\"\\udc00\\udc00\"", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\"\\ud800\\ue000\"", "\"\xef\xbf\xbd\xee\x80\x80\""},
        {"\"\\ud83dxude00\"", "\"\xef\xbf\xbdxude00\""},
        {"\"\x80\"", "\"\xef\xbf\xbd\""},
        {"\"\xc3(\xed\xa0\x80\"", "\"\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {"1e-5", "1e-5"},
        {"1E+5", "1E+5"},
        {"1e5", "1e5"},
        {"1ex", "! 1:3 invalid character 'x' in exponent of numeric literal"},
        {"1e+", "! 1:4 unexpected end of JSON input"},
        {"{\"\\x\":1}", "! 1:4 invalid character 'x' in string escape code"},
        {"\x80", "! 1:1 invalid character '\\u0080' looking for beginning of value"},
        {"\xff", "! 1:1 invalid character '\xc3\xbf' looking for beginning of value"},
        {"\"\\ud83d\"", "\"\xef\xbf\xbd\""},
        {"", "! 1:1 unexpected end of JSON input"},
        {"{\"a\":\n1", "! 2:2 unexpected end of JSON input"},
        {"{\"a\" 1}", "! 1:6 invalid character '1' after object key"},
        {"{\"a\":1 \"b\"}", "! 1:8 invalid character '\"' after object key:value pair"},
        {"[1 2]", "! 1:4 invalid character '2' after array element"},
        {"{a:1}", "! 1:2 invalid character 'a' looking for beginning of object key string"},
        {"[1,]", "! 1:4 invalid character ']' looking for beginning of value"},
        {"08", "! 1:2 invalid character '8' after top-level value"},
        {"-", "! 1:2 unexpected end of JSON input"},
        {"-x", "! 1:2 invalid character 'x' in numeric literal"},
        {"[ ]", "[]"},
        {"\"\\\\\"", "\"\\\\\""},
        {"{ }", "{}"},
        {"\"a", "! 1:3 unexpected end of JSON input"},
        {"\"\\", "! 1:3 unexpected end of JSON input"},
        {"\"\\u12", "! 1:6 unexpected end of JSON input"},
        {"\"\\u123g\"", "! 1:7 invalid character 'g' in \\u hexadecimal character escape"},
        {"tru", "! 1:4 unexpected end of JSON input"},
        {"1.x", "! 1:3 invalid character 'x' after decimal point in numeric literal"},
        {"tru3", "! 1:4 invalid character '3' in literal true (expecting 'e')"},
        {"\"a\nb\"", "! 1:3 invalid character '\\n' in string literal"},
        {"\"\\x\"", "! 1:3 invalid character 'x' in string escape code"},
        {"\"\\u12g4\"", "! 1:6 invalid character 'g' in \\u hexadecimal character escape"},
        {"'a'", "! 1:1 invalid character '\\'' looking for beginning of value"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};

        CHECK_TEXT(again(&arena, kp_text_of(rows[i][0])), kp_text_of(rows[i][1]));
        cf_arena_deinit(&arena);
    }
}

/* What stands behind the text is not its own. */
static void a_text_ends_where_it_ends(void)
{
    static const char *const texts[][2] = {
        {"1", "1"},
        {"tru", "! 1:4 unexpected end of JSON input"},
        {"\"a", "! 1:3 unexpected end of JSON input"},
        {"\"\\", "! 1:3 unexpected end of JSON input"},
        {"\"\\u12", "! 1:6 unexpected end of JSON input"},
        {"[1", "! 1:3 unexpected end of JSON input"},
        {"{\"a\"", "! 1:5 unexpected end of JSON input"},
        {"", "! 1:1 unexpected end of JSON input"},
    };
    static const char tails[] = "1e\"]}:, x";

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (const char *tail = tails; *tail; tail++) {
            struct cf_arena arena = {.mem = cf_libc_mem()};
            struct kp_text longer = cf_arena_format(&arena, "%s%c1\"", texts[i][0], *tail);

            CHECK_TEXT(again(&arena, (struct kp_text){longer.bytes, strlen(texts[i][0])}),
                       kp_text_of(texts[i][1]));
            cf_arena_deinit(&arena);
        }
}

static void a_zero_byte_is_no_escape(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};

    CHECK_TEXT(again(&arena, KP_TEXT("\"\\\0\"")),
               KP_TEXT("! 1:3 invalid character '\\x00' in string escape code"));
    CHECK_TEXT(again(&arena, KP_TEXT("\"\0\"")),
               KP_TEXT("! 1:2 invalid character '\\x00' in string literal"));
    cf_arena_deinit(&arena);
}

static void members_stand_where_their_keys_do(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_node *node;
    struct cf_fault fault;
    struct cf_place place;

    CHECK_INT(cf_json_parse(&arena, KP_TEXT("{\"a\":\n  {\"b\": [1,\n 2]}}"), &node, &fault),
              KP_OK);
    place = cf_node_place(node, KP_TEXT("a.b"));
    CHECK_INT(place.line * 100 + place.column, 204);
    place = cf_node_place(node, KP_TEXT("a.b[1]"));
    CHECK_INT(place.line * 100 + place.column, 302);
    cf_arena_deinit(&arena);
}

/* Each byte that is no UTF-8 becomes three (encoding/json unquote). */
static void broken_text_grows(void)
{
    for (size_t len = 1; len < 600; len = len < 80 ? len + 1 : len + 97) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        char broken[602] = "\"";
        char whole[1802] = "\"";

        memset(broken + 1, 0xff, len);
        broken[len + 1] = whole[3 * len + 1] = '"';
        for (size_t i = 0; i < len; i++)
            memcpy(whole + 1 + 3 * i, "\xef\xbf\xbd", 3);
        CHECK_TEXT(again(&arena, (struct kp_text){broken, len + 2}),
                   ((struct kp_text){whole, 3 * len + 2}));
        cf_arena_deinit(&arena);
    }
}

static void nesting_is_bounded(void)
{
    static const char *const kinds[][2] = {{"[", "]"}, {"{\"a\":", "}"}};
    struct cf_arena arena = {.mem = cf_libc_mem()};
    char deep[6002];

    for (int i = 0; i < 4; i++) {
        const char *const *kind = kinds[i % 2];
        int levels = i < 2 ? 999 : 1000;
        size_t len = 0;

        for (int k = 0; k < levels; k++)
            len += (size_t)sprintf(deep + len, "%s", kind[0]);
        deep[len++] = '1';
        for (int k = 0; k < levels; k++)
            len += (size_t)sprintf(deep + len, "%s", kind[1]);
        CHECK_INT(kp_text_ends(again(&arena, (struct kp_text){deep, len}),
                               " nested deeper than 1000 levels"),
                  i >= 2);
    }
    memset(deep, '[', sizeof deep);
    CHECK_TEXT(again(&arena, (struct kp_text){deep, sizeof deep}),
               KP_TEXT("! 1:1001 nested deeper than 1000 levels"));
    cf_arena_deinit(&arena);
}

const struct unit_test json_test[] = {
    {"broken text grows", broken_text_grows},
    {"values survive, and faults read as Go's", values_survive_and_faults_read_as_gos},
    {"nesting is bounded", nesting_is_bounded},
    {"a text ends where it ends", a_text_ends_where_it_ends},
    {"a zero byte is no escape", a_zero_byte_is_no_escape},
    {"members stand where their keys do", members_stand_where_their_keys_do},
    {0},
};
