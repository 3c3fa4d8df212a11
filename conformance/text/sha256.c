/* sha256.c: OpenSSL's, by its older names: they take no memory, and so cannot fail. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "conformance/text/sha256.h"

void cf_sha256_init(struct cf_sha256 *sha)
{
    SHA256_Init(&sha->ctx);
}

void cf_sha256_put(struct cf_sha256 *sha, struct kp_text text)
{
    SHA256_Update(&sha->ctx, text.bytes, text.len);
}

void cf_sha256_take(struct cf_sha256 *sha, char hex[CF_SHA256_HEX + 1])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[SHA256_DIGEST_LENGTH];

    SHA256_Final(bytes, &sha->ctx);
    for (int i = 0; i < SHA256_DIGEST_LENGTH; i++) {
        hex[2 * i] = digits[bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    hex[CF_SHA256_HEX] = '\0';
}
