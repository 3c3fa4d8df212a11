/* format.h: the formats of a report, and what several of them ask. */
#pragma once

#include "conformance/judge/result.h"

/* Test Anything Protocol, version 14. */
void cf_report_tap(struct cf_out *out, const struct cf_result *result);
/* JUnit XML, as Jenkins and GitLab read it. */
void cf_report_junit(struct cf_out *out, const struct cf_result *result);
/* Implementations x topics, then the failures of each. */
void cf_report_markdown(struct cf_out *out, const struct cf_result *results, size_t count);
/* One page that needs nothing else: light and dark, the table without JavaScript. */
void cf_report_html(struct cf_out *out, const struct cf_result *results, size_t count);

/* The timeline of one case as an inline SVG element. */
void cf_report_svg(struct cf_out *out, const struct cf_outcome *outcome);
/* A <text> of an SVG: as much as fits, whole characters, and all of it as a tooltip where more is.
 */
void cf_svg_put_text(struct cf_out *out, struct kp_text text, size_t characters_max, int x, int y,
                     const char *class);
/* The style of every page here, light and dark: between <style> tags. */
extern const char cf_report_style[];
/* Text between tags or in a quoted attribute; what XML cannot hold becomes U+FFFD. */
void cf_out_put_xml(struct cf_out *out, struct kp_text text);

/* The topics of all results, each once, in order of appearance; in the arena. */
struct kp_text_list cf_report_topics(struct cf_arena *arena, const struct cf_result *results,
                                     size_t count);
/* Totals of one topic; an empty topic: of all. */
void cf_report_count(const struct cf_result *result, struct kp_text topic,
                     size_t totals[CF_VERDICTS]);
/* "name version" */
struct kp_text cf_report_title(struct cf_arena *arena, const struct cf_result *result);
/* "12.500": milliseconds as seconds. */
void cf_out_put_seconds(struct cf_out *out, int64_t ms);
