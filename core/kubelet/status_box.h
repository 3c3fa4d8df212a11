/*
 * status_box.h: one PodStatus as a value: written by who makes it, from then on only read.
 *
 * Who makes a box (pod_status.c, or the status manager from another one) holds it, hands it on, and
 * so does whoever keeps it; a box that nobody holds is free.  A pod has as many as it can need, so
 * no step allocates.
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
    unsigned holders;
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

/* A free box, held by the caller alone: empty, or the same as another one, texts included. */
struct kp_status_box *kp_status_box_take(struct kp_status_boxes *boxes);
struct kp_status_box *kp_status_box_copy(struct kp_status_boxes *boxes,
                                         const struct kp_status_box *from);
/* NULL is held and let go of as well. */
struct kp_status_box *kp_status_box_hold(struct kp_status_box *box);
void kp_status_box_drop(struct kp_status_box *box);
/* Put a box that the caller holds into a place, which holds it in his stead; what was there is let
 * go of. */
void kp_status_box_put(struct kp_status_box **place, struct kp_status_box *box);
