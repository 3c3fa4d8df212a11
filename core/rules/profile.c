#include "profile.h"

#include <string.h>

/* Versions are numbers, each kind from its own million on: a boundary says of what it is one. */
enum kind { KUBERNETES, OF_GO, OF_GODEBUG, OF_GRPC, OF_NET, KINDS };
#define KIND 1000000
#define V(minor, patch) ((minor)*1000 + (patch))
#define GO(one, minor, patch) (OF_GO * KIND + V(minor, patch))
#define GODEBUG(one, minor) (OF_GODEBUG * KIND + V(minor, 0))
#define GRPC(one, minor, patch) (OF_GRPC * KIND + V(minor, patch))
#define NET(zero, minor, patch) (OF_NET * KIND + V(minor, patch))
#define NET_OF(year, month) (OF_NET * KIND + ((year)-2000) * 12 + (month)) /* below v0.1 */
#define NONE V(999, 0)
#define END 0

static const int last_patches[] = {
#define BUILT(version, ...)
#define LAST(version, ...) (version) % 1000,
#include "built.def"
#undef LAST
#undef BUILT
};
_Static_assert(sizeof last_patches / sizeof last_patches[0] == KP_MINOR_MAX - KP_MINOR_MIN + 1,
               "each minor has its last patch in built.def");

static bool reached(const int now[KINDS], int boundary)
{
    return now[boundary / KIND] >= boundary;
}

/* Beside the release of Kubernetes: the versions, one of each kind, that it is built with. */
static void build(int now[KINDS])
{
    const int rows[][KINDS] = {
#define BUILT(version, go, godebug, grpc, net) {version, go, godebug, grpc, net},
#define LAST BUILT
#include "built.def"
#undef LAST
#undef BUILT
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (reached(now, rows[i][KUBERNETES]))
            memcpy(&now[OF_GO], &rows[i][OF_GO], (KINDS - OF_GO) * sizeof *now);
}

/* How many of the boundaries (ended by END) have been reached. */
static uint8_t passed(const int now[KINDS], const int *boundaries)
{
    uint8_t count = 0;

    while (boundaries[count] != END && reached(now, boundaries[count]))
        count++;
    return count;
}

/* On from each version (ended by END) to the end of its minor, and from the last one on. */
static bool has_come(const int now[KINDS], const int *since)
{
    for (; *since != END; since++)
        if (reached(now, *since) &&
            (since[1] == END || !reached(now, *since - *since % 1000 + V(1, 0))))
            return true;
    return false;
}

/* On from the first of two versions, off from the second; pairs, ended by END. */
static bool is_within(const int now[KINDS], const int (*spans)[2])
{
    for (; (*spans)[0] != END; spans++)
        if (reached(now, (*spans)[0]) && !reached(now, (*spans)[1]))
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

enum kp_err kp_profile_of(struct kp_profile *profile, int minor, int patch)
{
    int now[KINDS] = {[KUBERNETES] = V(minor, patch)};

    *profile = (struct kp_profile){0};
    if (minor < KP_MINOR_MIN || minor > KP_MINOR_MAX || patch < 0)
        return KP_EUNKNOWN;
    profile->minor = minor;
    profile->patch = patch;
    build(now);
    profile->grpc_go = now[OF_GRPC] % KIND;
#define LEVEL(name, rules, ...) profile->name = passed(now, (const int[]){__VA_ARGS__, END});
#define SWITCH(name, rules, ...) profile->name = has_come(now, (const int[]){__VA_ARGS__, END});
#define SPANS(name, rules, ...)                                                                    \
    profile->name = is_within(now, (const int[][2]){__VA_ARGS__, {END}});
#include "profile.def"
#undef SPANS
#undef SWITCH
#undef LEVEL
    for (int gate = 0; gate < KP_GATES; gate++)
        profile->gates[gate] = reached(now, gate_rows[gate].on);
    return KP_OK;
}

enum kp_err kp_version_numbers(struct kp_text version, int *minor, int *patch)
{
    size_t at = 0;

    if (take_number(version, &at) != 1 || at == version.len || version.bytes[at++] != '.')
        return KP_EUNKNOWN;
    *minor = take_number(version, &at);
    if (*minor < KP_MINOR_MIN || *minor > KP_MINOR_MAX)
        return KP_EUNKNOWN;
    *patch = kp_profile_last_patch(*minor);
    if (at == version.len)
        return KP_OK;
    if (version.bytes[at] != '.')
        return KP_EUNKNOWN;
    at++;
    *patch = take_number(version, &at);
    return at == version.len && *patch >= 0 ? KP_OK : KP_EUNKNOWN;
}

enum kp_err kp_profile_init(struct kp_profile *profile, struct kp_text version)
{
    int minor;
    int patch;

    *profile = (struct kp_profile){0};
    return kp_version_numbers(version, &minor, &patch) == KP_OK
               ? kp_profile_of(profile, minor, patch)
               : KP_EUNKNOWN;
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
