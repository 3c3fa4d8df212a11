#include "http_reply.h"

#include "http_headers.h"

#include <string.h>

#define BLANKS " \t\r\n" /* net/textproto TrimString's */
#define LIST_BYTES_MAX 1000
#define VERSION_MAX 1000000
#define INFORMATIONAL_MAX 5 /* where there is a limit */

void kp_http_reply_init(struct kp_http_reply *reply, struct kp_scratch *scratch,
                        const struct kp_profile *profile)
{
    *reply = (struct kp_http_reply){.scratch = scratch, .profile = profile, .content_length = -1};
}

static bool refuse(struct kp_http_reply *reply, const char *what, struct kp_text quoted)
{
    reply->refused = true;
    kp_message_add(&reply->why, KP_TEXT(KP_HTTP_BROKEN));
    kp_message_add(&reply->why, kp_text_of(what));
    kp_message_add(&reply->why, KP_TEXT(" "));
    kp_message_add_quoted(&reply->why, kp_scratch_copy(reply->scratch, quoted));
    return false;
}

/* Of a header, which not every Go quotes. */
static bool refuse_line(struct kp_http_reply *reply, const char *what, struct kp_text line)
{
    refuse(reply, what, line);
    if (!reply->profile->mime_errors_quoted)
        reply->why.parts[reply->why.count - 1].kind = KP_PART_TEXT;
    return false;
}

/* What Go prints of a list: ["a" "b"]. */
static bool refuse_list(struct kp_http_reply *reply, const char *what, struct kp_text list)
{
    reply->refused = true;
    kp_message_add(&reply->why, KP_TEXT(KP_HTTP_BROKEN));
    kp_message_add(&reply->why, kp_text_of(what));
    kp_message_add(&reply->why, KP_TEXT(" ["));
    kp_message_add(&reply->why, list);
    kp_message_add(&reply->why, KP_TEXT("]"));
    return false;
}

/* The list with one more; what is beyond its limit nobody reads. */
static struct kp_text listed(struct kp_http_reply *reply, struct kp_text list, struct kp_text value)
{
    struct kp_message longer = {0};

    if (list.len > LIST_BYTES_MAX)
        return list;
    kp_message_add(&longer, list);
    kp_message_add(&longer, list.len > 0 ? KP_TEXT(" ") : KP_TEXT(""));
    kp_message_add_quoted(&longer, value);
    return kp_scratch_message(reply->scratch, &longer);
}

static struct kp_text without_line_end(struct kp_text line)
{
    if (line.len == 0 || line.bytes[line.len - 1] != '\n')
        return line; /* the last one of a connection */
    line.len--;
    if (line.len > 0 && line.bytes[line.len - 1] == '\r')
        line.len--;
    return line;
}

/* ---- the status line ------------------------------------------------------------------------- */

/* Of a version's two numbers one; -1: it is none.  Up to Go 1.17 HTTP/1.10, HTTP/01.1 and HTTP/1.-0
 * are some, then each has one digit. */
static int version_number(const struct kp_http_reply *reply, struct kp_text text)
{
    bool any = !reply->profile->with_go_118;
    bool is_negative = text.len > 0 && text.bytes[0] == '-';
    size_t at = is_negative || (text.len > 0 && text.bytes[0] == '+');
    int number = 0;

    if (at == text.len || (text.len > 1 && !any))
        return -1;
    for (size_t i = at; i < text.len; i++) {
        if (!kp_is_digit(text.bytes[i]))
            return -1;
        number = number * 10 + (text.bytes[i] - '0');
        if (number > (is_negative ? 0 : VERSION_MAX))
            return -1;
    }
    return number;
}

/* No version at all, 0.0, is one like 1.1.  Upstream: request.go ParseHTTPVersion, transfer.go
 * readTransfer. */
static bool take_version(struct kp_http_reply *reply, struct kp_text text)
{
    const char *dot = memchr(text.bytes, '.', text.len);
    size_t at = dot ? (size_t)(dot - text.bytes) : 0;
    int major;
    int minor;

    if (at < 5 || !kp_text_begins(text, "HTTP/"))
        return false;
    major = version_number(reply, (struct kp_text){text.bytes + 5, at - 5});
    minor = version_number(reply, (struct kp_text){dot + 1, text.len - at - 1});
    reply->before_1_1 = (major == 0 && minor > 0) || (major == 1 && minor == 0);
    return major >= 0 && minor >= 0;
}

/* Three bytes that strconv.Atoi takes and that are not negative; -1: they are not. */
static int status_code(struct kp_text text)
{
    int code = 0;
    bool is_signed;

    if (text.len != 3)
        return -1;
    is_signed = text.bytes[0] == '+' || text.bytes[0] == '-';
    for (size_t i = is_signed; i < text.len; i++) {
        if (!kp_is_digit(text.bytes[i]))
            return -1;
        code = 10 * code + (text.bytes[i] - '0');
    }
    return text.bytes[0] == '-' && code > 0 ? -1 : code;
}

static bool take_status(struct kp_http_reply *reply, struct kp_text line)
{
    const char *space = line.len > 0 ? memchr(line.bytes, ' ', line.len) : NULL;
    struct kp_text version;
    struct kp_text code;

    if (!space)
        return refuse(reply, "malformed HTTP response", line);
    version = (struct kp_text){line.bytes, (size_t)(space - line.bytes)};
    code = (struct kp_text){space, line.len - version.len};
    while (code.len > 0 && code.bytes[0] == ' ')
        code = kp_text_from(code, 1);
    space = code.len > 0 ? memchr(code.bytes, ' ', code.len) : NULL;
    if (space)
        code.len = (size_t)(space - code.bytes);
    reply->status = status_code(code);
    if (reply->status < 0)
        return refuse(reply, "malformed HTTP status code", code);
    if (!take_version(reply, version))
        return refuse(reply, "malformed HTTP version", version);
    return true;
}

/* ---- headers --------------------------------------------------------------------------------- */

/* Names may hold spaces: such a header is kept under its odd name; without one it is passed over.
 */
static bool is_name(const struct kp_http_reply *reply, struct kp_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!kp_headers_is_token_byte(text.bytes[i]) && text.bytes[i] != ' ')
            return false;
    return text.len > 0 || !reply->profile->empty_names_refused;
}

/* Up to Go 1.19 any bytes are. */
static bool is_header(const struct kp_http_reply *reply, struct kp_text name, struct kp_text value)
{
    return !reply->profile->with_go_120 || (is_name(reply, name) && kp_headers_is_value(value));
}

static void take_length(struct kp_http_reply *reply, struct kp_text value)
{
    struct kp_text plain = kp_text_trim(value, BLANKS);

    reply->length_count++;
    reply->lengths = listed(reply, reply->lengths, value);
    if (reply->length_count == 1)
        reply->length = kp_scratch_copy(reply->scratch, plain);
    reply->lengths_differ |= !kp_text_equal(plain, reply->length);
}

/* The first one counts.  HTTP/2 was strict, as long as anything was unpacked: in_fields. */
static void take_content_encoding(struct kp_http_reply *reply, struct kp_text value)
{
    bool is_gzip = reply->fields.in_regular ? kp_text_equal(value, KP_TEXT("gzip"))
                                            : kp_text_equal_any_case(value, "gzip");

    reply->has_gzip |= !reply->is_encoded && is_gzip;
    reply->is_encoded = true;
}

/* What no trailer may be, where one says that it comes.  Upstream: transfer.go fixTrailer. */
static void take_trailer(struct kp_http_reply *reply, struct kp_text value)
{
    static const char *const bad[] = {"Transfer-Encoding", "Trailer", "Content-Length"};
    struct kp_text key;

    while (value.len > 0 && !reply->bad_trailer) {
        kp_text_cut(value, ',', &key, &value);
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
            if (kp_text_equal_any_case(kp_text_trim(key, BLANKS), bad[i]))
                reply->bad_trailer = bad[i];
    }
}

/* Of Upgrade the first one counts, of Connection each. */
static void take_upgrade(struct kp_http_reply *reply, struct kp_text name, struct kp_text value)
{
    if (kp_text_equal_any_case(name, "Connection"))
        reply->connection_upgrades |= kp_headers_list_has_token(value, "Upgrade");
    if (!kp_text_equal_any_case(name, "Upgrade"))
        return;
    reply->upgrades |= !reply->has_upgrade && value.len > 0;
    reply->has_upgrade = true;
}

void kp_http_reply_take(struct kp_http_reply *reply, struct kp_text name, struct kp_text value)
{
    if (kp_text_equal_any_case(name, "Location") && !reply->location.bytes)
        reply->location = kp_scratch_copy(reply->scratch, value);
    if (kp_text_equal_any_case(name, "Transfer-Encoding")) {
        if (reply->encoding_count == 0)
            reply->encoding = kp_scratch_copy(reply->scratch, value);
        reply->encoding_count++;
        reply->encodings = listed(reply, reply->encodings, value);
    }
    if (kp_text_equal_any_case(name, "Content-Length"))
        take_length(reply, value);
    if (kp_text_equal_any_case(name, "Content-Encoding"))
        take_content_encoding(reply, value);
    if (kp_text_equal_any_case(name, "Trailer"))
        take_trailer(reply, value);
    take_upgrade(reply, name, value);
}

/* Names of the usual sort are printed in canonical letters: Go has written them so by then. */
static bool refuse_header(struct kp_http_reply *reply, struct kp_text name, struct kp_text rest)
{
    struct kp_message line = {0};

    kp_message_add(&line, kp_headers_canonical_name(reply->scratch, name));
    kp_message_add(&line, rest);
    return refuse_line(reply,
                       "malformed MIME header line:", kp_scratch_message(reply->scratch, &line));
}

/* The header under way is whole. */
static bool end_header(struct kp_http_reply *reply)
{
    struct kp_text line = kp_buf_text(&reply->header);
    const char *colon = line.len > 0 ? memchr(line.bytes, ':', line.len) : NULL;
    struct kp_text name;
    struct kp_text rest;
    struct kp_text value;

    reply->header.need = 0;
    if (!colon) /* there is none, or no memory for it; or Go up to 1.13 looks for one here alone */
        return line.len == 0 || reply->profile->with_go_115 ||
               refuse_line(reply, "malformed MIME header line:", line);
    name = (struct kp_text){line.bytes, (size_t)(colon - line.bytes)};
    rest = (struct kp_text){colon, line.len - name.len};
    value = kp_text_trim((struct kp_text){colon + 1, rest.len - 1}, " \t");
    if (!is_header(reply, name, value))
        return refuse_header(reply, name, rest);
    kp_http_reply_take(reply, name, value);
    return true;
}

/* A line that goes on with the header before it. */
static bool take_continuation(struct kp_http_reply *reply, struct kp_text line)
{
    if (reply->header.need == 0)
        return refuse_line(reply, "malformed MIME header initial line:", line);
    kp_scratch_put(reply->scratch, &reply->header, KP_TEXT(" "));
    kp_scratch_put(reply->scratch, &reply->header, kp_text_trim(line, " \t"));
    return true;
}

static bool take_header_line(struct kp_http_reply *reply, struct kp_text line)
{
    if (reply->profile->with_go_115 && !memchr(line.bytes, ':', line.len))
        return refuse(reply, "malformed MIME header: missing colon:", line);
    kp_scratch_put(reply->scratch, &reply->header, kp_text_trim(line, " \t"));
    return true;
}

/* ---- the end of a head ----------------------------------------------------------------------- */

/* Up to Go 1.14 a length may have a sign, and be -0. */
static bool read_length(struct kp_http_reply *reply)
{
    uint64_t number;
    size_t at = 0;

    if (reply->length_count == 0 ||
        (reply->length.len == 0 && !reply->profile->empty_length_refused))
        return true;
    if (reply->length.len == 0)
        return refuse(reply, "invalid empty Content-Length", reply->length);
    if (!reply->profile->with_go_115)
        at = reply->length.bytes[0] == '+' || reply->length.bytes[0] == '-';
    if (!kp_text_number(kp_text_from(reply->length, at), INT64_MAX, &number) ||
        (number > 0 && reply->length.bytes[0] == '-'))
        return refuse(reply, "bad Content-Length", reply->length);
    reply->content_length = (int64_t)number;
    return true;
}

static bool has_no_body(int status)
{
    return status / 100 == 1 || status == 204 || status == 304;
}

/* Upstream: transfer.go fixLength. */
static bool judge_lengths(struct kp_http_reply *reply)
{
    bool always = reply->profile->length_always_read;

    if (reply->has_encoding && !always)
        return true;
    if (reply->lengths_differ)
        return refuse_list(reply,
                           "http: message cannot contain multiple Content-Length headers; got",
                           reply->lengths);
    return (has_no_body(reply->status) && !always) || read_length(reply);
}

/* Before Go 1.24 no more than five informational replies (P-106). */
static bool count_informational(struct kp_http_reply *reply)
{
    reply->informational_count++;
    if (reply->profile->informational_unlimited || reply->informational_count <= INFORMATIONAL_MAX)
        return true;
    reply->refused = true;
    kp_message_add(&reply->why,
                   KP_TEXT(KP_HTTP_BROKEN "net/http: too many 1xx informational responses"));
    return false;
}

static bool refuse_coding(struct kp_http_reply *reply)
{
    reply->refused = true;
    kp_message_add(&reply->why, KP_TEXT(KP_HTTP_BROKEN "unsupported transfer encoding: "));
    kp_message_add(&reply->why, reply->encodings);
    return false;
}

static struct kp_text lower_case(struct kp_http_reply *reply, struct kp_text text)
{
    struct kp_buf lower = kp_scratch_buf(reply->scratch, text.len);

    for (size_t i = 0; i < text.len; i++) {
        char c = text.bytes[i];

        kp_buf_put_char(&lower, c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
    }
    return kp_buf_text(&lower);
}

static bool refuse_old_coding(struct kp_http_reply *reply, struct kp_text coding)
{
    return refuse(reply,
                  reply->profile->with_go_113 ? "unsupported transfer encoding:"
                                              : "unsupported transfer encoding",
                  coding);
}

static bool refuse_chunked_twice(struct kp_http_reply *reply, size_t count)
{
    struct kp_text chunked = KP_TEXT("chunked,");
    struct kp_buf list = kp_scratch_buf(reply->scratch, count * chunked.len);

    for (size_t i = 0; i < count; i++)
        kp_buf_put(&list, chunked);
    list.need--; /* the last comma */
    return refuse(reply, "too many transfer encodings", kp_buf_text(&list));
}

/*
 * Up to Go 1.14 codings are a list in the first header, and identity ends it.
 *
 * Upstream: transfer.go fixTransferEncoding.
 */
static bool read_old_codings(struct kp_http_reply *reply)
{
    struct kp_text list = reply->encoding;
    struct kp_text chunked = KP_TEXT("chunked");
    size_t count = 0;

    for (bool more = true; more;) {
        const char *comma = list.len > 0 ? memchr(list.bytes, ',', list.len) : NULL;
        size_t len = comma ? (size_t)(comma - list.bytes) : list.len;
        struct kp_text coding =
            lower_case(reply, kp_text_trim((struct kp_text){list.bytes, len}, BLANKS));

        if (kp_text_equal(coding, KP_TEXT("identity")))
            break;
        if (!kp_text_equal(coding, chunked))
            return refuse_old_coding(reply, coding);
        count++;
        more = comma != NULL;
        if (more)
            list = (struct kp_text){comma + 1, list.len - len - 1};
    }
    reply->has_encoding = count > 0;
    return count < 2 || refuse_chunked_twice(reply, count);
}

/* Is the body in chunks? */
static bool read_codings(struct kp_http_reply *reply)
{
    if (!reply->profile->with_go_115)
        return read_old_codings(reply);
    if (reply->encoding_count > 1)
        return refuse_list(reply, "too many transfer encodings:", reply->encodings);
    if (!reply->profile->with_go_118)
        reply->encoding = kp_text_trim(reply->encoding, BLANKS);
    reply->has_encoding = kp_text_equal_any_case(reply->encoding, "chunked");
    return reply->has_encoding || refuse_coding(reply);
}

/* true: the head is the last one; an informational reply is skipped, but not 101 (P-106). */
static bool end_head(struct kp_http_reply *reply)
{
    if (!reply->before_1_1 && reply->encoding_count > 0 && !read_codings(reply))
        return false;
    if (!judge_lengths(reply))
        return false;
    if (reply->has_encoding && reply->bad_trailer)
        return refuse(reply, "bad trailer key", kp_text_of(reply->bad_trailer));
    if (reply->has_encoding)
        reply->content_length = -1;
    reply->complete = reply->status == 101 || reply->status / 100 != 1;
    return reply->complete || count_informational(reply);
}

bool kp_http_reply_switches(const struct kp_http_reply *reply)
{
    return reply->status == 101 && reply->upgrades && reply->connection_upgrades;
}

void kp_http_reply_begin(struct kp_http_reply *reply)
{
    struct kp_http_reply before = *reply;

    kp_http_reply_init(reply, before.scratch, before.profile);
    reply->in_head = true;
    reply->header = before.header;
    reply->head_bytes = before.head_bytes;
    reply->informational_count = before.informational_count;
}

bool kp_http_reply_line(struct kp_http_reply *reply, struct kp_text line)
{
    struct kp_text text = without_line_end(line);

    reply->head_bytes += line.len;
    if (reply->head_bytes > KP_HTTP_HEAD_BYTES_MAX) {
        reply->refused = true;
        kp_message_add(
            &reply->why,
            KP_TEXT(KP_HTTP_BROKEN
                    "net/http: server response headers exceeded 10485760 bytes; aborted"));
        return false;
    }
    if (!reply->in_head) {
        kp_http_reply_begin(reply);
        return take_status(reply, text);
    }
    if (text.len > 0 && (text.bytes[0] == ' ' || text.bytes[0] == '\t'))
        return take_continuation(reply, text);
    if (!end_header(reply))
        return false;
    if (text.len > 0)
        return take_header_line(reply, text);
    reply->in_head = false;
    return end_head(reply);
}

bool kp_http_reply_break(struct kp_http_reply *reply)
{
    return end_header(reply);
}

/* ---- behind the last chunk ------------------------------------------------------------------- */

static bool is_at_empty_line(struct kp_text lines)
{
    return lines.bytes[0] == '\n' || memcmp(lines.bytes, "\r\n", 2) == 0;
}

struct kp_text kp_http_reply_trailer(const struct kp_http_reply *reply, struct kp_text lines)
{
    struct kp_http_reply trailer;
    bool good = true;

    kp_http_reply_init(&trailer, reply->scratch, reply->profile);
    trailer.in_head = true;
    while (good && !is_at_empty_line(lines)) {
        const char *next = (const char *)memchr(lines.bytes, '\n', lines.len) + 1;
        size_t len = (size_t)(next - lines.bytes);

        good = kp_http_reply_line(&trailer, (struct kp_text){lines.bytes, len});
        lines = (struct kp_text){next, lines.len - len};
    }
    kp_http_reply_break(&trailer);
    trailer.why.parts[0].text = KP_TEXT(""); /* the connection is not what is broken */
    return kp_scratch_message(reply->scratch, &trailer.why);
}
