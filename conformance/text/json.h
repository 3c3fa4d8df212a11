/*
 * json.h: JSON text to a tree, with Go's errors.
 *
 * A parser of its own rather than jansson: places, repeated keys, numbers as written and Go's
 * texts all matter here, and a library keeps none of them.
 */
#pragma once

#include "conformance/text/node.h"

/*
 * Parse one JSON value, with nothing but white space around it.
 *
 * bytes:    borrowed for the call.  Invalid UTF-8 and lone surrogates in strings become U+FFFD.
 * Returns:  KP_OK, and the fault is empty; KP_EINPUT: it says what and where; KP_ENOMEM.
 * Upstream: encoding/json scanner.go and decode.go.
 */
KP_MUST_USE enum kp_err cf_json_parse(struct cf_arena *arena, struct kp_text bytes,
                                      struct cf_node **out, struct cf_fault *fault);
