#include "conformance/judge/verdict.h"

#include "fakes/unit.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static struct cf_result_case played(const char *id, const char *topic, const char *k8s,
                                    enum cf_verdict verdict)
{
    return (struct cf_result_case){.id = kp_text_of(id),
                                   .topic = kp_text_of(topic),
                                   .k8s = kp_text_of(k8s),
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
                  "not judged: 1: \n"
                  "judged 5 of 6: 4 pass, 1 fail, 1 skip\n"
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
                  "  2 topics of which nothing is judged\n"
                  "not judged: 2: \n"
                  "judged 2 of 4: 1 pass, 1 fail, 2 skip\n"
                  "1 passed, 1 failed\n");
}

const struct unit_test summary_test[] = {
    {"several versions make a matrix", several_versions_make_a_matrix},
    {"each case once makes a line a topic", each_case_once_makes_a_line_a_topic},
    {0},
};
