#include "keyset.h"

/* Open addressing, at most half full. */
struct kp_keyset_slot {
    struct kp_key key;
    bool used;
};

enum kp_err kp_keyset_init(struct kp_keyset *set, const struct kp_mem *mem, size_t count)
{
    *set = (struct kp_keyset){mem, NULL, 8};
    while (set->cap < 2 * count)
        set->cap *= 2;
    set->slots = kp_mem_array(mem, set->cap, sizeof *set->slots);
    return set->slots ? KP_OK : KP_ENOMEM;
}

void kp_keyset_deinit(struct kp_keyset *set)
{
    kp_mem_free(set->mem, set->slots);
}

static struct kp_keyset_slot *find_slot(const struct kp_keyset *set, const struct kp_key *key)
{
    uint64_t hash = kp_text_hash(kp_text_hash(KP_HASH, key->text), key->more);
    size_t at = (size_t)((hash ^ (uint32_t)key->number) * 1099511628211u >> 20);

    for (;; at++) {
        struct kp_keyset_slot *slot = &set->slots[at & (set->cap - 1)];

        if (!slot->used ||
            (slot->key.number == key->number && kp_text_equal(slot->key.text, key->text) &&
             kp_text_equal(slot->key.more, key->more)))
            return slot;
    }
}

bool kp_keyset_add(struct kp_keyset *set, struct kp_key key)
{
    struct kp_keyset_slot *slot = set->slots ? find_slot(set, &key) : NULL;

    if (!slot || slot->used)
        return slot != NULL;
    *slot = (struct kp_keyset_slot){key, true};
    return false;
}

bool kp_keyset_has(const struct kp_keyset *set, struct kp_key key)
{
    return set->slots && find_slot(set, &key)->used;
}
