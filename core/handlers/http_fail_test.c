#include "fakes/rig.h"

#include <unistd.h>

/* What a server says to a ClientHello, and what Go says to that. */
static void handshakes_that_fail(void)
{
    static const struct {
        struct kp_text said;
        const char *why;
    } rows[] = {
        {{"\x15\x03\x01\0\2\2\x28", 7}, "remote error: tls: handshake failure"},
        {{"\x15\x03\x01\0\2\2\x46", 7}, "remote error: tls: protocol version not supported"},
        {{"\x15\x03\x01\0\2\2\x70", 7}, "remote error: tls: unrecognized name"},
        {{"\x15\x03\x01\0\2\2\x78", 7}, "remote error: tls: no application protocol"},
        {{"220 mail ESMTP\r\n", 16}, "tls: first record does not look like a TLS handshake"},
        {{"HTTP/1.0 400 Bad\r\n", 18}, "http: server gave HTTP response to HTTPS client"},
    };
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}, .scheme = KP_TEXT("HTTPS")};
    int server = rig_listen(&get.port.number);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *at;
        struct rig rig;
        int fd;

        rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
        rig_start(&rig);
        fd = rig_accept(&rig, server);
        CHECK_INT(send(fd, rows[i].said.bytes, rows[i].said.len, 0), (int)rows[i].said.len);
        rig_drain(&rig);
        CHECK_INT(rig.told.answer, KP_ANSWER_FAILURE);
        at = strstr(rig.told.output, "\": ");
        CHECK_STRING(at ? at + 3 : rig.told.output, rows[i].why);
        close(fd);
        rig_end(&rig);
    }
    close(server);
}

const struct unit_test http_fail_test[] = {
    {"handshakes that fail", handshakes_that_fail},
    {0},
};
