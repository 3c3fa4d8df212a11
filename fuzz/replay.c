/* replay.c: plays kept inputs through a target without a fuzzer: each is a regression test. */
#include "conformance/text/file.h"
#include "fuzz/fuzz.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        struct kp_text bytes = KP_TEXT_NONE;
        struct cf_arena arena = {.mem = cf_libc_mem()};
        const char *why;

        why = cf_file_read(&arena, argv[i], (size_t)1 << 24, &bytes);
        if (why) {
            fprintf(stderr, "%s: %s\n", argv[i], why);
            return 2;
        }
        LLVMFuzzerTestOneInput((const uint8_t *)bytes.bytes, bytes.len);
        cf_arena_deinit(&arena);
    }
    return 0;
}
