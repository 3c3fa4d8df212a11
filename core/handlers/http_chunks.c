#include "http_chunks.h"

#include <string.h>

#define EXCESS_A_CHUNK 16
#define EXCESS_MAX (16 * 1024)
#define NO_TRAILER "http: unexpected EOF reading trailer"
#define LONG_TRAILER "http: suspiciously long trailer after chunked body"

/* ---- the length ------------------------------------------------------------------------------ */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Without the line's end, the blanks before it, and an extension. */
static struct kp_text length_of(struct kp_text line)
{
    const char *extension;

    while (line.len > 0 && is_blank(line.bytes[line.len - 1]))
        line.len--;
    extension = memchr(line.bytes, ';', line.len);
    if (extension)
        line.len = (size_t)(extension - line.bytes);
    return line;
}

static const char *read_length(struct kp_http_chunks *chunks, struct kp_text text)
{
    uint64_t *length = &chunks->left; /* nothing, between two chunks */

    if (text.len == 0 && chunks->profile->with_go_122)
        return "empty hex number for chunk length";
    for (size_t i = 0; i < text.len; i++) {
        int digit = kp_hex_value(text.bytes[i]);

        if (digit < 0)
            return "invalid byte in chunk length";
        if (i == 16)
            return "http chunk length too large";
        *length = *length << 4 | (uint64_t)digit;
    }
    return NULL;
}

static const char *check_line_end(const struct kp_http_chunks *chunks, struct kp_text line)
{
    const char *cr = memchr(line.bytes, '\r', line.len);

    if (!chunks->profile->chunk_lines_end_with_crlf)
        return NULL;
    if (!cr)
        return "chunked line ends with bare LF";
    return cr + 2 == line.bytes + line.len ? NULL : "invalid CR in chunked line";
}

/* What is no data: the lines, and up to Go 1.23.7 the two bytes behind each chunk.  Go's numbers
 * wrap: some lengths that nothing has come of yet are too much. */
static const char *count_excess(struct kp_http_chunks *chunks, size_t line_len)
{
    size_t behind = chunks->profile->chunk_lines_end_with_crlf ? 0 : 2;
    uint64_t more = line_len + behind - (EXCESS_A_CHUNK + 2 * chunks->left);
    int64_t excess = (int64_t)((uint64_t)chunks->excess + more);

    chunks->excess = excess > 0 ? excess : 0;
    return chunks->profile->chunk_excess_counts && chunks->excess > EXCESS_MAX
               ? "chunked encoding contains too much non-data"
               : NULL;
}

static const char *take_length(struct kp_http_chunks *chunks)
{
    struct kp_text line = {chunks->line, chunks->line_len};
    const char *why = check_line_end(chunks, line);

    chunks->line_len = 0;
    if (!chunks->profile->chunk_lines_end_with_crlf && line.len == sizeof chunks->line)
        why = "header line too long";
    if (!why)
        why = read_length(chunks, length_of(line));
    if (!why)
        why = count_excess(chunks, line.len);
    chunks->at = chunks->left > 0 ? KP_CHUNK_DATA : KP_CHUNK_TRAILER;
    return why;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static enum kp_http_chunk go_on_or(const char *why, const char **out)
{
    *out = why;
    return why ? KP_HTTP_CHUNK_BAD : KP_HTTP_CHUNK_MORE;
}

/* One byte of what is no data. */
static enum kp_http_chunk take_byte(struct kp_http_chunks *chunks, char c, const char **why)
{
    struct kp_text line = {chunks->line, chunks->line_len + 1};

    chunks->line[chunks->line_len++] = c;
    switch (chunks->at) {
    case KP_CHUNK_LENGTH:
        if (c == '\n')
            return go_on_or(take_length(chunks), why);
        return go_on_or(chunks->line_len == sizeof chunks->line ? "header line too long" : NULL,
                        why);
    case KP_CHUNK_DATA_END:
        if (chunks->line_len < 2)
            return KP_HTTP_CHUNK_MORE;
        chunks->at = KP_CHUNK_LENGTH;
        chunks->line_len = 0;
        return go_on_or(memcmp(chunks->line, "\r\n", 2) == 0 ? NULL : "malformed chunked encoding",
                        why);
    default:
        break;
    }
    if (kp_text_ends(line, "\r\n\r\n") || kp_text_equal(line, KP_TEXT("\r\n"))) {
        chunks->at = KP_CHUNK_OVER;
        return KP_HTTP_CHUNK_LAST;
    }
    return go_on_or(chunks->line_len == sizeof chunks->line ? LONG_TRAILER : NULL, why);
}

static struct kp_text take_data(struct kp_http_chunks *chunks, struct kp_text *bytes)
{
    size_t len = chunks->left < bytes->len ? (size_t)chunks->left : bytes->len;
    struct kp_text data = {bytes->bytes, len};

    *bytes = kp_text_from(*bytes, len);
    chunks->left -= len;
    if (chunks->left == 0)
        chunks->at = KP_CHUNK_DATA_END;
    return data;
}

enum kp_http_chunk kp_http_chunks_take(struct kp_http_chunks *chunks, struct kp_text *bytes,
                                       struct kp_text *data, const char **why)
{
    while (bytes->len > 0) {
        enum kp_http_chunk what;

        if (chunks->at == KP_CHUNK_DATA) {
            *data = take_data(chunks, bytes);
            return KP_HTTP_CHUNK_SOME;
        }
        what = take_byte(chunks, bytes->bytes[0], why);
        *bytes = kp_text_from(*bytes, 1);
        if (what != KP_HTTP_CHUNK_MORE)
            return what;
    }
    return KP_HTTP_CHUNK_MORE;
}

/* Up to Go 1.17 an end amid data was taken for that of the last chunk. */
const char *kp_http_chunks_end(const struct kp_http_chunks *chunks)
{
    bool amid_data = chunks->at == KP_CHUNK_DATA && !chunks->profile->with_go_118;

    if (chunks->at == KP_CHUNK_OVER)
        return NULL;
    if (amid_data)
        return NO_TRAILER;
    if (chunks->at != KP_CHUNK_TRAILER)
        return "unexpected EOF";
    return chunks->line_len < 2 ? NO_TRAILER : LONG_TRAILER;
}

struct kp_text kp_http_chunks_trailer(const struct kp_http_chunks *chunks)
{
    return (struct kp_text){chunks->line, chunks->line_len};
}
