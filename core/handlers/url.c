#include "url.h"

#include "ip_literal.h"
#include "url_escape.h"
#include "url_path.h"

#include <string.h>

/* ---- cutting --------------------------------------------------------------------------------- */

static const char *find(struct kp_text text, char c)
{
    return text.len > 0 ? memchr(text.bytes, c, text.len) : NULL;
}

/* Index of the last `c`, or -1. */
static int64_t last(struct kp_text text, char c)
{
    for (size_t i = text.len; i-- > 0;)
        if (text.bytes[i] == c)
            return (int64_t)i;
    return -1;
}

/* ---- parsing --------------------------------------------------------------------------------- */

static bool fail(struct kp_message *why, const char *text)
{
    kp_message_add(why, kp_text_of(text));
    return false;
}

/* "" or a colon and digits. */
static bool is_optional_port(struct kp_text text)
{
    return text.len == 0 ||
           (text.bytes[0] == ':' && kp_text_digits(kp_text_from(text, 1)) == text.len - 1);
}

static bool check_port(struct kp_text colon_port, struct kp_message *why)
{
    if (is_optional_port(colon_port))
        return true;
    kp_message_add(why, KP_TEXT("invalid port "));
    kp_message_add_quoted(why, colon_port);
    return fail(why, " after host");
}

/* What begins with the escaped percent sign of a zone (RFC 6874); empty: there is none. */
static struct kp_text zone_of(struct kp_text name)
{
    for (size_t i = 0; i < name.len; i++)
        if (kp_text_begins(kp_text_from(name, i), "%25"))
            return kp_text_from(name, i);
    return kp_text_from(name, name.len);
}

/* open: the bracket's place.  What stands before it is lost. */
static bool parse_ip_literal(struct kp_scratch *scratch, const struct kp_profile *profile,
                             struct kp_text text, size_t open, struct kp_text *host,
                             struct kp_message *why)
{
    int64_t close = last(text, ']');
    struct kp_text name;
    struct kp_text port;
    struct kp_text zone;
    struct kp_buf address = kp_scratch_buf(scratch, text.len);
    struct kp_buf buf = kp_scratch_buf(scratch, text.len);

    if (close < 0)
        return fail(why, "missing ']' in host");
    port = kp_text_from(text, (size_t)close + 1);
    if (!check_port(port, why)) /* which a bracket that opens behind it is none of */
        return false;
    name = (struct kp_text){text.bytes + open + 1, (size_t)close - open - 1};
    zone = zone_of(name);
    name.len -= zone.len;
    if (zone.len == 0 && !profile->brackets_hold_ipv6)
        return kp_url_unescape(scratch, text, KP_ESCAPE_HOST, host, why);
    if (!kp_url_unescape(scratch, name, KP_ESCAPE_HOST, &name, why) ||
        !kp_url_unescape(scratch, zone, KP_ESCAPE_ZONE, &zone, why))
        return false;
    kp_buf_put(&address, name);
    kp_buf_put(&address, zone);
    if (profile->brackets_hold_ipv6 && !kp_ip_literal_check(kp_buf_text(&address), why))
        return false;
    kp_buf_put_char(&buf, '[');
    kp_buf_put(&buf, kp_buf_text(&address));
    kp_buf_put_char(&buf, ']');
    kp_buf_put(&buf, port);
    *host = kp_buf_text(&buf);
    return true;
}

/* Of more than one colon the first or the last is the port's. */
static struct kp_text find_colon(const struct kp_profile *profile, const struct kp_url *url,
                                 struct kp_text text)
{
    bool http =
        kp_text_equal(url->scheme, KP_TEXT("http")) || kp_text_equal(url->scheme, KP_TEXT("https"));
    const char *colon = find(text, ':');

    if (!colon)
        return kp_text_from(text, text.len);
    return kp_text_from(text, http && profile->url_colons_strict ? (size_t)(colon - text.bytes)
                                                                 : (size_t)last(text, ':'));
}

static bool parse_host(struct kp_scratch *scratch, const struct kp_profile *profile,
                       const struct kp_url *url, struct kp_text text, struct kp_text *host,
                       struct kp_message *why)
{
    bool any_brackets = !profile->brackets_hold_ipv6;
    int64_t open = any_brackets && kp_text_begins(text, "[") ? 0 : last(text, '[');

    if (open > 0 && profile->bracket_begins_host)
        return fail(why, "invalid IP-literal");
    if (any_brackets ? open == 0 : open >= 0)
        return parse_ip_literal(scratch, profile, text, (size_t)open, host, why);
    return check_port(find_colon(profile, url, text), why) &&
           kp_url_unescape(scratch, text, KP_ESCAPE_HOST, host, why);
}

static bool is_user_info(struct kp_text text)
{
    static const char allowed[] = "-._:~!$&'()*+,;=%@";

    for (size_t i = 0; i < text.len; i++) {
        char c = text.bytes[i];

        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !kp_is_digit(c) &&
            !memchr(allowed, c, sizeof allowed - 1))
            return false;
    }
    return true;
}

static bool parse_authority(struct kp_scratch *scratch, const struct kp_profile *profile,
                            struct kp_text text, struct kp_url *url, struct kp_message *why)
{
    int64_t at = last(text, '@');
    struct kp_text user;
    struct kp_text name;
    struct kp_text password;

    if (!parse_host(scratch, profile, url, kp_text_from(text, (size_t)(at + 1)), &url->host, why))
        return false;
    if (at < 0)
        return true;
    user = (struct kp_text){text.bytes, (size_t)at};
    if (!is_user_info(user))
        return fail(why, "net/url: invalid userinfo");
    url->has_user = true;
    url->has_password = kp_text_cut(user, ':', &name, &password);
    return kp_url_unescape(scratch, name, KP_ESCAPE_USER, &url->username, why) &&
           kp_url_unescape(scratch, password, KP_ESCAPE_USER, &url->password, why);
}

static bool set_path(struct kp_scratch *scratch, struct kp_text text, struct kp_url *url,
                     struct kp_message *why)
{
    struct kp_text again;

    if (!kp_url_unescape(scratch, text, KP_ESCAPE_PATH, &url->path, why))
        return false;
    again = kp_url_escape(scratch, url->path, KP_ESCAPE_PATH);
    url->raw_path = kp_text_equal(again, text) ? KP_TEXT("") : text;
    return true;
}

static bool set_fragment(struct kp_scratch *scratch, struct kp_text text, struct kp_url *url,
                         struct kp_message *why)
{
    url->raw_fragment = text;
    return kp_url_unescape(scratch, text, KP_ESCAPE_FRAGMENT, &url->fragment, why);
}

/* Takes `scheme:` off, if there is one; false: nothing stands before the colon. */
static bool take_scheme(struct kp_scratch *scratch, struct kp_text *rest, struct kp_text *scheme)
{
    struct kp_buf lower;
    size_t len = 0;

    for (; len < rest->len && rest->bytes[len] != ':'; len++) {
        char c = rest->bytes[len];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool inner = kp_is_digit(c) || c == '+' || c == '-' || c == '.';

        if (!letter && (!inner || len == 0))
            return true;
    }
    if (len == rest->len)
        return true;
    if (len == 0)
        return false;
    lower = kp_scratch_buf(scratch, len);
    for (size_t i = 0; i < len; i++) {
        char c = rest->bytes[i];

        kp_buf_put_char(&lower, c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c);
    }
    *scheme = kp_buf_text(&lower);
    *rest = kp_text_from(*rest, len + 1);
    return true;
}

static bool has_control(struct kp_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.bytes[i] < ' ' || text.bytes[i] == 0x7f)
            return true;
    return false;
}

static void take_query(struct kp_text *rest, struct kp_url *url)
{
    url->force_query = kp_text_cut(*rest, '?', rest, &url->query);
}

/* What follows the scheme, without query. */
static bool parse_rest(struct kp_scratch *scratch, const struct kp_profile *profile,
                       struct kp_text rest, struct kp_url *url, struct kp_message *why)
{
    struct kp_text authority;
    struct kp_text tail;

    if (!kp_text_begins(rest, "/")) {
        struct kp_text segment;

        if (url->scheme.len > 0) {
            url->opaque = rest;
            return true;
        }
        kp_text_cut(rest, '/', &segment, &tail);
        if (find(segment, ':'))
            return fail(why, "first path segment in URL cannot contain colon");
    }
    if (kp_text_begins(rest, "//") && (url->scheme.len > 0 || !kp_text_begins(rest, "///"))) {
        const char *slash = find(kp_text_from(rest, 2), '/');
        size_t end = slash ? (size_t)(slash - rest.bytes) : rest.len;

        authority = (struct kp_text){rest.bytes + 2, end - 2};
        rest = kp_text_from(rest, end);
        if (!parse_authority(scratch, profile, authority, url, why))
            return false;
    } else {
        url->omit_host = profile->with_go_119;
    }
    return set_path(scratch, rest, url, why);
}

static bool parse(struct kp_scratch *scratch, const struct kp_profile *profile, struct kp_text text,
                  struct kp_url *url, struct kp_message *why)
{
    struct kp_text rest = text;

    if (has_control(text))
        return fail(why, "net/url: invalid control character in URL");
    if (!take_scheme(scratch, &rest, &url->scheme))
        return fail(why, "missing protocol scheme");
    take_query(&rest, url);
    return parse_rest(scratch, profile, rest, url, why);
}

/* `parse "<text>": `, the text unquoted up to Go 1.13 (P-117). */
static void begin_error(struct kp_message *why, const struct kp_profile *profile,
                        struct kp_text text)
{
    why->count = 0;
    kp_message_add(why, KP_TEXT("parse "));
    if (profile->error_url_quoted)
        kp_message_add_quoted(why, text);
    else
        kp_message_add(why, text);
    kp_message_add(why, KP_TEXT(": "));
}

/* As Go's url.Parse does it (P-094, P-095). */
bool kp_url_parse(struct kp_scratch *scratch, const struct kp_profile *profile, struct kp_text text,
                  struct kp_url *url, struct kp_message *why)
{
    struct kp_text body;
    struct kp_text fragment;

    *url = (struct kp_url){0};
    kp_text_cut(text, '#', &body, &fragment);
    begin_error(why, profile, body);
    if (!parse(scratch, profile, body, url, why))
        return false;
    begin_error(why, profile, text);
    return set_fragment(scratch, fragment, url, why);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The written form, which `value` was decoded from, where it is written well; else the value
 * encoded. */
static struct kp_text encoded(struct kp_scratch *scratch, struct kp_text value, struct kp_text raw,
                              enum kp_escape mode)
{
    return raw.len > 0 && kp_url_is_encoded(raw, mode) ? raw : kp_url_escape(scratch, value, mode);
}

static struct kp_text escaped_path(struct kp_scratch *scratch, const struct kp_url *url)
{
    if (url->raw_path.len == 0 && kp_text_equal(url->path, KP_TEXT("*")))
        return url->path;
    return encoded(scratch, url->path, url->raw_path, KP_ESCAPE_PATH);
}

static void put_user(struct kp_scratch *scratch, struct kp_buf *buf, const struct kp_url *url,
                     enum kp_url_user user)
{
    if (!url->has_user || user == KP_URL_NO_USER)
        return;
    if (url->has_password && user == KP_URL_MASKED) {
        kp_buf_put(buf, url->username); /* as it was decoded: client.go stripPassword */
        kp_buf_put(buf, KP_TEXT(":***@"));
        return;
    }
    kp_buf_put(buf, kp_url_escape(scratch, url->username, KP_ESCAPE_USER));
    if (url->has_password) {
        kp_buf_put_char(buf, ':');
        kp_buf_put(buf, kp_url_escape(scratch, url->password, KP_ESCAPE_USER));
    }
    kp_buf_put_char(buf, '@');
}

static void put_authority(struct kp_scratch *scratch, struct kp_buf *buf, const struct kp_url *url,
                          enum kp_url_user user)
{
    if (url->omit_host && url->host.len == 0 && !url->has_user)
        return;
    if (url->host.len > 0 || url->path.len > 0 || url->has_user)
        kp_buf_put(buf, KP_TEXT("//"));
    put_user(scratch, buf, url, user);
    kp_buf_put(buf, kp_url_escape(scratch, url->host, KP_ESCAPE_HOST));
}

static void put_path(struct kp_scratch *scratch, struct kp_buf *buf, const struct kp_url *url)
{
    struct kp_text path = escaped_path(scratch, url);

    if (path.len > 0 && path.bytes[0] != '/' && url->host.len > 0)
        kp_buf_put_char(buf, '/');
    kp_buf_put(buf, path);
}

static void put_query(struct kp_buf *buf, const struct kp_url *url)
{
    if (!url->force_query && url->query.len == 0)
        return;
    kp_buf_put_char(buf, '?');
    kp_buf_put(buf, url->query);
}

struct kp_text kp_url_text(struct kp_scratch *scratch, const struct kp_url *url,
                           enum kp_url_user user)
{
    size_t most = url->scheme.len + url->opaque.len + url->query.len + 16 +
                  3 * (url->username.len + url->password.len + url->host.len + url->path.len +
                       url->fragment.len);
    struct kp_buf buf = kp_scratch_buf(scratch, most);

    if (url->scheme.len > 0) {
        kp_buf_put(&buf, url->scheme);
        kp_buf_put_char(&buf, ':');
    }
    if (url->opaque.len > 0) {
        kp_buf_put(&buf, url->opaque);
    } else {
        put_authority(scratch, &buf, url, user);
        put_path(scratch, &buf, url);
    }
    put_query(&buf, url);
    if (url->fragment.len > 0) {
        kp_buf_put_char(&buf, '#');
        kp_buf_put(&buf, encoded(scratch, url->fragment, url->raw_fragment, KP_ESCAPE_FRAGMENT));
    }
    return kp_buf_text(&buf);
}

struct kp_text kp_url_request_uri(struct kp_scratch *scratch, const struct kp_url *url)
{
    struct kp_text path = escaped_path(scratch, url);
    struct kp_buf buf = kp_scratch_buf(scratch, path.len + url->query.len + 4);

    kp_buf_put(&buf, path.len > 0 ? path : KP_TEXT("/"));
    put_query(&buf, url);
    return kp_buf_text(&buf);
}

/* ---- host and port --------------------------------------------------------------------------- */

static void split_host(const struct kp_url *url, struct kp_text *host, struct kp_text *port)
{
    int64_t colon = last(url->host, ':');

    *host = url->host;
    *port = KP_TEXT("");
    if (colon >= 0 && is_optional_port(kp_text_from(url->host, (size_t)colon))) {
        host->len = (size_t)colon;
        *port = kp_text_from(url->host, (size_t)colon + 1);
    }
    if (kp_text_begins(*host, "["))
        *host = (struct kp_text){host->bytes + 1, host->len - 2};
}

struct kp_text kp_url_hostname(const struct kp_url *url)
{
    struct kp_text host;
    struct kp_text port;

    split_host(url, &host, &port);
    return host;
}

struct kp_text kp_url_port(const struct kp_url *url)
{
    struct kp_text host;
    struct kp_text port;

    split_host(url, &host, &port);
    return port;
}

struct kp_text kp_url_dialled_port(const struct kp_url *url)
{
    struct kp_text port = kp_url_port(url);

    if (port.len > 0)
        return port;
    return kp_text_equal(url->scheme, KP_TEXT("https")) ? KP_TEXT("443") : KP_TEXT("80");
}

void kp_put_host(struct kp_buf *buf, struct kp_text host)
{
    bool bracket = find(host, ':') != NULL;

    if (bracket)
        kp_buf_put_char(buf, '[');
    kp_buf_put(buf, host);
    if (bracket)
        kp_buf_put_char(buf, ']');
}

void kp_put_host_port(struct kp_buf *buf, struct kp_text host, int64_t port)
{
    kp_put_host(buf, host);
    kp_buf_put_char(buf, ':');
    kp_buf_put_int(buf, port);
}

/* ---- resolving ------------------------------------------------------------------------------- */

static void set_resolved_path(struct kp_scratch *scratch, const struct kp_profile *profile,
                              struct kp_url *url, struct kp_text base, struct kp_text ref)
{
    struct kp_message why = {0};

    /* It was decoded before: it decodes again. */
    set_path(scratch, kp_url_path_resolve(scratch, profile, base, ref), url, &why);
}

/* As Go's URL.ResolveReference does it: where a redirect leads (P-103). */
void kp_url_resolve(struct kp_scratch *scratch, const struct kp_profile *profile,
                    const struct kp_url *base, const struct kp_url *ref, struct kp_url *out)
{
    *out = *ref;
    if (ref->scheme.len == 0)
        out->scheme = base->scheme;
    if (ref->scheme.len > 0 || ref->host.len > 0 || ref->has_user) {
        set_resolved_path(scratch, profile, out, escaped_path(scratch, ref), KP_TEXT(""));
        return;
    }
    if (ref->path.len == 0 && !(ref->force_query && profile->with_go_118) && ref->query.len == 0) {
        out->query = base->query;
        if (ref->fragment.len == 0) {
            out->fragment = base->fragment;
            out->raw_fragment = base->raw_fragment;
        }
    }
    out->host = base->host;
    out->has_user = base->has_user;
    out->has_password = base->has_password;
    out->username = base->username;
    out->password = base->password;
    set_resolved_path(scratch, profile, out, escaped_path(scratch, base),
                      escaped_path(scratch, ref));
}
