/*
 * sim_page.h: simulated runs as pictures: one SVG document, or one HTML page that needs nothing
 * else.  Several runs (pods, versions) stand one below the other.
 */
#pragma once

#include "conformance/simulate/sim_trace.h"
#include "conformance/simulate/worst_case.h"

enum cf_sim_format { CF_SIM_TEXT, CF_SIM_JSON, CF_SIM_SVG, CF_SIM_HTML };

/* Zero it but for format; deinit gives the storage back. */
struct cf_sim_page {
    enum cf_sim_format format;
    struct cf_out body;
    int height;            /* SVG: of what is in the body */
    bool linked[KP_RULES]; /* HTML: rules that are linked to their text at the end */
};

void cf_sim_page_deinit(struct cf_sim_page *page);
/*
 * Add a run.
 *
 * head:     its lines for people: the first is the title, the others the verdict.
 * more:     what is promised and assumed, lines of text: in HTML alone.
 */
void cf_sim_page_add(struct cf_sim_page *page, struct kp_text head, struct kp_text more,
                     const struct cf_sim_trace *trace);
/* Add how early and late kills can come. */
void cf_sim_page_add_worst(struct cf_sim_page *page, struct kp_text head,
                           const struct cf_worst_case *worst);
/* The whole document. */
void cf_sim_page_put(struct cf_out *out, const struct cf_sim_page *page);

/* ---- the drawings, for the page alone ------------------------------------------------------ */

/* What runs when, to scale, from y downward.  Returns: the first y below it. */
int cf_sim_draw_lanes(struct cf_out *out, const struct cf_sim_trace *trace, int y);
/* What its marks and colours mean.  Returns: the first y below it. */
int cf_sim_draw_legend(struct cf_out *out, int y);
/* Earliest, usual and latest.  Returns: the first y below them. */
int cf_sim_draw_worst_case(struct cf_out *out, const struct cf_worst_case *worst, int y);
#define CF_SIM_DRAW_WIDTH 960
