/* layer.h: the layers of the protocol: on each an implementation is judged by itself. */
#ifndef CF_LAYER_H
#define CF_LAYER_H

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
/* -1: there is none of that name. */
int cf_layer_find(struct kp_text name);

#endif
