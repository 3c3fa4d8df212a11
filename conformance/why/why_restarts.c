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

/* What was waited, or is, for the next start, and after which end (from 0). */
static bool observed_wait(const struct cf_verdict *verdict, int64_t *wait_ns, size_t *end)
{
    const struct kp_container_status *status = verdict->status;

    if (status->state.kind == KP_STATE_WAITING) {
        *end = (size_t)status->restart_count;
        return cf_stated_backoff(&status->state, wait_ns);
    }
    if (status->state.kind != KP_STATE_RUNNING || status->restart_count == 0 ||
        status->last_state.finished_at_ns == 0 || status->state.started_at_ns == 0)
        return false;
    *end = (size_t)status->restart_count - 1;
    *wait_ns = status->state.started_at_ns - status->last_state.finished_at_ns;
    return *wait_ns >= 0;
}

/* A node's pull and start take their time, and its requeues are drawn out by up to a half. */
static int64_t least_wait_ns(int64_t engine_ns)
{
    return engine_ns > 2 * KP_NS_PER_S ? engine_ns - 2 * KP_NS_PER_S : 0;
}

static int64_t longest_wait_ns(int64_t engine_ns)
{
    return engine_ns + engine_ns / 2 + 15 * KP_NS_PER_S;
}

static bool is_near(int64_t observed_ns, int64_t engine_ns)
{
    return observed_ns >= least_wait_ns(engine_ns) && observed_ns <= longest_wait_ns(engine_ns);
}

/* The first of so many ends of the loop after which the wait is as observed; `ends`: none. */
static size_t find_wait(const struct cf_loop *loop, size_t ends, int64_t wait_ns)
{
    size_t k = 0;

    while (k < ends && !is_near(wait_ns, loop->gap_ns[k]))
        k++;
    return k;
}

/* Back-offs begin anew behind a run of ten minutes. */
static bool may_have_run_long(const struct cf_why *why)
{
    const struct kp_state *end = why->verdict.end;
    int64_t old_ns = end->started_at_ns - why->history->started_ns;

    return why->history->started_ns == 0 || end->started_at_ns == 0 ||
           old_ns >= RESET_NS - 2 * KP_NS_PER_S;
}

/* What the kubelet says that it waits; the start follows when the pod is next synced (S-021). */
static struct kp_text of_stated(struct cf_arena *arena, const struct cf_why *why, int64_t wait_ns,
                                bool agrees)
{
    int end = (int)why->verdict.status->restart_count + 1;
    const char *longest = wait_ns >= LONGEST_NS ? " (the longest)" : "";

    if (!agrees)
        return cf_arena_format(arena, "%s%s after end %d: its earlier runs were shorter",
                               cf_why_span(arena, wait_ns).bytes, longest, end);
    return cf_arena_format(arena, "%s%s after end %d: agrees; starts after %s to %s",
                           cf_why_span(arena, wait_ns).bytes, longest, end,
                           cf_why_span(arena, wait_ns).bytes,
                           cf_why_span(arena, longest_wait_ns(wait_ns)).bytes);
}

struct kp_text cf_why_of_restarts(struct cf_arena *arena, const struct cf_why *why)
{
    const struct cf_loop *loop = &why->loop;
    int64_t wait_ns;
    size_t end;
    size_t before;
    struct kp_text wait;
    bool stated;

    if (!why->verdict.status || loop->count == 0 || !observed_wait(&why->verdict, &wait_ns, &end))
        return KP_TEXT_NONE;
    wait = cf_why_span(arena, wait_ns);
    stated = why->verdict.status->state.kind == KP_STATE_WAITING;
    if (end >= loop->count)
        end = loop->count - 1;
    if (stated && (wait_ns > loop->gap_ns[end] || is_near(wait_ns, loop->gap_ns[end])))
        return of_stated(arena, why, wait_ns, is_near(wait_ns, loop->gap_ns[end]));
    if (is_near(wait_ns, loop->gap_ns[end]))
        return cf_arena_format(arena, "%s after end %d; expected %s to %s: agrees", wait.bytes,
                               (int)why->verdict.status->restart_count,
                               cf_why_span(arena, least_wait_ns(loop->gap_ns[end])).bytes,
                               cf_why_span(arena, longest_wait_ns(loop->gap_ns[end])).bytes);
    before = find_wait(loop, end, wait_ns);
    if (before < end && may_have_run_long(why))
        return cf_arena_format(arena, "%s, as after end %zu in a row: before, it ran 10m or more",
                               wait.bytes, before + 1);
    return cf_arena_format(arena, "%s after end %d; expected %s to %s: %s", wait.bytes,
                           (int)why->verdict.status->restart_count,
                           cf_why_span(arena, least_wait_ns(loop->gap_ns[end])).bytes,
                           cf_why_span(arena, longest_wait_ns(loop->gap_ns[end])).bytes,
                           wait_ns < loop->gap_ns[end] ? "too soon" : "node slow or down");
}

/* The start of the newest instance that is known, since the pod came to its node. */
static bool observed_start(const struct cf_why *why, int64_t *since_ns)
{
    const struct kp_container_status *status = why->verdict.status;
    const struct kp_state *newest =
        status->state.kind == KP_STATE_RUNNING ? &status->state : why->verdict.end;

    *since_ns = newest->started_at_ns - why->history->started_ns;
    return newest->started_at_ns > 0 && why->history->started_ns > 0 && *since_ns > 0;
}

struct kp_text cf_why_of_count(struct cf_arena *arena, const struct cf_why *why)
{
    const struct kp_container_status *status = why->verdict.status;
    const struct cf_loop *loop = &why->loop;
    int64_t observed_ns;
    int64_t engine_ns;
    const char *says = "agrees";

    if (!status || status->restart_count < 2 || loop->count < (size_t)status->restart_count ||
        !observed_start(why, &observed_ns))
        return KP_TEXT_NONE;
    engine_ns = loop->at_ns[status->restart_count - 1];
    if (observed_ns > engine_ns + engine_ns / 2 + 20 * KP_NS_PER_S)
        says = "it ran longer before";
    else if (observed_ns + 20 * KP_NS_PER_S < engine_ns - engine_ns / 4)
        says = "it ended sooner before";
    return cf_arena_format(arena, "%d in %s; if each ends so, about %s: %s",
                           (int)status->restart_count, cf_why_span(arena, observed_ns).bytes,
                           cf_why_span(arena, engine_ns).bytes, says);
}
