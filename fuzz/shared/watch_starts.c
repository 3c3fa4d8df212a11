/* What the rules promise of kills, starts and back-off. */
#include "fuzz/shared/watch.h"

static int64_t own_grace_s(const struct kp_pod *pod)
{
    return pod->has_grace && pod->grace_s > 2 ? pod->grace_s : 2;
}

/* Up to 1.21 it kills what runs of a pod that is over, never for a probe, and no event is about
 * that. */
static bool may_be_housekeeping(const struct watch *w, const struct kp_effect *effect)
{
    return !w->scenario->profile.worker_phases && effect->u.kill.reason != KP_KILL_LIVENESS &&
           effect->u.kill.reason != KP_KILL_STARTUP &&
           (w->deleted || w->phase == KP_SUCCEEDED || w->phase == KP_FAILED);
}

void watch_kill(struct watch *w, const struct kp_effect *effect)
{
    struct watched_container *c = &w->containers[effect->container];
    const struct watched_worker *of_liveness = &c->workers[KP_LIVENESS];
    const struct watched_worker *of_startup = &c->workers[KP_STARTUP];

    HOLDS(KP_RULE_KILL_GRACE_MIN, effect->u.kill.grace_s >= (w->deleted         ? 0
                                                             : w->past_deadline ? 1
                                                                                : 2));
    HOLDS(KP_RULE_KILLING_EVENT_FIRST, c->killing > c->kills || may_be_housekeeping(w, effect));
    HOLDS(KP_RULE_PROBE_FAILURE_KILLS,
          effect->u.kill.reason != KP_KILL_LIVENESS ||
              (watch_is(of_liveness->cid, effect->cid) && of_liveness->failed));
    HOLDS(KP_RULE_KILL_REASON_ORDER,
          effect->u.kill.reason != KP_KILL_STARTUP ||
              (watch_is(of_startup->cid, effect->cid) && of_startup->failed));
    HOLDS(KP_RULE_KILL_PROBE_GRACE, effect->u.kill.reason == KP_KILL_LIVENESS ||
                                        effect->u.kill.reason == KP_KILL_STARTUP || w->deleted ||
                                        effect->u.kill.grace_s <= own_grace_s(&w->scenario->pod));
    c->kills++;
    w->killing_for_good =
        w->killing_for_good || (w->deleted && effect->rule == KP_RULE_KILL_POD_GRACE);
}

/* Nothing but how it ended decides whether it may come back. */
static bool is_plain(const struct watch *w, const struct watched_container *c)
{
    return !w->restarted && w->sandboxes <= 1 && !c->start_failed;
}

bool watch_may_be_next(const struct watched_container *c, int64_t restart)
{
    if (restart == c->next || (restart == 0 && c->forgotten))
        return true;
    if (c->orphans == 0)
        return false;
    return restart == c->before || (restart <= c->next && restart + c->orphans >= c->next) ||
           (c->start_failed && restart <= c->next);
}

/* Up to 1.21 all that has died of a deleted pod is removed, also while a sync goes on that does not
 * know of the deletion: what it starts counts from 0 again. */
static bool may_begin_anew(const struct watch *w, const struct watched_container *c,
                           int64_t restart)
{
    return restart == 0 && w->deleted && !w->scenario->profile.worker_phases && c->exits > 0;
}

void watch_start(struct watch *w, const struct kp_effect *effect)
{
    const struct kp_pod *pod = &w->scenario->pod;
    struct watched_container *c = &w->containers[effect->container];
    bool regular = watch_spec(w, effect->container)->kind == KP_REGULAR;

    HOLDS(KP_RULE_SYNC_POD_STEPS, w->sandboxes > 0);
    /* S-345: up to 1.21 also what does not sync asks whether it is past its deadline. */
    HOLDS(KP_RULE_ACTIVE_DEADLINE,
          !w->past_deadline || w->clock_moved || !w->scenario->profile.worker_phases);
    HOLDS(KP_RULE_BACK_OFF_REFUSES, !c->refused);
    HOLDS(KP_RULE_RESTART_COUNT,
          watch_may_be_next(c, effect->u.restart) || may_begin_anew(w, c, effect->u.restart));
    if (regular && is_plain(w, c) && watch_policy_is(w, "Never"))
        HOLDS(KP_RULE_RESTART_POLICY, effect->u.restart == 0);
    if (regular && is_plain(w, c) && c->kills == 0 && watch_policy_is(w, "OnFailure") &&
        !may_begin_anew(w, c, effect->u.restart))
        HOLDS(KP_RULE_RESTART_POLICY, c->exits == 0 || c->failed_exits > 0);
    for (size_t i = 0; regular && !c->begun && i < pod->init_count; i++)
        HOLDS(KP_RULE_EPHEMERAL_STARTED_ONCE,
              kp_container_is_sidecar(&pod->containers[i]) || w->containers[i].ended_well);
    /* S-243, S-245: an entry untouched for long is forgotten. */
    if (c->begun && w->at_ns - c->start_ns > w->limits.forget_ns)
        c->delay_ns = 0;
    c->purged = false;
    c->begun = true;
    c->out++;
    c->start_ns = w->at_ns;
    c->starts++;
}

static bool is_doubled(int64_t delay_ns, int64_t initial_ns)
{
    int64_t times = delay_ns / initial_ns;

    return delay_ns % initial_ns == 0 && (times & (times - 1)) == 0;
}

void watch_backoff(const struct watch *w, const struct kp_effect *effect,
                   struct watched_container *c)
{
    int64_t delay_ns = effect->u.delay_ns;

    HOLDS(KP_RULE_BACK_OFF_FIRST_CRASH, c->exits > 0 || c->start_failed);
    HOLDS(KP_RULE_BACK_OFF_LIMITS,
          delay_ns >= w->limits.initial_ns && delay_ns <= w->limits.max_ns);
    HOLDS(KP_RULE_BACK_OFF_DOUBLES,
          delay_ns == w->limits.max_ns || is_doubled(delay_ns, w->limits.initial_ns));
    /* Not each start doubles: one after a container that never ran does not. */
    if (c->delay_ns > 0 && !w->restarted && !w->clock_moved)
        HOLDS(KP_RULE_BACK_OFF_DOUBLES,
              delay_ns >= c->delay_ns && (c->starts > 5 || delay_ns <= c->delay_ns << c->starts));
    c->delay_ns = delay_ns;
    c->starts = 0;
    c->refused = true;
    c->forgotten = c->forgotten || c->purged;
}
