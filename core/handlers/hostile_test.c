/*
 * hostile_test.c: peers and commands that never end, lie and flood: each ends by its time with the
 * result that the rules say, in bounded memory, and nothing is left running.
 *
 * Each row is fired in a process of its own, so that what it takes can be told apart; all rows run
 * side by side.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "fakes/rig.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEMORY_KB_MAX 4096
/* Whether it ends by itself, or by its time: then that passes behind so many turns of the loop. */
enum { ENDS, HANGS };
#define TURNS 2000

enum kind { HTTP, GRPC, EXEC };

struct row {
    const char *name;
    enum kind kind;
    const char *version;
    struct kp_text first; /* what the peer says, or the shell's command */
    struct kp_text flood; /* what it says then, for ever; empty: it closes */
    enum kp_answer answer;
    size_t len; /* of the output; 0: it begins so: */
    const char *output;
    int hangs;
};

#define BYTES(literal)                                                                             \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }
#define OK_HEAD "HTTP/1.1 200 OK\r\n"
#define CHUNKED OK_HEAD "Transfer-Encoding: chunked\r\n\r\n"
#define FOUND "HTTP/1.1 302 Found\r\nLocation: /\r\n"
#define GIGABYTE "Content-Length: 1073741824\r\n\r\n"
#define GET_FAILS "Get \"http://127.0.0.1:"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
/* SETTINGS; the head of a reply to stream 1 without its end; the same with it and a content type.
 */
#define SETTINGS "\0\0\0\4\0\0\0\0\0"
#define OPEN_HEAD "\0\0\1\1\0\0\0\0\1\x88"
#define WHOLE_HEAD                                                                                 \
    "\0\0\x14\1\4\0\0\0\1\x88\x0f\x10\x10"                                                         \
    "application/grpc"
/* Deflate's fixed codes: a literal, then 258 times the byte before, eight of them in 13 bytes. */
#define GZIP "\x1f\x8b\x08\0\0\0\0\0\0\x03\xab\x18\x05"
#define GZIP_FLOOD "\xa3\x60\x14\x8c\x82\x51\x30\x0a\x46\xc1\x28\x18\x05"

/* clang-format off */
static const struct row rows[] = {
    {"a body of a gigabyte", HTTP, "1.36", BYTES(OK_HEAD GIGABYTE), BYTES(B64), KP_ANSWER_SUCCESS, 10240, NULL, ENDS},
    {"a body without end", HTTP, "1.36", BYTES(OK_HEAD "\r\n"), BYTES(B64), KP_ANSWER_SUCCESS, 10240, NULL, ENDS},
    {"a body without end, when there was no limit", HTTP, "1.15", BYTES(OK_HEAD "\r\n"), BYTES(B64), KP_ANSWER_SUCCESS, 16 << 20, NULL, ENDS},
    {"chunks of a byte without end", HTTP, "1.36", BYTES(CHUNKED), BYTES("1\r\nx\r\n"), KP_ANSWER_SUCCESS, 10240, NULL, ENDS},
    {"a chunk's extension without end", HTTP, "1.36", BYTES(CHUNKED "5;"), BYTES(B64), KP_ANSWER_BROKEN, 0, "", HANGS},
    {"a chunk's length without end", HTTP, "1.36", BYTES(CHUNKED), BYTES("0"), KP_ANSWER_BROKEN, 0, "", ENDS},
    {"trailers without end", HTTP, "1.36", BYTES(CHUNKED "0\r\n"), BYTES("X-A: " B64 "\r\n"), KP_ANSWER_BROKEN, 0, "", HANGS},
    {"gigabytes in few bytes", HTTP, "1.19", BYTES(OK_HEAD "Content-Encoding: gzip\r\n\r\n" GZIP), BYTES(GZIP_FLOOD), KP_ANSWER_SUCCESS, 10240, NULL, ENDS},
    {"headers without end", HTTP, "1.36", BYTES(OK_HEAD), BYTES("X-A: " B64 "\r\n"), KP_ANSWER_FAILURE, 0, GET_FAILS, HANGS},
    {"a header without end", HTTP, "1.36", BYTES(OK_HEAD "X-A: "), BYTES(B64), KP_ANSWER_FAILURE, 0, GET_FAILS, HANGS},
    {"a status line without end", HTTP, "1.36", BYTES("HTTP/1.1 200 "), BYTES(B64), KP_ANSWER_FAILURE, 0, GET_FAILS, HANGS},
    {"a digit of the status without end", HTTP, "1.36", BYTES("HTTP/1.1 "), BYTES("2222"), KP_ANSWER_FAILURE, 0, GET_FAILS, HANGS},
    {"no HTTP, and without end", HTTP, "1.36", BYTES(""), BYTES(B64), KP_ANSWER_FAILURE, 0, GET_FAILS, HANGS},
    {"zero bytes", HTTP, "1.36", BYTES(""), BYTES("\0\0\0\0\0\0\0\0"), KP_ANSWER_FAILURE, 0, GET_FAILS, HANGS},
    {"100 Continue without end", HTTP, "1.36", BYTES(""), BYTES("HTTP/1.1 100 Continue\r\n\r\n"), KP_ANSWER_FAILURE, 0, GET_FAILS, HANGS},
    {"an upgrade, and then anything", HTTP, "1.36", BYTES("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"), BYTES(B64),
     KP_ANSWER_FAILURE, 0, "HTTP probe failed with statuscode: 101", ENDS},
    {"a redirect to itself", HTTP, "1.36", BYTES(FOUND "Content-Length: 0\r\n\r\n"), BYTES(""), KP_ANSWER_FAILURE, 0, "Get \"/\": stopped after 10 redirects", ENDS},
    {"a redirect to itself with a gigabyte", HTTP, "1.36", BYTES(FOUND GIGABYTE), BYTES(B64), KP_ANSWER_FAILURE, 0, "Get \"/\": stopped after 10 redirects", ENDS},
    {"a redirect to itself with a body without end", HTTP, "1.36", BYTES(FOUND "\r\n"), BYTES(B64), KP_ANSWER_FAILURE, 0, "Get \"/\": stopped after 10 redirects", ENDS},
    {"SETTINGS without end", GRPC, "1.36", BYTES(""), BYTES(SETTINGS), KP_ANSWER_FAILURE, 0, "", HANGS},
    {"PING without end", GRPC, "1.36", BYTES(SETTINGS), BYTES("\0\0\x08\6\0\0\0\0\0pingping"), KP_ANSWER_FAILURE, 0, "timeout: health rpc did not complete within ", HANGS},
    {"CONTINUATION without end", GRPC, "1.36", BYTES(SETTINGS OPEN_HEAD), BYTES("\0\0\5\x09\0\0\0\0\1\0\1a\1b"), KP_ANSWER_FAILURE, 0, "", HANGS},
    {"empty CONTINUATION without end", GRPC, "1.36", BYTES(SETTINGS OPEN_HEAD), BYTES("\0\0\0\x09\0\0\0\0\1"), KP_ANSWER_FAILURE, 0, "", HANGS},
    {"DATA without end", GRPC, "1.36", BYTES(SETTINGS WHOLE_HEAD), BYTES("\0\0\x20\0\0\0\0\0\1" "\0\0\0\0\2\x08\1" "bbbbbbbbbbbbbbbbbbbbbbbbb"), KP_ANSWER_FAILURE, 0, "", HANGS},
    {"GOAWAY without end", GRPC, "1.36", BYTES(SETTINGS), BYTES("\0\0\x08\7\0\0\0\0\0\0\0\0\1\0\0\0\0"), KP_ANSWER_FAILURE, 0, "timeout: health rpc did not complete within ", HANGS},
    {"a GOAWAY of sixteen megabytes, and another", GRPC, "1.36", BYTES(SETTINGS "\xff\xff\xff\7\0\0\0\0\0\0\0\0\1"), BYTES(B64), KP_ANSWER_FAILURE, 0, "", HANGS},
    {"SETTINGS of sixteen megabytes", GRPC, "1.36", BYTES("\xff\xff\xff\4\0\0\0\0\0"), BYTES(B64), KP_ANSWER_FAILURE, 0, "", HANGS},
    {"a head of sixteen megabytes", GRPC, "1.36", BYTES(SETTINGS "\xff\xff\xff\1\4\0\0\0\1"), BYTES(B64), KP_ANSWER_FAILURE, 0, "", HANGS},
    {"RST_STREAM without end", GRPC, "1.36", BYTES(SETTINGS), BYTES("\0\0\4\3\0\0\0\0\1\0\0\0\x08"), KP_ANSWER_FAILURE, 0, "error: health rpc probe failed: rpc error: code = Canceled", ENDS},
    {"a whole reply without end", GRPC, "1.36", BYTES(SETTINGS), BYTES(RIG_H2_HEAD RIG_H2_SERVING RIG_H2_TRAILERS), KP_ANSWER_SUCCESS, 0, "service healthy", ENDS},
    {"no HTTP/2, and without end", GRPC, "1.36", BYTES(""), BYTES(B64), KP_ANSWER_FAILURE, 0, "", HANGS},
    {"a command that says yes without end", EXEC, "1.36", BYTES("yes"), BYTES(""), KP_ANSWER_TIMEOUT, 0, "rpc error", HANGS},
    {"a command that writes zero bytes without end, to both", EXEC, "1.36", BYTES("cat /dev/zero >&2 & cat /dev/zero"), BYTES(""), KP_ANSWER_TIMEOUT, 0, "rpc error", HANGS},
    {"a command that cannot be reported to end", EXEC, "1.36", BYTES("trap '' TERM INT HUP; yes & while :; do :; done"), BYTES(""), KP_ANSWER_TIMEOUT, 0, "rpc error", HANGS},
    {"a command that writes a megabyte and fails", EXEC, "1.36", BYTES("head -c 1000000 /dev/zero; exit 3"), BYTES(""), KP_ANSWER_FAILURE, 10240, NULL, ENDS},
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof rows[0] };

/* What a row's process says of itself; shared with the test. */
struct outcome {
    struct rig_result result;
    long memory_kb; /* at its highest, beyond what it began with */
    size_t left;    /* descriptors and children */
};

/* ---- the peer -------------------------------------------------------------------------------- */

static bool say(int fd, struct kp_text text)
{
    while (text.len > 0) {
        ssize_t sent = send(fd, text.bytes, text.len, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        text = (struct kp_text){text.bytes + sent, text.len - (size_t)sent};
    }
    return true;
}

/* Many of it at once: a peer that sends little at a time floods nobody. */
static struct kp_text repeated(struct kp_text text, char *bytes, size_t size)
{
    size_t len = 0;

    while (text.len > 0 && len + text.len <= size) {
        memcpy(bytes + len, text.bytes, text.len);
        len += text.len;
    }
    return (struct kp_text){bytes, len};
}

static void serve(const struct row *row, int listener)
{
    static char storage[65536];
    struct kp_text flood = repeated(row->flood, storage, sizeof storage);
    char request[4096];

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        int fd = accept(listener, NULL, NULL);

        if (fd >= 0 && recv(fd, request, sizeof request, 0) > 0 && say(fd, row->first))
            while (flood.len > 0 && say(fd, flood))
                ;
        close(fd);
    }
}

/* ---- the probe ------------------------------------------------------------------------------- */

static long memory_kb_now(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void fire(const struct row *row, int32_t port, struct outcome *outcome)
{
    struct kp_http_get_action get = {.port = {.number = port}, .scheme = KP_TEXT("HTTP")};
    struct kp_grpc_action grpc = {.port = port};
    struct kp_text words[] = {KP_TEXT("sh"), KP_TEXT("-c"), row->first};
    struct kp_exec_action exec = {{words, 3}};
    const struct kp_handler kinds[] = {
        [HTTP] = {.http_get = &get}, [GRPC] = {.grpc = &grpc}, [EXEC] = {.exec = &exec}};
    struct rusage usage;
    long before_kb;
    struct rig rig;

    rig_init(&rig, row->version, &kinds[row->kind]);
    rig_clock_set(RIG_CLOCK_STANDS);
    before_kb = memory_kb_now();
    rig_start(&rig);
    while (row->hangs && rig_clock_turns() < TURNS && kp_handlers_in_flight(rig.handlers) > 0)
        kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
    rig_clock_pass(row->hangs ? rig.attempt.timeout_ns : 0);
    rig_drain(&rig);
    kp_handlers_free(rig.handlers);
    getrusage(RUSAGE_SELF, &usage);
    outcome->result = rig.result;
    outcome->memory_kb = usage.ru_maxrss - before_kb;
    outcome->left = rig_count_entries("/proc/self/fd") - rig.open_before;
    outcome->left += waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD;
}

/* ---- what is said of it ---------------------------------------------------------------------- */

/* A process takes more under a sanitizer or valgrind, which say themselves what is wrong with it.
 */
static long memory_kb_max(const struct row *row)
{
#ifdef __SANITIZE_ADDRESS__
    return LONG_MAX;
#endif
    return rig_is_simulated() ? LONG_MAX : MEMORY_KB_MAX + (long)(3 * row->len / 1024);
}

static int64_t took_ns_max(const struct row *row)
{
    return row->hangs ? RIG_PATIENCE_NS + TURNS * KP_NS_PER_MS + KP_NS_PER_S : RIG_PATIENCE_NS / 2;
}

static void judge(const struct row *row, const struct outcome *outcome)
{
    bool fine = CHECK_INT(outcome->result.count, 1) &&
                CHECK_INT(outcome->result.answer, row->answer) &&
                CHECK(outcome->memory_kb <= memory_kb_max(row)) &&
                CHECK(outcome->result.took_ns <= took_ns_max(row)) && CHECK_INT(outcome->left, 0);

    if (row->len > 0)
        fine = CHECK_INT(outcome->result.len, row->len) && fine;
    else
        fine =
            CHECK(strncmp(outcome->result.output, row->output, strlen(row->output)) == 0) && fine;
    if (!fine)
        printf("  %s: %ld KB, %lld ms, %.200s\n", row->name, outcome->memory_kb,
               (long long)(outcome->result.took_ns / KP_NS_PER_MS), outcome->result.output);
}

/* Rows from `from` up to `to`, side by side. */
static void fire_rows(size_t from, size_t to, struct outcome *outcomes)
{
    pid_t servers[ROWS];
    pid_t clients[ROWS];

    for (size_t i = from; i < to; i++) {
        int32_t port;
        int listener = rig_listen(&port);

        servers[i] = fork();
        if (servers[i] == 0)
            serve(&rows[i], listener);
        close(listener);
        clients[i] = fork();
        if (clients[i] == 0) {
            fire(&rows[i], port, &outcomes[i]);
            _exit(0);
        }
    }
    for (size_t i = from; i < to; i++) {
        int status = -1;

        CHECK_INT(waitpid(clients[i], &status, 0), clients[i]);
        CHECK_INT(status, 0);
        kill(servers[i], SIGKILL);
        waitpid(servers[i], NULL, 0);
        judge(&rows[i], &outcomes[i]);
    }
}

static void whoever_is_fired_at_it_ends_in_time_and_in_little_memory(void)
{
    const size_t at_once = rig_is_simulated() ? 2 : ROWS;
    struct outcome *outcomes = mmap(NULL, ROWS * sizeof *outcomes, PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (!CHECK(outcomes != MAP_FAILED))
        return;
    for (size_t i = 0; i < ROWS; i += at_once)
        fire_rows(i, i + at_once < ROWS ? i + at_once : ROWS, outcomes);
    munmap(outcomes, ROWS * sizeof *outcomes);
}

const struct unit_test hostile_test[] = {
    {"whoever is fired at, it ends in time and in little memory",
     whoever_is_fired_at_it_ends_in_time_and_in_little_memory},
    {0},
};
