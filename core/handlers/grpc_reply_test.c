#include "grpc_reply.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <string.h>

#define HEAD "HTTP/2 200 \r\ncontent-type: application/grpc\r\n\r\n"

struct row {
    const char *head; /* lines */
    const char *body;
    size_t body_len;
    const char *trailers;
    uint32_t code; /* KP_GRPC_OK: there is a message */
    const char *words;
};

static void take(struct kp_grpc_reply *reply, const char *lines)
{
    while (*lines) {
        size_t len = (size_t)(strchr(lines, '\n') - lines) + 1;

        kp_grpc_reply_line(reply, (struct kp_text){lines, len});
        lines += len;
    }
}

/* P-130 */
static void replies_come_to_the_status_that_grpc_go_gives(void)
{
    /* clang-format off */
    static const struct row rows[] = {
        {HEAD, "\0\0\0\0\2\010\001", 7, "grpc-status: 0\r\n\r\n", KP_GRPC_OK, ""},
        {HEAD, "\0\0\0\0\0", 5, "grpc-status: 0\r\n\r\n", KP_GRPC_OK, ""},
        {"HTTP/2 200 \r\ncontent-type: application/grpc+proto\r\ngrpc-status: 5\r\ngrpc-message: a%20b%zz\r\n\r\n", "", 0, "", 5, "a b%zz"},
        {HEAD, "", 0, "", KP_GRPC_INTERNAL, "server closed the stream without sending trailers"},
        {HEAD, "", 0, "grpc-status: x\r\n\r\n", KP_GRPC_UNKNOWN, "transport: malformed grpc-status"},
        {HEAD, "\0\0\0\0\5a", 6, "grpc-status: 0\r\n\r\n", KP_GRPC_INTERNAL, "unexpected EOF"},
        {HEAD, "\1\0\0\0\0", 5, "grpc-status: 0\r\n\r\n", KP_GRPC_INTERNAL,
         "grpc: compressed flag set with identity or empty encoding"},
        {HEAD, "\0\377\377\377\377", 5, "", KP_GRPC_RESOURCE_EXHAUSTED, "grpc: received message larger than max"},
        {"HTTP/2 404 \r\ncontent-type: text/plain\r\n\r\n", "", 0, "", KP_GRPC_UNIMPLEMENTED,
         "unexpected HTTP status code received from server: 404; transport: received unexpected content-type \"text/plain\""},
        {"HTTP/2 503 \r\n\r\n", "", 0, "", KP_GRPC_UNAVAILABLE,
         "unexpected HTTP status code received from server: 503; malformed header: missing HTTP content-type"},
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_grpc_status status = {0};
        struct kp_grpc_reply reply;
        struct kp_scratch scratch;

        kp_scratch_init(&scratch, &mem);
        kp_grpc_reply_init(&reply, &scratch);
        take(&reply, rows[i].head);
        kp_grpc_reply_body(&reply, (struct kp_text){rows[i].body, rows[i].body_len});
        take(&reply, rows[i].trailers);
        CHECK_INT(kp_grpc_reply_end(&reply, true, &status), rows[i].code == KP_GRPC_OK);
        CHECK_INT(status.code, rows[i].code);
        CHECK_TEXT(status.message, kp_text_of(rows[i].words));
        kp_scratch_deinit(&scratch);
    }
}

static void a_flood_is_counted_and_not_kept(void)
{
    static const char flood[65536] = {0, 0, 0x3f, 0x7f, 0x7f};
    struct kp_mem mem = fake_alloc_plain();
    struct kp_grpc_status status;
    struct kp_grpc_reply reply;
    struct kp_scratch scratch;

    kp_scratch_init(&scratch, &mem);
    kp_grpc_reply_init(&reply, &scratch);
    take(&reply, HEAD);
    for (int i = 0; i < 100; i++)
        CHECK(kp_grpc_reply_body(&reply, (struct kp_text){flood, sizeof flood}));
    take(&reply, "grpc-status: 0\r\n\r\n");
    CHECK(!kp_grpc_reply_end(&reply, true, &status));
    CHECK_INT(status.code, KP_GRPC_INTERNAL);
    kp_scratch_deinit(&scratch);
}

const struct unit_test grpc_reply_test[] = {
    {"replies come to the status that grpc-go gives",
     replies_come_to_the_status_that_grpc_go_gives},
    {"a flood is counted and not kept", a_flood_is_counted_and_not_kept},
    {0},
};
