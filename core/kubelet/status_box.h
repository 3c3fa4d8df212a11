/*
 * status_box.h: a PodStatus with a reference count.
 *
 * Its maker (pod_status.c, or the status manager from another one) fills it in; after that it is
 * only read.  A box without references is free.  A pod has as many as it can need, so no step
 * allocates.
 */
#pragma once

#include "../base/err.h"
#include "../base/mem.h"
#include "../model/spec.h"

/* A PodStatus with room for the texts that the kubelet makes up. */
struct kp_status_box {
    struct kp_pod_status status;
    uint32_t address;                   /* podIPs: that of this sandbox, its attempt + 1; 0: none */
    const struct kp_pod_status *others; /* the conditions of others that go with it; or NULL */
    bool scheduled; /* PodScheduled is among its conditions, which no effect shows */
    char *text;
    size_t text_cap;
    size_t text_used;
    unsigned refs;
};

#define KP_CONDITIONS_MAX 6 /* as many as kp_condition_is_ours knows */
/* What was computed, published and emitted; what the pod worker was handed and works with; and the
 * one that is being made. */
#define KP_STATUS_BOXES 6

struct kp_status_boxes {
    struct kp_status_box list[KP_STATUS_BOXES];
};

/* Zeroed before; after an error there may be something to deinit.  KP_OK or KP_ENOMEM. */
KP_MUST_USE enum kp_err kp_status_boxes_init(struct kp_status_boxes *boxes,
                                             const struct kp_mem *mem, size_t container_count,
                                             size_t text_bytes);
void kp_status_boxes_deinit(struct kp_status_boxes *boxes, const struct kp_mem *mem);

/* A free box with one reference, the caller's: empty, or a copy with its texts. */
struct kp_status_box *kp_status_box_take(struct kp_status_boxes *boxes);
struct kp_status_box *kp_status_box_copy(struct kp_status_boxes *boxes,
                                         const struct kp_status_box *from);
/* NULL is ignored. */
struct kp_status_box *kp_status_box_ref(struct kp_status_box *box);
void kp_status_box_unref(struct kp_status_box *box);
/* Store a box: the place takes over the caller's reference; the box that was there loses one. */
void kp_status_box_put(struct kp_status_box **place, struct kp_status_box *box);
