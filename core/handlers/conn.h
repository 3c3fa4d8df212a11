/*
 * conn.h: the connection of an attempt: all that is read from a peer is read here, and all that is
 * sent is sent here.
 *
 *               kp_conn_dial
 *            a name |  | an address
 *              +----+  +----+
 *              v            v
 *           LOOKUP       CONNECT          libcurl connects to names (lookup.h), we to addresses
 *              |            |
 *              +-----+------+
 *                    +----------> HANDSHAKE         where it is TLS (tls.h)
 *                    v                |
 *                  OPEN <-------------+             opened(), then received() for each read
 *
 * From each of them a fault leads to ended(), and kp_conn_close to CLOSED.  What OPEN means to who
 * speaks is in http1.h and http2.h.
 */
#pragma once

#include "dial.h"
#include "flight.h"
#include "lookup.h"
#include "tls.h"

enum kp_conn_state {
    KP_CONN_CLOSED,
    KP_CONN_LOOKUP,
    KP_CONN_CONNECT,
    KP_CONN_HANDSHAKE,
    KP_CONN_OPEN
};

enum kp_conn_fault {
    KP_FAULT_NONE,
    KP_FAULT_DIAL, /* nobody knows the name, or errno of connect */
    KP_FAULT_END,  /* the peer has ended it */
    KP_FAULT_CUT,  /* the same, within a record of TLS */
    KP_FAULT_READ, /* errno */
    KP_FAULT_TLS   /* what came makes no sense, or is an alert: see tls */
};

/* Each may close the connection, and dial anew.  received NULL: nothing is read. */
struct kp_conn_user {
    void (*opened)(struct kp_flight *flight);
    void (*received)(struct kp_flight *flight, struct kp_text bytes); /* decrypted */
    /* Nothing is unsent any more, of a handshake neither; NULL: nothing is sent. */
    void (*sent)(struct kp_flight *flight);
    void (*ended)(struct kp_flight *flight);
};

/* The owner embeds it; zeroed it is closed. */
struct kp_conn {
    struct kp_watch watch; /* first */
    const struct kp_conn_user *user;
    enum kp_conn_state state;
    enum kp_conn_fault fault;
    int error; /* errno of it */
    struct kp_dial dial;
    struct kp_text unsent;
    uint32_t watched_for;
    enum kp_alpn alpn;
    struct kp_tls *tls;       /* NULL: there is none */
    struct kp_lookup *lookup; /* NULL: there was none */
};

/*
 * Dial: conn->dial, which is to be set, by kp_dial_init or by an earlier dial, of which then the
 * first address stays.  Who is on this machine may be connected to, or refuse, at once: then that
 * is reported from here.
 *
 * is_tls:   then `alpn` is what is offered.
 * Returns:  false: no memory, or no descriptors.
 */
bool kp_conn_dial(struct kp_conn *conn, struct kp_flight *flight, const struct kp_conn_user *user,
                  bool is_tls, enum kp_alpn alpn);
/* Did the server choose HTTP/2 in the TLS handshake? */
bool kp_conn_is_http2(const struct kp_conn *conn);
/*
 * Send, as far as the peer takes it, and the rest when it does: while some is unsent nothing else
 * is to be sent.  A failure shows when the rest is read: what the peer sent before it is still
 * read.
 *
 * bytes:    borrowed until nothing is unsent.
 */
void kp_conn_send(struct kp_conn *conn, struct kp_text bytes);
/* Is something unsent? */
bool kp_conn_is_sending(const struct kp_conn *conn);
void kp_conn_close(struct kp_conn *conn);
