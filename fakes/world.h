/*
 * world.h: a node's world in virtual time: containers that start, exit and are stopped, probes that
 * are answered, things that happen at an instant.
 *
 * The world is the only owner of time.  It drives one implementation through its interface (impl.h)
 * the way protocol.md 2.1 and 2.2 say: advance to T until a reply is empty, then the answers due at
 * T, then, when all is quiet again, what the world does at T.  Everything it does is in its script.
 */
#pragma once

#include "core/base/mem.h"
#include "fakes/impl.h"

/* ---- the script: plain data, borrowed for the run ------------------------------------------ */

/* What the implementation requests of the world, and the world answers. */
enum fake_call {
    FAKE_CALL_LIVENESS = KP_LIVENESS,
    FAKE_CALL_READINESS = KP_READINESS,
    FAKE_CALL_STARTUP = KP_STARTUP,
    FAKE_CALL_PRE_STOP,
    FAKE_CALL_POST_START
};

enum fake_until {
    FAKE_FOREVER,
    FAKE_TIMES,      /* bound: that many executions */
    FAKE_UNTIL_AGE,  /* bound: ns since the instance runs; a new instance begins the script anew */
    FAKE_UNTIL_TIME, /* bound: ns of virtual time */
    FAKE_UNTIL_REPLACED /* bound: the number of an instance, the last that answers so */
};

/* One way to answer; the last step of a script goes on for ever. */
struct fake_step {
    enum kp_answer attempts[3]; /* of one execution; the last one goes for those beyond the count */
    size_t attempt_count;       /* 0: no answer ever comes */
    struct kp_text output;
    int32_t code;
    int64_t takes_ns;
    enum fake_until until;
    int64_t bound;
    int64_t until_ns; /* of UNTIL_REPLACED: over at this instant of virtual time, too; 0: not */
    bool replaces;    /* layer probe: a second after the answer, a new instance runs */
};

/* How requests are answered.  The last script that fits wins; without any, success at once. */
struct fake_answers {
    uint32_t pod;
    struct kp_text container; /* empty: of every container */
    enum fake_call call;
    const struct fake_step *steps;
    size_t step_count;
};

/* What comes of one request: of a start, a creation of a sandbox ... */
struct fake_done {
    bool fails;
    struct kp_text reason; /* of a start: CreateContainerError, RunContainerError */
    struct kp_text message;
    int64_t takes_ns;
};

enum fake_stop_kind { FAKE_STOP_EXITS, FAKE_STOP_IGNORES, FAKE_STOP_FAILS };

/* What a container makes of StopContainer: SIGTERM, and SIGKILL when the grace is over. */
struct fake_stop {
    enum fake_stop_kind kind;
    int32_t code;
    struct kp_text message; /* FAILS: the runtime's error */
    int64_t takes_ns;
    int64_t stop_heeded_ns; /* EXITS: SIGTERM is heeded at this instant of virtual time, if it came
                              before; takes_ns counts from there */
};

/* How an instance ends by itself. */
struct fake_exit {
    bool never;
    int32_t code;
    struct kp_text reason; /* empty: Completed for 0, Error for all else */
    int64_t after_ns;      /* since it runs */
};

/*
 * One container.  The k-th entry of each list is for the k-th start, instance or stop; the last
 * entry goes for all later ones.  Without starts: at once; without exits: never; without stops: 143
 * at once.
 */
struct fake_behaviour {
    uint32_t pod;
    struct kp_text container;
    const struct fake_done *starts;
    size_t start_count;
    const struct fake_exit *exits;
    size_t exit_count;
    const struct fake_stop *stops;
    size_t stop_count;
    int64_t pull_ns; /* the first start takes so much longer */
};

struct fake_sandboxes {
    uint32_t pod;
    const struct fake_done *creates;
    size_t create_count;
    const struct fake_done *stops;
    size_t stop_count;
};

/*
 * Something that happens at an instant.  Where `answers` is not NULL, it replaces how requests are
 * answered from then on; else `event` goes to the implementation.  In a `running` without a cid the
 * world names the new instance ("web-1", "web-2" ...) and, without has_restarts, counts its
 * restarts; an `exited` without a cid is of the newest instance.
 */
struct fake_script_event {
    int64_t at_ns;
    const struct fake_answers *answers;
    struct kp_event event;
    bool has_restarts;
};

struct fake_script {
    /* As on a node: attempts end at timeoutSeconds (deadline.h), and a dead instance answers none.
     * Else answers come when they come, whoever is asked. */
    bool as_on_node;
    const struct fake_answers *answers;
    size_t answers_count;
    const struct fake_behaviour *behaviours;
    size_t behaviour_count;
    const struct fake_sandboxes *sandboxes;
    size_t sandboxes_count;
    const struct fake_script_event
        *script_events; /* by time; those of one instant are one request */
    size_t script_event_count;
};

/* ---- the run ------------------------------------------------------------------------------- */

/*
 * Who watches.  effect: each as it comes, its texts borrowed until it returns; instant: when those
 * before it happened; event: each that the implementation is sent (may be NULL).
 */
struct fake_observer {
    void (*effect)(void *ctx, const struct kp_effect *effect);
    void (*instant)(void *ctx, int64_t at_ns);
    void (*event)(void *ctx, int64_t at_ns, const struct kp_event *event);
    void *ctx;
};

enum fake_end {
    FAKE_END_DONE,
    FAKE_END_IMPL,     /* the implementation failed; its ctx knows why */
    FAKE_END_LIVELOCK, /* more than rounds_max rounds at one instant */
    FAKE_END_PROTOCOL, /* time went back, or an effect speaks of what does not exist */
    FAKE_END_NOMEM
};

struct fake_run {
    struct fake_impl impl;
    struct fake_open open;
    struct fake_script script;
    struct fake_observer observer;
    int64_t end_ns; /* the last instant to be played, whole; the observer may bring it forward */
    int rounds_max; /* at one instant; 0: 10,000 */
    /* Out: */
    int64_t at_ns;     /* how far it came */
    const char *error; /* of FAKE_END_PROTOCOL: static text */
};

/* Open, play to the end, close.  All memory comes from `mem` and is given back. */
enum fake_end fake_world_run(struct fake_run *run, const struct kp_mem *mem);

/* Static text for an end: "done", "livelock" ... */
const char *fake_end_name(enum fake_end end);
