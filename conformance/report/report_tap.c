/* report_tap.c: Test Anything Protocol, version 14 (https://testanything.org). */
#include "conformance/report/format.h"

#include "conformance/text/print.h"

/* A # or a backslash would begin a directive or an escape. */
static void put_description(struct cf_out *out, struct kp_text text)
{
    struct cf_out shown = {0};

    cf_out_put_shown(&shown, text);
    for (size_t i = 0; i < shown.len; i++) {
        if (shown.bytes[i] == '#' || shown.bytes[i] == '\\')
            cf_out_put_char(out, '\\');
        cf_out_put_char(out, shown.bytes[i]);
    }
    cf_out_deinit(&shown);
}

/* "  name: value", the value as a JSON string, which YAML reads alike. */
static void put_diagnostic(struct cf_out *out, const char *name, struct kp_text value)
{
    if (value.len == 0)
        return;
    cf_out_printf(out, "  %s: ", name);
    cf_out_put_json(out, value);
    cf_out_put_char(out, '\n');
}

static void put_moment(struct cf_out *out, const struct cf_moment *moment)
{
    cf_out_put(out, KP_TEXT("    - {at: "));
    cf_out_put_seconds(out, moment->at_ms);
    cf_out_put(out, KP_TEXT(", wanted: "));
    cf_out_put_json(out, moment->wanted);
    cf_out_put(out, KP_TEXT(", got: "));
    cf_out_put_json(out, moment->got);
    cf_out_put(out, KP_TEXT("}\n"));
}

static void put_diagnostics(struct cf_out *out, const struct cf_result_case *item)
{
    const struct cf_outcome *outcome = &item->outcome;

    cf_out_put(out, KP_TEXT("  ---\n"));
    put_diagnostic(out, "verdict", kp_text_of(cf_verdict_word(outcome->verdict)));
    put_diagnostic(out, "message", outcome->why);
    put_diagnostic(out, "signature", outcome->signature);
    put_diagnostic(out, "sentence", item->sentence);
    put_diagnostic(out, "at", item->place);
    if (outcome->moment_count > 0)
        cf_out_put(out, KP_TEXT("  timeline:\n"));
    for (size_t i = 0; i < outcome->moment_count; i++)
        put_moment(out, &outcome->moments[i]);
    put_diagnostic(out, "stderr", outcome->log);
    cf_out_put(out, KP_TEXT("  ...\n"));
}

static void put_directive(struct cf_out *out, const struct cf_result_case *item)
{
    switch (item->outcome.verdict) {
    case CF_XFAIL:
        cf_out_put(out, KP_TEXT(" # TODO known failure: "));
        put_description(out, item->reason);
        break;
    case CF_SKIP:
        cf_out_put(out, KP_TEXT(" # SKIP "));
        put_description(out, item->outcome.why);
        break;
    case CF_OBSERVED:
        cf_out_put(out, KP_TEXT(" # SKIP observed, not judged"));
        break;
    default:
        break;
    }
}

static void put_case(struct cf_out *out, const struct cf_result_case *item, size_t number)
{
    bool bad = !cf_verdict_conforms(item->outcome.verdict);

    cf_out_printf(out, "%sok %zu - ", bad || item->outcome.verdict == CF_XFAIL ? "not " : "",
                  number);
    put_description(out, item->id);
    cf_out_put(out, KP_TEXT(" @"));
    put_description(out, item->k8s);
    put_directive(out, item);
    cf_out_put_char(out, '\n');
    if (bad)
        put_diagnostics(out, item);
}

void cf_report_tap(struct cf_out *out, const struct cf_result *result)
{
    cf_out_printf(out, "TAP version 14\n1..%zu\n", result->case_count);
    for (size_t i = 0; i < result->case_count; i++)
        put_case(out, &result->cases[i], i + 1);
    if (result->interrupted)
        cf_out_put(out, KP_TEXT("Bail out! interrupted\n"));
}
