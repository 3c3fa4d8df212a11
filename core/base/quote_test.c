#include "core/base/quote.h"
#include "fakes/unit.h"

static void check_quoted(struct kp_text in, const char *want)
{
    char storage[64];
    struct kp_buf buf = {storage, sizeof storage, 0};

    kp_buf_put_quoted(&buf, in);
    CHECK_TEXT(kp_buf_text(&buf), kp_text_of(want));
}

static void quoting_is_strconv_quote(void)
{
    static const struct {
        struct kp_text in;
        const char *want;
    } rows[] = {
        {{"", 0}, "\"\""},
        {{"a\"b\\c", 5}, "\"a\\\"b\\\\c\""},
        {{"\t\n\0\x7f", 4}, "\"\\t\\n\\x00\\x7f\""},
        {{"\x06\a\b\t\n\v\f\r\x0e", 9}, "\"\\x06\\a\\b\\t\\n\\v\\f\\r\\x0e\""},
        {{"\xc3\xa9", 2}, "\"\xc3\xa9\""},
        {{"\xc2\x80", 2}, "\"\\u0080\""}, /* the first of two bytes, of three, of four */
        {{"\xe0\xa0\x80", 3}, "\"\xe0\xa0\x80\""},
        {{"\xf0\x90\x80\x80", 4}, "\"\xf0\x90\x80\x80\""},
        {{"\xee\x80\x80", 3}, "\"\\ue000\""},         /* behind the surrogates */
        {{"\xf4\x8f\xbf\xbf", 4}, "\"\\U0010ffff\""}, /* the last */
        {{"\xe2\x80\xa8", 3}, "\"\\u2028\""},
        {{"\xf3\xa0\x80\x81", 4}, "\"\\U000e0001\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_quoted(rows[i].in, rows[i].want);
}

/* No pod can say them: what comes from the API is UTF-8. An exec's output is not always. */
static void bytes_that_are_no_utf_8_are_quoted_one_by_one(void)
{
    static const struct {
        struct kp_text in;
        const char *want;
    } rows[] = {
        {{"\x80", 1}, "\"\\x80\""},
        {{"\xc1\xbf", 2}, "\"\\xc1\\xbf\""},                   /* two bytes for one */
        {{"\xc3", 1}, "\"\\xc3\""},                            /* cut off */
        {{"\xc3\xa9", 1}, "\"\\xc3\""},                        /* the rest is not the text's */
        {{"\xc3x", 2}, "\"\\xc3x\""},                          /* not followed up */
        {{"\xe0\x9f\xbf", 3}, "\"\\xe0\\x9f\\xbf\""},          /* three for two */
        {{"\xed\xa0\x80", 3}, "\"\\xed\\xa0\\x80\""},          /* the first surrogate */
        {{"\xed\xbf\xbf", 3}, "\"\\xed\\xbf\\xbf\""},          /* and the last */
        {{"\xf0\x8f\xbf\xbf", 4}, "\"\\xf0\\x8f\\xbf\\xbf\""}, /* four for three */
        {{"\xf4\x90\x80\x80", 4}, "\"\\xf4\\x90\\x80\\x80\""}, /* behind the last rune */
        {{"\xf5\x80\x80\x80", 4}, "\"\\xf5\\x80\\x80\\x80\""},
        {{"\xff", 1}, "\"\\xff\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_quoted(rows[i].in, rows[i].want);
}

const struct unit_test quote_test[] = {
    {"quoting is strconv.Quote", quoting_is_strconv_quote},
    {"bytes that are no UTF-8 are quoted one by one",
     bytes_that_are_no_utf_8_are_quoted_one_by_one},
    {0},
};
