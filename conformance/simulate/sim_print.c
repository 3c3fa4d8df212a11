/* sim_print.c: a simulated run as text for people and as JSON for programs. */
#include "conformance/simulate/sim_trace.h"

#include "conformance/text/versions.h"
#include "core/rules/rules.h"

#include <string.h>

/* Seconds with milliseconds, right-aligned. */
static void put_time(struct cf_out *out, int64_t at_ns)
{
    cf_out_printf(out, "%10lld.%03lld  ", (long long)(at_ns / KP_NS_PER_S),
                  (long long)(at_ns % KP_NS_PER_S / KP_NS_PER_MS));
}

static void put_rule(struct cf_out *out, enum kp_rule rule)
{
    if (rule != KP_RULE_NONE)
        cf_out_printf(out, "  [%s]", kp_rule_get(rule)->id);
}

static void put_line(struct cf_out *out, const struct cf_sim_line *line, const char *blank)
{
    if (line->kind != CF_SIM_COLUMNS && line->text.len == 0)
        return;
    put_time(out, line->at_ns);
    if (line->kind == CF_SIM_COLUMNS) {
        cf_out_printf(out, "%-6s %-20s %s\n", line->columns.ready, line->columns.status,
                      line->columns.restarts);
        return;
    }
    cf_out_put_string(out, blank);
    cf_out_put(out, line->text);
    if (line->kind == CF_SIM_PASSED && line->count > 1)
        cf_out_printf(out, ", %u more since %lld.%03lld", line->count,
                      (long long)(line->since_ns / KP_NS_PER_S),
                      (long long)(line->since_ns % KP_NS_PER_S / KP_NS_PER_MS));
    put_rule(out, line->rule);
    cf_out_put_char(out, '\n');
}

void cf_sim_put_line(struct cf_out *out, const struct cf_sim_line *line)
{
    put_line(out, line, "                                           "); /* the columns */
}

/* The Age cell of an event, as a C string. */
static void put_age(char *bytes, size_t size, const struct kp_event_object *event, int64_t now_ns)
{
    struct kp_buf age = {bytes, size - 1, 0};

    cf_put_event_age(&age, event, now_ns);
    bytes[kp_buf_text(&age).len] = '\0';
}

struct widths {
    int reason;
    int age;
};

/* Each column of describe is as wide as its widest cell. */
static struct widths measure_events(const struct cf_sim_trace *trace)
{
    struct widths widths = {6, 3};

    for (size_t i = 0; i < trace->described.count; i++) {
        const struct kp_event_object *event = trace->described.list[i];
        char age[64];

        put_age(age, sizeof age, event, trace->end_ns);
        if ((int)strlen(age) > widths.age)
            widths.age = (int)strlen(age);
        if ((int)event->note.reason.len > widths.reason)
            widths.reason = (int)event->note.reason.len;
    }
    return widths;
}

static void put_event(struct cf_out *out, const struct cf_sim_trace *trace,
                      const struct kp_event_object *event, struct widths widths)
{
    char age[64];

    put_age(age, sizeof age, event, trace->end_ns);
    cf_out_printf(out, "  %-7s  %-*.*s  %-*s  kubelet  ",
                  event->note.type == KP_WARNING ? "Warning" : "Normal", widths.reason,
                  KP_ARG(event->note.reason), widths.age, age);
    cf_put_event_message(out, trace->profile, &event->note);
    cf_out_put_char(out, '\n');
}

static void put_events(struct cf_out *out, const struct cf_sim_trace *trace)
{
    struct widths widths = measure_events(trace);

    cf_out_printf(out, "\nEvents:\n  %-7s  %-*s  %-*s  From     Message\n", "Type", widths.reason,
                  "Reason", widths.age, "Age");
    cf_out_printf(out, "  %-7s  %-*s  %-*s  ----     -------\n", "----", widths.reason, "------",
                  widths.age, "----");
    for (size_t i = 0; i < trace->described.count; i++)
        put_event(out, trace, trace->described.list[i], widths);
}

void cf_sim_put_heading(struct cf_out *out)
{
    cf_out_put_string(out, "          TIME  READY  STATUS               RESTARTS       WHAT\n");
}

void cf_sim_put_text(struct cf_out *out, const struct cf_sim_trace *trace)
{
    cf_out_put_string(out, "          TIME  READY  STATUS               RESTARTS\n");
    for (size_t i = 0; i < trace->line_count; i++)
        put_line(out, &trace->lines[i], "");
    put_events(out, trace);
}

/* The members that every line has. */
static void begin_object(struct cf_out *out, const struct cf_sim_trace *trace, int64_t at_ns)
{
    cf_out_put_char(out, '{');
    cf_json_int(out, "at", at_ns / KP_NS_PER_MS);
    cf_json_text(out, "pod", trace->pod->name);
    cf_json_profile(out, trace->profile);
}

static void put_json_event(struct cf_out *out, const struct cf_sim_trace *trace,
                           const struct kp_event_object *event)
{
    begin_object(out, trace, trace->end_ns);
    cf_json_open(out, "apiEvent", '{');
    cf_json_string(out, "type", event->note.type == KP_WARNING ? "Warning" : "Normal");
    cf_json_text(out, "reason", event->note.reason);
    cf_json_text(out, "fieldPath", event->note.field_path);
    cf_json_text(out, "message", event->note.message);
    cf_json_int(out, "count", event->count);
    cf_json_int(out, "first", event->first_ns / KP_NS_PER_MS);
    cf_json_int(out, "last", event->last_ns / KP_NS_PER_MS);
    cf_out_put_string(out, "}}\n");
}

void cf_sim_put_json_line(struct cf_out *out, const struct cf_sim_trace *trace,
                          const struct cf_sim_line *line)
{
    begin_object(out, trace, line->at_ns);
    if (line->rule != KP_RULE_NONE)
        cf_json_string(out, "rule", kp_rule_get(line->rule)->id);
    if (line->kind == CF_SIM_EFFECT) {
        cf_json_key(out, "effect");
        cf_out_put(out, line->json);
    } else if (line->kind == CF_SIM_COLUMNS) {
        cf_json_open(out, "columns", '{');
        cf_json_string(out, "ready", line->columns.ready);
        cf_json_string(out, "status", line->columns.status);
        cf_json_string(out, "restarts", line->columns.restarts);
        cf_out_put_char(out, '}');
    } else {
        cf_json_text(out, "world", line->text);
    }
    cf_out_put_string(out, "}\n");
}

void cf_sim_put_json(struct cf_out *out, const struct cf_sim_trace *trace)
{
    const struct kp_event_object *event;

    for (size_t i = 0; i < trace->line_count; i++)
        cf_sim_put_json_line(out, trace, &trace->lines[i]);
    for (size_t i = 0; (event = kp_event_correlator_get(trace->events, i)); i++)
        put_json_event(out, trace, event);
}
