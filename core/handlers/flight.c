/* flight.c: one attempt in flight: when it is to be woken, what it watches, how it finishes. */
#include "handlers.h"

#include "core/api/port.h"

#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

int64_t kp_handlers_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * KP_NS_PER_S + now.tv_nsec;
}

/* ---- the heap of wake-up times --------------------------------------------------------------- */

static void place(struct kp_handlers *set, size_t at, struct kp_flight *flight)
{
    set->heap[at] = flight;
    flight->heap_at = at;
}

static void sift_up(struct kp_handlers *set, struct kp_flight *flight)
{
    size_t at = flight->heap_at;

    while (at > 0 && set->heap[(at - 1) / 2]->wake_ns > flight->wake_ns) {
        place(set, at, set->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    place(set, at, flight);
}

static void sift_down(struct kp_handlers *set, struct kp_flight *flight)
{
    size_t at = flight->heap_at;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child + 1 < set->in_flight && set->heap[child + 1]->wake_ns < set->heap[child]->wake_ns)
            child++;
        if (child >= set->in_flight || set->heap[child]->wake_ns >= flight->wake_ns)
            break;
        place(set, at, set->heap[child]);
        at = child;
    }
    place(set, at, flight);
}

void kp_flight_queue(struct kp_flight *flight)
{
    struct kp_handlers *set = flight->set;

    flight->heap_at = set->in_flight++;
    sift_up(set, flight);
}

void kp_flight_unqueue(struct kp_flight *flight)
{
    struct kp_handlers *set = flight->set;
    struct kp_flight *moved = set->heap[--set->in_flight];

    if (moved == flight)
        return;
    moved->heap_at = flight->heap_at;
    sift_up(set, moved);
    sift_down(set, moved);
}

void kp_flight_wake_later(struct kp_flight *flight, int64_t when_ns)
{
    flight->wake_ns = when_ns;
    sift_down(flight->set, flight);
}

void kp_flight_wake_at(struct kp_flight *flight, int64_t when_ns)
{
    flight->wake_ns = when_ns < flight->deadline_ns ? when_ns : flight->deadline_ns;
    sift_up(flight->set, flight);
    sift_down(flight->set, flight);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

bool kp_watch_begin(struct kp_watch *watch, uint32_t epoll_events)
{
    struct epoll_event event = {.events = epoll_events, .data = {.ptr = watch}};

    return epoll_ctl(watch->flight->set->epoll_fd, EPOLL_CTL_ADD, watch->fd, &event) == 0;
}

void kp_watch_for(struct kp_watch *watch, uint32_t epoll_events)
{
    struct epoll_event event = {.events = epoll_events, .data = {.ptr = watch}};

    epoll_ctl(watch->flight->set->epoll_fd, EPOLL_CTL_MOD, watch->fd, &event);
}

/*
 * Closing alone does not end the watch where another process has the file open too: a child keeps
 * its copies for a moment after its exec has let the parent go on.
 */
void kp_watch_close(struct kp_watch *watch)
{
    struct epoll_event ignored = {0};

    if (watch->fd >= 0) {
        epoll_ctl(watch->flight->set->epoll_fd, EPOLL_CTL_DEL, watch->fd, &ignored);
        close(watch->fd);
    }
    watch->fd = -1;
}

/* ---- processes that outlive their attempt --------------------------------------------------- */

/* Where there is no memory for its number it stays a zombie as long as this process lives. */
void kp_reap_later(struct kp_handlers *set, pid_t pid)
{
    pid_t *grown = kp_grow(set->mem, set->unreaped, &set->unreaped_cap, set->unreaped_count + 1,
                           sizeof *grown);

    if (!grown)
        return;
    set->unreaped = grown;
    set->unreaped[set->unreaped_count++] = pid;
}

/* ---- one attempt ----------------------------------------------------------------------------- */

/* One deadline spans the whole attempt, from look-up to body (P-110). */
int64_t kp_flight_timeout_ns(const struct kp_flight *flight)
{
    return flight->deadline_ns - flight->started_ns;
}

void kp_flight_finish_text(struct kp_flight *flight, enum kp_answer answer, struct kp_text text)
{
    struct kp_handlers *set = flight->set;

    if (flight->done)
        return;
    flight->done = true;
    flight->result.answer = flight->scratch.failed ? KP_ANSWER_ERROR : answer;
    flight->result.output = flight->scratch.failed ? KP_TEXT("out of memory") : text;
    flight->result.took_ns = kp_handlers_now_ns() - flight->started_ns;
    *set->done_tail = flight;
    set->done_tail = &flight->next_done;
}

void kp_flight_finish(struct kp_flight *flight, enum kp_answer answer,
                      const struct kp_message *message)
{
    kp_flight_finish_text(flight, answer, kp_scratch_message(&flight->scratch, message));
}

void kp_flight_out_of_memory(struct kp_flight *flight)
{
    kp_flight_finish_text(flight, KP_ANSWER_ERROR, KP_TEXT("out of memory"));
}

bool kp_flight_resolve_port(struct kp_flight *flight, const struct kp_int_or_string *param,
                            int64_t *port)
{
    const struct kp_attempt *attempt = &flight->attempt;
    struct kp_buf error = {0};

    if (kp_port_resolve(attempt->profile, param, attempt->container, port, &error))
        return true;
    error = kp_scratch_buf(&flight->scratch, error.need);
    kp_port_resolve(attempt->profile, param, attempt->container, port, &error);
    kp_flight_finish_text(flight, KP_ANSWER_ERROR, kp_buf_text(&error));
    return false;
}
