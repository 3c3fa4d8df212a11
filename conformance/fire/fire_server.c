#define _GNU_SOURCE /* accept4 */
#include "conformance/fire/fire_server.h"

#include "conformance/fire/fire_h2.h"
#include "conformance/fire/fire_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { FILLERS = 4, HEAD_BYTES_MAX = 1 << 20 };

struct cf_fire_servers {
    struct cf_fire_server servers[CF_FIRE_SERVERS]; /* filled in */
    int listeners[CF_FIRE_SERVERS];                 /* that are listened at; -1 */
    int taken[CF_FIRE_SERVERS];                     /* a port that nobody listens at; -1 */
    size_t turn[CF_FIRE_SERVERS];                   /* of the next connection */
    int fillers[FILLERS];
    int pipe[2]; /* closing its end [1] is the sign to stop */
    struct cf_fire_stop stop;
    pthread_t thread;
    bool started;
    struct cf_out saw;
    size_t connections;
    size_t open;
};

/* ---- ports -------------------------------------------------------------------------------- */

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t loopback(union address *address, bool v6, uint16_t port)
{
    memset(address, 0, sizeof *address);
    if (v6) {
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_addr = in6addr_loopback;
        address->v6.sin6_port = htons(port);
        return sizeof address->v6;
    }
    address->v4.sin_family = AF_INET;
    address->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address->v4.sin_port = htons(port);
    return sizeof address->v4;
}

static void close_fd(int fd)
{
    if (fd >= 0)
        close(fd);
}

enum { PORT_FIRST = 10000, PORTS = 22768, NAPS = 10000 };

/*
 * The next port to try.  The kernel's own choice looks long where thousands of connections of the
 * last minute still hold ports of its range; of those below it a process goes through each once.
 */
static uint16_t next_port(void)
{
    static atomic_uint taken;

    return (uint16_t)(PORT_FIRST + ((unsigned)getpid() * 97 + atomic_fetch_add(&taken, 1)) % PORTS);
}

static bool bind_next(int fd, bool v6, uint16_t *port)
{
    union address address;

    *port = next_port();
    return bind(fd, &address.any, loopback(&address, v6, *port)) == 0;
}

/* A free port of loopback; -1: errno.  A connection that is over holds its port for a minute: where
 * none is free, it waits for one. */
static int take_port(bool v6, uint16_t *port)
{
    const struct timespec nap = {.tv_nsec = 10000000};
    int fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    for (int tries = 0; fd >= 0 && tries < PORTS + NAPS; tries++) {
        if (bind_next(fd, v6, port))
            return fd;
        if (errno != EADDRINUSE)
            break;
        if (tries >= PORTS)
            nanosleep(&nap, NULL);
    }
    close_fd(fd);
    return -1;
}

/* So many connections that nobody takes that the kernel answers no more of them. */
static void fill(struct cf_fire_servers *servers, uint16_t port)
{
    union address address;
    socklen_t len = loopback(&address, false, port);

    for (size_t i = 0; i < FILLERS; i++) {
        servers->fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (servers->fillers[i] >= 0 && connect(servers->fillers[i], &address.any, len) != 0 &&
            errno != EINPROGRESS)
            return;
    }
}

static bool open_server(struct cf_fire_servers *servers, size_t k, uint16_t *port)
{
    const struct cf_fire_server *server = &servers->servers[k];
    int fd = take_port(server->v6, port);

    if (fd < 0)
        return false;
    if (server->listens == CF_FIRE_LISTENS)
        servers->listeners[k] = fd;
    else
        servers->taken[k] = fd;
    if (server->listens == CF_FIRE_NOBODY)
        return true;
    if (listen(fd, server->listens == CF_FIRE_FULL ? 0 : SOMAXCONN) != 0)
        return false;
    if (server->listens == CF_FIRE_FULL)
        fill(servers, *port);
    return true;
}

static void free_bench(struct cf_fire_servers *servers)
{
    for (size_t k = 0; k < CF_FIRE_SERVERS; k++) {
        close_fd(servers->listeners[k]);
        close_fd(servers->taken[k]);
    }
    for (size_t i = 0; i < FILLERS; i++)
        close_fd(servers->fillers[i]);
    close_fd(servers->pipe[0]);
    close_fd(servers->pipe[1]);
    cf_out_deinit(&servers->saw);
    free(servers);
}

static bool open_pipe(int fds[2])
{
    if (pipe(fds) != 0) {
        fds[0] = fds[1] = -1;
        return false;
    }
    fcntl(fds[0], F_SETFD, FD_CLOEXEC);
    fcntl(fds[1], F_SETFD, FD_CLOEXEC);
    return true;
}

struct cf_fire_servers *cf_fire_servers_new(const struct cf_fire *fire, struct cf_fire_names *names)
{
    struct cf_fire_servers *servers = calloc(1, sizeof *servers);
    bool fine;

    if (!servers)
        return NULL;
    memcpy(servers->servers, fire->servers, sizeof servers->servers);
    memset(servers->listeners, -1, sizeof servers->listeners);
    memset(servers->taken, -1, sizeof servers->taken);
    memset(servers->fillers, -1, sizeof servers->fillers);
    fine = open_pipe(servers->pipe);
    for (size_t k = 0; fine && k < CF_FIRE_SERVERS; k++)
        if (servers->servers[k].used)
            fine = open_server(servers, k, &names->ports[k]);
    if (fine)
        return servers;
    free_bench(servers);
    return NULL;
}

/* ---- filling in --------------------------------------------------------------------------- */

/* The bytes of `reply STATUS [NAME "VALUE"]... ["BODY"]`. */
static struct kp_text whole_reply(struct cf_arena *arena, const struct cf_word *words, size_t count)
{
    struct cf_out out = {0};
    struct kp_text body = KP_TEXT("");
    struct kp_text reply;
    size_t k = 1;

    cf_out_printf(&out, "HTTP/1.1 %.*s Reply\r\n", KP_ARG(words[0].text));
    for (; k + 1 < count && !words[k].quoted; k += 2)
        cf_out_printf(&out, "%.*s: %.*s\r\n", KP_ARG(words[k].text), (int)words[k + 1].text.len,
                      words[k + 1].text.bytes);
    if (k < count)
        body = words[k].text;
    cf_out_printf(&out, "Content-Length: %zu\r\n\r\n", body.len);
    cf_out_put(&out, body);
    reply = cf_arena_text(arena, cf_out_text(&out));
    cf_out_deinit(&out);
    return reply;
}

static struct cf_fire_step fill_step(struct cf_arena *arena, const struct cf_fire_names *names,
                                     const struct cf_fire_step *step, int slower)
{
    struct cf_fire_step filled = *step;
    struct cf_word *words = cf_arena_array(arena, step->word_count + 1, sizeof *words);

    for (size_t i = 0; words && i < step->word_count; i++)
        words[i] = (struct cf_word){cf_fire_expand(arena, names, step->words[i].text),
                                    step->words[i].quoted};
    if (words && step->what == CF_FIRE_REPLY) {
        words[0].text = whole_reply(arena, words, step->word_count);
        filled.word_count = 1;
        filled.what = CF_FIRE_SEND;
    }
    filled.words = words;
    filled.ns = step->ns * slower;
    return filled;
}

static bool fill_server(struct cf_fire_server *server, struct cf_arena *arena,
                        const struct cf_fire_names *names, int slower)
{
    struct cf_fire_turn *turns = cf_arena_array(arena, server->turn_count + 1, sizeof *turns);

    for (size_t t = 0; turns && t < server->turn_count; t++) {
        size_t count = server->turns[t].count;
        struct cf_fire_step *steps = cf_arena_array(arena, count + 1, sizeof *steps);

        for (size_t i = 0; steps && i < count; i++)
            steps[i] = fill_step(arena, names, &server->turns[t].steps[i], slower);
        turns[t] = (struct cf_fire_turn){steps, count};
    }
    server->turns = turns;
    return !arena->failed;
}

/* ---- one connection ----------------------------------------------------------------------- */

/* A connection under way. */
struct visit {
    struct cf_fire_link link;
    struct cf_out *saw;
    bool over;       /* nothing more is to be done with it but to wait for its end */
    bool reset;      /* we did */
    const char *end; /* "fin" or "reset", where it has come already */
};

/* The lines of a head, without the empty one. */
static void write_head(struct cf_out *saw, struct kp_text head)
{
    for (size_t i = 0; i < head.len; i++) {
        unsigned char c = (unsigned char)head.bytes[i];
        bool end = i + 1 < head.len && c == '\r' && head.bytes[i + 1] == '\n';

        if (end && i + 4 == head.len)
            cf_out_put_char(saw, '\n');
        if (end && i + 4 == head.len)
            return;
        if (end) {
            cf_out_put_char(saw, '\n');
            i++;
        } else if (c < 0x20 || c == 0x7f)
            cf_out_printf(saw, "\\x%02x", c);
        else
            cf_out_put_char(saw, (char)c);
    }
    if (head.len > 0)
        cf_out_put_char(saw, '\n');
}

/* Held: all of these bytes, or those up to the end of the head.  Returns: how many they are. */
static size_t hold_head(struct cf_out *held, struct kp_text bytes)
{
    size_t count = 0;

    while (count < bytes.len && !kp_text_ends(cf_out_text(held), "\r\n\r\n"))
        cf_out_put_char(held, bytes.bytes[count++]);
    return count;
}

/* Nothing behind the head is taken. */
static void await_request(struct visit *visit)
{
    struct cf_out held = {0};
    char bytes[4096];
    ssize_t got = 1;

    while (got > 0 && !kp_text_ends(cf_out_text(&held), "\r\n\r\n") && held.len < HEAD_BYTES_MAX) {
        got = cf_fire_link_peek(&visit->link, bytes, sizeof bytes);
        if (got > 0)
            got = cf_fire_link_read(&visit->link, bytes,
                                    hold_head(&held, (struct kp_text){bytes, (size_t)got}));
    }
    visit->over = !kp_text_ends(cf_out_text(&held), "\r\n\r\n");
    if (got == 0 || got == -1)
        visit->end = got == 0 ? "fin" : "reset";
    write_head(visit->saw, cf_out_text(&held));
    cf_out_deinit(&held);
}

static void await_bytes(struct visit *visit)
{
    char bytes[4096];

    visit->over = cf_fire_link_read(&visit->link, bytes, sizeof bytes) <= 0;
}

static void send_words(struct visit *visit, const struct cf_fire_step *step)
{
    for (size_t i = 0; i < step->word_count && !visit->over; i++)
        visit->over = !cf_fire_link_write(&visit->link, step->words[i].text);
}

static void drip(struct visit *visit, const struct cf_fire_step *step)
{
    for (size_t i = 0; i < step->word_count; i++)
        for (size_t k = 0; k < step->words[i].text.len && !visit->over; k++) {
            const struct kp_text byte = {step->words[i].text.bytes + k, 1};

            visit->over = !cf_fire_link_write(&visit->link, byte);
            cf_fire_link_wait(&visit->link, 0, (int)(step->ns / KP_NS_PER_MS));
        }
}

static void flood(struct visit *visit, const struct cf_fire_step *step)
{
    while (!visit->over)
        send_words(visit, step);
}

static void handshake(struct visit *visit, const struct cf_fire_step *step)
{
    struct cf_fire_tls_options options = {0};

    for (size_t i = 0; i < step->word_count; i++) {
        struct kp_text word = step->words[i].text;

        if (kp_text_equal(word, KP_TEXT("alpn")) && i + 1 < step->word_count)
            options.alpn = step->words[++i].text;
        else if (kp_text_equal(word, KP_TEXT("version")) && i + 1 < step->word_count)
            options.version = step->words[++i].text;
        else if (kp_text_equal(word, KP_TEXT("certificate")))
            options.requests_certificate = true;
    }
    visit->over = !cf_fire_link_tls(&visit->link, &options, visit->saw);
}

static void reset(struct visit *visit)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};

    setsockopt(visit->link.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    visit->over = visit->reset = true;
}

static void play_step(struct visit *visit, const struct cf_fire_step *step)
{
    switch (step->what) {
    case CF_FIRE_AWAIT_REQUEST:
        await_request(visit);
        break;
    case CF_FIRE_AWAIT_BYTES:
        await_bytes(visit);
        break;
    case CF_FIRE_TLS:
        handshake(visit, step);
        break;
    case CF_FIRE_REPLY:
    case CF_FIRE_SEND:
        send_words(visit, step);
        break;
    case CF_FIRE_DRIP:
        drip(visit, step);
        break;
    case CF_FIRE_FLOOD:
        flood(visit, step);
        break;
    case CF_FIRE_PAUSE:
        cf_fire_link_wait(&visit->link, 0, (int)(step->ns / KP_NS_PER_MS));
        break;
    case CF_FIRE_RENEGOTIATE:
        cf_fire_link_renegotiate(&visit->link);
        break;
    case CF_FIRE_RESET:
        reset(visit);
        break;
    case CF_FIRE_SHUT:
        cf_fire_link_shut(&visit->link);
        break;
    case CF_FIRE_CUT:
        shutdown(visit->link.fd, SHUT_WR);
        break;
    case CF_FIRE_HOLD:
    case CF_FIRE_H2:
        break; /* play_turn's */
    }
}

static void play_turn(struct visit *visit, const struct cf_fire_turn *turn)
{
    static const struct cf_fire_step await = {.what = CF_FIRE_AWAIT_REQUEST};
    size_t i = 0;

    for (; i < turn->count && !visit->over; i++) {
        if (turn->steps[i].what == CF_FIRE_HOLD)
            return;
        if (turn->steps[i].what == CF_FIRE_H2) {
            cf_fire_h2(&visit->link, turn->steps + i, turn->count - i, visit->saw);
            break;
        }
        play_step(visit, &turn->steps[i]);
    }
    if (turn->count == 0)
        play_step(visit, &await);
    if (!visit->reset)
        cf_fire_link_shut(&visit->link);
}

static void serve(struct cf_fire_servers *servers, size_t k, int fd)
{
    static const struct cf_fire_turn silent = {0};
    const struct cf_fire_server *server = &servers->servers[k];
    const struct cf_fire_turn *turn = &silent;
    struct visit visit = {.saw = &servers->saw,
                          .link = {.fd = fd,
                                   .stop = &servers->stop,
                                   .listeners = servers->listeners,
                                   .listener_count = CF_FIRE_SERVERS}};
    struct cf_out extra = {0};

    if (server->turn_count > 0)
        turn = &server->turns[servers->turn[k]];
    if (servers->turn[k] + 1 < server->turn_count)
        servers->turn[k]++;
    if (servers->connections++ > 0)
        cf_out_put_char(&servers->saw, '\n');
    play_turn(&visit, turn);
    if (!visit.reset && !visit.end)
        visit.end = cf_fire_link_await_close(&visit.link, &extra);
    write_head(&servers->saw, cf_out_text(&extra));
    if (visit.end && *visit.end)
        cf_out_printf(&servers->saw, "%s\n", visit.end);
    servers->open += visit.end && strcmp(visit.end, "open") == 0;
    cf_out_deinit(&extra);
    cf_fire_link_close(&visit.link);
}

/* ---- the thread --------------------------------------------------------------------------- */

/* The next connection; -1: there is none any more. */
static int await_connection(struct cf_fire_servers *servers, size_t *k)
{
    for (;;) {
        struct pollfd fds[] = {{.fd = servers->listeners[0], .events = POLLIN},
                               {.fd = servers->listeners[1], .events = POLLIN},
                               {.fd = servers->stop.fd, .events = POLLIN}};
        int fd;

        if (poll(fds, 3, -1) < 0)
            continue;
        for (*k = 0; *k < CF_FIRE_SERVERS; ++*k) {
            if (!fds[*k].revents)
                continue;
            fd = accept4(servers->listeners[*k], NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
            if (fd >= 0)
                return fd;
        }
        if (fds[2].revents && !fds[0].revents && !fds[1].revents)
            return -1;
    }
}

static void *run(void *ctx)
{
    struct cf_fire_servers *servers = ctx;
    size_t k;
    int fd;

    while ((fd = await_connection(servers, &k)) >= 0)
        serve(servers, k, fd);
    return NULL;
}

bool cf_fire_servers_start(struct cf_fire_servers *servers, struct cf_arena *arena,
                           const struct cf_fire_names *names, int slower)
{
    sigset_t all;
    sigset_t before;

    for (size_t k = 0; k < CF_FIRE_SERVERS; k++)
        if (!fill_server(&servers->servers[k], arena, names, slower))
            return false;
    servers->stop.fd = servers->pipe[0];
    /* Signals are others' business; SIGPIPE of a TLS connection dies with the thread. */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    errno = pthread_create(&servers->thread, NULL, run, servers);
    servers->started = errno == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return servers->started;
}

struct kp_text cf_fire_servers_end(struct cf_fire_servers *servers, struct cf_arena *arena,
                                   size_t *open)
{
    struct kp_text saw;

    *open = 0;
    if (!servers)
        return KP_TEXT_NONE;
    close(servers->pipe[1]);
    servers->pipe[1] = -1;
    if (servers->started)
        pthread_join(servers->thread, NULL);
    saw = cf_arena_text(arena, cf_out_text(&servers->saw));
    *open = servers->open;
    free_bench(servers);
    return saw;
}
