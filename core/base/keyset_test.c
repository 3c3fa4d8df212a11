#include "core/base/keyset.h"

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

static void what_stands_behind_the_text_tells_keys_apart(void)
{
    struct kp_mem mem = fake_alloc_plain();
    struct kp_key key = {.text = KP_TEXT("a"), .more = KP_TEXT("b")};
    struct kp_keyset set;

    CHECK_INT(kp_keyset_init(&set, &mem, 2), KP_OK);
    CHECK(!kp_keyset_add(&set, key));
    key.more = KP_TEXT("c");
    CHECK(!kp_keyset_has(&set, key));
    CHECK(!kp_keyset_add(&set, key));
    CHECK(kp_keyset_add(&set, key));
    kp_keyset_deinit(&set);
}

/* Half of the slots stay free, so that a search for what is not there ends. */
static void a_full_set_knows_what_it_has_not(void)
{
    struct kp_mem mem = fake_alloc_plain();
    struct kp_keyset set;

    CHECK_INT(kp_keyset_init(&set, &mem, 4), KP_OK);
    for (int32_t i = 0; i < 4; i++)
        CHECK(!kp_keyset_add(&set, (struct kp_key){.number = i}));
    CHECK(!kp_keyset_has(&set, (struct kp_key){.number = 4}));
    kp_keyset_deinit(&set);
}

/* Who has no memory takes every key for a new one: wrong names are reported, doubles are not. */
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

const struct unit_test keyset_test[] = {
    {"each key is new once", each_key_is_new_once},
    {"what stands behind the text tells keys apart", what_stands_behind_the_text_tells_keys_apart},
    {"without memory nothing is remembered", without_memory_nothing_is_remembered},
    {"a full set knows what it has not", a_full_set_knows_what_it_has_not},
    {0},
};
