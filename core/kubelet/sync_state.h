/*
 * sync_state.h: what a pod sync, and the kills and starts that it leads, keep of a pod.
 *
 * For sync_*.c, kill_container.c, start_container.c and hook_text.c alone: upstream's kuberuntime.
 */
#pragma once

#include "backoff.h"
#include "kill_container.h"
#include "pod_actions.h"
#include "pod_status.h"
#include "sync_pod.h"

struct kp_backoff_text {
    int64_t delay_ns;
    struct kp_text text;
    char *bytes;
    size_t room;
};

#define KP_HOOK_TEXTS 6

/* Buffers for what is said of failed hooks, used in turn. */
struct kp_hook_texts {
    char *bytes;
    size_t room;
    size_t at;
};

#define KP_LATE_HOOKS 4

/* A preStop that was given up at its deadline: it runs on, and may still fail aloud (S-214). */
struct kp_late_hook {
    uint32_t n;            /* 0: there is none */
    enum kp_answer answer; /* success: nothing is left to be said */
    int32_t code;
    struct kp_text output;
};

/* All that is remembered of one container besides its instances. */
struct kp_container_run {
    struct kp_backoff backoffs[KP_BACKOFF_KEYS];
    struct kp_backoff_text texts[KP_BACKOFF_WINDOWS];
    struct kp_kill kill;
    struct kp_late_hook late_hooks[KP_LATE_HOOKS]; /* in turn: of more the oldest is forgotten */
    unsigned late_count;
    struct kp_hook_texts hook_texts;
    unsigned orphan_starts; /* requested by kubelets that died, and not answered yet */
};

/* Where a sync stands.  Between two of them lies a call that takes time, or nothing. */
enum kp_sync_step {
    KP_SYNC_END, /* it is over, or there is none */
    KP_SYNC_KILL_POD,
    KP_SYNC_STOP_SANDBOXES,
    KP_SYNC_KILLED, /* the pod is, to its end */
    KP_SYNC_KILL_SOME,
    KP_SYNC_RESET,
    KP_SYNC_CREATE_SANDBOX,
    KP_SYNC_START,
    KP_SYNC_POST_START,
    KP_SYNC_POST_START_KILL
};

struct kp_sync {
    struct kp_pod_run *run;
    const struct kp_sync_order *order; /* of the sync under way, or of the last one */
    const struct kp_pod *pod;          /* the object it works on */
    struct kp_runtime_view view;       /* the snapshot it works on */
    struct kp_pod_actions actions;
    struct kp_container_run *containers; /* by container, as the next */
    struct kp_reason *reasons;
    bool has_hooks;      /* some container has */
    unsigned kills_over; /* so far */
    struct kp_sync_result result;
    enum kp_sync_step step;
    bool waiting;      /* for the world, in this step */
    size_t at;         /* index within the step's list */
    bool only_kills;   /* of a deleted or failed pod, up to 1.21, from then on */
    bool makes_cgroup; /* kills first what runs without one */
    bool restarting_all;
    /* What the world has answered since the last step. */
    bool start_answered;
    struct kp_event start_event;
    struct kp_text started_cid;
    unsigned sandbox_request; /* its place among the requests of the pod */
    bool sandbox_answered;
    bool sandbox_failed;
    struct kp_text sandbox_error;
    uint32_t hook_n; /* postStart */
    bool hook_answered;
    enum kp_answer hook_answer;
    int32_t hook_code;
    struct kp_text hook_output;
    int64_t until_ns; /* of a postStart that only sleeps; KP_NEVER: none */
};

static inline void kp_sync_enter(struct kp_sync *sync, enum kp_sync_step step)
{
    sync->step = step;
    sync->at = 0;
}

/* The sync ends with an error. */
static inline void kp_sync_fail(struct kp_sync *sync)
{
    sync->result.failed = true;
    kp_sync_enter(sync, KP_SYNC_END);
}

/* ---- sync_kill.c: the steps that take away.  A step returns true where it moved, false where it
 * waits.  */

struct kp_kill *kp_sync_prepare_kill(struct kp_sync *sync, int container, struct kp_text cid);
/* killContainersWithSyncResult: all at once; those who wait for others must see them first. */
void kp_sync_begin_pod_kill(struct kp_sync *sync);
bool kp_step_kill_pod(struct kp_sync *sync);
bool kp_step_stop_sandboxes(struct kp_sync *sync);
bool kp_step_kill_some(struct kp_sync *sync);
bool kp_step_reset(struct kp_sync *sync);
void kp_sync_emit_sandbox(struct kp_sync *sync, enum kp_sandbox_do what, uint32_t attempt,
                          enum kp_rule rule);
/* The answer to a sandbox operation has come. */
bool kp_sync_take_sandbox_answer(struct kp_sync *sync);

/* ---- sync_start.c: the steps that start */

bool kp_step_create_sandbox(struct kp_sync *sync);
bool kp_step_start(struct kp_sync *sync);
bool kp_step_post_start(struct kp_sync *sync);
bool kp_step_post_start_kill(struct kp_sync *sync);
#define KP_STARTS_OVER (-1)
/* The container whose start is under way or next, or KP_STARTS_OVER. */
int kp_sync_current_start(const struct kp_sync *sync);
