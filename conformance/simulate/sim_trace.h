/*
 * sim_trace.h: what `simulate` remembers of a run: lines with their instants, the columns of
 * kubectl, the events.
 */
#pragma once

#include "conformance/pod/describe.h"
#include "conformance/pod/kubectl.h"
#include "conformance/simulate/live.h"
#include "conformance/simulate/sim_script.h"
#include "conformance/text/out.h"
#include "fakes/engine_impl.h"

enum cf_sim_kind {
    CF_SIM_EFFECT,  /* of the engine */
    CF_SIM_WORLD,   /* of the world: an answer, a start, an exit */
    CF_SIM_COLUMNS, /* the columns of kubectl get changed */
    CF_SIM_PASSED   /* `count` successes of a worker in a row, from since_ns to at_ns */
};

/* What a picture shows of a line. */
enum cf_sim_mark {
    CF_SIM_UNMARKED,
    CF_SIM_RUNS,
    CF_SIM_EXITED,
    CF_SIM_SUCCEEDED, /* a probe; of a PASSED line: all of them */
    CF_SIM_FAILED,
    CF_SIM_KILLED,
    CF_SIM_STARTED,
    CF_SIM_BACKED_OFF,
    CF_SIM_PRE_STOP,
    CF_SIM_READY, /* the container has become Ready, or is no more */
    CF_SIM_UNREADY
};

struct cf_sim_line {
    enum cf_sim_kind kind;
    enum cf_sim_mark mark;
    int container; /* of what is marked: its index */
    int probe;     /* of SUCCEEDED and FAILED: its type */
    int64_t at_ns;
    struct kp_text text; /* COLUMNS: none */
    enum kp_rule rule;   /* or none */
    struct kp_text json; /* of an effect or event: the protocol's own object */
    struct cf_columns columns;
    int64_t since_ns;
    uint32_t count;
    int64_t grace_s; /* of KILLED */
    /* Of KILLED; where the whole pod is: the probe of the container that failed, if one has. */
    enum kp_kill_reason kill_reason;
    bool by_deadline;  /* of KILLED: the pod is past activeDeadlineSeconds */
    int64_t delay_ns;  /* of BACKED_OFF */
    int32_t exit_code; /* of EXITED */
};

#define CF_EXIT_CODE_SIGKILL 137

struct cf_sim_trace;

/*
 * A run whose time is real: who stands before the engine, and who sees each line as it is settled.
 */
struct cf_sim_live {
    struct fake_impl (*interface)(void *ctx, struct fake_engine_impl *impl,
                                  struct cf_live_listener listener);
    void (*line)(void *ctx, const struct cf_sim_trace *trace, const struct cf_sim_line *line);
    void *ctx;
};

struct cf_sim_trace {
    const struct kp_profile *profile;
    const struct kp_pod *pod;
    struct cf_sim_line *lines; /* where time is real each is printed and forgotten */
    size_t line_count;
    struct kp_event_correlator *events; /* as the API has them at the end; likewise none */
    struct cf_described described;      /* the same, as describe lists them */
    int64_t wall_ns;                    /* wall clock at virtual time 0 */
    int64_t end_ns;
    int64_t deleted_ns;             /* the pod is; KP_NEVER */
    int64_t gone_ns;                /* the API has it no more; KP_NEVER */
    int64_t over_ns;                /* its phase is Succeeded or Failed; KP_NEVER */
    bool failed;                    /* it is Failed */
    int64_t deadline_ns;            /* it is past activeDeadlineSeconds; KP_NEVER */
    uint32_t restarts;              /* of all containers, at the end */
    bool ready;                     /* the pod, at the end */
    bool every_probe;               /* do not fold successes that follow one another */
    const struct cf_sim_live *live; /* NULL: in virtual time */
};

/*
 * Play one pod and remember all of it.
 *
 * arena:    where the lines live.
 * script:   borrowed for the call.
 * pull_ns:  how long the image of a start that pulls takes.
 * trace:    profile, pod, end_ns, every_probe and live are set; the rest is filled in here, for
 * cf_sim_trace_deinit.
 * Returns:  KP_OK; KP_ENOMEM; KP_EINPUT: the world stopped, *why says for what reason, in a text
 * that needs no freeing.
 */
KP_MUST_USE enum kp_err cf_sim_play(struct cf_arena *arena, const struct fake_script *script,
                                    int64_t pull_ns, struct cf_sim_trace *trace, const char **why);
void cf_sim_trace_deinit(struct cf_sim_trace *trace);

/* The head of the timeline's columns; one line of it. */
void cf_sim_put_heading(struct cf_out *out);
void cf_sim_put_line(struct cf_out *out, const struct cf_sim_line *line);
void cf_sim_put_json_line(struct cf_out *out, const struct cf_sim_trace *trace,
                          const struct cf_sim_line *line);
/* The timeline for people, and the events as `kubectl describe pod` prints them. */
void cf_sim_put_text(struct cf_out *out, const struct cf_sim_trace *trace);
/* One JSON object a line: the protocol's effects and events with `at` and `rule`, and `columns`
 * where they change. */
void cf_sim_put_json(struct cf_out *out, const struct cf_sim_trace *trace);
