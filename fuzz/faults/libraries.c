#include "libraries.h"

#include <curl/curl.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

/* Of this thread: servers, too, have libraries. */
static _Thread_local struct fake_alloc *watched[2];

static bool is_none(enum library library)
{
    struct fake_alloc *state = watched[library];

    return state && state->calls++ == state->fail_at;
}

static void *counted(enum library library, void *block)
{
    if (watched[library] && block)
        watched[library]->live++;
    return block;
}

/* ---- libcurl --------------------------------------------------------------------------------- */

static void *curl_alloc(size_t bytes)
{
    return is_none(LIBCURL) ? NULL : counted(LIBCURL, malloc(bytes));
}

static void curl_release(void *block)
{
    if (watched[LIBCURL] && block)
        watched[LIBCURL]->live--;
    free(block);
}

static void *curl_grow(void *block, size_t bytes)
{
    void *grown;

    if (is_none(LIBCURL))
        return NULL;
    grown = realloc(block, bytes);
    return block ? grown : counted(LIBCURL, grown);
}

static char *curl_copy(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = curl_alloc(bytes);

    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

static void *curl_zeroed(size_t count, size_t bytes)
{
    return is_none(LIBCURL) ? NULL : counted(LIBCURL, calloc(count, bytes));
}

/* ---- OpenSSL --------------------------------------------------------------------------------- */

static void *ssl_alloc(size_t bytes, const char *file, int line)
{
    (void)file;
    (void)line;
    return is_none(OPENSSL) ? NULL : malloc(bytes);
}

static void *ssl_grow(void *block, size_t bytes, const char *file, int line)
{
    (void)file;
    (void)line;
    return is_none(OPENSSL) ? NULL : realloc(block, bytes);
}

static void ssl_release(void *block, const char *file, int line)
{
    (void)file;
    (void)line;
    free(block);
}

bool libraries_begin(void)
{
    return CRYPTO_set_mem_functions(ssl_alloc, ssl_grow, ssl_release) == 1 &&
           curl_global_init_mem(CURL_GLOBAL_DEFAULT, curl_alloc, curl_release, curl_grow, curl_copy,
                                curl_zeroed) == CURLE_OK;
}

void libraries_watch(enum library library, struct fake_alloc *state)
{
    watched[library] = state;
}
