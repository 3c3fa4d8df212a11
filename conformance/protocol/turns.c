#include "conformance/protocol/turns.h"

#include <string.h>

void cf_turns_begin(struct cf_turns *turns)
{
    cf_out_clear(&turns->numbers);
    turns->now_ns = 0;
    turns->rounds = 0;
    turns->effects = 0;
}

void cf_turns_deinit(struct cf_turns *turns)
{
    cf_out_deinit(&turns->numbers);
}

/* `at` is not where it may be.  advice: what follows. */
static bool fail_at(struct cf_reader *reader, const char *what, int64_t at_ns, const char *other,
                    int64_t other_ns, const char *advice)
{
    return cf_reader_fail(reader, "%s %lld, %s %lld%s", what, (long long)(at_ns / KP_NS_PER_MS),
                          other, (long long)(other_ns / KP_NS_PER_MS), advice);
}

static bool check_instant(const struct cf_turns *turns, struct cf_reader *reader, int64_t at_ns,
                          int64_t to_ns, bool has_effects)
{
    if (at_ns < turns->now_ns)
        return fail_at(reader, "time goes back: `at` is", at_ns, "the last one", turns->now_ns, "");
    if (at_ns > to_ns)
        return fail_at(reader, "`at` is", at_ns, "`to`", to_ns,
                       turns->pace->speed > 0 ? "; what happens after `to` is for a later reply"
                                              : "");
    if (at_ns < to_ns && !has_effects)
        return fail_at(reader, "it stopped without effects: `at` is", at_ns, "`to`", to_ns, "");
    return cf_pace_take(turns->pace, at_ns) ||
           cf_reader_fail(reader, "its clock is ahead: `at` is an instant that is still to come");
}

/* Bounded: an implementation that never comes to rest at an instant is stopped. */
static bool check_rest(struct cf_turns *turns, struct cf_reader *reader, int64_t at_ns,
                       size_t effects)
{
    bool same = at_ns == turns->now_ns;

    turns->rounds = same ? turns->rounds + (effects > 0) : effects > 0;
    turns->effects = (same ? turns->effects : 0) + (int)effects;
    turns->now_ns = at_ns;
    return (turns->rounds <= turns->rounds_max && turns->effects <= turns->effects_max) ||
           cf_reader_fail(reader, "%d effects in %d replies at %lld ms, and no end", turns->effects,
                          turns->rounds, (long long)(at_ns / KP_NS_PER_MS));
}

/* Note the `n` of an attempt or a hook.  Returns: false: it is another's. */
static bool take_n(struct cf_turns *turns, struct cf_reader *reader, const struct kp_effect *effect)
{
    uint32_t n = effect->kind == KP_EFFECT_PROBE ? effect->u.probe.n : effect->u.hook.n;
    size_t at = turns->numbers.len;
    uint32_t other;

    if (effect->kind != KP_EFFECT_PROBE && effect->kind != KP_EFFECT_HOOK)
        return true;
    for (; at > 0; at -= sizeof other) {
        memcpy(&other, turns->numbers.bytes + at - sizeof other, sizeof other);
        if (other == n)
            return cf_reader_fail(reader, "`n` is %u, which this case has had", (unsigned)n);
        if (other < n)
            break;
    }
    cf_out_put(&turns->numbers, (struct kp_text){(const char *)&n, sizeof n});
    memmove(turns->numbers.bytes + at + sizeof n, turns->numbers.bytes + at,
            turns->numbers.len - sizeof n - at);
    memcpy(turns->numbers.bytes + at, &n, sizeof n);
    return true;
}

static bool give_effects(struct cf_turns *turns, struct cf_reader *reader,
                         const struct cf_node *list, struct kp_sink sink)
{
    size_t index = 0;

    for (const struct cf_node *node = list->first; node; node = node->next, index++) {
        struct cf_reader one = {.arena = reader->arena};
        struct kp_effect effect;

        if (!cf_read_effect(&one, node, turns->pods, &effect) || !take_n(turns, &one, &effect))
            return cf_reader_fail(reader, "effects[%zu]: %.*s", index, KP_ARG(one.why));
        sink.effect(sink.ctx, &effect);
    }
    return true;
}

enum cf_turn cf_turns_take(struct cf_turns *turns, struct cf_reader *reader,
                           const struct cf_node *ok, int64_t to_ns, struct kp_sink sink)
{
    const struct cf_node *effects;
    int64_t at_ns = INT64_MIN;

    if (!cf_member_ms(reader, ok, "at", &at_ns) ||
        !cf_member_node(reader, ok, "effects", CF_LIST, &effects))
        return CF_TURN_BROKEN;
    if (at_ns == INT64_MIN || effects == NULL || ok->count != 2)
        cf_reader_fail(reader, "`ok` has exactly `at` and `effects`");
    else if (check_instant(turns, reader, at_ns, to_ns, effects->count > 0)) {
        if (!check_rest(turns, reader, at_ns, effects->count))
            return CF_TURN_ENDLESS;
        if (give_effects(turns, reader, effects, sink))
            return CF_TURN_FINE;
    }
    return CF_TURN_BROKEN;
}
