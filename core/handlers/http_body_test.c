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

const struct unit_test http_body_test[] = {
    {"each length is kept", each_length_is_kept},
    {0},
};
