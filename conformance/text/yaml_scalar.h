/*
 * yaml_scalar.h: what a YAML 1.1 scalar means to the API server, which reads YAML with go-yaml v2
 * and hands the result to its JSON decoder (E-002).
 */
#pragma once

#include "conformance/text/node.h"

struct cf_scalar {
    struct kp_text value; /* as written, quotes and escapes undone */
    struct kp_text tag;   /* "" where there is none */
    bool plain;           /* unquoted and untagged */
    struct cf_place at;
};

/*
 * Make the node of a scalar: 0x50 -> number 80, yes -> true, "80" -> string.  A number that JSON
 * does not have is .inf, -.inf or .nan, as it is in a key.
 *
 * Returns:  NULL where its tag does not fit; fault says why.  NULL with
 * arena->failed: no memory.
 * Upstream: go-yaml v2 resolve.go resolve, encoding/json floatEncoder.
 */
struct cf_node *cf_scalar_resolve(struct cf_arena *arena, const struct cf_scalar *scalar,
                                  struct cf_fault *fault);

/* A float as Go's encoding/json prints it: 8080, 1.5, 1e+21. */
struct kp_text cf_go_float(struct cf_arena *arena, double number);
/*
 * A float that is a key: 8000, 1e+06, .inf, to the seven digits of a float32.
 *
 * number:   no NaN.
 * Upstream: sigs.k8s.io/yaml convertToJSONableObject, strconv.FormatFloat(number, 'g', -1, 32).
 */
struct kp_text cf_go_float_key(struct cf_arena *arena, double number);
