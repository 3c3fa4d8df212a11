#include "http1.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

#define HEAD "HTTP/1.1 200 OK\r\n"
#define LONGEST 1100

/* What a reply came to, taken in two pieces. */
struct outcome {
    enum kp_http1_step step;
    size_t taken;
    char location[LONGEST];
};

static struct outcome take(struct kp_text bytes, size_t cut)
{
    struct kp_text pieces[] = {{bytes.bytes, cut}, {bytes.bytes + cut, bytes.len - cut}};
    const struct kp_profile profile = {.with_go_115 = true};
    struct kp_mem mem = fake_alloc_plain();
    struct outcome outcome = {.step = KP_HTTP1_MORE};
    struct kp_scratch scratch;
    struct kp_http_reply reply;
    struct kp_http1 http1;
    struct kp_text data;

    kp_scratch_init(&scratch, &mem);
    kp_http_reply_init(&reply, &scratch, &profile);
    kp_http1_init(&http1, &reply, &mem);
    for (size_t i = 0; i < 2 && outcome.step == KP_HTTP1_MORE; i++) {
        outcome.step = kp_http1_take(&http1, &pieces[i], &data);
        outcome.taken = bytes.len - pieces[i].len;
    }
    snprintf(outcome.location, sizeof outcome.location, "%.*s", (int)reply.location.len,
             reply.location.len > 0 ? reply.location.bytes : "");
    kp_http1_deinit(&http1);
    kp_scratch_deinit(&scratch);
    return outcome;
}

/* A line of each length, cut in its midst: whatever it makes grow. */
static void lines_of_each_length_come_in_pieces(void)
{
    char bytes[sizeof HEAD + LONGEST + 64];
    char location[LONGEST];

    for (int len = 1; len < LONGEST; len++) {
        struct outcome outcome;
        int all;

        memset(location, 'x', sizeof location);
        location[len] = '\0';
        all = snprintf(bytes, sizeof bytes, HEAD "Location: %s\r\n\r\n", location);
        outcome = take((struct kp_text){bytes, (size_t)all}, (size_t)all - 5);
        CHECK_INT(outcome.step, KP_HTTP1_HEAD);
        CHECK_STRING(outcome.location, location);
    }
}

static void a_head_may_be_cut_anywhere(void)
{
    static const char bytes[] = HEAD "Location: /x\r\n\r\n";

    for (size_t cut = 0; cut < sizeof bytes; cut++) {
        struct outcome outcome = take((struct kp_text){bytes, sizeof bytes - 1}, cut);

        CHECK_INT(outcome.step, KP_HTTP1_HEAD);
        CHECK_INT(outcome.taken, sizeof bytes - 1);
        CHECK_STRING(outcome.location, "/x");
    }
}

/* Of a line, of what chunks are read with. */
static void where_memory_is_short_that_is_reported(void)
{
    static const char head[] = HEAD "Transfer-Encoding: chunked\r\n\r\n";
    const struct kp_profile profile = {.with_go_115 = true};
    bool whole = false;
    int failures = 0;

    for (int64_t fail_at = 0; !whole; fail_at++) {
        struct fake_alloc state = {.fail_at = fail_at};
        struct kp_mem mem = fake_alloc_mem(&state);
        enum kp_http1_step step = KP_HTTP1_MORE;
        struct kp_scratch scratch;
        struct kp_http_reply reply;
        struct kp_http1 http1;
        struct kp_text data;

        kp_scratch_init(&scratch, &mem);
        kp_http_reply_init(&reply, &scratch, &profile);
        kp_http1_init(&http1, &reply, &mem);
        for (size_t at = 0; at < sizeof head - 1 && step == KP_HTTP1_MORE && !scratch.failed; at++)
            step = kp_http1_take(&http1, &(struct kp_text){head + at, 1}, &data);
        whole = step == KP_HTTP1_HEAD;
        failures += !whole;
        CHECK(whole || scratch.failed || step == KP_HTTP1_NO_MEMORY);
        CHECK(step != KP_HTTP1_REFUSED);
        CHECK(fail_at > 0 || step == KP_HTTP1_NO_MEMORY); /* of the line */
        kp_http1_deinit(&http1);
        kp_scratch_deinit(&scratch);
        CHECK_INT(state.live, 0);
    }
    CHECK(failures >= 3);
}

/* Ten megabytes of it may come, though nobody sees what. */
static void a_line_that_goes_on_is_awaited(void)
{
    static const char piece[4096] = {'x'};
    const struct kp_profile profile = {.with_go_115 = true};
    struct kp_mem mem = fake_alloc_plain();
    enum kp_http1_step step = KP_HTTP1_MORE;
    struct kp_scratch scratch;
    struct kp_http_reply reply;
    struct kp_http1 http1;
    struct kp_text data;
    size_t came = 0;

    kp_scratch_init(&scratch, &mem);
    kp_http_reply_init(&reply, &scratch, &profile);
    kp_http1_init(&http1, &reply, &mem);
    while (step == KP_HTTP1_MORE && came < 2 * KP_HTTP_HEAD_BYTES_MAX) {
        size_t len = came == KP_HTTP_HEAD_BYTES_MAX ? 1 : sizeof piece;

        step = kp_http1_take(&http1, &(struct kp_text){piece, len}, &data);
        came += len;
    }
    CHECK_INT(step, KP_HTTP1_REFUSED);
    CHECK_INT(came, KP_HTTP_HEAD_BYTES_MAX + 1);
    kp_http1_deinit(&http1);
    kp_scratch_deinit(&scratch);
}

const struct unit_test http1_test[] = {
    {"lines of each length come in pieces", lines_of_each_length_come_in_pieces},
    {"a head may be cut anywhere", a_head_may_be_cut_anywhere},
    {"where memory is short that is reported", where_memory_is_short_that_is_reported},
    {"a line that goes on is awaited", a_line_that_goes_on_is_awaited},
    {0},
};
