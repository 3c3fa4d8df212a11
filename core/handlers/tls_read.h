/* tls_read.h: reading from libcurl's TLS in its place. */
#ifndef KP_TLS_READ_H
#define KP_TLS_READ_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * libcurl's own BIO works in its calls alone: meanwhile there is another, that reads the same
 * socket.  What OpenSSL has to say to the peer while it reads (an alert, a new key) is not sent.
 *
 * peek:     what is read stays there.
 * Returns:  as recv that does not wait; errno EPROTO: TLS is broken, or an alert came.
 */
ssize_t kp_tls_receive(SSL *ssl, int fd, char *bytes, size_t size, bool peek);

/* Did the peer choose it? */
bool kp_tls_is_http2(const SSL *ssl);

#endif
