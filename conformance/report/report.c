#include "conformance/report/report.h"

#include "conformance/report/format.h"

#include <string.h>

/* ---- formats ------------------------------------------------------------------------------ */

static const char *const endings[CF_REPORT_FORMATS] = {
    [CF_REPORT_JSONL] = ".jsonl", [CF_REPORT_TAP] = ".tap",   [CF_REPORT_JUNIT] = ".xml",
    [CF_REPORT_MARKDOWN] = ".md", [CF_REPORT_HTML] = ".html",
};

int cf_report_format_of_file(const char *path)
{
    size_t len = strlen(path);

    for (int format = 0; format < CF_REPORT_FORMATS; format++) {
        size_t ending = strlen(endings[format]);

        if (len > ending && strcmp(path + len - ending, endings[format]) == 0)
            return format;
    }
    return -1;
}

void cf_report_put(struct cf_out *out, enum cf_report_format format,
                   const struct cf_result *results, size_t count)
{
    switch (format) {
    case CF_REPORT_TAP:
        cf_report_tap(out, &results[0]);
        break;
    case CF_REPORT_JUNIT:
        cf_report_junit(out, &results[0]);
        break;
    case CF_REPORT_MARKDOWN:
        cf_report_markdown(out, results, count);
        break;
    case CF_REPORT_HTML:
        cf_report_html(out, results, count);
        break;
    case CF_REPORT_JSONL:
    case CF_REPORT_FORMATS:
        break;
    }
}

/* ---- two runs ------------------------------------------------------------------------------ */

static const struct cf_result_case *find(const struct cf_result *result,
                                         const struct cf_result_case *like)
{
    for (size_t i = 0; i < result->case_count; i++)
        if (kp_text_equal(result->cases[i].id, like->id) &&
            kp_text_equal(result->cases[i].k8s, like->k8s))
            return &result->cases[i];
    return NULL;
}

static void put_name(struct cf_out *out, const struct cf_result_case *item)
{
    cf_out_printf(out, "%.*s @%.*s: ", KP_ARG(item->id), KP_ARG(item->k8s));
}

/* "fail (wanted ..., got ...)" */
static void put_verdict(struct cf_out *out, const struct cf_outcome *outcome)
{
    cf_out_put_string(out, cf_verdict_word(outcome->verdict));
    if (outcome->signature.len > 0)
        cf_out_printf(out, " (%.*s)", KP_ARG(outcome->signature));
}

size_t cf_report_diff(struct cf_out *out, const struct cf_result *before,
                      const struct cf_result *after)
{
    size_t count = 0;

    for (size_t i = 0; i < after->case_count; i++) {
        const struct cf_result_case *now = &after->cases[i];
        const struct cf_result_case *then = find(before, now);

        if (then && then->outcome.verdict == now->outcome.verdict &&
            kp_text_equal(then->outcome.signature, now->outcome.signature))
            continue;
        count++;
        put_name(out, now);
        if (then)
            put_verdict(out, &then->outcome);
        else
            cf_out_put(out, KP_TEXT("not there"));
        cf_out_put(out, KP_TEXT(" -> "));
        put_verdict(out, &now->outcome);
        cf_out_put_char(out, '\n');
    }
    for (size_t i = 0; i < before->case_count; i++)
        if (!find(after, &before->cases[i])) {
            count++;
            put_name(out, &before->cases[i]);
            put_verdict(out, &before->cases[i].outcome);
            cf_out_put(out, KP_TEXT(" -> not there\n"));
        }
    return count;
}
