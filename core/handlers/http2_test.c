/* http2_test.c: what goes over a connection of HTTP/2 whose other side reads late, and what of it
 * is shown. */
#include "fakes/faults.h"

#define SETTINGS RIG_H2_SETTINGS
/* Room for all: SETTINGS_INITIAL_WINDOW_SIZE, and WINDOW_UPDATE for the connection. */
#define WIDE_SETTINGS "\0\0\6\4\0\0\0\0\0\0\4\x7f\0\0\0\0\0\4\x08\0\0\0\0\0\x7f\0\0\0"
#define PING "\0\0\x08\6\0\0\0\0\0pingpong"
#define BYTES(literal) ((struct kp_text){literal, sizeof(literal) - 1})

enum { PREFACE = 24, FRAME_HEAD = 9, MANY = 200000, TAKEN = 50000 };
enum { DATA = 0, HEADERS = 1, SETTINGS_TYPE = 4, PING_TYPE = 6, CONTINUATION = 9, TYPES = 10 };

/* ---- both sides ------------------------------------------------------------------------------ */

static void step(struct rig *rig, int times)
{
    for (int i = 0; i < times; i++)
        kp_handlers_step(rig->handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
}

static void say(int fd, struct kp_text text)
{
    CHECK_INT(write(fd, text.bytes, text.len), text.len);
}

struct heard {
    size_t bytes[TYPES]; /* of the frames of a type */
    bool odd;            /* a frame of another type, or DATA that was not requested */
    bool ended;          /* the answer to PING, which is the last frame */
};

/* All frames that are whole. */
static void read_frames(const unsigned char *bytes, size_t len, struct heard *heard)
{
    *heard = (struct heard){0};
    for (size_t at = PREFACE; at + FRAME_HEAD <= len;) {
        size_t size = (size_t)bytes[at] << 16 | (size_t)bytes[at + 1] << 8 | bytes[at + 2];
        unsigned type = bytes[at + 3];
        const unsigned char *payload = bytes + at + FRAME_HEAD;

        at += FRAME_HEAD + size;
        if (at > len)
            return;
        heard->odd |= type >= TYPES || heard->ended;
        if (type >= TYPES)
            return;
        for (size_t i = 16; type == DATA && i < size; i++)
            heard->odd |= payload[i] != 'x';
        heard->bytes[type] += size;
        heard->ended = type == PING_TYPE && at == len;
    }
}

/* The peer lets all come, and the kernel does not; then the peer asks for an answer, too. */
static void hear(struct rig *rig, int listener, struct heard *heard)
{
    static unsigned char bytes[2 * MANY];
    size_t len = 0;
    int fd;

    faults.send_room = TAKEN;
    faults.send_is_limited = true;
    rig_start(rig);
    fd = rig_accept(rig, listener);
    say(fd, BYTES(WIDE_SETTINGS));
    step(rig, 20);
    CHECK_INT(faults.send_room, 0);
    say(fd, BYTES(PING));
    step(rig, 20);
    faults.send_is_limited = false;
    *heard = (struct heard){0};
    for (int idle = 0; idle < 100 && !heard->ended; idle++) {
        ssize_t got = recv(fd, bytes + len, sizeof bytes - len, MSG_DONTWAIT);

        if (got > 0) {
            len += (size_t)got;
            idle = 0;
        }
        step(rig, 1);
        if (got <= 0)
            read_frames(bytes, len, heard);
    }
    CHECK(!heard->odd);
    CHECK(heard->ended);
    CHECK_INT(heard->bytes[SETTINGS_TYPE], 6); /* ENABLE_PUSH alone */
    close(fd);
}

static struct kp_text many(void)
{
    static char bytes[MANY];

    memset(bytes, 'x', sizeof bytes);
    return (struct kp_text){bytes, sizeof bytes};
}

static void a_call_goes_on_when_there_is_room(void)
{
    struct kp_grpc_action grpc = {.service = many()};
    int listener = rig_listen(&grpc.port);
    struct heard heard;
    struct rig rig;

    rig_init(&rig, "1.37", &(struct kp_handler){.grpc = &grpc});
    hear(&rig, listener, &heard);
    CHECK_INT(heard.bytes[DATA], 5 + 1 + 3 + MANY); /* prefix, tag and length of the message */
    rig_end(&rig);
    close(listener);
}

static void init_h2c(struct rig *rig, const struct kp_http_get_action *get)
{
    rig_init(rig, "1.37", &(struct kp_handler){.http_get = get});
    rig->profile.gates[KP_GATE_H2CContainerProbe] = true;
}

static void a_request_goes_on_when_there_is_room(void)
{
    const struct kp_http_header header = {KP_TEXT("X-A"), many()};
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT},
                                     .protocol = KP_TEXT("HTTP2"),
                                     .headers = &header,
                                     .header_count = 1};
    int listener = rig_listen(&get.port.number);
    struct heard heard;
    struct rig rig;

    init_h2c(&rig, &get);
    hear(&rig, listener, &heard);
    /* A letter x has seven bits. */
    CHECK(heard.bytes[HEADERS] + heard.bytes[CONTINUATION] > MANY / 8 * 7);
    rig_end(&rig);
    close(listener);
}

/* Not even the greeting, behind which a call waits. */
static void a_greeting_that_could_not_be_sent_goes_later(void)
{
    struct kp_grpc_action grpc = {0};
    int listener = rig_listen(&grpc.port);
    char bytes[256];
    struct rig rig;
    int fd;

    rig_init(&rig, "1.37", &(struct kp_handler){.grpc = &grpc});
    faults.send_room = 0;
    faults.send_is_limited = true;
    rig_start(&rig);
    fd = rig_accept(&rig, listener);
    step(&rig, 3);
    faults.send_is_limited = false;
    step(&rig, 3);
    CHECK_INT(recv(fd, bytes, sizeof bytes, MSG_DONTWAIT), PREFACE + FRAME_HEAD + 6);
    say(fd, BYTES(SETTINGS));
    step(&rig, 3);
    CHECK(recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0);
    say(fd, BYTES(RIG_H2_HEAD RIG_H2_SERVING RIG_H2_TRAILERS));
    rig_drain(&rig);
    CHECK_STRING(rig.result.output, "service healthy");
    close(fd);
    rig_end(&rig);
    close(listener);
}

/* ---- what is shown --------------------------------------------------------------------------- */

struct shown {
    struct rig_result result; /* first: rig_note's */
    char sent[512];
    char received[512];
};

static void note_wire(void *ctx, enum kp_wire direction, struct kp_text bytes)
{
    struct shown *shown = ctx;
    char *text = direction == KP_WIRE_SENT ? shown->sent : shown->received;
    size_t len = strlen(text);

    CHECK(bytes.len > 0);
    for (size_t i = 0; i < bytes.len && len < sizeof shown->sent - 1; i++)
        text[len++] = bytes.bytes[i] == '\0' ? '0' : bytes.bytes[i];
}

static void show(struct rig *rig, int listener, struct kp_text reply, struct shown *shown)
{
    char request[4096];
    int fd;

    *shown = (struct shown){0};
    rig->attempt.wire = note_wire;
    rig->attempt.ctx = shown;
    rig_start(rig);
    fd = rig_accept(rig, listener);
    say(fd, BYTES(SETTINGS));
    step(rig, 3);
    CHECK(recv(fd, request, sizeof request, MSG_DONTWAIT) > 0);
    say(fd, reply);
    rig_drain(rig);
    close(fd);
    rig_end(rig);
    close(listener);
}

/* Heads as those of HTTP/1 look, and bodies. */
static void what_passes_is_shown(void)
{
    const struct kp_http_header cookie = {KP_TEXT("Cookie"),
                                          {"a;  b", 2}}; /* of the text its head */
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT},
                                     .protocol = KP_TEXT("HTTP2"),
                                     .headers = &cookie,
                                     .header_count = 1};
    struct kp_grpc_action grpc = {.service = KP_TEXT("me")};
    int listener = rig_listen(&get.port.number);
    char sent[512];
    struct shown shown;
    struct rig rig;

    init_h2c(&rig, &get);
    show(&rig, listener,
         BYTES("\0\0\1\1\4\0\0\0\1\x88\0\0\1\0\0\0\0\0\1x\0\0\5\1\5\0\0\0\1\0\1a\1b"), &shown);
    snprintf(sent, sizeof sent,
             ":authority: 127.0.0.1:%d\r\n:method: GET\r\n:path: /\r\n:scheme: http\r\n"
             "user-agent: kube-probe/1.37\r\naccept: */*\r\ncookie: a\r\n\r\n",
             (int)get.port.number);
    CHECK_STRING(shown.sent, sent);
    CHECK_STRING(shown.received, ":status: 200\r\n\r\nxa: b\r\n\r\n");

    listener = rig_listen(&grpc.port);
    rig_init(&rig, "1.37", &(struct kp_handler){.grpc = &grpc});
    show(&rig, listener, BYTES(RIG_H2_HEAD RIG_H2_SERVING RIG_H2_TRAILERS), &shown);
    CHECK(strncmp(shown.sent, ":method: POST\r\n", 15) == 0);
    CHECK(strstr(shown.sent, "\r\n\r\n0000\4\n\2me") != NULL);
    CHECK_STRING(shown.received, ":status: 200\r\ncontent-type: application/grpc\r\n\r\n"
                                 "0000\2\x08\1grpc-status: 0\r\n\r\n");
}

/* An informational head has no status that is reported. */
static void a_status_is_that_of_a_reply(void)
{
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}, .protocol = KP_TEXT("HTTP2")};
    int listener = rig_listen(&get.port.number);
    struct rig rig;
    int fd;

    init_h2c(&rig, &get);
    rig_start(&rig);
    fd = rig_accept(&rig, listener);
    say(fd, BYTES(SETTINGS "\0\0\5\1\4\0\0\0\1\x48\3"
                           "103\0\0\4\3\0\0\0\0\1\0\0\0\2"));
    rig_drain(&rig);
    CHECK_INT(rig.result.answer, KP_ANSWER_FAILURE);
    CHECK_INT(rig.result.code, -1);
    close(fd);
    rig_end(&rig);
    close(listener);
}

const struct unit_test http2_test[] = {
    {"a call goes on when there is room", a_call_goes_on_when_there_is_room},
    {"a request goes on when there is room", a_request_goes_on_when_there_is_room},
    {"a greeting that could not be sent goes later", a_greeting_that_could_not_be_sent_goes_later},
    {"what passes is shown", what_passes_is_shown},
    {"a status is that of a reply", a_status_is_that_of_a_reply},
    {0},
};
