/*
 * flight.h: what the transports and the set share: an attempt in flight, and descriptors that are
 * watched.
 */
#pragma once

#include "handler.h"
#include "scratch.h"

#include <stddef.h>
#include <sys/types.h>

struct kp_flight;

/* How one kind of probe is made. */
struct kp_transport {
    /* Begin; may finish at once.  false: no memory, and nothing was begun. */
    bool (*begin)(struct kp_flight *flight);
    /* Its time is over, or an instant that it requested has come: see kp_flight_wake_at. */
    void (*wake)(struct kp_flight *flight, int64_t now_ns);
    /* Close and free everything; called once, however the attempt ends. */
    void (*end)(struct kp_flight *flight);
};

extern const struct kp_transport kp_transport_http;
extern const struct kp_transport kp_transport_tcp;
extern const struct kp_transport kp_transport_exec;
extern const struct kp_transport kp_transport_grpc;

#define KP_FLIGHT_ROOM 3072 /* enough for most */

struct kp_flight {
    struct kp_handlers *set;
    struct kp_attempt attempt;
    const struct kp_transport *transport;
    void *state;               /* the transport's own */
    struct kp_scratch scratch; /* for texts that live as long as the attempt */
    int64_t started_ns;
    int64_t deadline_ns;
    int64_t wake_ns; /* <= deadline_ns */
    size_t heap_at;  /* place among the wake-up times */
    uint32_t slot;
    bool done;
    bool closing; /* `finished` was called: it is about to be closed */
    struct kp_attempt_result result;
    struct kp_flight *next_done;
    max_align_t room[KP_FLIGHT_ROOM / sizeof(max_align_t)]; /* the scratch's first */
};

/* timeoutSeconds or what stands in for it. */
int64_t kp_flight_timeout_ns(const struct kp_flight *flight);

/* The result is there; the transport's `end` follows.  The message is written out at once. */
void kp_flight_finish(struct kp_flight *flight, enum kp_answer answer,
                      const struct kp_message *message);
/* The same with a text. */
void kp_flight_finish_text(struct kp_flight *flight, enum kp_answer answer, struct kp_text text);

/* It ends for want of memory, or of descriptors: an error that says so. */
void kp_flight_out_of_memory(struct kp_flight *flight);

/* The number that `port` means; false: it means none, and the attempt is finished (P-134). */
bool kp_flight_resolve_port(struct kp_flight *flight, const struct kp_int_or_string *param,
                            int64_t *port);

/* Be woken earlier than at the deadline. */
void kp_flight_wake_at(struct kp_flight *flight, int64_t when_ns);

/* ---- descriptors ----------------------------------------------------------------------------- */

/* A descriptor that the loop watches for its owner. */
struct kp_watch {
    struct kp_flight *flight;
    void (*ready)(struct kp_watch *watch, uint32_t epoll_events);
    int fd; /* -1: none */
};

/* Returns: false where the kernel has no room. */
bool kp_watch_begin(struct kp_watch *watch, uint32_t epoll_events);
/* Watch for other events. */
void kp_watch_for(struct kp_watch *watch, uint32_t epoll_events);
/* Stop watching and close; nothing where fd is -1. */
void kp_watch_close(struct kp_watch *watch);

/* ---- processes ------------------------------------------------------------------------------- */

/* A child of ours that does not end though its attempt has: the loop reaps it when it does. */
void kp_reap_later(struct kp_handlers *set, pid_t pid);
