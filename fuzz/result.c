/* result.c: bytes as a result file: refused with a reason, or read and printed in every form;
 * sealed anew after each change. */
#include "conformance/judge/result.h"
#include "conformance/report/format.h"
#include "conformance/text/sha256.h"
#include "fuzz/fuzz.h"
#include "fuzz/shared/mutate.h"

#include <string.h>

static const char seal[] = "\"sha256\":\"";

/* Where the digest stands, or NULL. */
static uint8_t *find_seal(uint8_t *data, size_t size)
{
    for (size_t i = size; i-- > 0;)
        if (size - i >= sizeof seal - 1 + CF_SHA256_HEX &&
            memcmp(data + i, seal, sizeof seal - 1) == 0)
            return data + i + sizeof seal - 1;
    return NULL;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    size_t changed = mutate_lines(data, size, max_size, seed);
    uint8_t *digest = find_seal(data, changed);
    char hex[CF_SHA256_HEX + 1];
    struct cf_sha256 sha;

    if (!digest || seed % 16 == 15)
        return changed;
    cf_sha256_init(&sha);
    cf_sha256_put(&sha, (struct kp_text){(const char *)data, (size_t)(digest - data)});
    cf_sha256_take(&sha, hex);
    memcpy(digest, hex, CF_SHA256_HEX);
    return changed;
}

/* In every form; what is judged is no more than what there is. */
static void tell(const struct cf_result *result)
{
    struct cf_out out = {0};

    PROMISE(cf_result_judged(result->totals) <= result->case_count);
    cf_report_tap(&out, result);
    cf_report_junit(&out, result);
    cf_report_markdown(&out, result, 1);
    cf_report_html(&out, result, 1);
    PROMISE(out.len > 0);
    cf_out_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cf_result result = {0};
    struct cf_reader reader;
    struct cf_arena arena = {.mem = cf_libc_mem()};

    reader = (struct cf_reader){.arena = &arena};
    if (cf_result_read(&reader, (struct kp_text){(const char *)data, size}, &result))
        tell(&result);
    else
        PROMISE(reader.why.len > 0);
    cf_arena_deinit(&arena);
    return 0;
}
