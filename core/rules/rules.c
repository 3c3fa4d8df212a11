#include "rules.h"

#include <string.h>

static const struct kp_rule_row rows[] = {
    [KP_RULE_NONE] = {"", "", "", "", "", 'H', "", KP_LEVEL_PROSE, ""},
#define RULE(name, id, since, until, place, confidence, issues, level, sentence)                   \
    [KP_RULE_##                                                                                    \
        name] = {#name, id, since, until, place, confidence, issues, KP_LEVEL_##level, sentence},
#include "rules_api.def"
#include "rules_prober.def"
#include "rules_sync.def"
#undef RULE
};

static const char *const silent[KP_RULES] = {
#define SILENT(name, why) [KP_RULE_##name] = why,
#include "rules_silent.def"
#undef SILENT
};

static const struct {
    enum kp_standing standing;
    const char *evidence; /* NULL: there is no row */
} standings[KP_RULES] = {
#define CONTRACT(name, where) [KP_RULE_##name] = {KP_STANDING_CONTRACT, where},
#define QUIRK(name, bug) [KP_RULE_##name] = {KP_STANDING_QUIRK, bug},
#define WORDING(name) [KP_RULE_##name] = {KP_STANDING_WORDING, ""},
#include "standing.def"
#undef CONTRACT
#undef QUIRK
#undef WORDING
};

enum kp_standing kp_rule_standing(enum kp_rule rule)
{
    return standings[rule].evidence ? standings[rule].standing : KP_STANDING_KUBELET;
}

const char *kp_rule_evidence(enum kp_rule rule)
{
    return standings[rule].evidence ? standings[rule].evidence : "";
}

const char *kp_standing_name(enum kp_standing standing)
{
    static const char *const names[] = {"contract", "kubelet", "wording", "quirk"};

    return names[standing];
}

const struct kp_rule_row *kp_rule_get(enum kp_rule rule)
{
    return &rows[rule];
}

const char *kp_rule_silent(enum kp_rule rule)
{
    return silent[rule];
}

enum { LEN = 5 }; /* of every id: a letter, a hyphen, three digits */
#define RULE(name, id, since, until, place, confidence, issues, level, sentence)                   \
    _Static_assert(sizeof(id) == LEN + 1, id);
#include "rules_api.def"
#include "rules_prober.def"
#include "rules_sync.def"
#undef RULE

enum kp_rule kp_rule_find(struct kp_text id)
{
    for (int rule = KP_RULE_NONE + 1; id.len == LEN && rule < KP_RULES; rule++)
        if (memcmp(rows[rule].id, id.bytes, LEN) == 0)
            return (enum kp_rule)rule;
    return KP_RULE_NONE;
}
