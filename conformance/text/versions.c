#include "conformance/text/versions.h"

#include <stdio.h>
#include <string.h>

static struct kp_text without_v(struct kp_text word)
{
    return kp_text_begins(word, "v") ? kp_text_from(word, 1) : word;
}

/* "alpha.1", "beta.0", "rc.2", "rc1", and no longer word. */
static bool is_to_come(struct kp_text rest)
{
    static const char *const words[] = {"alpha", "beta", "rc"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t len = strlen(words[i]);

        if (kp_text_begins(rest, words[i]) &&
            (rest.len == len || rest.bytes[len] == '.' || kp_is_digit(rest.bytes[len])))
            return true;
    }
    return false;
}

/* What no distribution's words are: a release to come, or the end of a range. */
static bool is_none(char before, struct kp_text rest)
{
    struct kp_profile profile;

    return (before == '-' && is_to_come(rest)) ||
           kp_profile_init(&profile, without_v(rest)) == KP_OK;
}

/* Of "v1.34.2-eks-113cf36" or "1.36.4+k3s1" what is Kubernetes' own. */
static struct kp_text plain_name(struct kp_text word)
{
    word = without_v(word);
    for (size_t i = 0; i < word.len; i++) {
        if (word.bytes[i] != '-' && word.bytes[i] != '+')
            continue;
        if (is_none(word.bytes[i], (struct kp_text){word.bytes + i + 1, word.len - i - 1}))
            break;
        return (struct kp_text){word.bytes, i};
    }
    return word;
}

bool cf_version_read(struct kp_profile *profile, const char *word)
{
    return kp_profile_init(profile, plain_name(kp_text_of(word))) == KP_OK;
}

void cf_put_profile(struct cf_out *out, const struct kp_profile *profile)
{
    cf_out_printf(out, "1.%d", profile->minor);
    if (profile->patch != kp_profile_last_patch(profile->minor))
        cf_out_printf(out, ".%d", profile->patch);
}

void cf_json_profile(struct cf_out *out, const struct kp_profile *profile)
{
    cf_json_key(out, "k8s");
    cf_out_put_char(out, '"');
    cf_put_profile(out, profile);
    cf_out_put_char(out, '"');
}

static bool add(struct cf_versions *versions, struct kp_text word)
{
    struct kp_text name = plain_name(word);
    struct cf_version *version = &versions->list[versions->count];
    struct kp_profile profile;

    if (versions->count == CF_VERSIONS_MAX || name.len >= sizeof version->name ||
        kp_profile_init(&profile, name) != KP_OK)
        return false;
    memcpy(version->name, name.bytes, name.len);
    version->name[name.len] = '\0';
    version->number = profile.minor * 1000 + profile.patch;
    versions->count++;
    return true;
}

/* patch: -1: the minor's last, without saying so. */
static bool add_number(struct cf_versions *versions, int minor, int patch)
{
    char name[24];

    if (patch < 0)
        snprintf(name, sizeof name, "1.%d", minor);
    else
        snprintf(name, sizeof name, "1.%d.%d", minor, patch);
    return add(versions, kp_text_of(name));
}

#define PATCH_MAX 99 /* beyond are ends of minors */

/* A minor begins, or something changes; before: the patch before. */
static bool is_border(const struct kp_profile *before, const struct kp_profile *profile)
{
    struct kp_profile same = *before;

    same.patch = profile->patch;
    return memcmp(&same, profile, sizeof same) != 0;
}

/* Each patch of a minor at which something changes, and its last one, as the minor. */
static bool add_minor(struct cf_versions *versions, int minor, bool patches)
{
    struct kp_profile before = {0};
    struct kp_profile profile = {0};
    bool fine = true;

    for (int patch = 0; patch <= PATCH_MAX && fine; patch++, before = profile) {
        if (patch == kp_profile_last_patch(minor))
            fine = add_number(versions, minor, -1);
        if (patches)
            fine = kp_profile_of(&profile, minor, patch) == KP_OK && fine;
        if (patches && patch != kp_profile_last_patch(minor) && is_border(&before, &profile))
            fine = add_number(versions, minor, patch) && fine;
    }
    return fine;
}

static bool add_all(struct cf_versions *versions, bool patches)
{
    bool fine = true;

    for (int minor = KP_MINOR_MIN; minor <= KP_MINOR_MAX; minor++)
        fine = add_minor(versions, minor, patches) && fine;
    return fine;
}

bool cf_versions_insert(struct cf_versions *versions, int number)
{
    struct cf_version added;
    size_t at = versions->count;

    while (at > 0 && versions->list[at - 1].number > number)
        at--;
    if (at > 0 && versions->list[at - 1].number == number)
        return true;
    if (number % 1000 > PATCH_MAX)
        return true;
    if (!add_number(versions, number / 1000, number % 1000))
        return false;
    added = versions->list[versions->count - 1];
    memmove(&versions->list[at + 1], &versions->list[at],
            (versions->count - 1 - at) * sizeof added);
    versions->list[at] = added;
    return true;
}

bool cf_version_is_last(const struct cf_version *version)
{
    return version->number % 1000 == kp_profile_last_patch(version->number / 1000);
}

bool cf_versions_read(struct cf_versions *versions, const char *words, struct kp_text *bad)
{
    versions->count = 0;
    if (strcmp(words, "all") == 0 || strcmp(words, "patches") == 0)
        return add_all(versions, words[0] == 'p');
    for (;;) {
        const char *comma = strchr(words, ',');
        struct kp_text word = {words, comma ? (size_t)(comma - words) : strlen(words)};

        if (bad)
            *bad = word;
        if (!add(versions, word))
            return false;
        if (!comma)
            return true;
        words = comma + 1;
    }
}
