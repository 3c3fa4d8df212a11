/*
 * fire.h: cases of layer fire: one real attempt of a handler against servers that do what a script
 * says, read, played and judged.
 *
 * A server is a list of turns, one a connection, the last one for all later connections; a turn is
 * a list of steps.  Scripts and expectations have placeholders, which fire_text.h fills in once the
 * ports are known.
 */
#ifndef CF_FIRE_H
#define CF_FIRE_H

#include "conformance/case_read.h"
#include "conformance/outcome.h"
#include "conformance/subject.h"

enum cf_fire_do {
    CF_FIRE_AWAIT_REQUEST, /* the head of a request; what every turn begins with unless it says */
    CF_FIRE_AWAIT_BYTES,   /* whatever comes first */
    CF_FIRE_TLS,           /* words: alpn PROTOCOL|-, version 1.1, certificate */
    CF_FIRE_REPLY,         /* words: STATUS [NAME "VALUE"]... ["BODY"] */
    CF_FIRE_SEND,          /* words: "BYTES"... */
    CF_FIRE_DRIP,          /* the same, a byte each ns */
    CF_FIRE_FLOOD,         /* the same, for ever */
    CF_FIRE_PAUSE,
    CF_FIRE_SHUT,  /* ends its half and goes on reading */
    CF_FIRE_RESET, /* RST */
    CF_FIRE_HOLD,  /* nothing more until the other side closes */
    CF_FIRE_H2     /* words: what is done with one HTTP/2 request */
};

struct cf_fire_names;

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

/* ---- playing --------------------------------------------------------------------------------- */

/* What was observed. */
struct cf_fire_seen {
    const struct cf_node *ok; /* NULL: see the subject's fate; else of the right shape */
    struct kp_text requests;  /* what arrived, connection by connection */
    size_t open;              /* connections that the subject left open */
    struct kp_text_list left; /* files of `gone` whose process still ran */
    const struct cf_fire_names *names;
};

/*
 * Ask a subject for one attempt, with the servers running meanwhile.
 *
 * version:  "1.36", as the subject was greeted.
 * seen:     in the arena; ok is NULL where the subject failed.
 * Returns:  false: there were no sockets, threads or memory for it; errno says which.
 */
bool cf_fire_play(const struct cf_case *item, struct cf_subject *subject, struct kp_text version,
                  struct cf_arena *arena, struct cf_fire_seen *seen);
/* A factor of all pauses and timeouts, where everything takes longer: 1, but under valgrind. */
int cf_fire_slower(void);
/* Compare with what the case wants. */
void cf_fire_judge(const struct cf_case *item, const struct cf_fire_seen *seen,
                   struct cf_arena *arena, struct cf_outcome *out);

#endif
