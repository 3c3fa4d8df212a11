/*
 * live.h: the built-in engine in real time: an interface for the fake world behind which the clock
 * is the machine's and the probes are fired.
 *
 * The world still plays everything else: sandboxes, starts, and the kills that the engine decides,
 * which happen to nobody.
 */
#pragma once

#include "conformance/text/arena.h"
#include "core/handlers/handler.h"
#include "fakes/engine_impl.h"

#include <signal.h>

struct cf_live_attempt;

/* Who hears of the answers, as they come: the fake world's observer. */
struct cf_live_listener {
    void (*event)(void *ctx, int64_t at_ns, const struct kp_event *event);
    void *ctx;
};

struct cf_live {
    struct cf_arena *arena;
    struct kp_handlers *handlers;
    const struct kp_profile *profile;
    const struct kp_pod *pod;
    struct kp_text pod_ip;
    const volatile sig_atomic_t *stop; /* not 0: end at once */
    int64_t speed; /* how many seconds a second of the machine's clock is; 0: one */
    /* the interface's own: */
    struct fake_engine_impl *impl;
    struct fake_impl engine;
    struct cf_live_listener listener;
    struct kp_sink sink;
    bool effects;     /* there were some in the call under way */
    int64_t began_ns; /* kp_handlers_now_ns at virtual time 0 */
    int64_t at_ns;
    struct kp_event *answers; /* that have come and not been reported */
    size_t answer_count;
    size_t answer_room;
    struct cf_arena texts;        /* of those answers */
    struct cf_live_attempt *idle; /* for attempts to come */
    bool failed;                  /* no memory, no descriptors */
};

/*
 * Stand before the engine's interface.
 *
 * live:     everything above "the interface's own" is set; must outlive the run.
 * impl:     the engine's, for the instant that it wants next.
 */
struct fake_impl cf_live_interface(struct cf_live *live, struct fake_engine_impl *impl,
                                   struct cf_live_listener listener);
