#include "image.h"

#include <string.h>

static bool is_lower(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_alnum(char c)
{
    return is_lower(c) || (c >= 'A' && c <= 'Z');
}

static bool is_lower_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool is_hex(char c)
{
    return is_lower_hex(c) || (c >= 'A' && c <= 'F');
}

static bool is_of_ipv6(char c)
{
    return is_hex(c) || c == ':';
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
    const char *found = text.len > 0 ? memchr(text.bytes, c, text.len) : NULL;

    return found ? (size_t)(found - text.bytes) : text.len;
}

static struct kp_text from(struct kp_text text, size_t at)
{
    return at < text.len ? (struct kp_text){text.bytes + at, text.len - at} : KP_TEXT("");
}

static struct kp_text until(struct kp_text text, size_t end)
{
    return (struct kp_text){text.bytes, end < text.len ? end : text.len};
}

/* How many bytes of ".", "_", "__" or any number of "-" stand here. */
static size_t separator(struct kp_text text, size_t at)
{
    size_t dashes = 0;

    while (at + dashes < text.len && text.bytes[at + dashes] == '-')
        dashes++;
    if (dashes > 0 || at >= text.len)
        return dashes;
    if (text.bytes[at] == '.')
        return 1;
    if (text.bytes[at] != '_')
        return 0;
    return at + 1 < text.len && text.bytes[at + 1] == '_' ? 2 : 1;
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
        if (!is_lower(path.bytes[at - 1]) && at == path.len)
            return false;
    }
}

static bool is_host(const struct kp_profile *profile, struct kp_text host)
{
    size_t at = 0;

    if (host.len > 2 && host.bytes[0] == '[' && profile->image_hosts_widened)
        return run_of(host, 1, is_of_ipv6) == host.len - 2 && host.bytes[host.len - 1] == ']';
    for (;;) {
        size_t run = 0;

        while (at + run < host.len &&
               (is_alnum(host.bytes[at + run]) || host.bytes[at + run] == '-'))
            run++;
        if (run == 0 || host.bytes[at] == '-' || host.bytes[at + run - 1] == '-')
            return false;
        at += run;
        if (at == host.len)
            return true;
        if (host.bytes[at++] != '.')
            return false;
    }
}

static bool is_domain(const struct kp_profile *profile, struct kp_text domain)
{
    bool literal = domain.len > 0 && domain.bytes[0] == '[';
    size_t colon = literal ? find(domain, ']') + 1 : find(domain, ':');
    struct kp_text port = from(domain, colon + 1);

    if (colon >= domain.len)
        return is_host(profile, domain);
    for (size_t i = 0; i < port.len; i++)
        if (port.bytes[i] < '0' || port.bytes[i] > '9')
            return false;
    return port.len > 0 && is_host(profile, until(domain, colon));
}

static bool is_tag(struct kp_text tag)
{
    for (size_t i = 0; i < tag.len; i++)
        if (!is_alnum(tag.bytes[i]) && tag.bytes[i] != '_' &&
            (i == 0 || (tag.bytes[i] != '.' && tag.bytes[i] != '-')))
            return false;
    return tag.len > 0 && tag.len <= 128;
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

/* The first part is a registry only if it looks like one; else it belongs to Docker Hub's path. */
static bool begins_with_domain(const struct kp_profile *profile, struct kp_text image, size_t slash)
{
    struct kp_text first = until(image, slash);

    if (slash == image.len)
        return false;
    if (find(first, '.') < first.len || find(first, ':') < first.len ||
        kp_text_equal(first, KP_TEXT("localhost")))
        return true;
    for (size_t i = 0; i < first.len && profile->image_hosts_widened; i++)
        if (first.bytes[i] >= 'A' && first.bytes[i] <= 'Z')
            return true;
    return false;
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

    if (image.len == 64 && run_of(image, 0, is_hex) == 64)
        return false; /* an image's id, not a name */
    if (!is_name(profile, until(image, skipped + colon), has_domain))
        return false;
    if ((at < rest.len && !is_digest(profile, digest)) || (colon < name.len && !is_tag(tag)))
        return false;
    if (tag.len == 0)
        return digest.len == 0;
    return kp_text_equal(tag, KP_TEXT("latest"));
}
