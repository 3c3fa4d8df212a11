#include "http_headers.h"

#include "dial.h"
#include "punycode.h"
#include "url.h"

#include <string.h>

#define BLANKS " \t\r\n"

/* ---- names and values ------------------------------------------------------------------------ */

bool kp_headers_is_token_byte(char c)
{
    return kp_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_token(struct kp_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!kp_headers_is_token_byte(text.bytes[i]))
            return false;
    return text.len > 0;
}

bool kp_headers_is_value(struct kp_text text)
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

/* The last `c`, or NULL. */
static const char *find_last(struct kp_text text, char c)
{
    while (text.len > 0)
        if (text.bytes[--text.len] == c)
            return text.bytes + text.len;
    return NULL;
}

static bool equals(struct kp_text text, const char *word)
{
    return kp_text_equal(text, kp_text_of(word));
}

struct kp_text kp_headers_canonical_name(struct kp_scratch *scratch, struct kp_text name)
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

/* The user's headers, with User-Agent and Accept where absent (P-097); an empty User-Agent stays
 * empty (P-172). */
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

        insert(headers,
               profile->header_names_canonical ? kp_headers_canonical_name(scratch, name) : name,
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

/* Up to Go 1.18 the value is printed, too. */
static void add_bad_value(struct kp_message *why, const struct kp_header *header,
                          const struct kp_profile *profile)
{
    bool with_go_119 = profile->with_go_119;

    kp_message_add(why, with_go_119 ? KP_TEXT("net/http: invalid header field value for ")
                                    : KP_TEXT("net/http: invalid header field value "));
    kp_message_add_quoted(why, with_go_119 ? header->key : header->value);
    if (with_go_119)
        return;
    kp_message_add(why, KP_TEXT(" for key "));
    kp_message_add(why, header->key);
}

bool kp_headers_check(const struct kp_headers *headers, const struct kp_profile *profile,
                      struct kp_message *why)
{
    for (size_t i = 0; i < headers->count; i++) {
        const struct kp_header *header = &headers->items[i];

        if (is_token(header->key) && kp_headers_is_value(header->value))
            continue;
        if (is_token(header->key)) {
            add_bad_value(why, header, profile);
        } else {
            kp_message_add(why, KP_TEXT("net/http: invalid header field name "));
            kp_message_add_quoted(why, header->key);
        }
        return false;
    }
    return true;
}

/* Is one of the parts between separators that token, in any case? */
static bool has_part(struct kp_text text, const char *separators, const char *token)
{
    while (text.len > 0) {
        size_t len = 0;

        while (len < text.len && (text.bytes[len] == '\0' || !strchr(separators, text.bytes[len])))
            len++;
        if (kp_text_equal_any_case(kp_text_trim((struct kp_text){text.bytes, len}, BLANKS), token))
            return true;
        text = kp_text_from(text, len + (len < text.len));
    }
    return false;
}

bool kp_headers_list_has_token(struct kp_text list, const char *token)
{
    return has_part(list, ",", token);
}

bool kp_headers_first_has_token(const struct kp_headers *headers, const char *key,
                                const char *token)
{
    return has_part(kp_headers_get(headers, key), " ,\t", token);
}

/* ---- the host -------------------------------------------------------------------------------- */

struct kp_text kp_headers_ascii_host(struct kp_scratch *scratch, struct kp_text text)
{
    struct kp_text host;
    struct kp_text port;
    struct kp_buf buf;
    bool bracket;

    if (is_ascii(text))
        return text;
    if (kp_split_host_port(text, &host, &port) != NULL)
        return kp_punycode(scratch, text);
    host = kp_punycode(scratch, host);
    if (port.len == 0)
        return host;
    bracket = find_last(host, ':') != NULL;
    buf = kp_scratch_buf(scratch, host.len + port.len + 3);
    kp_buf_put(&buf, bracket ? KP_TEXT("[") : KP_TEXT(""));
    kp_buf_put(&buf, host);
    kp_buf_put(&buf, bracket ? KP_TEXT("]:") : KP_TEXT(":"));
    kp_buf_put(&buf, port);
    return kp_buf_text(&buf);
}

bool kp_headers_is_host(struct kp_text host)
{
    static const char marks[] = "!$%&()*+,-.:;=['_~]";

    for (size_t i = 0; i < host.len; i++) {
        char c = host.bytes[i];

        if (!kp_is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
            (c == '\0' || !strchr(marks, c)))
            return false;
    }
    return true;
}

/* Of Go before 1.19.11 and 1.20.6: cut off at a blank or a slash; what is parted into host and port
 * is put together anew. What it did beyond ASCII, with capitals and the like, is not had here.
 * Upstream: request.go cleanHost. */
static struct kp_text cut_host(struct kp_scratch *scratch, struct kp_text text)
{
    struct kp_text host;
    struct kp_text port;
    struct kp_buf buf;

    for (size_t i = 0; i < text.len; i++)
        if (text.bytes[i] == ' ' || text.bytes[i] == '/')
            text.len = i;
    if (!is_ascii(text) || kp_split_host_port(text, &host, &port) != NULL)
        return kp_headers_ascii_host(scratch, text);
    buf = kp_scratch_buf(scratch, host.len + port.len + 3);
    kp_put_host(&buf, host);
    kp_buf_put_char(&buf, ':');
    kp_buf_put(&buf, port);
    return kp_buf_text(&buf);
}

bool kp_headers_has_host(const struct kp_profile *profile, struct kp_text value)
{
    bool cuts = !profile->host_header_checked;

    return value.len > 0 && !(cuts && (value.bytes[0] == ' ' || value.bytes[0] == '/'));
}

/* A Host value that no host can be is sent as an empty one.  Upstream: request.go write. */
static struct kp_text clean_host(struct kp_scratch *scratch, const struct kp_profile *profile,
                                 struct kp_text host)
{
    if (!profile->host_header_checked)
        return cut_host(scratch, host);
    host = kp_headers_ascii_host(scratch, host);
    return kp_headers_is_host(host) ? host : KP_TEXT("");
}

/* The zone of an IPv6 address stays at home.  Upstream: request.go removeZone. */
static struct kp_text without_zone(struct kp_scratch *scratch, struct kp_text host)
{
    const char *close = find_last(host, ']');
    struct kp_text address = {host.bytes, close ? (size_t)(close - host.bytes) : 0};
    struct kp_text rest = {close, host.len - address.len};
    const char *zone = find_last(address, '%');
    struct kp_buf buf;

    if (!zone || address.bytes[0] != '[')
        return host;
    buf = kp_scratch_buf(scratch, host.len);
    kp_buf_put(&buf, (struct kp_text){host.bytes, (size_t)(zone - host.bytes)});
    kp_buf_put(&buf, rest);
    return kp_buf_text(&buf);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Go writes these itself, or never for a GET (P-176). */
static bool is_left_out(struct kp_text key, const struct kp_hop *hop)
{
    static const char *const never[] = {"Host", "User-Agent", "Content-Length", "Transfer-Encoding",
                                        NULL};
    static const char *const of_body[] = {"Content-Encoding", "Content-Language",
                                          "Content-Location", "Content-Type", NULL};
    static const char *const secrets[] = {"Authorization", "Www-Authenticate", "Cookie", "Cookie2"};
    bool is_secret = false;

    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++)
        is_secret |= kp_text_equal_any_case(key, secrets[i]);
    return kp_text_is_one_of(key, never) ||
           (hop->without_body_headers && kp_text_is_one_of(key, of_body)) ||
           (hop->without_secrets && is_secret) ||
           (hop->referer.len > 0 && equals(key, "Referer")) ||
           (hop->authorization.len > 0 && equals(key, "Authorization"));
}

static void append(struct kp_headers *headers, const char *key, struct kp_text value)
{
    headers->items[headers->count++] = (struct kp_header){kp_text_of(key), value};
}

/* The map of this hop, sorted. */
static void add_hop(struct kp_headers *all, const struct kp_headers *headers,
                    const struct kp_hop *hop)
{
    struct kp_headers map = {.items = all->items + all->count};

    for (size_t i = 0; i < headers->count; i++)
        if (!is_left_out(headers->items[i].key, hop))
            insert(&map, headers->items[i].key, headers->items[i].value);
    if (hop->referer.len > 0)
        insert(&map, KP_TEXT("Referer"), hop->referer);
    if (hop->authorization.len > 0)
        insert(&map, KP_TEXT("Authorization"), hop->authorization);
    all->count += map.count;
}

bool kp_headers_ask_for_gzip(const struct kp_headers *headers, const struct kp_profile *profile)
{
    return !profile->compression_off && kp_headers_get(headers, "Accept-Encoding").len == 0 &&
           kp_headers_get(headers, "Range").len == 0;
}

/* Upstream: Go, net/http isProtocolSwitchHeader. */
static bool is_switch(const struct kp_headers *headers)
{
    bool upgrades = false;

    for (size_t i = 0; i < headers->count; i++)
        upgrades |= equals(headers->items[i].key, "Connection") &&
                    kp_headers_list_has_token(headers->items[i].value, "Upgrade");
    return upgrades && kp_headers_get(headers, "Upgrade").len > 0;
}

/* What the transport adds behind all others; Connection: close where its own first value has it not
 * (P-175). */
static void add_extra(struct kp_headers *all, const struct kp_headers *headers,
                      const struct kp_profile *profile)
{
    bool switches = profile->with_go_116 && is_switch(headers);

    if (kp_headers_ask_for_gzip(headers, profile))
        append(all, "Accept-Encoding", KP_TEXT("gzip"));
    if (!switches && !kp_headers_first_has_token(headers, "Connection", "close"))
        append(all, "Connection", KP_TEXT("close"));
}

/* What is sent at this hop, in Go's order: Host, User-Agent, the map by name, Connection (P-177);
 * no empty User-Agent (P-172). */
struct kp_headers kp_headers_of_hop(const struct kp_headers *headers, struct kp_scratch *scratch,
                                    const struct kp_profile *profile, const struct kp_hop *hop)
{
    struct kp_text agent = kp_headers_get(headers, "User-Agent");
    struct kp_headers all = {
        .items = kp_scratch_alloc(scratch, (headers->count + 6) * sizeof *headers->items)};

    if (!all.items)
        return all;
    append(&all, "Host", without_zone(scratch, clean_host(scratch, profile, hop->host)));
    if (agent.len > 0) /* of blanks alone, too: then HTTP/1 sends it empty */
        append(&all, "User-Agent", agent);
    add_hop(&all, headers, hop);
    add_extra(&all, headers, profile);
    return all;
}

/* The request line, then each header under the name that it has by now, canonical or as written
 * (P-173). */
static void put_request(struct kp_buf *buf, struct kp_text target, const struct kp_headers *headers)
{
    kp_buf_put(buf, KP_TEXT("GET "));
    kp_buf_put(buf, target);
    kp_buf_put(buf, KP_TEXT(" HTTP/1.1\r\n"));
    for (size_t i = 0; i < headers->count; i++) {
        struct kp_text value = headers->items[i].value;

        if (equals(headers->items[i].key, "Trailer")) /* only HTTP/2 sends it */
            continue;
        kp_buf_put(buf, headers->items[i].key);
        kp_buf_put(buf, KP_TEXT(": "));
        kp_buf_put(buf, i == 0 ? value : kp_text_trim(value, BLANKS));
        kp_buf_put(buf, KP_TEXT("\r\n"));
    }
    kp_buf_put(buf, KP_TEXT("\r\n"));
}

struct kp_text kp_headers_request(struct kp_scratch *scratch, struct kp_text target,
                                  const struct kp_headers *headers)
{
    struct kp_buf request = {0};

    put_request(&request, target, headers);
    request = kp_scratch_buf(scratch, request.need);
    put_request(&request, target, headers);
    return scratch->failed ? KP_TEXT("") : kp_buf_text(&request);
}
