/*
 * grpc_link.h: the connection of a gRPC call.
 *
 * libcurl dials, and shakes hands where it is TLS; then bytes are carried between the server and
 * libcurl's HTTP/2, whose own connection ends here.  So the end of the server's connection comes to
 * libcurl behind what was said before it, or not at all: see h2_frames.h.
 * Upstream: grpc-go, internal/transport http2_client.go newHTTP2Client.
 */
#ifndef KP_GRPC_LINK_H
#define KP_GRPC_LINK_H

#include "dial.h"
#include "h2_frames.h"

enum kp_link_end {
    KP_LINK_NONE,    /* there is no server of gRPC's: it is dialled again */
    KP_LINK_REFUSED, /* it says that it did not look at the call */
    KP_LINK_LOST,    /* the connection ended before the call did */
};

struct kp_grpc_link {
    struct kp_transfer peer; /* first; connected, and then bytes alone */
    struct kp_transfer *call;
    struct kp_watch feed; /* the end of its connection that is ours */
    struct kp_h2_frames frames;
    bool greeted; /* the server has the preface and SETTINGS */
    const struct kp_dial *dial;
    void (*connected)(struct kp_flight *flight);
    void (*ended)(struct kp_flight *flight, enum kp_link_end end);
};

/*
 * Dial.  One of the two is called, from a later step; behind `connected` that is the link's end, if
 * it comes before the call's.
 *
 * dial:     borrowed; with the URL.
 * Returns:  false: no memory.
 */
bool kp_grpc_link_dial(struct kp_grpc_link *link, struct kp_flight *flight,
                       const struct kp_dial *dial, bool is_tls);
/* Begin the call, which has its options set.  false: no memory, or no descriptors. */
bool kp_grpc_link_carry(struct kp_grpc_link *link, struct kp_transfer *call);
/* Close it.  The call is ended by its owner, before. */
void kp_grpc_link_end(struct kp_grpc_link *link);

#endif
