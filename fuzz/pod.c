/* pod.c: bytes as YAML and as JSON to a checked pod: complaints lie inside the input, and what is
 * stored is stored again as it is. */
#include "conformance/check.h"
#include "fuzz/fuzz.h"

/* At most so many lines: YAML 1.1 also breaks them at a lone CR, NEL, LS and PS. */
static int line_count(struct kp_text bytes)
{
    int lines = 1;

    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char c = (unsigned char)bytes.bytes[i];

        lines += c == '\n' || c == '\r' || c == 0x85 || c == 0xa8 || c == 0xa9;
    }
    return lines;
}

static void check_places(const struct cf_check_reply *reply, struct kp_text bytes)
{
    int lines = line_count(bytes) + 1; /* the end of the input may be a line of its own */

    PROMISE(reply->at.line >= 0 && reply->at.line <= lines);
    for (size_t i = 0; i < reply->error_count; i++)
        PROMISE(reply->errors[i].at.line >= 0 && reply->errors[i].at.line <= lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const versions[] = {"1.15", "1.24", "1.36", "1.37"};
    const struct kp_text bytes = {(const char *)data, size};
    struct cf_check_reply first = {0};
    struct cf_check_reply again = {0};
    struct kp_profile profile;
    struct cf_arena arena;

    PROMISE(kp_profile_init(&profile, kp_text_of(versions[size % 4])) == KP_OK);
    cf_arena_init(&arena, cf_libc_mem());
    PROMISE(cf_check_yaml(&arena, &profile, bytes, &first) == KP_OK);
    check_places(&first, bytes);
    if (first.pod) {
        struct kp_text stored = cf_node_json(&arena, first.pod);

        PROMISE(cf_check_yaml(&arena, &profile, stored, &again) == KP_OK);
        PROMISE(again.pod && kp_text_equal(cf_node_json(&arena, again.pod), stored));
    }
    cf_arena_deinit(&arena);
    return 0;
}
