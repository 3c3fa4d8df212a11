/*
 * check.h: op `check` of the adapter protocol: what the API server of one version makes of a pod.
 */
#pragma once

#include "conformance/pod/pod_decode.h"

struct cf_check_error {
    struct kp_text field;  /* spec.containers[0].name */
    struct kp_text type;   /* FieldValueInvalid */
    struct kp_text detail; /* must be ... */
    struct kp_text text;   /* the whole line */
    struct cf_place at;    /* in the document, as near as it has the field; of the first 1000 */
};

/* Everything in it lives in the arena. */
struct cf_check_reply {
    struct kp_text undecodable; /* not empty: the rest is empty */
    struct cf_place at;         /* of undecodable */
    struct cf_node *pod;        /* as the server stores it */
    const struct cf_check_error *errors;
    size_t error_count;
    const struct cf_warning *warnings;
    size_t warning_count;
    struct cf_pod decoded; /* decoded.pod is defaulted */
};

/*
 * Decode, default and validate a pod for creation.
 *
 * Returns:  KP_OK, whatever the pod is; KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_check_yaml(struct cf_arena *arena, const struct kp_profile *profile,
                                      struct kp_text yaml, struct cf_check_reply *reply);
/* The same for a tree: from JSON as it stands, from YAML through cf_node_sorted. */
KP_MUST_USE enum kp_err cf_check_node(struct cf_arena *arena, const struct kp_profile *profile,
                                      const struct cf_node *source, struct cf_check_reply *reply);
/*
 * The same for a pod that is already decoded, as from a template; reply->decoded becomes it.
 *
 * presets:  a list of PodPresets that are there before it, each as cf_podpreset_check takes it;
 * NULL: none.
 * old:      the pod that it is to replace, checked before it; NULL: it is created.
 */
KP_MUST_USE enum kp_err cf_check_decoded(struct cf_arena *arena, const struct kp_profile *profile,
                                         const struct cf_pod *pod, const struct cf_node *presets,
                                         const struct cf_check_reply *old,
                                         struct cf_check_reply *reply);

/* `pod`, `errors`, `warnings` or `undecodable` as the protocol's reply has them; NULL: no memory.
 */
struct cf_node *cf_check_ok(struct cf_arena *arena, const struct cf_check_reply *reply);
