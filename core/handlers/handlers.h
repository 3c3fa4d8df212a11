/* handlers.h: the set from inside: what handlers.c, flight.c, lookup.c and tls.c share. */
#pragma once

#include "flight.h"
#include "spares.h"

#include <curl/curl.h>
#include <openssl/ssl.h>

struct kp_lookup;

#define KP_IDLE_FLIGHTS 64

struct kp_slot {
    struct kp_flight *flight;
    uint32_t generation; /* the upper half of an id */
    uint32_t next_free;  /* 0: none */
};

struct kp_handlers {
    const struct kp_mem *mem;
    int epoll_fd;
    struct kp_slot *slots;
    struct kp_flight **heap; /* all in flight, by wake_ns */
    size_t cap;              /* of both */
    size_t in_flight;
    uint32_t free_slot; /* index + 1; 0: none */
    struct kp_flight *done;
    struct kp_flight **done_tail;
    struct kp_flight *closing; /* to be closed */
    struct kp_flight *ended;   /* to be freed between turns */
    struct kp_flight *idle;    /* to be used again */
    size_t idle_count;
    struct kp_spares spares; /* of nghttp2's memory */
    bool in_turn;
    bool interrupted; /* the last wait, by a signal */
    pid_t *unreaped;  /* see kp_reap_later */
    size_t unreaped_count;
    size_t unreaped_cap;
    CURLM *multi;
    int64_t curl_due_ns;
    struct kp_lookup *lookups; /* under way */
    SSL_CTX *tls;              /* NULL: nobody has needed it */
};

/* ---- wake-up times (flight.c) ---------------------------------------------------------------- */

/* wake_ns is set: it waits for that. */
void kp_flight_queue(struct kp_flight *flight);
/* Not any more. */
void kp_flight_unqueue(struct kp_flight *flight);
/* when_ns: not before the one that it waits for. */
void kp_flight_wake_later(struct kp_flight *flight, int64_t when_ns);

/* ---- libcurl's part of the loop (lookup.c) --------------------------------------------------- */

bool kp_curl_begin(struct kp_handlers *set);
void kp_curl_end(struct kp_handlers *set);
void kp_curl_ready(struct kp_handlers *set, int fd);
/* Timers of libcurl, and connections that it has made, or cannot. */
void kp_curl_turn(struct kp_handlers *set, int64_t now_ns);
