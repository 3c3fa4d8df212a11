#include "grpc_reply.h"

#include "fakes/alloc.h"
#include "fakes/grpc_lines.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

#define GOES_ON "...\r\n" /* it is no trailers */
#define HEAD "HTTP/2 200 \r\ncontent-type: application/grpc\r\n\r\n"

/* A reply that is read, and what it lives on. */
struct fixture {
    struct kp_mem mem;
    struct kp_scratch scratch;
    struct kp_grpc_reply reply;
    struct kp_grpc_status status;
    struct kp_profile profile;
};

static void begin(struct fixture *fixture)
{
    *fixture = (struct fixture){.mem = fake_alloc_plain(), .profile = {.grpc_type_decides = true}};
    kp_scratch_init(&fixture->scratch, &fixture->mem);
    kp_grpc_reply_init(&fixture->reply, &fixture->scratch, &fixture->profile);
}

static void end(struct fixture *fixture)
{
    kp_scratch_deinit(&fixture->scratch);
}

static void take(struct kp_grpc_reply *reply, const char *lines)
{
    while (*lines) {
        size_t len = (size_t)(strchr(lines, '\n') - lines) + 1;

        grpc_take_line(reply, (struct kp_text){lines, len});
        lines += len;
    }
}

static void codes_have_names(void)
{
    static const struct {
        uint32_t code;
        const char *name;
    } rows[] = {{0, "OK"}, {5, "NotFound"}, {16, "Unauthenticated"}, {17, "Code(17)"}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_message message = {0};
        struct fixture fixture;

        begin(&fixture);
        kp_grpc_add_code(&message, rows[i].code);
        CHECK_TEXT(kp_scratch_message(&fixture.scratch, &message), kp_text_of(rows[i].name));
        end(&fixture);
    }
}

/* Of a stream that ended before its time, and of one of which nothing came. */
static void streams_end_early(void)
{
    static const struct {
        const char *head;
        int reset;
        bool whole;
        uint32_t code;
        const char *words;
    } rows[] = {
        {"", -1, true, KP_GRPC_UNAVAILABLE, "error reading from server: EOF"},
        {HEAD, -1, false, KP_GRPC_UNAVAILABLE, "error reading from server: EOF"},
        {"HTTP/2 200 \r\ncontent-type: application/grpc\r\ngrpc-status: x\r\n\r\n", -1, false,
         KP_GRPC_UNKNOWN, "transport: malformed grpc-status"},
        {"HTTP/2 200 \r\ncontent-type: application/grpc\r\n", -1, true, KP_GRPC_UNAVAILABLE,
         "error reading from server: EOF"},
        {HEAD, 0, true, KP_GRPC_INTERNAL, "stream terminated by RST_STREAM"},
        {"HTTP/2 503 \r\n\r\n", 0, false, KP_GRPC_UNAVAILABLE,
         "unexpected HTTP status code received from server: 503 (Service Unavailable); malformed "
         "header: missing HTTP content-type"},
        {"HTTP/2 100x\r\ncontent-type: a\r\n\r\n", -1, true, KP_GRPC_INTERNAL,
         "transport: malformed http-status"},
        {"HTTP/2 2\r\ncontent-type: a\r\n\r\n", -1, true, KP_GRPC_UNKNOWN,
         "unexpected HTTP status code received from server: 2 (); transport: received unexpected "
         "content-type \"a\""},
        {"HTTP/2 503 \r\ncontent-type: a\r\n\r\n", -1, true, KP_GRPC_UNAVAILABLE,
         "unexpected HTTP status code received from server: 503 (Service Unavailable); transport: "
         "received unexpected content-type \"a\""},
        {"", 1, true, KP_GRPC_INTERNAL, "stream terminated by RST_STREAM"},
        {"HTTP/2 200 \r\ncontent-type: application/grpc\r\nx-bin: !\r\n", -1, true,
         KP_GRPC_UNAVAILABLE, "error reading from server: EOF"},
        {HEAD, 7, false, KP_GRPC_UNAVAILABLE, "stream terminated by RST_STREAM"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        begin(&fixture);
        CHECK_INT(fixture.reply.reset, -1);
        take(&fixture.reply, rows[i].head);
        fixture.reply.reset = rows[i].reset;
        CHECK(!kp_grpc_reply_end(&fixture.reply, rows[i].whole, &fixture.status));
        CHECK_INT(fixture.status.code, rows[i].code);
        CHECK_TEXT(fixture.status.message, kp_text_of(rows[i].words));
        end(&fixture);
    }
}

/* Upstream: grpc-go, internal/transport http_util.go http2ErrConvTab. */
static void each_reset_has_a_code(void)
{
    static const uint32_t codes[] = {
        KP_GRPC_INTERNAL,          KP_GRPC_INTERNAL, KP_GRPC_INTERNAL, KP_GRPC_RESOURCE_EXHAUSTED,
        KP_GRPC_INTERNAL,          KP_GRPC_INTERNAL, KP_GRPC_INTERNAL, KP_GRPC_UNAVAILABLE,
        KP_GRPC_CANCELED,          KP_GRPC_INTERNAL, KP_GRPC_INTERNAL, KP_GRPC_RESOURCE_EXHAUSTED,
        KP_GRPC_PERMISSION_DENIED, KP_GRPC_INTERNAL, KP_GRPC_UNKNOWN,  KP_GRPC_UNKNOWN};

    for (int reset = 0; reset < 16; reset++) {
        struct fixture fixture;

        begin(&fixture);
        take(&fixture.reply, HEAD);
        fixture.reply.reset = reset;
        CHECK(!kp_grpc_reply_end(&fixture.reply, false, &fixture.status));
        if (!CHECK_INT(fixture.status.code, codes[reset]))
            CHECK_INT(reset, -1);
        end(&fixture);
    }
}

/* Upstream: grpc-go, internal/transport http_util.go HTTPStatusConvTab. */
static void statuses_of_http_have_codes(void)
{
    static const struct {
        const char *status;
        uint32_t code;
    } rows[] = {{"400", KP_GRPC_INTERNAL},          {"401", KP_GRPC_UNAUTHENTICATED},
                {"403", KP_GRPC_PERMISSION_DENIED}, {"404", KP_GRPC_UNIMPLEMENTED},
                {"429", KP_GRPC_UNAVAILABLE},       {"500", KP_GRPC_UNKNOWN},
                {"502", KP_GRPC_UNAVAILABLE},       {"503", KP_GRPC_UNAVAILABLE},
                {"504", KP_GRPC_UNAVAILABLE}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        char head[64];

        begin(&fixture);
        snprintf(head, sizeof head, "HTTP/2 %s \r\ncontent-type: a\r\n\r\n", rows[i].status);
        take(&fixture.reply, head);
        CHECK(!kp_grpc_reply_end(&fixture.reply, true, &fixture.status));
        CHECK_INT(fixture.status.code, rows[i].code);
        end(&fixture);
    }
}

/* All that Go has a name for, and one that it has none for.  Upstream: Go, http.StatusText. */
/* clang-format off */
static const char *const names[] = {
    "100 Continue", "101 Switching Protocols", "102 Processing", "103 Early Hints", "200 OK",
    "201 Created", "202 Accepted", "203 Non-Authoritative Information", "204 No Content",
    "205 Reset Content", "206 Partial Content", "207 Multi-Status", "208 Already Reported",
    "226 IM Used", "300 Multiple Choices", "301 Moved Permanently", "302 Found", "303 See Other",
    "304 Not Modified", "305 Use Proxy", "307 Temporary Redirect", "308 Permanent Redirect",
    "400 Bad Request", "401 Unauthorized", "402 Payment Required", "403 Forbidden",
    "404 Not Found", "405 Method Not Allowed", "406 Not Acceptable",
    "407 Proxy Authentication Required", "408 Request Timeout", "409 Conflict", "410 Gone",
    "411 Length Required", "412 Precondition Failed", "413 Request Entity Too Large",
    "414 Request URI Too Long", "415 Unsupported Media Type",
    "416 Requested Range Not Satisfiable", "417 Expectation Failed", "418 I'm a teapot",
    "421 Misdirected Request", "422 Unprocessable Entity", "423 Locked", "424 Failed Dependency",
    "425 Too Early", "426 Upgrade Required", "428 Precondition Required", "429 Too Many Requests",
    "431 Request Header Fields Too Large", "451 Unavailable For Legal Reasons",
    "500 Internal Server Error", "501 Not Implemented", "502 Bad Gateway",
    "503 Service Unavailable", "504 Gateway Timeout", "505 HTTP Version Not Supported",
    "506 Variant Also Negotiates", "507 Insufficient Storage", "508 Loop Detected",
    "510 Not Extended", "511 Network Authentication Required", "599 ",
};
/* clang-format on */

static void each_status_of_http_has_its_name(void)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct fixture fixture;
        char head[64];
        char want[160];

        begin(&fixture);
        fixture.profile.grpc_type_decides = names[i][0] != '1'; /* it passes over those */
        snprintf(head, sizeof head, "HTTP/2 %.3s \r\ncontent-type: a\r\n\r\n", names[i]);
        snprintf(want, sizeof want,
                 "unexpected HTTP status code received from server: %.3s (%s); transport: received "
                 "unexpected content-type \"a\"",
                 names[i], names[i] + 4);
        take(&fixture.reply, head);
        CHECK(!kp_grpc_reply_end(&fixture.reply, true, &fixture.status));
        CHECK_TEXT(fixture.status.message, kp_text_of(want));
        end(&fixture);
    }
}

/* What ends a call before its reply does, and what is said of it. */
static void some_heads_end_the_call(void)
{
    static const struct {
        const char *head;
        const char *words;
    } rows[] = {
        {"HTTP/2 200 \r\ncontent-type: application/grpc\r\nx-bin: !\r\n\r\n",
         "transport: malformed -bin header"},
        {"HTTP/2 200 \r\ncontent-type: application/grpc\r\nx-bin: !\r\ny-bin: AA==\r\n\r\n",
         "transport: malformed -bin header"},
        {"HTTP/2 103 \r\ncontent-type: application/grpc\r\n\r\nHTTP/2 200 \r\nx-bin: !\r\n" GOES_ON,
         "a HEADERS frame cannot appear in the middle of a stream"},
        {"HTTP/2 103 \r\ncontent-type: application/grpc\r\n\r\nHTTP/2 200 \r\n" GOES_ON,
         "a HEADERS frame cannot appear in the middle of a stream"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        begin(&fixture);
        take(&fixture.reply, rows[i].head);
        (void)kp_grpc_reply_body(&fixture.reply, (struct kp_text){"\0\0\0\0\2\b\1", 7});
        kp_grpc_reply_end(&fixture.reply, true, &fixture.status);
        CHECK_INT(fixture.status.code, KP_GRPC_INTERNAL);
        CHECK_TEXT(fixture.status.message, kp_text_of(rows[i].words));
        end(&fixture);
    }
}

/* By whatever code, 0 too: an end of the stream, or that it was reset. */
static void a_reset_cuts_a_message_short(void)
{
    static const struct {
        bool tells_reset;
        const char *words;
    } rows[] = {{false, "unexpected EOF"}, {true, "stream terminated by RST_STREAM"}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        begin(&fixture);
        fixture.profile.grpc_reset_is_reported = rows[i].tells_reset;
        take(&fixture.reply, HEAD);
        (void)kp_grpc_reply_body(&fixture.reply, (struct kp_text){"\0\0\0\0\5\b\1", 7});
        fixture.reply.reset = 0;
        CHECK(!kp_grpc_reply_end(&fixture.reply, false, &fixture.status));
        CHECK_INT(fixture.status.code, KP_GRPC_INTERNAL);
        CHECK_TEXT(fixture.status.message, kp_text_of(rows[i].words));
        end(&fixture);
    }
}

static void reading_ends_where_nothing_can_come_of_it(void)
{
    static const char *const lines[] = {"HTTP/2 103 ", "", "HTTP/2 200 ", "no header", "a: b"};
    struct fixture fixture;

    begin(&fixture);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        CHECK(grpc_take_line(&fixture.reply, kp_text_of(lines[i])));
    CHECK(!grpc_take_line(&fixture.reply, KP_TEXT("\r\n")));
    end(&fixture);
    begin(&fixture);
    take(&fixture.reply, "HTTP/2 200 \r\ncontent-type: application/grpc\r\ngrpc-status: x\r\n");
    CHECK(!grpc_take_line(&fixture.reply, KP_TEXT("\r\n")));
    end(&fixture);
    begin(&fixture);
    take(&fixture.reply, HEAD);
    CHECK(kp_grpc_reply_body(&fixture.reply, KP_TEXT("")));
    CHECK(kp_grpc_reply_body(&fixture.reply, (struct kp_text){"\0\0\x40\0", 4}));
    CHECK(!kp_grpc_reply_body(&fixture.reply, (struct kp_text){"\1", 1}));
    end(&fixture);
    begin(&fixture); /* a page, and trailers behind it that cannot be read */
    fixture.profile.grpc_page_is_read = true;
    take(&fixture.reply, "HTTP/2 404 \r\ncontent-type: a\r\n\r\nA: b\r\n");
    CHECK(!grpc_take_line(&fixture.reply, KP_TEXT("\r\n")));
    end(&fixture);
}

static void a_flood_is_counted_and_not_kept(void)
{
    static const char flood[65536] = {0, 0, 0x3f, 0x7f, 0x7f};
    struct fixture fixture;

    begin(&fixture);
    take(&fixture.reply, HEAD);
    CHECK(kp_grpc_reply_body(&fixture.reply, (struct kp_text){flood, 5}));
    for (int i = 0; i < 100; i++)
        CHECK(kp_grpc_reply_body(&fixture.reply, (struct kp_text){flood, sizeof flood}));
    CHECK(fixture.reply.cap <= KP_GRPC_MESSAGE_BYTES);
    take(&fixture.reply, "grpc-status: 0\r\n\r\n");
    CHECK(!kp_grpc_reply_end(&fixture.reply, true, &fixture.status));
    CHECK_INT(fixture.status.code, KP_GRPC_INTERNAL);
    CHECK_TEXT(fixture.status.message, KP_TEXT("grpc: error unmarshalling: proto"));
    end(&fixture);
}

/* What stands in memory before a value, or behind it, is none of it. */
static void fields_end_where_they_end(void)
{
    static const char type[] = "application/grpc;";
    static const char binary[] = "=AA!A";
    static const char *const bad[] = {"=", "AAAA=", "AAAA=="};
    struct fixture fixture;

    begin(&fixture);
    kp_grpc_reply_field(&fixture.reply, KP_TEXT("content-type"), (struct kp_text){type, 15});
    CHECK(!fixture.reply.is_grpc);
    kp_grpc_reply_field(&fixture.reply, KP_TEXT("content-type"), (struct kp_text){type, 16});
    CHECK(fixture.reply.is_grpc);
    kp_grpc_reply_field(&fixture.reply, KP_TEXT("x-bin"), (struct kp_text){binary + 1, 0});
    kp_grpc_reply_field(&fixture.reply, KP_TEXT("xbin"), KP_TEXT("!"));
    CHECK(!fixture.reply.bad_binary);
    kp_grpc_reply_field(&fixture.reply, KP_TEXT("x-bin"), (struct kp_text){binary + 1, 4});
    CHECK(fixture.reply.bad_binary);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        fixture.reply.bad_binary = false;
        kp_grpc_reply_field(&fixture.reply, KP_TEXT("x-bin"), kp_text_of(bad[i]));
        CHECK(fixture.reply.bad_binary);
    }
    end(&fixture);
}

/* A value ends where it is said to, whatever stands behind it. */
static void values_end_where_they_end(void)
{
    /* clang-format off */
    static const struct {
        const char *bytes;
        size_t len;
        bool bad;
        int64_t status;
        const char *message;
    } rows[] = {
        {"grpc-status:5\r\n", 15, false, 5, ""},
        {"grpc-status: 123", 14, false, 1, ""},
        {"grpc-status: 123", 15, false, 12, ""},
        {"grpc-status:-5", 12, true, 0, ""},
        {"grpc-status:-5\r\n", 16, false, -5, ""},
        {"grpc-status:+5", 12, true, 0, ""},
        {"grpc-message: a%41", 18, false, 0, "aA"},
        {"grpc-message: a%41", 17, false, 0, "a%4"},
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        begin(&fixture);
        CHECK(grpc_take_line(&fixture.reply, (struct kp_text){rows[i].bytes, rows[i].len}));
        CHECK_INT(fixture.reply.bad_status, rows[i].bad);
        CHECK_INT(fixture.reply.status, rows[i].status);
        CHECK_TEXT(fixture.reply.status_message, kp_text_of(rows[i].message));
        end(&fixture);
    }
}

static void what_follows_a_head_takes_its_place(void)
{
    struct fixture fixture;

    begin(&fixture);
    take(&fixture.reply, "HTTP/2 200 \r\ncontent-type: application/grpc\r\ngrpc-status: 5\r\n"
                         "grpc-message: a\r\n\r\n");
    CHECK(fixture.reply.has_status);
    CHECK_TEXT(fixture.reply.status_message, KP_TEXT("a"));
    take(&fixture.reply, "x: y\r\n");
    CHECK(!fixture.reply.has_status);
    CHECK_TEXT(fixture.reply.status_message, KP_TEXT(""));
    end(&fixture);
}

static void a_head_has_one_status(void)
{
    struct fixture fixture;

    begin(&fixture);
    take(&fixture.reply, HEAD "HTTP/2 500 \r\n");
    CHECK_INT(fixture.reply.http_status, 200);
    end(&fixture);
}

/* Of two things that are wrong, the one that grpc-go comes to first. */
static void the_first_thing_that_is_wrong_is_reported(void)
{
    static const unsigned char largest[] = {0, 0, 0x40, 0, 0};
    static const unsigned char larger[] = {0, 0, 0x40, 0, 1};
    static const struct {
        const char *head;
        const unsigned char *body;
        bool goes_on;
        const char *words;
    } rows[] = {
        {HEAD, larger, false, "grpc: received message larger than max"},
        {HEAD, largest, true, "error reading from server: EOF"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        begin(&fixture);
        take(&fixture.reply, rows[i].head);
        CHECK_INT(
            kp_grpc_reply_body(&fixture.reply, (struct kp_text){(const char *)rows[i].body, 5}),
            rows[i].goes_on);
        CHECK(!kp_grpc_reply_end(&fixture.reply, false, &fixture.status));
        CHECK_TEXT(fixture.status.message, kp_text_of(rows[i].words));
        end(&fixture);
    }
}

/* One of the greatest length that is cut off, and one that is followed by more than is kept. */
static void lengths_at_their_borders(void)
{
    static char body[16384] = {0, 0, 0, 0, 2};
    struct fixture fixture;

    begin(&fixture);
    take(&fixture.reply, HEAD);
    (void)kp_grpc_reply_body(&fixture.reply, (struct kp_text){"\0\0\x40\0\0", 5});
    take(&fixture.reply, "grpc-status: 0\r\n\r\n");
    CHECK(!kp_grpc_reply_end(&fixture.reply, true, &fixture.status));
    CHECK_TEXT(fixture.status.message, KP_TEXT("unexpected EOF"));
    end(&fixture);
    begin(&fixture);
    take(&fixture.reply, HEAD);
    CHECK(sizeof body > sizeof fixture.reply.body);
    CHECK(kp_grpc_reply_body(&fixture.reply, (struct kp_text){body, sizeof body}));
    take(&fixture.reply, "grpc-status: 0\r\n\r\n");
    CHECK(kp_grpc_reply_end(&fixture.reply, true, &fixture.status));
    CHECK_INT(fixture.reply.message.len, 2);
    CHECK_TEXT(fixture.status.message,
               KP_TEXT("cardinality violation: expected <EOF> for non "
                       "server-streaming RPCs, but received another message"));
    end(&fixture);
}

/* Of each length, the last byte by itself: that which makes it grow, too. */
static void messages_of_each_length_are_kept(void)
{
    char body[1100] = {0};

    for (size_t i = 5; i < sizeof body; i++)
        body[i] = (char)('a' + i % 26);
    for (size_t len = 6; len <= sizeof body; len++) {
        struct fixture fixture;

        begin(&fixture);
        take(&fixture.reply, HEAD);
        body[3] = (char)((len - 5) >> 8);
        body[4] = (char)(len - 5);
        CHECK(kp_grpc_reply_body(&fixture.reply, (struct kp_text){body, len - 1}));
        CHECK(kp_grpc_reply_body(&fixture.reply, (struct kp_text){body + len - 1, 1}));
        take(&fixture.reply, "grpc-status: 0\r\n\r\n");
        CHECK(kp_grpc_reply_end(&fixture.reply, true, &fixture.status));
        CHECK_TEXT(fixture.reply.message, ((struct kp_text){body + 5, len - 5}));
        end(&fixture);
    }
}

/* Of two messages, of which the first one has so many bytes, the second one's prefix. */
static void read_two(size_t len, unsigned char flag, struct fixture *fixture)
{
    static char body[KP_GRPC_MESSAGE_BYTES + 100];

    memset(body, 0, sizeof body);
    body[3] = (char)(len >> 8);
    body[4] = (char)len;
    body[5 + len] = (char)flag;
    body[5 + len + 1] = flag == 0 ? '\xff' : 0; /* by its length, too large */
    begin(fixture);
    take(&fixture->reply, HEAD);
    CHECK(kp_grpc_reply_body(&fixture->reply, (struct kp_text){body, 5 + len + 5}));
    take(&fixture->reply, "grpc-status: 0\r\n\r\n");
}

/* As far as it is kept.  What is behind that might be a message. */
static void a_second_message_is_looked_at(void)
{
#define ANOTHER                                                                                    \
    "cardinality violation: expected <EOF> for non server-streaming RPCs, but received another "   \
    "message"
    static const struct {
        size_t len;
        unsigned char flag;
        const char *words;
    } rows[] = {
        {2, 5, "grpc: received unexpected payload format 5"},
        {KP_GRPC_MESSAGE_BYTES - 10, 0, "grpc: received message larger than max"},
        {KP_GRPC_MESSAGE_BYTES - 9, 0, ANOTHER},
        {KP_GRPC_MESSAGE_BYTES - 5, 0, ANOTHER},
    };
    struct fixture larger;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        read_two(rows[i].len, rows[i].flag, &fixture);
        CHECK(kp_grpc_reply_end(&fixture.reply, true, &fixture.status));
        CHECK_INT(fixture.reply.message.len, rows[i].len);
        CHECK_TEXT(fixture.status.message, kp_text_of(rows[i].words));
        end(&fixture);
    }
    read_two(KP_GRPC_MESSAGE_BYTES - 4, 0, &larger);
    CHECK(!kp_grpc_reply_end(&larger.reply, true, &larger.status));
    CHECK_TEXT(larger.status.message, KP_TEXT("grpc: error unmarshalling: proto"));
    end(&larger);
}

/* Its first kilobyte is reported, where it comes; where it is not read, nothing of it. */
static void a_page_is_read_up_to_a_kilobyte(void)
{
    static const char head[] = "HTTP/2 404 \r\ncontent-type: a\r\n\r\n";
    static char page[1024];
    static const struct {
        bool is_read;
        size_t len;
        uint32_t code;
        bool tells_data;
    } rows[] = {{true, 1024, KP_GRPC_UNIMPLEMENTED, true},
                {true, 1023, KP_GRPC_UNAVAILABLE, false},
                {false, 0, KP_GRPC_UNIMPLEMENTED, false}};

    memset(page, 'x', sizeof page);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        begin(&fixture);
        fixture.profile.grpc_page_is_read = rows[i].is_read;
        take(&fixture.reply, head);
        if (rows[i].len > 0)
            CHECK_INT(kp_grpc_reply_body(&fixture.reply, (struct kp_text){page, rows[i].len}),
                      rows[i].len < sizeof page);
        else
            take(&fixture.reply, "a: b\r\n");
        CHECK(!kp_grpc_reply_end(&fixture.reply, false, &fixture.status));
        CHECK_INT(fixture.status.code, rows[i].code);
        CHECK_INT(memchr(fixture.status.message.bytes, '\n', fixture.status.message.len) != NULL,
                  rows[i].tells_data);
        end(&fixture);
    }
}

const struct unit_test grpc_reply_test[] = {
    {"messages of each length are kept", messages_of_each_length_are_kept},
    {"values end where they end", values_end_where_they_end},
    {"fields end where they end", fields_end_where_they_end},
    {"a second message is looked at", a_second_message_is_looked_at},
    {"a page is read up to a kilobyte", a_page_is_read_up_to_a_kilobyte},
    {"a head has one status", a_head_has_one_status},
    {"what follows a head takes its place", what_follows_a_head_takes_its_place},
    {"the first thing that is wrong is reported", the_first_thing_that_is_wrong_is_reported},
    {"lengths at their borders", lengths_at_their_borders},
    {"codes have names", codes_have_names},
    {"streams end early", streams_end_early},
    {"each reset has a code", each_reset_has_a_code},
    {"each status of HTTP has its name", each_status_of_http_has_its_name},
    {"statuses of HTTP have codes", statuses_of_http_have_codes},
    {"some heads end the call", some_heads_end_the_call},
    {"a reset cuts a message short", a_reset_cuts_a_message_short},
    {"reading ends where nothing can come of it", reading_ends_where_nothing_can_come_of_it},
    {"a flood is counted and not kept", a_flood_is_counted_and_not_kept},
    {0},
};
