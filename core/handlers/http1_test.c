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

const struct unit_test http1_test[] = {
    {"lines of each length come in pieces", lines_of_each_length_come_in_pieces},
    {0},
};
