#include "conformance/table/selection.h"

#include "conformance/table/list.h"
#include "fakes/unit.h"

#include <string.h>

static const char table[] =
    "about: x\ncases:\n"
    "  - {id: one, why: because, rules: [P-046], layer: port, port: 1, is: 1}\n"
    "  - {id: two.old, why: because, rules: [P-047], until: \"1.20\", layer: port, port: 1, is: "
    "1}\n"
    "  - {id: two.new, why: because, rules: [P-047], since: \"1.21\", upstream: [TestUpdates], "
    "layer: "
    "port, port: 1, is: 1}\n"
    "  - {id: patch, why: because, rules: [P-160], since: \"1.36.0\", until: \"1.36.2\", layer: "
    "port, port: 1, is: 1}\n";

/* "id@version" of what was selected, or the complaint. */
static const char *selected(const char *k8s, const char *upstream, const char *pattern)
{
    static char out[2048];
    char *patterns[] = {(char *)pattern, NULL};
    struct cf_suite suite;
    struct cf_selection selection = {
        .k8s = k8s, .upstream = upstream, .patterns = patterns, .pattern_count = pattern != NULL};
    const char *complaint;

    cf_suite_init(&suite, cf_libc_mem());
    out[0] = '\0';
    selection.arena = &suite.arena;
    CHECK_INT(cf_suite_add(&suite, "topic.yaml", kp_text_of(table)), KP_OK);
    complaint = cf_select(&selection, &suite);
    for (size_t i = 0; !complaint && i < selection.count; i++) {
        strncat(out, selection.list[i].item->id.bytes, 100);
        strcat(out, "@");
        strcat(out, selection.list[i].version);
        strcat(out, " ");
    }
    if (complaint)
        strncat(out, complaint, 200);
    cf_suite_deinit(&suite);
    return out;
}

static void each_case_at_its_newest_version(void)
{
    CHECK_STRING(selected(NULL, NULL, NULL), "one@1.37 two.old@1.20 two.new@1.37 patch@1.36.0 ");
}

static void versions_choose_cases(void)
{
    CHECK_STRING(selected("1.20", NULL, NULL), "one@1.20 two.old@1.20 ");
    CHECK_STRING(selected("1.20,1.21", NULL, "two"), "two.old@1.20 two.new@1.21 ");
    CHECK_STRING(selected("1.36.1", NULL, "patch"), "patch@1.36.1 ");
    CHECK_STRING(selected("1.36", NULL, "patch"), "no case applies to that version");
    CHECK_STRING(selected("1.36,", NULL, NULL), "'1.36,' is no version from 1.15 to 1.37");
    CHECK_STRING(selected(",1.36", NULL, NULL), "',1.36' is no version from 1.15 to 1.37");
    CHECK_STRING(selected("", NULL, NULL), "'' is no version from 1.15 to 1.37");
    CHECK_STRING(selected("1.99", NULL, NULL), "'1.99' is no version from 1.15 to 1.37");
}

static void patterns_choose_cases(void)
{
    CHECK_STRING(selected("1.30", NULL, "topic"), "one@1.30 two.new@1.30 ");
    CHECK_STRING(selected("1.30", NULL, "P-047"), "two.new@1.30 ");
    CHECK_STRING(selected("1.30", NULL, "^o"), "one@1.30 ");
    CHECK_STRING(selected("1.30", "TestUpdates", NULL), "two.new@1.30 ");
    CHECK_STRING(selected("1.30", NULL, "three"), "no case is called 'three'");
    CHECK_STRING(selected("1.30", NULL, ""), "'' chooses no case");
    CHECK(strncmp(selected("1.30", NULL, "("), "'(': ", 5) == 0);
}

static void versions_read_well(void)
{
    static const struct {
        int since;
        int until;
        const char *text;
    } rows[] = {
        {15000, 37999, "all"},         {21000, 37999, "from 1.21"},
        {15000, 20999, "to 1.20"},     {22000, 31999, "1.22 to 1.31"},
        {35000, 35999, "1.35"},        {36000, 36002, "1.36 to 1.36.2"},
        {36003, 37999, "from 1.36.3"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cf_out out = {0};

        cf_put_versions(&out, rows[i].since, rows[i].until);
        CHECK_TEXT(cf_out_text(&out), kp_text_of(rows[i].text));
        cf_out_deinit(&out);
    }
}

const struct unit_test selection_test[] = {
    {"each case at its newest version", each_case_at_its_newest_version},
    {"versions choose cases", versions_choose_cases},
    {"patterns choose cases", patterns_choose_cases},
    {"versions read well", versions_read_well},
    {0},
};
