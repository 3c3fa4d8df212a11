#include "conformance/text/out.h"
#include "fakes/unit.h"

#include <string.h>

static void json_strings_are_escaped_and_valid(void)
{
    static const struct {
        const char *in;
        size_t len;
        const char *out;
    } rows[] = {
        {"", 0, "\"\""},
        {"a\"b\\c", 5, "\"a\\\"b\\\\c\""},
        {"\n\t\r\x01\0", 5, "\"\\n\\t\\r\\u0001\\u0000\""},
        {"\x7f", 1, "\"\\u007f\""},
        {"gr\xC3\xBC\xC3\x9F", 6, "\"gr\xC3\xBC\xC3\x9F\""},
        {"\xE2\x82", 2, "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},                   /* cut in the middle */
        {"\xED\xA0\x80x", 4, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDx\""}, /* a surrogate */
        {"\xF0\x9F\x98\x80", 4, "\"\xF0\x9F\x98\x80\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_out out = {0};

        cf_out_put_json(&out, (struct kp_text){rows[i].in, rows[i].len});
        CHECK_TEXT(cf_out_text(&out), kp_text_of(rows[i].out));
        cf_out_deinit(&out);
    }
}

/* Around the sizes at which it grows: written whole by each way of writing. */
static void it_grows_at_any_size(void)
{
    static const size_t sizes[] = {0, 1, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025};
    char text[1100];

    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const struct kp_text wanted = {text, sizes[i]};
        struct cf_out out = {0};

        cf_out_printf(&out, "%.*s", (int)sizes[i], text);
        CHECK_TEXT(cf_out_text(&out), wanted);
        cf_out_deinit(&out);
        cf_out_put(&out, wanted);
        CHECK_TEXT(cf_out_text(&out), wanted);
        cf_out_deinit(&out);
        for (size_t k = 0; k < sizes[i]; k++)
            cf_out_put_char(&out, 'x');
        CHECK_TEXT(cf_out_text(&out), wanted);
        cf_out_deinit(&out);
    }
}

static void members_bring_their_commas(void)
{
    struct cf_out out = {0};

    cf_out_put_char(&out, '{');
    cf_json_int(&out, "a", INT64_MIN);
    cf_json_bool(&out, "b", true);
    cf_json_key(&out, "c");
    cf_out_put_char(&out, '[');
    cf_json_comma(&out);
    cf_out_put_int(&out, 0);
    cf_json_comma(&out);
    cf_out_put_int(&out, -7);
    cf_out_put_char(&out, ']');
    cf_json_string(&out, "d", "x");
    cf_out_put_char(&out, '}');
    CHECK_TEXT(cf_out_text(&out),
               KP_TEXT("{\"a\":-9223372036854775808,\"b\":true,\"c\":[0,-7],\"d\":\"x\"}"));
    cf_out_deinit(&out);
}

static void what_is_no_utf8_has_no_length(void)
{
    static const char *const wrong[] = {"\x80",         "\xC0\x80",         "\xC1\xBF",
                                        "\xE0\x9F\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
                                        "\xFF",         "\xE2\x28\xA1",     "\xC3"};

    CHECK_INT(cf_utf8_length(KP_TEXT("")), 0);
    CHECK_INT(cf_utf8_length(KP_TEXT("a")), 1);
    CHECK_INT(cf_utf8_length(KP_TEXT("\xF4\x8F\xBF\xBF")), 4);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_INT(cf_utf8_length(kp_text_of(wrong[i])), 0);
}

const struct unit_test out_test[] = {
    {"JSON strings are escaped and valid", json_strings_are_escaped_and_valid},
    {"it grows at any size", it_grows_at_any_size},
    {"members bring their commas", members_bring_their_commas},
    {"what is no UTF-8 has no length", what_is_no_utf8_has_no_length},
    {0},
};
