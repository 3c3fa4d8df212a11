#include "http_body.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <string.h>

/* Of each length, the last byte by itself: that which makes it grow, too. */
static void each_length_is_kept(void)
{
    char bytes[1100];
    struct kp_mem mem = fake_alloc_plain();

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)('a' + i % 26);
    for (size_t len = 1; len <= sizeof bytes; len++) {
        struct kp_scratch scratch;
        struct kp_http_body body;

        kp_scratch_init(&scratch, &mem);
        kp_http_body_init(&body, &scratch, len);
        CHECK_INT(kp_http_body_take(&body, (struct kp_text){bytes, len - 1}, NULL),
                  KP_HTTP_BODY_MORE);
        CHECK_INT(kp_http_body_take(&body, (struct kp_text){bytes + len - 1, 1}, NULL),
                  KP_HTTP_BODY_ENOUGH);
        CHECK_TEXT(((struct kp_text){body.bytes, body.len}), ((struct kp_text){bytes, len}));
        CHECK(kp_http_body_is_whole(&body));
        kp_http_body_deinit(&body);
        kp_scratch_deinit(&scratch);
    }
}

static size_t pack(const char *text, unsigned char *packed, size_t size)
{
    z_stream gzip = {.next_in = (unsigned char *)(uintptr_t)text,
                     .avail_in = (uInt)strlen(text),
                     .next_out = packed,
                     .avail_out = (uInt)size};

    CHECK_INT(deflateInit2(&gzip, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    CHECK_INT(deflate(&gzip, Z_FINISH), Z_STREAM_END);
    CHECK_INT(deflateEnd(&gzip), Z_OK);
    return size - gzip.avail_out;
}

/* Cut anywhere; it is whole at its end, and nothing of zlib's is left. */
static void what_is_packed_is_unpacked(void)
{
    static const char text[] = "what is packed is unpacked, packed, unpacked";
    unsigned char packed[128];
    const char *bytes = (const char *)packed;
    size_t len = pack(text, packed, sizeof packed);

    for (size_t cut = 0; cut <= len; cut++) {
        struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
        struct kp_mem mem = fake_alloc_mem(&state);
        struct kp_scratch scratch;
        struct kp_http_body body;
        const char *why = "";

        kp_scratch_init(&scratch, &mem);
        kp_http_body_init(&body, &scratch, sizeof text);
        CHECK(kp_http_body_unpack(&body));
        CHECK_INT(kp_http_body_take(&body, (struct kp_text){bytes, cut}, &why), KP_HTTP_BODY_MORE);
        CHECK_INT(kp_http_body_is_whole(&body), cut == 0 || cut == len);
        CHECK_INT(kp_http_body_take(&body, (struct kp_text){bytes + cut, len - cut}, &why),
                  KP_HTTP_BODY_MORE);
        CHECK(kp_http_body_is_whole(&body));
        CHECK_TEXT(((struct kp_text){body.bytes, body.len}), KP_TEXT(text));
        kp_http_body_deinit(&body);
        kp_scratch_deinit(&scratch);
        CHECK_INT(state.live, 0);
    }
}

/* Whatever cannot be had is reported as memory, not as what came. */
static void where_memory_is_short_nothing_else_is_blamed(void)
{
    static const char text[] = "what is packed is unpacked, packed, unpacked";
    unsigned char packed[128];
    size_t len = pack(text, packed, sizeof packed);
    int64_t calls = 1;

    for (int64_t fail_at = 0; fail_at < calls; fail_at++) {
        struct fake_alloc state = {.fail_at = fail_at};
        struct kp_mem mem = fake_alloc_mem(&state);
        struct kp_scratch scratch;
        struct kp_http_body body;
        const char *why = NULL;

        kp_scratch_init(&scratch, &mem);
        kp_http_body_init(&body, &scratch, sizeof text);
        if (kp_http_body_unpack(&body)) {
            for (size_t at = 0; at < len && !why; at++)
                kp_http_body_take(&body, (struct kp_text){(const char *)packed + at, 1}, &why);
            CHECK(scratch.failed || fail_at >= state.calls);
        }
        calls = fail_at < state.calls ? fail_at + 2 : calls;
        kp_http_body_deinit(&body);
        kp_scratch_deinit(&scratch);
        CHECK_INT(state.live, 0);
    }
    CHECK(calls >= 4); /* a block, zlib's state and its window */
}

const struct unit_test http_body_test[] = {
    {"what is packed is unpacked", what_is_packed_is_unpacked},
    {"each length is kept", each_length_is_kept},
    {"where memory is short nothing else is blamed", where_memory_is_short_nothing_else_is_blamed},
    {0},
};
