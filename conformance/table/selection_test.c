#include "conformance/table/selection.h"

#include "conformance/table/list.h"
#include "conformance/table/version.h"
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

/* Where the table is read from: its folder is a part of each topic's name. */
static const char *file_name = "cases/layer/topic.yaml";
/* What an implementation plays; none: that is not asked. */
static struct kp_text texts[3];
static struct kp_text_list played = {texts, 0};

/* "id@version" of what was selected, or the error. */
static const char *selected_of(const char *file, const char *k8s, const char *upstream,
                               const char *pattern, const char *without)
{
    static char out[2048];
    char *patterns[] = {(char *)pattern, NULL};
    struct cf_suite suite = {.arena.mem = cf_libc_mem()};
    struct cf_selection selection = {.k8s = k8s,
                                     .upstream = upstream,
                                     .patterns = patterns,
                                     .pattern_count = pattern != NULL,
                                     .without = without};
    const char *error;

    out[0] = '\0';
    selection.arena = &suite.arena;
    suite.folder = "cases";
    CHECK_INT(cf_suite_add(&suite, file_name, kp_text_of(file)), KP_OK);
    error = cf_select(&selection, &suite);
    if (!error && played.count > 0)
        cf_select_among(&selection, played);
    for (size_t i = 0; !error && i < selection.count; i++) {
        strncat(out, selection.list[i].item->id.bytes, 100);
        strcat(out, "@");
        strcat(out, selection.list[i].version);
        strcat(out, " ");
    }
    if (error)
        strncat(out, error, 200);
    cf_suite_deinit(&suite);
    return out;
}

static const char *selected(const char *k8s, const char *upstream, const char *pattern)
{
    return selected_of(table, k8s, upstream, pattern, NULL);
}

/* An attempt is made where it begins, also at a patch in the midst of a minor. */
static void an_attempt_is_made_where_it_begins(void)
{
    static const char attempts[] =
        "about: x\ncases:\n"
        "  - {id: a, why: because, rules: [P-092], since: [\"1.26.5\", \"1.27.2\"], until: "
        "\"1.27\", "
        "probe: {httpGet: {}}, layer: fire, server: reply 200, result: success}\n";

    CHECK_STRING(selected_of(attempts, "all", NULL, NULL, NULL),
                 "a@1.26 a@1.27 a@1.26.5 a@1.27.2 ");
}

static void each_case_at_its_newest_version(void)
{
    CHECK_STRING(selected(NULL, NULL, NULL), "one@1.37 two.old@1.20 two.new@1.37 patch@1.36.0 ");
}

/* The newest that the case applies to among those that are played. */
static void each_case_at_the_newest_that_is_played(void)
{
    static const struct {
        const char *played[3];
        const char *selected;
    } rows[] = {
        {{"1.37"}, "one@1.37 two.old@1.20 two.new@1.37 patch@1.36.0 "},
        {{"1.36", "1.35"}, "one@1.36 two.old@1.20 two.new@1.36 patch@1.36.0 "},
        {{"1.19", "1.36.1", "1.20.3"}, "one@1.36.1 two.old@1.20.3 two.new@1.36.1 patch@1.36.1 "},
        {{"1.18", "1.16"}, "one@1.18 two.old@1.18 two.new@1.37 patch@1.36.0 "},
        {{"1.36.3"}, "one@1.36.3 two.old@1.20 two.new@1.36.3 patch@1.36.0 "},
        {{NULL}, "one@1.37 two.old@1.20 two.new@1.37 patch@1.36.0 "},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        while (played.count < 3 && rows[i].played[played.count])
            texts[played.count] = kp_text_of(rows[i].played[played.count]), played.count++;
        CHECK_STRING(selected(NULL, NULL, NULL), rows[i].selected);
        played.count = 0;
    }
}

static void versions_choose_cases(void)
{
    CHECK_STRING(selected("1.20", NULL, NULL), "one@1.20 two.old@1.20 ");
    CHECK_STRING(selected("1.20,1.21", NULL, "two"), "two.old@1.20 two.new@1.21 ");
    CHECK_STRING(selected("1.36.1", NULL, "patch"), "patch@1.36.1 ");
    CHECK_STRING(selected("1.36", NULL, "patch"), "no case applies to that version");
    CHECK_STRING(selected("v1.36.1", NULL, "patch"), "patch@1.36.1 ");
    CHECK_STRING(selected("v1.36.1-eks-113cf36,1.36.0+k3s1", NULL, "patch"),
                 "patch@1.36.1 patch@1.36.0 ");
    CHECK_STRING(selected("1.20+", NULL, NULL), "one@1.20 two.old@1.20 ");
    CHECK_STRING(selected("1.37.0-rc.0", NULL, NULL),
                 "--k8s: '1.37.0-rc.0' is no version from 1.15 to 1.37");
    CHECK_STRING(selected("1.36,1.30-1.34", NULL, NULL),
                 "--k8s: '1.30-1.34' is no version from 1.15 to 1.37");
    CHECK_STRING(selected("1.30-v1.34.2", NULL, NULL),
                 "--k8s: '1.30-v1.34.2' is no version from 1.15 to 1.37");
    CHECK_STRING(selected("1.36.1-1.1", NULL, "patch"), "patch@1.36.1 "); /* a package */
    CHECK_STRING(selected("vv1.36", NULL, NULL), "--k8s: 'vv1.36' is no version from 1.15 to 1.37");
    CHECK_STRING(selected("1.36,", NULL, NULL), "--k8s: '' is no version from 1.15 to 1.37");
    CHECK_STRING(selected(",1.36", NULL, NULL), "--k8s: '' is no version from 1.15 to 1.37");
    CHECK_STRING(selected("", NULL, NULL), "--k8s: '' is no version from 1.15 to 1.37");
    CHECK_STRING(selected("1.99", NULL, NULL), "--k8s: '1.99' is no version from 1.15 to 1.37");
}

/* What went back to 1.22 and 1.23, and what was there before. */
static void cases_with_holes_go_where_they_hold(void)
{
    static const char file[] = "about: x\ncases:\n"
                               "  - {id: late, why: because, rules: [P-046], since: [\"1.22.11\", "
                               "\"1.23.8\", \"1.24.2\"], "
                               "layer: port, port: 1, is: 1}\n"
                               "  - {id: early, why: because, rules: [P-046], until: [\"1.22.10\", "
                               "\"1.23.7\", \"1.24.1\"], "
                               "layer: port, port: 1, is: 1}\n";
    static const struct {
        const char *k8s;
        const char *selected;
    } rows[] = {
        {"1.22.10", "early@1.22.10 "},
        {"1.22.11", "late@1.22.11 "},
        {"1.23.0", "early@1.23.0 "},
        {"1.23.8", "late@1.23.8 "},
        {"1.24.1,1.24.2,1.25.0", "late@1.24.2 late@1.25.0 early@1.24.1 "},
        {"1.24", "late@1.24 "},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_STRING(selected_of(file, rows[i].k8s, NULL, NULL, NULL), rows[i].selected);
    CHECK(strstr(selected_of(file, "all", NULL, NULL, NULL),
                 "early@1.22.10 early@1.23.7 early@1.24.1 "));
    CHECK(strstr(selected_of(file, "patches", NULL, NULL, NULL),
                 "early@1.23.0 early@1.23.1 early@1.23.5 early@1.23.6 early@1.23.7 "));
    /* The profile knows nothing of these. */
    CHECK_STRING(selected_of("about: x\ncases:\n  - {id: x, why: because, rules: [P-046], since: "
                             "1.33.2, until: 1.33.3, layer: port, port: 1, is: 1}\n",
                             "patches", NULL, NULL, NULL),
                 "x@1.33.2 x@1.33.3 ");
}

static void cases_are_left_out(void)
{
    CHECK_STRING(selected_of(table, "1.30", NULL, NULL, "^two"), "one@1.30 ");
    CHECK_STRING(selected_of(table, "1.30", NULL, "topic", "P-046"), "two.new@1.30 ");
    CHECK_STRING(selected_of(table, "1.30", NULL, "one", "layer"), "no case is left of that");
    CHECK_STRING(selected_of(table, "1.30", NULL, NULL, "three"), "no case is called 'three'");
    CHECK_STRING(selected_of(table, "1.30", NULL, NULL, ""), "'' chooses no case");
}

static void patterns_choose_cases(void)
{
    CHECK_STRING(selected("1.30", NULL, "topic"), "one@1.30 two.new@1.30 ");
    CHECK_STRING(selected("1.30", NULL, "layer/topic"), "one@1.30 two.new@1.30 ");
    CHECK_STRING(selected("1.30", NULL, "layer"), "one@1.30 two.new@1.30 ");
    CHECK_STRING(selected("1.30", NULL, "layer/"), "no case is called 'layer/'");
    CHECK_STRING(selected("1.30", NULL, "P-047"), "two.new@1.30 ");
    CHECK_STRING(selected("1.30", NULL, "p-047"), "two.new@1.30 ");
    CHECK_STRING(selected("1.30", NULL, "^o"), "one@1.30 ");
    CHECK_STRING(selected("1.30", "TestUpdates", NULL), "two.new@1.30 ");
    CHECK_STRING(selected("1.30", NULL, "three"), "no case is called 'three'");
    CHECK_STRING(selected("1.30", NULL, ""), "'' chooses no case");
    CHECK(strncmp(selected("1.30", NULL, "("), "'(': ", 5) == 0);
}

/* Whatever its folder, and whatever else is in the folder of that name. */
static void a_layer_chooses_its_cases(void)
{
    static const char mixed[] =
        "about: x\ncases:\n"
        "  - {id: asked, why: because, rules: [P-046], layer: port, port: 1, is: 1}\n"
        "  - {id: played, why: because, rules: [P-046], probe: {type: liveness}, saw: \"+\", "
        "told: \"+\"}\n";
    static const char *const names[] = {"cases/layer/topic.yaml", "cases/port/topic.yaml",
                                        "cases/layer/port.yaml"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        file_name = names[i];
        CHECK_STRING(selected_of(mixed, "1.30", NULL, "port", NULL), "asked@1.30 ");
        CHECK_STRING(selected_of(mixed, "1.30", NULL, "probe", NULL), "played@1.30 ");
        CHECK_STRING(selected_of(mixed, "1.30", NULL, NULL, "port"), "played@1.30 ");
        CHECK_STRING(selected_of(mixed, "1.30", NULL, "kubectl", NULL),
                     "no case is called 'kubectl'");
    }
    CHECK_STRING(selected_of(mixed, "1.30", NULL, "layer/port", NULL), "asked@1.30 played@1.30 ");
    file_name = names[0];
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
        {36003, 37999, "from 1.36.3"}, {22011, 22999, "1.22 from 1.22.11 on"},
    };
    const struct cf_case holes = {
        .since = 22011, .until = 37999, .holes = {{23000, 23007}, {24000, 24001}}, .hole_count = 2};
    struct cf_out out = {0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cf_put_versions(&out, &(struct cf_case){.since = rows[i].since, .until = rows[i].until});
        CHECK_TEXT(cf_out_text(&out), kp_text_of(rows[i].text));
        cf_out_deinit(&out);
    }
    cf_put_versions(&out, &holes);
    CHECK_TEXT(cf_out_text(&out), KP_TEXT("from 1.22.11, not 1.23 to 1.23.7, 1.24 to 1.24.1"));
    cf_out_deinit(&out);
}

const struct unit_test selection_test[] = {
    {"an attempt is made where it begins", an_attempt_is_made_where_it_begins},
    {"each case at its newest version", each_case_at_its_newest_version},
    {"each case at the newest that is played", each_case_at_the_newest_that_is_played},
    {"versions choose cases", versions_choose_cases},
    {"cases with holes go where they hold", cases_with_holes_go_where_they_hold},
    {"patterns choose cases", patterns_choose_cases},
    {"a layer chooses its cases", a_layer_chooses_its_cases},
    {"cases are left out", cases_are_left_out},
    {"versions read well", versions_read_well},
    {0},
};
