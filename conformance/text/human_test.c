/* human_test.c: spans of time and cut lines. */
#include "conformance/text/human.h"
#include "fakes/unit.h"

#include <string.h>

#define MS INT64_C(1000000)

static void spans_are_rounded_to_the_safe_side(void)
{
    static const struct {
        int64_t ms;
        bool up;
        const char *text;
    } rows[] = {
        {0, false, "0 s"},
        {999, false, "0.9 s"},
        {999, true, "1 s"},
        {20001, false, "20 s"},
        {20001, true, "20.1 s"},
        {119999, true, "120 s"},
        {330000, false, "5 min 30 s"},
        {600000, true, "10 min"},
        {3600000, false, "1 h"},
        {7500001, true, "2 h 6 min"},
        {7500001, false, "2 h 5 min"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_out out = {0};

        cf_put_duration(&out, rows[i].ms * MS, rows[i].up);
        CHECK_TEXT(cf_out_text(&out), kp_text_of(rows[i].text));
        cf_out_deinit(&out);
    }
}

static void an_hour_keeps_its_seconds(void)
{
    static const struct {
        int64_t ms;
        bool up;
        const char *text;
    } rows[] = {
        {20001, true, "20.1 s"},     {3599001, true, "1 h"},
        {3600000, false, "1 h"},     {3621000, false, "1 h 21 s"},
        {3621001, true, "1 h 22 s"}, {4252000, false, "1 h 10 min 52 s"},
        {7200999, false, "2 h"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_out out = {0};

        cf_put_exact(&out, rows[i].ms * MS, rows[i].up);
        CHECK_TEXT(cf_out_text(&out), kp_text_of(rows[i].text));
        cf_out_deinit(&out);
    }
}

/* Also more of them than there are nanoseconds for. */
static void seconds_are_spans(void)
{
    static const struct {
        int64_t seconds;
        const char *text;
    } rows[] = {
        {30, "30 s"},
        {9223372037, "9223372037 s"},
        {INT64_MAX, "9223372036854775807 s"},
        {-1, "-1 s"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_out out = {0};

        cf_put_seconds(&out, rows[i].seconds);
        CHECK_TEXT(cf_out_text(&out), kp_text_of(rows[i].text));
        cf_out_deinit(&out);
    }
}

static void two_spans_share_their_unit(void)
{
    static const struct {
        int64_t from_ms;
        int64_t to_ms;
        const char *text;
    } rows[] = {
        {11000, 15999, "11 to 16 s"},
        {30000, 30000, "30 s"},
        {0, 4999, "0 to 5 s"},
        {100000, 130000, "100 to 130 s"},
        {120000, 135900, "120 to 136 s"},
        {20500, 600000, "20.5 to 600 s"},
        {20000, 601000, "20 s to 10 min 1 s"},
        {60900, 601000, "1 min to 10 min 1 s"},
        {105000, 720000, "1 min 45 s to 12 min"},
        {120100, 126000, "2 min to 2 min 6 s"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_out out = {0};

        cf_put_duration_range(&out, rows[i].from_ms * MS, rows[i].to_ms * MS);
        CHECK_TEXT(cf_out_text(&out), kp_text_of(rows[i].text));
        cf_out_deinit(&out);
    }
}

static void lines_are_cut_by_characters(void)
{
    struct cf_out out = {0};

    cf_out_put_string(&out, "kept as it is, whatever it is\nabcdef\nab\xc3\xa4"
                            "def\nabc\n");
    cf_cut_lines(&out, 30, 4);
    CHECK_TEXT(cf_out_text(&out),
               KP_TEXT("kept as it is, whatever it is\nabc\xe2\x80\xa6\nab\xc3\xa4"
                       "\xe2\x80\xa6\nabc\n"));
    cf_out_deinit(&out);
}

static void a_line_without_room_goes_on_below(void)
{
    static const struct {
        const char *text;
        const char *folded;
    } rows[] = {
        {"as it is\n", "as it is\n"},
        {"a line that is too wide\nb\n", "a line\n  that is\n  too wide\nb\n"},
        {"just ten c\n", "just ten c\n"},
        {"just eleven\n", "just\n  eleven\n"},
        {"just ten c and\n", "just ten c\n  and\n"},
        {"just eleve and\n", "just eleve\n  and\n"},
        {"  in from the left", "  in from\n    the\n    left"},
        {"    withoutaspace", "    withoutaspace"},
        {"withoutaspace ab\ncd\n", "withoutaspace\n  ab\ncd\n"},
        {"a line  twice\n", "a line\n  twice\n"},
        {"a withoutaspace b\n", "a\n  withoutaspace\n  b\n"},
        {"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 abcde\n", "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 abcde\n"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_out out = {0};

        cf_out_put_string(&out, rows[i].text);
        cf_fold_lines(&out, 0, 10);
        CHECK_TEXT(cf_out_text(&out), kp_text_of(rows[i].folded));
        cf_out_deinit(&out);
    }
}

static void rules_are_explained_once(void)
{
    static const struct {
        const char *text;
        const char *legend;
    } rows[] = {
        {"", ""},
        {"[s-130] [S-13] [S-130", ""},
        {"a  [S-130]\nb  [P-005]\nc  [S-130]\n", "rules: probetest explain S-130 P-005\n"},
        {"[S-001][S-002][S-003][S-004][S-005][S-006][S-007][S-008][S-009][S-010]",
         "rules: probetest explain S-001 S-002 S-003 S-004 S-005 S-006 S-007 S-008 S-009\n"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_out out = {0};
        struct cf_out wanted = {0};

        cf_out_put_string(&out, rows[i].text);
        cf_put_legend(&out);
        cf_out_printf(&wanted, "%s%s", rows[i].text, rows[i].legend);
        CHECK_TEXT(cf_out_text(&out), cf_out_text(&wanted));
        cf_out_deinit(&wanted);
        cf_out_deinit(&out);
    }
}

const struct unit_test human_test[] = {
    {"rules are explained once", rules_are_explained_once},
    {"spans are rounded to the safe side", spans_are_rounded_to_the_safe_side},
    {"an hour keeps its seconds", an_hour_keeps_its_seconds},
    {"seconds are spans", seconds_are_spans},
    {"two spans share their unit", two_spans_share_their_unit},
    {"lines are cut by characters", lines_are_cut_by_characters},
    {"a line without room goes on below", a_line_without_room_goes_on_below},
    {0},
};
