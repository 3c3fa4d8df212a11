#include "conformance/judge/known.h"
#include "conformance/judge/verdict.h"
#include "conformance/report/report.h"

#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct kp_text rules[] = {{"P-046", 5}, {"P-047", 5}};

static struct cf_result_case played(const char *id, const char *topic, const char *k8s,
                                    enum cf_verdict verdict)
{
    return (struct cf_result_case){.id = kp_text_of(id),
                                   .topic = kp_text_of(topic),
                                   .k8s = kp_text_of(k8s),
                                   .rules = {rules, COUNT(rules)},
                                   .outcome = {.verdict = verdict}};
}

static void check_summary(const struct cf_result_case *cases, size_t count,
                          struct kp_text_list versions, const char *wanted)
{
    struct cf_result result = {.cases = cases, .case_count = count};
    struct cf_out out = {0};

    result.header.k8s = versions;
    result.header.selected = count;
    for (size_t i = 0; i < count; i++)
        result.totals[cases[i].outcome.verdict]++;
    cf_print_summary(&out, &result);
    cf_out_put_char(&out, '\0');
    CHECK_STRING(out.bytes, wanted);
    cf_out_deinit(&out);
}

static void several_versions_make_a_matrix(void)
{
    const struct kp_text versions[] = {KP_TEXT("1.20"), KP_TEXT("1.34.2"), KP_TEXT("1.36")};
    const struct cf_result_case cases[] = {
        played("a", "ports", "1.20", CF_PASS),   played("a", "ports", "1.34.2", CF_PASS),
        played("a", "ports", "1.36", CF_FAIL),   played("b", "ports", "1.36", CF_PASS),
        played("c", "grace", "1.34.2", CF_PASS), played("c", "grace", "1.36", CF_SKIP),
    };

    /* A name has 16 columns, a version one more than the longest, the sum 7. */
    check_summary(cases, COUNT(cases), (struct kp_text_list){versions, COUNT(versions)},
                  "Kubernetes 1.      20 34.2   36    all\n"
                  "ports               1    1   1!     1!\n"
                  "grace                    1    -      1\n"
                  "all                 1    2   1!     1!\n"
                  "N!: so many fail\n"
                  "bugs, known (bug: in their reason) or not explained:\n"
                  "  P-046: it did something else (1 case)\n"
                  "    rule: fewer in a row than failureThreshold or "
                  "successThreshold leave the cached result\n"
                  "    a: \n"
                  "not judged: 1: \n"
                  "judged 5 of 6 (83%): 4 pass, 1 fail, 1 skip\n"
                  "4 passed, 1 failed\n");
}

static void each_case_once_makes_a_line_a_topic(void)
{
    const struct kp_text versions[] = {KP_TEXT("1.20"), KP_TEXT("1.36")};
    const struct cf_result_case cases[] = {
        played("a", "ports", "1.20", CF_PASS), played("b", "ports", "1.36", CF_FAIL),
        played("c", "grace", "1.36", CF_SKIP), played("d", "kill", "1.36", CF_SKIP)};

    check_summary(cases, COUNT(cases), (struct kp_text_list){versions, COUNT(versions)},
                  "  ports                    1 pass, 1 fail\n"
                  "  nothing is judged of grace, kill\n"
                  "bugs, known (bug: in their reason) or not explained:\n"
                  "  P-046: it did something else (1 case)\n"
                  "    rule: fewer in a row than failureThreshold or "
                  "successThreshold leave the cached result\n"
                  "    b: \n"
                  "not judged: 2: \n"
                  "judged 2 of 4 (50%): 1 pass, 1 fail, 2 skip\n"
                  "1 passed, 1 failed\n");
}

/* An interruption is one reason of several. */
static void it_is_said_why_cases_were_not_run(void)
{
    const struct kp_text versions[] = {KP_TEXT("1.36")};
    struct cf_result_case cases[] = {played("a", "t", "1.36", CF_PASS),
                                     played("b", "t", "1.36", CF_NOT_RUN),
                                     played("c", "t", "1.36", CF_NOT_RUN)};

    cases[1].outcome.why = KP_TEXT("its server could not be started: Address already in use");
    cases[2].outcome.why = KP_TEXT("interrupted");
    check_summary(cases, COUNT(cases), (struct kp_text_list){versions, COUNT(versions)},
                  "  t                        1 pass, 2 not-run\n"
                  "not run: 1: its server could not be started: Address already in use\n"
                  "not run: 1: interrupted\n"
                  "judged 1 of 3 (33%): 1 pass, 2 not-run\n"
                  "1 passed, 0 failed\n");
}

/* No rule is to blame, and the doctor is named. */
static void what_broke_off_is_reported_by_how(void)
{
    const struct kp_text versions[] = {KP_TEXT("1.36")};
    struct cf_result_case cases[] = {played("a", "t", "1.36", CF_PROTOCOL),
                                     played("b", "t", "1.36", CF_PROTOCOL),
                                     played("c", "t", "1.36", CF_CRASH)};

    cases[0].outcome.why = KP_TEXT("`at` is 3, `to` 2");
    cases[1].outcome.why = KP_TEXT("`at` is 5, `to` 2");
    check_summary(cases, COUNT(cases), (struct kp_text_list){versions, COUNT(versions)},
                  "  t                        1 crash, 2 protocol\n"
                  "bugs, known (bug: in their reason) or not explained:\n"
                  "  protocol: it answered what the protocol does not have (2 cases)\n"
                  "    `probetest doctor -- ADAPTER` looks at it step by step\n"
                  "    a: `at` is 3, `to` 2\n"
                  "  crash: its process died (1 case)\n"
                  "    `probetest doctor -- ADAPTER` looks at it step by step\n"
                  "    c: \n"
                  "judged 3 of 3 (100%): 1 crash, 2 protocol\n"
                  "0 passed, 3 failed\n");
}

/* By design is what somebody has given a reason for. */
static void known_failures_are_by_design(void)
{
    const struct kp_text versions[] = {KP_TEXT("1.36")};
    struct cf_result_case cases[] = {
        played("a", "t", "1.36", CF_XFAIL), played("b", "t", "1.36", CF_XFAIL),
        played("c", "t", "1.36", CF_XFAIL), played("d", "t", "1.36", CF_XPASS),
        played("e", "t", "1.36", CF_XFAIL)};

    cases[0].reason = cases[1].reason = KP_TEXT("a bill of rights");
    cases[2].reason = KP_TEXT(CF_KNOWN_UNEXPLAINED);
    cases[2].outcome.why = KP_TEXT("at 1s");
    cases[4].reason = KP_TEXT("bug: their 17");
    check_summary(cases, COUNT(cases), (struct kp_text_list){versions, COUNT(versions)},
                  "  t                        4 xfail, 1 xpass\n"
                  "differs by design:\n"
                  "  P-046: it failed as the known-failure file says (2 cases)\n"
                  "    rule: fewer in a row than failureThreshold or "
                  "successThreshold leave the cached result\n"
                  "    a bill of rights\n"
                  "bugs, known (bug: in their reason) or not explained:\n"
                  "  P-046: it failed as the known-failure file says (1 case)\n"
                  "    rule: fewer in a row than failureThreshold or "
                  "successThreshold leave the cached result\n"
                  "    c: at 1s\n"
                  "  P-046: it failed as the known-failure file says (1 case)\n"
                  "    rule: fewer in a row than failureThreshold or "
                  "successThreshold leave the cached result\n"
                  "    bug: their 17\n"
                  "judged 5 of 5 (100%): 4 xfail, 1 xpass\n"
                  "4 passed, 1 failed\n");
}

static struct cf_moment differing(const char *wanted, const char *got)
{
    return (struct cf_moment){0, kp_text_of(wanted), kp_text_of(got)};
}

/* An attempt differs in the firmest of its parts. */
static void attempts_differ_in_parts(void)
{
    const struct cf_moment moments[] = {
        differing("result: success", "result: failure"), differing("output: a", ""),
        differing("result: success", "result: success"), differing("request: GET /", ""),
        differing("output: a", "output: b")};
    struct cf_result_case cases[] = {
        played("a", "t", "1.36", CF_FAIL), played("b", "t", "1.36", CF_FAIL),
        played("c", "t", "1.36", CF_FAIL), played("d", "t", "1.36", CF_PASS)};
    const struct cf_result result = {.cases = cases, .case_count = COUNT(cases)};
    struct cf_out out = {0};

    for (size_t i = 0; i < COUNT(cases); i++)
        cases[i].layer = KP_TEXT("fire");
    cases[0].outcome.moments = moments;
    cases[0].outcome.moment_count = 2;
    cases[1].outcome.moments = moments + 2;
    cases[1].outcome.moment_count = 3;
    cases[2].outcome.moments = moments + 4;
    cases[2].outcome.moment_count = 1;
    cf_report_parts(&out, &result);
    cf_out_put_char(&out, '\0');
    CHECK_STRING(out.bytes, "attempts that differ: 1 in the result, 1 in the request alone, "
                            "1 in words alone\n");
    cf_out_deinit(&out);
}

/* One case with this timeline, whose first difference is the first moment: how the summary says it.
 */
static void check_way(const struct cf_moment *moments, size_t count, const char *wanted)
{
    struct cf_result_case item = played("a", "t", "1.36", CF_FAIL);
    struct cf_result result = {.cases = &item, .case_count = 1};
    struct cf_out out = {0};
    char line[200];

    item.outcome.moments = moments;
    item.outcome.moment_count = count;
    cf_report_differences(&out, &result);
    cf_out_put_char(&out, '\0');
    snprintf(line, sizeof line, "  P-046: %s (1 case)\n", wanted);
    CHECK(strstr(out.bytes, line) != NULL);
    if (strstr(out.bytes, line) == NULL)
        CHECK_STRING(out.bytes, line);
    cf_out_deinit(&out);
}

static void it_is_said_what_happens_instead(void)
{
    const struct {
        struct cf_moment moments[2];
        const char *said;
    } rows[] = {
        {{{80, KP_TEXT("web/1 kill 30s liveness"), KP_TEXT_NONE},
          {120, KP_TEXT_NONE, KP_TEXT("web/1 kill 30s liveness")}},
         "killed too late"},
        {{{40, KP_TEXT_NONE, KP_TEXT("web/1 kill 30s liveness")},
          {80, KP_TEXT("web/1 kill 30s liveness"), KP_TEXT_NONE}},
         "killed too early"},
        {{{80, KP_TEXT("web/1 kill 30s"), KP_TEXT_NONE},
          {80, KP_TEXT_NONE, KP_TEXT("web/1 kill 5s")}},
         "killed otherwise than wanted"},
        {{{80, KP_TEXT("web start 1"), KP_TEXT_NONE}, {90, KP_TEXT("a"), KP_TEXT("a")}},
         "not started again"},
        {{{80, KP_TEXT_NONE, KP_TEXT("web start 0")}, {90, KP_TEXT("a"), KP_TEXT("a")}},
         "started where it should not be"},
        {{{80, KP_TEXT("web not ready"), KP_TEXT_NONE}, {90, KP_TEXT("a"), KP_TEXT("a")}},
         "still ready"},
        {{{0, KP_TEXT_NONE, KP_TEXT("web ready")}, {90, KP_TEXT("a"), KP_TEXT("a")}},
         "ready where it should not be"},
        {{{20, KP_TEXT("web/1 probe liveness"), KP_TEXT_NONE}, {90, KP_TEXT("a"), KP_TEXT("a")}},
         "not probed"},
        {{{20, KP_TEXT("pod phase Failed"), KP_TEXT_NONE}, {90, KP_TEXT("a"), KP_TEXT("a")}},
         "something is missing"},
        {{{20, KP_TEXT("told +-+"), KP_TEXT("told +--")}, {90, KP_TEXT("a"), KP_TEXT("a")}},
         "the result is failure here, and should be success"},
        {{{20, KP_TEXT("told +-_"), KP_TEXT("told +-!")}, {90, KP_TEXT("a"), KP_TEXT("a")}},
         "probed where it should rest"},
        {{{20, KP_TEXT("told +-+"), KP_TEXT("told +- ")}, {90, KP_TEXT("a"), KP_TEXT("a")}},
         "not probed as often as it should be"},
        {{{0, KP_TEXT("result: success"), KP_TEXT("result: failure")},
          {0, KP_TEXT("a"), KP_TEXT("a")}},
         "an attempt is a failure here, and should be a success"},
        {{{0, KP_TEXT("port 80"), KP_TEXT("port 81")}, {0, KP_TEXT("a"), KP_TEXT("a")}},
         "another answer than wanted"},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        check_way(rows[i].moments, COUNT(rows[i].moments), rows[i].said);
}

const struct unit_test summary_test[] = {
    {"it is said what happens instead", it_is_said_what_happens_instead},
    {"several versions make a matrix", several_versions_make_a_matrix},
    {"each case once makes a line a topic", each_case_once_makes_a_line_a_topic},
    {"it is said why cases were not run", it_is_said_why_cases_were_not_run},
    {"what broke off is reported by how", what_broke_off_is_reported_by_how},
    {"known failures are by design", known_failures_are_by_design},
    {"attempts differ in parts", attempts_differ_in_parts},
    {0},
};
