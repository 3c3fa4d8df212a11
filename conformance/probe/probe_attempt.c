#include "conformance/probe/probe_attempt.h"

#include "conformance/pod/describe.h"
#include "conformance/text/human.h"
#include "conformance/text/versions.h"
#include "core/prober/prober.h"

#include <string.h>

#define WIRE_BYTES_MAX 16384 /* of each direction; more is counted and not shown */

/* One probe and what became of it. */
struct attempt {
    const struct cf_probe_choice *choice;
    struct kp_handlers *handlers;
    struct kp_attempt attempt;
    enum kp_probe_type type;
    int attempts;
    bool failed_to_start;
    struct kp_attempt_result result; /* texts: see below */
    struct cf_out output;
    struct cf_out sent;
    struct cf_out received;
    size_t sent_more; /* bytes that were not kept */
    size_t received_more;
};

/* ---- firing ---------------------------------------------------------------------------------- */

static void start(struct attempt *attempt)
{
    kp_attempt_id id;

    attempt->attempts++;
    cf_out_clear(&attempt->sent);
    cf_out_clear(&attempt->received);
    attempt->sent_more = attempt->received_more = 0;
    attempt->failed_to_start =
        kp_handlers_start(attempt->handlers, &attempt->attempt, &id) != KP_OK;
}

static void on_wire(void *ctx, enum kp_wire direction, struct kp_text bytes)
{
    struct attempt *attempt = ctx;
    struct cf_out *kept = direction == KP_WIRE_SENT ? &attempt->sent : &attempt->received;
    size_t *more = direction == KP_WIRE_SENT ? &attempt->sent_more : &attempt->received_more;
    size_t room = WIRE_BYTES_MAX - kept->len;

    if (bytes.len > room) {
        *more += bytes.len - room;
        bytes.len = room;
    }
    cf_out_put(kept, bytes);
}

/* P-063: an error is tried again. */
static void on_finished(void *ctx, const struct kp_attempt_result *result)
{
    struct attempt *attempt = ctx;

    attempt->result = *result;
    cf_out_clear(&attempt->output);
    cf_out_put(&attempt->output, result->output);
    attempt->result.output = cf_out_text(&attempt->output);
    if (kp_outcome_is_error(kp_prober_outcome(attempt->attempt.profile, result->answer)) &&
        attempt->attempts < KP_PROBE_ATTEMPTS)
        start(attempt);
}

static bool is_chosen(const struct cf_probe_choice *choice, size_t container, int type)
{
    const struct kp_container *c = &choice->pod->containers[container];

    return c->probes[type] && (choice->type < 0 || choice->type == type) &&
           (!choice->container || kp_text_equal(c->name, kp_text_of(choice->container)));
}

size_t cf_probe_choice_count(const struct cf_probe_choice *choice)
{
    size_t count = 0;

    for (size_t i = 0; i < kp_pod_container_count(choice->pod); i++)
        for (int type = 0; type < KP_PROBE_TYPES; type++)
            count += is_chosen(choice, i, type);
    return count;
}

static void fill_in(struct attempt *attempts, const struct cf_probe_choice *choice,
                    struct kp_handlers *handlers)
{
    for (size_t i = 0; i < kp_pod_container_count(choice->pod); i++) {
        for (int type = 0; type < KP_PROBE_TYPES; type++) {
            const struct kp_container *container = &choice->pod->containers[i];

            if (!is_chosen(choice, i, type))
                continue;
            *attempts = (struct attempt){.choice = choice, .handlers = handlers};
            attempts->type = (enum kp_probe_type)type;
            attempts->attempt = (struct kp_attempt){.profile = choice->profile,
                                                    .probe = container->probes[type],
                                                    .container = container,
                                                    .pod_ip = choice->pod_ip,
                                                    .finished = on_finished,
                                                    .wire = on_wire,
                                                    .ctx = attempts};
            attempts++;
        }
    }
}

/* ---- printing -------------------------------------------------------------------------------- */

static enum kp_outcome outcome_of(const struct attempt *attempt)
{
    return kp_prober_outcome(attempt->attempt.profile, attempt->result.answer);
}

/* The probe's output or error, as an event shows it. */
static void put_text(struct cf_out *out, const struct attempt *attempt, const struct kp_mem *mem)
{
    const struct kp_exec_action *exec = attempt->attempt.probe->handler.exec;
    struct kp_message message = {0};
    struct kp_text_list *expanded = NULL;
    struct kp_buf buf = {0};

    if (exec &&
        kp_command_expand(mem, attempt->attempt.container, &exec->command, &expanded) != KP_OK)
        expanded = NULL;
    kp_prober_add_output(&message, attempt->attempt.profile, attempt->result.answer,
                         attempt->result.output,
                         expanded ? expanded
                         : exec   ? &exec->command
                                  : NULL,
                         kp_seconds_ns(attempt->attempt.probe->timeout_s));
    kp_message_put(&buf, &message);
    cf_out_reserve(out, buf.need + 1);
    buf = (struct kp_buf){.bytes = out->bytes + out->len, .cap = buf.need};
    kp_message_put(&buf, &message);
    out->len += kp_buf_text(&buf).len;
    kp_mem_free(mem, expanded);
}

/* The event's sentence; false: there is no event. */
static bool put_event(struct cf_out *out, const struct attempt *attempt, struct kp_text text,
                      struct kp_effect *effect)
{
    char bytes[256];
    struct kp_buf buf = {.bytes = bytes, .cap = sizeof bytes};

    if (!kp_prober_begin_event(attempt->attempt.profile, attempt->type, outcome_of(attempt),
                               effect))
        return false;
    kp_message_put(&buf, &effect->u.event.message);
    cf_out_put(out, kp_buf_text(&buf));
    cf_out_put(out, text);
    return true;
}

/* Lines of one direction, each behind its arrow; what is no text is escaped. */
static void put_wire(struct cf_out *out, const struct cf_out *bytes, size_t more, char arrow)
{
    bool begun = false;

    for (size_t i = 0; i < bytes->len; i++) {
        unsigned char c = (unsigned char)bytes->bytes[i];

        if (!begun)
            cf_out_printf(out, "    %c ", arrow);
        begun = c != '\n';
        if (c == '\n')
            cf_out_put_char(out, '\n');
        else if ((c < ' ' && c != '\t' && c != '\r') || c == 0x7f || c >= 0x80)
            cf_out_printf(out, "\\x%02x", c);
        else if (c != '\r')
            cf_out_put_char(out, (char)c);
    }
    if (begun)
        cf_out_put_char(out, '\n');
    if (more > 0)
        cf_out_printf(out, "    %c (%zu bytes more)\n", arrow, more);
}

static const char *outcome_word(const struct attempt *attempt)
{
    static const char *const words[] = {
        [KP_OUTCOME_SUCCESS] = "success",
        [KP_OUTCOME_WARNING] = "warning, which counts as a success",
        [KP_OUTCOME_FAILURE] = "failure",
        [KP_OUTCOME_UNKNOWN] = "unknown, which counts as a failure",
        [KP_OUTCOME_ERROR] = "error, which counts as nothing",
        [KP_OUTCOME_BROKEN] = "failure with an error, which counts as nothing",
    };

    return words[outcome_of(attempt)];
}

static void put_head(struct cf_out *out, const struct attempt *attempt)
{
    cf_out_printf(out, "%.*s: %s: ", KP_ARG(attempt->attempt.container->name),
                  kp_probe_type_name(attempt->type).bytes);
    cf_put_probe(out, attempt->attempt.profile, attempt->attempt.probe);
    cf_out_put_char(out, '\n');
}

/* The rest of it stands above, in the reply. */
static void put_first_line(struct cf_out *out, struct kp_text text)
{
    const char *end = text.len > 0 ? memchr(text.bytes, '\n', text.len) : NULL;

    cf_out_put(out, end ? (struct kp_text){text.bytes, (size_t)(end - text.bytes)} : text);
    cf_out_put_string(out, end ? " ...\n" : "\n");
}

static void put_attempt(struct cf_out *out, const struct attempt *attempt, const struct kp_mem *mem)
{
    struct cf_out text = {0};
    struct cf_out event = {0};
    struct kp_effect effect = {0};
    struct kp_text shown;
    size_t columns = cf_terminal_columns(stdout);
    size_t from = out->len;

    put_head(out, attempt);
    cf_fold_lines(out, from, columns);
    put_wire(out, &attempt->sent, attempt->sent_more, '>');
    put_wire(out, &attempt->received, attempt->received_more, '<');
    put_text(&text, attempt, mem);
    shown = cf_out_text(&text);
    while (shown.len > 0 && shown.bytes[shown.len - 1] == '\n')
        shown.len--;
    from = out->len;
    cf_out_printf(out, "  %s, after %lld.%03lld ms", outcome_word(attempt),
                  (long long)(attempt->result.took_ns / KP_NS_PER_MS),
                  (long long)(attempt->result.took_ns % KP_NS_PER_MS / 1000));
    if (attempt->attempts > 1)
        cf_out_printf(out, ", attempt %d", attempt->attempts);
    cf_out_put_string(out, shown.len > 0 ? ": " : "");
    put_first_line(out, shown);
    if (put_event(&event, attempt, shown, &effect)) {
        cf_out_printf(out, "  event  Warning  %.*s  ", KP_ARG(effect.u.event.reason));
        cf_out_put(out, cf_out_text(&event));
        cf_out_put_char(out, '\n');
    }
    cf_fold_lines(out, from, columns);
    cf_out_deinit(&text);
    cf_out_deinit(&event);
}

static void put_json_event(struct cf_out *out, const struct attempt *attempt, struct kp_text text)
{
    struct cf_out event = {0};
    struct kp_effect effect = {0};

    if (put_event(&event, attempt, text, &effect)) {
        cf_json_open(out, "event", '{');
        cf_json_string(out, "type", "Warning");
        cf_json_text(out, "reason", effect.u.event.reason);
        cf_json_text(out, "message", cf_out_text(&event));
        cf_out_put_char(out, '}');
    }
    cf_out_deinit(&event);
}

static void put_json_attempt(struct cf_out *out, const struct attempt *attempt,
                             const struct kp_mem *mem)
{
    static const char *const words[] = {
        [KP_OUTCOME_SUCCESS] = "success", [KP_OUTCOME_WARNING] = "warning",
        [KP_OUTCOME_FAILURE] = "failure", [KP_OUTCOME_UNKNOWN] = "unknown",
        [KP_OUTCOME_ERROR] = "unknown",   [KP_OUTCOME_BROKEN] = "failure"};
    bool errored = kp_outcome_is_error(outcome_of(attempt));
    struct cf_out text = {0};

    put_text(&text, attempt, mem);
    cf_out_put_char(out, '{');
    cf_json_text(out, "pod", attempt->choice->pod->name);
    cf_json_profile(out, attempt->attempt.profile);
    cf_json_text(out, "container", attempt->attempt.container->name);
    cf_json_text(out, "type", kp_probe_type_name(attempt->type));
    cf_json_string(out, "result", words[outcome_of(attempt)]);
    cf_json_text(out, errored ? "error" : "output", cf_out_text(&text));
    if (attempt->result.class_word)
        cf_json_string(out, "class", attempt->result.class_word);
    if (attempt->result.code >= 0)
        cf_json_int(out, "code", attempt->result.code);
    cf_json_int(out, "attempts", attempt->attempts);
    cf_json_int(out, "tookMicroseconds", attempt->result.took_ns / 1000);
    cf_json_text(out, "request", cf_out_text(&attempt->sent));
    cf_json_text(out, "reply", cf_out_text(&attempt->received));
    put_json_event(out, attempt, cf_out_text(&text));
    cf_out_put_string(out, "}\n");
    cf_out_deinit(&text);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static enum kp_err fire(struct attempt *attempts, size_t count, struct kp_handlers *handlers)
{
    enum kp_err err = KP_OK;

    for (size_t i = 0; i < count; i++)
        start(&attempts[i]);
    while (kp_handlers_in_flight(handlers) > 0)
        kp_handlers_step(handlers, KP_NEVER);
    for (size_t i = 0; i < count; i++)
        if (attempts[i].failed_to_start)
            err = KP_ENOMEM;
    return err;
}

static void tell(struct attempt *attempts, size_t count, const struct kp_mem *mem,
                 struct cf_out *out, bool *healthy)
{
    for (size_t i = 0; i < count; i++) {
        enum kp_outcome outcome = outcome_of(&attempts[i]);

        *healthy &= outcome == KP_OUTCOME_SUCCESS || outcome == KP_OUTCOME_WARNING;
        if (attempts[i].choice->json) {
            put_json_attempt(out, &attempts[i], mem);
            continue;
        }
        if (i > 0)
            cf_out_put_char(out, '\n');
        put_attempt(out, &attempts[i], mem);
    }
}

enum kp_err cf_probe_attempt(const struct kp_mem *mem, const struct cf_probe_choice *choice,
                             struct cf_out *out, bool *healthy)
{
    size_t count = cf_probe_choice_count(choice);
    struct attempt *attempts = kp_mem_array(mem, count, sizeof *attempts);
    struct kp_handlers *handlers = NULL;
    enum kp_err err = KP_ENOMEM;

    *healthy = true;
    if (attempts && kp_handlers_new(mem, &handlers) == KP_OK) {
        fill_in(attempts, choice, handlers);
        err = fire(attempts, count, handlers);
    }
    if (err == KP_OK)
        tell(attempts, count, mem, out, healthy);
    for (size_t i = 0; attempts && i < count; i++) {
        cf_out_deinit(&attempts[i].output);
        cf_out_deinit(&attempts[i].sent);
        cf_out_deinit(&attempts[i].received);
    }
    kp_handlers_free(handlers);
    kp_mem_free(mem, attempts);
    return err;
}
