/*
 * wheel.h: a hierarchical timing wheel: who is due next, and when exactly.
 *
 * Seven levels of 256 slots; a slot of level l spans 2^(12+8l) ns, so that a node waits at the
 * level where its instant first differs from the present one, and moves down as that comes near.
 * A slot whose nodes are all due at one instant is taken as it is: workers of one grid never move.
 * Unlike a general heap nothing is compared, and nodes of one instant keep the order of insertion
 * as long as they share their slots.
 *
 * The wheel owns no memory per node: nodes are the first member of the caller's array of structs.
 */
#ifndef KP_WHEEL_H
#define KP_WHEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KP_WHEEL_LEVELS 7
#define KP_WHEEL_SLOTS 256
#define KP_WHEEL_NONE UINT32_MAX

/* First member of what waits.  While it is in no wheel, links and due_ns are the caller's. */
struct kp_wheel_node {
    int64_t due_ns; /* 0 .. INT64_MAX - 1 */
    uint32_t next;
    uint32_t prev;
};

struct kp_wheel {
    unsigned char *nodes; /* the caller's array; set it again after moving the array */
    size_t stride;
    int64_t now_ns;
    uint32_t count; /* of nodes in it */
    uint64_t used[KP_WHEEL_LEVELS][KP_WHEEL_SLOTS / 64];
    uint32_t head[KP_WHEEL_LEVELS * KP_WHEEL_SLOTS];     /* circular lists: head.prev is the tail */
    int64_t first_ns[KP_WHEEL_LEVELS * KP_WHEEL_SLOTS];  /* earliest of the slot, exact */
    int64_t latest_ns[KP_WHEEL_LEVELS * KP_WHEEL_SLOTS]; /* no node of the slot is later */
};

/* An empty wheel at instant now_ns. */
void kp_wheel_init(struct kp_wheel *wheel, void *nodes, size_t stride, int64_t now_ns);

/* Node `index` becomes due at due_ns, which is not before the wheel's present. */
void kp_wheel_insert(struct kp_wheel *wheel, uint32_t index, int64_t due_ns);
/* Take out a node that is in the wheel. */
void kp_wheel_remove(struct kp_wheel *wheel, uint32_t index);

/* The earliest due_ns of all nodes, or INT64_MAX. */
int64_t kp_wheel_next_ns(const struct kp_wheel *wheel);

/*
 * The present becomes now_ns, which is not after kp_wheel_next_ns; take out what is due then.
 *
 * Returns:  first node of a circular list of those due (head.prev is the last one), or
 * KP_WHEEL_NONE.
 */
uint32_t kp_wheel_advance(struct kp_wheel *wheel, int64_t now_ns);

#endif
