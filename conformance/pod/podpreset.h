/*
 * podpreset.h: the PodPreset admission plugin of 1.15 to 1.19 (A-001..A-007): what it merges into a
 * pod before the pod is stored.
 *
 * It works on trees, since most of what it merges (mounts, volumes, envFrom) is nothing that the
 * engine reads.
 */
#pragma once

#include "conformance/pod/pod_decode.h"

struct cf_podpreset_outcome {
    size_t matched;       /* presets of the namespace whose selector matches */
    struct kp_text names; /* theirs, with commas between them */
    bool applied;         /* false: none matched, the pod is excluded, or there was a conflict */
    struct kp_text log;   /* the API server's log line where there was a conflict; else empty */
    /* A preset that is none: fault says why, and nothing was done. */
    bool bad_preset;
    struct cf_fault fault;
};

/*
 * Is that object one that the API server takes as a PodPreset, with fields that it all knows?
 *
 * object:   from JSON as it stands, from YAML through cf_node_sorted.
 * Returns:  false: fault says why, in the server's words (also in a version that has none of them),
 *           or there is no memory.
 * Upstream: pkg/apis/settings/validation/validation.go ValidatePodPreset.
 */
bool cf_podpreset_check(struct cf_arena *arena, const struct kp_profile *profile,
                        const struct cf_node *object, struct cf_fault *fault);

/*
 * Apply presets to a pod at its creation.
 *
 * presets:  a list of PodPreset objects, in the order of the lister (which upstream leaves open).
 * pod:      defaulted; changed in place, with pod->pod filled in anew.
 * Returns:  KP_OK; KP_ENOMEM.  In a version without the plugin nothing happens.
 * Upstream: plugin/pkg/admission/podpreset/admission.go.
 */
KP_MUST_USE enum kp_err cf_podpreset_apply(struct cf_arena *arena, const struct kp_profile *profile,
                                           const struct cf_node *presets, struct cf_pod *pod,
                                           struct cf_podpreset_outcome *outcome);
