#include "health.h"

enum { SERVICE = 1, STATUS = 1 };    /* fields */
enum { NUMBER_MAX = (1 << 29) - 1 }; /* of a field; inside a group it may be any of 31 bits */
enum { DEPTH_MAX = 4096 };           /* of groups: more than a message that is kept can begin */

enum wire_type { VARINT, FIXED64, BYTES, START_GROUP, END_GROUP, FIXED32 };

struct cursor {
    const unsigned char *at;
    const unsigned char *end;
};

/* ---- the request ----------------------------------------------------------------------------- */

static void put_varint(struct kp_buf *buf, uint64_t value)
{
    for (; value > 127; value >>= 7)
        kp_buf_put_char(buf, (char)(0x80 | (value & 0x7f)));
    kp_buf_put_char(buf, (char)value);
}

size_t kp_health_request_len(struct kp_text service)
{
    size_t len = service.len > 0 ? 2 + service.len : 0;

    for (size_t left = service.len >> 7; left > 0; left >>= 7)
        len++;
    return len;
}

void kp_health_put_request(struct kp_buf *buf, struct kp_text service)
{
    if (service.len == 0)
        return;
    kp_buf_put_char(buf, SERVICE << 3 | BYTES);
    put_varint(buf, service.len);
    kp_buf_put(buf, service);
}

/* ---- the response ---------------------------------------------------------------------------- */

/* At most 64 bits; bytes that add nothing may stand behind them, up to ten in all. */
static bool take_varint(struct cursor *cursor, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
        unsigned char byte = *cursor->at++;

        if (shift == 63 && byte > 1)
            return false;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool skip_bytes(struct cursor *cursor, uint64_t count)
{
    if ((uint64_t)(cursor->end - cursor->at) < count)
        return false;
    cursor->at += count;
    return true;
}

static bool skip_value(struct cursor *cursor, unsigned type)
{
    uint64_t value;

    switch (type) {
    case VARINT:
        return take_varint(cursor, &value);
    case FIXED64:
        return skip_bytes(cursor, 8);
    case FIXED32:
        return skip_bytes(cursor, 4);
    case BYTES:
        return take_varint(cursor, &value) && skip_bytes(cursor, value);
    default:
        return false;
    }
}

struct tag {
    uint64_t number;
    unsigned type;
};

static bool take_tag(struct cursor *cursor, uint64_t number_max, struct tag *tag)
{
    uint64_t value;

    if (!take_varint(cursor, &value))
        return false;
    *tag = (struct tag){value >> 3, (unsigned)(value & 7)};
    return tag->number > 0 && tag->number <= number_max;
}

/* A group with all that is in it, more groups too.  number: whose start was taken. */
static bool skip_group(struct cursor *cursor, uint64_t number)
{
    uint32_t open[DEPTH_MAX] = {(uint32_t)number};
    size_t depth = 1;
    struct tag tag;

    while (depth > 0) {
        if (!take_tag(cursor, INT32_MAX, &tag))
            return false;
        if (tag.type == START_GROUP && depth < DEPTH_MAX)
            open[depth++] = (uint32_t)tag.number;
        else if (tag.type == END_GROUP ? open[--depth] != tag.number
                                       : !skip_value(cursor, tag.type))
            return false;
    }
    return true;
}

/* A field that is not known, or that is of another type than the one known, is passed over. */
bool kp_health_read_response(struct kp_text bytes, int32_t *status)
{
    const unsigned char *begin = (const unsigned char *)bytes.bytes;
    struct cursor cursor = {begin, begin + bytes.len};
    struct tag tag;
    uint64_t value;

    *status = 0;
    while (cursor.at < cursor.end) {
        if (!take_tag(&cursor, NUMBER_MAX, &tag))
            return false;
        if (tag.number == STATUS && tag.type == VARINT) {
            if (!take_varint(&cursor, &value))
                return false;
            *status = (int32_t)(uint32_t)value;
        } else if (tag.type == START_GROUP ? !skip_group(&cursor, tag.number)
                                           : !skip_value(&cursor, tag.type)) {
            return false;
        }
    }
    return true;
}
