/*
 * subject.h: whom a case is played against, the built-in engine or an adapter, with the same verbs.
 *
 * A case is played as: cf_subject_begin, then the interface (layers probe and pod) or
 * cf_subject_ask (all but probe and pod).  After any of them failed, cf_subject_error says how the
 * case ended.
 */
#pragma once

#include "conformance/protocol/adapter.h"
#include "conformance/protocol/outcome.h"

struct cf_subject;

/* The engine in this process.  mem: outlives it.  NULL: no memory. */
struct cf_subject *cf_subject_new_engine(const struct kp_mem *mem);
/* An adapter process; argv as for cf_adapter_new. */
struct cf_subject *cf_subject_new_adapter(char *const *argv,
                                          const struct cf_adapter_limits *limits);
void cf_subject_free(struct cf_subject *subject);

/*
 * A new case at a version: says hello where it has to.
 *
 * hello:    its version is one that kp_profile_init takes; gates that differ from their default.
 * Returns:  false: it cannot be played; see error (UNUSABLE: never; REFUSED: not this version).
 */
bool cf_subject_begin(struct cf_subject *subject, const struct cf_hello *hello);

/* Layers probe and pod; borrowed. */
struct fake_impl cf_subject_interface(struct cf_subject *subject);
/*
 * Layers port, check, actions, events, kubectl and fire.
 *
 * members:  of the request behind `op`: JSON without braces.
 * Returns:  the value of `ok`, borrowed until the next call; NULL: see error.
 */
const struct cf_node *cf_subject_ask(struct cf_subject *subject, const char *op,
                                     struct kp_text members);

/* From now on an adapter may take so much longer to answer a request. */
void cf_subject_allow(struct cf_subject *subject, int more_ms);

/* How well the current case keeps to real time; NULL: it is not in real time. */
const struct cf_pace *cf_subject_pace(const struct cf_subject *subject);

/* What it says of itself; NULL: it was not greeted yet. */
const struct cf_hello_ok *cf_subject_about(const struct cf_subject *subject);
/* How the case ended early; FINE: it did not. */
enum cf_adapter_error cf_subject_error(const struct cf_subject *subject);
struct kp_text cf_subject_why(const struct cf_subject *subject);
/* Did an adapter answer `unsupported`? */
bool cf_subject_declined(const struct cf_subject *subject);
struct kp_text cf_subject_log(const struct cf_subject *subject);
/* The caller finds that an answer is of an unknown shape. */
void cf_subject_break(struct cf_subject *subject, enum cf_adapter_error error, struct kp_text why);

/* The verdict for an error; CF_ERROR_NONE has none. */
enum cf_verdict cf_adapter_error_verdict(enum cf_adapter_error error);
