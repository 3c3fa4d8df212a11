/*
 * runtime.h: what the container runtime would say of a pod: its sandboxes and container instances.
 *
 * One kp_runtime_view is the truth, built from the protocol's events; others are what a relist saw
 * of it (the kubelet's cache) and what one pod sync works on.  Plain data, all memory reserved when
 * the pod is added.
 * Upstream: pkg/kubelet/container/runtime.go PodStatus, kuberuntime_gc.go.
 */
#pragma once

#include "../base/mem.h"
#include "../model/spec.h"
#include "../rules/profile.h"

enum kp_instance_state {
    KP_INSTANCE_NONE, /* only as a state last seen: never */
    KP_INSTANCE_CREATED,
    KP_INSTANCE_RUNNING,
    KP_INSTANCE_EXITED,
    KP_INSTANCE_UNKNOWN
};

/* One container of the runtime.  Times are wall-clock nanoseconds since 1970. */
struct kp_instance {
    struct kp_text cid;
    enum kp_instance_state state;
    enum kp_instance_state seen; /* by the last relist that reported it */
    int32_t exit_code;
    struct kp_text reason;
    struct kp_text message;
    int64_t restarts;
    int64_t started_wall_ns;
    int64_t finished_wall_ns;
    uint64_t hash;    /* of the spec it was created from (S-128) */
    uint32_t sandbox; /* attempt of the sandbox it lives in */
};

struct kp_sandbox {
    uint32_t attempt;
    bool ready;
    bool seen_ready;
    bool seen;
    bool has_network; /* the status has a network part */
    bool has_ip;
    bool other_network_mode; /* differs from what the pod asks for */
};

#define KP_INSTANCES_MAX 8
#define KP_SANDBOXES_MAX 8

struct kp_instances {
    struct kp_instance list[KP_INSTANCES_MAX]; /* newest first */
    size_t count;
};

struct kp_runtime_view {
    struct kp_sandbox sandboxes[KP_SANDBOXES_MAX]; /* newest first */
    size_t sandbox_count;
    struct kp_instances *containers; /* in the order of pod->containers */
    size_t container_count;
    bool changed;         /* since a relist looked */
    unsigned gone_unseen; /* removed before a relist saw them dead: ContainerDied is due */
    unsigned forgotten;   /* the same, but the runtime has them still: gone at the next GC */
};

KP_MUST_USE enum kp_err kp_runtime_view_init(struct kp_runtime_view *view, const struct kp_mem *mem,
                                             size_t container_count);
void kp_runtime_view_deinit(struct kp_runtime_view *view, const struct kp_mem *mem);
/* Both must be of the same pod. */
void kp_runtime_view_copy(struct kp_runtime_view *to, const struct kp_runtime_view *from);

/* FindContainerStatusByName: the newest instance, or NULL. */
const struct kp_instance *kp_runtime_newest(const struct kp_runtime_view *view, int container);
bool kp_runtime_any_instance(const struct kp_runtime_view *view);
/* NULL: there is none of that id. */
struct kp_instance *kp_runtime_find(const struct kp_runtime_view *view, int container,
                                    struct kp_text cid);
/*
 * A new instance in state Created, newest of its container.  The oldest one that does not run makes
 * way where there is no room: only here, the runtime keeps it until it is collected.
 */
struct kp_instance *kp_runtime_create(struct kp_runtime_view *view, int container,
                                      struct kp_text cid);
void kp_runtime_remove(struct kp_runtime_view *view, int container, size_t at);
void kp_runtime_exit(struct kp_instance *instance, int32_t code, struct kp_text reason,
                     int64_t wall_ns);

void kp_runtime_sandbox_add(struct kp_runtime_view *view, uint32_t attempt);
/* NULL: there is none of that attempt. */
struct kp_sandbox *kp_runtime_sandbox_find(struct kp_runtime_view *view, uint32_t attempt);

/* HasAnyRegularContainerCreated: created, running or exited. */
bool kp_any_regular_created(const struct kp_pod *pod, const struct kp_runtime_view *runtime);

/* Keep the newest dead instance of a container, remove the others (ContainerDied, container GC). */
void kp_runtime_collect_dead(struct kp_runtime_view *view, int container, bool created_too);
/* Container GC came to the instances that made way: the next relist finds them gone. */
void kp_runtime_collect_forgotten(struct kp_runtime_view *view);
/* Remove dead sandboxes that hold nothing, except the newest. */
void kp_runtime_collect_sandboxes(struct kp_runtime_view *view);

/* Hash that makes a definition changed: HashContainer of that release (S-128). */
uint64_t kp_container_hash(const struct kp_profile *profile, const struct kp_container *container);
