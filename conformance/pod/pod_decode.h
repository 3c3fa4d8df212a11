/*
 * pod_decode.h: bytes or a tree to a struct kp_pod, the way the API server decodes.
 *
 * Known fields are kept, with their types checked; unknown ones are dropped with the warning of the
 * strict decoder; fields behind a gate that is off are dropped silently.  Nothing is defaulted and
 * nothing validated here: see cf_pod_default, kp_pod_validate.
 */
#pragma once

#include "conformance/text/node.h"
#include "core/model/spec.h"
#include "core/rules/profile.h"

struct cf_warning {
    struct kp_text text;
    const char *meant; /* the field that an unknown one may be meant to be; NULL: none */
    int since;         /* the minor from which it exists; 0: in none that is later */
    struct cf_place at;
};

/* Everything in it lives in the arena. */
struct cf_pod {
    struct kp_pod *pod;           /* NULL: undecodable */
    struct cf_node *tree;         /* the known fields, as the server would store them */
    const struct cf_node *source; /* what it was decoded from: places */
    struct cf_fault fault;        /* undecodable: go_text is the server's text */
    struct cf_warning *warnings;
    size_t warning_count;
};

/*
 * Decode a pod.
 *
 * source:   borrowed for the arena's life; a tree from JSON as it stands, one from YAML through
 *           cf_node_sorted.
 * Returns:  KP_OK, also where it is undecodable (out->pod NULL, out->fault says why); KP_ENOMEM.
 * Upstream: apimachinery serializer/json, sigs.k8s.io/json.
 */
KP_MUST_USE enum kp_err cf_pod_decode(struct cf_arena *arena, const struct kp_profile *profile,
                                      const struct cf_node *source, struct cf_pod *out);

/*
 * The same for the pod template of a workload object.
 *
 * path:     where the template stands in its object: "spec.template".
 * name:     of the pod to make; namespace_ likewise.
 */
KP_MUST_USE enum kp_err cf_pod_decode_template(struct cf_arena *arena,
                                               const struct kp_profile *profile,
                                               const struct cf_node *source, struct kp_text path,
                                               struct kp_text name, struct kp_text namespace_,
                                               struct cf_pod *out);

/*
 * The same from YAML, of which the first document counts.
 */
KP_MUST_USE enum kp_err cf_pod_decode_yaml(struct cf_arena *arena, const struct kp_profile *profile,
                                           struct kp_text bytes, struct cf_pod *out);

/*
 * Write the defaults that the API server writes, into pod->pod and pod->tree alike (D-001..D-008).
 */
KP_MUST_USE enum kp_err cf_pod_default(struct cf_arena *arena, const struct kp_profile *profile,
                                       struct cf_pod *pod);
