#include "h2_frames.h"

#include "fakes/rig.h"

#include <stdio.h>

#define SETTINGS RIG_H2_SETTINGS
#define HEAD RIG_H2_HEAD
#define TRAILERS RIG_H2_TRAILERS
#define GOAWAY(last) "\0\0\x08\7\0\0\0\0\0" last "\0\0\0\0"
#define SHORT_GOAWAY "\0\0\4\7\0\0\0\0\0\0\0\0\0"
#define RESET(stream, code) "\0\0\4\3\0\0\0\0" stream "\0\0\0" code
#define SHORT_RESET "\0\0\3\3\0\0\0\0\1\0\0\7"
#define PING "\0\0\x08\6\0\0\0\0\0pingping"
#define LAST_DATA "\0\0\2\0\1\0\0\0\1ok"

/* What is said of it, a letter each. */
enum { SPEAKS = 1, OTHER = 2, CLOSED = 4, WAS_RESET = 8, REFUSED = 16 };

struct row {
    struct kp_text bytes;
    struct kp_text passed;
    int said;
};

#define BYTES(literal)                                                                             \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }

/* clang-format off */
static const struct row rows[] = {
    {BYTES(""), BYTES(""), 0},
    {BYTES("\0\0\0\4\0\0\0\0"), BYTES(""), 0},
    {BYTES("\0\0\6\4\0\0\0\0\0abcde"), BYTES("\0\0\6\4\0\0\0\0\0abcde"), 0},
    {BYTES(SETTINGS), BYTES(SETTINGS), SPEAKS},
    {BYTES(SETTINGS HEAD RIG_H2_SERVING), BYTES(SETTINGS HEAD RIG_H2_SERVING), SPEAKS},
    {BYTES(SETTINGS HEAD RIG_H2_SERVING TRAILERS), BYTES(SETTINGS HEAD RIG_H2_SERVING TRAILERS), SPEAKS | CLOSED},
    {BYTES(SETTINGS HEAD RIG_H2_SERVING TRAILERS PING "x"), BYTES(SETTINGS HEAD RIG_H2_SERVING TRAILERS), SPEAKS | CLOSED},
    {BYTES(SETTINGS LAST_DATA), BYTES(SETTINGS LAST_DATA), SPEAKS | CLOSED},
    {BYTES(SETTINGS "\0\0\2\0\1\0\0\0\1o"), BYTES(SETTINGS "\0\0\2\0\1\0\0\0\1o"), SPEAKS},
    /* A stream that is not ours, an ACK, whose flag is the same bit, and the bit of a stream's number that counts nothing. */
    {BYTES(SETTINGS "\0\0\0\0\1\0\0\0\3\0\0\0\4\1\0\0\0\0"), BYTES(SETTINGS "\0\0\0\0\1\0\0\0\3\0\0\0\4\1\0\0\0\0"), SPEAKS},
    {BYTES(SETTINGS "\0\0\0\0\1\x80\0\0\1"), BYTES(SETTINGS "\0\0\0\0\1\x80\0\0\1"), SPEAKS | CLOSED},
    /* A head that goes on. */
    {BYTES(SETTINGS "\0\0\1\1\1\0\0\0\1\x88"), BYTES(SETTINGS "\0\0\1\1\1\0\0\0\1\x88"), SPEAKS},
    {BYTES(SETTINGS "\0\0\1\1\1\0\0\0\1\x88\0\0\0\x09\0\0\0\0\1"), BYTES(SETTINGS "\0\0\1\1\1\0\0\0\1\x88\0\0\0\x09\0\0\0\0\1"), SPEAKS},
    {BYTES(SETTINGS "\0\0\1\1\1\0\0\0\1\x88\0\0\0\x09\4\0\0\0\1"), BYTES(SETTINGS "\0\0\1\1\1\0\0\0\1\x88\0\0\0\x09\4\0\0\0\1"), SPEAKS | CLOSED},
    {BYTES(SETTINGS "\0\0\1\1\0\0\0\0\1\x88\0\0\0\x09\4\0\0\0\1"), BYTES(SETTINGS "\0\0\1\1\0\0\0\0\1\x88\0\0\0\x09\4\0\0\0\1"), SPEAKS},
    /* The end of the connection. */
    {BYTES(SETTINGS GOAWAY("\0\0\0\1") PING), BYTES(SETTINGS PING), SPEAKS},
    {BYTES(SETTINGS "\0\0\x0b\7\0\0\0\0\0\0\0\0\1\0\0\0\0why" PING), BYTES(SETTINGS PING), SPEAKS},
    {BYTES(SETTINGS GOAWAY("\x7f\xff\xff\xff") HEAD), BYTES(SETTINGS HEAD), SPEAKS},
    {BYTES(SETTINGS GOAWAY("\0\0\0\0")), BYTES(SETTINGS), SPEAKS | REFUSED},
    {BYTES(SETTINGS GOAWAY("\1\0\0\0")), BYTES(SETTINGS), SPEAKS},
    {BYTES(GOAWAY("\0\0\0\0")), BYTES(""), OTHER},
    {BYTES(SETTINGS GOAWAY("\x80\0\0\0")), BYTES(SETTINGS), SPEAKS | REFUSED},
    {BYTES(SETTINGS "\0\0\x08\7\0\0\0\0\0\0\0\0\0\0\0\0"), BYTES(SETTINGS), SPEAKS},
    {BYTES(SETTINGS SHORT_GOAWAY), BYTES(SETTINGS SHORT_GOAWAY), SPEAKS},
    {BYTES(SETTINGS RESET("\1", "\x08") PING), BYTES(SETTINGS), SPEAKS | CLOSED | WAS_RESET},
    {BYTES(SETTINGS RESET("\1", "\7")), BYTES(SETTINGS), SPEAKS | CLOSED | WAS_RESET | REFUSED},
    {BYTES(SETTINGS RESET("\3", "\7")), BYTES(SETTINGS RESET("\3", "\7")), SPEAKS},
    {BYTES(SETTINGS SHORT_RESET), BYTES(SETTINGS SHORT_RESET), SPEAKS},
    {BYTES(SETTINGS HEAD TRAILERS RESET("\1", "\x08")), BYTES(SETTINGS HEAD TRAILERS), SPEAKS | CLOSED},
    /* Another protocol. */
    {BYTES("HTTP/1.1 400 Bad Request\r\n\r\n" SETTINGS), BYTES(""), OTHER},
    {BYTES(PING SETTINGS), BYTES(""), OTHER},
};
/* clang-format on */

static int said(const struct kp_h2_frames *frames)
{
    return (frames->speaks ? SPEAKS : 0) | (frames->is_other ? OTHER : 0) |
           (frames->is_closed ? CLOSED : 0) | (frames->was_reset ? WAS_RESET : 0) |
           (frames->refused ? REFUSED : 0);
}

/* So many bytes at once. */
static void take(const struct row *row, size_t at_once)
{
    struct kp_h2_frames frames = {0};
    char passed[256];
    size_t len = 0;

    for (size_t at = 0; at < row->bytes.len; at += at_once) {
        size_t left = row->bytes.len - at;
        struct kp_text bytes = {row->bytes.bytes + at, left < at_once ? left : at_once};

        while (bytes.len > 0) {
            struct kp_text some;

            kp_h2_frames_take(&frames, &bytes, &some);
            if (some.len > 0)
                memcpy(passed + len, some.bytes, some.len);
            len += some.len;
        }
    }
    if (!CHECK_INT(said(&frames), row->said) ||
        !CHECK(kp_text_equal((struct kp_text){passed, len}, row->passed)))
        printf("  row %d, %d at once\n", (int)(row - rows), (int)at_once);
    if (frames.was_reset)
        CHECK_INT(frames.reset, row->bytes.bytes[sizeof(SETTINGS RESET("\1", "\x08")) - 2]);
}

static void frames_are_looked_at_wherever_they_are_cut(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t at_once = 1; at_once <= 64; at_once++)
            take(&rows[i], at_once);
}

static void a_length_has_more_than_one_byte(void)
{
    static const char head[] = SETTINGS "\0\1\0\0\0\0\0\0\1";
    static char wire[sizeof head - 1 + 256 + sizeof LAST_DATA - 1];
    struct kp_h2_frames frames = {0};
    struct kp_text bytes = {wire, sizeof wire};

    memcpy(wire, head, sizeof head - 1);
    memcpy(wire + sizeof head - 1 + 256, LAST_DATA, sizeof LAST_DATA - 1);
    while (bytes.len > 0) {
        struct kp_text some;

        kp_h2_frames_take(&frames, &bytes, &some);
    }
    CHECK_INT(said(&frames), SPEAKS | CLOSED);
}

const struct unit_test h2_frames_test[] = {
    {"a length has more than one byte", a_length_has_more_than_one_byte},
    {"frames are looked at wherever they are cut", frames_are_looked_at_wherever_they_are_cut},
    {0},
};
