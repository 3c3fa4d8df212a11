/* prober.c: an execution of a probe, attempt by attempt, and what it comes to. */
#include "prober.h"
#include "prober_state.h"

#include <assert.h>
#include <string.h>

#define EXEC_OUTPUT_BYTES_MAX 10240

/* ---- what an answer comes to ------------------------------------------------------------------
 */

/* An exit code is success or failure (P-079), an exec that cannot be run an error (P-082).
 * From 1.20 one that takes too long fails (P-084), unless the gate ExecProbeTimeout is off (P-085).
 */
enum kp_outcome kp_prober_outcome(const struct kp_profile *profile, enum kp_answer answer)
{
    static const enum kp_outcome outcomes[] = {
        [KP_ANSWER_SUCCESS] = KP_OUTCOME_SUCCESS, [KP_ANSWER_WARNING] = KP_OUTCOME_WARNING,
        [KP_ANSWER_FAILURE] = KP_OUTCOME_FAILURE, [KP_ANSWER_UNKNOWN] = KP_OUTCOME_UNKNOWN,
        [KP_ANSWER_BROKEN] = KP_OUTCOME_BROKEN,   [KP_ANSWER_ERROR] = KP_OUTCOME_ERROR,
    };

    if (answer != KP_ANSWER_TIMEOUT)
        return outcomes[answer];
    if (profile->exec_timeout_is_answer && profile->gates[KP_GATE_ExecProbeTimeout])
        return KP_OUTCOME_FAILURE;
    return KP_OUTCOME_ERROR;
}

/* The output as it is, with its newlines (P-081), or what is said of an exec that took too long. */
void kp_prober_add_output(struct kp_message *message, const struct kp_profile *profile,
                          enum kp_answer answer, struct kp_text output,
                          const struct kp_text_list *argv, int64_t timeout_ns)
{
    bool is_error = kp_prober_outcome(profile, answer) == KP_OUTCOME_ERROR;

    if (answer != KP_ANSWER_TIMEOUT || !argv || !profile->exec_timeout_is_answer) {
        kp_message_add(message, output);
        return;
    }
    if (profile->exec_timeout_text == 0 && !is_error)
        return; /* the text was left behind in the error (K-22) */
    kp_message_add(message, profile->exec_timeout_text == 2 ? KP_TEXT("command timed out: ")
                                                            : KP_TEXT("command "));
    kp_message_add_argv(message, argv);
    kp_message_add(message, KP_TEXT(" timed out"));
    if (profile->exec_timeout_text != 2)
        return;
    kp_message_add(message, KP_TEXT(" after "));
    kp_message_add_duration(message, timeout_ns);
}

struct event_row {
    struct kp_text reason;
    struct kp_text words;
    enum kp_rule rule;
};

static const struct event_row *event_of(const struct kp_profile *profile, enum kp_outcome outcome)
{
    static const struct event_row failed = {
        {"Unhealthy", 9}, {" probe failed: ", 15}, KP_RULE_EVENT_PROBE_FAILED};
    static const struct event_row errored = {
        {"Unhealthy", 9}, {" probe errored: ", 16}, KP_RULE_EVENT_PROBE_ERRORED};
    static const struct event_row unknown = {{"Unhealthy", 9},
                                             {" probe errored and resulted in unknown state: ", 46},
                                             KP_RULE_EVENT_PROBE_ERRORED_STATE};
    static const struct event_row broken = {{"Unhealthy", 9},
                                            {" probe errored and resulted in failure state: ", 46},
                                            KP_RULE_EVENT_PROBE_ERRORED_STATE};
    static const struct event_row warned = {
        {"ProbeWarning", 12}, {" probe warning: ", 16}, KP_RULE_EVENT_PROBE_WARNING};
    static const struct event_row unnamed_error = {
        {"Unhealthy", 9}, {" probe failed: ", 15}, KP_RULE_EVENT_PROBE_UNKNOWN};

    switch (outcome) {
    case KP_OUTCOME_FAILURE:
        return &failed;
    case KP_OUTCOME_ERROR:
        return profile->error_event_names_result ? &unknown : &errored;
    case KP_OUTCOME_BROKEN:
        return profile->error_event_names_result ? &broken : &errored;
    case KP_OUTCOME_WARNING:
        return &warned;
    case KP_OUTCOME_UNKNOWN:
        return profile->error_event_names_result ? NULL : &unnamed_error;
    case KP_OUTCOME_SUCCESS:
        break;
    }
    return NULL;
}

/* Unhealthy or ProbeWarning, and the words before the probe's own (S-265). */
bool kp_prober_begin_event(const struct kp_profile *profile, enum kp_probe_type type,
                           enum kp_outcome outcome, struct kp_effect *effect)
{
    const struct event_row *row = event_of(profile, outcome);

    if (!row)
        return false;
    effect->kind = KP_EFFECT_EVENT;
    effect->rule = row->rule;
    effect->u.event.type = KP_WARNING;
    effect->u.event.reason = row->reason;
    effect->u.event.message.count = 0;
    kp_message_add(&effect->u.event.message, kp_probe_type_name(type));
    kp_message_add(&effect->u.event.message, row->words);
    return true;
}

/* A warning counts as Success, all else as Failure (P-065). */
enum kp_result kp_prober_result(enum kp_outcome outcome)
{
    assert(!kp_outcome_is_error(outcome));
    return outcome == KP_OUTCOME_SUCCESS || outcome == KP_OUTCOME_WARNING ? KP_RESULT_SUCCESS
                                                                          : KP_RESULT_FAILURE;
}

/* ---- which worker waits for n ---------------------------------------------------------------- */

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

struct kp_worker *kp_prober_take_attempt(struct kp_prober_manager *m, uint32_t n)
{
    uint32_t *link = m->by_n ? link_of(m, n) : NULL;
    struct kp_worker *w;

    if (!link || *link == 0)
        return NULL;
    w = &m->workers[*link - 1];
    *link = w->u.out.next;
    return w;
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

/* Of several handlers the first of exec, httpGet, tcpSocket and grpc is run (P-059). */
static void emit_attempt(const struct kp_prober_manager *m, const struct kp_worker *w, uint32_t n)
{
    struct kp_effect effect;

    kp_prober_begin_effect(w, &effect);
    effect.kind = KP_EFFECT_PROBE;
    effect.rule = w->attempt == 1 ? KP_RULE_DO_PROBE : KP_RULE_RETRY_ON_ERROR;
    effect.u.probe.n = n;
    effect.u.probe.type = (enum kp_probe_type)w->type;
    effect.u.probe.attempt = w->attempt;
    kp_prober_emit(m, &effect);
}

/* true: the attempt is out, its answer comes later.  false: it failed on the spot, since its
 * context is cancelled (K-14): an error as any other (P-064). */
static bool send_attempt(struct kp_prober_manager *m, struct kp_worker *w)
{
    uint32_t n = ++*m->last_n;

    emit_attempt(m, w, n);
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
static KP_SELDOM void emit_event(const struct kp_prober_manager *m, const struct kp_worker *w,
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
    kp_prober_emit(m, &effect);
}

/* What is no success (P-071) is recorded once an execution (P-072).  An error, as of a port that
 * does not resolve (E-010), counts for nothing (P-051) and is discarded (P-044). */
static enum kp_execution end_execution(struct kp_prober_manager *m, struct kp_worker *w,
                                       enum kp_outcome outcome, enum kp_answer answer,
                                       struct kp_text output)
{
    emit_event(m, w, outcome, answer, output);
    if (kp_outcome_is_error(outcome))
        return KP_EXECUTION_DISCARDED;
    return kp_prober_result(outcome) == KP_RESULT_SUCCESS ? KP_EXECUTION_SUCCESS
                                                          : KP_EXECUTION_FAILURE;
}

/* The attempts from w->attempt + 1 on, as far as they fail on the spot. */
static enum kp_execution try_on(struct kp_prober_manager *m, struct kp_worker *w)
{
    while (w->attempt < KP_PROBE_ATTEMPTS) {
        w->attempt++;
        if (send_attempt(m, w))
            return KP_EXECUTION_OUT;
    }
    return end_execution(m, w, KP_OUTCOME_ERROR, KP_ANSWER_ERROR, KP_TEXT("context canceled"));
}

enum kp_execution kp_prober_probe(struct kp_prober_manager *m, struct kp_worker *w)
{
    w->attempt = 0;
    if (w->has_handler)
        return try_on(m, w);
    return end_execution(m, w, KP_OUTCOME_ERROR, KP_ANSWER_ERROR, KP_TEXT_NONE);
}

/* An attempt that ended with an error is tried again, up to three in all (P-004, P-063). */
static KP_SELDOM enum kp_execution fall_short(struct kp_prober_manager *m, struct kp_worker *w,
                                              enum kp_outcome outcome, enum kp_answer answer,
                                              struct kp_text output)
{
    if (kp_outcome_is_error(outcome) && w->attempt < KP_PROBE_ATTEMPTS)
        return try_on(m, w);
    return end_execution(m, w, outcome, answer, output);
}

enum kp_execution kp_prober_conclude(struct kp_prober_manager *m, struct kp_worker *w,
                                     enum kp_answer answer, struct kp_text output)
{
    enum kp_outcome outcome = kp_prober_outcome(&m->env.profile, answer);

    return outcome == KP_OUTCOME_SUCCESS ? KP_EXECUTION_SUCCESS
                                         : fall_short(m, w, outcome, answer, output);
}

/* ---- expansion ----------------------------------------------------------------------------- */

/* The value of a name: the last entry wins, and what has no literal value is empty. */
static bool find_value(const struct kp_container *container, struct kp_text name,
                       struct kp_text *value)
{
    for (size_t i = container->env_count; i-- > 0;) {
        const struct kp_env_var *var = &container->env[i];

        if (!kp_text_equal(var->name, name))
            continue;
        *value = var->value;
        return true;
    }
    return false;
}

/* What stands behind a `$`: put its expansion, and say how many bytes were read. */
static size_t expand_one(struct kp_buf *buf, const struct kp_container *container,
                         struct kp_text rest)
{
    const char *close = memchr(rest.bytes, ')', rest.len);
    struct kp_text name;
    struct kp_text value;

    if (rest.bytes[0] == '$' || rest.bytes[0] != '(' || !close) {
        if (rest.bytes[0] != '$')
            kp_buf_put_char(buf, '$');
        kp_buf_put_char(buf, rest.bytes[0]);
        return 1;
    }
    name = (struct kp_text){rest.bytes + 1, (size_t)(close - rest.bytes) - 1};
    if (find_value(container, name, &value))
        kp_buf_put(buf, value);
    else {
        kp_buf_put_char(buf, '$');
        kp_buf_put(buf, (struct kp_text){rest.bytes, name.len + 2});
    }
    return name.len + 2;
}

static void expand(struct kp_buf *buf, const struct kp_container *container, struct kp_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.bytes[i] == '$' && i + 1 < text.len)
            i += expand_one(buf, container, (struct kp_text){text.bytes + i + 1, text.len - i - 1});
        else
            kp_buf_put_char(buf, text.bytes[i]);
    }
}

static bool has_dollar(const struct kp_text_list *command)
{
    for (size_t i = 0; i < command->count; i++)
        if (command->items[i].len > 0 &&
            memchr(command->items[i].bytes, '$', command->items[i].len))
            return true;
    return false;
}

/* $(NAME) becomes the value of the container's own env (P-077). */
enum kp_err kp_command_expand(const struct kp_mem *mem, const struct kp_container *container,
                              const struct kp_text_list *command, struct kp_text_list **out)
{
    size_t fixed = sizeof **out + command->count * sizeof(struct kp_text);
    struct kp_buf size = {0};
    struct kp_buf buf;
    struct kp_text *items;

    *out = NULL;
    if (!has_dollar(command))
        return KP_OK;
    for (size_t i = 0; i < command->count; i++)
        expand(&size, container, command->items[i]);
    *out = kp_mem_array(mem, 1, fixed + size.need);
    if (!*out)
        return KP_ENOMEM;
    items = (struct kp_text *)(void *)(*out + 1);
    buf = (struct kp_buf){.bytes = (char *)(items + command->count), .cap = size.need};
    for (size_t i = 0; i < command->count; i++) {
        size_t start = buf.need;

        expand(&buf, container, command->items[i]);
        items[i] = (struct kp_text){buf.bytes + start, buf.need - start};
    }
    **out = (struct kp_text_list){items, command->count};
    return KP_OK;
}
