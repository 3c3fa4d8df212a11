/* clock_test.c: the clock that tests set, in the place of the system's (fakes/rig_clock.h). */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "fakes/rig_clock.h"

#include "fakes/rig.h"

#include <dlfcn.h>
#include <sys/epoll.h>

#define LOOK_NS 1000

static struct {
    _Atomic enum rig_clock_mode mode;
    _Atomic int64_t stands_at_ns;
    _Atomic int64_t ahead_ns; /* of the system's, while it runs */
    size_t turns;
    int64_t longest_wait_ns;
} clock_now;

static int64_t system_ns(clockid_t id, struct timespec *now, int *result)
{
    static int (*real)(clockid_t, struct timespec *);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    *result = real(id, now);
    return now->tv_sec * KP_NS_PER_S + now->tv_nsec;
}

int clock_gettime(clockid_t id, struct timespec *now)
{
    int result;
    int64_t now_ns = system_ns(id, now, &result);

    if (id != CLOCK_MONOTONIC && id != CLOCK_MONOTONIC_RAW)
        return result;
    now_ns =
        clock_now.mode == RIG_CLOCK_RUNS ? now_ns + clock_now.ahead_ns : clock_now.stands_at_ns;
    now->tv_sec = (time_t)(now_ns / KP_NS_PER_S);
    now->tv_nsec = (long)(now_ns % KP_NS_PER_S);
    return result;
}

int epoll_wait(int epoll, struct epoll_event *events, int count, int timeout_ms)
{
    static int (*real)(int, struct epoll_event *, int, int);
    const bool leaps = clock_now.mode == RIG_CLOCK_LEAPS && timeout_ms > 0;
    int got;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "epoll_wait");
    clock_now.turns++;
    if (clock_now.mode == RIG_CLOCK_STANDS) /* or a loop that always finds something had no end */
        clock_now.stands_at_ns += LOOK_NS;
    got = real(epoll, events, count, leaps ? 0 : timeout_ms);
    if (got == 0 && timeout_ms > 0) {
        if (clock_now.mode != RIG_CLOCK_RUNS)
            clock_now.stands_at_ns += timeout_ms * KP_NS_PER_MS;
        if (timeout_ms * KP_NS_PER_MS > clock_now.longest_wait_ns)
            clock_now.longest_wait_ns = timeout_ms * KP_NS_PER_MS;
    }
    return got;
}

/* What of a wait is less than a millisecond. */
int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *wait, const sigset_t *mask)
{
    static int (*real)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
    static const struct timespec none = {0};
    int got;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ppoll");
    got = real(fds, count, clock_now.mode == RIG_CLOCK_LEAPS ? &none : wait, mask);
    if (got == 0 && clock_now.mode != RIG_CLOCK_RUNS)
        clock_now.stands_at_ns += wait->tv_nsec;
    return got;
}

int nanosleep(const struct timespec *nap, struct timespec *left)
{
    static int (*real)(const struct timespec *, struct timespec *);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "nanosleep");
    if (clock_now.mode == RIG_CLOCK_LEAPS)
        clock_now.stands_at_ns += nap->tv_sec * KP_NS_PER_S + nap->tv_nsec;
    return real(nap, left);
}

void rig_clock_set(enum rig_clock_mode mode)
{
    const int64_t now_ns = kp_handlers_now_ns();

    if (mode != RIG_CLOCK_RUNS)
        clock_now.stands_at_ns = now_ns;
    clock_now.mode = mode;
    clock_now.ahead_ns = 0;
    clock_now.turns = 0;
    clock_now.longest_wait_ns = 0;
}

void rig_clock_pass(int64_t ns)
{
    clock_now.stands_at_ns += ns;
    clock_now.ahead_ns += ns;
}

size_t rig_clock_turns(void)
{
    return clock_now.turns;
}

int64_t rig_clock_longest_wait_ns(void)
{
    return clock_now.longest_wait_ns;
}

/* ---- the clock itself ------------------------------------------------------------------------ */

static void it_stands_until_it_is_told_otherwise(void)
{
    int64_t now_ns;

    rig_clock_set(RIG_CLOCK_STANDS);
    now_ns = kp_handlers_now_ns();
    poll(NULL, 0, 2);
    CHECK_INT(kp_handlers_now_ns(), now_ns);
    rig_clock_pass(3 * KP_NS_PER_S);
    CHECK_INT(kp_handlers_now_ns(), now_ns + 3 * KP_NS_PER_S);
    rig_clock_set(RIG_CLOCK_RUNS);
    CHECK(kp_handlers_now_ns() < now_ns + 3000 * KP_NS_PER_S);
}

static void a_wait_that_nothing_ends_passes(void)
{
    int64_t now_ns;
    struct rig rig;

    rig_clock_set(RIG_CLOCK_LEAPS);
    rig_init(&rig, "1.36", &(struct kp_handler){0});
    now_ns = kp_handlers_now_ns();
    kp_handlers_step(rig.handlers, now_ns + 40 * KP_NS_PER_S);
    CHECK_INT(kp_handlers_now_ns(), now_ns + 40 * KP_NS_PER_S);
    CHECK_INT(rig_clock_longest_wait_ns(), 40 * KP_NS_PER_S);
    CHECK_INT(rig_clock_turns(), 1);
    rig_end(&rig);
    rig_clock_set(RIG_CLOCK_RUNS);
}

const struct unit_test clock_test[] = {
    {"it stands until it is told otherwise", it_stands_until_it_is_told_otherwise},
    {"a wait that nothing ends passes", a_wait_that_nothing_ends_passes},
    {0},
};
