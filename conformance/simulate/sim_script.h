/*
 * sim_script.h: how a pod's world behaves when nobody says: what `simulate` assumes, and says that
 * it assumes.
 */
#pragma once

#include "conformance/text/arena.h"
#include "fakes/world.h"

/* A sentence about one container, for the head of the timeline. */
struct cf_assumption {
    struct kp_text container;
    struct kp_text sentence;
};

struct cf_sim_script {
    struct fake_script script;
    const struct cf_assumption *assumptions;
    size_t assumption_count;
};

/*
 * Make the script of a pod.
 *
 * A command that is a simple shell script (fakes/shell.h) is played as written: files come and go,
 * `cat` finds them or not, the script's end is the container's, and SIGTERM is ignored as by any
 * shell with process id 1.  Any other regular container runs for ever, passes its probes and ends
 * with 143 on SIGTERM; an init container ends with 0 after 1 s.  A probe or hook whose port the
 * kubelet would not find is answered with its error.  A preStop hook that only sleeps takes so
 * long; any other takes no time.
 *
 * pull_ns:  of each start where the image must be pulled (imagePullPolicy Always).
 * out:      all of it in the arena.
 * Returns:  KP_OK or KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_sim_script_make(struct cf_arena *arena, const struct kp_profile *profile,
                                           const struct kp_pod *pod, uint32_t handle,
                                           int64_t pull_ns, struct cf_sim_script *out);
/*
 * The same without a word about what containers do by their commands: regular ones run for ever and
 * pass their probes, whatever script they have, and no pull takes time.
 */
KP_MUST_USE enum kp_err cf_sim_script_make_plain(struct cf_arena *arena,
                                                 const struct kp_profile *profile,
                                                 const struct kp_pod *pod,
                                                 struct cf_sim_script *out);

/*
 * How long a hook sleeps: `sleep 20`, `sh -c "sleep 20; nginx -s quit"`, or its sleep action.  What
 * a shell does after that is taken as 0 s.
 *
 * Returns:  seconds; -1: it does something else, which nobody knows the length of; 0: no hook.
 */
int64_t cf_hook_s(const struct kp_handler *hook);

/*
 * Is a grace one of those whose nanoseconds, with the two minutes that a call to the runtime has
 * besides, leave int64 (S-225)?  How long the kubelet then waits is not what was written.
 */
bool cf_grace_overflows(int64_t grace_s);
