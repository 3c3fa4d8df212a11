/* loopback.h: a server on loopback for targets that fire real probes, in the thread that fires. */
#pragma once

#include "core/handlers/handler.h"

enum { FUZZ_CONNECTIONS = 4 };

/* What it says to each connection that has sent a request; then it ends its half. */
struct fuzz_server {
    struct kp_text bytes;
    size_t step; /* that many at a time; 0: all at once */
    int fds[FUZZ_CONNECTIONS];
    size_t count;
};

/* Its port, the same for all inputs: with one for each there are soon none left. */
int32_t fuzz_server_port(void);
/* Take connections, and answer. */
void fuzz_server_turn(struct fuzz_server *server);
/* Nothing of this input is left for the next one. */
void fuzz_server_end(struct fuzz_server *server);

/* Fire once, with the server's turns between; and *over is set when `attempt` has ended. */
void fuzz_fire(struct fuzz_server *server, const struct kp_attempt *attempt, const bool *over);
