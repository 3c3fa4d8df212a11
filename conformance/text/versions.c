#include "conformance/text/versions.h"

#include <stdio.h>
#include <string.h>

static bool add(struct cf_versions *versions, struct kp_text name)
{
    struct cf_version *version = &versions->list[versions->count];
    struct kp_profile profile;

    if (versions->count == CF_VERSIONS_MAX || name.len >= sizeof version->name ||
        kp_profile_init(&profile, name) != KP_OK)
        return false;
    memcpy(version->name, name.bytes, name.len);
    version->name[name.len] = '\0';
    version->minor = profile.minor;
    version->patch = profile.patch;
    versions->count++;
    return true;
}

static bool add_all(struct cf_versions *versions)
{
    bool fine = true;

    for (int minor = KP_MINOR_MIN; minor <= KP_MINOR_MAX; minor++) {
        char name[12];

        snprintf(name, sizeof name, "1.%d", minor);
        fine = add(versions, kp_text_of(name)) && fine;
    }
    return fine;
}

bool cf_versions_read(struct cf_versions *versions, const char *words)
{
    versions->count = 0;
    if (strcmp(words, "all") == 0)
        return add_all(versions);
    for (;;) {
        const char *comma = strchr(words, ',');
        size_t len = comma ? (size_t)(comma - words) : strlen(words);

        if (!add(versions, (struct kp_text){words, len}))
            return false;
        if (!comma)
            return true;
        words = comma + 1;
    }
}
