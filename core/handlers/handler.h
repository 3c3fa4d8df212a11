/*
 * handler.h: real probes: one attempt of http, tcp, exec or grpc, as the kubelet's handlers make
 * it.
 *
 * A set of handlers is one event loop: one epoll descriptor.  Any number of
 * attempts is in flight at once in the caller's thread; nothing blocks but kp_handlers_step, and
 * that no longer than it is told to.  A set belongs to one thread at a time.  The process must not
 * ignore SIGCHLD nor wait for children that are not its own: such an exec is an error.
 * Upstream: pkg/probe.
 */
#pragma once

#include "../base/mem.h"
#include "../model/trace.h"
#include "../rules/profile.h"

struct kp_handlers;

enum kp_wire { KP_WIRE_SENT, KP_WIRE_RECEIVED };

/* What became of an attempt. Texts are borrowed until `finished` returns. */
struct kp_attempt_result {
    enum kp_answer answer; /* for the engine: KP_EVENT_ANSWER */
    /*
     * The probe's output; of KP_ANSWER_ERROR and KP_ANSWER_BROKEN the error's text. Of
     * KP_ANSWER_TIMEOUT (an exec) the runtime's words; the kubelet's own come from
     * kp_prober_add_output.
     */
    struct kp_text output;
    /*
     * NULL: the text is Go's own. Else the kind of text that it stands for, one of the classes of
     * conformance/protocol.md section 5.1: static text.
     */
    const char *class_word;
    int32_t code; /* exit code or HTTP status; -1: there was none */
    int64_t took_ns;
};

/* One attempt to make.  All of it is borrowed until it is finished or cancelled. */
struct kp_attempt {
    const struct kp_profile *profile;
    const struct kp_probe *probe;
    const struct kp_container *container; /* its ports and env */
    struct kp_text pod_ip;
    int64_t timeout_ns; /* 0: the probe's timeoutSeconds */
    void (*finished)(void *ctx, const struct kp_attempt_result *result);
    /* The bytes of the exchange as they pass, decrypted; may be NULL. */
    void (*wire)(void *ctx, enum kp_wire direction, struct kp_text bytes);
    void *ctx;
};

/* Names an attempt in flight; 0 is none. */
typedef uint64_t kp_attempt_id;

/* The monotonic clock that a set goes by. */
int64_t kp_handlers_now_ns(void);

/*
 * Make a set.
 *
 * mem:      must outlive it.  What libcurl and OpenSSL need they take from malloc.
 * out:      owned by the caller, who gives it to kp_handlers_free.
 * Returns:  KP_OK, or KP_ENOMEM also where descriptors are short.
 */
KP_MUST_USE enum kp_err kp_handlers_new(const struct kp_mem *mem, struct kp_handlers **out);
/* Cancels what is in flight. */
void kp_handlers_free(struct kp_handlers *handlers);

/*
 * Begin an attempt. `finished` is called once, from inside a later kp_handlers_step, never from
 * here. It may start and cancel others.
 *
 * Returns:  KP_OK; KP_ENOMEM: nothing was begun.
 */
KP_MUST_USE enum kp_err kp_handlers_start(struct kp_handlers *handlers,
                                          const struct kp_attempt *attempt, kp_attempt_id *id);
/* Give an attempt up: its connection is closed, its process group killed; `finished` is not called.
 * Unknown ids and those finished are ignored. */
void kp_handlers_cancel(struct kp_handlers *handlers, kp_attempt_id id);

/*
 * Do what is due and wait until an attempt is finished, but not beyond an instant of
 * kp_handlers_now_ns nor a signal.
 *
 * Returns:  how many attempts finished; 0 also after some of them were closed.
 */
size_t kp_handlers_step(struct kp_handlers *handlers, int64_t until_ns);

/* Attempts that were begun and whose connections and processes are not all gone. */
size_t kp_handlers_in_flight(const struct kp_handlers *handlers);
/* For an outer loop: readable when there is something to do, or at kp_handlers_due_ns. */
int kp_handlers_fd(const struct kp_handlers *handlers);
/* When kp_handlers_step has something due whatever happens; KP_NEVER: nothing. */
int64_t kp_handlers_due_ns(const struct kp_handlers *handlers);
