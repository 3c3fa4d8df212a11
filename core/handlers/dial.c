#include "dial.h"

#include "url.h"

#include <arpa/inet.h>
#include <errno.h>
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
    bool brackets = text.len > 0 && text.bytes[0] == '[';
    struct kp_text rest = text;
    const char *wrong = NULL;

    if (!colon)
        return "missing port in address";
    *host = (struct kp_text){text.bytes, (size_t)(colon - text.bytes)};
    if (brackets)
        wrong = split_brackets(text, colon, host);
    else if (find(*host, ':'))
        wrong = "too many colons in address";
    if (wrong)
        return wrong;
    if (brackets)
        rest = (struct kp_text){text.bytes + 1, text.len - 1};
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

/* An address with a zone is an address. */
static bool is_ipv6(struct kp_scratch *scratch, struct kp_text host)
{
    unsigned char binary[16];
    struct kp_text address;

    host.len -= zone_of(host).len;
    address = kp_scratch_copy(scratch, host);
    return inet_pton(AF_INET6, address.bytes, binary) == 1;
}

static bool is_ipv4(struct kp_scratch *scratch, struct kp_text host)
{
    struct in_addr address;

    return inet_pton(AF_INET, kp_scratch_copy(scratch, host).bytes, &address) == 1;
}

/* A name that a resolver can be asked for; 127.1 and the like are addresses to libcurl alone. */
static bool is_name(struct kp_scratch *scratch, struct kp_text host)
{
    struct kp_text text = kp_scratch_copy(scratch, host);

    for (size_t i = 0; i < host.len; i++) {
        unsigned char c = (unsigned char)host.bytes[i];

        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
            c < 0x80 && c != '.' && c != '-' && c != '_')
            return false;
    }
    if (host.len == 0 || host.len > NAME_BYTES_MAX)
        return false;
    return is_ipv4(scratch, host) || inet_addr(text.bytes) == (in_addr_t)-1;
}

/* The host as libcurl's URL has it; false: nobody can be asked for it. */
static bool put_host(struct kp_buf *buf, struct kp_scratch *scratch, struct kp_text host)
{
    if (host.len == 0) {
        kp_buf_put(buf, KP_TEXT("127.0.0.1")); /* P-123 */
        return true;
    }
    if (!is_ipv6(scratch, host)) {
        kp_buf_put(buf, host);
        return is_name(scratch, host);
    }
    kp_buf_put_char(buf, '[');
    for (size_t i = 0; i < host.len; i++) {
        kp_buf_put_char(buf, host.bytes[i]);
        if (host.bytes[i] == '%')
            kp_buf_put(buf, KP_TEXT("25"));
    }
    kp_buf_put_char(buf, ']');
    return true;
}

/* A decimal number up to 65535. */
static bool read_port(struct kp_text text, int64_t *port)
{
    *port = 0;
    for (size_t i = 0; i < text.len && *port < 100000; i++)
        *port = 10 * *port + (text.bytes[i] - '0');
    return *port <= 65535;
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

bool kp_dial_init(struct kp_dial *dial, struct kp_scratch *scratch, const char *scheme,
                  struct kp_text host, struct kp_text port, struct kp_message *why)
{
    struct kp_buf buf = kp_scratch_buf(scratch, host.len + 64);

    dial->host = host;
    if (!check_address(scratch, host, port, why))
        return false;
    if (!read_port(port, &dial->port)) {
        kp_message_add(why, KP_TEXT("dial tcp: address "));
        kp_message_add(why, port);
        kp_message_add(why, KP_TEXT(": invalid port"));
        return false;
    }
    kp_buf_put(&buf, kp_text_of(scheme));
    kp_buf_put(&buf, KP_TEXT("://"));
    if (!put_host(&buf, scratch, host))
        return fail_lookup(why, host);
    kp_buf_put_char(&buf, ':');
    kp_buf_put_int(&buf, dial->port);
    dial->url = buf.bytes;
    dial->is_address = host.len == 0 || is_ipv6(scratch, host) || is_ipv4(scratch, host);
    return true;
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
        if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr))
            inet_ntop(AF_INET, v6.sin6_addr.s6_addr + 12, host, sizeof host);
        else
            inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof host);
        port = ntohs(v6.sin6_port);
    }
    kp_buf_put(&zoned, kp_text_of(host));
    kp_buf_put(&zoned, zone);
    kp_put_host_port(&buf, kp_buf_text(&zoned), port);
    return kp_buf_text(&buf);
}

/* Where it connected to, as Go prints it: an empty host stays empty. */
static struct kp_text target_text(struct kp_scratch *scratch, const struct kp_dial *dial,
                                  const struct kp_transfer *transfer)
{
    struct kp_buf buf;

    if (dial->host.len > 0)
        return address_text(scratch, &transfer->address, zone_of(dial->host));
    buf = kp_scratch_buf(scratch, 16);
    kp_put_host_port(&buf, dial->host, dial->port);
    return kp_buf_text(&buf);
}

void kp_dial_add_error(struct kp_message *message, struct kp_scratch *scratch,
                       const struct kp_dial *dial, const struct kp_transfer *transfer)
{
    long error = 0;

    if (!transfer->dialled) {
        fail_lookup(message, dial->host);
        return;
    }
    curl_easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &error);
    kp_message_add(message, KP_TEXT("dial tcp "));
    kp_message_add(message, target_text(scratch, dial, transfer));
    kp_message_add(message, KP_TEXT(": connect: "));
    kp_message_add(message, kp_scratch_errno(scratch, error ? (int)error : ECONNREFUSED));
}

/* What nghttp2 says of no memory, libcurl of its own functions that found none, and OpenSSL. */
static bool says_so(const struct kp_transfer *transfer)
{
    static const char *const words[] = {"returned -901", "returned -902",
                                        "add data to output buffer", ":malloc failure"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(transfer->words, words[i]))
            return true;
    return false;
}

bool kp_dial_lacked_memory(const struct kp_dial *dial, const struct kp_transfer *transfer,
                           CURLcode code)
{
    if (code != CURLE_OUT_OF_MEMORY && !(code == CURLE_COULDNT_RESOLVE_HOST && dial->is_address) &&
        !(code != CURLE_OK && says_so(transfer)))
        return false;
    kp_flight_finish_text(transfer->flight, KP_ANSWER_ERROR, KP_TEXT("out of memory"));
    return true;
}

void kp_dial_add_timeout(struct kp_message *message, struct kp_scratch *scratch,
                         const struct kp_dial *dial, const struct kp_transfer *transfer)
{
    if (transfer->dialled) {
        kp_message_add(message, KP_TEXT("dial tcp "));
        kp_message_add(message, target_text(scratch, dial, transfer));
    } else {
        kp_message_add(message, KP_TEXT("dial tcp: lookup "));
        kp_message_add(message, dial->host);
    }
    kp_message_add(message, KP_TEXT(": i/o timeout"));
}

void kp_dial_add_read_error(struct kp_message *message, struct kp_scratch *scratch,
                            const struct kp_transfer *transfer)
{
    struct kp_buf buf = kp_scratch_buf(scratch, INET6_ADDRSTRLEN + 16);
    char *host = NULL;
    long port = 0;
    int error = kp_transfer_errno(transfer);

    curl_easy_getinfo(transfer->easy, CURLINFO_LOCAL_IP, &host);
    curl_easy_getinfo(transfer->easy, CURLINFO_LOCAL_PORT, &port);
    kp_put_host_port(&buf, kp_text_of(host ? host : ""), port);
    kp_message_add(message, KP_TEXT("read tcp "));
    kp_message_add(message, kp_buf_text(&buf));
    kp_message_add(message, KP_TEXT("->"));
    kp_message_add(message, address_text(scratch, &transfer->address, KP_TEXT("")));
    kp_message_add(message, KP_TEXT(": read: "));
    kp_message_add(message, kp_scratch_errno(scratch, error ? error : ECONNRESET));
}
