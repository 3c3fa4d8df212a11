#include "dial.h"

#include "url.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES_MAX 255

/* ---- where to -------------------------------------------------------------------------------- */

static const char *find(struct kp_text text, char c)
{
    return text.len > 0 ? memchr(text.bytes, c, text.len) : NULL;
}

static const char *last(struct kp_text text, char c)
{
    for (size_t i = text.len; i-- > 0;)
        if (text.bytes[i] == c)
            return text.bytes + i;
    return NULL;
}

static const char *split_brackets(struct kp_text text, const char *colon, struct kp_text *host)
{
    const char *close = find(text, ']');

    if (!close)
        return "missing ']' in address";
    *host = (struct kp_text){text.bytes + 1, (size_t)(close - text.bytes) - 1};
    if (close + 1 == colon)
        return NULL;
    return close + 1 < text.bytes + text.len && close[1] == ':' ? "too many colons in address"
                                                                : "missing port in address";
}

const char *kp_split_host_port(struct kp_text text, struct kp_text *host, struct kp_text *port)
{
    const char *colon = last(text, ':');
    struct kp_text rest = text;
    const char *wrong = NULL;
    bool brackets;

    if (!colon)
        return "missing port in address";
    brackets = text.bytes[0] == '[';
    *host = (struct kp_text){text.bytes, (size_t)(colon - text.bytes)};
    if (brackets)
        wrong = split_brackets(text, colon, host);
    else if (find(*host, ':'))
        wrong = "too many colons in address";
    if (wrong)
        return wrong;
    if (brackets)
        rest = kp_text_from(text, 1);
    if (find(rest, '['))
        return "unexpected '[' in address";
    if (brackets)
        rest = (struct kp_text){colon, (size_t)(text.bytes + text.len - colon)};
    if (find(rest, ']'))
        return "unexpected ']' in address";
    *port = (struct kp_text){colon + 1, (size_t)(text.bytes + text.len - colon) - 1};
    return NULL;
}

/* What of an address with a zone begins with its %. */
static struct kp_text zone_of(struct kp_text host)
{
    const char *zone = find(host, '%');

    return zone ? (struct kp_text){zone, (size_t)(host.bytes + host.len - zone)} : KP_TEXT("");
}

/* Of an interface, by its name or number; one that is not known goes nowhere, as in Go. */
static uint32_t scope_of(struct kp_scratch *scratch, struct kp_text zone)
{
    struct kp_text name = {zone.bytes + 1, zone.len - 1};
    const char *text = kp_scratch_copy(scratch, name).bytes;
    unsigned scope = if_nametoindex(text);

    return scope > 0 ? scope : (uint32_t)strtoul(text, NULL, 10);
}

static void set_ipv4(struct kp_dial *dial, const void *binary)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)dial->port)};

    memcpy(&to.sin_addr, binary, sizeof to.sin_addr);
    memcpy(&dial->address, &to, sizeof to);
}

/* Where the host is an address, with a zone or without, or up to Go 1.20 with an empty one; one of
 * IPv4 in the clothes of IPv6 is one of IPv4 to Go. */
static bool read_address(struct kp_dial *dial, struct kp_scratch *scratch,
                         const struct kp_profile *profile)
{
    struct kp_text host = dial->host.len > 0 ? dial->host : KP_TEXT("127.0.0.1"); /* P-123 */
    struct kp_text zone = zone_of(host);
    struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)dial->port)};
    struct in_addr binary;

    host = kp_scratch_copy(scratch, (struct kp_text){host.bytes, host.len - zone.len});
    if (zone.len == 0 && inet_pton(AF_INET, host.bytes, &binary) == 1) {
        set_ipv4(dial, &binary);
        return true;
    }
    if ((zone.len == 1 && profile->with_go_121) ||
        inet_pton(AF_INET6, host.bytes, &to.sin6_addr) != 1)
        return false;
    if (IN6_IS_ADDR_V4MAPPED(&to.sin6_addr)) {
        set_ipv4(dial, to.sin6_addr.s6_addr + 12);
        return true;
    }
    if (zone.len > 0)
        to.sin6_scope_id = scope_of(scratch, zone);
    memcpy(&dial->address, &to, sizeof to);
    return true;
}

/* A name that can be looked up; 127.1 and the like are addresses to libcurl alone. */
static bool is_name(struct kp_scratch *scratch, struct kp_text host)
{
    struct kp_text text = kp_scratch_copy(scratch, host);

    for (size_t i = 0; i < host.len; i++) {
        unsigned char c = (unsigned char)host.bytes[i];

        if (!kp_is_digit((char)c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
            c < 0x80 && c != '.' && c != '-' && c != '_')
            return false;
    }
    return host.len <= NAME_BYTES_MAX && inet_addr(text.bytes) == (in_addr_t)-1;
}

/* A decimal number, or another one above 65535. */
static int64_t read_port(struct kp_text text)
{
    int64_t port = 0;

    for (size_t i = 0; i < text.len && port < 100000; i++)
        port = 10 * port + (text.bytes[i] - '0');
    return port;
}

static bool fail_lookup(struct kp_message *why, struct kp_text host)
{
    kp_message_add(why, KP_TEXT("dial tcp: lookup "));
    kp_message_add(why, host);
    kp_message_add(why, KP_TEXT(": no such host"));
    return false;
}

/* Host and port are joined, and cut again by the dialler. */
static bool check_address(struct kp_scratch *scratch, struct kp_text host, struct kp_text port,
                          struct kp_message *why)
{
    struct kp_buf address = kp_scratch_buf(scratch, host.len + port.len + 3);
    const char *wrong;

    kp_put_host(&address, host);
    kp_buf_put_char(&address, ':');
    kp_buf_put(&address, port);
    wrong = kp_split_host_port(kp_buf_text(&address), &host, &port);
    if (!wrong)
        return true;
    kp_message_add(why, KP_TEXT("dial tcp: address "));
    kp_message_add(why, kp_buf_text(&address));
    kp_message_add(why, KP_TEXT(": "));
    kp_message_add(why, kp_text_of(wrong));
    return false;
}

/* Of a name. */
static bool read_name(struct kp_dial *dial, struct kp_scratch *scratch, struct kp_message *why)
{
    struct kp_buf url;

    if (!is_name(scratch, dial->host))
        return fail_lookup(why, dial->host);
    url = kp_scratch_buf(scratch, dial->host.len + 24);
    kp_buf_put(&url, KP_TEXT("http://"));
    kp_buf_put(&url, dial->host);
    kp_buf_put_char(&url, ':');
    kp_buf_put_int(&url, dial->port);
    dial->url = url.bytes;
    return true;
}

bool kp_dial_init(struct kp_dial *dial, struct kp_scratch *scratch,
                  const struct kp_profile *profile, struct kp_text host, struct kp_text port,
                  struct kp_message *why)
{
    *dial = (struct kp_dial){.host = host, .port = read_port(port)};
    dial->is_address = read_address(dial, scratch, profile);
    if (!check_address(scratch, host, port, why)) {
        dial->is_address = false;
        return false;
    }
    if (dial->port > 65535) {
        kp_message_add(why, KP_TEXT("dial tcp: address "));
        kp_message_add(why, port);
        kp_message_add(why, KP_TEXT(": invalid port"));
        dial->is_address = false;
        return false;
    }
    return dial->is_address || read_name(dial, scratch, why);
}

bool kp_dial_is_short(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/* ---- what went wrong ------------------------------------------------------------------------- */

static struct kp_text address_text(struct kp_scratch *scratch,
                                   const struct sockaddr_storage *address, struct kp_text zone)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    char host[INET6_ADDRSTRLEN] = "";
    struct kp_buf zoned = kp_scratch_buf(scratch, INET6_ADDRSTRLEN + zone.len);
    struct kp_buf buf = kp_scratch_buf(scratch, INET6_ADDRSTRLEN + zone.len + 16);
    int64_t port = 0;

    if (address->ss_family == AF_INET) {
        memcpy(&v4, address, sizeof v4);
        inet_ntop(AF_INET, &v4.sin_addr, host, sizeof host);
        port = ntohs(v4.sin_port);
    } else if (address->ss_family == AF_INET6) {
        memcpy(&v6, address, sizeof v6);
        inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof host);
        port = ntohs(v6.sin6_port);
    }
    kp_buf_put(&zoned, kp_text_of(host));
    kp_buf_put(&zoned, zone);
    kp_put_host_port(&buf, kp_buf_text(&zoned), port);
    return kp_buf_text(&buf);
}

/* Where it connected to, as Go prints it: an empty host stays empty. */
static struct kp_text target_text(struct kp_scratch *scratch, const struct kp_dial *dial)
{
    struct kp_buf buf;

    if (dial->host.len > 0)
        return address_text(scratch, &dial->address, zone_of(dial->host));
    buf = kp_scratch_buf(scratch, 16);
    kp_put_host_port(&buf, dial->host, dial->port);
    return kp_buf_text(&buf);
}

/* Of an end of a connection.  The zone is the kernel's, which keeps one of link-local addresses
 * alone; Go calls it by the interface's name. */
static struct kp_text end_text(struct kp_scratch *scratch, const struct sockaddr_storage *address)
{
    char name[IF_NAMESIZE];
    struct kp_buf zone = kp_scratch_buf(scratch, IF_NAMESIZE + 16);
    struct sockaddr_in6 v6 = {0};

    if (address->ss_family == AF_INET6)
        memcpy(&v6, address, sizeof v6);
    if (v6.sin6_scope_id > 0 && IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr)) {
        kp_buf_put_char(&zone, '%');
        if (if_indextoname(v6.sin6_scope_id, name))
            kp_buf_put(&zone, kp_text_of(name));
        else
            kp_buf_put_int(&zone, v6.sin6_scope_id);
    }
    return address_text(scratch, address, kp_buf_text(&zone));
}

void kp_dial_add_error(struct kp_message *message, struct kp_scratch *scratch,
                       const struct kp_dial *dial, int error)
{
    if (!dial->tried) {
        fail_lookup(message, dial->host);
        return;
    }
    kp_message_add(message, KP_TEXT("dial tcp "));
    kp_message_add(message, target_text(scratch, dial));
    kp_message_add(message, dial->no_socket ? KP_TEXT(": socket: ") : KP_TEXT(": connect: "));
    kp_message_add(message, kp_scratch_errno(scratch, error ? error : ECONNREFUSED));
}

void kp_dial_add_timeout(struct kp_message *message, struct kp_scratch *scratch,
                         const struct kp_dial *dial)
{
    if (dial->tried) {
        kp_message_add(message, KP_TEXT("dial tcp "));
        kp_message_add(message, target_text(scratch, dial));
    } else {
        kp_message_add(message, KP_TEXT("dial tcp: lookup "));
        kp_message_add(message, dial->host);
    }
    kp_message_add(message, KP_TEXT(": i/o timeout"));
}

void kp_dial_add_read_error(struct kp_message *message, struct kp_scratch *scratch,
                            const struct kp_dial *dial, int fd, int error)
{
    struct sockaddr_storage local = {.ss_family = AF_UNSPEC};
    socklen_t len = sizeof local;

    getsockname(fd, (struct sockaddr *)&local, &len);
    kp_message_add(message, KP_TEXT("read tcp "));
    kp_message_add(message, end_text(scratch, &local));
    kp_message_add(message, KP_TEXT("->"));
    kp_message_add(message, end_text(scratch, &dial->address));
    kp_message_add(message, KP_TEXT(": read: "));
    kp_message_add(message, kp_scratch_errno(scratch, error));
}
