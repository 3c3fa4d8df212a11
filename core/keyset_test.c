#include "core/keyset.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

static void each_key_is_new_once(void)
{
    struct kp_mem mem = fake_alloc_plain();
    struct kp_keyset set;

    CHECK_INT(kp_keyset_init(&set, &mem, 100), KP_OK);
    for (int round = 0; round < 2; round++)
        for (int32_t i = 0; i < 100; i++) {
            struct kp_key key = {.text = KP_TEXT("TCP"), .number = i};

            CHECK(kp_keyset_has(&set, key) == (round == 1));
            CHECK(kp_keyset_add(&set, key) == (round == 1));
        }
    kp_keyset_deinit(&set);
}

/* Who has no memory takes every key for a new one: wrong names are told, doubles are not. */
static void without_memory_nothing_is_remembered(void)
{
    struct fake_alloc state = {.fail_at = 0};
    struct kp_mem mem = fake_alloc_mem(&state);
    struct kp_keyset set;

    CHECK_INT(kp_keyset_init(&set, &mem, 1), KP_ENOMEM);
    CHECK(!kp_keyset_add(&set, (struct kp_key){.text = KP_TEXT("a")}));
    CHECK(!kp_keyset_has(&set, (struct kp_key){.text = KP_TEXT("a")}));
    kp_keyset_deinit(&set);
    CHECK_INT(state.live, 0);
}

/* SIZE_MAX bytes and more: no allocator is asked. */
static void an_array_of_too_many_is_none(void)
{
    struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
    struct kp_mem mem = fake_alloc_mem(&state);

    CHECK(kp_mem_array(&mem, SIZE_MAX / 2, 3) == NULL);
    CHECK_INT(state.calls, 0);
}

const struct unit_test keyset_test[] = {
    {"each key is new once", each_key_is_new_once},
    {"without memory nothing is remembered", without_memory_nothing_is_remembered},
    {"an array of too many is none", an_array_of_too_many_is_none},
    {0},
};
