#include "conformance/why/why_restarts.h"

#define LONGEST_NS (300 * KP_NS_PER_S) /* of back-offs (S-244) */
#define RESET_NS (600 * KP_NS_PER_S)

struct kp_text cf_why_span(struct cf_arena *arena, int64_t span_ns)
{
    char bytes[40];
    struct kp_buf buf = {bytes, sizeof bytes, 0};

    kp_buf_put_duration(&buf, span_ns / KP_NS_PER_S * KP_NS_PER_S);
    return cf_arena_text(arena, kp_buf_text(&buf));
}

/* What was waited for the next start, or is told to be, after which end (from 0). */
struct wait {
    int64_t ns;
    bool stated; /* by the kubelet, which tells the window alone */
    size_t end;
};

struct expected {
    int64_t least_ns;
    int64_t longest_ns;
};

static bool observe(const struct cf_verdict *verdict, struct wait *wait)
{
    const struct kp_container_status *status = verdict->status;

    if (status && status->state.kind == KP_STATE_WAITING) {
        *wait = (struct wait){.stated = true, .end = (size_t)status->restart_count};
        return cf_stated_backoff(&status->state, &wait->ns);
    }
    if (!status || status->state.kind != KP_STATE_RUNNING || status->restart_count == 0 ||
        status->last_state.finished_at_ns == 0 || status->state.started_at_ns == 0)
        return false;
    *wait = (struct wait){.ns = status->state.started_at_ns - status->last_state.finished_at_ns,
                          .end = (size_t)status->restart_count - 1};
    return wait->ns >= 0;
}

/* The kubelet may forget a back-off while it lasts (S-245): the gap is shorter, then. */
static struct expected expect(const struct wait *wait, int64_t gap_ns, int64_t window_ns)
{
    if (wait->stated)
        return (struct expected){window_ns, window_ns};
    return (struct expected){cf_why_least_wait_ns(gap_ns < window_ns ? gap_ns : window_ns),
                             cf_why_longest_wait_ns(window_ns)};
}

static struct expected expect_after(const struct wait *wait, const struct cf_loop *loop, size_t end)
{
    return expect(wait, loop->gap_ns[end], loop->window_ns[end]);
}

static bool is_as(const struct wait *wait, struct expected expected)
{
    return wait->ns >= expected.least_ns && wait->ns <= expected.longest_ns;
}

/* A back-off begins anew where ten minutes lie between a start and the next (S-245). */
static bool may_have_run_long(const struct cf_why *why)
{
    const struct kp_state *end = why->verdict.end;
    int64_t old_ns = end->started_at_ns - why->history->started_ns;

    return why->history->started_ns == 0 || end->started_at_ns == 0 ||
           old_ns >= RESET_NS - 2 * KP_NS_PER_S;
}

/* "40s after end 5": 40s, and 4 restarts before it. */
static struct kp_text wait_text(struct cf_arena *arena, const struct wait *wait)
{
    return cf_arena_format(arena, "%s%s after end %zu", cf_why_span(arena, wait->ns).bytes,
                           wait->stated && wait->ns >= LONGEST_NS ? " (the longest)" : "",
                           wait->end + 1);
}

/* Of a wait that is told the start follows when the pod is next synced (S-021). */
static struct kp_text of_agreeing(struct cf_arena *arena, const struct wait *wait,
                                  struct expected expected)
{
    if (wait->stated)
        return cf_arena_format(arena, "%s: agrees; starts after %s to %s",
                               wait_text(arena, wait).bytes, cf_why_span(arena, wait->ns).bytes,
                               cf_why_span(arena, cf_why_longest_wait_ns(wait->ns)).bytes);
    return cf_arena_format(arena, "%s; expected %s to %s: agrees", wait_text(arena, wait).bytes,
                           cf_why_span(arena, expected.least_ns).bytes,
                           cf_why_span(arena, expected.longest_ns).bytes);
}

static struct kp_text of_otherwise(struct cf_arena *arena, const struct cf_why *why,
                                   const struct wait *wait, struct expected expected)
{
    const struct cf_loop *loop = &why->loop;
    bool longer = wait->ns > expected.longest_ns;
    const char *expects;
    size_t before = 0;

    if (wait->stated && longer)
        return cf_arena_format(arena, "%s: %s", wait_text(arena, wait).bytes,
                               cf_is_by_probe(&why->verdict) ? "not all ends before were kills"
                                                             : "its earlier runs were shorter");
    while (before < loop->count && before < wait->end &&
           !is_as(wait, expect_after(wait, loop, before)))
        before++;
    if (before < loop->count && before < wait->end && may_have_run_long(why))
        return cf_arena_format(arena, "%s, as after end %zu in a row: the back-off began anew",
                               cf_why_span(arena, wait->ns).bytes, before + 1);
    expects = wait->stated
                  ? cf_why_span(arena, expected.least_ns).bytes
                  : cf_arena_format(arena, "%s to %s", cf_why_span(arena, expected.least_ns).bytes,
                                    cf_why_span(arena, expected.longest_ns).bytes)
                        .bytes;
    return cf_arena_format(arena, "%s; expected %s: %s", wait_text(arena, wait).bytes, expects,
                           longer ? "node slow or down" : "too soon");
}

struct kp_text cf_why_of_restarts(struct cf_arena *arena, const struct cf_why *why)
{
    const struct cf_loop *loop = &why->loop;
    struct expected expected;
    struct wait wait;
    size_t last;

    if (loop->count == 0 || !observe(&why->verdict, &wait))
        return KP_TEXT_NONE;
    last = wait.end < loop->count ? wait.end : loop->count - 1;
    expected = expect_after(&wait, loop, last);
    if (!is_as(&wait, expected) && loop->or_ns[last] != KP_NEVER &&
        is_as(&wait, expect(&wait, loop->or_ns[last], loop->or_ns[last])))
        expected = expect(&wait, loop->or_ns[last], loop->or_ns[last]);
    return is_as(&wait, expected) ? of_agreeing(arena, &wait, expected)
                                  : of_otherwise(arena, why, &wait, expected);
}

/* The start of the newest instance that is known, since the pod came to its node. */
static bool recorded_start(const struct cf_why *why, int64_t *since_ns)
{
    const struct kp_container_status *status = why->verdict.status;
    const struct kp_state *newest =
        status->state.kind == KP_STATE_RUNNING ? &status->state : why->verdict.end;

    *since_ns = newest->started_at_ns - why->history->started_ns;
    return newest->started_at_ns > 0 && why->history->started_ns > 0 && *since_ns > 0;
}

/* How much sooner and later the restart may come where chance has it so: waits that are left out,
 * and others. */
static struct expected expect_count(const struct cf_loop *loop, size_t restarts)
{
    int64_t engine_ns = loop->at_ns[restarts - 1];
    struct expected expected = {engine_ns - engine_ns / 4 - 20 * KP_NS_PER_S,
                                engine_ns + engine_ns / 2 + 20 * KP_NS_PER_S};

    for (size_t i = 0; i < restarts; i++)
        if (loop->or_ns[i] == 0)
            expected.least_ns -= loop->window_ns[i];
        else if (loop->or_ns[i] != KP_NEVER)
            expected.longest_ns += cf_why_longest_wait_ns(loop->or_ns[i]);
    return expected;
}

struct kp_text cf_why_of_count(struct cf_arena *arena, const struct cf_why *why)
{
    const struct kp_container_status *status = why->verdict.status;
    const struct cf_loop *loop = &why->loop;
    struct expected expected;
    int64_t observed_ns;
    size_t restarts;

    if (!status || status->restart_count < 2 || loop->count < (size_t)status->restart_count ||
        !recorded_start(why, &observed_ns))
        return KP_TEXT_NONE;
    restarts = (size_t)status->restart_count;
    expected = expect_count(loop, restarts);
    return cf_arena_format(arena, "%zu in %s; if each ends so, about %s: %s", restarts,
                           cf_why_span(arena, observed_ns).bytes,
                           cf_why_span(arena, loop->at_ns[restarts - 1]).bytes,
                           observed_ns > expected.longest_ns ? "it ran longer before"
                           : observed_ns < expected.least_ns ? "it ended sooner before"
                                                             : "agrees");
}
