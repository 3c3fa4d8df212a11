/* alloc.h: memory that runs out when told to, and a count of what was not given back. */
#pragma once

#include "core/base/mem.h"

#include <stdint.h>

#define FAKE_ALLOC_NEVER (-1)

struct fake_alloc {
    int64_t fail_at; /* this call finds none: 0 is the first; FAKE_ALLOC_NEVER */
    int64_t calls;   /* so far */
    int64_t live;    /* blocks handed out and not given back */
};

/* An allocator over malloc that counts in `state` and fails there on demand. */
struct kp_mem fake_alloc_mem(struct fake_alloc *state);

/* Plain malloc and free, for who needs a kp_mem and no surprises. */
struct kp_mem fake_alloc_plain(void);
