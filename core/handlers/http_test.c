/*
 * http_test.c: the very words of attempts that fail, where the table is content with their class:
 * what Go 1.26 says to such a peer.
 */
#include "fakes/rig.h"

#include <ctype.h>
#include <stdio.h>

#define BROKEN "net/http: HTTP/1.x transport connection broken: "
#define OK_HEAD "HTTP/1.1 200 OK\r\n"

struct row {
    const char *scheme;
    bool long_path; /* its request takes more than one write */
    const char *reply;
    enum rig_then then;
    enum kp_answer answer;
    int32_t code;
    const char *class_word;
    const char *words; /* behind `Get "<url>": ` of a failure; # stands for digits */
};

/* clang-format off */
static const struct row rows[] = {
    {"HTTP", false, OK_HEAD "Content-Length: 2\r\n\r\nok", RIG_CLOSES, KP_ANSWER_SUCCESS, 200, NULL, "ok"},
    {"HTTP", true, OK_HEAD "Content-Length: 2\r\n\r\nok", RIG_CLOSES, KP_ANSWER_SUCCESS, 200, NULL, "ok"},
    {"HTTP", false, "hello\r\n", RIG_CLOSES, KP_ANSWER_FAILURE, -1, "malformed", BROKEN "malformed HTTP response \"hello\""},
    {"HTTP", false, "hello", RIG_CLOSES, KP_ANSWER_FAILURE, -1, "malformed", BROKEN "malformed HTTP response \"hello\""},
    {"HTTP", false, "HTTP/", RIG_CLOSES, KP_ANSWER_FAILURE, -1, NULL, BROKEN "malformed HTTP response \"HTTP/\""},
    {"HTTP", false, "HTTP/1.1 20", RIG_CLOSES, KP_ANSWER_FAILURE, -1, NULL, BROKEN "malformed HTTP status code \"20\""},
    {"HTTP", false, "HTTP/1.1 2000 x\r\n\r\n", RIG_CLOSES, KP_ANSWER_FAILURE, -1, NULL, BROKEN "malformed HTTP status code \"2000\""},
    {"HTTP", true, "hello\r\n", RIG_CLOSES, KP_ANSWER_FAILURE, -1, "malformed", BROKEN "malformed HTTP response \"hello\""},
    {"HTTP", true, "hello\n", RIG_CLOSES, KP_ANSWER_FAILURE, -1, "malformed", BROKEN "malformed HTTP response \"hello\""},
    {"HTTP", true, "hello", RIG_CLOSES, KP_ANSWER_FAILURE, -1, "malformed", BROKEN "malformed HTTP response \"hello\""},
    {"HTTP", true, "\r\n\r\n", RIG_CLOSES, KP_ANSWER_FAILURE, -1, "malformed", BROKEN "malformed HTTP response \"\""},
    {"HTTP", false, "", RIG_CLOSES, KP_ANSWER_FAILURE, -1, "closed", "EOF"},
    {"HTTP", false, OK_HEAD "Content-Length: 9\r\n\r\nok", RIG_CLOSES, KP_ANSWER_BROKEN, 200, NULL, "unexpected EOF"},
    {"HTTP", false, OK_HEAD "Content-Length: 9\r\n\r\nok", RIG_RESETS, KP_ANSWER_BROKEN, 200, NULL, "read tcp 127.0.0.1:#->127.0.0.1:#: read: connection reset by peer"},
    {"HTTP", false, OK_HEAD "Transfer-Encoding: chunked\r\n\r\nzz\r\n", RIG_CLOSES, KP_ANSWER_BROKEN, 200, NULL, "invalid byte in chunk length"},
    {"HTTPS", false, "220 mail\r\n", RIG_CLOSES, KP_ANSWER_FAILURE, -1, NULL, "tls: first record does not look like a TLS handshake"},
    {"HTTPS", false, "\x15\x03\x01\x04\x02\x02\x28", RIG_CLOSES, KP_ANSWER_FAILURE, -1, "tls", "remote error: tls: handshake failure"},
    {"HTTPS", false, "HTTP/1.1 400 x\r\n\r\n", RIG_CLOSES, KP_ANSWER_FAILURE, -1, NULL, "http: server gave HTTP response to HTTPS client"},
    {"HTTPS", false, "HTTP/", RIG_CLOSES, KP_ANSWER_FAILURE, -1, NULL, "http: server gave HTTP response to HTTPS client"},
    {"HTTPS", false, "", RIG_CLOSES, KP_ANSWER_FAILURE, -1, NULL, "EOF"},
};
/* clang-format on */

static bool matches(const char *words, const char *got)
{
    for (; *words; words++) {
        if (*words != '#' && *words != *got++)
            return false;
        if (*words == '#' && !isdigit((unsigned char)*got))
            return false;
        while (*words == '#' && isdigit((unsigned char)*got))
            got++;
    }
    return *got == '\0';
}

/* Behind the URL, which may be long. */
static const char *behind_url(const struct rig_told *told)
{
    const char *at = told->answer == KP_ANSWER_FAILURE ? strstr(told->end, "\": ") : NULL;

    return at ? at + strlen("\": ") : told->end;
}

static void fire(const struct row *row)
{
    static char path[9000];
    struct kp_http_get_action get = {.scheme = kp_text_of(row->scheme),
                                     .port = {.kind = KP_INTSTR_INT}};
    int listener = rig_listen(&get.port.number);
    const struct kp_handler handler = {.http_get = &get};
    pid_t peer = rig_serve(listener, kp_text_of(row->reply), row->then);
    struct rig rig;
    bool fine;

    memset(path, 'a', sizeof path);
    get.path = row->long_path ? (struct kp_text){path, sizeof path} : KP_TEXT("/");
    rig_init(&rig, "1.36", &handler);
    rig.attempt.timeout_ns = rig_slower() * 20 * KP_NS_PER_S; /* each ends by itself */
    rig_start(&rig);
    rig_drain(&rig);
    rig_end(&rig);
    fine = CHECK_INT(rig.told.answer, row->answer) && CHECK_INT(rig.told.code, row->code);
    fine = CHECK_STRING(rig.told.class_word ? rig.told.class_word : "",
                        row->class_word ? row->class_word : "") &&
           fine;
    fine = CHECK(matches(row->words, behind_url(&rig.told))) && fine;
    if (!fine)
        printf("  %s, %s: %s\n", row->scheme, row->reply, rig.told.output);
    rig_end_peer(peer, listener);
}

static void what_fails_is_told_in_gos_words(void)
{
    setenv("http_proxy", "http://127.0.0.1:1", 1); /* which nobody asks */
    setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        fire(&rows[i]);
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
}

const struct unit_test http_test[] = {
    {"what fails is told in Go's words", what_fails_is_told_in_gos_words},
    {0},
};
