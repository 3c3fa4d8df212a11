#include "names.h"

#include <string.h>

#define LABEL_FMT "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define SUBDOMAIN_FMT LABEL_FMT "(\\." LABEL_FMT ")*"
#define ALNUM_DASH "must consist of lower case alphanumeric characters"
#define USED "', regex used for validation is '"

static const char label_old[] =
    "a DNS-1123 label " ALNUM_DASH " or '-', and must start and end with an alphanumeric character "
    "(e.g. 'my-name',  or '123-abc" USED LABEL_FMT "')";
static const char label_new[] = "a lowercase RFC 1123 label " ALNUM_DASH
                                " or '-', and must start and end with an alphanumeric character "
                                "(e.g. 'my-name',  or '123-abc" USED LABEL_FMT "')";
static const char subdomain_old[] =
    "a DNS-1123 subdomain " ALNUM_DASH
    ", '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com" USED
        SUBDOMAIN_FMT "')";
static const char subdomain_new[] =
    "a lowercase RFC 1123 subdomain " ALNUM_DASH
    ", '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com" USED
        SUBDOMAIN_FMT "')";
static const char env_text[] =
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or "
    "'.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or "
    "'MyEnvName1" USED "[-._a-zA-Z][-._a-zA-Z0-9]*')";
static const char header_text[] =
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name" USED
    "[-A-Za-z0-9]+')";
static const char qualified_text[] =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc" USED
    "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

#define TWO_SLASHES                                                                                \
    " must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "   \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc" USED                      \
    "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' "    \
    "(e.g. 'example.com/MyName')"
static const char two_slashes_old[] = "a qualified name" TWO_SLASHES;
static const char two_slashes_new[] = "a valid label key" TWO_SLASHES;

static void add(struct kp_name_faults *faults, const char *text)
{
    faults->texts[faults->count++] = text;
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_alnum(char c)
{
    return is_lower(c) || kp_is_digit(c) || (c >= 'A' && c <= 'Z');
}

static bool is_label(struct kp_text name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!is_lower(name.bytes[i]) && !kp_is_digit(name.bytes[i]) &&
            (name.bytes[i] != '-' || i == 0 || i == name.len - 1))
            return false;
    return name.len > 0;
}

static bool is_subdomain(struct kp_text name)
{
    for (;;) {
        const char *dot = name.len > 0 ? memchr(name.bytes, '.', name.len) : NULL;
        size_t len = dot ? (size_t)(dot - name.bytes) : name.len;

        if (!is_label((struct kp_text){name.bytes, len}))
            return false;
        if (!dot)
            return true;
        name = (struct kp_text){dot + 1, name.len - len - 1};
    }
}

struct kp_name_faults kp_name_dns_label(const struct kp_profile *profile, struct kp_text name)
{
    struct kp_name_faults faults = {0};

    if (name.len > 63)
        add(&faults, "must be no more than 63 characters");
    if (is_label(name))
        return faults;
    if (profile->label_dots_named && is_subdomain(name))
        add(&faults, "must not contain dots");
    else
        add(&faults, profile->rfc1123_wording ? label_new : label_old);
    return faults;
}

struct kp_name_faults kp_name_dns_subdomain(const struct kp_profile *profile, struct kp_text name)
{
    struct kp_name_faults faults = {0};

    if (name.len > 253)
        add(&faults, "must be no more than 253 characters");
    if (!is_subdomain(name))
        add(&faults, profile->rfc1123_wording ? subdomain_new : subdomain_old);
    return faults;
}

/* An IANA service name with at least one letter (V-022); all faults are found, not the first alone
 * (V-021). */
struct kp_name_faults kp_name_port(const struct kp_profile *profile, struct kp_text name)
{
    struct kp_name_faults faults = {0};
    bool charset = name.len > 0;
    bool letter = false;
    bool doubled = false;
    char before = ' ';

    for (size_t i = 0; i < name.len; i++) {
        char c = name.bytes[i];

        charset = charset && (is_lower(c) || kp_is_digit(c) || c == '-');
        letter = letter || is_lower(c);
        doubled = doubled || (c == '-' && before == '-');
        before = c;
    }
    if (name.len > 15)
        add(&faults, "must be no more than 15 characters");
    if (!charset)
        add(&faults, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    if (!letter)
        add(&faults, profile->port_letter_wording
                         ? "must contain at least one letter (a-z)"
                         : "must contain at least one letter or number (a-z, 0-9)");
    if (doubled)
        add(&faults, "must not contain consecutive hyphens");
    if (name.len > 0 && (name.bytes[0] == '-' || name.bytes[name.len - 1] == '-'))
        add(&faults, "must not begin or end with a hyphen");
    return faults;
}

static struct kp_name_faults relaxed_env(struct kp_text name)
{
    struct kp_name_faults faults = {0};

    for (size_t i = 0; i < name.len; i++)
        if (name.bytes[i] < 0x20 || name.bytes[i] > 0x7e || name.bytes[i] == '=') {
            add(&faults, "a valid environment variable name must consist only of printable ASCII "
                         "characters other than '='");
            break;
        }
    return faults;
}

struct kp_name_faults kp_name_env(const struct kp_profile *profile, struct kp_text name)
{
    struct kp_name_faults faults = {0};
    bool good = name.len > 0 && !kp_is_digit(name.bytes[0]);

    if (profile->env_name_relaxed)
        return relaxed_env(name);
    for (size_t i = 0; i < name.len; i++)
        good = good && (is_alnum(name.bytes[i]) || memchr("-._", name.bytes[i], 3) != NULL);
    if (!good)
        add(&faults, env_text);
    if (kp_text_equal(name, KP_TEXT(".")))
        add(&faults, "must not be '.'");
    else if (kp_text_equal(name, KP_TEXT("..")))
        add(&faults, "must not be '..'");
    else if (kp_text_begins(name, ".."))
        add(&faults, "must not start with '..'");
    return faults;
}

struct kp_name_faults kp_name_http_header(struct kp_text name)
{
    struct kp_name_faults faults = {0};
    bool good = name.len > 0;

    for (size_t i = 0; i < name.len; i++)
        good = good && (is_alnum(name.bytes[i]) || name.bytes[i] == '-');
    if (!good)
        add(&faults, header_text);
    return faults;
}

static void check_prefix(const struct kp_profile *profile, struct kp_text prefix,
                         struct kp_name_faults *faults)
{
    if (prefix.len == 0) {
        add(faults, "prefix part must be non-empty");
        return;
    }
    if (prefix.len > 253)
        add(faults, profile->label_key_wording ? "prefix part must be no more than 253 bytes"
                                               : "prefix part must be no more than 253 characters");
    if (is_subdomain(prefix))
        return;
    add(faults, profile->rfc1123_wording
                    ? "prefix part a lowercase RFC 1123 subdomain " ALNUM_DASH
                      ", '-' or '.', and must start and end with an alphanumeric character (e.g. "
                      "'example.com" USED SUBDOMAIN_FMT "')"
                    : "prefix part a DNS-1123 subdomain " ALNUM_DASH
                      ", '-' or '.', and must start and end with an alphanumeric character (e.g. "
                      "'example.com" USED SUBDOMAIN_FMT "')");
}

static bool is_qualified(struct kp_text name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!is_alnum(name.bytes[i]) &&
            (memchr("-_.", name.bytes[i], 3) == NULL || i == 0 || i == name.len - 1))
            return false;
    return name.len > 0;
}

struct kp_name_faults kp_name_qualified(const struct kp_profile *profile, struct kp_text name)
{
    struct kp_name_faults faults = {0};
    const char *slash = name.len > 0 ? memchr(name.bytes, '/', name.len) : NULL;

    if (slash) {
        size_t len = (size_t)(slash - name.bytes);
        struct kp_text rest = {slash + 1, name.len - len - 1};

        if (rest.len > 0 && memchr(rest.bytes, '/', rest.len)) {
            add(&faults, profile->label_key_wording ? two_slashes_new : two_slashes_old);
            return faults;
        }
        check_prefix(profile, (struct kp_text){name.bytes, len}, &faults);
        name = rest;
    }
    if (name.len == 0)
        add(&faults, "name part must be non-empty");
    else if (name.len > 63)
        add(&faults, profile->label_key_wording ? "name part must be no more than 63 bytes"
                                                : "name part must be no more than 63 characters");
    if (!is_qualified(name))
        add(&faults, qualified_text);
    return faults;
}
