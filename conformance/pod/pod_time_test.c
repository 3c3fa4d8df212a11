/* pod_time_test.c: the times of the API.  The rows are what metav1.Time of k8s.io/apimachinery
 * v0.37.2 made of the texts. */
#include "conformance/pod/pod_tree.h"
#include "fakes/alloc.h"
#include "fakes/unit.h"

/* As far as an int64 of nanoseconds goes in whole thousands of millions of seconds. */
#define LATE INT64_C(9000000000000000000)
#define EARLY (-LATE)

/* clang-format off */
static const struct {
    const char *text;
    const char *stored; /* NULL: none */
    const char *fault;
    int64_t ns;
} rows[] = {
    {"2024-01-02T03:04:05Z", "2024-01-02T03:04:05Z", NULL, INT64_C(1704164645000000000)},
    {"2024-01-02T03:04:05+01:30", "2024-01-02T01:34:05Z", NULL, INT64_C(1704159245000000000)},
    {"2024-01-02T03:04:05-11:59", "2024-01-02T15:03:05Z", NULL, INT64_C(1704207785000000000)},
    {"2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z", NULL, INT64_C(1709251199000000000)},
    {"2023-02-29T00:00:00Z", NULL, "parsing time \"2023-02-29T00:00:00Z\": day out of range", 0},
    {"2100-02-29T00:00:00Z", NULL, "parsing time \"2100-02-29T00:00:00Z\": day out of range", 0},
    {"2100-02-28T00:00:00Z", "2100-02-28T00:00:00Z", NULL, INT64_C(4107456000000000000)},
    {"2100-03-01T00:00:00Z", "2100-03-01T00:00:00Z", NULL, INT64_C(4107542400000000000)},
    {"2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z", NULL, INT64_C(951782400000000000)},
    {"1900-03-01T00:00:00Z", "1900-03-01T00:00:00Z", NULL, INT64_C(-2203891200000000000)},
    {"1900-02-29T00:00:00Z", NULL, "parsing time \"1900-02-29T00:00:00Z\": day out of range", 0},
    {"1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z", NULL, INT64_C(-1000000000)},
    {"1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", NULL, INT64_C(0)},
    {"1970-01-01T00:00:00+00:01", "1969-12-31T23:59:00Z", NULL, INT64_C(-60000000000)},
    {"0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z", NULL, EARLY},
    {"0000-02-29T00:00:00Z", "0000-02-29T00:00:00Z", NULL, EARLY},
    {"0000-03-01T00:00:00Z", "0000-03-01T00:00:00Z", NULL, EARLY},
    {"0001-01-01T00:00:01Z", "0001-01-01T00:00:01Z", NULL, EARLY},
    {"1600-01-01T00:00:00Z", "1600-01-01T00:00:00Z", NULL, EARLY}, /* beyond int64 */
    {"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z", NULL, LATE},
    {"9999-12-31T23:59:59-00:01", "10000-01-01T00:00:59Z", NULL, LATE},
    {"2400-02-29T00:00:00Z", "2400-02-29T00:00:00Z", NULL, LATE},
    {"0400-02-29T00:00:00Z", "0400-02-29T00:00:00Z", NULL, EARLY},
    {"2500-02-29T00:00:00Z", NULL, "parsing time \"2500-02-29T00:00:00Z\": day out of range", 0},
    {"2024-04-30T00:00:00Z", "2024-04-30T00:00:00Z", NULL, INT64_C(1714435200000000000)},
    {"2024-04-31T00:00:00Z", NULL, "parsing time \"2024-04-31T00:00:00Z\": day out of range", 0},
    {"2024-06-30T00:00:00Z", "2024-06-30T00:00:00Z", NULL, INT64_C(1719705600000000000)},
    {"2024-06-31T00:00:00Z", NULL, "parsing time \"2024-06-31T00:00:00Z\": day out of range", 0},
    {"2024-07-31T00:00:00Z", "2024-07-31T00:00:00Z", NULL, INT64_C(1722384000000000000)},
    {"2024-08-31T00:00:00Z", "2024-08-31T00:00:00Z", NULL, INT64_C(1725062400000000000)},
    {"2024-08-32T00:00:00Z", NULL, "parsing time \"2024-08-32T00:00:00Z\": day out of range", 0},
    {"2024-09-30T00:00:00Z", "2024-09-30T00:00:00Z", NULL, INT64_C(1727654400000000000)},
    {"2024-09-31T00:00:00Z", NULL, "parsing time \"2024-09-31T00:00:00Z\": day out of range", 0},
    {"2024-11-31T00:00:00Z", NULL, "parsing time \"2024-11-31T00:00:00Z\": day out of range", 0},
    {"2024-12-31T00:00:00Z", "2024-12-31T00:00:00Z", NULL, INT64_C(1735603200000000000)},
    {"2024-01-00T00:00:00Z", NULL, "parsing time \"2024-01-00T00:00:00Z\": day out of range", 0},
    {"2024-00-01T00:00:00Z", NULL, "parsing time \"2024-00-01T00:00:00Z\": month out of range", 0},
    {"2024-13-01T00:00:00Z", NULL, "parsing time \"2024-13-01T00:00:00Z\": month out of range", 0},
    {"2024-1-01T00:00:00Z", NULL, "parsing time \"2024-1-01T00:00:00Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"1-01T00:00:00Z\" as \"01\"", 0},
    {"2024-01-1T00:00:00Z", NULL, "parsing time \"2024-01-1T00:00:00Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"1T00:00:00Z\" as \"02\"", 0},
    {"24-01-01T00:00:00Z", NULL, "parsing time \"24-01-01T00:00:00Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"24-01-01T00:00:00Z\" as \"2006\"", 0},
    {"2024-01-02T3:04:05Z", "2024-01-02T03:04:05Z", NULL, INT64_C(1704164645000000000)},
    {"2024-01-02T24:04:05Z", NULL, "parsing time \"2024-01-02T24:04:05Z\": hour out of range", 0},
    {"2024-01-02T23:60:05Z", NULL, "parsing time \"2024-01-02T23:60:05Z\": minute out of range", 0},
    {"2024-01-02T23:59:60Z", NULL, "parsing time \"2024-01-02T23:59:60Z\": second out of range", 0},
    {"2024-01-02T23:5:05Z", NULL, "parsing time \"2024-01-02T23:5:05Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"5:05Z\" as \"04\"", 0},
    {"2024-01-02T23:59:5Z", NULL, "parsing time \"2024-01-02T23:59:5Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"5Z\" as \"05\"", 0},
    {"2024-01-02T23:59", NULL, "parsing time \"2024-01-02T23:59\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \":\"", 0},
    {"2024-01-02T23-59:05Z", NULL, "parsing time \"2024-01-02T23-59:05Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"-59:05Z\" as \":\"", 0},
    {"2024-01-02T23:59-05Z", NULL, "parsing time \"2024-01-02T23:59-05Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"-05Z\" as \":\"", 0},
    {"2024-", NULL, "parsing time \"2024-\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"01\"", 0},
    {"2024-01-02T03:", NULL, "parsing time \"2024-01-02T03:\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"04\"", 0},
    {"2024-01-02", NULL, "parsing time \"2024-01-02\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"T\"", 0},
    {"2024-01-02 03:04:05Z", NULL, "parsing time \"2024-01-02 03:04:05Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \" 03:04:05Z\" as \"T\"", 0},
    {"2024/01/02T03:04:05Z", NULL, "parsing time \"2024/01/02T03:04:05Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"/01/02T03:04:05Z\" as \"-\"", 0},
    {"2024-01-02T:04:05Z", NULL, "parsing time \"2024-01-02T:04:05Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \":04:05Z\" as \"15\"", 0},
    {"2024-01-02T03:04:05", NULL, "parsing time \"2024-01-02T03:04:05\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05z", NULL, "parsing time \"2024-01-02T03:04:05z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"z\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05ZZ", NULL, "parsing time \"2024-01-02T03:04:05ZZ\": extra text: \"Z\"", 0},
    {"2024-01-02T03:04:05Z ", NULL, "parsing time \"2024-01-02T03:04:05Z \": extra text: \" \"", 0},
    {"2024-01-02T03:04:05z07:00", NULL, "parsing time \"2024-01-02T03:04:05z07:00\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"z07:00\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05 07:00", NULL, "parsing time \"2024-01-02T03:04:05 07:00\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \" 07:00\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05,07:00", NULL, "parsing time \"2024-01-02T03:04:05,07:00\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \":00\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05+1:00", NULL, "parsing time \"2024-01-02T03:04:05+1:00\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"+1:00\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05+01", NULL, "parsing time \"2024-01-02T03:04:05+01\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"+01\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05+0100", NULL, "parsing time \"2024-01-02T03:04:05+0100\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"+0100\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05+01:0", NULL, "parsing time \"2024-01-02T03:04:05+01:0\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"+01:0\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05+24:00", "2024-01-01T03:04:05Z", NULL, INT64_C(1704078245000000000)},
    {"2024-01-02T03:04:05+25:00", NULL, "parsing time \"2024-01-02T03:04:05+25:00\": time zone offset hour out of range", 0},
    {"2024-01-02T03:04:05+23:60", "2024-01-01T03:04:05Z", NULL, INT64_C(1704078245000000000)},
    {"2024-01-02T03:04:05+23:61", NULL, "parsing time \"2024-01-02T03:04:05+23:61\": time zone offset minute out of range", 0},
    {"2024-01-02T03:04:05*01:00", NULL, "parsing time \"2024-01-02T03:04:05*01:00\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"*01:00\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05+a1:00", NULL, "parsing time \"2024-01-02T03:04:05+a1:00\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"+a1:00\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05+1a:00", NULL, "parsing time \"2024-01-02T03:04:05+1a:00\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"+1a:00\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05+01:a0", NULL, "parsing time \"2024-01-02T03:04:05+01:a0\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"+01:a0\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05+01:0a", NULL, "parsing time \"2024-01-02T03:04:05+01:0a\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"+01:0a\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05+01-00", NULL, "parsing time \"2024-01-02T03:04:05+01-00\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"+01-00\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05+01:00x", NULL, "parsing time \"2024-01-02T03:04:05+01:00x\": extra text: \"x\"", 0},
    {"2024-01-02T03:04:05.1Z", "2024-01-02T03:04:05Z", NULL, INT64_C(1704164645100000000)},
    {"2024-01-02T03:04:05.123456789Z", "2024-01-02T03:04:05Z", NULL, INT64_C(1704164645123456789)},
    {"2024-01-02T03:04:05.9999999999Z", "2024-01-02T03:04:05Z", NULL, INT64_C(1704164645999999999)},
    {"2024-01-02T03:04:05,5Z", "2024-01-02T03:04:05Z", NULL, INT64_C(1704164645500000000)},
    {"2024-01-02T03:04:05.Z", NULL, "parsing time \"2024-01-02T03:04:05.Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \".Z\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05.xZ", NULL, "parsing time \"2024-01-02T03:04:05.xZ\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \".xZ\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05.5", NULL, "parsing time \"2024-01-02T03:04:05.5\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"Z07:00\"", 0},
    {"2024-01-02T03:04:05.5+01:00", "2024-01-02T02:04:05Z", NULL, INT64_C(1704161045500000000)},
    {"", NULL, "parsing time \"\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"2006\"", 0},
    {"x", NULL, "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\"", 0},
    {"\"", NULL, "parsing time \"\\\"\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\\\"\" as \"2006\"", 0},
    {"a\\b", NULL, "parsing time \"a\\\\b\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"a\\\\b\" as \"2006\"", 0},
    {"\303\251", NULL, "parsing time \"\\xc3\\xa9\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\\xc3\\xa9\" as \"2006\"", 0},
    {"\001", NULL, "parsing time \"\\x01\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\\x01\" as \"2006\"", 0},
    {"\037\177", NULL, "parsing time \"\\x1f\177\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\\x1f\177\" as \"2006\"", 0},
    {"2024-01-02T03:04:05Z\"", NULL, "parsing time \"2024-01-02T03:04:05Z\\\"\": extra text: \"\\\"\"", 0},
    {"20240-01-02T03:04:05Z", NULL, "parsing time \"20240-01-02T03:04:05Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"0-01-02T03:04:05Z\" as \"-\"", 0},
    {"-024-01-02T03:04:05Z", NULL, "parsing time \"-024-01-02T03:04:05Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"-024-01-02T03:04:05Z\" as \"2006\"", 0},
    {"2024-02-30T03:04:05Zx", NULL, "parsing time \"2024-02-30T03:04:05Zx\": extra text: \"x\"", 0},
};
/* clang-format on */

static void times_are_read_and_stored_as_the_api_server_does(void)
{
    struct kp_mem mem = fake_alloc_plain();
    struct cf_arena arena;

    arena = (struct cf_arena){.mem = &mem};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_text text = kp_text_of(rows[i].text);
        struct cf_time time;

        CHECK_TEXT(cf_time_fault(&arena, text), kp_text_of(rows[i].fault ? rows[i].fault : ""));
        CHECK_INT(cf_time_ns(text), rows[i].ns);
        if (CHECK_INT(cf_time_parse(text, &time), rows[i].stored != NULL) && rows[i].stored)
            CHECK_TEXT(cf_time_format(&arena, &time), kp_text_of(rows[i].stored));
    }
    CHECK_TEXT(cf_time_fault(&arena, (struct kp_text){"2024-01-02T03:04:05Z", 19}),
               KP_TEXT("parsing time \"2024-01-02T03:04:05\" as \"2006-01-02T15:04:05Z07:00\": "
                       "cannot parse \"\" as \"Z07:00\""));
    cf_arena_deinit(&arena);
}

/* A time is printed as Go prints it, also where int64 nanoseconds do not reach. */
static void times_of_all_years(void)
{
    static const struct {
        const char *yaml;
        const char *printed;
    } years[] = {
        {"2024-02-29T23:59:59.999Z", "2024-02-29T23:59:59Z"},
        {"2024-01-01T00:30:00+01:00", "2023-12-31T23:30:00Z"},
        {"1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59Z"},
        {"1684-10-19T08:00:00Z", "1684-10-19T08:00:00Z"},
        {"1162-01-01T00:00:00Z", "1162-01-01T00:00:00Z"},
        {"0000-02-29T00:00:00Z", "0000-02-29T00:00:00Z"},
        {"0000-01-01T00:00:00+01:00", "-0001-12-31T23:00:00Z"},
        {"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"},
        {"9999-12-31T23:59:59-01:00", "10000-01-01T00:59:59Z"},
    };

    for (size_t i = 0; i < sizeof years / sizeof years[0]; i++) {
        struct cf_time time;
        struct cf_arena arena = {.mem = cf_libc_mem()};

        CHECK(cf_time_parse(kp_text_of(years[i].yaml), &time));
        CHECK_TEXT(cf_time_format(&arena, &time), kp_text_of(years[i].printed));
        cf_arena_deinit(&arena);
    }
}

const struct unit_test pod_time_test[] = {
    {"times are read and stored as the API server does",
     times_are_read_and_stored_as_the_api_server_does},
    {"times of all years", times_of_all_years},
    {0},
};
