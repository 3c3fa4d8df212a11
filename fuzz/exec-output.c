/*
 * exec-output.c: bytes as what a command writes, through the real exec handler: all of it arrives
 * up to the limit, and becomes the kubelet's event.
 */
#define _GNU_SOURCE
#include "core/handlers/handler.h"
#include "core/prober/prober.h"
#include "fakes/alloc.h"
#include "fuzz/fuzz.h"
#include "fuzz/shared/profile.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LIMIT 10240 /* P-080 */

struct expected {
    struct kp_text bytes;
    bool finished;
};

static void finished(void *ctx, const struct kp_attempt_result *result)
{
    struct expected *expected = ctx;
    size_t len = expected->bytes.len < LIMIT ? expected->bytes.len : LIMIT;
    struct kp_message message = {0};
    static char words[4 * LIMIT];
    struct kp_buf buf = {.bytes = words, .cap = sizeof words};

    expected->finished = true;
    PROMISE(result->answer == KP_ANSWER_SUCCESS && result->code == 0);
    PROMISE(kp_text_equal(result->output, (struct kp_text){expected->bytes.bytes, len}));
    kp_prober_add_output(&message, fuzz_profile(KP_NEWEST), result->answer, result->output, NULL,
                         1);
    kp_message_put(&buf, &message);
    PROMISE(buf.need == len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct kp_mem mem = fake_alloc_plain();
    struct expected expected = {.bytes = {(const char *)data, size}};
    char path[40];
    struct kp_text argv[] = {{"/bin/cat", 8}, {path, 0}};
    const struct kp_exec_action exec = {{argv, 2}};
    const struct kp_probe probe = {.handler = {.exec = &exec}, .timeout_s = 20};
    const struct kp_container container = {.name = {"c", 1}};
    struct kp_attempt attempt = {
        .probe = &probe, .container = &container, .finished = finished, .ctx = &expected};
    struct kp_handlers *handlers;
    kp_attempt_id id;
    int file = memfd_create("output", 0); /* the command finds it by its number */

    PROMISE(file >= 0 && write(file, data, size) == (ssize_t)size);
    argv[1].len = (size_t)snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), file);
    attempt.profile = fuzz_profile(KP_NEWEST);
    PROMISE(kp_handlers_new(&mem, &handlers) == KP_OK);
    PROMISE(kp_handlers_start(handlers, &attempt, &id) == KP_OK);
    while (!expected.finished)
        kp_handlers_step(handlers, KP_NEVER);
    kp_handlers_free(handlers);
    close(file);
    return 0;
}
