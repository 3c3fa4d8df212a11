#include "profile.h"

#define V(minor, patch) ((minor)*1000 + (patch))
#define NONE V(1000, 0)
#define END 0

static const int last_patches[] = {12, 15, 17, 20, 16, 15, 14, 17, 17, 17, 16, 15,
                                   16, 15, 15, 14, 14, 13, 13, 10, 8,  4,  2};
_Static_assert(sizeof last_patches / sizeof last_patches[0] == KP_MINOR_MAX - KP_MINOR_MIN + 1,
               "each minor has its last patch here");

/* How many of the boundaries (ended by END) the version has passed. */
static uint8_t passed(int version, const int *boundaries)
{
    uint8_t count = 0;

    while (boundaries[count] != END && boundaries[count] <= version)
        count++;
    return count;
}

/* On from each version (ended by END) to the end of its minor, and from the last one on. */
static bool has_come(int version, const int *since)
{
    for (; *since != END; since++)
        if (version >= *since && (since[1] == END || version < V(*since / 1000 + 1, 0)))
            return true;
    return false;
}

struct gate_row {
    const char *name;
    int since;
    int on;
    int locked;
    int gone;
};

static const struct gate_row gate_rows[KP_GATES] = {
#define GATE(name, rules, since, on, locked, gone) {#name, since, on, locked, gone},
#include "gates.def"
#undef GATE
};

static int version_of(const struct kp_profile *profile)
{
    return V(profile->minor, profile->patch);
}

/* A number of one to three digits, without a zero before it; -1: there is none at *at. */
static int take_number(struct kp_text text, size_t *at)
{
    int number = 0;
    size_t start = *at;

    while (*at < text.len && *at - start < 3 && kp_is_digit(text.bytes[*at]))
        number = number * 10 + (text.bytes[(*at)++] - '0');
    return *at == start || (text.bytes[start] == '0' && *at - start > 1) ? -1 : number;
}

static enum kp_err parse_version(struct kp_profile *profile, struct kp_text version)
{
    size_t at = 0;

    if (take_number(version, &at) != 1 || at == version.len || version.bytes[at++] != '.')
        return KP_EUNKNOWN;
    profile->minor = take_number(version, &at);
    if (profile->minor < KP_MINOR_MIN || profile->minor > KP_MINOR_MAX)
        return KP_EUNKNOWN;
    profile->patch = kp_profile_last_patch(profile->minor);
    if (at == version.len)
        return KP_OK;
    if (version.bytes[at] != '.')
        return KP_EUNKNOWN;
    at++;
    profile->patch = take_number(version, &at);
    return profile->patch >= 0 && at == version.len ? KP_OK : KP_EUNKNOWN;
}

enum kp_err kp_profile_init(struct kp_profile *profile, struct kp_text version)
{
    int now;

    *profile = (struct kp_profile){0};
    if (parse_version(profile, version) != KP_OK)
        return KP_EUNKNOWN;
    now = version_of(profile);
#define LEVEL(name, rules, ...) profile->name = passed(now, (const int[]){__VA_ARGS__, END});
#define SWITCH(name, rules, ...) profile->name = has_come(now, (const int[]){__VA_ARGS__, END});
#define SPANS(name, rules, ...)                                                                    \
    profile->name = passed(now, (const int[]){__VA_ARGS__, END}) % 2 == 1;
#include "profile.def"
#undef SPANS
#undef SWITCH
#undef LEVEL
    for (int gate = 0; gate < KP_GATES; gate++)
        profile->gates[gate] = now >= gate_rows[gate].on;
    return KP_OK;
}

enum kp_err kp_profile_set_gate(struct kp_profile *profile, struct kp_text name, bool on)
{
    for (int gate = 0; gate < KP_GATES; gate++) {
        if (!kp_text_equal(kp_text_of(gate_rows[gate].name), name))
            continue;
        if (!kp_gate_known(profile, (enum kp_gate)gate))
            return KP_EUNKNOWN;
        if (version_of(profile) >= gate_rows[gate].locked && profile->gates[gate] != on)
            return KP_EINPUT;
        profile->gates[gate] = on;
        return KP_OK;
    }
    return KP_EUNKNOWN;
}

const char *kp_gate_name(enum kp_gate gate)
{
    return gate_rows[gate].name;
}

bool kp_gate_known(const struct kp_profile *profile, enum kp_gate gate)
{
    int now = version_of(profile);

    return now >= gate_rows[gate].since && now < gate_rows[gate].gone;
}

int kp_profile_last_patch(int minor)
{
    return last_patches[minor - KP_MINOR_MIN];
}

bool kp_profile_keeps_old(const struct kp_profile *profile)
{
    return profile->old_containers_keep &&
           !profile->gates[KP_GATE_ChangeContainerStatusOnKubeletRestart];
}
