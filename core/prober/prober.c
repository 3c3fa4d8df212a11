#include "prober.h"

#include <assert.h>
#include <string.h>

/* What an answer comes to: an exit code is success or failure (P-079), an exec that cannot be run
 * an error (P-082). */
const enum kp_outcome kp_prober_outcomes[] = {
    [KP_ANSWER_SUCCESS] = KP_OUTCOME_SUCCESS, [KP_ANSWER_WARNING] = KP_OUTCOME_WARNING,
    [KP_ANSWER_FAILURE] = KP_OUTCOME_FAILURE, [KP_ANSWER_UNKNOWN] = KP_OUTCOME_UNKNOWN,
    [KP_ANSWER_BROKEN] = KP_OUTCOME_BROKEN,   [KP_ANSWER_ERROR] = KP_OUTCOME_ERROR,
};

/* From 1.20 an exec that takes too long fails (P-084), unless the gate ExecProbeTimeout is off
 * (P-085). */
enum kp_outcome kp_prober_timeout_outcome(const struct kp_profile *profile)
{
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

/* ---- expansion ----------------------------------------------------------------------------- */

/* The value of a name: the last entry wins, and what has no literal value is empty. */
static bool find_value(const struct kp_container *container, struct kp_text name,
                       struct kp_text *value)
{
    for (size_t i = container->env_count; i-- > 0;) {
        const struct kp_env_var *var = &container->env[i];

        if (!kp_text_equal(var->name, name))
            continue;
        *value = var->has_value_from ? KP_TEXT_NONE : var->value;
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
