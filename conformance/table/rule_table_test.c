#include "conformance/table/rule_table.h"

#include "fakes/unit.h"

#define FILE_OF(cases)                                                                             \
    "about: x\ndefaults: {layer: port, port: 80, is: 80, why: because}\ncases:\n" cases

/* What a rule lacks in a table of these cases. */
static void check_holes(const char *id, const char *file, const char *wanted)
{
    struct cf_suite suite = {.arena.mem = cf_libc_mem()};
    struct cf_out out = {0};

    if (CHECK_INT(cf_suite_add(&suite, "f.yaml", kp_text_of(file)), KP_OK)) {
        cf_rule_put_holes(&out, &suite, kp_rule_find(kp_text_of(id)));
        cf_out_put_char(&out, '\0');
        CHECK_STRING(out.bytes, wanted);
    }
    cf_out_deinit(&out);
    cf_suite_deinit(&suite);
}

static void borders_come_from_the_rule_and_its_switches(void)
{
    static const struct {
        const char *id;
        int borders[6]; /* ended by 0 */
    } rows[] = {
        {"P-046", {0}},
        {"P-014", {21000, 0}},                             /* up to 1.20 */
        {"P-015", {21000, 0}},                             /* from 1.21 */
        {"P-160", {35000, 36000, 36003, 37000, 0}},        /* to 1.36, with a gap */
        {"P-153", {22011, 23000, 23008, 24000, 24002, 0}}, /* all of them by a switch */
        {"S-020", {36000, 0}},                             /* by a gate */
        {"P-164", {22000, 0}}, /* 1.21 is a boundary of its switch, before it was there */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int borders[CF_BORDERS_MAX] = {0};
        size_t count = cf_rule_borders(kp_rule_find(kp_text_of(rows[i].id)), borders);

        for (size_t k = 0; k < count; k++)
            CHECK_INT(borders[k], rows[i].borders[k]);
        CHECK_INT(rows[i].borders[count], 0);
    }
}

static void both_sides_of_a_border_want_a_case(void)
{
    check_holes("P-014",
                FILE_OF("  - {id: a, rules: [P-014], until: \"1.20\"}\n"
                        "  - {id: b, rules: [P-014], since: \"1.21\"}\n"),
                "");
    check_holes("P-014", FILE_OF("  - {id: a, rules: [P-014]}\n"),
                "P-014: no case of it begins with 1.21, and at 1.21 it changes\n"
                "P-014: no case of it ends with 1.20, and at 1.21 it changes\n");
    check_holes("P-160",
                FILE_OF("  - {id: a, rules: [P-160], since: \"1.35\", until: \"1.35\"}\n"
                        "  - {id: b, rules: [P-160], until: \"1.34\"}\n"
                        "  - {id: c, rules: [P-160], since: \"1.36\", until: \"1.36.2\"}\n"
                        "  - {id: d, rules: [P-160], since: \"1.36.3\", until: \"1.36.9\"}\n"
                        "  - {id: e, rules: [P-160], since: \"1.37\"}\n"),
                "P-160: no case of it ends with 1.36, and at 1.37 it changes\n");
}

static void a_rule_wants_a_case_unless_it_is_silent(void)
{
    check_holes("P-046", FILE_OF("  - {id: a, rules: [P-047]}\n"), "P-046: no case shows it\n");
    check_holes("P-076", FILE_OF("  - {id: a, rules: [P-047]}\n"), "");
}

static void a_rule_stands_in_the_code(void)
{
    const struct cf_rule_place *place = cf_rule_place_next(KP_RULE_BELOW_THRESHOLD, NULL);

    if (CHECK(place != NULL)) {
        CHECK_STRING(place->file, "core/prober/worker.c");
        CHECK_STRING(place->name, "kp_worker_count");
        CHECK(cf_rule_place_next(KP_RULE_BELOW_THRESHOLD, place) == NULL);
    }
}

static void a_rule_goes_by_its_id_and_by_its_name(void)
{
    static const char *const none[] = {"",        "P-33",    "KP_RULE_", "NONE", "KP_RULE_NONE",
                                       "on_hold", "ON_HOLD_"};

    for (int rule = KP_RULE_NONE + 1; rule < KP_RULES; rule++)
        CHECK_INT(cf_rule_typed(kp_rule_get((enum kp_rule)rule)->name), rule);
    CHECK_INT(cf_rule_typed("KP_RULE_ON_HOLD"), KP_RULE_ON_HOLD);
    CHECK_INT(cf_rule_typed("p-033"), KP_RULE_ON_HOLD);
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        CHECK_INT(cf_rule_typed(none[i]), KP_RULE_NONE);
}

const struct unit_test rule_table_test[] = {
    {"a rule goes by its id and by its name", a_rule_goes_by_its_id_and_by_its_name},
    {"borders come from the rule and its switches", borders_come_from_the_rule_and_its_switches},
    {"both sides of a border want a case", both_sides_of_a_border_want_a_case},
    {"a rule wants a case unless it is silent", a_rule_wants_a_case_unless_it_is_silent},
    {"a rule stands in the code", a_rule_stands_in_the_code},
    {0},
};
