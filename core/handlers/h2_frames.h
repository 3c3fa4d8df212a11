/*
 * h2_frames.h: what a gRPC server sends, looked at frame by frame on its way to libcurl.
 *
 * libcurl 7.88 loses the end of a reply where the connection's end, or a GOAWAY, comes with it, and
 * all of one that RST_STREAM comes with: so the frames that end a connection, or cut off the call,
 * are told of here, and not passed on.
 * Upstream: grpc-go, internal/transport http2_client.go reader, handleGoAway.
 */
#ifndef KP_H2_FRAMES_H
#define KP_H2_FRAMES_H

#include "core/base/text.h"

#define KP_H2_HEAD_BYTES 9

/* Of the call, which is stream 1, the only one.  Zeroed it has seen nothing. */
struct kp_h2_frames {
    bool speaks;        /* the first frame came, and is a SETTINGS */
    bool is_other;      /* the peer speaks something else: nothing more is passed on */
    bool is_closed;     /* the call was ended by the server: nothing more is passed on */
    bool was_reset;     /* it was, by RST_STREAM */
    bool ended_by_head; /* it was, by HEADERS */
    bool refused;       /* the server says that it never looked at it */
    uint32_t reset;     /* the error code of RST_STREAM */
    /* The frame under way. */
    unsigned char head[KP_H2_HEAD_BYTES + 8]; /* of it, and what of a GOAWAY or RST_STREAM counts */
    size_t head_len;
    size_t left;  /* of its payload, that is not in the head */
    bool is_kept; /* and not passed on */
    bool ends;    /* a head of ours said that it is the last, and may go on */
};

/*
 * Take some of the bytes that came.
 *
 * bytes:    what was taken is cut off; called again until none are left.
 * pass:     what of it, and of what came before, libcurl is to read; borrowed until the next call.
 */
void kp_h2_frames_take(struct kp_h2_frames *frames, struct kp_text *bytes, struct kp_text *pass);

#endif
