/*
 * http_reply.h: the head of a reply, as Go's net/http reads it.
 *
 * Upstream: Go, net/http response.go ReadResponse, transfer.go; net/textproto reader.go.
 */
#pragma once

#include "core/rules/profile.h"
#include "http2_fields.h"
#include "scratch.h"

struct kp_http_reply {
    struct kp_scratch *scratch;
    const struct kp_profile *profile;
    int informational_count;       /* of the heads that went before the real one */
    int status;                    /* of the newest head; 0: none yet */
    bool in_head;                  /* its status line came; else one is due */
    struct kp_http2_fields fields; /* HTTP/2: of the newest head */
    struct kp_text status_text;
    bool before_1_1;         /* the version, in which nothing is in chunks */
    bool complete;           /* its empty line was seen, and it is no informational one */
    struct kp_text location; /* the first one */
    int64_t content_length;  /* -1: not said */
    size_t length_count;     /* Content-Length headers */
    struct kp_text length;   /* the first one */
    struct kp_text lengths;  /* all of them, as Go prints a list */
    bool lengths_differ;
    bool has_encoding; /* Transfer-Encoding: chunked */
    size_t encoding_count;
    struct kp_text encoding;  /* the first one */
    struct kp_text encodings; /* as lengths */
    bool is_encoded;          /* Content-Encoding */
    bool has_gzip;            /* the first one says so */
    const char *bad_trailer;  /* the first that Trailer names and must not; NULL: none */
    bool connection_upgrades;
    bool has_upgrade;
    bool upgrades;        /* to something: the first one is not empty */
    struct kp_buf header; /* the one under way, its lines put together; in scratch */
    size_t head_bytes;
    bool refused; /* `why` says what Go would */
    struct kp_message why;
};

#define KP_HTTP_HEAD_BYTES_MAX (10 * 1024 * 1024) /* net/http's, of all heads of one reply */
#define KP_HTTP_BROKEN "net/http: HTTP/1.x transport connection broken: "

/* Both are borrowed.  profile: whose Go reads the reply. */
void kp_http_reply_init(struct kp_http_reply *reply, struct kp_scratch *scratch,
                        const struct kp_profile *profile);
/*
 * Take one line of a head, its line end included.  A header is judged with the line behind it,
 * which may go on with it.
 *
 * Returns: false: Go refuses what has come.
 */
bool kp_http_reply_line(struct kp_http_reply *reply, struct kp_text line);
/* Is what follows on the connection no HTTP any more?  Upstream: response.go isProtocolSwitch. */
bool kp_http_reply_switches(const struct kp_http_reply *reply);
/* Nothing more comes.  Returns: false: Go refuses the header that was under way. */
bool kp_http_reply_break(struct kp_http_reply *reply);
/* A head begins: what one says is forgotten with the next. */
void kp_http_reply_begin(struct kp_http_reply *reply);
/* One of its fields, whose name and value may be so. */
void kp_http_reply_take(struct kp_http_reply *reply, struct kp_text name, struct kp_text value);
/*
 * Judge the lines of a trailer.
 *
 * lines:    up to an empty line, or beyond it.
 * Returns:  what Go says of the body for them, in the scratch; empty: nothing.
 * Upstream: transfer.go readTrailer.
 */
struct kp_text kp_http_reply_trailer(const struct kp_http_reply *reply, struct kp_text lines);
