#include "conformance/simulate/sim_page.h"

#include "conformance/report/format.h"

#include "core/rules/rules.h"

#define TITLE_HEIGHT 22
#define MARGIN 16

/* What a drawing's classes look like: with the variables of the page around it ... */
static const char drawing_style[] =
    "svg{display:block;font:12px ui-monospace,monospace}svg text{fill:var(--fg)}"
    "svg .b{font-weight:600}svg .on{fill:var(--bg)}svg .q{fill:var(--soft)}svg .tg{fill:var(--got)}"
    "svg .axis{stroke:var(--line)}svg .run{fill:var(--good)}svg .wait{fill:var(--soft)}"
    "svg .lost{fill:var(--bad)}svg .good{stroke:var(--good);stroke-width:3}svg "
    ".fail{fill:var(--bad)}"
    "svg .held{stroke:var(--some);stroke-width:2}svg .up{stroke:var(--fg)}\n";

/* ... and alone: many programs that show an SVG know no variables. */
static const char alone_style[] =
    "text{font:12px monospace;fill:#1b1f24}.paper{fill:#fff}.h{font-size:15px;font-weight:600}"
    ".b{font-weight:600}.on{fill:#fff}.q{fill:#626c76}.tg{fill:#b42318}.axis{stroke:#d9dee3}"
    ".run{fill:#1a7f4b}.wait{fill:#626c76}.lost{fill:#b42318}.good{stroke:#1a7f4b;stroke-width:3}"
    ".fail{fill:#b42318}.held{stroke:#8a5a00;stroke-width:2}.up{stroke:#1b1f24}\n"
    "@media(prefers-color-scheme:dark){text{fill:#e6e9ec}.paper{fill:#14181c}.on{fill:#14181c}"
    ".q{fill:#9aa4ae}.tg{fill:#ff9b8f}.axis{stroke:#343b43}.run{fill:#6fd3a0}.wait{fill:#9aa4ae}"
    ".lost{fill:#ff9b8f}.good{stroke:#6fd3a0}.fail{fill:#ff9b8f}.held{stroke:#f3c969}"
    ".up{stroke:#e6e9ec}}\n";

void cf_sim_page_deinit(struct cf_sim_page *page)
{
    cf_out_deinit(&page->body);
}

/* Takes the next line off the text. */
static struct kp_text take_line(struct kp_text *text)
{
    size_t end = 0;
    struct kp_text line;

    while (end < text->len && text->bytes[end] != '\n')
        end++;
    line = (struct kp_text){text->bytes, end};
    end += end < text->len;
    *text = kp_text_from(*text, end);
    return line;
}

static void draw_head(struct cf_sim_page *page, struct kp_text head)
{
    page->height += MARGIN;
    for (int i = 0; head.len > 0; i++) {
        struct kp_text line = take_line(&head);

        if (line.len == 0)
            continue;
        cf_svg_put_text(&page->body, line, 130, 8, page->height + 14, i == 0 ? "h" : "q");
        page->height += TITLE_HEIGHT;
    }
    page->height += 6;
}

/* The page's first heading is its title. */
static void put_paragraphs(struct cf_out *out, struct kp_text head)
{
    const char *tag = out->len == 0 ? "h1" : "h2";

    for (int i = 0; head.len > 0; i++) {
        struct kp_text line = take_line(&head);

        if (line.len == 0)
            continue;
        if (i == 0)
            cf_out_printf(out, "<%s>", tag);
        else
            cf_out_put_string(out, "<p class=\"soft\">");
        cf_out_put_xml(out, line);
        cf_out_printf(out, "</%s>\n", i == 0 ? tag : "p");
    }
}

/* What may be wider than a phone is scrolled, by keys too. */
#define SCROLL(name) "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"" name "\">"

/* ---- HTML tables ------------------------------------------------------------------------------
 */

static void put_seconds_cell(struct cf_out *out, int64_t ns)
{
    cf_out_put_string(out, "<td class=\"n\">");
    if (ns == KP_NEVER)
        cf_out_put_string(out, "never");
    else
        cf_out_put_seconds(out, ns / KP_NS_PER_MS);
    cf_out_put_string(out, "</td>");
}

static void put_text_cell(struct cf_out *out, struct kp_text text)
{
    cf_out_put_string(out, "<td>");
    cf_out_put_xml(out, text);
    cf_out_put_string(out, "</td>");
}

/* A rule, linked to its text. */
static void put_rule_cell(struct cf_sim_page *page, enum kp_rule rule)
{
    struct cf_out *out = &page->body;

    cf_out_put_string(out, "<td>");
    if (rule != KP_RULE_NONE) {
        page->linked[rule] = true;
        cf_out_printf(out, "<a href=\"#%s\">%s</a>", kp_rule_get(rule)->id, kp_rule_get(rule)->id);
    }
    cf_out_put_string(out, "</td>");
}

static void put_rules(struct cf_out *out, const struct cf_sim_page *page)
{
    cf_out_put_string(out, "<h2>Rules</h2>\n<dl>\n");
    for (int rule = KP_RULE_NONE + 1; rule < KP_RULES; rule++) {
        const struct kp_rule_row *row = kp_rule_get((enum kp_rule)rule);

        if (!page->linked[rule])
            continue;
        cf_out_printf(out, "<dt id=\"%s\">%s</dt><dd>", row->id, row->id);
        cf_out_put_xml(out, kp_text_of(row->sentence));
        cf_out_put_string(out, " <span class=\"soft\">(");
        cf_out_put_xml(out, kp_text_of(row->place));
        cf_out_put_string(out, ")</span></dd>\n");
    }
    cf_out_put_string(out, "</dl>\n");
}

static void put_line(struct cf_sim_page *page, const struct cf_sim_line *line)
{
    struct cf_out *out = &page->body;

    if (line->kind != CF_SIM_COLUMNS && line->text.len == 0)
        return;
    cf_out_put_string(out, "<tr>");
    put_seconds_cell(out, line->at_ns);
    if (line->kind == CF_SIM_COLUMNS) {
        put_text_cell(out, kp_text_of(line->columns.ready));
        put_text_cell(out, kp_text_of(line->columns.status));
        put_text_cell(out, kp_text_of(line->columns.restarts));
        cf_out_put_string(out, "<td></td><td></td></tr>\n");
        return;
    }
    cf_out_put_string(out, "<td></td><td></td><td></td><td>");
    cf_out_put_xml(out, line->text);
    if (line->kind == CF_SIM_PASSED && line->count > 1) {
        cf_out_printf(out, ", %u more since ", line->count);
        cf_out_put_seconds(out, line->since_ns / KP_NS_PER_MS);
    }
    cf_out_put_string(out, "</td>");
    put_rule_cell(page, line->rule);
    cf_out_put_string(out, "</tr>\n");
}

static void put_event(struct cf_out *out, const struct cf_sim_trace *trace,
                      const struct kp_event_object *event)
{
    char bytes[64];
    struct kp_buf age = {bytes, sizeof bytes, 0};

    cf_put_event_age(&age, event, trace->end_ns);
    cf_out_put_string(out, "<tr>");
    put_text_cell(out, kp_text_of(event->note.type == KP_WARNING ? "Warning" : "Normal"));
    put_text_cell(out, event->note.reason);
    put_text_cell(out, kp_buf_text(&age));
    put_text_cell(out, event->note.message);
    cf_out_put_string(out, "</tr>\n");
}

static void put_tables(struct cf_sim_page *page, const struct cf_sim_trace *trace)
{
    struct cf_out *out = &page->body;

    cf_out_put_string(out,
                      SCROLL("table") "<table>\n<thead><tr><th class=\"n\">time</th>"
                                      "<th>READY</th><th>STATUS</th><th>RESTARTS</th><th>what</th>"
                                      "<th>rule</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < trace->line_count; i++)
        put_line(page, &trace->lines[i]);
    cf_out_put_string(
        out, "</tbody></table></div>\n<h3>Events</h3>\n" SCROLL(
                 "events") "<table>\n"
                           "<thead><tr><th>Type</th><th>Reason</th><th>Age</th><th>Message</th>"
                           "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < trace->described.count; i++)
        put_event(out, trace, trace->described.list[i]);
    cf_out_put_string(out, "</tbody></table></div>\n");
}

static void put_worst_tables(struct cf_out *out, const struct cf_worst_case *worst)
{
    struct cf_out words = {0};

    for (size_t i = 0; i < worst->row_count; i++) {
        const struct cf_worst_case_row *row = &worst->rows[i];
        char what[24];

        if (i == 0)
            cf_out_put_string(
                out,
                SCROLL("table") "<table>\n<thead><tr><th>container</th>"
                                "<th>what</th><th class=\"n\">earliest</th><th class=\"n\">usual"
                                "</th><th class=\"n\">latest</th></tr></thead>\n<tbody>\n");
        cf_worst_case_row_name(row, what, sizeof what);
        cf_out_put_string(out, "<tr>");
        put_text_cell(out, worst->pod->containers[row->container].name);
        put_text_cell(out, kp_text_of(what));
        put_seconds_cell(out, row->earliest_ns);
        put_seconds_cell(out, row->usual_ns);
        put_seconds_cell(out, row->latest_ns);
        cf_out_put_string(out, "</tr>\n");
    }
    if (worst->row_count > 0)
        cf_out_put_string(out, "</tbody></table></div>\n");
    cf_worst_case_put_text(&words, KP_TEXT_NONE, worst, SIZE_MAX);
    cf_out_put_string(out, "<pre tabindex=\"0\">");
    cf_out_put_xml(out, cf_out_text(&words));
    cf_out_put_string(out, "</pre>\n");
    cf_out_deinit(&words);
}

/* ---- a run --------------------------------------------------------------------------------------
 */

static void put_drawing(struct cf_out *out, struct kp_text drawing, int height)
{
    cf_out_printf(out,
                  SCROLL("timeline") "<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" "
                                     "aria-label=\"timeline\">",
                  CF_SIM_DRAW_WIDTH, height, CF_SIM_DRAW_WIDTH);
    cf_out_put(out, drawing);
    cf_out_put_string(out, "</svg></div>\n");
}

void cf_sim_page_add(struct cf_sim_page *page, struct kp_text head, struct kp_text more,
                     const struct cf_sim_trace *trace)
{
    struct cf_out drawing = {0};
    int height;

    if (page->format == CF_SIM_SVG) {
        draw_head(page, head);
        page->height = cf_sim_draw_lanes(&page->body, trace, page->height);
        return;
    }
    put_paragraphs(&page->body, head);
    height = cf_sim_draw_lanes(&drawing, trace, 10);
    height = cf_sim_draw_legend(&drawing, height);
    put_drawing(&page->body, cf_out_text(&drawing), height);
    cf_out_put_string(&page->body, "<pre tabindex=\"0\">");
    cf_out_put_xml(&page->body, more);
    cf_out_put_string(&page->body, "</pre>\n<details><summary>everything</summary>\n");
    put_tables(page, trace);
    cf_out_put_string(&page->body, "</details>\n");
    cf_out_deinit(&drawing);
}

void cf_sim_page_add_worst(struct cf_sim_page *page, struct kp_text head,
                           const struct cf_worst_case *worst)
{
    struct cf_out drawing = {0};
    int height;

    if (page->format == CF_SIM_SVG) {
        draw_head(page, head);
        page->height = cf_sim_draw_worst_case(&page->body, worst, page->height);
        return;
    }
    put_paragraphs(&page->body, head);
    height = cf_sim_draw_worst_case(&drawing, worst, 4);
    put_drawing(&page->body, cf_out_text(&drawing), height);
    put_worst_tables(&page->body, worst);
    cf_out_deinit(&drawing);
}

void cf_sim_page_put(struct cf_out *out, const struct cf_sim_page *page)
{
    if (page->format == CF_SIM_SVG) {
        struct cf_out legend = {0};
        int height = cf_sim_draw_legend(&legend, page->height + 4);

        cf_out_printf(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "role=\"img\" aria-label=\"simulated timeline\">\n<style>\n",
            CF_SIM_DRAW_WIDTH, height, CF_SIM_DRAW_WIDTH);
        cf_out_put_string(out, alone_style);
        cf_out_put_string(out,
                          "</style>\n<rect width=\"100%\" height=\"100%\" class=\"paper\"/>\n");
        cf_out_put(out, cf_out_text(&page->body));
        cf_out_put(out, cf_out_text(&legend));
        cf_out_deinit(&legend);
        cf_out_put_string(out, "</svg>\n");
        return;
    }
    cf_out_put_string(out,
                      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, "
                      "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
                      "<title>When will this pod be killed?</title>\n<style>\n");
    cf_out_put_string(out, cf_report_style);
    cf_out_put_string(out, drawing_style);
    cf_out_put_string(out, "</style>\n</head>\n<body>\n<main>\n");
    cf_out_put(out, cf_out_text(&page->body));
    put_rules(out, page);
    cf_out_put_string(out, "</main>\n</body>\n</html>\n");
}
