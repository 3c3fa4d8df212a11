/* sha256.h: FIPS 180-4, for the seal of result files and the name of the suite. */
#pragma once

#include "core/base/text.h"

#define CF_SHA256_HEX 64

struct cf_sha256 {
    uint32_t state[8];
    uint64_t len; /* bytes so far */
    unsigned char block[64];
};

void cf_sha256_init(struct cf_sha256 *sha);
void cf_sha256_put(struct cf_sha256 *sha, struct kp_text text);
/* Ends it; hex gets the digest and a NUL. */
void cf_sha256_take(struct cf_sha256 *sha, char hex[CF_SHA256_HEX + 1]);
