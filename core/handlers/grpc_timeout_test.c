#include "grpc_timeout.h"

#include "core/base/duration.h"
#include "fakes/unit.h"

/* Each unit's last time, and the next one's first.  Upstream: grpc-go, EncodeDuration. */
static void a_time_has_eight_digits_at_most(void)
{
    static const struct {
        int64_t left_ns;
        const char *header;
    } rows[] = {
        {0, "0n"},
        {1, "1n"},
        {99999999, "99999999n"},
        {100000000, "100000u"},
        {100000001, "100001u"},
        {99999998001, "99999999u"},
        {99999999000, "99999999u"},
        {99999999001, "100000m"},
        {2500 * KP_NS_PER_MS, "2500000u"},
        {99999999 * KP_NS_PER_MS, "99999999m"},
        {99999999 * KP_NS_PER_MS + 1, "100000S"},
        {99999999 * KP_NS_PER_S, "99999999S"},
        {99999999 * KP_NS_PER_S + 1, "1666667M"},
        {99999999 * (60 * KP_NS_PER_S), "99999999M"},
        {99999999 * (60 * KP_NS_PER_S) + 1, "1666667H"},
        {INT64_MAX, "2562048H"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char bytes[16];
        struct kp_buf buf = {.bytes = bytes, .cap = sizeof bytes};

        kp_grpc_put_timeout(&buf, rows[i].left_ns);
        CHECK_TEXT(kp_buf_text(&buf), kp_text_of(rows[i].header));
    }
}

const struct unit_test grpc_timeout_test[] = {
    {"a time has eight digits at most", a_time_has_eight_digits_at_most},
    {0},
};
