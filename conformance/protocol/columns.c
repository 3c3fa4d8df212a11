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

void cf_columns_end(const struct cf_columns *c, struct cf_outcome *out)
{
    const struct cf_moment *moment = &c->moments[c->first == SIZE_MAX ? 0 : c->first];

    *out = (struct cf_outcome){.verdict = CF_PASS, .moments = c->moments, .moment_count = c->count};
    out->first = c->count;
    if (c->first == SIZE_MAX)
        return;
    out->verdict = CF_FAIL;
    out->first = c->first;
    out->why = cf_arena_format(c->arena, "wanted %.*s, got %.*s",
                               moment->wanted.len > 0 ? (int)moment->wanted.len : 7,
                               moment->wanted.len > 0 ? moment->wanted.bytes : "nothing",
                               moment->got.len > 0 ? (int)moment->got.len : 7,
                               moment->got.len > 0 ? moment->got.bytes : "nothing");
    out->signature = out->why;
}
