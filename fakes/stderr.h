/* stderr.h: what a test's function writes to standard error. */
#pragma once

#include "core/base/text.h"

#include <stdio.h>

struct fake_stderr {
    FILE *file;
    int kept;
};

/* From here on standard error goes to a file of its own. */
void fake_stderr_begin(struct fake_stderr *heard);
/* Until here.  Returns: what came, as far as there is room, in `bytes`. */
struct kp_text fake_stderr_end(struct fake_stderr *heard, char *bytes, size_t size);
