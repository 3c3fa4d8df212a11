/*
 * kill_container.h: one container on its way out: grace, preStop, its turn, StopContainer.
 *
 * killContainer blocks three times; here each wait is a state, and kp_kill_step goes on from it.
 * Upstream: kuberuntime_container.go killContainer, setTerminationGracePeriod, executePreStopHook,
 * kuberuntime_termination_order.go.
 */
#pragma once

#include "../model/trace.h"
#include "runtime.h"

struct kp_sync;

enum kp_kill_state {
    KP_KILL_IDLE,
    KP_KILL_PRE_STOP, /* the hook runs, or its deadline does */
    KP_KILL_TURN,     /* waits for the containers that go first (S-216) */
    KP_KILL_STOPPING, /* StopContainer is called */
    KP_KILL_DONE,
    KP_KILL_FAILED
};

struct kp_kill {
    enum kp_kill_state state;
    int container;
    struct kp_text cid;
    enum kp_kill_reason reason;
    struct kp_message message; /* of the Killing event */
    int64_t grace_s;           /* what is left of it */
    bool has_override;
    int64_t override_s;
    bool ordered;
    uint32_t hook_n;
    bool hook_done;
    enum kp_answer hook_answer;
    int32_t hook_code;
    struct kp_text hook_output;
    int64_t since_ns;    /* of the wait under way */
    int64_t deadline_ns; /* of the wait under way; KP_NEVER: none */
    struct kp_text error;
    unsigned request; /* StopContainer's place among the requests of the pod */
    unsigned place;   /* among those of the pod that are over, in the order in which they were */
    enum kp_rule rule;
};

/* The grace period that killContainer begins with (S-209, S-210). */
int64_t kp_kill_grace_s(const struct kp_profile *profile, const struct kp_pod *pod, int container,
                        enum kp_kill_reason reason);

/* Begin: the Killing event is recorded now (S-213), and kp_kill_step goes on from there.  An empty
 * message: "Stopping container NAME". */
void kp_kill_begin(struct kp_sync *sync, struct kp_kill *kill);
/* Go on as far as possible at this instant. */
void kp_kill_step(struct kp_sync *sync, struct kp_kill *kill);
/* A hook was answered; false: it was not the one that this kill waits for. */
bool kp_kill_hook_answered(struct kp_kill *kill, const struct kp_event *event);
/* A preStop that was given up was answered after all: say so where it failed. */
void kp_kill_emit_late(struct kp_sync *sync, int container);
/* The instance is dead, or StopContainer failed with an error; place: see kp_kill. */
void kp_kill_acknowledge(struct kp_kill *kill, struct kp_text error, bool failed, unsigned place);
bool kp_kill_is_over(const struct kp_kill *kill);
