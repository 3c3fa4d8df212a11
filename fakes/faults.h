/*
 * faults.h: what the tests of handlers let fail: calls of the system and of libcurl, which
 * core/handlers/faults_test.c interposes.
 */
#pragma once

#include "fakes/rig.h"

#define FAULTS_NEVER (-1)

struct faults {
    int64_t fail_at; /* the call that fails, of all kinds together; 0 is the first */
    int64_t calls;
    bool for_good; /* all behind it, too */
    /* Of libcurl as a whole, its handles, lists of what a command's start does: what was begun and
     * not ended since faults_forget(). */
    int64_t begun;
    int64_t handles;
    int64_t actions;
    bool lost;            /* what an attempt cannot do without */
    bool no_socket;       /* one was refused */
    int connections;      /* so many will libcurl have lost */
    bool sent;            /* something was, of a request */
    bool send_is_limited; /* to so many bytes more, behind which there is no room (conn_test.c) */
    size_t send_room;
    int socket_errno;  /* of each socket; 0: there are some */
    int lost_sockets;  /* so many find no descriptor */
    int sockets;       /* so many were requested */
    int64_t socket_ns; /* when the last one was */
};

extern struct faults faults;

/* Of all that is counted. */
void faults_forget(void);

/* Whether this call is to find no room: errno says so. */
bool faults_fails(void);
/* In an interposed function: sets its `real`. */
#define REAL(name) (*(void **)&real = dlsym(RTLD_NEXT, #name))

/* Over TLS, what rig_serve does, so much later. */
pid_t faults_serve_tls(int listener, struct kp_text reply, int delay_ms, const char *alpn);
