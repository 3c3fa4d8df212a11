/*
 * report_html.c: one page that needs nothing else: implementations x topics; a cell opens its cases
 * below the table (a link and :target, no JavaScript), each failure with its timeline.
 */
#include "conformance/report/format.h"

const char cf_report_style[] =
    ":root{--bg:#fff;--fg:#1b1f24;--soft:#626c76;--line:#d9dee3;--card:#f5f7f9;--good:#1a7f4b;"
    "--goodbg:#d9f2e4;--bad:#b42318;--badbg:#fde3e0;--some:#8a5a00;--somebg:#fdf0cf;"
    "--want:#175cd3;--got:#b42318;--mark:#fff4d1}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#14181c;--fg:#e6e9ec;--soft:#9aa4ae;"
    "--line:#343b43;--card:#1d2329;--good:#6fd3a0;--goodbg:#143a29;--bad:#ff9b8f;--badbg:#4a1d19;"
    "--some:#f3c969;--somebg:#43350f;--want:#84b6ff;--got:#ff9b8f;--mark:#3d3413}}\n"
    "body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}\n"
    "main{max-width:1000px;margin:0 auto;padding:32px 20px 80px}dd{overflow-wrap:anywhere}\n"
    "h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:0 0 12px}h3{font-size:15px;"
    "margin:0 0 4px}p{margin:0 0 10px}.soft{color:var(--soft)}\n"
    "table{border-collapse:collapse;margin:20px 0;width:100%}\n"
    "th,td{padding:6px 12px;border-bottom:1px solid var(--line);text-align:left}\n"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\n"
    "td.n a{display:inline-block;min-width:64px;padding:1px 8px;border-radius:4px;"
    "text-decoration:none;text-align:center}\n"
    "a{color:var(--want)}a.good{color:var(--good);background:var(--goodbg)}"
    "a.bad{color:var(--bad);background:var(--badbg)}a.some{color:var(--some);"
    "background:var(--somebg)}a.none{color:var(--soft)}\n"
    "a:focus-visible{outline:2px solid var(--want);outline-offset:2px}\n"
    "section.cell{display:none;background:var(--card);border:1px solid var(--line);"
    "border-radius:8px;padding:18px 20px;margin:0 0 20px}section.cell:target{display:block}\n"
    "article{border-top:1px solid var(--line);padding:12px 0}\n"
    ".v{display:inline-block;min-width:62px;font-size:12px;font-weight:600;text-align:center;"
    "border-radius:4px;padding:1px 6px;margin-right:8px}.v.good{color:var(--good);"
    "background:var(--goodbg)}.v.bad{color:var(--bad);background:var(--badbg)}"
    ".v.some{color:var(--some);background:var(--somebg)}\n"
    "code,pre{font:13px/1.5 ui-monospace,monospace}pre{overflow:auto;margin:8px 0}\n"
    ".scroll{overflow-x:auto}svg{display:block;margin:10px 0;font:12px ui-monospace,monospace}"
    "svg text{fill:var(--fg)}svg .q{fill:var(--soft)}svg .t{fill:var(--soft)}"
    "svg .tw{fill:var(--want)}svg .tg{fill:var(--got)}svg .axis{stroke:var(--line)}"
    "svg .cursor{stroke:var(--bad);stroke-dasharray:3 3}svg .first{fill:var(--mark)}"
    "svg .s{fill:var(--soft)}svg .w{fill:var(--want)}svg .g{fill:var(--got)}\n"
    "@media print{section.cell{display:block}}\n";

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<title>Kubernetes container probes: conformance</title>\n<style>\n";
static const char body[] =
    "</style>\n</head>\n<body>\n<main id=\"top\">\n<h1>Kubernetes container probes: "
    "conformance</h1>\n"
    "<p class=\"soft\">Passed of judged. A number opens its cases below the table.</p>\n";

static const char *verdict_class(enum cf_verdict verdict)
{
    if (!cf_verdict_conforms(verdict))
        return "bad";
    return verdict == CF_PASS ? "good" : "some";
}

static const char *cell_class(const size_t totals[CF_VERDICTS])
{
    for (int verdict = 0; verdict < CF_VERDICTS; verdict++)
        if (totals[verdict] > 0 && !cf_verdict_conforms((enum cf_verdict)verdict))
            return "bad";
    if (cf_result_judged(totals) == 0)
        return "none";
    return totals[CF_XFAIL] > 0 ? "some" : "good";
}

/* ---- the table ---------------------------------------------------------------------------- */

static void put_cell(struct cf_out *out, const struct cf_result *result, size_t column,
                     struct kp_text topic, size_t row)
{
    size_t totals[CF_VERDICTS];
    size_t all = 0;

    cf_report_count(result, topic, totals);
    for (int verdict = 0; verdict < CF_VERDICTS; verdict++)
        all += totals[verdict];
    cf_out_put(out, KP_TEXT("<td class=\"n\">"));
    if (all > 0)
        cf_out_printf(out, "<a class=\"%s\" href=\"#c%zu-%zu\">", cell_class(totals), column, row);
    if (cf_result_judged(totals) > 0)
        cf_out_printf(out, "%zu/%zu", totals[CF_PASS], cf_result_judged(totals));
    else
        cf_out_put(out, all > 0 ? KP_TEXT("not judged") : KP_TEXT("\xE2\x80\x93"));
    cf_out_put_string(out, all > 0 ? "</a></td>" : "</td>");
}

static void put_heading(struct cf_out *out, const struct cf_result *result)
{
    const struct cf_hello_ok *about = &result->header.about;

    cf_out_put(out, KP_TEXT("<th class=\"n\">"));
    cf_out_put_xml(out, about->name);
    cf_out_put(out, KP_TEXT("<br><span class=\"soft\">"));
    cf_out_put_xml(out, about->version);
    cf_out_put_string(out, about->language.len > 0 ? ", " : "");
    cf_out_put_xml(out, about->language);
    cf_out_put_string(out, about->real_clock ? ", real clock" : "");
    cf_out_put_string(out, result->interrupted ? ", interrupted" : "");
    cf_out_put(out, KP_TEXT("</span></th>"));
}

static void put_sum(struct cf_out *out, const struct cf_result *result)
{
    size_t judged = cf_result_judged(result->totals);

    cf_out_printf(out, "<td class=\"n\"><strong>%zu/%zu</strong>", result->totals[CF_PASS], judged);
    if (judged < result->header.selected)
        cf_out_printf(out, "<br><span class=\"soft\">%zu not judged</span>",
                      result->header.selected - judged);
    cf_out_put(out, KP_TEXT("</td>"));
}

static void put_table(struct cf_out *out, struct kp_text_list topics,
                      const struct cf_result *results, size_t count)
{
    cf_out_put(out, KP_TEXT("<div class=\"scroll\"><table>\n<thead><tr><th>topic</th>"));
    for (size_t i = 0; i < count; i++)
        put_heading(out, &results[i]);
    cf_out_put(out, KP_TEXT("</tr></thead>\n<tbody>\n"));
    for (size_t row = 0; row < topics.count; row++) {
        cf_out_put(out, KP_TEXT("<tr><td>"));
        cf_out_put_xml(out, topics.items[row]);
        cf_out_put(out, KP_TEXT("</td>"));
        for (size_t i = 0; i < count; i++)
            put_cell(out, &results[i], i, topics.items[row], row);
        cf_out_put(out, KP_TEXT("</tr>\n"));
    }
    cf_out_put(out, KP_TEXT("</tbody>\n<tfoot><tr><th>all</th>"));
    for (size_t i = 0; i < count; i++)
        put_sum(out, &results[i]);
    cf_out_put(out, KP_TEXT("</tr></tfoot>\n</table></div>\n"));
}

/* ---- what a cell opens -------------------------------------------------------------------- */

static void put_rules(struct cf_out *out, const struct cf_result_case *item)
{
    for (size_t i = 0; i < item->rules.count; i++) {
        enum kp_rule rule = kp_rule_find(item->rules.items[i]);

        cf_out_put(out, KP_TEXT("<p class=\"soft\"><code>"));
        cf_out_put_xml(out, item->rules.items[i]);
        cf_out_put(out, KP_TEXT("</code> "));
        if (rule != KP_RULE_NONE)
            cf_out_put_xml(out, kp_text_of(kp_rule_get(rule)->sentence));
        cf_out_put(out, KP_TEXT("</p>\n"));
    }
}

static void put_paragraph(struct cf_out *out, const char *before, struct kp_text text)
{
    if (text.len == 0)
        return;
    cf_out_printf(out, "<p>%s", before);
    cf_out_put_xml(out, text);
    cf_out_put(out, KP_TEXT("</p>\n"));
}

static void put_case(struct cf_out *out, const struct cf_result_case *item)
{
    enum cf_verdict verdict = item->outcome.verdict;

    cf_out_printf(out, "<article><h3><span class=\"v %s\">%s</span>", verdict_class(verdict),
                  cf_verdict_word(verdict));
    cf_out_put_xml(out, item->id);
    cf_out_put(out, KP_TEXT(" <span class=\"soft\">"));
    cf_out_put_xml(out, item->k8s);
    cf_out_put(out, KP_TEXT("</span></h3>\n"));
    put_paragraph(out, "", item->sentence);
    if (verdict != CF_PASS) {
        put_paragraph(out, "", item->outcome.why);
        put_paragraph(out, "known: ", item->reason);
        cf_out_put(out, KP_TEXT("<div class=\"scroll\">"));
        cf_report_svg(out, &item->outcome);
        cf_out_put(out, KP_TEXT("</div>\n"));
        put_rules(out, item);
    }
    if (item->outcome.log.len > 0) {
        cf_out_put(out, KP_TEXT("<pre>"));
        cf_out_put_xml(out, item->outcome.log);
        cf_out_put(out, KP_TEXT("</pre>\n"));
    }
    cf_out_put(out, KP_TEXT("</article>\n"));
}

/* What needs a look comes first. */
static void put_section(struct cf_out *out, struct cf_arena *arena, const struct cf_result *result,
                        size_t column, struct kp_text topic, size_t row)
{
    cf_out_printf(out, "<section class=\"cell\" id=\"c%zu-%zu\">\n<h2>", column, row);
    cf_out_put_xml(out, topic);
    cf_out_put(out, KP_TEXT(" <span class=\"soft\">"));
    cf_out_put_xml(out, cf_report_title(arena, result));
    cf_out_put(out, KP_TEXT("</span> <a href=\"#top\">close</a></h2>\n"));
    for (int passes = 0; passes < 2; passes++)
        for (size_t i = 0; i < result->case_count; i++)
            if (kp_text_equal(result->cases[i].topic, topic) &&
                (result->cases[i].outcome.verdict == CF_PASS) == passes)
                put_case(out, &result->cases[i]);
    cf_out_put(out, KP_TEXT("</section>\n"));
}

void cf_report_html(struct cf_out *out, const struct cf_result *results, size_t count)
{
    struct kp_text_list topics;
    struct cf_arena arena = {.mem = cf_libc_mem()};

    topics = cf_report_topics(&arena, results, count);
    cf_out_put_string(out, head);
    cf_out_put_string(out, cf_report_style);
    cf_out_put_string(out, body);
    put_table(out, topics, results, count);
    for (size_t row = 0; row < topics.count; row++)
        for (size_t i = 0; i < count; i++) {
            size_t totals[CF_VERDICTS];
            size_t all = 0;

            cf_report_count(&results[i], topics.items[row], totals);
            for (int verdict = 0; verdict < CF_VERDICTS; verdict++)
                all += totals[verdict];
            if (all > 0)
                put_section(out, &arena, &results[i], i, topics.items[row], row);
        }
    cf_out_put(out, KP_TEXT("</main>\n</body>\n</html>\n"));
    cf_arena_deinit(&arena);
}
