#include "conformance/protocol/wire.h"

static const char *const names[CF_LAYERS] = {
    [CF_LAYER_PORT] = "port",     [CF_LAYER_CHECK] = "check",     [CF_LAYER_PROBE] = "probe",
    [CF_LAYER_POD] = "pod",       [CF_LAYER_ACTIONS] = "actions", [CF_LAYER_FIRE] = "fire",
    [CF_LAYER_EVENTS] = "events", [CF_LAYER_KUBECTL] = "kubectl",
};

const struct cf_words cf_layer_words = {names, CF_LAYERS, 0};

const char *cf_layer_name(enum cf_layer layer)
{
    return names[layer];
}

int cf_layer_find(struct kp_text name)
{
    return cf_find_word(&cf_layer_words, name);
}

static const char *const tiers[CF_TIERS] = {"exact", "kubelet", "contract"};

const struct cf_words cf_tier_words = {tiers, CF_TIERS, 0};

const char *cf_tier_name(enum cf_tier tier)
{
    return tiers[tier];
}

int cf_tier_find(struct kp_text name)
{
    return cf_find_word(&cf_tier_words, name);
}
