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
#define LONG_WORDS "http: suspiciously long trailer after chunked body"

static void bodies(void)
{
    static const struct {
        const char *body;
        bool old; /* a newline alone ends a line, and nothing is counted */
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
        {"2\r\no", false, "o", EOF_WORDS},
        {"2\r\nok\r", false, "ok", EOF_WORDS},
        {"0\r\n", false, "", "http: unexpected EOF reading trailer"},
        {"0\r\n\r", false, "", "http: unexpected EOF reading trailer"},
        {"0\r\nA: b\r\n", false, "", LONG_WORDS},
        {"0\r\n\n\r", false, "", LONG_WORDS},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t step = 1; step < 20; step += 6) {
            struct kp_http_chunks chunks = {.lines_end_with_lf = rows[i].old,
                                            .excess_counts = !rows[i].old};
            char out[64];
            size_t len;
            const char *why = take(&chunks, kp_text_of(rows[i].body), step, out, &len);

            if (!CHECK_STRING(why ? why : "", rows[i].why ? rows[i].why : "") ||
                !CHECK_TEXT(((struct kp_text){out, len}), kp_text_of(rows[i].data)))
                printf("  %s\n", rows[i].body);
        }
}

/* 4,096 bytes: of a line with its end, of a trailer with the empty line. */
static void how_long_lines_and_trailers_may_be(void)
{
    static char body[8192];
    static const struct {
        const char *before;
        const char *behind;
        size_t len; /* of all three, with x in the middle */
        const char *why;
    } rows[] = {
        {"0;", "\r\n", 4096, "http: unexpected EOF reading trailer"},
        {"0;", "\r\n", 4097, "header line too long"},
        {"A: ", "\r\n\r\n", 4096, ""},
        {"A: ", "\r\n\r\n", 4097, LONG_WORDS},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_http_chunks chunks = {.at = i < 2 ? KP_CHUNK_LENGTH : KP_CHUNK_TRAILER};
        size_t end = strlen(rows[i].behind);
        const char *why;
        size_t len;
        char out[1];

        memset(body, 'x', sizeof body);
        memcpy(body, rows[i].before, strlen(rows[i].before));
        memcpy(body + rows[i].len - end, rows[i].behind, end);
        why = take(&chunks, (struct kp_text){body, rows[i].len}, 1000, out, &len);
        CHECK_STRING(why ? why : "", rows[i].why);
    }
}

/* Of 19 bytes of such a chunk's line 18 are free: 16, and two for its byte of data. */
static void what_is_no_data_has_a_limit(void)
{
    static const char chunk[] = "1;xxxxxxxxxxxxxxx\r\na\r\n";
    struct kp_text body = {chunk, sizeof chunk - 1};

    for (int counts = 0; counts < 2; counts++) {
        struct kp_http_chunks chunks = {.excess_counts = counts};
        const char *why = EOF_WORDS;
        size_t taken = 0;
        size_t len;
        char out[1];

        for (; taken < 20000 && strcmp(why, EOF_WORDS) == 0; taken++)
            why = take(&chunks, body, body.len, out, &len);
        CHECK_STRING(why, counts ? "chunked encoding contains too much non-data" : EOF_WORDS);
        CHECK_INT(taken, counts ? 16 * 1024 + 1 : 20000);
    }
}

/* Data that has come before is no credit: 16 * 1024 bytes are counted from there. */
static void much_data_excuses_nothing(void)
{
    static char large[6 + 4096 + 2] = "1000\r\n";
    static const char chunk[] = "1;xxxxxxxxxxxxxxx\r\na\r\n";
    struct kp_http_chunks chunks = {.excess_counts = true};
    static char out[4096];
    const char *why;
    size_t taken = 0;
    size_t len;

    memcpy(large + sizeof large - 2, "\r\n", 2);
    why = take(&chunks, (struct kp_text){large, sizeof large}, sizeof large, out, &len);
    CHECK_INT(len, 4096);
    for (; taken < 20000 && strcmp(why, EOF_WORDS) == 0; taken++)
        why = take(&chunks, (struct kp_text){chunk, sizeof chunk - 1}, 30, out, &len);
    CHECK_INT(taken, 16 * 1024 + 1);
}

const struct unit_test http_chunks_test[] = {
    {"much data excuses nothing", much_data_excuses_nothing},
    {"bodies", bodies},
    {"how long lines and trailers may be", how_long_lines_and_trailers_may_be},
    {"what is no data has a limit", what_is_no_data_has_a_limit},
    {0},
};
