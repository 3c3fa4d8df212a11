#include "http_relay.h"

#include "fakes/unit.h"

#include <stdlib.h>
#include <string.h>

static void heads_that_libcurl_reads(void)
{
    static const struct {
        const char *bytes;
        bool is_for_libcurl;
    } rows[] = {
        {"HTTP/1.1 200 OK\r\n\r\n", true},
        {"HTTP/1.1 200\r\n\r\n", true},
        {"HTTP/1.1 999 x\nA: b\n\n", true},
        {"HTTP/1.1 503 x\r\nA: b\r\n\nbody", true},
        {"hello", false},
        {"\x00\x00\x00\x04", false},
        {"http/1.1 200 OK\r\n\r\n", false},
        {"HTTP/1.1 200 OK\r\n a: b\r\n\r\n", false},
        {"HTTP/1.1 200 OK\r\nx\n\r\n", false},
        {"HTTP/1.1 200 OK\r\n\rA: b\r\n", false},
        {"HTTP/1.1 200 OK\r\nA: b\r\n\tc\r\n\r\n", false},
        {"HTTP/1.1 200 OK\r\nab\r\nA: b\r\n\r\n", false},
        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", true},
        {"HTTP/1.1 200 OK\r\nX-Transfer-Encoding: chunked\r\nX: Content-Length: x\r\n\r\n", true},
        {"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", false},
        {"HTTP/1.1 200 OK\r\nA: b\r\nTransfer-Encoding:chunked\r\n\r\n", false},
        {"HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nok", false},
        {"HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\nok", false},
        {"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nok", false},
        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok", false},
        {"H", false},
        {"HTTP/", false},
        {"HTTP/1.1 200", false},
        {"HTTP/1.1 200 ", false},
        {"HTTP/1.1 200 OK\r\n", false},
        {"HTTP/1.1 200 OK\r\n\r", false},
        {"HTTP/1.1 200 OK\r\nA: b\r\n", false},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 099 x\r\n\r\n", false},
        {"HTTP/1.1 099 x\r\n\r\n", false},
        {"HTTP/1.1 2000 x\r\n\r\n", false},
        {"HTTP/1.1 2x0 x\r\n\r\n", false},
        {"HTTP/1.1 20x x\r\n\r\n", false},
        {"HTTP/1.1  200 x\r\n\r\n", false},
        {"HTTP/1.1 :00 x\r\n\r\n", false},
        {"HTTP/1.0 200 OK\r\n\r\n", false},
        {"HTTP/2 200 OK\r\n\r\n", false},
        {"HTTP/9.9 200 OK\r\n\r\n", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *at = rows[i].bytes;
        struct kp_text text = {at, *at ? strlen(at) : 4};

        if (!CHECK_INT(kp_http_relay_is_for_libcurl(text), rows[i].is_for_libcurl))
            printf("  %s\n", at);
    }
}

/* Of what has arrived no more is looked at, whatever the room behind it holds. */
static void heads_that_go_on(void)
{
#define CUT(bytes, behind)                                                                         \
    {                                                                                              \
        bytes behind, sizeof(bytes) - 1                                                            \
    }
    static const struct {
        const char *bytes;
        size_t len;
    } rows[] = {
        CUT("HTTP/1.1 200 OK\r\n\r", "\n"),
        CUT("HTTP/1.1 200 OK\n\nContent-Length: ", "5"),
        CUT("HTTP/1.1 200 OK\r\nContent-Length:  ", "5\r\n\r\n"),
        CUT("HTTP/1.1 200\0x\r\n\r\n", ""),
        CUT("HTTP/1.1 200 O\0K\r\n\r\n", ""),
        CUT("HTTP/1.1 200 OK\r\nA: b\0\r\n\r\n", ""),
    };
#undef CUT

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *alone = malloc(rows[i].len); /* of which ASan sees the end */

        if (!CHECK(alone != NULL))
            return;
        memcpy(alone, rows[i].bytes, rows[i].len);
        CHECK(!kp_http_relay_is_for_libcurl((struct kp_text){rows[i].bytes, rows[i].len}));
        CHECK(!kp_http_relay_is_for_libcurl((struct kp_text){alone, rows[i].len}));
        free(alone);
    }
}

const struct unit_test http_relay_test[] = {
    {"heads that go on", heads_that_go_on},
    {"heads that libcurl reads", heads_that_libcurl_reads},
    {0},
};
