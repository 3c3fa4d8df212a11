#include "conformance/text/sha256.h"

#include <string.h>

/* clang-format off */
static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
/* clang-format on */

static uint32_t rotate(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static void expand(const unsigned char *block, uint32_t w[64])
{
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;

        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
}

static void compress(struct cf_sha256 *sha)
{
    uint32_t w[64];
    uint32_t *s = sha->state;
    uint32_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];

    expand(sha->block, w);
    for (int i = 0; i < 64; i++) {
        uint32_t of_e = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
        uint32_t of_a = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
        uint32_t t1 = h + of_e + ((e & f) ^ (~e & g)) + k[i] + w[i];
        uint32_t t2 = of_a + ((a & b) ^ (a & c) ^ (b & c));

        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + t2;
    }
    s[0] += a, s[1] += b, s[2] += c, s[3] += d;
    s[4] += e, s[5] += f, s[6] += g, s[7] += h;
}

void cf_sha256_init(struct cf_sha256 *sha)
{
    *sha = (struct cf_sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                  0x1f83d9ab, 0x5be0cd19},
    };
}

void cf_sha256_put(struct cf_sha256 *sha, struct kp_text text)
{
    while (text.len > 0) {
        size_t at = sha->len % 64;
        size_t run = text.len < 64 - at ? text.len : 64 - at;

        memcpy(sha->block + at, text.bytes, run);
        sha->len += run;
        text.bytes += run;
        text.len -= run;
        if (sha->len % 64 == 0)
            compress(sha);
    }
}

void cf_sha256_take(struct cf_sha256 *sha, char hex[CF_SHA256_HEX + 1])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t bits = sha->len * 8;
    char tail[8];

    cf_sha256_put(sha, (struct kp_text){"\x80", 1});
    while (sha->len % 64 != 56)
        cf_sha256_put(sha, (struct kp_text){"", 1});
    for (int i = 0; i < 8; i++)
        tail[i] = (char)(bits >> (56 - 8 * i));
    cf_sha256_put(sha, (struct kp_text){tail, 8});
    for (int i = 0; i < CF_SHA256_HEX; i++)
        hex[i] = digits[sha->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    hex[CF_SHA256_HEX] = '\0';
}
