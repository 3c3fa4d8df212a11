/*
 * url.c: two lines of bytes, a URL and a reference against it, as a probe's path and a Location are
 * read: what is requested, where it is dialled, what is shown of it.
 */
#include "core/handlers/url.h"
#include "core/handlers/dial.h"
#include "core/handlers/url_escape.h"
#include "fakes/alloc.h"
#include "fuzz/fuzz.h"
#include "fuzz/shared/profile.h"

#include <string.h>

static bool has(struct kp_text text, char c)
{
    return text.len > 0 && memchr(text.bytes, c, text.len);
}

static bool has_control(struct kp_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.bytes[i] < ' ' || text.bytes[i] == 0x7f)
            return true;
    return false;
}

/* A segment that is . or .. alone. */
static bool has_dots(struct kp_text path)
{
    for (size_t i = 0, len; i <= path.len; i += len + 1) {
        const char *slash = i < path.len ? memchr(path.bytes + i, '/', path.len - i) : NULL;

        len = slash ? (size_t)(slash - path.bytes) - i : path.len - i;
        if (len > 0 && len <= 2 && path.bytes[i] == '.' && path.bytes[i + len - 1] == '.')
            return true;
    }
    return false;
}

/* As it is requested: an escaped dot or slash is neither. */
static struct kp_text path_of(struct kp_scratch *scratch, const struct kp_url *url)
{
    struct kp_text uri = kp_url_request_uri(scratch, url);
    const char *query = uri.len > 0 ? memchr(uri.bytes, '?', uri.len) : NULL;

    return query ? (struct kp_text){uri.bytes, (size_t)(query - uri.bytes)} : uri;
}

/* The port that was cut off is digits; what was joined is cut in the same place. */
static void check_host(struct kp_scratch *scratch, const struct kp_url *url)
{
    struct kp_text name = kp_url_hostname(url);
    struct kp_text port = kp_url_port(url);
    struct kp_buf joined = kp_scratch_buf(scratch, name.len + 32);
    struct kp_text host = KP_TEXT_NONE;
    struct kp_text digits = KP_TEXT_NONE;

    PROMISE(name.len <= url->host.len && port.len <= url->host.len);
    for (size_t i = 0; i < port.len; i++)
        PROMISE(port.bytes[i] >= '0' && port.bytes[i] <= '9');
    kp_put_host_port(&joined, name, 8080);
    if (has(name, '[') || has(name, ']'))
        return;
    PROMISE(kp_split_host_port(kp_buf_text(&joined), &host, &digits) == NULL);
    PROMISE(kp_text_equal(host, name) && kp_text_equal(digits, KP_TEXT("8080")));
}

/* No request line is ended by what stands in it, and nothing secret is shown. */
static void check(struct kp_scratch *scratch, const struct kp_profile *profile,
                  const struct kp_url *url)
{
    struct kp_text whole = kp_url_text(scratch, url, KP_URL_USER);
    struct kp_text again;
    struct kp_message why = {0};
    struct kp_url reread;

    PROMISE(!has_control(kp_url_request_uri(scratch, url)));
    PROMISE(!has_control(kp_url_text(scratch, url, KP_URL_MASKED)) ||
            (url->has_password && has_control(url->username))); /* shown as it was decoded */
    PROMISE(!url->has_password || has(kp_url_text(scratch, url, KP_URL_MASKED), '*') ||
            url->opaque.len > 0);
    check_host(scratch, url);
    if (url->scheme.len == 0 || url->host.len == 0 || /* as those that are dialled */
        !kp_url_parse(scratch, profile, whole, &reread, &why))
        return;
    again = kp_url_text(scratch, &reread, KP_URL_USER);
    PROMISE(kp_text_equal(whole, again));
}

static void check_escapes(struct kp_scratch *scratch, struct kp_text text)
{
    for (int mode = KP_ESCAPE_PATH; mode <= KP_ESCAPE_FRAGMENT; mode++) {
        struct kp_text escaped = kp_url_escape(scratch, text, (enum kp_escape)mode);
        struct kp_message why = {0};
        struct kp_text back;

        if (mode == KP_ESCAPE_HOST || mode == KP_ESCAPE_ZONE)
            continue; /* not all that can be written there can be read */
        PROMISE(!has_control(escaped));
        PROMISE(kp_url_is_encoded(escaped, (enum kp_escape)mode));
        PROMISE(kp_url_unescape(scratch, escaped, (enum kp_escape)mode, &back, &why));
        PROMISE(kp_text_equal(back, text));
    }
}

static bool parse(struct kp_scratch *scratch, const struct kp_profile *profile, struct kp_text text,
                  struct kp_url *url)
{
    struct kp_message why = {0};
    bool is_one = kp_url_parse(scratch, profile, text, url, &why);

    PROMISE(is_one || why.count > 0);
    kp_scratch_message(scratch, &why);
    if (is_one)
        check(scratch, profile, url);
    return is_one;
}

static void attack(const struct kp_profile *profile, struct kp_text text,
                   const struct kp_text *reference)
{
    const struct kp_mem mem = fake_alloc_plain();
    struct kp_scratch scratch;
    struct kp_url base;
    struct kp_url ref;
    struct kp_url resolved;

    kp_scratch_init(&scratch, &mem);
    check_escapes(&scratch, text);
    if (parse(&scratch, profile, text, &base) && reference &&
        parse(&scratch, profile, *reference, &ref)) {
        kp_url_resolve(&scratch, profile, &base, &ref, &resolved);
        check(&scratch, profile, &resolved);
        PROMISE(resolved.opaque.len > 0 || !has_dots(path_of(&scratch, &resolved)));
        PROMISE(ref.scheme.len == 0 || kp_text_equal(ref.scheme, resolved.scheme));
    }
    PROMISE(!scratch.failed);
    kp_scratch_deinit(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A release for each way that Go has read a host, and one that joins paths as Go did of old. */
    static const char *const versions[] = {"1.15", "1.30", "1.35.0", "1.35", KP_NEWEST};
    const char *bytes = (const char *)data;
    const char *newline = size > 0 ? memchr(bytes, '\n', size) : NULL;
    size_t len = newline ? (size_t)(newline - bytes) : size;
    struct kp_text reference = KP_TEXT_NONE;

    if (newline)
        reference = (struct kp_text){newline + 1, size - len - 1};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        attack(fuzz_profile(versions[i]), (struct kp_text){bytes, len},
               newline ? &reference : NULL);
    return 0;
}
