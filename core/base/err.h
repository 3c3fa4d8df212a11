/* err.h: what can be wrong with an input, and where. */
#pragma once

#include "text.h"

enum kp_err {
    KP_OK = 0,
    KP_ENOMEM,  /* the allocator handed in had none */
    KP_EINPUT,  /* the input breaks a rule; an error says which */
    KP_EEXIST,  /* there already is one of that name */
    KP_EUNKNOWN /* no such pod, container, version or gate */
};

#define KP_MUST_USE __attribute__((warn_unused_result))
/* Seldom called from where every tick passes: kept out of its callers, which stay short. */
#define KP_SELDOM __attribute__((noinline, cold))

/* Static text for an error code. */
const char *kp_err_name(enum kp_err err);
