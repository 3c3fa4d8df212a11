#include "http_reply.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <string.h>

#define BROKEN "net/http: HTTP/1.x transport connection broken: "

/* Lines of a head, one after another, as they come. */
static const struct kp_profile *newest(void)
{
    static struct kp_profile profile;

    CHECK_INT(kp_profile_init(&profile, KP_TEXT(KP_NEWEST)), KP_OK);
    return &profile;
}

static bool take(struct kp_http_reply *reply, const char *head)
{
    while (*head) {
        const char *end = strchr(head, '\n');
        size_t len = end ? (size_t)(end - head) + 1 : strlen(head);

        if (!kp_http_reply_line(reply, (struct kp_text){head, len}))
            return false;
        head += len;
    }
    return true;
}

static void heads_that_go_takes(void)
{
    static const struct {
        const char *head;
        int status;
        int64_t length;
    } rows[] = {
        {"HTTP/1.1 200 OK\r\n\r\n", 200, -1},
        {"HTTP/1.1 200\r\n\r\n", -1, -1},
        {"HTTP/1.0 204 \r\nContent-Length: 5\r\n\r\n", 204, 5},
        {"HTTP/1.1 099 x\n\n", 99, -1},
        {"HTTP/1.1 +20 x\r\n\r\n", 20, -1},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 302 x\r\nLocation: /a\r\n\r\n", 302, -1},
        {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: Chunked\r\n\r\n", 200, -1},
        {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n", 200, 3},
        {"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", 200, -1},
        {"HTTP/1.1 200 OK\r\nA: b\r\n \r\n\r\n", 200, -1},
        {"HTTP/1.1 200 OK\r\nContent-Length:\r\n\t3 \r\n  \r\n\r\n", 200, 3},
        {"HTTP/1.1 200 OK\r\nTrailer: A,,\r\nTransfer-Encoding: chunked\r\n\r\n", 200, -1},
        {"HTTP/1.1 200 OK\r\nTrailer: Content-Length\r\n\r\n", 200, -1},
        {"HTTP/1.1 103 x\r\nTrailer: Trailer\r\n\r\nHTTP/1.1 200 x\r\nTransfer-Encoding: "
         "chunked\r\n\r\n",
         200, -1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_http_reply reply;
        struct kp_scratch scratch;

        kp_scratch_init(&scratch, &mem);
        kp_http_reply_init(&reply, &scratch, newest());
        CHECK(take(&reply, rows[i].head) && reply.complete);
        CHECK_INT(reply.status, rows[i].status < 0 ? 200 : rows[i].status);
        CHECK_INT(reply.content_length, rows[i].length);
        kp_scratch_deinit(&scratch);
    }
}

static void begin(struct kp_http_reply *reply, struct kp_scratch *scratch, const struct kp_mem *mem)
{
    kp_scratch_init(scratch, mem);
    kp_http_reply_init(reply, scratch, newest());
}

/* The first Location; whether the first coding is gzip; nothing of an informational head. */
static void what_of_a_head_is_kept(void)
{
    static const struct {
        const char *head;
        const char *location; /* NULL: none */
        bool has_gzip;
        bool has_encoding;
        int64_t length;
    } rows[] = {
        {"HTTP/1.1 302 x\r\nLocation: \t/a \t\r\nlocation: /b\r\n\r\n", "/a", false, false, -1},
        {"HTTP/1.1 302 x\r\nLocation:\r\n /a \r\n\tb\r\n\r\n", "/a b", false, false, -1},
        {"HTTP/1.1 302 x\r\nLocation: /a\r\n bcdefghijklmnopqrstuvwxyz\r\n\r\n",
         "/a bcdefghijklmnopqrstuvwxyz", false, false, -1},
        {"HTTP/1.1 302 x\r\nA: bcdef  x\r\nLocation:\r\n\r\n", NULL, false, false, -1},
        {"HTTP/1.1 200 x\r\nContent-Encoding: GZIP\r\nContent-Encoding: x\r\n\r\n", NULL, true,
         false, -1},
        {"HTTP/1.1 200 x\r\nContent-Encoding: x\r\nContent-Encoding: gzip\r\n\r\n", NULL, false,
         false, -1},
        {"HTTP/1.1 200 x\r\nContent-Encoding:\r\nContent-Encoding: gzip\r\n\r\n", NULL, false,
         false, -1},
        {"HTTP/1.1 200 x\r\nX-A: gzip\r\nLocation-X: /b\r\n\r\n", NULL, false, false, -1},
        {"HTTP/1.1 103 x\r\nLocation: /a\r\nContent-Length: 7\r\nContent-Encoding: gzip\r\n\r\n"
         "HTTP/1.1 200 x\r\n\r\n",
         NULL, false, false, -1},
        {"HTTP/1.0 200 x\r\nTransfer-Encoding: chunked\r\nContent-Length: 12\t\r\n\r\n", NULL,
         false, false, 12},
        {"HTTP/0.1 200 x\r\nTransfer-Encoding: chunked\r\nContent-Length: 12\r\n\r\n", NULL, false,
         false, 12},
        {"HTTP/1.1 302 x\r\nLocation:\r\nLocation: /b\r\n\r\n", NULL, false, false, -1},
        {"HTTP/0.0 200 x\r\nTransfer-Encoding: chunked\r\nContent-Length: 12\r\n\r\n", NULL, false,
         true, -1},
        {"HTTP/1.1 200 x\r\nContent-Length: 9223372036854775807\r\n\r\n", NULL, false, false,
         INT64_MAX},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_http_reply reply;
        struct kp_scratch scratch;

        begin(&reply, &scratch, &mem);
        CHECK(take(&reply, rows[i].head) && reply.complete && !reply.refused);
        CHECK_TEXT(reply.location, kp_text_of(rows[i].location ? rows[i].location : ""));
        CHECK_INT(reply.has_gzip, rows[i].has_gzip);
        CHECK_INT(reply.has_encoding, rows[i].has_encoding);
        CHECK_INT(reply.content_length, rows[i].length);
        CHECK_INT(reply.head_bytes, strlen(rows[i].head));
        kp_scratch_deinit(&scratch);
    }
}

/* What stands in memory behind a line, or before it, is none of it. */
static void a_line_ends_where_it_ends(void)
{
    static const char bytes[] = "HTTP/1.1 2000\r\nLocation: \r\n";
    static const char blanks[] = "HTTP/1.1  200 x";
    struct kp_mem mem = fake_alloc_plain();
    struct kp_http_reply reply;
    struct kp_scratch scratch;

    begin(&reply, &scratch, &mem);
    CHECK(kp_http_reply_line(&reply, (struct kp_text){bytes, 12}));
    CHECK_INT(reply.status, 200);
    CHECK(kp_http_reply_line(&reply, (struct kp_text){bytes + 15, 9}));
    CHECK_INT(reply.location.len, 0);
    CHECK(kp_http_reply_line(&reply, (struct kp_text){bytes + 26, 1}));
    CHECK(reply.complete);
    kp_scratch_deinit(&scratch);
    begin(&reply, &scratch, &mem);
    CHECK(kp_http_reply_line(&reply, (struct kp_text){bytes, 12}));
    CHECK(kp_http_reply_line(&reply, (struct kp_text){bytes + 15, 0}));
    CHECK(reply.complete);
    kp_scratch_deinit(&scratch);
    begin(&reply, &scratch, &mem);
    CHECK(!kp_http_reply_line(&reply, (struct kp_text){blanks, 9}));
    CHECK(reply.refused);
    kp_scratch_deinit(&scratch);
    begin(&reply, &scratch, &mem);
    CHECK(!kp_http_reply_line(&reply, (struct kp_text){bytes, 5}));
    CHECK_TEXT(kp_scratch_message(&scratch, &reply.why),
               KP_TEXT("net/http: HTTP/1.x transport connection broken: malformed HTTP response "
                       "\"HTTP/\""));
    CHECK(reply.refused);
    kp_scratch_deinit(&scratch);
}

/* At once, and in the words of what Go comes to first. */
static void heads_that_go_refuses(void)
{
    static const struct {
        const char *head;
        const char *why; /* its end */
    } rows[] = {
        {"HTTP/x.y 20 x\r\n", "malformed HTTP status code \"20\""},
        {"HTTP/1.1 100 x\r\n\r\nHTTP/2 200 x\r\n", "malformed HTTP version \"HTTP/2\""},
        {"HTTPx1.1 200 x\r\n", "malformed HTTP version \"HTTPx1.1\""},
        {"HTTP/1.1 200 x\r\nTransfer-Encoding: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
         "unsupported transfer encoding: \"a\""},
        {"HTTP/1.1 200 x\r\nContent-Length: x\r\nContent-Length: 2\r\n\r\n",
         "multiple Content-Length headers; got [\"x\" \"2\"]"},
        {"HTTP/1.1 200 x\r\nContent-Length: x\r\n\r\n", "bad Content-Length \"x\""},
        {"HTTP/1.1 200 x\r\nContent-Length: 9223372036854775808\r\n\r\n",
         "bad Content-Length \"9223372036854775808\""},
        {"HTTP/1.1 200 x\r\nContent-Length: 92233720368547758070\r\n\r\n",
         "bad Content-Length \"92233720368547758070\""},
        {"HTTP/1.1 200 x\r\na: \x01\r\nB: c\r\n", "malformed MIME header line: \"A: \\x01\""},
        {"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\nTrailer: A ,\tTRAILER "
         ",Content-Length\r\n\r\n",
         "bad trailer key \"Trailer\""},
        {"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\nTrailer: Content-Length\r\nTrailer: "
         "Trailer"
         "\r\n\r\n",
         "bad trailer key \"Content-Length\""},
        {"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\nTrailer: Trailer\r\nContent-Length: 1\r\n"
         "Content-Length: 2\r\n\r\n",
         "multiple Content-Length headers; got [\"1\" \"2\"]"},
        {"HTTP/1.1 103 x\r\nA: b\r\n\r\nHTTP/1.1 200 x\r\n B: c\r\n\r\n",
         "malformed MIME header initial line: \" B: c\""},
        {"HTTP/1.1 200 x\r\n:\r\n b\r\n\r\n", "malformed MIME header line: \": b\""},
        {"HTTP/1.1  \r\n", "malformed HTTP status code \"\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_http_reply reply;
        struct kp_scratch scratch;
        struct kp_text why;
        size_t len = strlen(rows[i].why);

        begin(&reply, &scratch, &mem);
        CHECK(!take(&reply, rows[i].head) && reply.refused);
        why = kp_scratch_message(&scratch, &reply.why);
        CHECK(why.len > len);
        CHECK_TEXT(((struct kp_text){why.bytes + why.len - len, len}), kp_text_of(rows[i].why));
        kp_scratch_deinit(&scratch);
    }
}

/* Any header is one, and blanks of all kinds go.  Upstream: Go 1.16, net/textproto reader.go. */
static void headers_that_an_old_go_takes(void)
{
    static const struct {
        const char *head;
        int64_t length;
        bool has_encoding;
    } rows[] = {
        {"HTTP/1.-0 200 x\r\n(: \x01\x7f\r\n: b\r\n\r\n", -1, false},
        {"HTTP/1.1 200 x\r\nContent-Length: 2\r\r\nContent-Length: 2\r\n\r\n", 2, false},
        {"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\r\n\r\n", -1, true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_profile profile = unit_profile("1.22");
        struct kp_http_reply reply;
        struct kp_scratch scratch;

        kp_scratch_init(&scratch, &mem);
        kp_http_reply_init(&reply, &scratch, &profile);
        CHECK(take(&reply, rows[i].head) && reply.complete && !reply.refused);
        CHECK_INT(reply.content_length, rows[i].length);
        CHECK_INT(reply.has_encoding, rows[i].has_encoding);
        kp_scratch_deinit(&scratch);
    }
}

/* A version without a dot, and a list of nothing but a comma. */
static void heads_that_an_old_go_refuses(void)
{
    static const struct {
        const char *head;
        const char *why;
    } rows[] = {
        {"HTTP/2 200 x\r\n", "malformed HTTP version \"HTTP/2\""},
        {"HTTP/ 200 x\r\n", "malformed HTTP version \"HTTP/\""},
        {"HTTP/1.1 200 x\r\nTransfer-Encoding: ,\r\n\r\n", "unsupported transfer encoding \"\""},
        {"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked,identity,x\r\n\r\n", NULL},
        {"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked,chunked,chunked\r\n\r\n",
         "too many transfer encodings \"chunked,chunked,chunked\""},
        {"HTTP/1.1 200 x\r\nx\r\n\r\n", "malformed MIME header line: x"},
        {"HTTP/1.1 200 x\r\nContent-Length: -1\r\n\r\n", "bad Content-Length \"-1\""},
        {"HTTP/1.1 200 x\r\nContent-Length: +\r\n\r\n", "bad Content-Length \"+\""},
        {"HTTP/1.1 200 x\r\nContent-Length: +5\r\n\r\n", NULL},
        {"HTTP/1.1 200 x\r\nContent-Length: -0\r\n\r\n", NULL},
    };
    const struct kp_profile profile = {0};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_http_reply reply;
        struct kp_scratch scratch;
        struct kp_text why;

        kp_scratch_init(&scratch, &mem);
        kp_http_reply_init(&reply, &scratch, &profile);
        CHECK_INT(take(&reply, rows[i].head), !rows[i].why);
        why = kp_scratch_message(&scratch, &reply.why);
        CHECK_TEXT(kp_text_from(why, rows[i].why ? strlen(BROKEN) : 0),
                   kp_text_of(rows[i].why ? rows[i].why : ""));
        kp_scratch_deinit(&scratch);
    }
}

/* What is wrong with what stands behind the last chunk; beyond an empty line nothing is. */
static void a_trailer_is_judged_up_to_its_empty_line(void)
{
    static const struct {
        const char *lines;
        const char *why;
    } rows[] = {
        {"\r\nx", ""},
        {"\nx", ""},
        {"A: b\r\n\r\nx", ""},
        {"A: b\nC: d\r\n e\r\n\r\n", ""},
        {"A: b\r\nx\r\n\r\n", "malformed MIME header: missing colon: \"x\""},
        {"(: b\r\n\r\nx", "malformed MIME header line: \"(: b\""},
        {"\rA: b\r\n\r\nx", "malformed MIME header line: \"\\rA: b\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_http_reply reply;
        struct kp_scratch scratch;

        begin(&reply, &scratch, &mem);
        CHECK_TEXT(kp_http_reply_trailer(&reply, kp_text_of(rows[i].lines)),
                   kp_text_of(rows[i].why));
        kp_scratch_deinit(&scratch);
    }
}

/* Of a thousand lengths not all are kept: they would fill the memory. */
static void a_list_ends(void)
{
    struct kp_mem mem = fake_alloc_plain();
    struct kp_http_reply reply;
    struct kp_scratch scratch;

    begin(&reply, &scratch, &mem);
    CHECK(take(&reply, "HTTP/1.1 200 x\r\n"));
    for (int i = 0; i < 1000; i++)
        CHECK(take(&reply, "Content-Length: 1\r\n"));
    CHECK(take(&reply, "\r\n"));
    CHECK_INT(reply.length_count, 1000);
    CHECK(reply.lengths.len < 1100);
    kp_scratch_deinit(&scratch);
}

static void ten_megabytes_of_head_are_enough(void)
{
    static const char filler[] = "X-Name: some kind of value that is just as long as is left\r\n";
    const size_t left = (10 * 1024 * 1024 - 17) % 28;
    struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
    struct kp_mem mem = fake_alloc_mem(&state);
    struct kp_http_reply reply;
    struct kp_scratch scratch;
    size_t lines = 0;

    kp_scratch_init(&scratch, &mem);
    kp_http_reply_init(&reply, &scratch, newest());
    CHECK(take(&reply, "HTTP/1.1 200 OK\r\n"));
    CHECK(kp_http_reply_line(&reply, (struct kp_text){filler, left}));
    while (lines < 1000000 && take(&reply, "X-Name: some kind of value\r\n"))
        lines++;
    CHECK_INT(lines, (10 * 1024 * 1024 - 17) / 28);
    CHECK(reply.refused);
    CHECK_INT(state.live, 1); /* of them a line is kept */
    kp_scratch_deinit(&scratch);
}

static void heads_share_their_memory(void)
{
    struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
    struct kp_mem mem = fake_alloc_mem(&state);
    struct kp_http_reply reply;
    struct kp_scratch scratch;

    begin(&reply, &scratch, &mem);
    for (int i = 0; i < 10000; i++)
        CHECK(take(&reply, "HTTP/1.1 103 x\r\nA: b\r\n\r\n"));
    CHECK_INT(state.live, 1);
    kp_scratch_deinit(&scratch);
}

static void five_informational_heads_where_there_is_a_limit(void)
{
    static const struct {
        bool unlimited;
        int count;
        bool taken;
    } rows[] = {{false, 5, true}, {false, 6, false}, {true, 6, true}, {true, 60, true}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_http_reply reply;
        const struct kp_profile profile = {.informational_unlimited = rows[i].unlimited};
        struct kp_scratch scratch;
        int count = 0;

        kp_scratch_init(&scratch, &mem);
        kp_http_reply_init(&reply, &scratch, &profile);
        while (count < rows[i].count && take(&reply, "HTTP/1.1 103 x\r\nA: b\r\n\r\n"))
            count++;
        CHECK_INT(take(&reply, "HTTP/1.1 200 OK\r\n\r\n") && count == rows[i].count, rows[i].taken);
        kp_scratch_deinit(&scratch);
    }
}

const struct unit_test http_reply_test[] = {
    {"heads that Go takes", heads_that_go_takes},
    {"heads that Go refuses", heads_that_go_refuses},
    {"heads that an old Go refuses", heads_that_an_old_go_refuses},
    {"headers that an old Go takes", headers_that_an_old_go_takes},
    {"a trailer is judged up to its empty line", a_trailer_is_judged_up_to_its_empty_line},
    {"a list ends", a_list_ends},
    {"heads share their memory", heads_share_their_memory},
    {"what of a head is kept", what_of_a_head_is_kept},
    {"a line ends where it ends", a_line_ends_where_it_ends},
    {"five informational heads where there is a limit",
     five_informational_heads_where_there_is_a_limit},
    {"ten megabytes of head are enough", ten_megabytes_of_head_are_enough},
    {0},
};
