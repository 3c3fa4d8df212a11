/*
 * fire_test.c: layer fire: texts and their kinds, scripts and their faults, servers that do what
 * their scripts say.
 */
#define _GNU_SOURCE /* memmem */
#include "conformance/fire/fire.h"

#include "conformance/fire/fire_server.h"
#include "conformance/table/fire_text.h"
#include "fakes/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- texts -------------------------------------------------------------------------------- */

static const struct cf_fire_names names = {
    .ports = {40001, 40002},
    .dir = {"/tmp/x", 6},
    .timeout = {"300ms", 5},
    .version = {"1.36", 4},
};

static void placeholders_are_filled_in(void)
{
    static const char *const rows[][2] = {
        {"a:${PORT} b:${OTHER}", "a:40001 b:40002"},
        {"${DIR}/${TIMEOUT}/${VERSION}", "/tmp/x/300ms/1.36"},
        {"${ab*3}|${*3}|${a*}|${a*x}", "ababab|${*3}|${a*}|${a*x}"},
        {"${NOBODY} ${ $ $$ {}", "${NOBODY} ${ $ $$ {}"},
        {"${a*99999999}", "${a*99999999}"},
    };
    struct cf_arena arena = {.mem = cf_libc_mem()};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_TEXT(cf_fire_expand(&arena, &names, kp_text_of(rows[i][0])), kp_text_of(rows[i][1]));
    cf_arena_deinit(&arena);
}

static void what_differs_from_run_to_run_is_taken_out(void)
{
    static const char *const rows[][2] = {
        {"127.0.0.1:40001, 40002, 400011", "127.0.0.1:${PORT}, ${OTHER}, 400011"},
        {"read tcp 127.0.0.1:51234->127.0.0.1:40001: x",
         "read tcp 127.0.0.1:${CLIENT}->127.0.0.1:${PORT}: x"},
        {"/tmp/x/pid\n\x01", "${DIR}/pid\\n\\x01"},
    };
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct kp_text cut;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_TEXT(cf_fire_display(&arena, &names, kp_text_of(rows[i][0])), kp_text_of(rows[i][1]));
    cut = cf_fire_display(&arena, &names,
                          cf_fire_expand(&arena, &names, KP_TEXT("${\xc3\xa9*9999}")));
    CHECK(cut.len < 260);
    CHECK(memmem(cut.bytes, cut.len, "(19998 bytes, ", 14) != NULL);
    cf_arena_deinit(&arena);
}

static void each_text_is_of_its_class(void)
{
    static const char *const rows[][2] = {
        {"context deadline exceeded (Client.Timeout exceeded while awaiting headers)", "timeout"},
        {"dial tcp 1.2.3.4:80: i/o timeout", "timeout"},
        {"EOF", "closed"},
        {"read tcp A->B: read: connection reset by peer", "closed"},
        {"net/http: HTTP/1.x transport connection broken: malformed HTTP response \"x\"",
         "malformed"},
        {"net/http: HTTP/1.x transport connection broken: read tcp A->B: read: connection reset by "
         "peer",
         "closed"},
        {"unexpected EOF", "truncated"},
        {"malformed chunked encoding", "truncated"},
        {"tls: first record does not look like a TLS handshake", "tls"},
        {"http: server gave HTTP response to HTTPS client", "plain-on-tls"},
        {"stream error: stream ID 1; INTERNAL_ERROR; received from peer", "h2-stream"},
        {"parse \"http://[[::1]]:80/\": invalid IP-literal", "bad-url"},
        {"dial tcp: address [:80: missing ']' in address", "bad-address"},
        {"dial tcp: lookup nowhere: no such host", "dns"},
        {"dial tcp A: connect: network is unreachable", "dial"},
        {"fork/exec /x: permission denied", "exec"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_INT(cf_fire_class_of(kp_text_of(rows[i][0])),
                  cf_find_word(&cf_fire_class_words, kp_text_of(rows[i][1])));
    CHECK_INT(cf_fire_class_of(KP_TEXT("HTTP probe failed with statuscode: 500")), -1);
    CHECK_INT(cf_find_word(&cf_fire_class_words, KP_TEXT("nonsense")), CF_NO_WORD);
}

static void endings_stand_for_words_of_their_class(void)
{
    static const struct {
        const char *wanted;
        const char *got;
        const char *said; /* by the implementation */
        bool fits;
    } rows[] = {
        {"Get \"u\": <closed>", "Get \"u\": EOF", "", true},
        {"Get \"u\": <closed>", "Get \"v\": EOF", "", false},
        {"Get \"u\": <closed>", "Get \"u\": i/o timeout", "", false},
        {"Get \"u\": <closed|timeout>", "Get \"u\": i/o timeout", "", true},
        {"Get \"u\": <tls>", "Get \"u\": curl does not know", "tls", true},
        {"Get \"u\": <tls>", "Get \"u\": tls: x", "closed", false},
        {"code = Internal desc = <grpc>", "code = Internal desc = what ever", "", true},
        {"code = Internal desc = <grpc>", "code = Unknown desc = what ever", "", false},
        {"no handler for <any>", "no handler for p_ns(u)", "", true},
        {"no handler for <any>", "none", "", false},
        {"<html>", "<html>", "", true},
        {"<html>", "<body>", "", false},
        {"plain", "plain", "tls", true},
        {"plain", "other", "", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!CHECK_INT(cf_fire_fits(kp_text_of(rows[i].wanted), kp_text_of(rows[i].got),
                                    cf_find_word(&cf_fire_class_words, kp_text_of(rows[i].said))),
                       rows[i].fits))
            printf("  %s | %s\n", rows[i].wanted, rows[i].got);
    CHECK(cf_fire_line_fits(KP_TEXT("grpc-timeout: *"), KP_TEXT("grpc-timeout: 99u")));
    CHECK(!cf_fire_line_fits(KP_TEXT("grpc-timeout: *"), KP_TEXT("grpc")));
    CHECK(!cf_fire_line_fits(KP_TEXT("a"), KP_TEXT("a*")));
}

/* ---- scripts ------------------------------------------------------------------------------ */

#define ATTEMPT                                                                                    \
    "about: x\ncases:\n  - id: a\n    why: because\n    rules: [P-105]\n    layer: fire\n"         \
    "    probe: {httpGet: {}}\n    result: success\n"

/* The first fault of an attempt with such lines more. */
static void expect_fault(const char *lines, const char *place_and_message)
{
    char text[2048];
    char got[512] = "";
    struct cf_suite suite = {.arena.mem = cf_libc_mem()};

    snprintf(text, sizeof text, ATTEMPT "%s", lines);
    if (cf_suite_add(&suite, "f.yaml", kp_text_of(text)) != KP_OK && suite.fault_count > 0)
        snprintf(got, sizeof got, "%d:%d: %.*s", suite.faults[0].at.line, suite.faults[0].at.column,
                 KP_ARG(suite.faults[0].message));
    CHECK_STRING(got, place_and_message);
    cf_suite_deinit(&suite);
}

static void each_fault_of_an_attempt_has_its_place(void)
{
    static const char *const rows[][2] = {
        {"    output: x\n    error: z\n",
         "3:5: layer fire: wanted output or error, and only one of them"},
        {"    output: x\n    server: dance\n",
         "10:13: wanted await, tls, reply, send, drip, flood, pause, renegotiate, shut, reset, "
         "hold, h2 or "
         "next"},
        {"    output: x\n    server: reply 20\n",
         "10:13: wanted: reply STATUS [NAME \"VALUE\"]... [\"BODY\"]"},
        {"    output: x\n    server: reply 200 bare\n",
         "10:13: wanted: reply STATUS [NAME \"VALUE\"]... [\"BODY\"]"},
        {"    output: x\n    server: |\n      tls\n      send bare\n",
         "12:7: wanted: send \"BYTES\"..."},
        {"    output: x\n    server: h2 message bare\n",
         "10:13: wanted: h2 reply|headers STATUS ..., part|stall STATUS \"BODY\" ..., serving N, "
         "message [NAME \"VALUE\"]... \"BYTES\" [NAME \"VALUE\"]..., status N \"TEXT\", reset N, "
         "goaway N N or hold"},
        {"    output: x\n    server: h2 message \"x\" grpc-status\n",
         "10:13: wanted: h2 reply|headers STATUS ..., part|stall STATUS \"BODY\" ..., serving N, "
         "message [NAME \"VALUE\"]... \"BYTES\" [NAME \"VALUE\"]..., status N \"TEXT\", reset N, "
         "goaway N N or hold"},
        {"    output: x\n    server: tls version 1.3\n",
         "10:13: wanted: tls [alpn PROTOCOL|-] [version 1.1|1.2] [certificate]"},
        {"    output: x\n    server: await nobody\n",
         "10:13: wanted: await request, bytes or nothing"},
        {"    output: x\n    server: await nothing more\n",
         "10:13: wanted: await request, bytes or nothing"},
        {"    output: x\n    server: next reply 200\n",
         "10:13: wanted: next, and the turn's steps on lines of their own"},
        {"    output: x\n    server: listen closely\n",
         "10:13: wanted: listen nobody, full or ::1"},
        {"    output: x\n    server: pause x\n", "10:19: wanted a duration such as 10s, found 'x'"},
        {"    output: x\n    env: {A: b}\n",
         "10:10: env: wanted a list such as [{name: web, ...}]"},
        {"    output: x\n    ports: [80]\n",
         "10:12: ports: wanted a list such as [{name: web, ...}]"},
        {"    output: x\n    gone: pid\n", "10:11: gone: wanted a list, found a string"},
        {"    output: x\n    other: 5\n",
         "10:12: other: wanted a text, found a number: put it in quotes"},
        {"    output: x\n    timeout: 2m\n", "10:14: timeout: wanted 1ms to 1m"},
        {"    output: x\n    trace: x\n",
         "10:5: key 'trace' has no meaning in an attempt of layer fire"},
        {"    output: 1\n", "9:13: output: wanted a text, found a number: put it in quotes"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_fault(rows[i][0], rows[i][1]);
    expect_fault("    output: x\n", "");
}

static void more_fields_than_there_is_room_for_are_refused(void)
{
    static const char reply[] = "10:13: wanted: reply STATUS [NAME \"VALUE\"]... [\"BODY\"]";
    static const char h2[] =
        "10:13: wanted: h2 reply|headers STATUS ..., part|stall STATUS \"BODY\" ..., serving N, "
        "message [NAME \"VALUE\"]... \"BYTES\" [NAME \"VALUE\"]..., status N \"TEXT\", reset N, "
        "goaway N N or hold";
    static const struct {
        const char *before; /* the pairs */
        const char *behind;
        const char *refused;
    } rows[] = {{"reply 200", " \"b\"", reply},
                {"h2 reply 200", " \"b\"", h2},
                {"h2 headers 200", "", h2},
                {"h2 message", " \"b\"", h2},
                {"h2 message \"b\"", "", h2}};
    static const char pair[] = " n \"v\"";
    char pairs[(CF_FIRE_FIELDS_MAX + 1) * (sizeof pair - 1) + 1] = "";
    char lines[1024];

    for (int i = 0; i <= CF_FIRE_FIELDS_MAX; i++)
        strcat(pairs, pair);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t over = 0; over < 2; over++) {
            snprintf(lines, sizeof lines, "    output: x\n    server: %s%s%s\n", rows[i].before,
                     pairs + (1 - over) * (sizeof pair - 1), rows[i].behind);
            expect_fault(lines, over ? rows[i].refused : "");
        }
}

/* ---- servers ------------------------------------------------------------------------------ */

/* A server by itself, and a client of bare sockets. */
struct rig {
    struct cf_suite suite;
    struct cf_arena arena;
    struct cf_fire_names names;
    struct cf_fire_servers *servers;
};

static bool begin(struct rig *rig, const char *script)
{
    char text[1024];

    *rig = (struct rig){.names = {.timeout = KP_TEXT("1s")}};
    snprintf(text, sizeof text, ATTEMPT "    output: x\n    server: |\n%s", script);
    rig->suite = (struct cf_suite){.arena.mem = cf_libc_mem()};
    rig->arena = (struct cf_arena){.mem = cf_libc_mem()};
    if (!CHECK_INT(cf_suite_add(&rig->suite, "f.yaml", kp_text_of(text)), KP_OK))
        return false;
    rig->servers = cf_fire_servers_new(rig->suite.cases[0].fire, &rig->names);
    return CHECK(rig->servers) &&
           CHECK(cf_fire_servers_start(rig->servers, &rig->arena, &rig->names, 1));
}

static size_t end(struct rig *rig, const char *saw)
{
    size_t open;

    CHECK_TEXT(cf_fire_servers_end(rig->servers, &rig->arena, &open), kp_text_of(saw));
    cf_arena_deinit(&rig->arena);
    cf_suite_deinit(&rig->suite);
    return open;
}

/* -1: errno says why. */
static int dial(const struct rig *rig, int flags)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(rig->names.ports[0])};
    int fd = socket(AF_INET, SOCK_STREAM | flags, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Say something and read to the end; the number of bytes, or -errno. */
static ssize_t exchange(const struct rig *rig, const char *request, char *reply, size_t size)
{
    int fd = dial(rig, 0);
    size_t len = 0;
    ssize_t got = 1;

    if (fd < 0)
        return -errno;
    CHECK_INT(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
    while (got > 0 && len < size - 1) {
        got = recv(fd, reply + len, size - 1 - len, 0);
        len += got > 0 ? (size_t)got : 0;
    }
    reply[len] = '\0';
    close(fd);
    return got < 0 ? -errno : (ssize_t)len;
}

static void a_server_replies_and_notes_what_arrives(void)
{
    struct rig rig;
    char reply[512];

    if (begin(&rig, "      reply 302 Location \"http://x:${PORT}/\" \"bo\\x64y\"\n      next\n"
                    "      drip 1ms \"slow\"\n")) {
        char wanted[512];

        exchange(&rig, "GET /a HTTP/1.1\r\nX: y\r\n\r\n", reply, sizeof reply);
        snprintf(wanted, sizeof wanted,
                 "HTTP/1.1 302 Reply\r\nLocation: http://x:%u/\r\nContent-Length: 4\r\n\r\nbody",
                 rig.names.ports[0]);
        CHECK_STRING(reply, wanted);
        exchange(&rig, "GET /b HTTP/1.1\r\n\r\n", reply, sizeof reply);
        CHECK_STRING(reply, "slow");
        exchange(&rig, "GET /c\t HTTP/1.1\r\n\r\n", reply, sizeof reply);
        CHECK_STRING(reply, "slow");
    }
    CHECK_INT(end(&rig, "GET /a HTTP/1.1\nX: y\nfin\n\nGET /b HTTP/1.1\nfin\n\n"
                        "GET /c\\x09 HTTP/1.1\nfin\n"),
              0);
}

static void a_server_resets(void)
{
    struct rig rig;
    char reply[64];

    if (begin(&rig, "      reset\n"))
        CHECK_INT(exchange(&rig, "GET / HTTP/1.1\r\n\r\n", reply, sizeof reply), -ECONNRESET);
    CHECK_INT(end(&rig, "GET / HTTP/1.1\n"), 0);
}

static void nobody_listens(void)
{
    struct rig rig;
    char reply[64];

    if (begin(&rig, "      listen nobody\n"))
        CHECK_INT(exchange(&rig, "", reply, sizeof reply), -ECONNREFUSED);
    CHECK_INT(end(&rig, ""), 0);
}

static void a_full_backlog_answers_nobody(void)
{
    struct rig rig;

    if (begin(&rig, "      listen full\n")) {
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(rig.names.ports[0])};
        struct pollfd fd = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0),
                            .events = POLLOUT};

        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        CHECK_INT(connect(fd.fd, (struct sockaddr *)&to, sizeof to), -1);
        CHECK_INT(errno, EINPROGRESS);
        CHECK_INT(poll(&fd, 1, 150), 0);
        close(fd.fd);
    }
    CHECK_INT(end(&rig, ""), 0);
}

static void a_connection_that_is_left_open_is_noticed(void)
{
    struct rig rig;
    int fd = -1;

    if (begin(&rig, "      hold\n"))
        fd = dial(&rig, 0);
    CHECK(fd >= 0);
    CHECK_INT(end(&rig, "open\n"), 1);
    close(fd);
}

static void a_client_that_closes_is_noticed_after_the_end_was_called(void)
{
    struct rig rig;

    if (begin(&rig, "      await request\n"))
        for (int i = 0; i < 3; i++)
            close(dial(&rig, 0));
    CHECK_INT(end(&rig, "fin\n\nfin\n\nfin\n"), 0);
}

static void a_header_s_name_may_be_in_small_letters(void)
{
    CHECK(cf_fire_header_fits(KP_TEXT("X-Custom: a"), KP_TEXT("x-cUSTOM: a")));
    CHECK(!cf_fire_header_fits(KP_TEXT("X-Custom: a"), KP_TEXT("X-Custom: A")));
    CHECK(!cf_fire_header_fits(KP_TEXT("X-Custom: a"), KP_TEXT("X-Custom")));
    CHECK(!cf_fire_header_fits(KP_TEXT("X-Custom: a"), KP_TEXT("X-Customs: a")));
    CHECK(cf_fire_header_fits(KP_TEXT(":path: /a*"), KP_TEXT(":path: /ab")));
    CHECK(!cf_fire_header_fits(KP_TEXT("GET / HTTP/1.1"), KP_TEXT("get / HTTP/1.1")));
}

const struct unit_test fire_test[] = {
    {"a header's name may be in small letters", a_header_s_name_may_be_in_small_letters},
    {"placeholders are filled in", placeholders_are_filled_in},
    {"what differs from run to run is taken out", what_differs_from_run_to_run_is_taken_out},
    {"each text is of its class", each_text_is_of_its_class},
    {"endings stand for words of their class", endings_stand_for_words_of_their_class},
    {"each fault of an attempt has its place", each_fault_of_an_attempt_has_its_place},
    {"more fields than there is room for are refused",
     more_fields_than_there_is_room_for_are_refused},
    {"a server replies and notes what arrives", a_server_replies_and_notes_what_arrives},
    {"a server resets", a_server_resets},
    {"nobody listens", nobody_listens},
    {"a full backlog answers nobody", a_full_backlog_answers_nobody},
    {"a connection that is left open is noticed", a_connection_that_is_left_open_is_noticed},
    {"a client that closes is noticed after the end was called",
     a_client_that_closes_is_noticed_after_the_end_was_called},
    {0},
};
