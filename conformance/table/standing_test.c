#include "conformance/protocol/wire.h"
#include "conformance/table/standing.h"

#include "fakes/unit.h"

#include <string.h>

static const char table[] =
    "about: x\ncases:\n"
    "  - {id: firm, why: \"one thing: and more\", rules: [P-132], layer: port, port: 1, is: 1}\n"
    "  - {id: words, why: w, rules: [P-132, E-004], layer: port, port: a, invalid: b}\n"
    "  - {id: family, why: a sentence, rules: [P-132], layer: port, rows: [{id: a, port: 1, is: "
    "1}, "
    "{id: b, why: of a row, port: 2, is: 2}]}\n";

static void load(struct cf_suite *suite, const char *path)
{
    *suite = (struct cf_suite){.arena.mem = cf_libc_mem()};
    suite->folder = "cases";
    CHECK_INT(cf_suite_add(suite, path, kp_text_of(table)), KP_OK);
}

static void a_case_stands_as_its_weakest_rule(void)
{
    struct cf_suite suite;

    load(&suite, "cases/port/x.yaml");
    CHECK_INT(cf_case_standing(&suite.cases[0]), KP_STANDING_KUBELET);
    CHECK_INT(cf_case_standing(&suite.cases[1]), KP_STANDING_WORDING);
    CHECK(!cf_tier_has(CF_TIER_CONTRACT, &suite.cases[0]));
    CHECK(cf_tier_has(CF_TIER_KUBELET, &suite.cases[0]));
    CHECK(!cf_tier_has(CF_TIER_KUBELET, &suite.cases[1]));
    CHECK(cf_tier_has(CF_TIER_EXACT, &suite.cases[1]));
    cf_suite_deinit(&suite);
}

static void the_contract_is_a_folder(void)
{
    struct cf_suite suite;
    struct cf_out out = {0};

    load(&suite, "cases/contract/x.yaml");
    CHECK_INT(cf_case_standing(&suite.cases[0]), KP_STANDING_CONTRACT);
    CHECK(cf_tier_has(CF_TIER_CONTRACT, &suite.cases[0]));
    CHECK(!cf_tier_has(CF_TIER_CONTRACT, &suite.cases[1]));
    CHECK_INT(cf_put_contract(&out, &suite), 4);
    CHECK(strncmp(out.bytes, "1. x\n\n1.1   one thing: and more\n      firm\n      P-132: ", 56) ==
          0);
    CHECK(strstr(out.bytes, "1.3   a sentence\n      family, 2 cases\n") != NULL);
    cf_out_clear(&out);
    CHECK(cf_contract_put_holes(&out, &suite) > 1);
    CHECK(strstr(out.bytes, "words: a case of contract/ shows a rule that nothing promises\n"));
    CHECK(strstr(out.bytes, "P-039: it is documented, and no case of contract/ shows it\n"));
    CHECK(!strstr(out.bytes, "P-132: "));
    cf_out_deinit(&out);
    cf_suite_deinit(&suite);
}

static void tiers_have_names(void)
{
    for (int tier = 0; tier < CF_TIERS; tier++)
        CHECK_INT(cf_find_word(&cf_tier_words, kp_text_of(cf_tier_name((enum cf_tier)tier))), tier);
    CHECK(cf_find_word(&cf_tier_words, KP_TEXT("Contract")) < 0);
    CHECK(cf_find_word(&cf_tier_words, KP_TEXT("")) < 0);
}

const struct unit_test standing_test[] = {
    {"a case stands as its weakest rule", a_case_stands_as_its_weakest_rule},
    {"the contract is a folder", the_contract_is_a_folder},
    {"tiers have names", tiers_have_names},
    {0},
};
