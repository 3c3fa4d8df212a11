#include "fuzz/shared/profile.h"

#include "fuzz/fuzz.h"

#define VERSIONS_MAX 16

const struct kp_profile *fuzz_profile(const char *version)
{
    static struct {
        const char *version;
        struct kp_profile profile;
    } kept[VERSIONS_MAX];
    size_t i = 0;

    while (i < VERSIONS_MAX && kept[i].version && kept[i].version != version)
        i++;
    PROMISE(i < VERSIONS_MAX);
    if (!kept[i].version)
        PROMISE(kp_profile_init(&kept[i].profile, kp_text_of(version)) == KP_OK);
    kept[i].version = version;
    return &kept[i].profile;
}
