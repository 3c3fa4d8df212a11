/*
 * grpc_reply.h: the reply to a unary gRPC call, as grpc-go reads it.
 *
 * Upstream: grpc-go, internal/transport http2_client.go operateHeaders; rpc_util.go recvMsg.
 */
#pragma once

#include "core/rules/profile.h"
#include "http2_fields.h"
#include "scratch.h"

enum kp_grpc_code {
    KP_GRPC_OK = 0,
    KP_GRPC_CANCELED = 1,
    KP_GRPC_UNKNOWN = 2,
    KP_GRPC_DEADLINE_EXCEEDED = 4,
    KP_GRPC_PERMISSION_DENIED = 7,
    KP_GRPC_RESOURCE_EXHAUSTED = 8,
    KP_GRPC_UNIMPLEMENTED = 12,
    KP_GRPC_INTERNAL = 13,
    KP_GRPC_UNAVAILABLE = 14,
    KP_GRPC_UNAUTHENTICATED = 16
};

struct kp_grpc_status {
    uint32_t code;
    struct kp_text message;
    bool by_server;    /* the server said so: the words are its own */
    bool is_no_status; /* the words are an error's that is none of gRPC's */
};

#define KP_GRPC_MESSAGE_BYTES 4096 /* far more than a health response takes */

struct kp_grpc_reply {
    struct kp_scratch *scratch;
    const struct kp_profile *profile;
    int http_status;
    bool is_200; /* to the letter, which it has to be up to grpc-go 1.72 */
    bool has_http_status;
    bool bad_http_status;  /* one that is no number */
    bool is_grpc;          /* the content type says so */
    bool ended_head;       /* what follows are trailers */
    bool goes_on;          /* trailers followed, or what is in their place */
    bool has_enough;       /* its reader: nothing more of it is waited for */
    bool ended_by_head;    /* of HTTP/2, not by data; set before kp_grpc_reply_end, as is this: */
    bool ended_by_nothing; /* but by a frame of data with not even padding in it */
    struct kp_http2_fields fields; /* of the head that comes, or of the trailers */
    struct kp_text fault;          /* of one that came; empty: none had any */
    bool has_type;
    struct kp_text content_type;
    struct kp_text encoding; /* of messages that are compressed */
    bool has_status;
    bool bad_status;        /* one that is no number, wherever it stood */
    bool bad_binary;        /* a line whose name ends in -bin and that is no base64 */
    bool bad_middle;        /* a second head that something followed */
    bool bad_informational; /* one that nothing follows */
    int64_t status;
    struct kp_text status_message;
    int reset;  /* HTTP/2 error code of RST_STREAM, -1: none; set before kp_grpc_reply_end */
    size_t len; /* of the body so far; what is beyond the storage is counted only */
    unsigned char *body; /* up to KP_GRPC_MESSAGE_BYTES */
    size_t cap;
    struct kp_text message; /* set by kp_grpc_reply_end */
};

/* Both are borrowed.  profile: whose grpc-go reads the reply. */
void kp_grpc_reply_init(struct kp_grpc_reply *reply, struct kp_scratch *scratch,
                        const struct kp_profile *profile);
/* A head begins, or the trailers do; a field of them; they are over, and is_last: nothing follows
 * them; some of the body.  false: there is nothing more to wait for. */
void kp_grpc_reply_head(struct kp_grpc_reply *reply);
void kp_grpc_reply_field(struct kp_grpc_reply *reply, struct kp_text name, struct kp_text value);
bool kp_grpc_reply_head_ended(struct kp_grpc_reply *reply, bool is_last);
bool kp_grpc_reply_body(struct kp_grpc_reply *reply, struct kp_text bytes);
/*
 * It is over.
 *
 * whole:    the stream was ended by the server as it should be.
 * Returns:  true: there is a message, reply->message, and `status` is what became of the call
 * behind it; false: `status` says what went wrong.
 */
bool kp_grpc_reply_end(struct kp_grpc_reply *reply, bool whole, struct kp_grpc_status *status);

/* "NotFound", "Code(99)".  Upstream: grpc-go, codes.Code.String. */
void kp_grpc_add_code(struct kp_message *message, uint32_t code);
