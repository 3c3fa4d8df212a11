/*
 * http2.h: one request of HTTP/2 and its reply, on a connection of its own: for http probes and
 * gRPC alike.  nghttp2 reads frames and headers, flow and settings; what a head or its end mean is
 * its user's to say: Go's net/http and grpc-go are not of one mind.
 *
 *     WAITING --- the peer's SETTINGS ---> ASKED --- END_STREAM ----------------> CLOSED
 *        (only where the peer is to          |  +--- RST_STREAM ----------------> RESET
 *        speak first: it has the             |  +--- GOAWAY that leaves it out -> DENIED
 *        preface and SETTINGS)               |  +--- what the stream cannot bear  STREAM_ERROR
 *                                            +-------and no connection can -----> BROKEN
 */
#pragma once

#include "conn.h"

#include <nghttp2/nghttp2.h>

enum kp_http2_end {
    KP_HTTP2_OPEN, /* it has not ended */
    KP_HTTP2_CLOSED,
    KP_HTTP2_RESET,        /* code */
    KP_HTTP2_DENIED,       /* the code of GOAWAY */
    KP_HTTP2_STREAM_ERROR, /* the code that the peer is sent */
    KP_HTTP2_BROKEN        /* the same */
};

/* Of the reply, each in its turn; none of them after the end. They may not close anything. */
struct kp_http2_user {
    void (*head)(struct kp_flight *flight); /* one begins: the first, or informational, or trailers
                                             */
    void (*field)(struct kp_flight *flight, struct kp_text name, struct kp_text value);
    void (*head_ended)(struct kp_flight *flight, bool is_last);
    void (*data)(struct kp_flight *flight, struct kp_text bytes);
    void (*data_ended)(struct kp_flight *flight); /* of a frame, which may be empty; may be NULL */
    bool passes_pushes;                           /* a push is no fault */
};

struct kp_http2_request {
    nghttp2_nv *fields; /* in small letters; borrowed, as is the body */
    size_t count;
    struct kp_text body;
    bool waits; /* until the peer has spoken */
};

struct kp_http2 {
    struct kp_flight *flight;
    struct kp_conn *conn;
    const struct kp_http2_user *user;
    struct kp_http2_request request;
    nghttp2_session *session; /* NULL: not yet */
    bool speaks;              /* the peer: its SETTINGS came, before anything else */
    /* Nothing more is read: so much came that is to be answered, from a peer that reads nothing (as
     * in Go), or a head in more frames than nghttp2 takes (F-61). */
    bool ignores_input;
    bool ended_by_head;
    bool ended_by_nothing; /* by an empty DATA frame */
    bool early_data;       /* KP_HTTP2_BROKEN: by DATA before a head */
    enum kp_http2_end end;
    uint32_t code;
    bool went_away; /* a GOAWAY came */
    uint32_t away_code;
    int32_t last_stream;
    struct kp_buf out; /* that is not handed to the connection, or is not gone */
    size_t body_sent;
};

/* Begin on an open connection.  false: no memory. */
bool kp_http2_begin(struct kp_http2 *http2, struct kp_flight *flight, struct kp_conn *conn,
                    const struct kp_http2_user *user, const struct kp_http2_request *request);
/* Take what came.  Then http2->end is to be looked at, unless the attempt is done: there was no
 * memory. */
void kp_http2_take(struct kp_http2 *http2, struct kp_text bytes);
/* Nothing is unsent any more. */
void kp_http2_was_sent(struct kp_http2 *http2);
void kp_http2_end(struct kp_http2 *http2);

/* A field of a request, borrowed. */
nghttp2_nv kp_http2_field(struct kp_text name, struct kp_text value);
/* "PROTOCOL_ERROR", "unknown error code 0x63".  Upstream: x/net, http2 ErrCode.String. */
void kp_http2_add_code(struct kp_message *message, struct kp_scratch *scratch, uint32_t code);
