#include "conformance/text/sha256.h"

#include "fakes/unit.h"

#include <string.h>

/* FIPS 180-4 examples, and lengths around a block's end (against coreutils' sha256sum). */
static void digests_are_those_of_the_standard(void)
{
    static const struct {
        const char *text;
        size_t times;
        const char *hex;
    } rows[] = {
        {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
        {"a", 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {"a", 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char hex[CF_SHA256_HEX + 1];
        struct cf_sha256 sha;

        cf_sha256_init(&sha);
        for (size_t n = 0; n < rows[i].times; n++)
            cf_sha256_put(&sha, kp_text_of(rows[i].text));
        cf_sha256_take(&sha, hex);
        CHECK_STRING(hex, rows[i].hex);
    }
}

const struct unit_test sha256_test[] = {
    {"digests are those of the standard", digests_are_those_of_the_standard},
    {0},
};
