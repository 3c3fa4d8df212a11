/* grpc-reply.c: bytes as the reply to a health check, to the grpc-go of some release, which the
 * second byte says: lines of the head, an empty one, the body's length and the body, trailers. */
#include "core/handlers/grpc_reply.h"
#include "core/handlers/health.h"
#include "fakes/alloc.h"
#include "fakes/grpc_lines.h"
#include "fuzz/fuzz.h"
#include "fuzz/shared/health.h"
#include "fuzz/shared/profile.h"

#include <string.h>

enum { VERSIONS = 5 };
/* A release for each way that grpc-go has read a reply. */
static const char *const versions[VERSIONS] = {KP_NEWEST, "1.36", "1.34", "1.33", "1.32"};

struct input {
    const char *at;
    const char *end;
};

static struct kp_text take_line(struct input *input)
{
    const char *newline = memchr(input->at, '\n', (size_t)(input->end - input->at));
    const char *stop = newline ? newline + 1 : input->end;
    struct kp_text line = {input->at, (size_t)(stop - input->at)};

    input->at = stop;
    return line;
}

static bool is_empty(struct kp_text line)
{
    return line.len == 0 || line.bytes[0] == '\n' || (line.len == 2 && line.bytes[0] == '\r');
}

/* Until an empty line, which is given too. */
static void give_lines(struct kp_grpc_reply *reply, struct input *input)
{
    while (input->at < input->end) {
        struct kp_text line = take_line(input);

        if (!grpc_take_line(reply, line) || is_empty(line))
            return;
    }
}

static void give_body(struct kp_grpc_reply *reply, struct input *input)
{
    size_t len = input->at < input->end ? (unsigned char)*input->at++ * (size_t)32 : 0;

    if (len > (size_t)(input->end - input->at))
        len = (size_t)(input->end - input->at);
    if (len > 0)
        kp_grpc_reply_body(reply, (struct kp_text){input->at, len});
    input->at += len;
}

/* Two readers of another shape agree. */
static void read_health(struct kp_text message)
{
    int64_t again = fuzz_health(message);
    int32_t status;

    if (kp_health_read_response(message, &status))
        PROMISE(status == again);
    else
        PROMISE(again == INT64_MIN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct kp_mem mem = fake_alloc_plain();
    struct input input = {(const char *)data, (const char *)data + size};
    struct kp_grpc_status status = {0};
    struct kp_message words = {0};
    struct kp_grpc_reply reply;
    struct kp_scratch scratch;
    bool whole = size > 0 && data[0] % 4 != 3;

    kp_scratch_init(&scratch, &mem);
    kp_grpc_reply_init(&reply, &scratch, fuzz_profile(versions[size > 1 ? data[1] % VERSIONS : 0]));
    reply.reset = size > 0 && data[0] % 16 == 15 ? data[0] / 16 : -1;
    input.at += size > 1 ? 2 : size;
    give_lines(&reply, &input);
    give_body(&reply, &input);
    give_lines(&reply, &input);
    if (kp_grpc_reply_end(&reply, whole, &status)) {
        PROMISE(reply.message.len + 5 <= reply.len && reply.message.len <= KP_GRPC_MESSAGE_BYTES);
        read_health(reply.message);
    } else {
        PROMISE(status.code != KP_GRPC_OK);
        PROMISE(status.message.len == 0 || status.message.bytes);
    }
    kp_grpc_add_code(&words, status.code);
    PROMISE(words.count > 0);
    kp_scratch_deinit(&scratch);
    return 0;
}
