/* prober_attempts.c: attempts that are out.  Upstream: prober.go probe, runProbeWithRetries. */
#include "prober.h"
#include "prober_state.h"

#include <assert.h>
#include <string.h>

#define EXEC_OUTPUT_BYTES_MAX 10240

/* ---- which worker waits for n ----------------------------------------------------------------
 */

/*
 * The link that leads to the worker of attempt n, or the 0 at the end of its place's chain. Numbers
 * are given out one after another, so that chains are short whatever is out.
 */
static uint32_t *link_of(const struct kp_prober_manager *m, uint32_t n)
{
    uint32_t *link = &m->by_n[n & m->by_n_mask];

    while (*link != 0 && m->workers[*link - 1].u.out.n != n)
        link = &m->workers[*link - 1].u.out.next;
    return link;
}

void kp_prober_enter_attempt(struct kp_prober_manager *m, struct kp_worker *w)
{
    uint32_t *head = &m->by_n[w->u.out.n & m->by_n_mask];

    w->u.out.next = *head;
    *head = kp_prober_index(m, w) + 1;
}

void kp_prober_leave_attempt(struct kp_prober_manager *m, const struct kp_worker *w)
{
    *link_of(m, w->u.out.n) = w->u.out.next;
}

/* ---- one execution ----------------------------------------------------------------------------
 */

static const struct kp_probe *probe_of(const struct kp_worker *w)
{
    return w->spec->containers[w->container_index].probes[w->type];
}

static const struct kp_text_list *argv_of(const struct kp_prober_manager *m,
                                          const struct kp_probe *probe)
{
    for (const struct kp_expansion *e = m->expansions; e; e = e->next)
        if (e->probe == probe)
            return e->argv;
    return probe->handler.exec ? &probe->handler.exec->command : NULL;
}

/* Of several handlers the first of exec, httpGet, tcpSocket and grpc is asked (P-059). */
static void tell_attempt(const struct kp_prober_manager *m, const struct kp_worker *w, uint32_t n)
{
    struct kp_effect effect;

    kp_prober_begin_effect(w, &effect);
    effect.kind = KP_EFFECT_PROBE;
    effect.rule = w->attempt == 1 ? KP_RULE_DO_PROBE : KP_RULE_RETRY_ON_ERROR;
    effect.u.probe.n = n;
    effect.u.probe.type = (enum kp_probe_type)w->type;
    effect.u.probe.attempt = w->attempt;
    kp_prober_tell(m, &effect);
}

/* true: the attempt is out, its answer comes later.  false: it failed on the spot, since its
 * context is cancelled (K-14): an error as any other (P-064). */
static bool send_attempt(struct kp_prober_manager *m, struct kp_worker *w)
{
    uint32_t n = ++*m->last_n;

    tell_attempt(m, w, n);
    if (w->cancelled && w->is_exec)
        return false;
    w->u.out.n = n;
    w->activity = KP_PROBING;
    kp_prober_enter_attempt(m, w);
    return true;
}

/* The error of a probe without a handler (P-062). */
static void add_missing_handler(struct kp_message *message, const struct kp_profile *profile,
                                const struct kp_worker *w)
{
    kp_message_add(message, profile->missing_handler_small ? KP_TEXT("m") : KP_TEXT("M"));
    kp_message_add(message, KP_TEXT("issing probe handler for "));
    kp_message_add(message, w->spec->name);
    kp_message_add(message, KP_TEXT("_"));
    kp_message_add(message, w->spec->namespace_);
    kp_message_add(message, KP_TEXT("("));
    kp_message_add(message, w->spec->uid);
    kp_message_add(message, KP_TEXT("):"));
    kp_message_add(message, w->spec->containers[w->container_index].name);
}

/* No more than 10,240 bytes are read (P-005); that there was more is no error (P-080). */
static struct kp_text cut_output(const struct kp_prober_manager *m, const struct kp_probe *probe,
                                 enum kp_answer answer, struct kp_text output)
{
    if (m->env.profile.exec_output_limited && probe->handler.exec && answer != KP_ANSWER_ERROR &&
        output.len > EXEC_OUTPUT_BYTES_MAX)
        output.len = EXEC_OUTPUT_BYTES_MAX;
    return output;
}

/* The event names the container by its field path (P-073). */
static KP_SELDOM void tell_event(const struct kp_prober_manager *m, const struct kp_worker *w,
                                 enum kp_outcome outcome, enum kp_answer answer,
                                 struct kp_text output)
{
    const struct kp_probe *probe = probe_of(w);
    struct kp_effect effect;

    kp_prober_begin_effect(w, &effect);
    if ((m->env.profile.event_needs_ref && !w->has_ref) ||
        !kp_prober_begin_event(&m->env.profile, (enum kp_probe_type)w->type, outcome, &effect))
        return;
    if (w->has_handler)
        kp_prober_add_output(&effect.u.event.message, &m->env.profile, answer,
                             cut_output(m, probe, answer, output), argv_of(m, probe),
                             kp_seconds_ns(probe->timeout_s));
    else
        add_missing_handler(&effect.u.event.message, &m->env.profile, w);
    kp_prober_tell(m, &effect);
}

static void count(struct kp_prober_manager *m, struct kp_worker *w, enum kp_result result,
                  int64_t now_ns)
{
    struct kp_step step;

    kp_worker_count(w, &m->env, result, &step);
    kp_prober_apply(m, w, &step, now_ns);
}

/* What is no success (P-071) is told once an execution (P-072).  An error, as of a port that does
 * not resolve (E-010), counts for nothing (P-051). */
static void end_execution(struct kp_prober_manager *m, struct kp_worker *w, enum kp_outcome outcome,
                          enum kp_answer answer, struct kp_text output, int64_t now_ns)
{
    tell_event(m, w, outcome, answer, output);
    if (kp_outcome_is_error(outcome))
        kp_prober_await(m, w, now_ns); /* discarded (P-044) */
    else
        count(m, w, kp_prober_result(outcome), now_ns);
}

/* The attempts from w->attempt + 1 on, as far as they fail on the spot. */
static void try_on(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    while (w->attempt < KP_PROBE_ATTEMPTS) {
        w->attempt++;
        if (send_attempt(m, w))
            return;
    }
    end_execution(m, w, KP_OUTCOME_ERROR, KP_ANSWER_ERROR, KP_TEXT("context canceled"), now_ns);
}

void kp_prober_probe(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    w->attempt = 0;
    if (w->has_handler)
        try_on(m, w, now_ns);
    else
        end_execution(m, w, KP_OUTCOME_ERROR, KP_ANSWER_ERROR, KP_TEXT_NONE, now_ns);
}

/* An attempt that ended with an error is tried again, up to three in all (P-004, P-063). */
static KP_SELDOM void fall_short(struct kp_prober_manager *m, struct kp_worker *w,
                                 enum kp_outcome outcome, enum kp_answer answer,
                                 struct kp_text output, int64_t now_ns)
{
    if (kp_outcome_is_error(outcome) && w->attempt < KP_PROBE_ATTEMPTS)
        try_on(m, w, now_ns);
    else
        end_execution(m, w, outcome, answer, output, now_ns);
}

static void conclude(struct kp_prober_manager *m, struct kp_worker *w, enum kp_answer answer,
                     struct kp_text output, int64_t now_ns)
{
    enum kp_outcome outcome = kp_prober_outcome(&m->env.profile, answer);

    if (outcome == KP_OUTCOME_SUCCESS)
        count(m, w, KP_RESULT_SUCCESS, now_ns);
    else
        fall_short(m, w, outcome, answer, output, now_ns);
}

bool kp_prober_manager_answer(struct kp_prober_manager *m, uint32_t n, enum kp_answer answer,
                              struct kp_text output, int64_t now_ns)
{
    uint32_t *link = m->by_n ? link_of(m, n) : NULL;
    struct kp_worker *w;

    if (!link || *link == 0)
        return false;
    w = &m->workers[*link - 1];
    *link = w->u.out.next;
    conclude(m, w, answer, output, now_ns);
    return true;
}

void kp_prober_cancel_worker(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    w->cancelled = true;
    if (w->activity != KP_PROBING || !w->is_exec)
        return;
    kp_prober_leave_attempt(m, w);
    conclude(m, w, KP_ANSWER_ERROR, KP_TEXT("context canceled"), now_ns);
}
