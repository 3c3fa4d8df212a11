/* summary.c: what a run comes to: a line a topic, or topics by versions, and the sum. */
#include "conformance/judge/verdict.h"
#include "conformance/report/format.h"
#include "conformance/report/report.h"
#include "core/rules/profile.h"

#include <string.h>

static void put_totals(struct cf_out *out, const size_t totals[CF_VERDICTS])
{
    const char *between = "";

    for (int verdict = 0; verdict < CF_VERDICTS; verdict++)
        if (totals[verdict] > 0) {
            cf_out_printf(out, "%s%zu %s", between, totals[verdict],
                          cf_verdict_word((enum cf_verdict)verdict));
            between = ", ";
        }
}

/* ---- one version: a line a topic ----------------------------------------------------------------
 */

static bool is_all_skipped(const size_t totals[CF_VERDICTS])
{
    for (int verdict = 0; verdict < CF_VERDICTS; verdict++)
        if (totals[verdict] > 0 && verdict != CF_SKIP)
            return false;
    return true;
}

/* Who claims one layer sees none of the seventy topics that they have nothing to do with. */
static void put_passed_over(struct cf_out *out, const struct cf_result *result,
                            struct kp_text_list topics, size_t count)
{
    enum { NAMED = 6 };
    const char *between = " ";

    if (count == 0)
        return;
    if (count > NAMED) {
        cf_out_printf(out, "  %zu topics of which nothing is judged\n", count);
        return;
    }
    cf_out_put(out, KP_TEXT("  nothing is judged of"));
    for (size_t i = 0; i < topics.count; i++) {
        size_t totals[CF_VERDICTS];

        cf_report_count(result, topics.items[i], totals);
        if (is_all_skipped(totals)) {
            cf_out_put_string(out, between);
            cf_out_put(out, topics.items[i]);
            between = ", ";
        }
    }
    cf_out_put_char(out, '\n');
}

static void put_topics(struct cf_out *out, const struct cf_result *result,
                       struct kp_text_list topics)
{
    size_t passed_over = 0;

    for (size_t i = 0; i < topics.count; i++) {
        size_t totals[CF_VERDICTS];

        cf_report_count(result, topics.items[i], totals);
        if (is_all_skipped(totals)) {
            passed_over++;
            continue;
        }
        cf_out_printf(out, "  %-24.*s ", KP_ARG(topics.items[i]));
        put_totals(out, totals);
        cf_out_put_char(out, '\n');
    }
    put_passed_over(out, result, topics, passed_over);
}

/* ---- several: topics by versions ----------------------------------------------------------------
 */

enum { SCREEN = 20 }; /* rows: behind more the head of the columns is said again */
enum { COLUMNS_MAX = KP_MINOR_MAX - KP_MINOR_MIN + 1 };

/* Of one topic at one version. */
struct cell {
    size_t conform;
    size_t fail;
    size_t other; /* skipped, or not run */
};

struct matrix {
    struct kp_text_list topics;
    struct kp_text_list versions; /* or minors, where there are too many */
    struct cell *cells;           /* topic by topic */
    int width;                    /* of a column */
    int name_width;
    bool by_minor;
};

/* "1.34" of "1.34.2" */
static struct kp_text minor_of(struct kp_text version)
{
    return version.len > 4 ? (struct kp_text){version.bytes, 4} : version;
}

static size_t index_of(struct kp_text_list list, struct kp_text text, size_t guess)
{
    if (guess < list.count && kp_text_equal(list.items[guess], text))
        return guess;
    for (size_t i = 0; i < list.count; i++)
        if (kp_text_equal(list.items[i], text))
            return i;
    return list.count;
}

static void count_cells(struct matrix *m, const struct cf_result *result)
{
    size_t topic = 0;
    size_t version = 0;

    for (size_t i = 0; i < result->case_count; i++) {
        const struct cf_result_case *item = &result->cases[i];
        struct cell *cell;

        topic = index_of(m->topics, item->topic, topic);
        version = index_of(m->versions, m->by_minor ? minor_of(item->k8s) : item->k8s, version + 1);
        if (topic == m->topics.count || version == m->versions.count)
            continue;
        cell = &m->cells[topic * m->versions.count + version];
        if (item->outcome.verdict == CF_SKIP || item->outcome.verdict == CF_NOISY ||
            item->outcome.verdict == CF_NOT_RUN)
            cell->other++;
        else if (!cf_verdict_conforms(item->outcome.verdict))
            cell->fail++;
        else
            cell->conform++;
    }
}

/* "1.36" is 36 here, "1.34.2" is 34.2. */
static struct kp_text short_version(struct kp_text version)
{
    return version.len > 2 ? kp_text_from(version, 2) : version;
}

static void put_cell(struct cf_out *out, const struct cell *cell, int width)
{
    if (cell->fail > 0)
        cf_out_printf(out, "%*zu!", width - 1, cell->fail);
    else if (cell->conform > 0)
        cf_out_printf(out, "%*zu", width, cell->conform);
    else
        cf_out_printf(out, "%*s", width, cell->other > 0 ? "-" : "");
}

static void put_row(struct cf_out *out, const struct matrix *m, struct kp_text name,
                    const struct cell *cells)
{
    struct cell sum = {0};

    cf_out_printf(out, "%-*.*s", m->name_width, KP_ARG(name));
    for (size_t v = 0; v < m->versions.count; v++) {
        put_cell(out, &cells[v], m->width);
        sum.conform += cells[v].conform;
        sum.fail += cells[v].fail;
        sum.other += cells[v].other;
    }
    put_cell(out, &sum, 7);
    cf_out_put_char(out, '\n');
}

/* Four digits do not fit a column: then every other sum goes on a line of its own. */
static void put_sums(struct cf_out *out, const struct matrix *m, const struct cell *sums)
{
    static const struct cell nothing;
    bool long_one = false;

    for (size_t v = 0; v < m->versions.count; v++)
        long_one |= sums[v].conform >= 1000 || sums[v].fail >= 100;
    if (!long_one) {
        put_row(out, m, KP_TEXT("all"), sums);
        return;
    }
    for (size_t line = 0; line < 2; line++) {
        struct cell every = {0};

        cf_out_printf(out, "%-*s", m->name_width, line == 0 ? "all" : "");
        for (size_t v = 0; v < m->versions.count; v++) {
            if (v % 2 == line)
                put_cell(out, &sums[v], m->width);
            else
                put_cell(out, &nothing, m->width);
            every.conform += sums[v].conform;
            every.fail += sums[v].fail;
            every.other += sums[v].other;
        }
        put_cell(out, line == 0 ? &every : &nothing, 7);
        cf_out_put_char(out, '\n');
    }
}

static void put_versions(struct cf_out *out, const struct matrix *m)
{
    cf_out_printf(out, "%-*s", m->name_width, "Kubernetes 1.");
    for (size_t v = 0; v < m->versions.count; v++) {
        struct kp_text version = short_version(m->versions.items[v]);

        cf_out_printf(out, "%*.*s", m->width, KP_ARG(version));
    }
    cf_out_put(out, KP_TEXT("    all\n"));
}

static void put_matrix(struct cf_out *out, const struct matrix *m, struct cell *sums)
{
    bool failed = false;

    put_versions(out, m);
    for (size_t t = 0; t < m->topics.count; t++) {
        const struct cell *row = &m->cells[t * m->versions.count];

        put_row(out, m, m->topics.items[t], row);
        for (size_t v = 0; v < m->versions.count; v++) {
            sums[v].conform += row[v].conform;
            sums[v].fail += row[v].fail;
            sums[v].other += row[v].other;
            failed |= row[v].fail > 0;
        }
    }
    if (m->topics.count > SCREEN)
        put_versions(out, m);
    put_sums(out, m, sums);
    if (failed)
        cf_out_put(out, KP_TEXT("N!: so many fail\n"));
}

/* The minors of the versions, each once, in their order. */
static void take_minors(struct matrix *m, struct cf_arena *arena)
{
    struct kp_text *minors = cf_arena_array(arena, m->versions.count, sizeof *minors);
    struct kp_text_list list = {minors, 0};

    for (size_t i = 0; minors && i < m->versions.count; i++) {
        struct kp_text minor = minor_of(m->versions.items[i]);
        size_t at = list.count;

        if (index_of(list, minor, 0) < list.count)
            continue;
        for (; at > 0 && memcmp(minors[at - 1].bytes, minor.bytes, minor.len) > 0; at--)
            minors[at] = minors[at - 1];
        minors[at] = minor;
        list.count++;
    }
    m->versions = list;
    m->by_minor = true;
}

static void put_by_version(struct cf_out *out, struct cf_arena *arena,
                           const struct cf_result *result, struct kp_text_list topics)
{
    struct matrix m = {.topics = topics, .versions = result->header.k8s, .width = 4};
    struct cell *sums;

    m.name_width = 16;
    for (size_t t = 0; t < topics.count; t++)
        if ((int)topics.items[t].len > m.name_width)
            m.name_width = (int)topics.items[t].len;
    if (m.versions.count > COLUMNS_MAX)
        take_minors(&m, arena);
    sums = cf_arena_array(arena, m.versions.count, sizeof *sums);
    m.cells = cf_arena_array(arena, topics.count * m.versions.count, sizeof *m.cells);
    for (size_t v = 0; v < m.versions.count; v++)
        if ((int)short_version(m.versions.items[v]).len >= m.width)
            m.width = (int)short_version(m.versions.items[v]).len + 1;
    if (!m.cells || !sums)
        return;
    count_cells(&m, result);
    put_matrix(out, &m, sums);
}

/* ---- what was not judged ------------------------------------------------------------------------
 */

/* How many cases were skipped for the same reason; each reason once, in order of appearance. */
static void put_reasons(struct cf_out *out, struct cf_arena *arena, const struct cf_result *result,
                        enum cf_verdict verdict, const char *what)
{
    struct kp_text *reasons = cf_arena_array(arena, result->case_count + 1, sizeof *reasons);
    size_t *counts = cf_arena_array(arena, result->case_count + 1, sizeof *counts);
    struct kp_text_list list = {reasons, 0};

    for (size_t i = 0; reasons && counts && i < result->case_count; i++) {
        size_t at;

        if (result->cases[i].outcome.verdict != verdict)
            continue;
        at = index_of(list, result->cases[i].outcome.why, 0);
        if (at == list.count)
            reasons[list.count++] = result->cases[i].outcome.why;
        counts[at]++;
    }
    for (size_t i = 0; i < list.count; i++)
        cf_out_printf(out, "%s: %zu: %.*s\n", what, counts[i], KP_ARG(reasons[i]));
}

static void put_unobserved(struct cf_out *out, const struct cf_result *result)
{
    if (result->unobserved.count == 0)
        return;
    cf_out_put(out, KP_TEXT("not judged: effects of the kinds"));
    for (size_t i = 0; i < result->unobserved.count; i++) {
        cf_out_put_string(out, i > 0 ? ", " : " ");
        cf_out_put(out, result->unobserved.items[i]);
    }
    cf_out_put(out, KP_TEXT(", which it does not report\n"));
}

/* The versions were asked for, rather than each case's newest: most cases come more than once. */
static bool is_by_version(const struct cf_result *result)
{
    return result->header.k8s.count > 1 && result->case_count > 1 &&
           kp_text_equal(result->cases[0].id, result->cases[1].id);
}

void cf_print_summary(struct cf_out *out, const struct cf_result *result)
{
    size_t judged = cf_result_judged(result->totals);
    size_t passed = result->totals[CF_PASS] + result->totals[CF_XFAIL];
    struct kp_text_list topics;
    struct cf_arena arena = {.mem = cf_libc_mem()};

    topics = cf_report_topics(&arena, result, 1);
    if (is_by_version(result))
        put_by_version(out, &arena, result, topics);
    else
        put_topics(out, result, topics);
    cf_report_differences(out, result);
    cf_report_parts(out, result);
    put_reasons(out, &arena, result, CF_SKIP, "not judged");
    put_reasons(out, &arena, result, CF_NOT_RUN, "not run");
    cf_arena_deinit(&arena);
    put_unobserved(out, result);
    cf_out_printf(out, "judged %zu of %zu (%zu%%): ", judged, result->header.selected,
                  result->header.selected > 0 ? judged * 100 / result->header.selected : 0);
    put_totals(out, result->totals);
    cf_out_printf(out, "\n%zu passed, %zu failed\n", passed, judged - passed);
}
