#include "conformance/text/durations.h"

#include "core/model/trace.h"

static const struct unit {
    const char *name;
    int64_t ns;
} units[] = {
    {"ms", KP_NS_PER_MS},
    {"s", KP_NS_PER_S},
    {"m", 60 * KP_NS_PER_S},
    {"h", 3600 * KP_NS_PER_S},
};

/* The unit that the text begins with, or NULL. */
static const struct unit *find_unit(struct kp_text text)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (kp_text_begins(text, units[i].name))
            return &units[i];
    return NULL;
}

bool cf_take_decimal(struct kp_text *text, int places, int64_t *scaled)
{
    int64_t value = 0;
    int decimals = -1;
    size_t i = 0;

    for (; i < text->len; i++) {
        char c = text->bytes[i];

        if (c == '.' && decimals < 0 && i > 0) {
            decimals = 0;
            continue;
        }
        if (c < '0' || c > '9')
            break;
        if (value > INT64_C(100000000000) || decimals == places)
            return false;
        value = 10 * value + (c - '0');
        decimals += decimals >= 0;
    }
    if (i == 0 || decimals == 0)
        return false;
    for (int k = decimals > 0 ? decimals : 0; k < places; k++)
        value *= 10;
    *scaled = value;
    *text = kp_text_from(*text, i);
    return true;
}

bool cf_parse_duration(struct kp_text text, int64_t *duration_ns)
{
    int64_t total = 0;
    int64_t sign = 1;

    if (text.len > 0 && (text.bytes[0] == '-' || text.bytes[0] == '+')) {
        sign = text.bytes[0] == '-' ? -1 : 1;
        text = kp_text_from(text, 1);
    }
    if (text.len == 0)
        return false;
    while (text.len > 0) {
        int64_t thousandths;
        const struct unit *unit;

        if (!cf_take_decimal(&text, 3, &thousandths))
            return false;
        unit = find_unit(text);
        if (!unit || thousandths > CF_DURATION_MAX_NS / (unit->ns / 1000))
            return false;
        total += thousandths * (unit->ns / 1000);
        if (total > CF_DURATION_MAX_NS)
            return false;
        text = kp_text_from(text, kp_text_of(unit->name).len);
    }
    *duration_ns = sign * total;
    return total % KP_NS_PER_MS == 0;
}

bool cf_parse_grace(struct kp_text text, int64_t *grace_s)
{
    int64_t duration_ns;
    uint64_t number;

    if (cf_parse_duration(text, &duration_ns)) {
        *grace_s = duration_ns / KP_NS_PER_S;
        return duration_ns % KP_NS_PER_S == 0;
    }
    if (text.len == 0 || text.bytes[text.len - 1] != 's' ||
        !kp_text_number((struct kp_text){text.bytes, text.len - 1}, INT64_MAX, &number))
        return false;
    *grace_s = (int64_t)number;
    return true;
}

void cf_put_grace(struct kp_buf *buf, int64_t grace_s)
{
    if (grace_s >= 0 && grace_s <= CF_DURATION_MAX_NS / KP_NS_PER_S) {
        kp_buf_put_duration(buf, kp_seconds_ns(grace_s));
        return;
    }
    kp_buf_put_int(buf, grace_s);
    kp_buf_put_char(buf, 's');
}
