#define _GNU_SOURCE /* accept4 */
#include "fuzz/shared/loopback.h"

#include "fakes/alloc.h"
#include "fuzz/fuzz.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

static struct {
    int fd;
    int32_t port;
} listening;

int32_t fuzz_server_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;

    if (listening.port != 0)
        return listening.port;
    listening.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    PROMISE(listening.fd >= 0);
    PROMISE(bind(listening.fd, (const struct sockaddr *)&at, sizeof at) == 0);
    PROMISE(listen(listening.fd, FUZZ_CONNECTIONS) == 0);
    PROMISE(getsockname(listening.fd, (struct sockaddr *)&at, &len) == 0);
    listening.port = ntohs(at.sin_port);
    return listening.port;
}

static int take_connection(void)
{
    return accept4(listening.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* Who has enough of it may have gone. */
static void reply(const struct fuzz_server *server, int fd)
{
    size_t step = server->step > 0 ? server->step : server->bytes.len;
    char request[4096];

    if (recv(fd, request, sizeof request, 0) <= 0)
        return;
    for (size_t at = 0; at < server->bytes.len; at += step) {
        size_t left = server->bytes.len - at;

        (void)send(fd, server->bytes.bytes + at, left < step ? left : step, MSG_NOSIGNAL);
    }
    shutdown(fd, SHUT_WR);
}

void fuzz_server_turn(struct fuzz_server *server)
{
    int fd = take_connection();

    if (fd >= 0 && server->count < FUZZ_CONNECTIONS)
        server->fds[server->count++] = fd;
    else if (fd >= 0)
        close(fd);
    for (size_t i = 0; i < server->count; i++)
        reply(server, server->fds[i]);
}

void fuzz_server_end(struct fuzz_server *server)
{
    int fd;

    for (size_t i = 0; i < server->count; i++)
        close(server->fds[i]);
    while ((fd = take_connection()) >= 0)
        close(fd);
}

void fuzz_fire(struct fuzz_server *server, const struct kp_attempt *attempt, const bool *over)
{
    const struct kp_mem mem = fake_alloc_plain();
    struct kp_handlers *handlers;
    kp_attempt_id id;

    PROMISE(kp_handlers_new(&mem, &handlers) == KP_OK);
    PROMISE(kp_handlers_start(handlers, attempt, &id) == KP_OK);
    while (!*over) {
        fuzz_server_turn(server);
        kp_handlers_step(handlers, kp_handlers_now_ns());
    }
    kp_handlers_free(handlers);
}
