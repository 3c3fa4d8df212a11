/*
 * trace.h: what the engine gets (events) and what it emits (effects): its one observable.
 *
 * Both mirror the adapter protocol (conformance/protocol.md, sections 2 and 3), as structs.  Times
 * are nanoseconds of virtual time.  All text is borrowed: in an event as kp_engine_event says, in
 * an effect until the sink returns.
 */
#pragma once

#include "../base/duration.h"
#include "../rules/rules.h"
#include "spec.h"

/* ---- messages ---------------------------------------------------------------------------- */

enum kp_part_kind {
    KP_PART_TEXT,
    KP_PART_QUOTED,   /* text, as strconv.Quote */
    KP_PART_INT,      /* number, decimal */
    KP_PART_DURATION, /* number in ns, as time.Duration.String */
    KP_PART_WRITTEN   /* what `write` puts for `of`: as long as it is */
};

struct kp_part {
    enum kp_part_kind kind;
    union {
        struct kp_text text;
        int64_t number;
        struct {
            void (*write)(struct kp_buf *buf, const void *of);
            const void *of; /* borrowed, as text is */
        };
    };
};

#define KP_MESSAGE_PARTS 12

/* A sentence that the kubelet would say, in parts, so that saying it takes no memory. */
struct kp_message {
    struct kp_part parts[KP_MESSAGE_PARTS];
    size_t count;
};

void kp_message_add(struct kp_message *message, struct kp_text text);
void kp_message_add_quoted(struct kp_message *message, struct kp_text text);
void kp_message_add_int(struct kp_message *message, int64_t number);
void kp_message_add_duration(struct kp_message *message, int64_t duration_ns);
/* argv joined by spaces, then quoted as one. */
void kp_message_add_argv(struct kp_message *message, const struct kp_text_list *argv);
/* What has no number of parts that is known beforehand: a list, a text with words replaced. */
void kp_message_add_written(struct kp_message *message,
                            void (*write)(struct kp_buf *buf, const void *of), const void *of);
/* Write the sentence out. */
void kp_message_put(struct kp_buf *buf, const struct kp_message *message);

/* ---- effects ----------------------------------------------------------------------------- */

enum kp_effect_kind {
    KP_EFFECT_PROBE,
    KP_EFFECT_RESULT,
    KP_EFFECT_STARTED,
    KP_EFFECT_READY,
    KP_EFFECT_HOOK,
    KP_EFFECT_KILL,
    KP_EFFECT_SANDBOX,
    KP_EFFECT_START,
    KP_EFFECT_BACKOFF,
    KP_EFFECT_EVENT,
    KP_EFFECT_STATE,
    KP_EFFECT_PHASE,
    KP_EFFECT_CONDITION,
    KP_EFFECT_APIDELETE,
    KP_EFFECT_SYNC
};

enum kp_result { KP_RESULT_UNKNOWN = -1, KP_RESULT_SUCCESS = 0, KP_RESULT_FAILURE = 1 };
enum kp_hook_type { KP_PRE_STOP, KP_POST_START };
enum kp_kill_reason {
    KP_KILL_NO_REASON,
    KP_KILL_LIVENESS,
    KP_KILL_STARTUP,
    KP_KILL_SPEC,
    KP_KILL_UNKNOWN
};
enum kp_sandbox_do { KP_SANDBOX_CREATE, KP_SANDBOX_STOP };
enum kp_event_type { KP_NORMAL, KP_WARNING };

#define KP_POD_ITSELF (-1) /* in the place of a container: the pod has none to do with it */

/* One thing that happened, and the rule that made it happen. */
struct kp_effect {
    enum kp_effect_kind kind;
    enum kp_rule rule;
    uint32_t pod;              /* handle that add_pod gave */
    const struct kp_pod *spec; /* that pod, as it now is */
    int container;             /* index into spec->containers, or KP_POD_ITSELF */
    struct kp_text cid;        /* probe, result, hook, kill */
    union {
        struct {
            uint32_t n; /* unique in the engine, shared with hooks */
            enum kp_probe_type type;
            int attempt; /* 1..3 */
        } probe;
        struct {
            enum kp_probe_type type;
            enum kp_result value;
        } result;
        bool value; /* started, ready */
        struct {
            uint32_t n;
            enum kp_hook_type type;
        } hook;
        struct {
            int64_t grace_s; /* the argument of StopContainer */
            enum kp_kill_reason reason;
            struct kp_message message; /* of the Killing event */
        } kill;
        struct {
            enum kp_sandbox_do what;
            uint32_t attempt;
        } sandbox;
        int64_t restart;  /* start: attempt number given to CreateContainer */
        int64_t delay_ns; /* backoff: the whole window */
        struct {
            enum kp_event_type type;
            struct kp_text reason;
            struct kp_message message;
        } event;
        struct {
            const struct kp_state *state;
            const struct kp_state *last; /* kind NONE: none */
            int64_t restarts;
        } state;
        enum kp_phase phase;
        const struct kp_condition *condition;
        struct kp_text cause; /* sync */
    } u;
};

/* Where effects go, in order of occurrence.  Called from inside a step; must not call the engine.
 */
struct kp_sink {
    void (*effect)(void *ctx, const struct kp_effect *effect);
    void *ctx;
};

/* ---- events ------------------------------------------------------------------------------ */

enum kp_event_kind {
    KP_EVENT_ANSWER,
    KP_EVENT_RUNNING,
    KP_EVENT_EXITED,
    KP_EVENT_WAITING,
    KP_EVENT_STARTFAIL,
    KP_EVENT_KILLFAIL,
    KP_EVENT_SANDBOX,
    KP_EVENT_SYNC,
    KP_EVENT_PHASE,
    KP_EVENT_NOSTATUS,
    KP_EVENT_DELETE,
    KP_EVENT_REMOVE,
    KP_EVENT_CLEANUP,
    KP_EVENT_UPDATE,
    KP_EVENT_KUBELET_RESTART,
    KP_EVENT_CLOCK,
    KP_EVENT_RUNTIME_DOWN,
    KP_EVENT_RUNTIME_UP,
    KP_EVENT_STOP,  /* layer probe, feature manager: StopLivenessAndStartup alone */
    KP_EVENT_ADDPOD /* layer probe, feature manager: AddPod alone */
};

/* The outcome of an attempt or a hook, as the runtime or the handler reports it. */
enum kp_answer {
    KP_ANSWER_SUCCESS,
    KP_ANSWER_FAILURE,
    KP_ANSWER_WARNING,
    KP_ANSWER_UNKNOWN,
    KP_ANSWER_ERROR,   /* retried, then discarded */
    KP_ANSWER_TIMEOUT, /* of an exec */
    KP_ANSWER_BROKEN   /* an error beside the result failure: a body that broke off (P-109) */
};

struct kp_event {
    enum kp_event_kind kind;
    uint32_t pod;
    int container; /* index into the pod's containers; -1: not said */
    struct kp_text cid;
    struct kp_text reason;
    struct kp_text message; /* also: output of an answer, error of a sandbox operation */
    union {
        struct {
            uint32_t n;
            enum kp_answer result;
            int32_t code; /* exit code, where there is one */
        } answer;
        struct {
            int64_t restarts;
            bool has_started_at;
            int64_t started_at_ns; /* case time; may be negative or in the future */
        } running;
        int32_t exit_code;
        struct {
            enum kp_sandbox_do what;
            uint32_t attempt;
            bool failed;
        } sandbox;
        enum kp_phase phase;
        int64_t grace_s;             /* delete */
        const struct kp_pod *update; /* the new pod, borrowed like all else */
        int64_t down_ns;             /* kubelet-restart */
        int64_t by_ns;               /* clock */
        bool keep;                   /* cleanup: the pod stays desired */
    } u;
};
