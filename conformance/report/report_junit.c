/* report_junit.c: JUnit XML: a testsuite a topic, a testcase a case and version. */
#include "conformance/report/format.h"

static bool is_error(enum cf_verdict verdict)
{
    return verdict == CF_CRASH || verdict == CF_TIMEOUT || verdict == CF_PROTOCOL ||
           verdict == CF_LIVELOCK || verdict == CF_NOISY || verdict == CF_NOT_RUN;
}

static bool is_skipped(enum cf_verdict verdict)
{
    return verdict == CF_SKIP || verdict == CF_OBSERVED || verdict == CF_XFAIL;
}

static size_t count(const size_t totals[CF_VERDICTS], bool (*is)(enum cf_verdict))
{
    size_t sum = 0;

    for (int verdict = 0; verdict < CF_VERDICTS; verdict++)
        if (is((enum cf_verdict)verdict))
            sum += totals[verdict];
    return sum;
}

static void put_attribute(struct cf_out *out, const char *name, struct kp_text value)
{
    cf_out_printf(out, " %s=\"", name);
    cf_out_put_xml(out, value);
    cf_out_put_char(out, '"');
}

static void put_counts(struct cf_out *out, const size_t totals[CF_VERDICTS])
{
    size_t tests = 0;

    for (int verdict = 0; verdict < CF_VERDICTS; verdict++)
        tests += totals[verdict];
    cf_out_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", tests,
                  totals[CF_FAIL] + totals[CF_XPASS], count(totals, is_error),
                  count(totals, is_skipped));
}

/* Line by line, so that it can be read in a report's text box. */
static void put_timeline(struct cf_out *out, const struct cf_outcome *outcome)
{
    for (size_t i = 0; i < outcome->moment_count; i++) {
        const struct cf_moment *moment = &outcome->moments[i];

        cf_out_put_string(out, i == outcome->first ? "\n> " : "\n  ");
        cf_out_put_seconds(out, moment->at_ms);
        cf_out_put(out, KP_TEXT("  wanted: "));
        cf_out_put_xml(out, moment->wanted.len > 0 ? moment->wanted : KP_TEXT("-"));
        cf_out_put(out, KP_TEXT("  got: "));
        cf_out_put_xml(out, moment->got.len > 0 ? moment->got : KP_TEXT("-"));
    }
}

static void put_bad(struct cf_out *out, const struct cf_result_case *item)
{
    const char *tag = is_error(item->outcome.verdict) ? "error" : "failure";

    cf_out_printf(out, "\n      <%s", tag);
    put_attribute(out, "type", kp_text_of(cf_verdict_word(item->outcome.verdict)));
    put_attribute(out, "message", item->outcome.why);
    cf_out_put_char(out, '>');
    cf_out_put_xml(out, item->sentence);
    put_timeline(out, &item->outcome);
    cf_out_printf(out, "</%s>", tag);
    if (item->outcome.log.len > 0) {
        cf_out_put(out, KP_TEXT("\n      <system-err>"));
        cf_out_put_xml(out, item->outcome.log);
        cf_out_put(out, KP_TEXT("</system-err>"));
    }
    cf_out_put(out, KP_TEXT("\n    "));
}

static struct kp_text skip_message(const struct cf_result_case *item)
{
    switch (item->outcome.verdict) {
    case CF_XFAIL:
        return item->reason;
    case CF_OBSERVED:
        return KP_TEXT("observed, not judged");
    default:
        return item->outcome.why;
    }
}

static void put_case(struct cf_out *out, const struct cf_result_case *item)
{
    struct cf_out name = {0};

    cf_out_printf(&name, "%.*s @%.*s", KP_ARG(item->id), KP_ARG(item->k8s));
    cf_out_put(out, KP_TEXT("    <testcase"));
    put_attribute(out, "classname", item->topic);
    put_attribute(out, "name", cf_out_text(&name));
    put_attribute(out, "file", item->place);
    cf_out_put(out, KP_TEXT(" time=\"0\">"));
    cf_out_deinit(&name);
    if (is_skipped(item->outcome.verdict)) {
        cf_out_put(out, KP_TEXT("<skipped"));
        put_attribute(out, "message", skip_message(item));
        cf_out_put(out, KP_TEXT("/>"));
    } else if (!cf_verdict_conforms(item->outcome.verdict))
        put_bad(out, item);
    cf_out_put(out, KP_TEXT("</testcase>\n"));
}

static void put_suite(struct cf_out *out, const struct cf_result *result, struct kp_text topic)
{
    size_t totals[CF_VERDICTS];

    cf_report_count(result, topic, totals);
    cf_out_put(out, KP_TEXT("  <testsuite"));
    put_attribute(out, "name", topic);
    put_counts(out, totals);
    cf_out_put(out, KP_TEXT(" time=\"0\">\n"));
    for (size_t i = 0; i < result->case_count; i++)
        if (kp_text_equal(result->cases[i].topic, topic))
            put_case(out, &result->cases[i]);
    cf_out_put(out, KP_TEXT("  </testsuite>\n"));
}

void cf_report_junit(struct cf_out *out, const struct cf_result *result)
{
    size_t totals[CF_VERDICTS];
    struct kp_text_list topics;
    struct cf_arena arena = {.mem = cf_libc_mem()};

    topics = cf_report_topics(&arena, result, 1);
    cf_report_count(result, KP_TEXT_NONE, totals);
    cf_out_put(out, KP_TEXT("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"));
    put_attribute(out, "name", cf_report_title(&arena, result));
    put_counts(out, totals);
    cf_out_put(out, KP_TEXT(" time=\"0\">\n"));
    for (size_t i = 0; i < topics.count; i++)
        put_suite(out, result, topics.items[i]);
    cf_out_put(out, KP_TEXT("</testsuites>\n"));
    cf_arena_deinit(&arena);
}
