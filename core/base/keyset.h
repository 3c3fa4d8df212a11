/* keyset.h: a set of names, or of host ports, that must not repeat. */
#pragma once

#include "err.h"
#include "mem.h"

/* A name, or a host port: protocol, IP and number.  Texts are borrowed. */
struct kp_key {
    struct kp_text text;
    struct kp_text more;
    int32_t number;
};

struct kp_keyset_slot;

struct kp_keyset {
    const struct kp_mem *mem;
    struct kp_keyset_slot *slots;
    size_t cap;
};

/* Room for `count` keys.  Returns KP_OK or KP_ENOMEM: the set is empty then and stays so. */
KP_MUST_USE enum kp_err kp_keyset_init(struct kp_keyset *set, const struct kp_mem *mem,
                                       size_t count);
void kp_keyset_deinit(struct kp_keyset *set);

/* Was it there already?  It is from now on. */
bool kp_keyset_add(struct kp_keyset *set, struct kp_key key);
bool kp_keyset_has(const struct kp_keyset *set, struct kp_key key);
