/* handlers.c: the set of attempts in flight, and its loop. */
#define _GNU_SOURCE /* ppoll */
#include "handlers.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS_A_TURN 256
#define CLOSED_A_TURN 32

/* ---- growing arrays -------------------------------------------------------------------------- */

static bool grow(struct kp_handlers *set)
{
    size_t cap = set->cap > 0 ? 2 * set->cap : 64;
    struct kp_slot *slots = kp_mem_array(set->mem, cap, sizeof *slots);
    struct kp_flight **heap = kp_mem_array(set->mem, cap, sizeof(struct kp_flight *));

    if (!slots || !heap) {
        kp_mem_free(set->mem, slots);
        kp_mem_free(set->mem, heap);
        return false;
    }
    if (set->cap > 0) {
        memcpy(slots, set->slots, set->cap * sizeof *slots);
        memcpy(heap, set->heap, set->in_flight * sizeof *heap);
    }
    for (size_t i = set->cap; i < cap; i++)
        slots[i] = (struct kp_slot){.next_free = set->free_slot, .generation = 1},
        set->free_slot = (uint32_t)i + 1;
    kp_mem_free(set->mem, set->slots);
    kp_mem_free(set->mem, set->heap);
    set->slots = slots;
    set->heap = heap;
    set->cap = cap;
    return true;
}

/* ---- one attempt ----------------------------------------------------------------------------- */

/* P-059: the order in which the kubelet looks for a handler. */
static const struct kp_transport *transport_of(const struct kp_profile *profile,
                                               const struct kp_probe *probe)
{
    if (probe->handler.exec)
        return &kp_transport_exec;
    if (probe->handler.http_get)
        return &kp_transport_http;
    if (probe->handler.tcp_socket)
        return &kp_transport_tcp;
    /* P-125: up to 1.22, and in 1.23 without its gate, there is no such handler. */
    return probe->handler.grpc && profile->gates[KP_GATE_GRPCContainerProbe] ? &kp_transport_grpc
                                                                             : NULL;
}

/* A set closes and frees what ended only between turns: events of this turn may still name it. */
static void release(struct kp_flight *flight)
{
    struct kp_handlers *set = flight->set;
    struct kp_slot *slot = &set->slots[flight->slot];

    if (flight->transport)
        flight->transport->end(flight);
    kp_flight_unqueue(flight);
    slot->flight = NULL;
    slot->generation++;
    slot->next_free = set->free_slot;
    set->free_slot = flight->slot + 1;
    flight->next_done = set->ended;
    set->ended = flight;
}

/* The next attempt may have it: what was used just now costs least. */
static void keep(struct kp_handlers *set, struct kp_flight *flight)
{
    if (set->idle_count == KP_IDLE_FLIGHTS) {
        kp_mem_free(set->mem, flight);
        return;
    }
    flight->next_done = set->idle;
    set->idle = flight;
    set->idle_count++;
}

static struct kp_flight *take_flight(struct kp_handlers *set)
{
    struct kp_flight *flight = set->idle;

    if (flight) {
        set->idle = flight->next_done;
        set->idle_count--;
    } else {
        flight = set->mem->alloc(set->mem->ctx, sizeof *flight);
    }
    if (flight)
        memset(flight, 0, offsetof(struct kp_flight, room));
    return flight;
}

static void free_ended(struct kp_handlers *set)
{
    while (set->ended) {
        struct kp_flight *flight = set->ended;

        set->ended = flight->next_done;
        kp_scratch_deinit(&flight->scratch);
        keep(set, flight);
    }
}

static void enter(struct kp_handlers *set, struct kp_flight *flight)
{
    struct kp_slot *slot = &set->slots[set->free_slot - 1];

    flight->slot = set->free_slot - 1;
    set->free_slot = slot->next_free;
    slot->flight = flight;
    kp_flight_queue(flight);
}

static void finish_without_handler(struct kp_flight *flight)
{
    kp_flight_finish_text(flight, KP_ANSWER_ERROR, KP_TEXT("missing probe handler"));
}

enum kp_err kp_handlers_start(struct kp_handlers *set, const struct kp_attempt *attempt,
                              kp_attempt_id *id)
{
    struct kp_flight *flight;

    if (set->free_slot == 0 && !grow(set))
        return KP_ENOMEM;
    flight = take_flight(set);
    if (!flight)
        return KP_ENOMEM;
    flight->set = set;
    flight->attempt = *attempt;
    flight->transport = transport_of(attempt->profile, attempt->probe);
    flight->result.code = -1;
    kp_scratch_init(&flight->scratch, set->mem);
    kp_scratch_lend(&flight->scratch, (char *)flight->room, sizeof flight->room);
    flight->started_ns = kp_handlers_now_ns();
    flight->deadline_ns =
        flight->started_ns +
        (attempt->timeout_ns > 0 ? attempt->timeout_ns : attempt->probe->timeout_s * KP_NS_PER_S);
    flight->wake_ns = flight->deadline_ns;
    enter(set, flight);
    if (!flight->transport) {
        finish_without_handler(flight);
    } else if (!flight->transport->begin(flight) || (flight->scratch.failed && !flight->done)) {
        release(flight);
        return KP_ENOMEM;
    }
    *id = (uint64_t)set->slots[flight->slot].generation << 32 | flight->slot;
    return KP_OK;
}

static void forget_done(struct kp_handlers *set, struct kp_flight *flight)
{
    struct kp_flight **link = &set->done;

    while (*link != flight)
        link = &(*link)->next_done;
    *link = flight->next_done;
    if (set->done_tail == &flight->next_done)
        set->done_tail = link;
}

void kp_handlers_cancel(struct kp_handlers *set, kp_attempt_id id)
{
    uint32_t slot = (uint32_t)id;

    if (slot >= set->cap || !set->slots[slot].flight || set->slots[slot].generation != id >> 32 ||
        set->slots[slot].flight->closing)
        return;
    if (set->slots[slot].flight->done)
        forget_done(set, set->slots[slot].flight);
    release(set->slots[slot].flight);
    if (!set->in_turn)
        free_ended(set);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void reap(struct kp_handlers *set)
{
    size_t kept = 0;

    for (size_t i = 0; i < set->unreaped_count; i++)
        if (waitpid(set->unreaped[i], NULL, WNOHANG) == 0)
            set->unreaped[kept++] = set->unreaped[i];
    set->unreaped_count = kept;
}

static size_t report_finished(struct kp_handlers *set)
{
    size_t count = 0;

    for (; set->done; count++) {
        struct kp_flight *flight = set->done;

        set->done = flight->next_done;
        if (!set->done)
            set->done_tail = &set->done;
        flight->closing = true;
        flight->next_done = set->closing;
        set->closing = flight;
        if (flight->attempt.finished)
            flight->attempt.finished(flight->attempt.ctx, &flight->result);
    }
    return count;
}

/*
 * Closing takes longer than reporting: a few a turn, and then as many as there is time for before
 * the next that is to be woken.  Who is closed is in the heap till then: there is a first.
 */
static void close_some(struct kp_handlers *set)
{
    for (int i = 0;
         set->closing && (i < CLOSED_A_TURN || set->heap[0]->wake_ns > kp_handlers_now_ns()); i++) {
        struct kp_flight *flight = set->closing;

        set->closing = flight->next_done;
        release(flight);
    }
}

static void wake_due(struct kp_handlers *set, int64_t now_ns)
{
    while (set->in_flight > 0 && set->heap[0]->wake_ns <= now_ns) {
        struct kp_flight *flight = set->heap[0];

        /* Where the transport asks for nothing earlier, the deadline is next; then never again. */
        kp_flight_wake_later(flight,
                             now_ns >= flight->deadline_ns ? KP_NEVER : flight->deadline_ns);
        if (!flight->done)
            flight->transport->wake(flight, now_ns);
    }
}

static void dispatch(struct kp_handlers *set, const struct epoll_event *events, int count)
{
    for (int i = 0; i < count; i++) {
        struct kp_watch *watch = events[i].data.ptr;

        if (events[i].data.u64 & 1)
            kp_curl_ready(set, (int)(events[i].data.u64 >> 1));
        else if (!watch->flight->done)
            watch->ready(watch, events[i].events);
    }
}

/* As epoll_wait, to the nanosecond: what of the time is less than a millisecond poll waits for. */
static int wait_for(const struct kp_handlers *set, int64_t until_ns, struct epoll_event *events)
{
    int64_t due_ns = kp_handlers_due_ns(set);
    int64_t wait_ns = (due_ns < until_ns ? due_ns : until_ns) - kp_handlers_now_ns();
    struct pollfd ready = {.fd = set->epoll_fd, .events = POLLIN};
    const struct timespec left = {.tv_nsec = wait_ns};
    int64_t wait_ms = wait_ns <= 0 ? 0 : wait_ns / KP_NS_PER_MS;

    if (wait_ns > 0 && wait_ms == 0 && ppoll(&ready, 1, &left, NULL) < 0)
        return -1;
    return epoll_wait(set->epoll_fd, events, EVENTS_A_TURN, wait_ms < 60000 ? (int)wait_ms : 60000);
}

static size_t turn(struct kp_handlers *set, int64_t until_ns)
{
    struct epoll_event events[EVENTS_A_TURN];
    int count = wait_for(set, until_ns, events);
    int64_t now_ns;
    size_t finished;

    assert(count >= 0 || errno == EINTR);
    set->interrupted = count < 0;
    set->in_turn = true;
    dispatch(set, events, count);
    now_ns = kp_handlers_now_ns();
    kp_curl_turn(set, now_ns);
    wake_due(set, now_ns);
    finished = report_finished(set);
    close_some(set);
    set->in_turn = false;
    free_ended(set);
    reap(set);
    return finished;
}

size_t kp_handlers_step(struct kp_handlers *set, int64_t until_ns)
{
    bool closing = set->closing != NULL;
    size_t finished;

    do
        finished = turn(set, until_ns);
    while (finished == 0 && !set->interrupted && !closing && kp_handlers_now_ns() < until_ns);
    return finished;
}

size_t kp_handlers_in_flight(const struct kp_handlers *set)
{
    return set->in_flight;
}

int kp_handlers_fd(const struct kp_handlers *set)
{
    return set->epoll_fd;
}

int64_t kp_handlers_due_ns(const struct kp_handlers *set)
{
    int64_t due_ns = set->curl_due_ns;

    if (set->done || set->closing)
        return 0;
    if (set->in_flight > 0 && set->heap[0]->wake_ns < due_ns)
        due_ns = set->heap[0]->wake_ns;
    return due_ns;
}

/* ---- life ------------------------------------------------------------------------------------ */

enum kp_err kp_handlers_new(const struct kp_mem *mem, struct kp_handlers **out)
{
    struct kp_handlers *set = kp_mem_array(mem, 1, sizeof *set);

    if (!set)
        return KP_ENOMEM;
    set->mem = mem;
    set->spares.mem = mem;
    set->done_tail = &set->done;
    set->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (set->epoll_fd >= 0 && kp_curl_begin(set)) {
        *out = set;
        return KP_OK;
    }
    kp_handlers_free(set);
    return KP_ENOMEM;
}

void kp_handlers_free(struct kp_handlers *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->cap; i++)
        if (set->slots[i].flight)
            release(set->slots[i].flight);
    free_ended(set);
    while (set->idle) {
        struct kp_flight *flight = set->idle;

        set->idle = flight->next_done;
        kp_mem_free(set->mem, flight);
    }
    kp_spares_deinit(&set->spares);
    kp_curl_end(set);
    SSL_CTX_free(set->tls);
    if (set->epoll_fd >= 0)
        close(set->epoll_fd);
    reap(set);
    kp_mem_free(set->mem, set->unreaped);
    kp_mem_free(set->mem, set->slots);
    kp_mem_free(set->mem, set->heap);
    kp_mem_free(set->mem, set);
}
