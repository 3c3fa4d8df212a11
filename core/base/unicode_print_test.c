#include "core/base/unicode_print.h"
#include "fakes/unit.h"

/* Go 1.26's strconv.IsPrint was called with each rune up to U+10FFFF: how many it prints as
 * themselves, and the hash (as kp_text_hash) of those, four bytes each, at which its answer
 * changes. */
static void go_prints_these_runes(void)
{
    uint64_t hash = KP_HASH;
    uint32_t count = 0;
    bool was = false;

    for (uint32_t rune = 0; rune <= 0x10ffff; rune++) {
        bool is = kp_unicode_is_print(rune);

        count += is;
        for (int i = 0; is != was && i < 4; i++) {
            char byte = (char)(rune >> 8 * i & 0xff);

            hash = kp_text_hash(hash, (struct kp_text){&byte, 1});
        }
        was = is;
    }
    CHECK_INT(count, 148998);
    CHECK(hash == UINT64_C(11438125793470274478));
}

const struct unit_test unicode_print_test[] = {
    {"Go prints these runes", go_prints_these_runes},
    {0},
};
