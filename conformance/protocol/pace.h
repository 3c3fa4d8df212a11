/*
 * pace.h: a case in real time (protocol.md 3.3): how the instants of the case lie on the runner's
 * clock, whether an adapter keeps to them, and how exact anything can be on this machine just now.
 *
 * The machine's part of the noise is how late the runner's waits end, and how long the adapter
 * waits for a processor; a reply is late by what it comes after the later of the instant that it
 * gives and its request.
 */
#pragma once

#include "core/base/text.h"

#include <stdint.h>

/* More than so much of the case's time, and windows of seconds would say nothing. */
#define CF_PACE_NOISE_MAX_NS INT64_C(1000000000)

struct cf_pace {
    int64_t speed;    /* the case's time passes so many times as fast; 0: its time is virtual */
    int64_t began_ns; /* time 0, on the monotonic clock */
    int64_t sent_ns;  /* when the current request was sent; of the case */
    int64_t own_ns;   /* the machine's worst delay; of the case */
    int64_t late_ns;  /* the worst reply; of the case */
};

/* Time 0 is now. */
void cf_pace_begin(struct cf_pace *pace, int64_t speed);
/* A request goes out.  Returns: how many ms of real time are left until that instant; at least 0.
 */
int cf_pace_ask(struct cf_pace *pace, int64_t to_ns);
/* While a reply was awaited the machine was so late, in real time. */
void cf_pace_delayed(struct cf_pace *pace, int64_t delay_ns);
/*
 * Its reply has come.
 *
 * at_ns:    the instant that it gives.
 * Returns:  false: its clock is ahead of the runner's.
 */
bool cf_pace_take(struct cf_pace *pace, int64_t at_ns);
/* How much of the case's time may be off, either way, at most twice CF_PACE_NOISE_MAX_NS: so far a
 * window is widened. */
int64_t cf_pace_noise_ns(const struct cf_pace *pace);
/* The next pace to try, at most a quarter: the machine's noise would be half of the most there. */
int64_t cf_pace_slower(const struct cf_pace *pace);
/* Is so little of it the machine's that a slower pace would show nothing else? */
bool cf_pace_is_quiet(const struct cf_pace *pace);
/* Is so much the machine's that a case which does not pass says nothing? */
bool cf_pace_is_noisy(const struct cf_pace *pace);
