/* sim_draw.c: a simulated run as an SVG drawing: what runs when and what its probes say, to scale.
 */
#include "conformance/report/format.h"
#include "conformance/simulate/sim_page.h"
#include "conformance/text/human.h"

#define LEFT 150
#define SPAN (CF_SIM_DRAW_WIDTH - LEFT - 20)
#define LANE_HEIGHT 26
#define BAR_HEIGHT 14
#define PROBE_HEIGHT 13
#define LABEL_CHARACTERS 18
#define CHARACTER_WIDTH 7
#define SCALE_PARTS 4

static int x_of(int64_t at_ns, int64_t end_ns)
{
    return LEFT +
           (end_ns > 0 ? (int)(at_ns / KP_NS_PER_MS * SPAN / (end_ns / KP_NS_PER_MS + 1)) : 0);
}

static void put_label(struct cf_out *out, struct kp_text text, int y)
{
    cf_svg_put_text(out, text, LABEL_CHARACTERS, 8, y + BAR_HEIGHT - 3, "q");
}

static void put_bar(struct cf_out *out, int from, int to, int y, const char *class)
{
    cf_out_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"%s\"/>", from, y,
                  to > from ? to - from : 1, BAR_HEIGHT, class);
}

static void put_scale(struct cf_out *out, int64_t end_ns, int y)
{
    for (int i = 0; i <= SCALE_PARTS; i++) {
        int64_t at_ns = end_ns / SCALE_PARTS * i;
        int x = x_of(at_ns, end_ns);

        cf_out_printf(out, "<path d=\"M%d %dv6\" class=\"axis\"/>", x, y);
        cf_out_printf(out, "<text x=\"%d\" y=\"%d\" class=\"q\" text-anchor=\"%s\">", x, y + 18,
                      i == SCALE_PARTS ? "end" : "middle");
        cf_put_duration(out, at_ns, false);
        cf_out_put_string(out, "</text>");
    }
}

/* ---- the columns of kubectl ------------------------------------------------------------------ */

static const char *status_class(const struct cf_columns *columns)
{
    bool running = kp_text_equal(kp_text_of(columns->status), KP_TEXT("Running"));

    if (!running)
        return kp_text_equal(kp_text_of(columns->status), KP_TEXT("CrashLoopBackOff")) ? "lost"
                                                                                       : "wait";
    return columns->ready[0] == '0' ? "wait" : "run";
}

static void put_status(struct cf_out *out, const struct cf_columns *columns, int from, int to,
                       int y)
{
    struct kp_text word = kp_text_of(columns->status);

    put_bar(out, from, to, y, status_class(columns));
    if (to - from > (int)word.len * CHARACTER_WIDTH + 8)
        cf_svg_put_text(out, word, word.len, from + 4, y + BAR_HEIGHT - 3, "on");
}

static bool looks_alike(const struct cf_columns *a, const struct cf_columns *b)
{
    return kp_text_equal(kp_text_of(a->status), kp_text_of(b->status)) &&
           status_class(a) == status_class(b);
}

static void put_status_lane(struct cf_out *out, const struct cf_sim_trace *trace, int y)
{
    const struct cf_sim_line *open = NULL;

    put_label(out, KP_TEXT("STATUS"), y);
    for (size_t i = 0; i < trace->line_count; i++) {
        const struct cf_sim_line *line = &trace->lines[i];

        if (line->kind != CF_SIM_COLUMNS || (open && looks_alike(&open->columns, &line->columns)))
            continue;
        if (open)
            put_status(out, &open->columns, x_of(open->at_ns, trace->end_ns),
                       x_of(line->at_ns, trace->end_ns), y);
        open = line;
    }
    if (open)
        put_status(out, &open->columns, x_of(open->at_ns, trace->end_ns), LEFT + SPAN, y);
}

/* ---- one container -----------------------------------------------------------------------------
 */

/* Its instances, Ready or not, and within them the time from the kill to the end. */
static void put_instances(struct cf_out *out, const struct cf_sim_trace *trace, int container,
                          int y)
{
    int64_t since_ns = -1;
    int64_t killed_ns = -1;
    bool ready = false;

    for (size_t i = 0; i <= trace->line_count; i++) {
        const struct cf_sim_line *line = i < trace->line_count ? &trace->lines[i] : NULL;
        int64_t to_ns = line ? line->at_ns : trace->end_ns;

        if (line && line->container != container)
            continue;
        if (line && line->mark == CF_SIM_RUNS)
            since_ns = line->at_ns;
        if (line && line->mark == CF_SIM_KILLED && killed_ns < 0)
            killed_ns = line->at_ns;
        if (line && line->mark != CF_SIM_EXITED && line->mark != CF_SIM_READY &&
            line->mark != CF_SIM_UNREADY)
            continue;
        if (since_ns >= 0 && to_ns > since_ns)
            put_bar(out, x_of(since_ns, trace->end_ns), x_of(to_ns, trace->end_ns), y,
                    ready ? "run" : "wait");
        if (line && line->mark != CF_SIM_EXITED) {
            ready = line->mark == CF_SIM_READY;
            since_ns = since_ns >= 0 ? to_ns : since_ns;
            continue;
        }
        if (killed_ns >= 0)
            put_bar(out, x_of(killed_ns, trace->end_ns), x_of(to_ns, trace->end_ns), y, "lost");
        since_ns = killed_ns = -1;
    }
}

/* A start or a back-off, on the bar of the container. */
static void put_mark(struct cf_out *out, const struct cf_sim_trace *trace,
                     const struct cf_sim_line *line, int y)
{
    int x = x_of(line->at_ns, trace->end_ns);

    if (line->mark == CF_SIM_BACKED_OFF)
        cf_out_printf(out, "<path d=\"M%d %dv%d\" class=\"held\"/>", x, y, BAR_HEIGHT);
    else if (line->mark == CF_SIM_STARTED)
        cf_out_printf(out, "<path d=\"M%d %dv%d\" class=\"up\"/>", x, y - 3, BAR_HEIGHT + 6);
    else if (line->mark == CF_SIM_KILLED)
        cf_out_printf(out, "<path d=\"M%d %dl-4 -7h8z\" class=\"lost\"/>", x, y - 1);
}

static void put_container_lane(struct cf_out *out, const struct cf_sim_trace *trace, int container,
                               int y)
{
    put_label(out, trace->pod->containers[container].name, y);
    cf_out_printf(out, "<path d=\"M%d %dh%d\" class=\"axis\"/>", LEFT, y + BAR_HEIGHT / 2, SPAN);
    put_instances(out, trace, container, y);
    for (size_t i = 0; i < trace->line_count; i++)
        if (trace->lines[i].mark != CF_SIM_UNMARKED && trace->lines[i].container == container)
            put_mark(out, trace, &trace->lines[i], y);
}

/* The answers of one probe: a dot each; successes that follow one another are a line. */
static void put_probe_lane(struct cf_out *out, const struct cf_sim_trace *trace, int container,
                           int probe, int y)
{
    static const char *const names[] = {"  liveness", "  readiness", "  startup"};

    cf_svg_put_text(out, kp_text_of(names[probe]), LABEL_CHARACTERS, 20, y + 4, "q");
    for (size_t i = 0; i < trace->line_count; i++) {
        const struct cf_sim_line *line = &trace->lines[i];
        int x = x_of(line->at_ns, trace->end_ns);

        if ((line->mark != CF_SIM_SUCCEEDED && line->mark != CF_SIM_FAILED) ||
            line->container != container || line->probe != probe)
            continue;
        if (line->kind == CF_SIM_PASSED)
            cf_out_printf(out, "<path d=\"M%d %dH%d\" class=\"good\"/>",
                          x_of(line->since_ns, trace->end_ns), y, x);
        else
            cf_out_printf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"2.5\" class=\"%s\"/>", x, y,
                          line->mark == CF_SIM_FAILED ? "fail" : "run");
    }
}

int cf_sim_draw_lanes(struct cf_out *out, const struct cf_sim_trace *trace, int y)
{
    put_status_lane(out, trace, y);
    y += LANE_HEIGHT;
    for (size_t i = 0; i < kp_pod_container_count(trace->pod); i++) {
        put_container_lane(out, trace, (int)i, y);
        y += LANE_HEIGHT - 4;
        for (int probe = 0; probe < KP_PROBE_TYPES; probe++)
            if (trace->pod->containers[i].probes[probe]) {
                put_probe_lane(out, trace, (int)i, probe, y);
                y += PROBE_HEIGHT;
            }
        y += 4;
    }
    put_scale(out, trace->end_ns, y);
    return y + LANE_HEIGHT + 2;
}

int cf_sim_draw_legend(struct cf_out *out, int y)
{
    static const struct {
        const char *shape; /* at x, y */
        const char *words;
        int width;
    } rows[] = {
        {"<rect x=\"%d\" y=\"%d\" width=\"18\" height=\"10\" class=\"run\"/>", "Ready", 82},
        {"<rect x=\"%d\" y=\"%d\" width=\"18\" height=\"10\" class=\"wait\"/>", "not Ready", 102},
        {"<rect x=\"%d\" y=\"%d\" width=\"18\" height=\"10\" class=\"lost\"/>",
         "SIGTERM to its end, CrashLoopBackOff", 288},
        {"<path transform=\"translate(%d %d)\" d=\"M9 10l-4 -7h8z\" class=\"lost\"/>", "kill", 62},
        {"<path transform=\"translate(%d %d)\" d=\"M9 0v12\" class=\"up\"/>", "start", 72},
        {"<path transform=\"translate(%d %d)\" d=\"M9 0v12\" class=\"held\"/>", "back-off", 94},
        {"<circle transform=\"translate(%d %d)\" cx=\"9\" cy=\"6\" r=\"2.5\" class=\"run\"/>",
         "probe passed", 124},
        {"<circle transform=\"translate(%d %d)\" cx=\"9\" cy=\"6\" r=\"2.5\" class=\"fail\"/>",
         "probe failed", 0},
    };
    int x = 20;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cf_out_printf(out, rows[i].shape, x, y);
        cf_svg_put_text(out, kp_text_of(rows[i].words), 60, x + 24, y + 10, "q");
        x += rows[i].width;
    }
    return y + LANE_HEIGHT;
}

/* ---- earliest and latest -----------------------------------------------------------------------
 */

static void put_instant(struct cf_out *out, int64_t ns)
{
    if (ns == KP_NEVER)
        cf_out_put_string(out, "never");
    else
        cf_out_put_seconds(out, ns / KP_NS_PER_MS);
}

/* The drawing ends soon after the last thing in it. */
static int64_t end_of(const struct cf_worst_case *worst)
{
    int64_t end_ns = KP_NS_PER_S;

    for (size_t i = 0; i < worst->row_count; i++) {
        if (worst->rows[i].latest_ns == KP_NEVER)
            return worst->end_ns;
        if (worst->rows[i].latest_ns > end_ns)
            end_ns = worst->rows[i].latest_ns;
    }
    end_ns += end_ns / 20;
    return end_ns < worst->end_ns ? end_ns : worst->end_ns;
}

static void put_worst_row(struct cf_out *out, const struct cf_worst_case *worst,
                          const struct cf_worst_case_row *row, int y)
{
    struct kp_text name = worst->pod->containers[row->container].name;
    int64_t end_ns = end_of(worst);
    int64_t latest_ns = row->latest_ns == KP_NEVER ? end_ns : row->latest_ns;
    char what[24];
    struct cf_out label = {0};

    cf_worst_case_row_name(row, what, sizeof what);
    cf_out_printf(&label, "%s %.*s", what, KP_ARG(name));
    put_label(out, cf_out_text(&label), y);
    cf_out_deinit(&label);
    cf_out_printf(out, "<g><title>%s: ", what);
    put_instant(out, row->earliest_ns);
    cf_out_put_string(out, " to ");
    put_instant(out, row->latest_ns);
    cf_out_put_string(out, ", usually ");
    put_instant(out, row->usual_ns);
    cf_out_put_string(out, "</title>");
    put_bar(out, x_of(row->earliest_ns, end_ns), x_of(latest_ns, end_ns), y,
            row->start ? "run" : "lost");
    if (row->usual_ns != KP_NEVER)
        cf_out_printf(out, "<path d=\"M%d %dv%d\" class=\"up\"/>", x_of(row->usual_ns, end_ns),
                      y - 3, BAR_HEIGHT + 6);
    cf_out_put_string(out, "</g>");
}

int cf_sim_draw_worst_case(struct cf_out *out, const struct cf_worst_case *worst, int y)
{
    for (size_t i = 0; i < worst->row_count; i++, y += LANE_HEIGHT)
        put_worst_row(out, worst, &worst->rows[i], y);
    put_scale(out, end_of(worst), y);
    return y + LANE_HEIGHT + 8;
}
