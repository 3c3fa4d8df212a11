/* health.h: a second reader of the health response, by recursion; see core/handlers/health.h. */
#pragma once

#include "core/base/text.h"

#include <stdint.h>

/* Returns: the status; below INT32_MIN: the bytes are no message. */
int64_t fuzz_health(struct kp_text bytes);
