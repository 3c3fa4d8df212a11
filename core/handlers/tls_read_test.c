#include "tls_read.h"

#include "fakes/unit.h"

#include <errno.h>
#include <openssl/err.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Two ends of a connection in one thread, without certificates. */
static struct {
    SSL_CTX *context[2];
    SSL *ssl[2]; /* client and server */
    int fd[2];
    BIO *reads;
    BIO *writes;
} pair;

static void open_pair(void)
{
    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.fd), 0);
    for (int i = 0; i < 2; i++) {
        pair.context[i] = SSL_CTX_new(i == 0 ? TLS_client_method() : TLS_server_method());
        SSL_CTX_set_max_proto_version(pair.context[i], TLS1_2_VERSION);
        SSL_CTX_set_dh_auto(pair.context[i], 1);
        CHECK_INT(SSL_CTX_set_cipher_list(pair.context[i], "aNULL:@SECLEVEL=0"), 1);
        pair.ssl[i] = SSL_new(pair.context[i]);
        SSL_set_fd(pair.ssl[i], pair.fd[i]);
    }
    SSL_set_connect_state(pair.ssl[0]);
    SSL_set_accept_state(pair.ssl[1]);
    for (int i = 0; i < 10; i++)
        (void)SSL_do_handshake(pair.ssl[i % 2]);
    CHECK(SSL_is_init_finished(pair.ssl[0]) && SSL_is_init_finished(pair.ssl[1]));
    ERR_clear_error();
    pair.reads = SSL_get_rbio(pair.ssl[0]);
    pair.writes = SSL_get_wbio(pair.ssl[0]);
}

static void close_pair(void)
{
    CHECK(SSL_get_rbio(pair.ssl[0]) == pair.reads);
    CHECK(SSL_get_wbio(pair.ssl[0]) == pair.writes);
    for (int i = 0; i < 2; i++) {
        SSL_free(pair.ssl[i]);
        SSL_CTX_free(pair.context[i]);
        close(pair.fd[i]);
    }
    ERR_clear_error();
}

/* What the client reads is told as recv tells it: bytes, the end, or errno. */
static void reads(bool peek, const char *text, int want_errno)
{
    char bytes[16];
    ssize_t got;

    errno = EBADF;
    got = kp_tls_receive(pair.ssl[0], pair.fd[0], bytes, sizeof bytes, peek);
    if (want_errno) {
        CHECK_INT(got, -1);
        CHECK_INT(errno, want_errno);
    } else if (CHECK_INT(got, (int64_t)strlen(text))) {
        CHECK(memcmp(bytes, text, strlen(text)) == 0);
    }
}

static void bytes_are_read_and_looked_at(void)
{
    open_pair();
    reads(false, "", EAGAIN);
    CHECK_INT(SSL_write(pair.ssl[1], "hello", 5), 5);
    ERR_raise(ERR_LIB_USER, 1); /* of an earlier call of libcurl's */
    reads(true, "hello", 0);
    ERR_raise(ERR_LIB_USER, 1);
    reads(false, "hello", 0);
    ERR_raise(ERR_LIB_USER, 1);
    reads(false, "", EAGAIN);
    CHECK(!kp_tls_is_http2(pair.ssl[0]));
    SSL_shutdown(pair.ssl[1]);
    reads(false, "", 0);
    close_pair();
}

/* It is broken, and nothing is said about it: what OpenSSL would send goes nowhere. */
static void what_is_no_tls_is_told_and_not_answered(void)
{
    char byte;

    open_pair();
    CHECK_INT(write(pair.fd[1], "HTTP/1.1 400 Bad Request\r\n\r\n", 28), 28);
    reads(false, "", EPROTO);
    CHECK_INT(read(pair.fd[1], &byte, 1), -1);
    CHECK_INT(errno, EAGAIN);
    close_pair();
}

const struct unit_test tls_read_test[] = {
    {"bytes are read and looked at", bytes_are_read_and_looked_at},
    {"what is no TLS is told and not answered", what_is_no_tls_is_told_and_not_answered},
    {0},
};
