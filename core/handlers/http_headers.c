#include "http_headers.h"

#include <idn2.h>
#include <stdlib.h>
#include <string.h>

/* ---- names and values ------------------------------------------------------------------------ */

static bool is_token(struct kp_text text)
{
    static const char marks[] = "!#$%&'*+-.^_`|~";

    for (size_t i = 0; i < text.len; i++) {
        char c = text.bytes[i];

        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
            (c == '\0' || !strchr(marks, c)))
            return false;
    }
    return text.len > 0;
}

static bool is_value(struct kp_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.bytes[i];

        if ((c < ' ' && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

static bool is_ascii(struct kp_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.bytes[i] >= 0x80)
            return false;
    return true;
}

static bool equals(struct kp_text text, const char *word)
{
    return kp_text_equal(text, kp_text_of(word));
}

static bool is_one_of(struct kp_text key, const char *const *list)
{
    for (; *list; list++)
        if (equals(key, *list))
            return true;
    return false;
}

/* Xx-Yy; what is no token stays.  Upstream: textproto.CanonicalMIMEHeaderKey. */
static struct kp_text canonical(struct kp_scratch *scratch, struct kp_text name)
{
    struct kp_buf buf;
    bool upper = true;

    if (!is_token(name))
        return name;
    buf = kp_scratch_buf(scratch, name.len);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.bytes[i];

        if (upper && c >= 'a' && c <= 'z')
            c = (char)(c - ('a' - 'A'));
        else if (!upper && c >= 'A' && c <= 'Z')
            c = (char)(c + ('a' - 'A'));
        kp_buf_put_char(&buf, c);
        upper = c == '-';
    }
    return kp_buf_text(&buf);
}

static struct kp_text trimmed(struct kp_text text)
{
    static const char space[] = " \t\r\n";

    while (text.len > 0 && strchr(space, text.bytes[0]) && text.bytes[0] != '\0') {
        text.bytes++;
        text.len--;
    }
    while (text.len > 0 && strchr(space, text.bytes[text.len - 1]) &&
           text.bytes[text.len - 1] != '\0')
        text.len--;
    return text;
}

/* ---- the map --------------------------------------------------------------------------------- */

static int compare_texts(struct kp_text a, struct kp_text b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len > 0 ? memcmp(a.bytes, b.bytes, len) : 0;

    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* Behind all that are not greater: equal keys keep their order. */
static void insert(struct kp_headers *headers, struct kp_text key, struct kp_text value)
{
    size_t at = headers->count++;

    for (; at > 0 && compare_texts(headers->items[at - 1].key, key) > 0; at--)
        headers->items[at] = headers->items[at - 1];
    headers->items[at] = (struct kp_header){key, value};
}

struct kp_text kp_headers_get(const struct kp_headers *headers, const char *key)
{
    for (size_t i = 0; i < headers->count; i++)
        if (equals(headers->items[i].key, key))
            return headers->items[i].value.bytes ? headers->items[i].value : KP_TEXT("");
    return KP_TEXT_NONE;
}

static void delete (struct kp_headers *headers, const char *key)
{
    size_t kept = 0;

    for (size_t i = 0; i < headers->count; i++)
        if (!equals(headers->items[i].key, key))
            headers->items[kept++] = headers->items[i];
    headers->count = kept;
}

static struct kp_text user_agent(struct kp_scratch *scratch, const struct kp_profile *profile)
{
    struct kp_buf buf = kp_scratch_buf(scratch, 32);

    kp_buf_put(&buf, KP_TEXT("kube-probe/1."));
    kp_buf_put_int(&buf, profile->minor);
    return kp_buf_text(&buf);
}

/* P-097, P-172. */
void kp_headers_init(struct kp_headers *headers, struct kp_scratch *scratch,
                     const struct kp_profile *profile, const struct kp_http_get_action *action)
{
    struct kp_text accept;

    *headers = (struct kp_headers){0};
    headers->items = kp_scratch_alloc(scratch, (action->header_count + 2) * sizeof *headers->items);
    if (!headers->items)
        return;
    for (size_t i = 0; i < action->header_count; i++) {
        struct kp_text name = action->headers[i].name;

        insert(headers, profile->header_names_canonical & 1 ? canonical(scratch, name) : name,
               action->headers[i].value);
    }
    if (kp_headers_get(headers, "User-Agent").bytes == NULL)
        insert(headers, KP_TEXT("User-Agent"), user_agent(scratch, profile));
    accept = kp_headers_get(headers, "Accept");
    if (profile->accept_anything && accept.bytes == NULL)
        insert(headers, KP_TEXT("Accept"), KP_TEXT("*/*"));
    else if (profile->accept_anything && accept.len == 0)
        delete (headers, "Accept");
    headers->host = kp_headers_get(headers, "Host");
}

bool kp_headers_check(const struct kp_headers *headers, struct kp_message *why)
{
    for (size_t i = 0; i < headers->count; i++) {
        const struct kp_header *header = &headers->items[i];

        if (is_token(header->key) && is_value(header->value))
            continue;
        kp_message_add(why, is_token(header->key)
                                ? KP_TEXT("net/http: invalid header field value for ")
                                : KP_TEXT("net/http: invalid header field name "));
        kp_message_add_quoted(why, header->key);
        return false;
    }
    return true;
}

static bool list_has_token(struct kp_text list, const char *token)
{
    while (list.len > 0) {
        const char *comma = memchr(list.bytes, ',', list.len);
        size_t len = comma ? (size_t)(comma - list.bytes) : list.len;

        if (kp_text_equal_any_case(trimmed((struct kp_text){list.bytes, len}), token))
            return true;
        len += comma != NULL;
        list = (struct kp_text){list.bytes + len, list.len - len};
    }
    return false;
}

/* P-175. */
bool kp_headers_has_token(const struct kp_headers *headers, const char *key, const char *token)
{
    for (size_t i = 0; i < headers->count; i++)
        if (equals(headers->items[i].key, key) && list_has_token(headers->items[i].value, token))
            return true;
    return false;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The lines so far, in one piece of memory each. */
struct lines {
    struct kp_scratch *scratch;
    struct curl_slist *first;
    struct curl_slist *newest;
    bool failed;
};

/*
 * libcurl writes a header without a value as `X:`, the kubelet as `X: `; and it drops a second Host
 * (P-173). Such a line is put at the end of the line before it, where libcurl does not look at it.
 * P-172.
 */
static void join_line(struct lines *lines, struct kp_text line)
{
    size_t before = strlen(lines->newest->data);
    char *joined = realloc(lines->newest->data, before + line.len + 3);

    lines->failed |= joined == NULL;
    if (!joined)
        return;
    memcpy(joined + before, "\r\n", 2);
    memcpy(joined + before + 2, line.bytes, line.len);
    joined[before + 2 + line.len] = '\0';
    lines->newest->data = joined;
}

static void add_line(struct lines *lines, struct kp_text key, struct kp_text value)
{
    struct kp_buf buf = kp_scratch_buf(lines->scratch, key.len + value.len + 2);
    struct curl_slist *grown;

    kp_buf_put(&buf, key);
    kp_buf_put(&buf, KP_TEXT(": "));
    kp_buf_put(&buf, value);
    lines->failed |= !buf.bytes;
    if (!buf.bytes)
        return;
    if ((value.len == 0 || kp_text_equal_any_case(key, "Host")) && lines->newest) {
        join_line(lines, kp_buf_text(&buf));
        return;
    }
    grown = curl_slist_append(lines->first, buf.bytes);
    lines->failed |= !grown;
    if (!grown)
        return;
    lines->first = grown;
    lines->newest = lines->newest ? lines->newest->next : grown;
}

/* Punycode beyond ASCII; a port stays.  Upstream: httpguts.PunycodeHostPort. */
static struct kp_text ascii_host(struct kp_scratch *scratch, struct kp_text text)
{
    const char *colon = text.len > 0 ? memchr(text.bytes, ':', text.len) : NULL;
    size_t len = colon ? (size_t)(colon - text.bytes) : text.len;
    struct kp_text host;
    struct kp_buf buf;
    char *encoded = NULL;

    if (is_ascii(text))
        return text;
    host = kp_scratch_copy(scratch, (struct kp_text){text.bytes, len});
    if (idn2_to_ascii_8z(host.bytes, &encoded, IDN2_NFC_INPUT | IDN2_NO_TR46) != IDN2_OK)
        return text;
    buf = kp_scratch_buf(scratch, strlen(encoded) + text.len - len);
    kp_buf_put(&buf, kp_text_of(encoded));
    kp_buf_put(&buf, (struct kp_text){text.bytes + len, text.len - len});
    idn2_free(encoded);
    return kp_buf_text(&buf);
}

/* A Host value that no host can be is sent as an empty one. Upstream: request.go write. */
static struct kp_text clean_host(struct kp_text host)
{
    static const char marks[] = "!$%&()*+,-.:;=['_~]";

    for (size_t i = 0; i < host.len; i++) {
        char c = host.bytes[i];

        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
            (c == '\0' || !strchr(marks, c)))
            return KP_TEXT("");
    }
    return host;
}

/* The zone of an IPv6 address stays at home.  Upstream: request.go removeZone. */
static struct kp_text without_zone(struct kp_scratch *scratch, struct kp_text host)
{
    const char *close =
        host.len > 0 && host.bytes[0] == '[' ? memchr(host.bytes, ']', host.len) : NULL;
    const char *zone = close ? memchr(host.bytes, '%', (size_t)(close - host.bytes)) : NULL;
    struct kp_buf buf;

    if (!zone)
        return host;
    buf = kp_scratch_buf(scratch, host.len);
    kp_buf_put(&buf, (struct kp_text){host.bytes, (size_t)(zone - host.bytes)});
    kp_buf_put(&buf, (struct kp_text){close, host.len - (size_t)(close - host.bytes)});
    return kp_buf_text(&buf);
}

/* P-176. */
static bool is_left_out(struct kp_text key, const struct kp_hop *hop)
{
    static const char *const never[] = {
        "Host", "User-Agent", "Content-Length", "Transfer-Encoding", "Trailer", NULL};
    static const char *const of_body[] = {"Content-Encoding", "Content-Language",
                                          "Content-Location", "Content-Type", NULL};

    return is_one_of(key, never) || (hop->without_body_headers && is_one_of(key, of_body)) ||
           (hop->referer.len > 0 && equals(key, "Referer")) ||
           (hop->authorization.len > 0 && equals(key, "Authorization"));
}

/* The map of this hop, sorted. */
static void add_sorted(struct lines *lines, const struct kp_headers *headers,
                       const struct kp_hop *hop)
{
    struct kp_headers all = {0};

    all.items = kp_scratch_alloc(lines->scratch, (headers->count + 2) * sizeof *all.items);
    lines->failed |= !all.items;
    if (!all.items)
        return;
    for (size_t i = 0; i < headers->count; i++)
        if (!is_left_out(headers->items[i].key, hop))
            insert(&all, headers->items[i].key, headers->items[i].value);
    if (hop->referer.len > 0)
        insert(&all, KP_TEXT("Referer"), hop->referer);
    if (hop->authorization.len > 0)
        insert(&all, KP_TEXT("Authorization"), hop->authorization);
    for (size_t i = 0; i < all.count; i++)
        add_line(lines, all.items[i].key, trimmed(all.items[i].value));
}

/* What the transport adds behind all others. */
static void add_extra(struct lines *lines, const struct kp_headers *headers,
                      const struct kp_profile *profile)
{
    bool switches = kp_headers_get(headers, "Upgrade").len > 0 &&
                    kp_headers_has_token(headers, "Connection", "Upgrade");

    if (!profile->compression_off && !kp_headers_get(headers, "Accept-Encoding").bytes &&
        !kp_headers_get(headers, "Range").bytes)
        add_line(lines, KP_TEXT("Accept-Encoding"), KP_TEXT("gzip"));
    if (!switches && !kp_headers_has_token(headers, "Connection", "close"))
        add_line(lines, KP_TEXT("Connection"), KP_TEXT("close"));
}

/* Headers that libcurl would add of its own accord. */
static void forbid_others(struct lines *lines, const struct kp_headers *headers)
{
    static const char *const words[] = {"Accept", "User-Agent", NULL};

    for (const char *const *word = words; *word; word++) {
        struct kp_buf buf = kp_scratch_buf(lines->scratch, strlen(*word) + 1);
        struct curl_slist *grown;

        if (kp_headers_get(headers, *word).len > 0)
            continue;
        kp_buf_put(&buf, kp_text_of(*word));
        kp_buf_put_char(&buf, ':');
        grown = buf.bytes ? curl_slist_append(lines->first, buf.bytes) : NULL;
        lines->failed |= !grown;
        if (grown)
            lines->first = grown;
    }
}

/* P-177. */
struct curl_slist *kp_headers_lines(const struct kp_headers *headers, struct kp_scratch *scratch,
                                    const struct kp_profile *profile, const struct kp_hop *hop)
{
    struct lines lines = {.scratch = scratch};
    struct kp_text agent = trimmed(kp_headers_get(headers, "User-Agent"));

    add_line(&lines, KP_TEXT("Host"),
             without_zone(scratch, clean_host(ascii_host(scratch, hop->host))));
    if (agent.len > 0)
        add_line(&lines, KP_TEXT("User-Agent"), agent);
    add_sorted(&lines, headers, hop);
    add_extra(&lines, headers, profile);
    forbid_others(&lines, headers);
    if (!lines.failed)
        return lines.first;
    curl_slist_free_all(lines.first);
    return NULL;
}
