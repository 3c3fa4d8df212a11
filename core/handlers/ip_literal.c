#include "ip_literal.h"

#include <string.h>

#define GROUPS 8
#define GROUPS_OF_IPV4 2
#define GROUP_DIGITS_MAX 4

/* What is being read, and how far it was. */
struct reader {
    struct kp_text in;
    struct kp_text rest;
    int groups;     /* read so far */
    bool shortened; /* a :: was among them */
    struct kp_message *why;
};

/* at: empty where Go names no place. */
static bool fail_at(const struct reader *reader, const char *what, struct kp_text at)
{
    kp_message_add(reader->why, KP_TEXT("invalid host: ParseAddr("));
    kp_message_add_quoted(reader->why, reader->in);
    kp_message_add(reader->why, KP_TEXT("): "));
    kp_message_add(reader->why, kp_text_of(what));
    if (at.len == 0)
        return false;
    kp_message_add(reader->why, KP_TEXT(" (at "));
    kp_message_add_quoted(reader->why, at);
    kp_message_add(reader->why, KP_TEXT(")"));
    return false;
}

static bool fail(const struct reader *reader, const char *what)
{
    return fail_at(reader, what, KP_TEXT(""));
}

static bool starts_with(struct kp_text text, char c)
{
    return text.len > 0 && text.bytes[0] == c;
}

/* All that is left is four numbers with dots between them. */
static bool read_ipv4(const struct reader *reader)
{
    struct kp_text text = reader->rest;
    int dots = 0;
    int digits = 0;
    int value = 0;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.bytes[i];

        if (c == '.') {
            if (digits == 0 || i + 1 == text.len)
                return fail_at(reader, "IPv4 field must have at least one digit",
                               kp_text_from(text, i));
            if (dots++ == 3)
                return fail(reader, "IPv4 address too long");
            digits = 0;
            value = 0;
            continue;
        }
        if (c < '0' || c > '9')
            return fail_at(reader, "unexpected character", kp_text_from(text, i));
        if (digits++ == 1 && value == 0)
            return fail(reader, "IPv4 field has octet with leading zero");
        value = 10 * value + (c - '0');
        if (value > 255)
            return fail(reader, "IPv4 field has value >255");
    }
    return dots == 3 || fail(reader, "IPv4 address too short");
}

/* An IPv4 address at the end of one of IPv6. */
static bool read_embedded(struct reader *reader)
{
    if (!reader->shortened && reader->groups != GROUPS - GROUPS_OF_IPV4)
        return fail_at(reader,
                       "embedded IPv4 address must replace the final 2 fields of the address",
                       reader->rest);
    if (reader->groups > GROUPS - GROUPS_OF_IPV4)
        return fail_at(reader,
                       "too many hex fields to fit an embedded IPv4 at the end of the address",
                       reader->rest);
    if (!read_ipv4(reader))
        return false;
    reader->groups += GROUPS_OF_IPV4;
    reader->rest.len = 0;
    return true;
}

/* The colon between two groups, or the two that stand for zeros. */
static bool read_colon(struct reader *reader)
{
    if (!starts_with(reader->rest, ':'))
        return fail_at(reader, "unexpected character, want colon", reader->rest);
    if (reader->rest.len == 1)
        return fail_at(reader, "colon must be followed by more characters", reader->rest);
    reader->rest = kp_text_from(reader->rest, 1);
    if (!starts_with(reader->rest, ':'))
        return true;
    if (reader->shortened)
        return fail_at(reader, "multiple :: in address", reader->rest);
    reader->shortened = true;
    reader->rest = kp_text_from(reader->rest, 1);
    return true;
}

/* A group and what parts it from the next one. */
static bool read_group(struct reader *reader)
{
    size_t digits = 0;

    while (digits < reader->rest.len && kp_hex_value(reader->rest.bytes[digits]) >= 0)
        if (++digits > GROUP_DIGITS_MAX)
            return fail_at(reader, "each group must have 4 or less digits", reader->rest);
    if (digits == 0)
        return fail_at(reader, "each colon-separated field must have at least one digit",
                       reader->rest);
    if (starts_with(kp_text_from(reader->rest, digits), '.'))
        return read_embedded(reader);
    reader->groups++;
    reader->rest = kp_text_from(reader->rest, digits);
    return reader->rest.len == 0 || read_colon(reader);
}

static bool read_ipv6(struct reader *reader)
{
    struct kp_text in = reader->in;
    const char *percent = memchr(in.bytes, '%', in.len);

    if (percent)
        reader->rest.len = (size_t)(percent - in.bytes);
    if (percent && reader->rest.len + 1 == in.len)
        return fail(reader, "zone must be a non-empty string");
    if (kp_text_begins(reader->rest, "::")) {
        reader->shortened = true;
        reader->rest = kp_text_from(reader->rest, 2);
        if (reader->rest.len == 0)
            return true;
    }
    do {
        if (!read_group(reader))
            return false;
    } while (reader->groups < GROUPS && reader->rest.len > 0);
    if (reader->rest.len > 0)
        return fail_at(reader, "trailing garbage after address", reader->rest);
    if (reader->shortened != (reader->groups == GROUPS))
        return true;
    return fail(reader, reader->shortened ? "the :: must expand to at least one field of zeros"
                                          : "address string too short");
}

/* The first sign that shows of which kind it is meant to be, or 0. */
static char find_kind(struct kp_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.bytes[i] == '.' || text.bytes[i] == ':' || text.bytes[i] == '%')
            return text.bytes[i];
    return '\0';
}

bool kp_ip_literal_check(struct kp_text text, struct kp_message *why)
{
    struct reader reader = {.in = text, .rest = text, .why = why};

    switch (find_kind(text)) {
    case ':':
        return read_ipv6(&reader);
    case '.':
        if (read_ipv4(&reader))
            kp_message_add(why, KP_TEXT("invalid IP-literal"));
        return false;
    case '%': /* a zone of nothing */
        return fail(&reader, "missing IPv6 address");
    default:
        return fail(&reader, "unable to parse IP");
    }
}
