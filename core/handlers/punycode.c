#include "punycode.h"

#include "core/base/quote.h"

enum {
    BASE = 36,
    LEAST = 1, /* tmin and tmax of the RFC */
    MOST = 26,
    SKEW = 38,
    DAMP = 700,
    LARGE = (BASE - LEAST) * MOST / 2,
    FIRST_BIAS = 72,
    FIRST_RUNE = 0x80,
    NO_RUNE = 0xfffd
};

/* Takes the rune off that a text begins with. */
static int64_t take_rune(struct kp_text *text)
{
    uint32_t rune;
    size_t len = kp_utf8_decode(*text, &rune);

    *text = kp_text_from(*text, len + (len == 0));
    return len > 0 ? rune : NO_RUNE;
}

static int64_t adapt(int64_t delta, int64_t points, bool first)
{
    int64_t bias = 0;

    delta /= first ? DAMP : 2;
    delta += delta / points;
    while (delta > LARGE) {
        delta /= BASE - LEAST;
        bias += BASE;
    }
    return bias + (BASE - LEAST + 1) * delta / (delta + SKEW);
}

static void put_digit(struct kp_buf *buf, int64_t digit)
{
    kp_buf_put_char(buf, "abcdefghijklmnopqrstuvwxyz0123456789"[digit]);
}

/* A number of digits whose weights depend on the bias. */
static void put_delta(struct kp_buf *buf, int64_t delta, int64_t bias)
{
    int64_t weight = BASE;

    for (;; weight += BASE) {
        int64_t t = weight <= bias ? LEAST : weight >= bias + MOST ? MOST : weight - bias;

        if (delta < t)
            break;
        put_digit(buf, t + (delta - t) % (BASE - t));
        delta = (delta - t) / (BASE - t);
    }
    put_digit(buf, delta);
}

/* The ASCII of a label.  Returns: how many runes it has beside it. */
static int64_t put_ascii(struct kp_buf *buf, struct kp_text label)
{
    int64_t others = 0;

    while (label.len > 0) {
        int64_t rune = take_rune(&label);

        if (rune >= FIRST_RUNE)
            others++;
        else
            kp_buf_put_char(buf, (char)rune);
    }
    return others;
}

static int64_t least_rune_from(struct kp_text label, int64_t from)
{
    int64_t least = INT64_MAX;

    while (label.len > 0) {
        int64_t rune = take_rune(&label);

        if (rune >= from && rune < least)
            least = rune;
    }
    return least;
}

static void put_encoded(struct kp_buf *buf, struct kp_text label)
{
    size_t begin;
    int64_t others;
    int64_t done;
    int64_t delta = 0;
    int64_t bias = FIRST_BIAS;
    int64_t next = FIRST_RUNE;
    bool first = true;

    kp_buf_put(buf, KP_TEXT("xn--"));
    begin = buf->need;
    others = put_ascii(buf, label);
    done = (int64_t)(buf->need - begin);
    if (done > 0)
        kp_buf_put_char(buf, '-');
    while (others > 0) {
        int64_t least = least_rune_from(label, next);
        struct kp_text rest = label;

        delta += (least - next) * (done + 1);
        while (rest.len > 0) {
            int64_t rune = take_rune(&rest);

            delta += rune < least;
            if (rune != least)
                continue;
            put_delta(buf, delta, bias);
            done++;
            others--;
            bias = adapt(delta, done, first);
            first = false;
            delta = 0;
        }
        delta++;
        next = least + 1;
    }
}

static bool is_ascii(struct kp_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.bytes[i] >= FIRST_RUNE)
            return false;
    return true;
}

static void put_host(struct kp_buf *buf, struct kp_text host)
{
    size_t begin = 0;

    for (size_t i = 0; i <= host.len; i++) {
        struct kp_text label = {host.bytes + begin, i - begin};

        if (i < host.len && host.bytes[i] != '.')
            continue;
        if (is_ascii(label))
            kp_buf_put(buf, label);
        else
            put_encoded(buf, label);
        if (i < host.len)
            kp_buf_put_char(buf, '.');
        begin = i + 1;
    }
}

struct kp_text kp_punycode(struct kp_scratch *scratch, struct kp_text host)
{
    struct kp_buf buf = {0};

    put_host(&buf, host);
    buf = kp_scratch_buf(scratch, buf.need);
    put_host(&buf, host);
    return kp_buf_text(&buf);
}
