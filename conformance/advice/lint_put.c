#include "conformance/advice/lint_put.h"

#include "conformance/text/human.h"
#include "core/base/version.h"
#include "core/rules/rules.h"

#include <string.h>

static const char *severity(const struct cf_finding *finding)
{
    return cf_lint_row(finding->rule)->error ? "error" : "advice";
}

/* What is wrong in one line: of a refusal the server's own. */
static struct kp_text headline(const struct cf_finding *finding)
{
    const struct cf_lint_row *row = cf_lint_row(finding->rule);

    return row->error ? finding->evidence : kp_text_of(row->sentence);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_wrapped(struct cf_out *out, size_t indent, struct kp_text text)
{
    cf_put_wrapped(out, indent, indent, text);
}

static void put_indented(struct cf_out *out, int indent, struct kp_text lines)
{
    struct kp_text line;

    while (kp_text_next_line(&lines, &line))
        cf_out_printf(out, "%*s%.*s\n", indent, "", KP_ARG(line));
}

/* Of spec.containers[0].livenessProbe what stands behind the container. */
static struct kp_text in_container(struct kp_text field)
{
    const char *bracket = memchr(field.bytes, ']', field.len);
    size_t from = bracket ? (size_t)(bracket - field.bytes) + 1 : field.len;

    from += from < field.len; /* the dot */
    return kp_text_from(field, from);
}

/* "Deployment/web, container app, livenessProbe [P-046]", in as many lines. */
static void put_place(struct cf_out *out, const struct cf_finding *finding,
                      const struct cf_lint_row *row)
{
    struct kp_text field = finding->field.len > 0 ? in_container(finding->field) : KP_TEXT("");
    struct cf_out line = {0};

    cf_out_printf(&line, "%.*s%s%.*s%s%.*s [%s]", KP_ARG(finding->pod),
                  finding->container.len > 0 ? ", container " : "", KP_ARG(finding->container),
                  field.len > 0 ? ", " : "", KP_ARG(field), row->kubelet);
    put_wrapped(out, 4, cf_out_text(&line));
    cf_out_deinit(&line);
}

static void put_change(struct cf_out *out, const struct cf_finding *finding)
{
    struct cf_out line = {0};

    cf_out_printf(&line, "change%s%.*s:", finding->besides.len > 0 ? ", which also avoids " : "",
                  KP_ARG(finding->besides));
    put_wrapped(out, 4, cf_out_text(&line));
    put_indented(out, 6, finding->fix);
    cf_out_deinit(&line);
}

static void put_cost(struct cf_out *out, size_t indent, const struct cf_finding *finding)
{
    struct cf_out line = {0};

    if (finding->cost.len == 0)
        return;
    cf_out_printf(&line, "with it %.*s", KP_ARG(finding->cost));
    put_wrapped(out, indent, cf_out_text(&line));
    cf_out_deinit(&line);
}

static void put_text(struct cf_out *out, const char *file, const struct cf_finding *finding)
{
    const struct cf_lint_row *row = cf_lint_row(finding->rule);
    struct kp_text words = headline(finding);
    struct cf_out line = {0};

    cf_out_printf(&line, "%s:%d:%d: %s: %.*s [%s]", file, finding->at.line, finding->at.column,
                  severity(finding), KP_ARG(words), row->id);
    cf_put_wrapped(out, 0, 4, cf_out_text(&line));
    cf_out_deinit(&line);
    if (row->error)
        return;
    put_place(out, finding, row);
    if (finding->evidence.len > 0)
        put_wrapped(out, 4, finding->evidence);
    if (finding->fix.len > 0 && finding->together.len == 0) {
        put_change(out, finding);
        put_cost(out, 4, finding);
    }
}

/* Behind the last finding of a container: what ends all of them. */
static void put_together(struct cf_out *out, const struct cf_findings *findings, size_t i)
{
    const struct cf_finding *finding = &findings->list[i];
    struct cf_out line = {0};
    size_t count = 0;

    if (finding->together.len == 0)
        return;
    for (size_t k = 0; k < findings->count; k++) {
        bool same = findings->list[k].together.bytes == finding->together.bytes;

        if (same && k > i)
            return;
        count += same;
    }
    cf_out_printf(&line, "one change for these %zu of container %.*s%s%.*s:", count,
                  KP_ARG(finding->container),
                  finding->besides.len > 0 ? ", which also avoids " : "", KP_ARG(finding->besides));
    put_wrapped(out, 2, cf_out_text(&line));
    cf_out_deinit(&line);
    put_indented(out, 6, finding->together);
    put_cost(out, 2, finding);
}

/* Of many pods: what is found of a container, by the rules' ids, and each refusal. */
static void put_line(struct cf_out *out, const char *file, const struct cf_finding *finding,
                     struct kp_text *ids)
{
    struct cf_out line = {0};

    cf_out_printf(&line, "%s:%d: %.*s%s%.*s: %.*s", file, finding->at.line, KP_ARG(finding->pod),
                  finding->container.len > 0 ? ", container " : "", KP_ARG(finding->container),
                  KP_ARG(*ids));
    cf_put_wrapped(out, 0, 4, cf_out_text(&line));
    cf_out_deinit(&line);
}

static bool is_same_container(const struct cf_finding *a, const struct cf_finding *b)
{
    return kp_text_equal(a->pod, b->pod) && kp_text_equal(a->container, b->container);
}

static void put_lines(struct cf_out *out, const struct cf_linted *linted)
{
    const struct cf_findings *findings = &linted->findings;

    for (size_t i = 0; i < findings->count;) {
        const struct cf_finding *first = &findings->list[i];
        struct cf_out ids = {0};
        struct kp_text text;

        for (; i < findings->count && is_same_container(first, &findings->list[i]); i++) {
            const struct cf_lint_row *row = cf_lint_row(findings->list[i].rule);

            if (row->error)
                put_text(out, linted->file, &findings->list[i]);
            else if (!findings->list[i].ignored)
                cf_out_printf(&ids, "%s%s", ids.len > 0 ? ", " : "", row->id);
        }
        text = cf_out_text(&ids);
        if (text.len > 0)
            put_line(out, linted->file, first, &text);
        cf_out_deinit(&ids);
    }
}

static void put_count(struct cf_out *out, size_t count, const char *one, const char *many)
{
    cf_out_printf(out, "%zu %s", count, count == 1 ? one : many);
}

/* Of many pods: how often each rule finds something. */
static void put_found(const struct cf_lint_sheet *sheet)
{
    size_t from = sheet->out->len;

    cf_out_put_string(sheet->out, sheet->lines.len > 0 ? "\n" : "");
    for (int i = 0; i < CF_LINT_RULES; i++) {
        const struct cf_lint_row *row = cf_lint_row((enum cf_lint_rule)i);

        if (sheet->found[i] > 0 && !row->error)
            cf_out_printf(sheet->out, "%5zu  %-26s %s\n", sheet->found[i], row->id, row->sentence);
    }
    cf_cut_lines(sheet->out, from, CF_COLUMNS);
}

static void end_text(struct cf_lint_sheet *sheet)
{
    enum { FEW = 8 };
    struct cf_out *out = sheet->out;
    bool brief = sheet->pods > FEW && !sheet->all && sheet->advice > 0;

    cf_out_put(out, cf_out_text(brief ? &sheet->lines : &sheet->blocks));
    if (brief)
        put_found(sheet);
    if (sheet->pods == 0)
        return;
    put_count(out, sheet->pods, "pod", "pods");
    cf_out_put_string(out, ": ");
    put_count(out, sheet->errors, "error", "errors");
    cf_out_put_string(out, ", ");
    put_count(out, sheet->advice, "piece of advice", "pieces of advice");
    if (sheet->ignored > 0)
        cf_out_printf(out, ", %zu ignored", sheet->ignored);
    if (sheet->unread > 0) {
        cf_out_put_string(out, "; ");
        put_count(out, sheet->unread, "file not read", "files not read");
    }
    cf_out_put_string(out, brief ? "; --all tells each\n" : "\n");
}

/* ---- JSON lines ------------------------------------------------------------------------------ */

/* "P-046 S-130" as a list of texts. */
static void put_kubelet(struct cf_out *out, const char *name, const char *rules)
{
    struct kp_text items[8];
    struct kp_text_list list = {items, 0};

    while (*rules) {
        size_t len = strcspn(rules, " ");

        items[list.count++] = (struct kp_text){rules, len};
        rules += len + (rules[len] == ' ');
    }
    cf_json_texts(out, name, list);
}

static void put_json(struct cf_out *out, const char *file, const struct cf_finding *finding)
{
    const struct cf_lint_row *row = cf_lint_row(finding->rule);

    cf_out_put_char(out, '{');
    cf_json_string(out, "file", file);
    cf_json_int(out, "line", finding->at.line);
    cf_json_int(out, "column", finding->at.column);
    cf_json_string(out, "severity", severity(finding));
    cf_json_string(out, "rule", row->id);
    put_kubelet(out, "kubelet", row->kubelet);
    cf_json_text(out, "object", finding->pod);
    cf_json_text(out, "container", finding->container);
    cf_json_text(out, "field", finding->field);
    cf_json_text(out, "message", headline(finding));
    cf_json_text(out, "evidence", row->error ? KP_TEXT("") : finding->evidence);
    cf_json_text(out, "fix", finding->fix);
    cf_json_text(out, "together", finding->together);
    cf_json_text(out, "cost", finding->cost);
    cf_out_put_string(out, "}\n");
}

/* ---- GitHub ---------------------------------------------------------------------------------- */

/* What the runner takes for the end of a property or a line is escaped. */
static void put_github_text(struct cf_out *out, struct kp_text text, bool property)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.bytes[i];

        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
            cf_out_printf(out, "%%%02X", (unsigned)c);
        else
            cf_out_put_char(out, c);
    }
}

static void begin_github(struct cf_out *out, bool error, const char *file, struct cf_place at,
                         const char *title)
{
    cf_out_printf(out, "::%s file=", error ? "error" : "warning");
    put_github_text(out, kp_text_of(file), true);
    if (at.line > 0)
        cf_out_printf(out, ",line=%d,col=%d", at.line, at.column);
    cf_out_printf(out, ",title=%s::", title);
}

static void put_github(struct cf_out *out, const char *file, const struct cf_finding *finding)
{
    const struct cf_lint_row *row = cf_lint_row(finding->rule);

    begin_github(out, row->error, file, finding->at, row->id);
    put_github_text(out, headline(finding), false);
    if (!row->error && finding->evidence.len > 0) {
        cf_out_put_string(out, "%0A");
        put_github_text(out, finding->evidence, false);
    }
    if (finding->fix.len > 0) {
        cf_out_put_string(out, "%0Achange:%0A");
        put_github_text(out, finding->fix, false);
    }
    cf_out_put_char(out, '\n');
}

/* ---- SARIF ----------------------------------------------------------------------------------- */

/* A path as a URI reference (RFC 3986); the two that are no files likewise. */
static void put_uri(struct cf_out *out, const char *file)
{
    static const char plain[] = "-._~/!$&'()*+,;=@";

    cf_out_put_char(out, '"');
    if (file[0] == '/')
        cf_out_put_string(out, "file://");
    for (const char *at = file; *at; at++) {
        unsigned char c = (unsigned char)*at;

        if (kp_is_digit((char)c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
            strchr(plain, c))
            cf_out_put_char(out, *at);
        else
            cf_out_printf(out, "%%%02X", (unsigned)c);
    }
    cf_out_put_char(out, '"');
}

static void put_location(struct cf_out *out, const char *file, struct cf_place at,
                         const struct cf_finding *finding)
{
    cf_out_put_string(out, ",\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
    put_uri(out, file);
    cf_out_put_char(out, '}');
    if (at.line > 0)
        cf_out_printf(out, ",\"region\":{\"startLine\":%d,\"startColumn\":%d}", at.line,
                      at.column > 0 ? at.column : 1);
    cf_out_put_char(out, '}');
    if (finding && finding->field.len > 0) {
        cf_out_put_string(out, ",\"logicalLocations\":[{\"kind\":\"member\"");
        cf_json_text(out, "name", finding->container);
        cf_json_text(out, "fullyQualifiedName", finding->field);
        cf_out_put_string(out, "}]");
    }
    cf_out_put_string(out, "}]");
}

/* Headline, evidence and change in one message, as text and as Markdown. */
static void put_message(struct cf_out *out, const struct cf_finding *finding)
{
    bool advice = !cf_lint_row(finding->rule)->error;
    struct kp_text line = headline(finding);
    struct kp_text evidence = advice ? finding->evidence : KP_TEXT_NONE;
    struct cf_out text = {0};

    cf_out_printf(&text, "%.*s%s%.*s", KP_ARG(line), evidence.len > 0 ? ": " : "",
                  KP_ARG(evidence));
    cf_json_open(out, "message", '{');
    if (finding->fix.len == 0) {
        cf_json_text(out, "text", cf_out_text(&text));
    } else {
        size_t plain = text.len;

        cf_out_printf(&text, "\nChange:\n%.*s", KP_ARG(finding->fix));
        cf_json_text(out, "text", cf_out_text(&text));
        text.len = plain;
        cf_out_printf(&text, "\n\n```yaml\n%.*s```\n", KP_ARG(finding->fix));
        cf_json_text(out, "markdown", cf_out_text(&text));
    }
    cf_out_put_char(out, '}');
    cf_out_deinit(&text);
}

static void put_sarif_result(struct cf_out *out, const char *file, const struct cf_finding *finding)
{
    const struct cf_lint_row *row = cf_lint_row(finding->rule);

    cf_json_comma(out);
    cf_out_put_char(out, '{');
    cf_json_string(out, "ruleId", row->id);
    cf_json_int(out, "ruleIndex", finding->rule);
    cf_json_string(out, "level", row->error ? "error" : "warning");
    put_message(out, finding);
    put_location(out, file, finding->at, finding);
    if (finding->ignored)
        cf_out_put_string(out, ",\"suppressions\":[{\"kind\":\"inSource\"}]");
    cf_out_put_char(out, '}');
}

/* The next of a row's rules in the kubelet; NULL: there are no more. */
static const struct kp_rule_row *next_kubelet(const char **at)
{
    size_t len = strcspn(*at, " ");
    const struct kp_rule_row *rule = NULL;

    if (len > 0)
        rule = kp_rule_get(kp_rule_find((struct kp_text){*at, len}));
    *at += len;
    *at += strspn(*at, " ");
    return rule;
}

/* What the rule's own rules are in the kubelet: their sentences. */
static void put_rule_help(struct cf_out *out, const struct cf_lint_row *row)
{
    struct cf_out text = {0};
    const struct kp_rule_row *rule;

    for (const char *at = row->kubelet; (rule = next_kubelet(&at));)
        cf_out_printf(&text, "%s%s: %s (%s).", text.len > 0 ? " " : "", rule->id, rule->sentence,
                      rule->place);
    if (text.len > 0) {
        cf_out_put_string(out, ",\"fullDescription\":{");
        cf_json_text(out, "text", cf_out_text(&text));
        cf_out_put_char(out, '}');
    }
    cf_out_deinit(&text);
}

static void put_sarif_rules(struct cf_out *out)
{
    for (int i = 0; i < CF_LINT_RULES; i++) {
        const struct cf_lint_row *row = cf_lint_row((enum cf_lint_rule)i);

        cf_json_comma(out);
        cf_out_put_char(out, '{');
        cf_json_string(out, "id", row->id);
        cf_out_put_string(out, ",\"shortDescription\":{");
        cf_json_string(out, "text", row->sentence);
        cf_out_put_char(out, '}');
        put_rule_help(out, row);
        cf_out_printf(out, ",\"defaultConfiguration\":{\"level\":\"%s\"}}",
                      row->error ? "error" : "warning");
    }
}

static void begin_sarif(struct cf_out *out)
{
    cf_out_put_string(out,
                      "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
                      "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{"
                      "\"name\":\"probetest\",\"version\":\"" PROBETEST_VERSION "\",\"rules\":[");
    put_sarif_rules(out);
    cf_out_put_string(out, "]}},\"columnKind\":\"unicodeCodePoints\",\"results\":[");
}

/* A file that cannot be read is no result: GitHub would list it among the alerts of the code. */
static void note_fault(struct cf_lint_sheet *sheet, const char *file,
                       const struct cf_manifest_fault *fault)
{
    struct cf_out *out = &sheet->notes;

    cf_json_comma(out);
    cf_out_printf(out, "{\"level\":\"%s\",\"message\":{", fault->warning ? "warning" : "error");
    cf_json_text(out, "text", fault->text);
    cf_out_put_char(out, '}');
    put_location(out, file, fault->at, NULL);
    cf_out_put_char(out, '}');
}

static void end_sarif(struct cf_lint_sheet *sheet)
{
    struct cf_out *out = sheet->out;

    cf_out_printf(out, "],\"invocations\":[{\"executionSuccessful\":%s",
                  sheet->failed ? "false" : "true");
    if (sheet->notes.len > 0) {
        cf_out_put_string(out, ",\"toolExecutionNotifications\":[");
        cf_out_put(out, cf_out_text(&sheet->notes));
        cf_out_put_char(out, ']');
    }
    cf_out_put_string(out, "}]}]}\n");
}

/* ---- all of them ----------------------------------------------------------------------------- */

void cf_lint_begin(struct cf_lint_sheet *sheet, enum cf_lint_format format, bool all,
                   struct cf_out *out)
{
    *sheet = (struct cf_lint_sheet){.format = format, .out = out, .all = all};
    if (format == CF_LINT_SARIF)
        begin_sarif(out);
}

static void put_fault(struct cf_lint_sheet *sheet, const char *file,
                      const struct cf_manifest_fault *fault)
{
    sheet->failed |= !fault->warning;
    if (sheet->format == CF_LINT_SARIF)
        note_fault(sheet, file, fault);
    if (sheet->format != CF_LINT_GITHUB)
        return;
    begin_github(sheet->out, !fault->warning, file, fault->at, "cannot be read");
    put_github_text(sheet->out, fault->text, false);
    cf_out_put_char(sheet->out, '\n');
}

static void put_finding(struct cf_lint_sheet *sheet, const char *file,
                        const struct cf_finding *finding)
{
    if (sheet->format == CF_LINT_SARIF)
        put_sarif_result(sheet->out, file, finding);
    else if (finding->ignored)
        return;
    else if (sheet->format == CF_LINT_TEXT)
        put_text(&sheet->blocks, file, finding);
    else if (sheet->format == CF_LINT_JSON)
        put_json(sheet->out, file, finding);
    else
        put_github(sheet->out, file, finding);
}

void cf_lint_put(struct cf_lint_sheet *sheet, const struct cf_linted *linted)
{
    sheet->files++;
    sheet->pods += linted->pod_count;
    sheet->errors += linted->findings.errors;
    sheet->advice += linted->findings.advice;
    sheet->ignored += linted->findings.ignored;
    for (size_t i = 0; i < linted->fault_count; i++)
        put_fault(sheet, linted->file, &linted->faults[i]);
    for (size_t i = 0; i < linted->findings.count; i++) {
        put_finding(sheet, linted->file, &linted->findings.list[i]);
        if (sheet->format == CF_LINT_TEXT)
            put_together(&sheet->blocks, &linted->findings, i);
        sheet->found[linted->findings.list[i].rule] += !linted->findings.list[i].ignored;
    }
    if (sheet->format == CF_LINT_TEXT)
        put_lines(&sheet->lines, linted);
}

void cf_lint_end(struct cf_lint_sheet *sheet)
{
    if (sheet->format == CF_LINT_SARIF)
        end_sarif(sheet);
    else if (sheet->format == CF_LINT_TEXT)
        end_text(sheet);
    cf_out_deinit(&sheet->notes);
    cf_out_deinit(&sheet->blocks);
    cf_out_deinit(&sheet->lines);
}

void cf_lint_put_rules(struct cf_out *out)
{
    for (int i = 0; i < CF_LINT_RULES; i++) {
        const struct cf_lint_row *row = cf_lint_row((enum cf_lint_rule)i);

        cf_out_printf(out, "%s (%s)%s%s\n    %s\n", row->id, row->error ? "error" : "advice",
                      row->kubelet[0] ? "  " : "", row->kubelet, row->sentence);
    }
}

void cf_lint_put_rule(struct cf_out *out, enum cf_lint_rule rule)
{
    const struct cf_lint_row *row = cf_lint_row(rule);
    const struct kp_rule_row *kubelet;

    struct cf_out text = {0};

    cf_out_printf(out, "%s\n  %s\n\n  lint      %s\n", row->id, row->sentence,
                  row->error ? "error" : "advice");
    for (const char *at = row->kubelet; (kubelet = next_kubelet(&at)); text.len = 0) {
        cf_out_printf(&text, "%s  %s", kubelet->id, kubelet->sentence);
        cf_put_named(out, "rule", cf_out_text(&text));
    }
    cf_out_deinit(&text);
    if (row->others[0])
        cf_out_printf(out, "  linters   %s\n", row->others);
}
