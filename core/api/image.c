#include "image.h"

static bool is_lower(char c)
{
    return (c >= 'a' && c <= 'z') || kp_is_digit(c);
}

static bool is_alnum(char c)
{
    return is_lower(c) || (c >= 'A' && c <= 'Z');
}

static bool is_lower_hex(char c)
{
    return kp_is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool is_hex(char c)
{
    return is_lower_hex(c) || (c >= 'A' && c <= 'F');
}

static bool is_of_ipv6(char c)
{
    return is_hex(c) || c == ':';
}

static bool is_of_host(char c)
{
    return is_alnum(c) || c == '-';
}

static bool is_dash(char c)
{
    return c == '-';
}

static bool is_underscore(char c)
{
    return c == '_';
}

static size_t run_of(struct kp_text text, size_t at, bool (*is)(char))
{
    size_t start = at;

    while (at < text.len && is(text.bytes[at]))
        at++;
    return at - start;
}

static size_t find(struct kp_text text, char c)
{
    size_t at = 0;

    while (at < text.len && text.bytes[at] != c)
        at++;
    return at;
}

static struct kp_text from(struct kp_text text, size_t at)
{
    return at < text.len ? kp_text_from(text, at) : KP_TEXT("");
}

static struct kp_text until(struct kp_text text, size_t end)
{
    return (struct kp_text){text.bytes, end < text.len ? end : text.len};
}

/* How many bytes of ".", "_", "__" or any number of "-" stand here. */
static size_t separator(struct kp_text text, size_t at)
{
    size_t dashes = run_of(text, at, is_dash);
    size_t underscores = run_of(text, at, is_underscore);

    if (text.bytes[at] == '.')
        return 1;
    return underscores < 3 ? dashes + underscores : 0;
}

/* A path of components: lower-case letters and digits, with separators between them. */
static bool is_path(struct kp_text path)
{
    size_t at = 0;

    for (;;) {
        size_t run = run_of(path, at, is_lower);

        if (run == 0)
            return false;
        at += run;
        if (at == path.len)
            return true;
        at += path.bytes[at] == '/' ? 1 : separator(path, at);
    }
}

static bool is_host(const struct kp_profile *profile, struct kp_text host)
{
    size_t at = 0;

    if (host.len > 2 && host.bytes[0] == '[' && profile->image_hosts_widened)
        return run_of(host, 1, is_of_ipv6) == host.len - 2 && host.bytes[host.len - 1] == ']';
    for (;;) {
        size_t run = run_of(host, at, is_of_host);

        if (run == 0 || host.bytes[at] == '-')
            return false;
        at += run;
        if (host.bytes[at - 1] == '-')
            return false;
        if (at == host.len)
            return true;
        if (host.bytes[at] != '.')
            return false;
        at++;
    }
}

static bool is_domain(const struct kp_profile *profile, struct kp_text domain)
{
    bool literal = domain.len > 0 && domain.bytes[0] == '[';
    size_t colon = literal ? find(domain, ']') + 1 : find(domain, ':');
    struct kp_text port = from(domain, colon + 1);

    if (colon >= domain.len)
        return is_host(profile, domain);
    return port.len > 0 && kp_text_digits(port) == port.len &&
           is_host(profile, until(domain, colon));
}

/* An algorithm that is known, with as many digits as it has: go-digest Validate. */
static bool is_digest(const struct kp_profile *profile, struct kp_text digest)
{
    static const struct {
        struct kp_text name;
        size_t digits;
    } algorithms[] = {{{"sha256", 6}, 64}, {{"sha384", 6}, 96}, {{"sha512", 6}, 128}};
    size_t colon = find(digest, ':');
    struct kp_text hex = from(digest, colon + 1);

    if (run_of(hex, 0, profile->digest_is_lower_case ? is_lower_hex : is_hex) != hex.len)
        return false;
    for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++)
        if (kp_text_equal(algorithms[i].name, until(digest, colon)))
            return hex.len == algorithms[i].digits;
    return false;
}

/* The first part is a registry only if it looks like one; else it belongs to Docker Hub's path.
 * From 1.29 on an upper-case letter makes it look like one, too; any other host, as localhost,
 * reads the same as a path.
 */
static bool begins_with_domain(const struct kp_profile *profile, struct kp_text image, size_t slash)
{
    struct kp_text first = until(image, slash);

    if (slash == image.len)
        return false;
    return profile->image_hosts_widened || find(first, '.') < first.len ||
           find(first, ':') < first.len;
}

/* What looks like a registry but is none may still be a part of the path, as in "a_b.c/d". */
static bool is_name(const struct kp_profile *profile, struct kp_text name, bool has_domain)
{
    size_t slash = find(name, '/');

    if (has_domain && is_domain(profile, until(name, slash)))
        return is_path(from(name, slash + 1));
    return is_path(name);
}

bool kp_image_is_latest(const struct kp_profile *profile, struct kp_text image)
{
    size_t slash = find(image, '/');
    bool has_domain = begins_with_domain(profile, image, slash);
    size_t skipped = has_domain ? slash + 1 : 0;
    struct kp_text rest = from(image, skipped);
    size_t at = find(rest, '@');
    struct kp_text digest = from(rest, at + 1);
    struct kp_text name = until(rest, at);
    size_t colon = find(name, ':');
    struct kp_text tag = from(name, colon + 1);

    /* An image's id, 64 digits, is no name. */
    if ((image.len == 64 && run_of(image, 0, is_lower_hex) == 64) ||
        !is_name(profile, until(image, skipped + colon), has_domain) ||
        (at < rest.len && !is_digest(profile, digest)))
        return false;
    if (colon == name.len)
        return at == rest.len;
    return kp_text_equal(tag, KP_TEXT("latest"));
}
