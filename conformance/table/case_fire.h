/*
 * case_fire.h: cases of layer fire as they are written: one probe, and the servers that it meets.
 *
 * A server is a list of turns, one a connection, the last one for all later connections; a turn is
 * a list of steps.  Scripts and expectations have placeholders, which fire_text.h fills in once the
 * ports are known.
 */
#pragma once

#include "conformance/table/case_read.h"

enum cf_fire_do {
    CF_FIRE_AWAIT_REQUEST, /* the head of a request; what every turn begins with unless it says */
    CF_FIRE_AWAIT_BYTES,   /* whatever comes first */
    CF_FIRE_TLS,           /* words: alpn PROTOCOL|-, version 1.1|1.2, certificate */
    CF_FIRE_REPLY,         /* words: STATUS [NAME "VALUE"]... ["BODY"] */
    CF_FIRE_SEND,          /* words: "BYTES"... */
    CF_FIRE_DRIP,          /* the same, a byte each ns */
    CF_FIRE_FLOOD,         /* the same, for ever */
    CF_FIRE_PAUSE,
    CF_FIRE_RENEGOTIATE, /* asks for another handshake, as up to TLS 1.2 a server may */
    CF_FIRE_SHUT,        /* ends its half and goes on reading */
    CF_FIRE_CUT,         /* the same, and TLS does not say so */
    CF_FIRE_RESET,       /* RST */
    CF_FIRE_HOLD,        /* nothing more until the other side closes */
    CF_FIRE_H2           /* words: what is done with one HTTP/2 request */
};

/* NAME "VALUE" pairs in a row, at most: of a head, or of trailers. */
enum { CF_FIRE_FIELDS_MAX = 64 };

struct cf_fire_step {
    enum cf_fire_do what;
    int64_t ns; /* PAUSE, DRIP */
    const struct cf_word *words;
    size_t word_count;
};

struct cf_fire_turn {
    const struct cf_fire_step *steps;
    size_t count;
};

enum cf_fire_listens {
    CF_FIRE_LISTENS,
    CF_FIRE_NOBODY, /* a port that is taken and that nobody listens at: refused */
    CF_FIRE_FULL    /* a backlog that is full: connections are not answered at all */
};

enum { CF_FIRE_SERVERS = 2 };

struct cf_fire_server {
    bool used;
    bool v6;
    enum cf_fire_listens listens;
    const struct cf_fire_turn *turns;
    size_t turn_count;
};

/* So long a case may wait for its timeout; one that is longer is only sent to the peer. */
#define CF_FIRE_WAIT_NS_MAX (60 * KP_NS_PER_S)

/* What of a case belongs to layer fire. */
struct cf_fire {
    const struct cf_node *probe; /* completed: a port that is left out is the first server's */
    struct cf_fire_server servers[CF_FIRE_SERVERS]; /* ${PORT}, ${OTHER} */
    int64_t timeout_ns;
};

/* Read the keys of layer fire; item->fire is set, or there are faults. */
void cf_case_read_fire(struct cf_reading *reading, struct cf_case *item);
/* A script's lines; node may be NULL: a server that only listens. */
void cf_fire_read_script(struct cf_reading *reading, const struct cf_node *node,
                         struct cf_fire_server *server);
/* Does any turn of it have such a step? */
bool cf_fire_does(const struct cf_fire_server *server, enum cf_fire_do what);
