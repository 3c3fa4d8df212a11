/*
 * manifest.h: the pods in a file as people keep them: Pods, whatever has a pod template, Lists,
 * several documents.
 */
#pragma once

#include "conformance/pod/podpreset.h"
#include "conformance/text/out.h"

enum {
    CF_MANIFEST_BYTES_MAX = 4 * 1024 * 1024,
    CF_MANIFEST_NODES_MAX = 300000 /* a container of two bytes takes a thousand in memory */
};

struct cf_manifest_pod {
    struct kp_pod *pod;           /* as stored when new: defaulted, named, with a uid, no status */
    struct cf_node *tree;         /* the same as a tree */
    const struct cf_node *source; /* what it was read from: places */
    const struct cf_node *holder; /* the object that holds it: the Pod, its Deployment ... */
    struct kp_text kind;          /* that object's kind */
    struct kp_text object; /* that object's name; "NAMESPACE/NAME" where the file has another one of
                              that name */
    struct kp_text path;   /* of the template in it: "spec.template"; "" for a Pod */
    struct cf_podpreset_outcome presets; /* what the file's PodPresets did to it */
};

struct cf_manifest_fault {
    struct cf_place at;
    struct kp_text text;
    bool warning; /* reported, but the pod is good */
};

struct cf_manifest {
    const char *name; /* of the file, for errors */
    const char *only; /* the one pod that is asked for, or the object that holds it; NULL: all */
    struct cf_manifest_pod *pods;
    size_t pod_count;
    size_t pod_room;
    struct cf_manifest_fault *faults;
    size_t fault_count;
    size_t fault_room;
    bool empty;       /* the fault is that it is whole and has no pod */
    bool passed_over; /* something that has containers was, and a fault or warning says so */
};

/*
 * Read every pod of a file.
 *
 * Understood: Pod, PodTemplate, Deployment, StatefulSet, DaemonSet, ReplicaSet,
 * ReplicationController, Job, CronJob, a custom resource (its group has a dot) with a pod template
 * at spec.template, and List of any of them, as YAML (several documents) or JSON.  Objects of other
 * kinds are passed over, with a warning where they have containers, but for PodPresets: wherever
 * they stand, they are merged into the file's pods, as if they had been there before them and their
 * plugin were on; in versions that have none any more a warning says so.  Unknown and repeated
 * fields are faults, as kubectl's strict validation has it.  The first object with faults ends the
 * reading.
 *
 * A template's pod is called as its controller would call it: StatefulSet "db" -> "db-0",
 * Deployment "web" -> "web-<hash of the template>-<five letters>", the same in every run.
 *
 * bytes:    borrowed for the call; more than CF_MANIFEST_BYTES_MAX are refused, and more than
 *           CF_MANIFEST_NODES_MAX values in them.
 * Returns:  KP_OK; KP_EINPUT: a fault that is no warning, also where the file holds no pod;
 *           KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_manifest_read(struct cf_arena *arena, const struct kp_profile *profile,
                                         const char *name, struct kp_text bytes,
                                         struct cf_manifest *out);

/* The same where one pod is asked for: what is wrong with the others is none of its business. */
KP_MUST_USE enum kp_err cf_manifest_read_only(struct cf_arena *arena,
                                              const struct kp_profile *profile, const char *name,
                                              struct kp_text bytes, const char *only,
                                              struct cf_manifest *out);

/* Is the pod, or the object that holds it, called so, "web" or "prod/web"?  NULL: everything is. */
bool cf_manifest_pod_is_called(const struct cf_manifest_pod *pod, const char *name);

/* How many of its pods are; name: NULL: all are. */
size_t cf_manifest_count(const struct cf_manifest *manifest, const char *name);

/*
 * The keys from an object's root down to the spec of the pod in it, as YAML.
 *
 * path:     as in cf_manifest_pod.
 * Returns:  the column below them.
 */
int cf_manifest_put_path(struct cf_out *out, struct kp_text path);

/*
 * Of an object whose probes no strategic merge patch changes once it is there (a Pod, a Job, a
 * custom resource, whose lists such a patch would replace): what to do instead, as a comment; of
 * others nothing.
 *
 * kind:     of the object.
 * object:   whole: its metadata.ownerReferences are read.  An owner whose kind or name is not
 *           printable ASCII, which might end the comment, is not named.
 */
void cf_manifest_put_fixed(struct cf_out *out, struct kp_text kind, const struct cf_node *object);

/* A kind as messages show it: quoted, and cut behind the 63 bytes that a kind has at most.
 * Upstream: apiextensions validation.go ValidateCustomResourceDefinitionNames. */
void cf_manifest_put_kind(struct kp_buf *buf, struct kp_text kind);

/* Write faults and warnings to stderr: file:line:column: message. */
void cf_manifest_print_fault(const struct cf_manifest *manifest);
