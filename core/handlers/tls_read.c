#include "tls_read.h"

#include <errno.h>
#include <openssl/err.h>
#include <string.h>

/* What recv would say. */
static ssize_t tls_result(const SSL *ssl, int got)
{
    int error = SSL_get_error(ssl, got);

    if (error == SSL_ERROR_NONE)
        return got;
    if (error == SSL_ERROR_ZERO_RETURN || (error == SSL_ERROR_SYSCALL && errno == 0))
        return 0;
    if (error == SSL_ERROR_WANT_READ)
        errno = EAGAIN;
    else if (error != SSL_ERROR_SYSCALL)
        errno = EPROTO;
    return -1;
}

ssize_t kp_tls_receive(SSL *ssl, int fd, char *bytes, size_t size, bool peek)
{
    BIO *reads = SSL_get_rbio(ssl);
    BIO *writes = SSL_get_wbio(ssl);
    BIO *own = BIO_new_socket(fd, BIO_NOCLOSE);
    BIO *nowhere = BIO_new(BIO_s_null());

    if (own && nowhere && BIO_up_ref(reads) && BIO_up_ref(writes)) {
        ssize_t got;

        SSL_set0_rbio(ssl, own);
        SSL_set0_wbio(ssl, nowhere);
        ERR_clear_error();
        errno = 0;
        got = tls_result(ssl, (peek ? SSL_peek : SSL_read)(ssl, bytes, (int)size));
        SSL_set0_rbio(ssl, reads);
        SSL_set0_wbio(ssl, writes);
        return got;
    }
    BIO_free(own);
    BIO_free(nowhere);
    errno = ENOMEM;
    return -1;
}

bool kp_tls_is_http2(const SSL *ssl)
{
    const unsigned char *name = NULL;
    unsigned int len = 0;

    SSL_get0_alpn_selected(ssl, &name, &len);
    return len == 2 && memcmp(name, "h2", 2) == 0;
}
