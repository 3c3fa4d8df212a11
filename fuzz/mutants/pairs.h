/*
 * pairs.h: what waits for clocks fails on a busy machine, too, and takes any time there.  So what
 * is red with a mutant awake is played again together with itself where none is: the mutant is
 * guilty when it was red KP_REDS times while the other was green, and is not once it was green. Nor
 * is there a time that is too long: who hangs takes ten times as long as the other one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define KP_REDS 3

struct kp_play {
    bool (*passes)(void *ctx, size_t i); /* need not come back where it does not pass */
    void *ctx;
};

struct kp_ended {
    bool passed;
    int took_ms;
};

/* For a process that judges: whatever it signals is its own. */
void kp_keep_apart(void);
/* For their parent: end what the process that ended had begun and nobody waits for. */
void kp_end_orphans(pid_t ended);

int64_t kp_now_ms(void);

/* Play number i in a process of its own, which is ended after limit_ms with all that it began. */
struct kp_ended kp_play_apart(const struct kp_play *play, size_t i, int mutant, int limit_ms);

/* The limit of who stands beside one that took so long. */
int kp_limit_ms(int took_ms);

/* After a first red of number i: is it the mutant's? */
bool kp_is_guilty(const struct kp_play *play, size_t i, int mutant);
