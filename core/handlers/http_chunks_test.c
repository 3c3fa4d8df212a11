#include "http_chunks.h"

#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

/* All of `body`, in pieces of `step` bytes.  Returns: NULL where its end was seen, else the words.
 */
static const char *take(struct kp_http_chunks *chunks, struct kp_text body, size_t step, char *out,
                        size_t *out_len)
{
    *out_len = 0;
    for (size_t at = 0; at < body.len; at += step) {
        struct kp_text piece = {body.bytes + at, body.len - at < step ? body.len - at : step};
        enum kp_http_chunk what = KP_HTTP_CHUNK_SOME;
        struct kp_text data;
        const char *why = NULL;

        while (what == KP_HTTP_CHUNK_SOME) {
            what = kp_http_chunks_take(chunks, &piece, &data, &why);
            if (what != KP_HTTP_CHUNK_SOME)
                break;
            memcpy(out + *out_len, data.bytes, data.len);
            *out_len += data.len;
        }
        if (what == KP_HTTP_CHUNK_BAD)
            return why;
        if (what == KP_HTTP_CHUNK_LAST)
            break;
        CHECK_INT(piece.len, 0);
    }
    return kp_http_chunks_end(chunks);
}

#define EOF_WORDS "unexpected EOF"
#define TOO_MUCH "chunked encoding contains too much non-data"
#define NO_TRAILER "http: unexpected EOF reading trailer"
#define LONG_WORDS "http: suspiciously long trailer after chunked body"

static void bodies(void)
{
    static const struct {
        const char *body;
        bool old; /* of Go 1.17, but that an empty length is refused */
        const char *data;
        const char *why;
    } rows[] = {
        {"2\r\nok\r\n0\r\n\r\n", false, "ok", NULL},
        {"0\r\n\r\n", false, "", NULL},
        {"a;x=y \t\r\n0123456789\r\n00\r\n\r\nmore", false, "0123456789", NULL},
        {"0000000000000001\r\na\r\nF\r\n123456789012345\r\n0\r\nA: b\r\n\r\n", false,
         "a123456789012345", NULL},
        {"2\nok\r\n0\n\r\n", true, "ok", NULL},
        {"2\nok\r\n0\r\n\r\n", false, "", "chunked line ends with bare LF"},
        {"2\r\r\nok\r\n0\r\n\r\n", false, "", "invalid CR in chunked line"},
        {"2;\rx\r\nok\r\n0\r\n\r\n", false, "", "invalid CR in chunked line"},
        {"2;\rx\r\nok\r\n0\r\n\r\n", true, "ok", NULL},
        {"2\r\nok\n0\r\n\r\n", true, "ok", "malformed chunked encoding"},
        {"2\r\nokay", false, "ok", "malformed chunked encoding"},
        {"2\r\nok\rx0\r\n\r\n", false, "ok", "malformed chunked encoding"},
        {"2\t\r\nok\r\n0 \r\n\r\n", false, "ok", NULL},
        {"\t\r\nok", false, "", "empty hex number for chunk length"},
        {"\nok", false, "", "chunked line ends with bare LF"},
        {"\nok", true, "", "empty hex number for chunk length"},
        /* Twice the length, as an int64, is what is taken off. */
        {"6000000000000000\r\nok", false, "", TOO_MUCH},
        {"5000000000000000\r\nok", false, "", TOO_MUCH},
        {"4000000000000000\r\nok", false, "ok", EOF_WORDS},
        {"7fffffffffffffff\r\nok", false, "ok", EOF_WORDS},
        {"c000000000000000\r\nok", false, "ok", EOF_WORDS},
        {"ffffffffffffffff\r\nok", false, "ok", EOF_WORDS},
        {"\r\nok", false, "", "empty hex number for chunk length"},
        {"2 ;a\r\nok", false, "", "invalid byte in chunk length"},
        {";a\r\nok", false, "", "empty hex number for chunk length"},
        {"+2\r\nok", false, "", "invalid byte in chunk length"},
        {"g\r\nok", false, "", "invalid byte in chunk length"},
        {"G\r\nok", false, "", "invalid byte in chunk length"},
        {"00000000000000000\r\n", false, "", "http chunk length too large"},
        {"0000000000000000g\r\n", false, "", "invalid byte in chunk length"},
        {"9\r\n123456789\r\nf\r\n123456789012345\r\n0\r\n\r\n", false, "123456789123456789012345",
         NULL},
        {"2", false, "", EOF_WORDS},
        {"2", true, "", EOF_WORDS},
        {"2\r\n", true, "", NO_TRAILER},
        {"2\r\no", true, "o", NO_TRAILER},
        {"2\r\nok", true, "ok", EOF_WORDS},
        {"2\r\nok\r", true, "ok", EOF_WORDS},
        {"2\r\no", false, "o", EOF_WORDS},
        {"2\r\nok\r", false, "ok", EOF_WORDS},
        {"0\r\n", false, "", NO_TRAILER},
        {"0\r\n\r", false, "", NO_TRAILER},
        {"0\r\nA: b\r\n", false, "", LONG_WORDS},
        {"0\r\nA: b\n\r\n", false, "", LONG_WORDS},
        {"0\r\n\n\r", false, "", LONG_WORDS},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t step = 1; step < 20; step += 6) {
            const struct kp_profile profile = {.chunk_lines_end_with_crlf = !rows[i].old,
                                               .chunk_excess_counts = !rows[i].old,
                                               .with_go_118 = !rows[i].old,
                                               .with_go_122 = true};
            struct kp_http_chunks chunks = {.profile = &profile};
            char out[64];
            size_t len;
            const char *why = take(&chunks, kp_text_of(rows[i].body), step, out, &len);

            if (!CHECK_STRING(why ? why : "", rows[i].why ? rows[i].why : "") ||
                !CHECK_TEXT(((struct kp_text){out, len}), kp_text_of(rows[i].data)))
                printf("  %s\n", rows[i].body);
        }
}

/* A chunk of one byte whose line has `len` bytes with its end. */
static size_t put_chunk(char *at, size_t len)
{
    memset(at, 'e', len + 3);
    memcpy(at, "1;", 2);
    memcpy(at + len - 2, "\r\nx\r\n", 5);
    return len + 3;
}

/* 16 bytes and two for each of data may a line and the two bytes behind the data have; of what goes
 * beyond, 16 KiB, to the byte (chunked.go beginChunk). */
static void what_is_no_data_counts_to_the_byte(void)
{
    static char body[20000];

    for (size_t first = 15; first <= 20; first++) {
        const size_t lens[] = {first, 4016, 4016, 4016, 4016, 410};
        const struct kp_profile profile = {
            .chunk_lines_end_with_crlf = true, .chunk_excess_counts = true, .with_go_118 = true};
        struct kp_http_chunks chunks = {.profile = &profile};
        char out[8];
        size_t len = 0;
        const char *why;

        for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++)
            len += put_chunk(body + len, lens[i]);
        memcpy(body + len, "0\r\n\r\n", 5);
        why = take(&chunks, (struct kp_text){body, len + 5}, sizeof body, out, &len);
        CHECK_STRING(why ? why : "", first <= 18 ? "" : TOO_MUCH);
        CHECK_INT(len, first <= 18 ? 6 : 5);
    }
}

const struct unit_test http_chunks_test[] = {
    {"bodies", bodies},
    {"what is no data counts to the byte", what_is_no_data_counts_to_the_byte},
    {0},
};
