#include "err.h"

const char *kp_err_name(enum kp_err err)
{
    static const char *const names[] = {
        [KP_OK] = "ok",
        [KP_ENOMEM] = "out of memory",
        [KP_EINPUT] = "bad input",
        [KP_EEXIST] = "already there",
        [KP_EUNKNOWN] = "unknown",
    };

    return names[err];
}
