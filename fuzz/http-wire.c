/*
 * http-wire.c: bytes as all that a server sends after a request, through the real http handler
 * over loopback.
 *
 * The first byte: the version, and how many bytes come at a time.
 */
#include "core/handlers/handler.h"
#include "core/handlers/http.h"
#include "fuzz/fuzz.h"
#include "fuzz/shared/loopback.h"
#include "fuzz/shared/profile.h"

#include <string.h>
#include <strings.h>

static bool fits_status(const struct kp_attempt_result *result)
{
    if (result->answer == KP_ANSWER_SUCCESS)
        return result->code >= 200 && result->code <= 299;
    if (result->answer == KP_ANSWER_WARNING)
        return result->code >= 300 && result->code <= 399;
    return true;
}

struct fired {
    const struct kp_profile *profile;
    bool over;
};

static void finished(void *ctx, const struct kp_attempt_result *result)
{
    struct fired *fired = ctx;
    bool is_well = result->answer == KP_ANSWER_SUCCESS || result->answer == KP_ANSWER_WARNING;

    PROMISE(fits_status(result));
    PROMISE(result->code >= -1 && result->code <= 999);
    PROMISE(is_well || result->output.len > 0);
    PROMISE(result->answer != KP_ANSWER_SUCCESS || !fired->profile->body_limited ||
            result->output.len <= KP_HTTP_BODY_BYTES_MAX);
    fired->over = true;
}

/* Releases that read a reply each in its own way. */
static const char *const versions[] = {"1.15", "1.24", "1.30", KP_NEWEST};

static void probe(struct fuzz_server *server, const struct kp_profile *profile)
{
    const struct kp_http_get_action get = {.path = {"/healthz", 8},
                                           .port = {KP_INTSTR_INT, fuzz_server_port(), {"", 0}},
                                           .scheme = {"HTTP", 4}};
    const struct kp_probe probe = {.handler = {.http_get = &get}, .timeout_s = 20};
    const struct kp_container container = {.name = {"c", 1}};
    struct fired fired = {.profile = profile};
    const struct kp_attempt attempt = {.profile = profile,
                                       .probe = &probe,
                                       .container = &container,
                                       .pod_ip = {"127.0.0.1", 9},
                                       .finished = finished,
                                       .ctx = &fired};

    fuzz_fire(server, &attempt, &fired.over);
}

/* A redirect may lead to any port of this machine: those are the matter of http-reply and url. */
static bool leads_elsewhere(struct kp_text bytes)
{
    for (size_t i = 0; i + 9 <= bytes.len; i++)
        if (strncasecmp(bytes.bytes + i, "location:", 9) == 0)
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned how = size > 0 ? *data : 0;
    struct kp_text bytes = {(const char *)data + (size > 0), size - (size > 0)};
    struct fuzz_server server = {.bytes = bytes, .step = how / 4};

    if (leads_elsewhere(bytes))
        return 0;
    probe(&server, fuzz_profile(versions[how & 3]));
    fuzz_server_end(&server);
    return 0;
}
