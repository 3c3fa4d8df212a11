#include "conformance/text/json.h"
#include "fakes/unit.h"

#include <string.h>

static struct kp_text again(struct cf_arena *arena, struct kp_text json)
{
    struct cf_node *node;
    struct cf_fault fault;

    if (cf_json_parse(arena, json, &node, &fault) == KP_OK)
        return cf_node_json(arena, node);
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
    struct cf_arena arena = {.mem = cf_libc_mem()};
    char deep[5000];

    memset(deep, '[', sizeof deep);
    CHECK_TEXT(again(&arena, (struct kp_text){deep, sizeof deep}),
               KP_TEXT("! 1:1001 nested deeper than 1000 levels"));
    cf_arena_deinit(&arena);
}

const struct unit_test json_test[] = {
    {"broken text grows", broken_text_grows},
    {"values survive, and faults read as Go's", values_survive_and_faults_read_as_gos},
    {"nesting is bounded", nesting_is_bounded},
    {0},
};
