#include "conformance/table/case.h"

#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

#define HEAD "about: x\ncases:\n  - id: a\n    why: because\n    rules: [P-046]\n"
#define PLAY HEAD "    probe: {type: liveness}\n"
#define SCENARIO PLAY "    trace: |\n      10s web/1 probe liveness\n"

#define ACTIONS                                                                                    \
    HEAD "    layer: actions\n    pod: {containers: [{name: web}]}\n    does: [start web]\n"

#define EVENTS HEAD "    layer: events\n"

/* Read a file; the faults come back as lines "line:column: message". */
static const char *faults_of(const char *text)
{
    static char out[4096];
    struct cf_suite suite = {.arena.mem = cf_libc_mem()};
    size_t used = 0;

    out[0] = '\0';
    if (cf_suite_add(&suite, "f.yaml", kp_text_of(text)) == KP_OK)
        CHECK_INT(suite.fault_count, 0);
    for (size_t i = 0; i < suite.fault_count; i++)
        used += (size_t)snprintf(out + used, sizeof out - used, "%d:%d: %.*s\n",
                                 suite.faults[i].at.line, suite.faults[i].at.column,
                                 KP_ARG(suite.faults[i].message));
    cf_suite_deinit(&suite);
    return out;
}

#define FIVE "success, success, success, success, success, "

static void good_files_load(void)
{
    CHECK_STRING(faults_of(PLAY "    saw:  \"+--\"\n    told: \"++-\"\n"), "");
    CHECK_STRING(faults_of(SCENARIO), "");
    CHECK_STRING(faults_of(SCENARIO "    jitter: {web/liveness: 0.123456789}\n"), "");
    CHECK_STRING(faults_of(SCENARIO "    answers: {web/liveness: \"" FIVE FIVE FIVE FIVE FIVE FIVE
                                    "failure\"}\n"),
                 "");
    CHECK_STRING(faults_of(HEAD "    layer: port\n    rows:\n      - {id: r, port: 1, is: 1}\n"),
                 "");
}

static const struct {
    const char *text;
    const char *faults;
} faulty[] = {
    {SCENARIO "    oops: 1\n", "9:5: unknown key 'oops'\n"},
    {SCENARIO "    wach: [kill]\n", "9:5: unknown key 'wach'; did you mean watch?\n"},
    {SCENARIO "    saw: \"+\"\n",
     "3:5: told: wanted a letter of +-? for each of saw, and its | and _ as they are\n"
     "7:5: key 'trace' has no meaning in a play of layer probe\n"},
    {SCENARIO "    for: 10\n",
     "9:10: for: wanted a duration such as 10s, 1.5s, 500ms or 1m30s, found '10'\n"},
    {SCENARIO "    since: 1.20\n",
     "9:12: since: put the version in quotes: \"1.20\" (1.20 is 1.2)\n"},
    {SCENARIO "    since: \"1.99\"\n", "9:12: since: '1.99' is no version from 1.15 to 1.37\n"},
    {SCENARIO "    since: [\"1.24.2\", \"1.22.11\"]\n",
     "9:23: since: a list is of 1 to 5 patches, of one minor behind the other: "
     "[\"1.22.11\", \"1.23.8\"]\n"},
    {SCENARIO "    until: [\"1.22\", \"1.23.7\"]\n",
     "9:13: until: a list is of 1 to 5 patches, of one minor behind the other: "
     "[\"1.22.11\", \"1.23.8\"]\n"},
    {SCENARIO "    since: []\n",
     "9:12: since: a list is of 1 to 5 patches, of one minor behind the "
     "other: [\"1.22.11\", \"1.23.8\"]\n"},
    {SCENARIO "    until: [\"1.22.1\", 1.23]\n",
     "9:23: until: put the version in quotes: \"1.23\" (1.20 is 1.2)\n"},
    {SCENARIO "    jitter: {web/liveness: 1.5}\n",
     "9:28: web/liveness: wanted a part from 0 to 1 with at most 9 decimals, found '1.5'\n"},
    {SCENARIO "      20s web/1 probe liveness a b c d e f g h i j k l m n o p q r s t u v w\n",
     "9:72: too many words in one line\n"},
    {HEAD "    probe: {type: liveness, failureTreshold: 3}\n    trace: |\n      0s web/1 probe "
          "liveness\n",
     "6:29: unknown field \"spec.containers[0].livenessProbe.failureTreshold\"\n"},
    {HEAD "    probe: {type: liveness, periodSeconds: ten}\n    trace: |\n      0s web/1 probe "
          "liveness\n",
     "6:44: json: cannot unmarshal string into Go struct field "
     "Probe.spec.containers.livenessProbe.periodSeconds of type int32\n"},
    {"about: x\ndefaults: {layer: actions, pod: {containers: [{name: web}]}}\ncases:\n"
     "  - {id: a, why: one, rules: [P-046], runtime: {}, does: [], pod: {containers: , spec: "
     "{containers: [{name: web}]}}}\n"
     "  - {id: b, why: one, rules: [P-046], runtime: {}, does: [], pod: {spec: {containers: "
     "[{name: "
     "web}]}}}\n",
     "2:34: unknown field \"containers\"\n"},
    {SCENARIO "    watch: [kill, probe]\n", "9:13: 'kill' is an effect of layer pod\n"},
    {SCENARIO "    never: web/1 kill 30s\n", "9:18: 'kill' is an effect of layer pod\n"},
    {SCENARIO "      20s web/1 kill 30s\n", "9:17: 'kill' is an effect of layer pod\n"},
    {SCENARIO "    level: maybe\n", "9:12: level: wanted must or observed\n"},
    {SCENARIO "      5s web/1 probe liveness\n", "9:7: time goes back\n"},
    {SCENARIO "      20s web/1 prob liveness\n",
     "9:11: wanted 'WHO WHAT ..., as in: web/1 probe liveness'\n"},
    {SCENARIO "      20s web/1 probe lifeness\n", "9:11: wanted 'web/1 probe liveness [#2]'\n"},
    {SCENARIO "      20s app/1 probe liveness\n", "9:11: 'app/1': the pod has no such container\n"},
    {SCENARIO "      20 web/1 probe liveness\n",
     "9:7: '20': wanted a time such as 10s, 10s..12s, 10s,20s or 10s,20s,...,90s\n"},
    {SCENARIO "    events: |\n      3s web running\n      2s web exited 1\n",
     "11:7: time goes back\n"},
    {SCENARIO "    events: |\n      3s web leaps\n", "10:14: unknown event 'leaps'\n"},
    {"about: x\ncases:\n  - {why: a, rules: [P-046], layer: port, port: 1, is: 1}\n"
     "  - {why: b, rules: [P-046], layer: port, port: 1, is: 1}\n",
     "3:5: id: wanted small letters, digits, hyphens and dots, at most 80\n"
     "4:5: id: wanted small letters, digits, hyphens and dots, at most 80\n"},
    {SCENARIO "    events: 3s web\n      leaps\n", "9:13: unknown event 'leaps'\n"},
    {SCENARIO "    events: |\n      3s web running\xc2\x85      4s web leaps\n",
     "11:14: unknown event 'leaps'\n"},
    {"about: x\xc2\x85---\xc2\x85key: 1\n",
     "2:1: wanted one document, a map (is a play's --- not in quotes?)\n"},
    {SCENARIO "    events: >\n      3s web\n      leaps\n", "9:13: unknown event 'leaps'\n"},
    {SCENARIO "    events: '3s web leaps'\n", "9:21: unknown event 'leaps'\n"},
    {SCENARIO "    events: \"\\x33s web leaps\"\n", "9:13: unknown event 'leaps'\n"},
    {SCENARIO "    events: '3s web answers readiness failure'\n",
     "9:29: 'readiness': the pod has no such probe or hook\n"},
    {SCENARIO "    answers: {web/liveness: sucess}\n",
     "9:29: 'sucess': wanted success, failure, error, warning, unknown, timeout, never or "
     "letters of +-!wutb\n"},
    {SCENARIO
     "  - {id: b, why: one, two, rules: [P-046], probe: {type: liveness}, saw: \"+\", told: "
     "\"+\"}\n",
     "9:23: key 'two' has no value, and below there is none to take away (a comma in a text "
     "wants quotes)\n"},
    {SCENARIO "    for:\n",
     "9:5: key 'for' has no value, and below there is none to take away (a comma in a text "
     "wants quotes)\n"},
    {ACTIONS "    runtime: {web: runing}\n",
     "9:20: 'runing': wanted created, running [changed], exited CODE [REASON] or unknown "
     "[sandbox ATTEMPT]\n"},
    {ACTIONS "    runtime: {app: running}\n", "9:15: 'app': the pod has no such container\n"},
    {ACTIONS "    results: {web/readines: failure}\n",
     "9:15: 'web/readines': wanted liveness, readiness, startup, preStop or postStart, or "
     "web/liveness\n"},
    {ACTIONS "    results: {web/preStop: failure}\n",
     "9:15: results: wanted a probe such as web/liveness\n"},
    {ACTIONS "    results: {web/liveness: failed}\n",
     "9:29: results: wanted success, failure or unknown\n"},
    {ACTIONS "    sandbox: [ready 1, nonready 0]\n",
     "9:24: 'nonready 0': wanted ready or notready [ATTEMPT] [no-ip] [other-network], or "
     "none\n"},
    {SCENARIO
     "  - id: a\n    why: because\n    rules: [P-046]\n    probe: {type: liveness}\n    saw: "
     "\"+\"\n    told: \"+\"\n",
     "9:9: id: 'a' is taken\n"},
};

static void each_fault_has_its_place(void)
{
    for (size_t i = 0; i < sizeof faulty / sizeof *faulty; i++)
        CHECK_STRING(faults_of(faulty[i].text), faulty[i].faults);
}

static void faults_of_what_users_see_have_their_place(void)
{
    static const struct {
        const char *text;
        const char *faults;
    } rows[] = {
        {EVENTS "    recorded: |\n      10s web Unhealthy \"m\"\n    kept: |\n      10s x web "
                "Warning Bad m\n",
         "8:7: wanted 'TIMES [xCOUNT] WHO Normal|Warning REASON \"message\"', as in: 35s,40s web "
         "Warning Unhealthy \"...\"\n"
         "10:7: wanted 'FIRST[..LAST] [xCOUNT] WHO Normal|Warning REASON \"message\"', as in: "
         "35s..40s x2 web Warning Unhealthy \"...\"\n"},
        {EVENTS "    recorded: |\n      10s web Warning Bad \"m\"\n      9s web Warning Bad "
                "\"m\"\n    kept: "
                "\"\"\n",
         "9:7: time goes back\n"},
        {EVENTS "    recorded: \"\"\n", "3:5: layer events: wanted kept\n"},
        {HEAD
         "    layer: kubectl\n    pod: {containers: [{name: web}]}\n    columns: {READI: 0/1}\n",
         "8:15: columns: wanted READY, STATUS or RESTARTS\n"},
        {HEAD
         "    layer: kubectl\n    pod: {containers: [{name: web}]}\n    now: 5\n    describe: []\n",
         "8:10: now: wanted a duration such as 10s, 1.5s, 500ms or 1m30s, found '5'\n"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_STRING(faults_of(rows[i].text), rows[i].faults);
}

static void a_row_explains_itself_behind_its_family(void)
{
    struct cf_suite suite = {.arena.mem = cf_libc_mem()};

    CHECK_INT(cf_suite_add(&suite, "f.yaml",
                           KP_TEXT(HEAD "    layer: port\n    rows:\n"
                                        "      - {id: r, port: 1, is: 1}\n"
                                        "      - {id: s, why: of this, port: 2, is: 2}\n")),
              KP_OK);
    CHECK_TEXT(suite.cases[0].why, KP_TEXT("because"));
    CHECK_TEXT(suite.cases[1].why, KP_TEXT("because: of this"));
    cf_suite_deinit(&suite);
}

/* What YAML itself refuses: the place is what counts here. */
static void yaml_faults_have_their_place(void)
{
    CHECK(strncmp(faults_of(SCENARIO "    rules: [P-046]\n"), "9:5: ", 5) == 0);
    CHECK(strncmp(faults_of("about: x\n---\nabout: y\n"), "2:1: ", 5) == 0);
    CHECK(strncmp(faults_of("about: &a x\n"), "1:8: ", 5) == 0);
    CHECK(strncmp(faults_of("about: [\n"), "", 0) == 0 && faults_of("about: [\n")[0] != '\0');
}

static void a_case_tells_all_that_is_wrong_with_it(void)
{
    CHECK_STRING(faults_of("about: x\ncases:\n"
                           "  - id: a\n    why: because\n    rules: [P-046]\n"
                           "    probe: {type: livenes}\n    for: 10\n"
                           "  - id: a\n    why: 3\n    rules: [P-046]\n    layer: pod\n"
                           "    pod: {containers: [{name: web}]}\n    watch: [kil]\n"
                           "    events: |\n      3s web leaps\n      2s nobody running\n"
                           "    trace: \"\"\n"
                           "  - id: c\n    why: because\n    rules: [P-046]\n    layer: port\n"
                           "    port: 80\n    is: eighty\n    gates: {NoSuch: true}\n"
                           "    features: [flying]\n"),
                 "6:12: probe: wanted type: liveness, readiness or startup\n"
                 "7:10: for: wanted a duration such as 10s, 1.5s, 500ms or 1m30s, found '10'\n"
                 "8:5: why: a case says in a sentence what it shows\n"
                 "8:9: id: 'a' is taken\n"
                 "9:10: why: wanted a text, found a number: put it in quotes\n"
                 "13:13: watch: 'kil' is no effect\n"
                 "15:14: unknown event 'leaps'\n"
                 "16:7: time goes back\n"
                 "16:10: 'nobody': the pod has no such container\n"
                 "23:9: is: wanted the number of a port, found a string\n"
                 "24:13: gates: 1.15 has no gate NoSuch: since and until must fit it\n"
                 "25:16: features: the protocol has no feature 'flying'\n");
}

static void letters_stand_in_quotes(void)
{
    CHECK_STRING(faults_of(PLAY "    saw: +--\n    told: \"++-\"\n"),
                 "7:10: saw: put the letters in quotes: \"+--\"\n");
    CHECK_STRING(faults_of(PLAY "    saw: ---\n    told: '++-'\n"),
                 "7:10: saw: put the letters in quotes: \"---\"\n");
    CHECK_STRING(faults_of(PLAY "    saw:\n---\n    told: \"++-\"\n"),
                 "8:1: wanted one document, a map (is a play's --- not in quotes?)\n");
}

static void all_faults_of_a_file_are_reported_at_once(void)
{
    CHECK_STRING(
        faults_of("about: x\ncases:\n  - id: A\n    why: because\n    rules: [P-999]\n    probe: "
                  "{type: liveness}\n    trace: |\n      1s web jumps\n"),
        "3:9: id: wanted small letters, digits, hyphens and dots, at most 80\n"
        "5:13: rules: there is no rule 'P-999'\n"
        "8:10: wanted 'WHO WHAT ..., as in: web/1 probe liveness'\n");
}

static void what_a_family_has_wrong_is_reported_once(void)
{
    CHECK_STRING(faults_of("about: x\ncases:\n  - id: a\n    why: because\n    rules: [P-999]\n    "
                           "probe: {type: liveness}\n    rows:\n"
                           "      - {id: one, saw: \"+\", told: \"+\"}\n"
                           "      - {id: two, saw: \"-\", told: \"+\"}\n"),
                 "5:13: rules: there is no rule 'P-999'\n");
}

static void times_of_a_line_are_spread(void)
{
    struct cf_suite suite = {.arena.mem = cf_libc_mem()};
    const struct cf_trace *trace;

    CHECK_INT(cf_suite_add(&suite, "f.yaml",
                           kp_text_of(SCENARIO "      20s,30s,...,60s web/1 probe liveness\n"
                                               "      61s..62.5s web ready\n")),
              KP_OK);
    trace = &suite.cases[0].traces[0];
    CHECK_INT(trace->want_count, 7);
    CHECK_INT(trace->wants[4].at_ns, 50 * KP_NS_PER_S);
    CHECK_INT(trace->wants[6].until_ns, 62500 * KP_NS_PER_MS);
    CHECK_INT(suite.cases[0].end_ns, 62500 * KP_NS_PER_MS);
    cf_suite_deinit(&suite);
}

static void rows_of_a_family_are_cases(void)
{
    struct cf_suite suite = {.arena.mem = cf_libc_mem()};

    CHECK_INT(cf_suite_add(&suite, "thresholds.yaml",
                           kp_text_of(PLAY "    rows:\n"
                                           "      - {id: one, saw: \"+\", told: \"+\"}\n"
                                           "      - {id: two, why: other, saw: \"-\", told: \"-\", "
                                           "probe: {failureThreshold: 1}}\n")),
              KP_OK);
    CHECK_INT(suite.case_count, 2);
    CHECK_TEXT(suite.cases[0].id, KP_TEXT("a.one"));
    CHECK_TEXT(suite.cases[0].why, KP_TEXT("because"));
    CHECK_TEXT(suite.cases[1].why, KP_TEXT("because: other"));
    CHECK_TEXT(suite.cases[1].topic, KP_TEXT("thresholds"));
    cf_suite_deinit(&suite);
}

const struct unit_test case_test[] = {
    {"good files load", good_files_load},
    {"each fault has its place", each_fault_has_its_place},
    {"a row explains itself behind its family", a_row_explains_itself_behind_its_family},
    {"faults of what users see have their place", faults_of_what_users_see_have_their_place},
    {"yaml's own faults have their place", yaml_faults_have_their_place},
    {"a case tells all that is wrong with it", a_case_tells_all_that_is_wrong_with_it},
    {"letters stand in quotes", letters_stand_in_quotes},
    {"all faults of a file are reported at once", all_faults_of_a_file_are_reported_at_once},
    {"what a family has wrong is reported once", what_a_family_has_wrong_is_reported_once},
    {"times of a line are spread", times_of_a_line_are_spread},
    {"rows of a family are cases", rows_of_a_family_are_cases},
    {0},
};
