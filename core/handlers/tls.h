/*
 * tls.h: TLS as a kubelet's probes speak it: certificates are not verified, nothing is resumed.
 * It touches no descriptor: bytes come and go through conn.h.
 *
 * Of a handshake that fails Go says what came instead: the heads of records are looked at as they
 * come.  Upstream: Go, crypto/tls conn.go.
 */
#pragma once

#include "flight.h"

#include <openssl/ssl.h>

#define KP_TLS_HEAD_BYTES 5 /* of a record */

enum kp_alpn { KP_ALPN_NONE, KP_ALPN_HTTP, KP_ALPN_H2_ALONE }; /* HTTP: h2 or 1.1 */

struct kp_tls {
    SSL *ssl;                              /* NULL: not begun */
    bool answered;                         /* a message of the server's was whole */
    unsigned char head[KP_TLS_HEAD_BYTES]; /* of the last record before it was */
    uint64_t bytes;                        /* that came */
    uint64_t record_bytes;                 /* that the records have of which they are */
    int odd_version; /* of a record behind the hello; -1: each was as agreed */
    struct {
        uint32_t at;          /* in the record that comes */
        uint32_t bytes;       /* of it, behind its head */
        bool is_hello;        /* it is of a handshake */
        uint32_t got;         /* of the hello, of which the first four say how long it is */
        uint32_t hello_bytes; /* behind those */
    } wire;                   /* until the server's hello was whole */
    int alert_level;          /* of the last alert that came; 0: none did */
    int alert;
    bool requested_anew; /* the peer asks for another handshake, which Go never begins */
};

/* What came of a step. */
enum kp_tls_end {
    KP_TLS_FINE,
    KP_TLS_MORE,         /* more has to come */
    KP_TLS_CLOSE_NOTIFY, /* the peer says that nothing more does */
    KP_TLS_BROKEN,
    KP_TLS_NO_MEMORY
};

/*
 * Begin.
 *
 * host:     sent as the server's name unless it is an address.
 * Returns:  false: no memory.
 */
bool kp_tls_begin(struct kp_tls *tls, struct kp_flight *flight, struct kp_text host,
                  enum kp_alpn alpn);
/* Take what has come.  false: no memory. */
bool kp_tls_take(struct kp_tls *tls, struct kp_text bytes);
enum kp_tls_end kp_tls_handshake(struct kp_tls *tls);
/* Of what was taken some, decrypted.  len: KP_TLS_FINE: how much. */
enum kp_tls_end kp_tls_read(struct kp_tls *tls, char *bytes, size_t size, size_t *len);
/* All of it.  false: no memory, or it is broken. */
bool kp_tls_write(struct kp_tls *tls, struct kp_text bytes);
/* What is to be sent, borrowed until the next step. */
struct kp_text kp_tls_unsent(const struct kp_tls *tls);
void kp_tls_was_sent(struct kp_tls *tls, size_t len);
/* Of a record, as agreed on: TLS 1.3 calls itself 1.2 there. */
int kp_tls_record_version(const struct kp_tls *tls);
/* Did the server choose HTTP/2? */
bool kp_tls_is_http2(const struct kp_tls *tls);
/* Is what came no whole number of records? */
bool kp_tls_is_cut(const struct kp_tls *tls);
/* Something is to be said before the end. */
void kp_tls_send_close_notify(struct kp_tls *tls);
void kp_tls_end(struct kp_tls *tls);
