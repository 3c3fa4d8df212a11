#include "http2_head.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

/* What is no int64 is as none, and no status (x/net, http2 transport.go handleResponse). */
static void numbers_fit_into_an_int64(void)
{
    static const struct {
        const char *status;
        const char *length;
        int64_t content_length;
        bool good;
    } rows[] = {
        {"200", "0", 0, true},
        {"200", "9223372036854775807", INT64_MAX, true},
        {"200", "9223372036854775808", -1, true},
        {"200", "99999999999999999999", -1, true},
        {"200", "+5", -1, true},
        {"200", "", -1, true},
        {"2147483647", "0", 0, true},
        {"2147483648", "0", -1, false},
        {"9223372036854775808", "0", -1, false},
        {"-", "0", -1, false},
        {"+", "0", -1, false},
        {"+-5", "0", -1, false},
        {"-5", "0", 0, true},
        {"2x0", "0", -1, false},
    };
    struct kp_profile profile;

    CHECK_INT(kp_profile_init(&profile, KP_TEXT(KP_NEWEST)), KP_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_http_reply reply;
        struct kp_scratch scratch;

        kp_scratch_init(&scratch, &mem);
        kp_http_reply_init(&reply, &scratch, &profile);
        kp_http_reply_begin(&reply);
        kp_http2_head_field(&reply, KP_TEXT(":status"), kp_text_of(rows[i].status));
        kp_http2_head_field(&reply, KP_TEXT("content-length"), kp_text_of(rows[i].length));
        CHECK_INT(kp_http2_head_end(&reply, false), rows[i].good);
        CHECK_INT(reply.content_length, rows[i].content_length);
        kp_scratch_deinit(&scratch);
    }
}

const struct unit_test http2_head_test[] = {
    {"numbers fit into an int64", numbers_fit_into_an_int64},
    {0},
};
