/*
 * grpc-wire.c: bytes as all that a server sends once it is greeted, through the real gRPC handler
 * over loopback.
 *
 * The first byte: how many bytes come at a time; 0: all at once.
 */
#include "core/handlers/handler.h"
#include "fuzz/fuzz.h"
#include "fuzz/shared/loopback.h"
#include "fuzz/shared/profile.h"

#include <string.h>

#define TIMEOUT_NS (5 * KP_NS_PER_MS) /* who is no server of gRPC's is dialled again until then */

static bool begins(struct kp_text text, const char *word)
{
    return text.len >= strlen(word) && memcmp(text.bytes, word, strlen(word)) == 0;
}

static void finished(void *ctx, const struct kp_attempt_result *result)
{
    bool *over = ctx;

    PROMISE(result->code == -1);
    if (result->answer == KP_ANSWER_SUCCESS)
        PROMISE(kp_text_equal(result->output, KP_TEXT("service healthy")));
    else
        PROMISE(result->answer == KP_ANSWER_FAILURE &&
                (begins(result->output, "service unhealthy (responded with ") ||
                 begins(result->output, "timeout: ") || begins(result->output, "error: ")));
    *over = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct kp_grpc_action grpc = {.port = fuzz_server_port()};
    const struct kp_probe probe = {.handler = {.grpc = &grpc}, .timeout_s = 1};
    const struct kp_container container = {.name = {"c", 1}};
    struct fuzz_server server = {0};
    bool over = false;
    const struct kp_attempt attempt = {.profile = fuzz_profile(KP_NEWEST),
                                       .probe = &probe,
                                       .container = &container,
                                       .pod_ip = {"127.0.0.1", 9},
                                       .timeout_ns = TIMEOUT_NS,
                                       .finished = finished,
                                       .ctx = &over};

    if (size == 0)
        return 0;
    server.step = data[0];
    server.bytes = (struct kp_text){(const char *)data + 1, size - 1};
    fuzz_fire(&server, &attempt, &over);
    fuzz_server_end(&server);
    return 0;
}
