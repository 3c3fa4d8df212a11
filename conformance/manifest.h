/*
 * manifest.h: the pods in a file as people keep them: Pods, whatever has a pod template, Lists,
 * several documents.
 */
#ifndef CF_MANIFEST_H
#define CF_MANIFEST_H

#include "conformance/pod_decode.h"

struct cf_manifest_pod {
    struct kp_pod *pod;           /* as stored: defaulted; with a name, a namespace and a uid */
    const struct cf_node *tree;   /* the same as a tree */
    const struct cf_node *source; /* what it was read from: places */
};

struct cf_manifest_fault {
    struct cf_place at;
    struct kp_text text;
    bool warning; /* told, but the pod is good */
};

struct cf_manifest {
    const char *name; /* of the file, for complaints */
    struct cf_manifest_pod *pods;
    size_t pod_count;
    size_t pod_room;
    struct cf_manifest_fault *faults;
    size_t fault_count;
    size_t fault_room;
};

/*
 * Read every pod of a file.
 *
 * Understood: Pod, PodTemplate, Deployment, StatefulSet, DaemonSet, ReplicaSet,
 * ReplicationController, Job, CronJob, and List of any of them, as YAML (several documents) or
 * JSON.  Objects of other kinds are passed over.  A template's pod has the name of its object.
 *
 * bytes:    borrowed for the arena's life.
 * Returns:  KP_OK; KP_EINPUT: a fault that is no warning, also where the file holds no pod;
 * KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_manifest_read(struct cf_arena *arena, const struct kp_profile *profile,
                                         const char *name, struct kp_text bytes,
                                         struct cf_manifest *out);

/* Write faults and warnings to stderr: file:line:column: message. */
void cf_manifest_complain(const struct cf_manifest *manifest);

#endif
