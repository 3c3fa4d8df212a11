#include "conformance/protocol/columns.h"

bool cf_columns_begin(struct cf_columns *c, struct cf_arena *arena, size_t room,
                      struct cf_outcome *out)
{
    *c = (struct cf_columns){.arena = arena, .room = room, .first = SIZE_MAX};
    c->moments = cf_arena_array(arena, room + 1, sizeof *c->moments);
    *out = (struct cf_outcome){.verdict = CF_FAIL, .why = KP_TEXT("no memory to judge it")};
    return c->moments != NULL;
}

void cf_columns_add(struct cf_columns *c, struct kp_text wanted, struct kp_text got)
{
    if (c->count == c->room)
        return;
    if (!kp_text_equal(wanted, got) && c->first == SIZE_MAX)
        c->first = c->count;
    c->moments[c->count++] = (struct cf_moment){0, wanted, got};
}

/* The beginning of that many bytes, and not within a character. */
static size_t whole(struct kp_text text, size_t len)
{
    if (len >= text.len)
        return text.len;
    while (len > 0 && ((unsigned char)text.bytes[len] & 0xC0) == 0x80)
        len--;
    return len;
}

/* Of a long text how it begins, and what is about the place where it differs. */
static struct kp_text cut(struct cf_arena *arena, struct kp_text text, size_t differs)
{
    enum { MOST = 200, HEAD = 40, BEFORE = 60, BEHIND = 60 };
    size_t head = whole(text, HEAD);
    size_t from = whole(text, differs > BEFORE ? differs - BEFORE : 0);
    size_t to = whole(text, differs + BEHIND);

    if (text.len <= MOST)
        return text;
    if (from <= head)
        from = head;
    return cf_arena_format(arena, "%.*s%s%.*s%s (%zu bytes)", (int)head, text.bytes,
                           from > head ? "..." : "", (int)(to > from ? to - from : 0),
                           text.bytes + from, to < text.len ? "..." : "", text.len);
}

struct kp_text cf_difference(struct cf_arena *arena, struct kp_text wanted, struct kp_text got)
{
    size_t same = 0;

    while (same < wanted.len && same < got.len && wanted.bytes[same] == got.bytes[same])
        same++;
    wanted = wanted.len > 0 ? cut(arena, wanted, same) : KP_TEXT("nothing");
    got = got.len > 0 ? cut(arena, got, same) : KP_TEXT("nothing");
    return cf_arena_format(arena, "wanted %.*s, got %.*s", KP_ARG(wanted), KP_ARG(got));
}

void cf_columns_end(const struct cf_columns *c, struct cf_outcome *out)
{
    const struct cf_moment *moment = &c->moments[c->first == SIZE_MAX ? 0 : c->first];

    *out = (struct cf_outcome){.verdict = CF_PASS, .moments = c->moments, .moment_count = c->count};
    out->first = c->count;
    if (c->first == SIZE_MAX)
        return;
    out->verdict = CF_FAIL;
    out->first = c->first;
    out->why = cf_difference(c->arena, moment->wanted, moment->got);
    out->signature = out->why;
}
