/* tcp_test.c: the dialler's very words, where the table is content with their class. */
#include "fakes/rig.h"

static void what_cannot_be_dialled_is_reported_in_gos_words(void)
{
    static const struct {
        const char *host;
        const char *words;
    } rows[] = {
        {"[", "dial tcp: address [:80: missing ']' in address"},
        {"[::1]", "dial tcp: address [[::1]]:80: missing port in address"},
        {"a]", "dial tcp: address a]:80: unexpected ']' in address"},
        {"127.1", "dial tcp: lookup 127.1: no such host"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kp_tcp_socket_action tcp = {.port = {.number = 80},
                                                 .host = kp_text_of(rows[i].host)};
        struct rig rig;

        rig_init(&rig, "1.36", &(struct kp_handler){.tcp_socket = &tcp});
        rig_start(&rig);
        CHECK_INT(kp_handlers_step(rig.handlers, kp_handlers_now_ns()), 1); /* at once */
        rig_drain(&rig);
        CHECK_INT(rig.result.answer, KP_ANSWER_FAILURE);
        CHECK_STRING(rig.result.output, rows[i].words);
        CHECK(rig.result.class_word == NULL);
        rig_end(&rig);
    }
}

/* A port that is none is an error, of which one is reported, and once. */
static void a_port_that_is_none_is_reported_once(void)
{
    static const struct kp_tcp_socket_action tcp = {
        .port = {.kind = KP_INTSTR_STRING, .string = {"x", 1}}, .host = {"[", 1}};
    struct rig rig;

    rig_init(&rig, "1.37", &(struct kp_handler){.tcp_socket = &tcp});
    rig_start(&rig);
    rig_drain(&rig);
    CHECK_INT(rig.result.count, 1);
    CHECK_INT(rig.result.answer, KP_ANSWER_ERROR);
    CHECK_STRING(rig.result.output, "port \"x\" not found");
    rig_end(&rig);
}

const struct unit_test tcp_test[] = {
    {"what cannot be dialled is reported in Go's words",
     what_cannot_be_dialled_is_reported_in_gos_words},
    {"a port that is none is reported once", a_port_that_is_none_is_reported_once},
    {0},
};
