#include "conformance/table/case_read.h"
#include "fakes/unit.h"

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

const struct unit_test case_read_test[] = {
    {"durations have an end", durations_have_an_end},
    {0},
};
