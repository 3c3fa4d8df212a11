/* fire_judge.c: what a case of layer fire wants beside what was seen. */
#include "conformance/fire/fire.h"
#include "conformance/protocol/columns.h"
#include "conformance/table/fire_text.h"

#include <string.h>

struct judging {
    const struct cf_fire_seen *seen;
    struct cf_arena *arena;
    struct cf_columns c;
    bool may_stay_open; /* its first line is "open?" */
};

/* A row: what was wanted is shown as the case has it, on both sides if it came. */
static void add(struct judging *j, const char *what, struct kp_text wanted, bool fits,
                struct kp_text got, bool there)
{
    static const struct cf_fire_names none = {0};
    struct kp_text left = cf_fire_display(j->arena, &none, wanted);
    struct kp_text right =
        fits ? left : cf_fire_display(j->arena, j->seen->names, there ? got : KP_TEXT_NONE);

    left = cf_arena_format(j->arena, "%s: %.*s", what, KP_ARG(left));
    right = fits ? left : cf_arena_format(j->arena, "%s: %.*s", what, KP_ARG(right));
    cf_columns_add(&j->c, left, fits || there ? right : KP_TEXT_NONE);
}

static const struct cf_node *member(const struct judging *j, const char *name)
{
    return cf_node_find(j->seen->ok, name);
}

static void judge_result(struct judging *j, const struct cf_case *item)
{
    struct kp_text wanted = cf_node_find(item->node, "result")->text;
    struct kp_text got = member(j, "result")->text;

    add(j, "result", wanted, kp_text_equal(wanted, got), got, true);
}

static void judge_text(struct judging *j, const struct cf_case *item, const char *name)
{
    const struct cf_node *wanted = cf_node_find(item->node, name);
    const struct cf_node *got = member(j, name);
    const struct cf_node *class = member(j, "class");
    struct kp_text filled;

    if (!wanted && !got)
        return;
    if (!wanted) {
        cf_columns_add(
            &j->c, KP_TEXT_NONE,
            cf_arena_format(j->arena, "%s: %.*s", name,
                            (int)cf_fire_display(j->arena, j->seen->names, got->text).len,
                            cf_fire_display(j->arena, j->seen->names, got->text).bytes));
        return;
    }
    filled = cf_fire_expand(j->arena, j->seen->names, wanted->text);
    add(j, name, wanted->text,
        got && cf_fire_fits(filled, got->text,
                            class ? cf_find_word(&cf_fire_class_words, class->text) : -1),
        got ? got->text : KP_TEXT_NONE, got != NULL);
}

/* ---- requests ----------------------------------------------------------------------------- */

struct lines {
    struct kp_text *items;
    size_t count;
};

static struct lines split(struct cf_arena *arena, struct kp_text text)
{
    struct lines lines = {0};
    struct kp_text line;

    lines.items = cf_arena_array(arena, kp_text_count_lines(text) + 1, sizeof *lines.items);
    while (lines.items && kp_text_next_line(&text, &line))
        lines.items[lines.count++] = line;
    while (lines.count > 0 && lines.items[lines.count - 1].len == 0)
        lines.count--;
    return lines;
}

/* What is reported beside the request's own bytes, and looked at only where the case says it. */
static const char *const beside[] = {"tls ", "fin", "reset", "grpc-accept-encoding: "};

static bool wants(const struct lines *lines, const char *prefix)
{
    for (size_t i = 0; i < lines->count; i++)
        if (kp_text_begins(lines->items[i], prefix))
            return true;
    return false;
}

static void leave_out(struct lines *got, const struct lines *wanted)
{
    for (size_t k = 0; k < sizeof beside / sizeof *beside; k++) {
        size_t kept = 0;

        if (wants(wanted, beside[k]))
            continue;
        for (size_t i = 0; i < got->count; i++)
            if (!kp_text_begins(got->items[i], beside[k]))
                got->items[kept++] = got->items[i];
        got->count = kept;
    }
}

static bool is_omission(struct kp_text line)
{
    return kp_text_equal(line, KP_TEXT("..."));
}

/* Past the rest of a connection, or up to its first line that is `next`, where there is one. */
static size_t skip(const struct lines *lines, size_t i, const struct kp_text *next)
{
    while (i < lines->count && lines->items[i].len > 0 &&
           !(next && next->len > 0 && cf_fire_header_fits(*next, lines->items[i])))
        i++;
    return i;
}

static void judge_requests(struct judging *j, const struct cf_case *item)
{
    const struct cf_node *request = cf_node_find(item->node, "request");
    struct lines raw;
    struct lines wanted;
    struct lines got;
    size_t g = 0;

    if (!request)
        return;
    raw = split(j->arena, request->text);
    wanted = split(j->arena, cf_fire_expand(j->arena, j->seen->names, request->text));
    got = split(j->arena, j->seen->requests);
    leave_out(&got, &wanted);
    j->may_stay_open = wanted.count > 0 && kp_text_begins(wanted.items[0], "open?");
    for (size_t w = j->may_stay_open; w < wanted.count; w++) {
        bool loose = w > 0 && is_omission(wanted.items[w - 1]);
        bool there;

        if (is_omission(wanted.items[w])) {
            g = skip(&got, g, w + 1 < wanted.count ? &wanted.items[w + 1] : NULL);
            continue;
        }
        there = g < got.count;
        add(j, "request", raw.items[w],
            there &&
                (loose ? cf_fire_header_fits : cf_fire_line_fits)(wanted.items[w], got.items[g]),
            there ? got.items[g] : KP_TEXT_NONE, there);
        g += there;
    }
    for (; g < got.count; g++) {
        struct kp_text shown = cf_fire_display(j->arena, j->seen->names, got.items[g]);

        cf_columns_add(&j->c, KP_TEXT_NONE,
                       cf_arena_format(j->arena, "request: %.*s", KP_ARG(shown)));
    }
}

/* ---- what is left ------------------------------------------------------------------------- */

static void judge_left(struct judging *j, bool connections)
{
    for (size_t i = 0; i < j->seen->left.count; i++)
        cf_columns_add(
            &j->c, KP_TEXT_NONE,
            cf_arena_format(j->arena, "left running: %.*s", KP_ARG(j->seen->left.items[i])));
    if (connections && j->seen->open > 0 && !j->may_stay_open)
        cf_columns_add(
            &j->c, KP_TEXT_NONE,
            cf_arena_format(j->arena, "left open: %zu of its connections", j->seen->open));
}

/* The answer as it came. */
static struct kp_text say(const struct judging *j)
{
    const struct cf_node *text = member(j, member(j, "error") ? "error" : "output");
    struct kp_text shown = cf_fire_display(j->arena, j->seen->names, text->text);

    return cf_arena_format(j->arena, "%.*s: %.*s", (int)member(j, "result")->text.len,
                           member(j, "result")->text.bytes, KP_ARG(shown));
}

static size_t count_lines(struct kp_text text)
{
    size_t count = 1;

    for (size_t i = 0; i < text.len; i++)
        count += text.bytes[i] == '\n';
    return count;
}

void cf_fire_judge(const struct cf_case *item, const struct cf_fire_seen *seen,
                   const bool parts[CF_FIRE_PARTS], struct cf_arena *arena, struct cf_outcome *out)
{
    struct judging j = {.seen = seen, .arena = arena};
    const struct cf_node *request = cf_node_find(item->node, "request");
    size_t room = 8 + seen->left.count + count_lines(seen->requests) +
                  (request ? count_lines(request->text) : 0);

    if (!cf_columns_begin(&j.c, arena, room, out))
        return;
    judge_result(&j, item);
    if (parts[CF_FIRE_TEXT] &&
        (cf_node_find(item->node, "output") || cf_node_find(item->node, "error"))) {
        judge_text(&j, item, "output");
        judge_text(&j, item, "error");
    }
    if (parts[CF_FIRE_REQUEST])
        judge_requests(&j, item);
    judge_left(&j, parts[CF_FIRE_REQUEST]);
    cf_columns_end(&j.c, out);
    if (item->observed)
        *out = (struct cf_outcome){.verdict = CF_OBSERVED, .why = say(&j)};
}
