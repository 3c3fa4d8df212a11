#include "conformance/text/durations.h"
#include "core/base/duration.h"
#include "fakes/unit.h"

#define NONE INT64_MIN

static void durations_have_an_end(void)
{
    static const struct {
        const char *text;
        bool is_one;
    } rows[] = {
        {"1111h6m40s", true}, {"-1111h6m40s", true}, {"1111h6m40.001s", false},
        {"600h600h", false},  {"1112h", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t ns;

        unit_check_int(cf_parse_duration(kp_text_of(rows[i].text), &ns), rows[i].is_one,
                       rows[i].text, __FILE__, __LINE__);
    }
}

/* A number of at most three decimals and a unit, as often as one likes. */
static void durations_are_read_to_the_millisecond(void)
{
    static const struct {
        const char *text;
        int64_t ms; /* NONE: it is none */
    } rows[] = {
        {"0s", 0},
        {"1s", 1000},
        {"1.5s", 1500},
        {"1.125s", 1125},
        {"1.1255s", NONE},
        {"1.s", NONE},
        {".5s", NONE},
        {"1..5s", NONE},
        {"250ms", 250},
        {"0.5ms", NONE},
        {"1m", 60000},
        {"1.5m", 90000},
        {"1h1m1s1ms", 3661001},
        {"1s1s", 2000},
        {"-3s", -3000},
        {"+3s", 3000},
        {"-", NONE},
        {"", NONE},
        {"5", NONE},
        {"5us", NONE},
        {"5 s", NONE},
        {"--5s", NONE},
        {"1m-5s", NONE},
        {"5S", NONE},
        {"0.001s", 1},
        {"0.001h", 3600},
        {"0.0001h", NONE},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t ns;

        if (unit_check_int(cf_parse_duration(kp_text_of(rows[i].text), &ns), rows[i].ms != NONE,
                           rows[i].text, __FILE__, __LINE__) &&
            rows[i].ms != NONE)
            unit_check_int(ns, rows[i].ms * KP_NS_PER_MS, rows[i].text, __FILE__, __LINE__);
    }
}

/* Seconds as int64 has them; -1: none. */
static void graces_are_all_that_the_api_takes(void)
{
    static const struct {
        const char *text;
        int64_t grace_s;
        const char *put;
    } rows[] = {
        {"30s", 30, "30s"},
        {"1m20s", 80, "1m20s"},
        {"80s", 80, "1m20s"},
        {"1111h6m40s", 4000000, "1111h6m40s"},
        {"4000001s", 4000001, "4000001s"},
        {"9223372036s", 9223372036, "9223372036s"},
        {"9223372036854775807s", INT64_MAX, "9223372036854775807s"},
        {"9223372036854775808s", -1, ""},
        {"92233720368547758070s", -1, ""},
        {"1.5s", -1, ""},
        {"9223372036", -1, ""},
        {"9223372036m", -1, ""},
        {"9223372036ss", -1, ""},
        {"s", -1, ""},
        {"", -1, ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char bytes[40];
        struct kp_buf buf = {bytes, sizeof bytes, 0};
        int64_t grace_s;

        unit_check_int(cf_parse_grace(kp_text_of(rows[i].text), &grace_s), rows[i].grace_s >= 0,
                       rows[i].text, __FILE__, __LINE__);
        if (rows[i].grace_s < 0)
            continue;
        unit_check_int(grace_s, rows[i].grace_s, rows[i].text, __FILE__, __LINE__);
        cf_put_grace(&buf, grace_s);
        unit_check_text(kp_buf_text(&buf), kp_text_of(rows[i].put), rows[i].text, __FILE__,
                        __LINE__);
    }
}

const struct unit_test durations_test[] = {
    {"durations are read to the millisecond", durations_are_read_to_the_millisecond},
    {"durations have an end", durations_have_an_end},
    {"graces are all that the API takes", graces_are_all_that_the_api_takes},
    {0},
};
