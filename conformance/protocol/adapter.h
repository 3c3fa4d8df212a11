/*
 * adapter.h: an implementation in a process of its own, spoken to in the adapter protocol
 * (conformance/protocol.md), and the guards of its section 6.
 *
 * To the world it is a struct fake_impl like the built-in engine.  When it breaks a guard the case
 * is over: the process is killed with all that it started, cf_adapter_error says what happened, and
 * the next case begins with a fresh process.
 */
#pragma once

#include "conformance/protocol/pace.h"
#include "conformance/protocol/process.h"
#include "conformance/protocol/wire.h"

/* How a case came to an early end. */
enum cf_adapter_error {
    CF_ERROR_NONE,
    CF_ERROR_REFUSED,    /* it answered with an error object */
    CF_ERROR_CRASH,      /* it died */
    CF_ERROR_TIMEOUT,    /* it did not answer in time */
    CF_ERROR_PROTOCOL,   /* it answered what the protocol does not have */
    CF_ERROR_LIVELOCK,   /* effects without end at one instant */
    CF_ERROR_UNUSABLE,   /* it could not be started, or did not survive hello */
    CF_ERROR_INTERRUPTED /* we were */
};

#define CF_TIMEOUT_MAX_MS 3600000

struct cf_adapter_limits {
    int reply_ms;        /* up to CF_TIMEOUT_MAX_MS; 0: 5 s */
    int hello_ms;        /* 0: 10 s */
    int patience_ms;     /* for leaving when its input ends; 0: 1 s */
    int rounds_max;      /* of advance at one instant with effects; 0: 10,000 */
    int effects_max;     /* at one instant; 0: 100,000 */
    bool shows_messages; /* on stderr, as they go and come */
};

struct cf_adapter;

/*
 * argv: ended by NULL; borrowed.  Nothing is started yet.  limits: copied; NULL: the defaults.
 * Returns: never NULL.
 */
struct cf_adapter *cf_adapter_new(char *const *argv, const struct cf_adapter_limits *limits);
/* Ends the process, patiently. */
void cf_adapter_free(struct cf_adapter *adapter);

/* Ends the process, patiently.  Returns: it left by itself, as its input ended. */
bool cf_adapter_leave(struct cf_adapter *adapter);

/*
 * Be ready for cases of that version: starts the process where there is none, and says hello unless
 * it already did with just that.
 *
 * hello:    its texts are copied.
 * Returns:  false: see error; UNUSABLE where it never answered a hello, REFUSED where it does not
 * play that version.
 */
bool cf_adapter_hello(struct cf_adapter *adapter, const struct cf_hello *hello);
/* What it said of itself at its last hello; NULL: it did not yet.  Borrowed until the next. */
const struct cf_hello_ok *cf_adapter_about(const struct cf_adapter *adapter);

/*
 * One request of layer port, check, actions, events, kubectl or fire.
 *
 * members:  of the request behind `op`, as JSON without braces.
 * Returns:  the value of `ok`, borrowed until the next call; NULL: see error.
 */
const struct cf_node *cf_adapter_ask(struct cf_adapter *adapter, const char *op,
                                     struct kp_text members);
/* From now on cf_adapter_ask waits so much longer. */
void cf_adapter_allow(struct cf_adapter *adapter, int more_ms);
/* Layers probe and pod.  Borrowed: its ctx is the adapter. */
struct fake_impl cf_adapter_impl(struct cf_adapter *adapter);

/* How well the current case keeps to real time. */
const struct cf_pace *cf_adapter_pace(const struct cf_adapter *adapter);

/* Of the current case, and one sentence about it (also the code and message of REFUSED). */
enum cf_adapter_error cf_adapter_error(const struct cf_adapter *adapter);
struct kp_text cf_adapter_why(const struct cf_adapter *adapter);
/* REFUSED, with the code `unsupported`? */
bool cf_adapter_declined(const struct cf_adapter *adapter);
/* The end of what it logged on stderr in this case's process; borrowed until the next call. */
struct kp_text cf_adapter_log(const struct cf_adapter *adapter);
/* A new case: forget the error of the last one. */
void cf_adapter_begin(struct cf_adapter *adapter);
/* The case itself finds that the protocol was broken (an answer of an unknown shape): same end. */
void cf_adapter_break(struct cf_adapter *adapter, enum cf_adapter_error error, struct kp_text why);

/* For `doctor` and benchmarks: the last request and reply as they went over the pipe. */
struct kp_text cf_adapter_last_request(const struct cf_adapter *adapter);
struct kp_text cf_adapter_last_reply(const struct cf_adapter *adapter);
