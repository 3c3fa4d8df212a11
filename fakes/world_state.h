/* world_state.h: what the world remembers while it runs; shared by the files of the world alone. */
#pragma once

#include "fakes/world.h"

/* A growing array: items of `size` bytes. */
struct fake_list {
    void *items;
    size_t count;
    size_t room;
};

/* An instance of a container. */
struct fake_instance {
    uint32_t pod;
    int container;
    struct kp_text cid;
    uint32_t number; /* 1, 2 ... among the instances of its container */
    bool running;
    bool over;        /* its `exited` was sent, or it had ended before */
    int64_t since_ns; /* of running */
};

/* A container of a pod, and how often what was done with it. */
struct fake_container {
    const struct fake_behaviour *behaviour; /* NULL: the defaults */
    uint32_t instances;
    uint32_t starts;
    uint32_t stops;
    uint32_t runs;
    struct kp_text late[KP_PROBE_TYPES]; /* what is reported of an attempt that was ended */
};

/* Where a script of answers stands. */
struct fake_cursor {
    const struct fake_answers *answers;
    size_t step;
    int64_t used;
    struct kp_text cid; /* the instance it was last requested for */
};

/* A thing that comes at an instant. */
struct fake_pending_event {
    int64_t at_ns;
    uint64_t seq;
    bool acknowledges; /* of a request; else the world's own */
    bool replaces;
    struct kp_event event;
};

struct fake_world {
    struct fake_run *run;
    const struct kp_mem *mem;
    struct fake_list instances; /* struct fake_instance */
    struct fake_list pending;   /* struct fake_pending_event */
    struct fake_list due_acks;  /* struct kp_event: the acknowledgements that are due at once */
    struct fake_list batch;     /* struct kp_event: of one advance */
    struct fake_list cursors;   /* struct fake_cursor */
    struct fake_list texts;     /* char *: the cids */
    struct fake_container **containers; /* by pod */
    struct fake_sandbox_counts {
        uint32_t creates;
        uint32_t stops;
    } * sandboxes;             /* by pod */
    struct fake_list requests; /* struct fake_request: of the call under way */
    size_t next_script_event;
    uint64_t next_seq;
    int64_t now_ns;
    bool runtime_down;
    bool no_memory;
    const char *error;
};

/* What the world must do about an effect, kept until the instant of the effect is known. */
struct fake_request {
    enum kp_effect_kind kind;
    uint32_t pod;
    int container;
    size_t instance; /* index; of probe, hook, kill */
    uint32_t n;
    enum fake_call call;
    int attempt;
    int64_t grace_s;
    int64_t restart;
    enum kp_sandbox_do what;
    uint32_t sandbox_attempt;
};

/* A zeroed item at the end of the list; NULL: no memory (and world->no_memory is set). */
void *fake_list_add(struct fake_world *world, struct fake_list *list, size_t size);

#define FAKE_RUNTIME_DOWN KP_TEXT("rpc error: code = Unavailable desc = connection refused")

/* ---- world_runtime.c: what comes of requests and script_events --------------------------------
 */

/* Room for a text in memory of the world; without memory it holds nothing. */
struct kp_buf fake_runtime_keep_room(struct fake_world *world, size_t bytes);
/* An acknowledgement: in the very next request where it takes no time. */
void fake_runtime_acknowledge(struct fake_world *world, int64_t takes_ns,
                              const struct kp_event *event);
/* Remember a request from inside the sink. */
void fake_runtime_note(struct fake_world *world, const struct kp_effect *effect);
/* Decide what comes of all that was noted, at world->now_ns. */
void fake_runtime_serve(struct fake_world *world);
/* The instances that run when the kubelet first looks. */
void fake_runtime_adopt(struct fake_world *world);
/*
 * Fill in an event that is about to be sent, and what follows from it.  false: it is void, as the
 * exit of an instance that is dead already.
 */
bool fake_runtime_send(struct fake_world *world, struct kp_event *event, bool has_restarts);
/* Put a thing on the list of what comes. */
void fake_runtime_expect(struct fake_world *world, int64_t at_ns, bool acknowledges, bool replaces,
                         const struct kp_event *event);

/* ---- world_answers.c: how a request is answered --------------------------------------------- */

/* An attempt or a hook is answered, if it ever is: at once, or when it is over. */
void fake_answers_serve(struct fake_world *world, struct fake_request *request);
/* From now on requests are answered so. */
void fake_answers_add(struct fake_world *world, const struct fake_answers *answers);
