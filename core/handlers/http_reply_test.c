#include "http_reply.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <string.h>

/* Lines of a head, one after another, as libcurl hands them over. */
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
        {"HTTP/2 200 \r\nserver: x\r\n\r\n", 200, -1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_http_reply reply;
        struct kp_scratch scratch;

        kp_scratch_init(&scratch, &mem);
        kp_http_reply_init(&reply, &scratch);
        CHECK(take(&reply, rows[i].head) && reply.complete);
        CHECK_INT(reply.status, rows[i].status < 0 ? 200 : rows[i].status);
        CHECK_INT(reply.content_length, rows[i].length);
        kp_scratch_deinit(&scratch);
    }
}

static void heads_that_go_refuses(void)
{
    static const struct {
        const char *head;
        const char *why; /* its end */
    } rows[] = {
        {"HTTP/1.1\r\n", "malformed HTTP response \"HTTP/1.1\""},
        {"HTTP/1.1 2000 x\r\n", "malformed HTTP status code \"2000\""},
        {"HTTP/1.1 -20 x\r\n", "malformed HTTP status code \"-20\""},
        {"HTTP/1.10 200 x\r\n", "malformed HTTP version \"HTTP/1.10\""},
        {"HTTP/x.y 200 x\r\n", "malformed HTTP version \"HTTP/x.y\""},
        {"HTTP/1.1 200 OK\r\n a: b\r\n", "malformed MIME header initial line: \" a: b\""},
        {"HTTP/1.1 200 OK\r\nab\r\n", "malformed MIME header: missing colon: \"ab\""},
        {"HTTP/1.1 200 OK\r\n: b\r\n", "malformed MIME header line: \": b\""},
        {"HTTP/1.1 200 OK\r\nA: b\x01\r\n", "malformed MIME header line: \"A: b\\x01\""},
        {"HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\n", "bad Content-Length \"+2\""},
        {"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\n", "bad Content-Length \"2, 2\""},
        {"HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", "invalid empty Content-Length \"\""},
        {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
         "bad Content-Length \"99999999999999999999\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_http_reply reply;
        struct kp_scratch scratch;
        struct kp_text why;
        size_t len = strlen(rows[i].why);

        kp_scratch_init(&scratch, &mem);
        kp_http_reply_init(&reply, &scratch);
        CHECK(!take(&reply, rows[i].head) && reply.refused);
        why = kp_scratch_say(&scratch, &reply.why);
        CHECK(why.len > len);
        CHECK_TEXT(((struct kp_text){why.bytes + why.len - len, len}), kp_text_of(rows[i].why));
        kp_scratch_deinit(&scratch);
    }
}

static void ten_megabytes_of_head_are_enough(void)
{
    struct kp_mem mem = fake_alloc_plain();
    struct kp_http_reply reply;
    struct kp_scratch scratch;
    size_t lines = 0;

    kp_scratch_init(&scratch, &mem);
    kp_http_reply_init(&reply, &scratch);
    CHECK(take(&reply, "HTTP/1.1 200 OK\r\n"));
    while (lines < 1000000 && take(&reply, "X-Name: some kind of value\r\n"))
        lines++;
    CHECK_INT(lines, (10 * 1024 * 1024 - 17) / 28);
    CHECK(scratch.blocks == NULL); /* nothing of them is kept */
    kp_scratch_deinit(&scratch);
}

const struct unit_test http_reply_test[] = {
    {"heads that Go takes", heads_that_go_takes},
    {"heads that Go refuses", heads_that_go_refuses},
    {"ten megabytes of head are enough", ten_megabytes_of_head_are_enough},
    {0},
};
