#include "fuzz/shared/health.h"

#include <stddef.h>

typedef const unsigned char *place; /* NULL: there was nothing to read on from */

static place number_from(place at, place end, uint64_t *number)
{
    unsigned bytes = 0;

    *number = 0;
    for (place byte = at; byte < end && bytes < 10; byte++, bytes++) {
        uint64_t bits = *byte & 127u;

        if (bytes == 9 && *byte > 1)
            return NULL;
        *number += bits << (7 * bytes);
        if (*byte == bits)
            return byte + 1;
    }
    return NULL;
}

static place fields_from(place at, place end, uint64_t group, int64_t *status);

/* `key`: field and type in one, as it stands on the wire. */
static place value_from(place at, place end, uint64_t key, uint64_t *value)
{
    static const uint64_t fixed[8] = {[1] = 8, [5] = 4};
    int64_t ignored;

    *value = fixed[key % 8];
    if (key % 8 == 3)
        return fields_from(at, end, key / 8, &ignored);
    if (key % 8 == 0 || key % 8 == 2)
        at = number_from(at, end, value);
    else if (fixed[key % 8] == 0)
        return NULL;
    if (!at || key % 8 == 0)
        return at;
    return *value <= (uint64_t)(end - at) ? at + *value : NULL;
}

/* group: the field whose end is looked for; 0: the end of the bytes. */
static place fields_from(place at, place end, uint64_t group, int64_t *status)
{
    uint64_t limit = group ? UINT64_C(1) << 31 : UINT64_C(1) << 29;
    uint64_t key;
    uint64_t value;

    while (at && at < end) {
        at = number_from(at, end, &key);
        if (!at || key / 8 == 0 || key / 8 >= limit)
            return NULL;
        if (key % 8 == 4)
            return key / 8 == group ? at : NULL;
        at = value_from(at, end, key, &value);
        if (at && key == 8)
            *status = (int32_t)(uint32_t)value;
    }
    return group ? NULL : at;
}

int64_t fuzz_health(struct kp_text bytes)
{
    place begin = (place)bytes.bytes;
    int64_t status = 0;

    return fields_from(begin, begin + bytes.len, 0, &status) ? status : INT64_MIN;
}
