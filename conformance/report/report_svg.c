/* report_svg.c: a timeline as a picture: above, both lanes to scale; below, a row a moment. */
#include "conformance/report/format.h"

#define WIDTH 920
#define LANES_TOP 18
#define LANE_HEIGHT 18
#define LANE_LEFT 70
#define LANE_WIDTH (WIDTH - LANE_LEFT - 20)
#define ROWS_TOP 84
#define ROW_HEIGHT 21
#define WANTED_X 100
#define GOT_X 516
#define SIDE_CHARACTERS 54
#define ROWS_MAX 200 /* a livelock has more than anybody wants to look at */

static bool is_same(const struct cf_moment *moment)
{
    return kp_text_equal(moment->wanted, moment->got);
}

/* ---- the lanes ---------------------------------------------------------------------------- */

static int64_t lane_x(const struct cf_outcome *outcome, size_t rows, int64_t at_ms)
{
    int64_t from = outcome->moments[0].at_ms;
    int64_t span = outcome->moments[rows - 1].at_ms - from;

    return LANE_LEFT + (span > 0 ? (at_ms - from) * LANE_WIDTH / span : 0);
}

static void put_lane(struct cf_out *out, const struct cf_outcome *outcome, size_t rows, bool got)
{
    int y = LANES_TOP + (got ? LANE_HEIGHT : 0);

    cf_out_printf(out, "<text x=\"%d\" y=\"%d\" class=\"q\" text-anchor=\"end\">%s</text>",
                  LANE_LEFT - 12, y + 4, got ? "got" : "wanted");
    cf_out_printf(out, "<path d=\"M%d %dH%d\" class=\"axis\"/>", LANE_LEFT, y,
                  LANE_LEFT + LANE_WIDTH);
    for (size_t i = 0; i < rows; i++) {
        const struct cf_moment *moment = &outcome->moments[i];

        if ((got ? moment->got : moment->wanted).len == 0)
            continue;
        cf_out_printf(out, "<circle cx=\"%lld\" cy=\"%d\" r=\"%d\" class=\"%s\"/>",
                      (long long)lane_x(outcome, rows, moment->at_ms), y, is_same(moment) ? 4 : 5,
                      is_same(moment) ? "s"
                      : got           ? "g"
                                      : "w");
    }
}

static void put_scale(struct cf_out *out, const struct cf_outcome *outcome, size_t rows)
{
    int y = LANES_TOP + 2 * LANE_HEIGHT + 6;

    cf_out_printf(out, "<text x=\"%d\" y=\"%d\" class=\"q\">", LANE_LEFT, y);
    cf_out_put_seconds(out, outcome->moments[0].at_ms);
    cf_out_printf(out, " s</text><text x=\"%d\" y=\"%d\" class=\"q\" text-anchor=\"end\">",
                  LANE_LEFT + LANE_WIDTH, y);
    cf_out_put_seconds(out, outcome->moments[rows - 1].at_ms);
    cf_out_put(out, KP_TEXT(" s</text>"));
}

static void put_cursor(struct cf_out *out, const struct cf_outcome *outcome, size_t rows)
{
    if (outcome->first >= rows)
        return;
    cf_out_printf(out, "<path d=\"M%lld %dV%d\" class=\"cursor\"/>",
                  (long long)lane_x(outcome, rows, outcome->moments[outcome->first].at_ms),
                  LANES_TOP - 12, LANES_TOP + LANE_HEIGHT + 12);
}

/* ---- the rows ----------------------------------------------------------------------------- */

void cf_svg_put_text(struct cf_out *out, struct kp_text text, size_t characters_max, int x, int y,
                     const char *class)
{
    size_t characters = 0;
    size_t at = 0;

    cf_out_printf(out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, class);
    while (at < text.len) {
        bool starts = ((unsigned char)text.bytes[at] & 0xC0) != 0x80;

        if (starts && characters == characters_max)
            break;
        characters += starts;
        at++;
    }
    cf_out_put_xml(out, (struct kp_text){text.bytes, at});
    if (at < text.len) {
        cf_out_put(out, KP_TEXT("\xE2\x80\xA6<title>"));
        cf_out_put_xml(out, text);
        cf_out_put(out, KP_TEXT("</title>"));
    }
    cf_out_put(out, KP_TEXT("</text>"));
}

static void put_side(struct cf_out *out, struct kp_text text, int x, int y, const char *class)
{
    cf_svg_put_text(out, text.len > 0 ? text : KP_TEXT("\xE2\x80\x93"), SIDE_CHARACTERS, x, y,
                    class);
}

static void put_row(struct cf_out *out, const struct cf_outcome *outcome, size_t index)
{
    const struct cf_moment *moment = &outcome->moments[index];
    int y = ROWS_TOP + (int)index * ROW_HEIGHT;
    bool same = is_same(moment);

    if (index == outcome->first)
        cf_out_printf(out, "<rect x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"first\"/>",
                      y - 15, WIDTH, ROW_HEIGHT);
    cf_out_printf(out, "<text x=\"%d\" y=\"%d\" class=\"q\" text-anchor=\"end\">", WANTED_X - 28,
                  y);
    cf_out_put_seconds(out, moment->at_ms);
    cf_out_printf(out, "</text><circle cx=\"%d\" cy=\"%d\" r=\"4\" class=\"%s\"/>", WANTED_X - 14,
                  y - 4,
                  same                     ? "s"
                  : moment->wanted.len > 0 ? "w"
                                           : "g");
    put_side(out, moment->wanted, WANTED_X, y, same ? "t" : "tw");
    put_side(out, moment->got, GOT_X, y, same ? "t" : "tg");
}

void cf_report_svg(struct cf_out *out, const struct cf_outcome *outcome)
{
    size_t rows = outcome->moment_count < ROWS_MAX ? outcome->moment_count : ROWS_MAX;

    if (rows == 0)
        return;
    cf_out_printf(out,
                  "<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" aria-label=\"timeline: "
                  "wanted and got\">",
                  WIDTH, ROWS_TOP + (int)rows * ROW_HEIGHT, WIDTH);
    put_lane(out, outcome, rows, false);
    put_lane(out, outcome, rows, true);
    put_scale(out, outcome, rows);
    put_cursor(out, outcome, rows);
    for (size_t i = 0; i < rows; i++)
        put_row(out, outcome, i);
    cf_out_put(out, KP_TEXT("</svg>"));
}
