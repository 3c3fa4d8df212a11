#include "health.h"

#include "fakes/unit.h"

#include <string.h>

/* The bytes that such hexadecimal digits spell. */
static struct kp_text bytes_of(const char *hex, char storage[64])
{
    size_t len = strlen(hex) / 2;

    for (size_t i = 0; i < len; i++)
        storage[i] = (char)(16 * kp_hex_value(hex[2 * i]) + kp_hex_value(hex[2 * i + 1]));
    return (struct kp_text){storage, len};
}

static void a_request_has_its_length(void)
{
    static char name[20000];
    /* clang-format off */
    static const struct {
        size_t service;
        const char *head; /* hexadecimal: what stands before the name */
    } rows[] = {
        {0, ""}, {1, "0a01"}, {127, "0a7f"}, {128, "0a8001"}, {300, "0aac02"}, {16383, "0aff7f"}, {16384, "0a808001"},
    };
    /* clang-format on */

    memset(name, 'n', sizeof name);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_text service = {name, rows[i].service};
        char storage[64];
        struct kp_text head = bytes_of(rows[i].head, storage);
        char bytes[20016];
        struct kp_buf buf = {bytes, sizeof bytes, 0};

        kp_health_put_request(&buf, service);
        CHECK_INT(buf.need, kp_health_request_len(service));
        CHECK_INT(buf.need, head.len + service.len);
        CHECK(memcmp(bytes, head.bytes, head.len) == 0);
        CHECK(memcmp(bytes + head.len, name, service.len) == 0);
    }
}

static void responses_are_read(void)
{
    static const struct {
        const char *hex;
        int32_t status; /* -9: they are none */
    } rows[] = {
        {"", 0},
        {"0801", 1},
        {"08011002", 1}, /* field 2 */
        {"08020801", 1},
        {"880001", 1},                 /* a tag of two bytes */
        {"8880808080808080800001", 1}, /* of ten */
        {"888080808080808080800001", -9} /* of eleven */,
        {"088180808010", 1},
        {"08ffffffffffffffffff01", -1},
        {"08ffffffffffffffffff02", -9},
        {"08ffffffffffffffffff8100", -9},
        {"08", -9},
        {"0880", -9},
        {"0001", -9},             /* field 0 */
        {"f8ffffff0f010801", 1},  /* the last field there may be */
        {"8080808010010801", -9}, /* and the next one */
        {"0a000801", 1},          /* field 1 as bytes */
        {"0a0208020801", 1},
        {"08010a01", -9},
        {"0affffffffffffffffff01", -9},
        {"0aecffffffffffffffff01", -9}, /* a length that leads to before the message */
        {"0901020304050607080801", 1},
        {"0901020304050607", -9},
        {"0d010203040801", 1},
        {"0d010203", -9},
        {"0e0801", -9}, /* type 6 */
        {"0f0801", -9},
        {"0b08020c0801", 1}, /* a group of field 1 with a field 1 */
        {"0b13140c0801", 1}, /* one in another */
        {"0b130c14", -9},    /* of which the outer one ends first */
        {"0b0802", -9},
        {"0b08", -9},
        {"0b0e0c", -9},
        {"0b00010c", -9},             /* field 0 in it */
        {"0bf8ffffff3f010c0801", 1},  /* of 31 bits in it */
        {"0b8080808040010c0801", -9}, /* of 32 */
        {"0b08ffffffffffffffffff020c", -9},
        {"0801ffffffffffffffffff0201", -9}, /* a tag that is none, and a byte more */
        {"0c", -9},                         /* the end of none */
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int32_t status = -7;
        char storage[64];
        bool is_message = kp_health_read_response(bytes_of(rows[i].hex, storage), &status);

        CHECK_INT(is_message ? status : -9, rows[i].status);
    }
}

/* Deeper than any that is kept: refused, and no more. */
static void groups_are_not_without_end(void)
{
    static char bytes[8194];
    int32_t status;

    memset(bytes, 0x0b, 4096);
    memset(bytes + 4096, 0x0c, 4096);
    CHECK(kp_health_read_response((struct kp_text){bytes, 8192}, &status));
    memset(bytes, 0x0b, sizeof bytes);
    memset(bytes + 4097, 0x0c, 4097);
    CHECK(!kp_health_read_response((struct kp_text){bytes, 8194}, &status));
    memset(bytes, 0x0b, sizeof bytes);
    CHECK(!kp_health_read_response((struct kp_text){bytes, sizeof bytes}, &status));
}

const struct unit_test health_test[] = {
    {"a request has its length", a_request_has_its_length},
    {"responses are read", responses_are_read},
    {"groups are not without end", groups_are_not_without_end},
    {0},
};
