#include "http1.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"
#include "http_body.h"

#include <stdio.h>
#include <string.h>

/* ---- a reply, however it is cut into pieces ---------------------------------------------------
 */

#define OK "HTTP/1.1 200 OK\r\n"
#define LENGTH(n) "Content-Length: " n "\r\n\r\n"
#define NO_COLON "malformed MIME header: missing colon: \"A b\""
#define CHUNKED "Transfer-Encoding: chunked\r\n\r\n"

static const char *const words[] = {"more", "head", "data", "end", "refused", "broken", "memory"};

struct seen {
    char data[64];
    size_t len;
    bool head;
    const char *end; /* words[] */
    char why[64];
};

/* Returns: false: that was all. */
static bool note(struct seen *seen, enum kp_http1_step step, struct kp_text data)
{
    seen->head = seen->head || step == KP_HTTP1_HEAD;
    if (step == KP_HTTP1_DATA) {
        memcpy(seen->data + seen->len, data.bytes, data.len);
        seen->len += data.len;
    }
    if (step == KP_HTTP1_BROKEN)
        snprintf(seen->why, sizeof seen->why, "%.*s", KP_ARG(data));
    seen->end = words[step];
    return step == KP_HTTP1_HEAD || step == KP_HTTP1_DATA;
}

enum then { STAYS, ENDS, BREAKS };

/* In pieces of `step` bytes, and then what becomes of the connection. */
static void read_reply(struct kp_http1 *http1, struct kp_text reply, size_t step, enum then then,
                       struct seen *seen)
{
    struct kp_text data = KP_TEXT("");

    *seen = (struct seen){.end = words[KP_HTTP1_MORE]};
    for (size_t at = 0; at < reply.len; at += step) {
        struct kp_text piece = {reply.bytes + at, reply.len - at < step ? reply.len - at : step};

        while (note(seen, kp_http1_take(http1, &piece, &data), data))
            continue;
        if (seen->end == words[KP_HTTP1_END]) { /* and it stays so */
            CHECK_INT(kp_http1_take(http1, &piece, &data), KP_HTTP1_END);
            CHECK_INT(kp_http1_end(http1, &data), KP_HTTP1_END);
        }
        if (seen->end != words[KP_HTTP1_MORE])
            return;
        CHECK_INT(piece.len, 0);
    }
    while (then == ENDS && note(seen, kp_http1_end(http1, &data), data))
        continue;
    while (then == BREAKS && note(seen, kp_http1_break(http1, &data), data))
        continue;
}

struct row {
    const char *reply;
    enum then then;
    const char *end;
    const char *data;
    const char *why; /* behind KP_HTTP_BROKEN where it is refused; NULL: nothing is said */
};

static void check_row(const struct row *row, size_t step)
{
    struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
    struct kp_mem mem = fake_alloc_mem(&state);
    struct kp_profile profile = unit_profile(KP_NEWEST);
    struct kp_http_reply reply;
    struct kp_scratch scratch;
    struct kp_http1 http1;
    struct seen seen;
    bool fine;

    kp_scratch_init(&scratch, &mem);
    kp_http_reply_init(&reply, &scratch, &profile);
    kp_http1_init(&http1, &reply, &mem);
    read_reply(&http1, kp_text_of(row->reply), step, row->then, &seen);
    fine = CHECK_STRING(seen.end, row->end);
    fine = CHECK_TEXT(((struct kp_text){seen.data, seen.len}), kp_text_of(row->data)) && fine;
    if (reply.refused)
        snprintf(seen.why, sizeof seen.why, "%s",
                 kp_scratch_message(&scratch, &reply.why).bytes + strlen(KP_HTTP_BROKEN));
    fine = CHECK_STRING(seen.why, row->why ? row->why : "") && fine;
    fine = CHECK_INT(reply.refused, strcmp(row->end, "refused") == 0) && fine;
    if (!fine)
        printf("  in pieces of %zu: %s\n", step, row->reply);
    kp_http1_deinit(&http1);
    kp_http1_deinit(&http1);
    kp_scratch_deinit(&scratch);
    CHECK_INT(state.live, 0);
}

/* Upstream: Go, net/http response.go ReadResponse, transfer.go. */
static const struct row replies[] = {
    {OK LENGTH("2") "ok", STAYS, "end", "ok", NULL},
    {OK LENGTH("1") "x", STAYS, "end", "x", NULL},
    {OK LENGTH("2") "okay", STAYS, "end", "ok", NULL},
    {OK LENGTH("2") "ok", ENDS, "end", "ok", NULL},
    {OK LENGTH("3") "ok", ENDS, "broken", "ok", "unexpected EOF"},
    {OK LENGTH("0") "ok", STAYS, "end", "", NULL},
    {OK LENGTH("0"), ENDS, "end", "", NULL},
    {OK "\r\nok", STAYS, "more", "ok", NULL},
    {OK "\r\nok", ENDS, "end", "ok", NULL},
    {OK CHUNKED "2\r\nok\r\n0\r\n\r\n", STAYS, "end", "ok", NULL},
    {OK CHUNKED "2\r\nok\r\n0\r\nA: b\r\n\r\n", STAYS, "end", "ok", NULL},
    {OK CHUNKED "2\r\nok\r\n0\r\nA b\r\n\r\n", STAYS, "broken", "ok", NO_COLON},
    {OK CHUNKED "2\r\nokay", STAYS, "broken", "ok", "malformed chunked encoding"},
    {OK CHUNKED "2\r\no", ENDS, "broken", "o", "unexpected EOF"},
    {OK "Content-Length: 0\r\n" CHUNKED "1\r\nx\r\n0\r\n\r\n", STAYS, "end", "x", NULL},
    {"HTTP/1.1 204 No Content\r\n\r\nok", STAYS, "end", "", NULL},
    {"HTTP/1.1 304 Not Modified\r\n" LENGTH("9"), STAYS, "end", "", NULL},
    {"HTTP/1.1 304 Not Modified\r\n" CHUNKED, STAYS, "end", "", NULL},
    {"HTTP/1.1 205 Reset Content\r\n\r\nok", ENDS, "end", "ok", NULL},
    {"HTTP/1.1 100 Continue\r\n\r\n" OK LENGTH("1") "x", ENDS, "end", "x", NULL},
    {"hello\r\n", STAYS, "refused", "", "malformed HTTP response \"hello\""},
    {"hello", ENDS, "refused", "", "malformed HTTP response \"hello\""},
    {"h", ENDS, "refused", "", "malformed HTTP response \"h\""},
    {OK "A: b\r\n", ENDS, "more", "", NULL},
    {OK "A b\r\n\r\n", STAYS, "refused", "", NO_COLON},
    {OK "A b\r\n", ENDS, "refused", "", NO_COLON},
    {OK "A@: c\r\n", ENDS, "refused", "", "malformed MIME header line: \"A@: c\""},
    {OK "A b", ENDS, "refused", "", NO_COLON},
    {"", ENDS, "more", "", NULL},
    {OK "A: b", BREAKS, "more", "", NULL},
    {OK "A b", BREAKS, "refused", "", NO_COLON},
    {OK "A b\r\n", BREAKS, "refused", "", NO_COLON},
    {"h", BREAKS, "refused", "", "malformed HTTP response \"h\""},
    {"", BREAKS, "more", "", NULL},
    {OK "\r\nok", BREAKS, "more", "ok", NULL},
    {OK LENGTH("3") "ok", BREAKS, "more", "ok", NULL},
    {OK CHUNKED "2\r\nok\r", BREAKS, "more", "ok", NULL},
    {OK CHUNKED "2\r\nok\r\n0", BREAKS, "more", "ok", NULL},
    {OK CHUNKED "0\r\n", BREAKS, "broken", "", "http: unexpected EOF reading trailer"},
    {OK CHUNKED "0\r\nA: b", BREAKS, "broken", "",
     "http: suspiciously long trailer after chunked body"},
    {"HTTP/1.1 101 x\r\n" CHUNKED "zz", STAYS, "end", "", NULL},
    {OK "Upgrade: h2c\r\nConnection: Upgrade\r\n" LENGTH("2") "okay", STAYS, "end", "ok", NULL},
    {"HTTP/1.1 103 x\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nHTTP/1.1 101 x\r\n\r\n", STAYS,
     "end", "", NULL},
    {"HTTP/1.1 103 x\r\nConnection: Upgrade\r\n\r\nHTTP/1.1 101 x\r\nUpgrade: x\r\n\r\n", STAYS,
     "end", "", NULL},
    {"HTTP/1.1 101 x\r\n" LENGTH("9") "ok", STAYS, "end", "", NULL},
    {"HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: a, upgrade\r\n" LENGTH("1") "okay", ENDS, "end",
     "okay", NULL},
};

static void a_reply_is_read_however_it_is_cut(void)
{
    for (size_t i = 0; i < sizeof replies / sizeof replies[0]; i++)
        for (size_t step = 1; step <= 64; step += step < 4 ? 1 : 20)
            check_row(&replies[i], step);
}

/* A line is known by its first mebibyte, and counts whole. */
static void a_long_line_comes_in_pieces(void)
{
    static char piece[65536];
    struct kp_mem mem = fake_alloc_plain();
    struct kp_profile profile = unit_profile(KP_NEWEST);
    struct kp_http_reply reply;
    struct kp_scratch scratch;
    struct kp_http1 http1;
    struct kp_text data;
    struct kp_text bytes = KP_TEXT(OK "A: ");
    size_t left = KP_HTTP_HEAD_BYTES_MAX - bytes.len;

    memset(piece, 'x', sizeof piece);
    kp_scratch_init(&scratch, &mem);
    kp_http_reply_init(&reply, &scratch, &profile);
    kp_http1_init(&http1, &reply, &mem);
    CHECK_INT(kp_http1_take(&http1, &bytes, &data), KP_HTTP1_MORE);
    while (left > 0) {
        bytes = (struct kp_text){piece, left < sizeof piece ? left : sizeof piece};
        left -= bytes.len;
        CHECK_INT(kp_http1_take(&http1, &bytes, &data), KP_HTTP1_MORE);
    }
    bytes = (struct kp_text){piece, 1};
    CHECK_INT(kp_http1_take(&http1, &bytes, &data), KP_HTTP1_REFUSED);
    CHECK(reply.refused);
    CHECK_INT(http1.line_cap, 1024 * 1024);
    kp_http1_deinit(&http1);
    kp_scratch_deinit(&scratch);
}

/* ---- a body -----------------------------------------------------------------------------------
 */

/* gzip of "hello", by zlib without a name or a time. */
#define GZIP "\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\x48\xcd\xc9\xc9\x07\0\x86\xa6\x10\x36\x05\0\0\0"
#define BYTES(literal) literal, sizeof literal - 1

/* Upstream: Go, net/http transport.go gzipReader; compress/gzip gunzip.go. */
static void a_body_is_unpacked_however_it_is_cut(void)
{
    static const struct {
        const char *bytes;
        size_t len;
        bool is_gzip;
        size_t limit;
        enum kp_http_body_end end;
        const char *body;
        bool is_whole;
        const char *why; /* NULL: none */
    } rows[] = {
        {BYTES("hello"), false, 9, KP_HTTP_BODY_MORE, "hello", true, NULL},
        {BYTES("hello"), false, 5, KP_HTTP_BODY_ENOUGH, "hello", true, NULL},
        {BYTES("hello"), false, 3, KP_HTTP_BODY_ENOUGH, "hel", true, NULL},
        {BYTES(GZIP), true, 9, KP_HTTP_BODY_MORE, "hello", true, NULL},
        {BYTES(GZIP), true, 5, KP_HTTP_BODY_ENOUGH, "hello", true, NULL},
        {BYTES(GZIP), true, 3, KP_HTTP_BODY_ENOUGH, "hel", true, NULL},
        {BYTES(GZIP GZIP), true, 20, KP_HTTP_BODY_MORE, "hellohello", true, NULL},
        {BYTES(GZIP "\x1f"), true, 20, KP_HTTP_BODY_MORE, "hello", false, NULL},
        {BYTES("\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\x48\xcd"), true, 20, KP_HTTP_BODY_MORE, "he",
         false, NULL},
        {BYTES(""), true, 20, KP_HTTP_BODY_MORE, "", true, NULL},
        {BYTES("hello"), true, 20, KP_HTTP_BODY_BAD, "", false, "gzip: invalid header"},
        {BYTES("\x1f\x8b\x07\0\0\0\0\0\0\x03"), true, 20, KP_HTTP_BODY_BAD, "", false,
         "gzip: invalid header"},
        {BYTES("\x1f\x8b\x08\0\0\0\0\0\0\x03\x07"), true, 20, KP_HTTP_BODY_BAD, "", false,
         "flate: corrupt input"},
        {BYTES("\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\x48\xcd\xc9\xc9\x07\0\x86\xa6\x10\x37\x05\0\0\0"),
         true, 20, KP_HTTP_BODY_BAD, "hello", false, "gzip: invalid checksum"},
        {BYTES("\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\x48\xcd\xc9\xc9\x07\0\x86\xa6\x10\x36\x06\0\0\0"),
         true, 20, KP_HTTP_BODY_BAD, "hello", false, "gzip: invalid checksum"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t step = 1; step <= 64; step += step < 4 ? 1 : 30) {
            struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
            struct kp_mem mem = fake_alloc_mem(&state);
            enum kp_http_body_end end = KP_HTTP_BODY_MORE;
            struct kp_http_body body;
            struct kp_scratch scratch;
            const char *why = NULL;
            bool fine;

            kp_scratch_init(&scratch, &mem);
            kp_http_body_init(&body, &scratch, rows[i].limit);
            CHECK(!rows[i].is_gzip || kp_http_body_unpack(&body));
            for (size_t at = 0; end == KP_HTTP_BODY_MORE && at < rows[i].len; at += step) {
                size_t left = rows[i].len - at;

                end = kp_http_body_take(
                    &body, (struct kp_text){rows[i].bytes + at, left < step ? left : step}, &why);
            }
            fine = CHECK_INT(end, rows[i].end);
            fine = CHECK_TEXT(((struct kp_text){body.bytes, body.len}), kp_text_of(rows[i].body)) &&
                   fine;
            fine = CHECK_STRING(why ? why : "", rows[i].why ? rows[i].why : "") && fine;
            CHECK(!scratch.failed);
            if (end == KP_HTTP_BODY_MORE)
                fine = CHECK_INT(kp_http_body_is_whole(&body), rows[i].is_whole) && fine;
            if (!fine)
                printf("  row %zu in pieces of %zu\n", i, step);
            kp_http_body_deinit(&body);
            kp_scratch_deinit(&scratch);
            CHECK_INT(state.live, 0);
        }
}

/* What is packed well is more than one step of zlib's, of 4096 bytes each. */
static void much_may_come_of_little(void)
{
    static const size_t sizes[] = {4095, 4096, 4097, 10000};
    static char zeros[10000];

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        unsigned char packed[256];
        z_stream deflated = {.next_in = (unsigned char *)zeros,
                             .avail_in = (uInt)sizes[i],
                             .next_out = packed,
                             .avail_out = sizeof packed};
        struct kp_http_body body;
        struct kp_scratch scratch;
        const char *why = NULL;

        CHECK_INT(deflateInit2(&deflated, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
                  Z_OK);
        CHECK_INT(deflate(&deflated, Z_FINISH), Z_STREAM_END);
        deflateEnd(&deflated);
        kp_scratch_init(&scratch, &mem);
        kp_http_body_init(&body, &scratch, 2 * sizes[i]);
        CHECK(kp_http_body_unpack(&body));
        CHECK_INT(
            kp_http_body_take(
                &body, (struct kp_text){(char *)packed, sizeof packed - deflated.avail_out}, &why),
            KP_HTTP_BODY_MORE);
        CHECK_INT(body.len, sizes[i]);
        CHECK(memcmp(body.bytes, zeros, sizes[i]) == 0);
        CHECK(kp_http_body_is_whole(&body));
        kp_http_body_deinit(&body);
        kp_scratch_deinit(&scratch);
    }
}

const struct unit_test http_pieces_test[] = {
    {"a reply is read however it is cut", a_reply_is_read_however_it_is_cut},
    {"a long line comes in pieces", a_long_line_comes_in_pieces},
    {"a body is unpacked however it is cut", a_body_is_unpacked_however_it_is_cut},
    {"much may come of little", much_may_come_of_little},
    {0},
};
