/*
 * yaml.h: YAML text to a tree.  The only file that knows libyaml is yaml.c.
 *
 * Scalars mean what they mean to the API server (yaml_scalar.h); aliases and merge keys are
 * expanded, under go-yaml's own limit on what they may grow to.
 */
#pragma once

#include "conformance/text/node.h"

struct cf_yaml_options {
    bool first_only; /* stop behind the first document, as the API server does */
    bool plain;      /* anchors, aliases, tags and merge keys are faults (case files) */
};

enum { CF_DEPTH_MAX = 1000 }; /* of nesting, in YAML and in JSON */

/*
 * Parse a stream of documents.
 *
 * bytes:    borrowed for the call.
 * out:      a CF_LIST at 1:1 with one child a document (an empty one is CF_NULL), in the arena.
 * Returns:  KP_OK, and the fault is empty; KP_EINPUT: it says what and where; KP_ENOMEM.
 * Upstream: sigs.k8s.io/yaml YAMLToJSON, go-yaml v2 decode.go.
 */
KP_MUST_USE enum kp_err cf_yaml_parse(struct cf_arena *arena, struct kp_text bytes,
                                      struct cf_yaml_options options, struct cf_node **out,
                                      struct cf_fault *fault);

/*
 * The next line without its end, as the parser counts lines: YAML 1.1 ends one at a lone CR, NEL,
 * LS and PS, too.
 *
 * Returns:  false: nothing was left.
 */
bool cf_yaml_next_line(struct kp_text *left, struct kp_text *line);

/*
 * What the strict YAML decoder says of repeated keys; empty: there are none (V-042).
 *
 * document: as cf_yaml_parse made it.
 */
struct kp_text cf_yaml_strict_text(struct cf_arena *arena, const struct cf_node *document);

/* The tree as the server's JSON decoder sees it: last of repeated keys, members sorted by key. */
struct cf_node *cf_node_sorted(struct cf_arena *arena, const struct cf_node *node);
