/*
 * http-wire.c: bytes as all that a server sends after it was asked, through the real http handler
 * over loopback: libcurl, or the relay for heads that libcurl refuses.
 *
 * The first byte: the version, and where the rest is cut into two writes.
 */
#define _GNU_SOURCE
#include "core/handlers/handler.h"
#include "core/handlers/http.h"
#include "fakes/alloc.h"
#include "fuzz/fuzz.h"
#include "fuzz/shared/profile.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 4 };

struct server {
    int fds[CONNECTIONS]; /* the last one is asked once, and so were those before it */
    size_t count;
    struct kp_text parts[2];
};

/* ---- the server ------------------------------------------------------------------------------ */

/* One for all inputs: with a port for each there are soon none left. */
static struct {
    int fd;
    int32_t port;
} listening;

static void listen_on_loopback(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;

    listening.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    PROMISE(listening.fd >= 0);
    PROMISE(bind(listening.fd, (const struct sockaddr *)&at, sizeof at) == 0);
    PROMISE(listen(listening.fd, CONNECTIONS) == 0);
    PROMISE(getsockname(listening.fd, (struct sockaddr *)&at, &len) == 0);
    listening.port = ntohs(at.sin_port);
}

static int take_connection(void)
{
    return accept4(listening.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* Once the request is here: the reply, and no more.  Who has enough of it may have gone. */
static void reply(struct server *server, int fd)
{
    char request[4096];

    if (recv(fd, request, sizeof request, 0) <= 0)
        return;
    for (size_t i = 0; i < 2; i++)
        (void)send(fd, server->parts[i].bytes, server->parts[i].len, MSG_NOSIGNAL);
    shutdown(fd, SHUT_WR);
}

static void serve(struct server *server)
{
    int fd = take_connection();

    if (fd >= 0 && server->count < CONNECTIONS)
        server->fds[server->count++] = fd;
    else if (fd >= 0)
        close(fd);
    for (size_t i = 0; i < server->count; i++)
        reply(server, server->fds[i]);
}

/* Nothing of this input is left for the next one. */
static void hang_up(struct server *server)
{
    int fd;

    for (size_t i = 0; i < server->count; i++)
        close(server->fds[i]);
    while ((fd = take_connection()) >= 0)
        close(fd);
}

/* ---- the probe ------------------------------------------------------------------------------- */

static bool is_told_by_status(const struct kp_attempt_result *result)
{
    if (result->answer == KP_ANSWER_SUCCESS)
        return result->code >= 200 && result->code <= 299;
    if (result->answer == KP_ANSWER_WARNING)
        return result->code >= 300 && result->code <= 399;
    return true;
}

struct asked {
    const struct kp_profile *profile;
    bool over;
};

static void finished(void *ctx, const struct kp_attempt_result *result)
{
    struct asked *asked = ctx;
    bool is_well = result->answer == KP_ANSWER_SUCCESS || result->answer == KP_ANSWER_WARNING;

    PROMISE(is_told_by_status(result));
    PROMISE(result->code >= -1 && result->code <= 999);
    PROMISE(is_well || result->output.len > 0);
    PROMISE(result->answer != KP_ANSWER_SUCCESS || !asked->profile->body_limited ||
            result->output.len <= KP_HTTP_BODY_BYTES_MAX);
    asked->over = true;
}

/* Releases that read a reply each in its own way. */
static const char *const versions[] = {"1.15", "1.24", "1.30", KP_NEWEST};

static void probe(struct server *server, const struct kp_profile *profile)
{
    const struct kp_mem mem = fake_alloc_plain();
    const struct kp_http_get_action get = {.path = {"/healthz", 8},
                                           .port = {KP_INTSTR_INT, listening.port, {"", 0}},
                                           .scheme = {"HTTP", 4}};
    const struct kp_probe probe = {.handler = {.http_get = &get}, .timeout_s = 20};
    const struct kp_container container = {.name = {"c", 1}};
    struct asked asked = {.profile = profile};
    const struct kp_attempt attempt = {.profile = profile,
                                       .probe = &probe,
                                       .container = &container,
                                       .pod_ip = {"127.0.0.1", 9},
                                       .finished = finished,
                                       .ctx = &asked};
    struct kp_handlers *handlers;
    kp_attempt_id id;

    PROMISE(kp_handlers_new(&mem, &handlers) == KP_OK);
    PROMISE(kp_handlers_start(handlers, &attempt, &id) == KP_OK);
    while (!asked.over) {
        serve(server);
        kp_handlers_step(handlers, kp_handlers_now_ns());
    }
    kp_handlers_free(handlers);
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
    size_t cut = how / 4 < bytes.len ? how / 4 : bytes.len;
    struct server server = {.parts = {{bytes.bytes, cut}, {bytes.bytes + cut, bytes.len - cut}}};

    if (leads_elsewhere(bytes))
        return 0;
    if (listening.port == 0)
        listen_on_loopback();
    probe(&server, fuzz_profile(versions[how & 3]));
    hang_up(&server);
    return 0;
}
