/*
 * layer.h: the layers of the protocol: on each an implementation is judged by itself; and the tiers
 * of the table: as how much of a kubelet.
 */
#pragma once

#include "core/base/text.h"

enum cf_layer {
    CF_LAYER_PORT,
    CF_LAYER_CHECK,
    CF_LAYER_PROBE,
    CF_LAYER_POD,
    CF_LAYER_ACTIONS,
    CF_LAYER_FIRE,
    CF_LAYER_EVENTS,
    CF_LAYER_KUBECTL,
    CF_LAYERS
};

/* "probe", "pod" ...: static text. */
const char *cf_layer_name(enum cf_layer layer);

enum cf_tier {
    CF_TIER_EXACT,    /* all cases: to its bugs and words */
    CF_TIER_KUBELET,  /* without known bugs and words */
    CF_TIER_CONTRACT, /* what the documentation promises */
    CF_TIERS
};

/* "exact", "kubelet", "contract". */
const char *cf_tier_name(enum cf_tier tier);
