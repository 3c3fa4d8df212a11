#include "conformance/why/why_put.h"

#include "conformance/advice/fix.h"
#include "conformance/pod/pod_tree.h"
#include "conformance/text/human.h"
#include "conformance/why/why_change.h"
#include "conformance/why/why_restarts.h"

#include <string.h>

#define LABEL 10

/* ---- pieces ---------------------------------------------------------------------------------- */

/* How many bytes of a text fit into so many columns, whole characters. */
static size_t fits(struct kp_text text, size_t columns)
{
    size_t at = 0;

    while (at < text.len && columns > 0) {
        size_t len = cf_utf8_length(kp_text_from(text, at));

        at += len > 0 ? len : 1;
        columns--;
    }
    return at < text.len ? at : text.len;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A label and the rest of the line, cut at the width; what does not print is a space. */
static void put_line(struct cf_out *out, const char *label, struct kp_text text)
{
    size_t room = CF_COLUMNS - LABEL - 2;
    size_t len = fits(text, room);
    bool cut = len < text.len;
    size_t from;

    cf_out_printf(out, "  %-*s", LABEL, label);
    len = cut ? fits(text, room - 1) : len;
    from = out->len;
    cf_out_put(out, (struct kp_text){text.bytes, len});
    for (size_t i = from; i < out->len; i++)
        if ((unsigned char)out->bytes[i] < ' ' || out->bytes[i] == 0x7F)
            out->bytes[i] = ' ';
    cf_out_put_string(out, cut ? "…\n" : "\n");
}

/* A label and a message, on three lines at most. */
static void put_message(struct cf_out *out, const char *label, struct kp_text text)
{
    size_t room = CF_COLUMNS - LABEL - 2;

    for (int line = 1; line < 3 && fits(text, room) < text.len; line++) {
        size_t len = fits(text, room);

        while (len > 0 && !is_space(text.bytes[len]))
            len--;
        len = len > 0 ? len : fits(text, room);
        put_line(out, label, (struct kp_text){text.bytes, len});
        len += len < text.len && is_space(text.bytes[len]);
        text = kp_text_from(text, len);
        label = "";
    }
    put_line(out, label, text);
}

static struct kp_text clock_text(struct cf_arena *arena, int64_t wall_ns)
{
    enum { CLOCK_AT = sizeof "2024-01-01T" - 1, CLOCK_LEN = sizeof "00:00:00" - 1 };
    struct cf_time time = {.seconds = wall_ns / KP_NS_PER_S};
    struct kp_text text = cf_time_format(arena, &time);

    if (wall_ns == 0 || text.len < CLOCK_AT + CLOCK_LEN)
        return KP_TEXT("--:--:--");
    return cf_arena_text(arena, (struct kp_text){text.bytes + CLOCK_AT, CLOCK_LEN});
}

/* "137 (SIGKILL, OOMKilled)" */
static struct kp_text code_text(struct cf_arena *arena, const struct kp_state *end)
{
    static const struct {
        int code;
        const char *name;
    } signals[] = {{129, "SIGHUP, "},  {130, "SIGINT, "},  {131, "SIGQUIT, "}, {132, "SIGILL, "},
                   {134, "SIGABRT, "}, {135, "SIGBUS, "},  {136, "SIGFPE, "},  {137, "SIGKILL, "},
                   {139, "SIGSEGV, "}, {141, "SIGPIPE, "}, {143, "SIGTERM, "}};
    const char *name = "";

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (signals[i].code == end->exit_code)
            name = signals[i].name;
    return cf_arena_format(arena, "%d (%s%.*s)", (int)end->exit_code, name, KP_ARG(end->reason));
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* How sure it is stands behind the clause, but where the clause itself says that it is not known.
 */
static const char *doubt(const struct cf_verdict *verdict)
{
    if (verdict->cause == CF_CAUSE_TERM || verdict->cause == CF_CAUSE_KILL ||
        verdict->cause == CF_CAUSE_UNTOLD || verdict->certainty == CF_SURE)
        return "";
    return verdict->certainty == CF_LIKELY ? " (likely)" : " (unsure)";
}

/* Is there one of that name in another namespace? */
static bool has_namesake(const struct cf_histories *all, const struct kp_pod *pod)
{
    for (size_t i = 0; i < all->count; i++)
        if (kp_text_equal(all->list[i].pod->name, pod->name) &&
            !kp_text_equal(all->list[i].pod->namespace_, pod->namespace_))
            return true;
    return false;
}

static void put_head(struct cf_out *out, const struct cf_why *why)
{
    const struct cf_verdict *verdict = &why->verdict;
    const struct kp_pod *pod = why->history->pod;

    if (has_namesake(why->all, pod))
        cf_out_printf(out, "%.*s/", KP_ARG(pod->namespace_));
    cf_out_printf(out, "%.*s/%.*s: %s%s\n", KP_ARG(pod->name), KP_ARG(verdict->container->name),
                  cf_cause_row(verdict->cause)->what, doubt(verdict));
}

static bool is_unscheduled(const struct cf_why *why)
{
    const struct kp_pod_status *status = why->history->pod->status;
    const struct kp_condition *scheduled =
        status ? kp_condition_find(status, KP_TEXT("PodScheduled")) : NULL;

    return scheduled && scheduled->status != KP_CONDITION_TRUE;
}

/* What the pod as a whole says of itself. */
static void put_pod(struct cf_arena *arena, struct cf_out *out, const struct cf_why *why)
{
    const struct kp_pod_status *status = why->history->pod->status;
    const struct kp_condition *scheduled =
        status ? kp_condition_find(status, KP_TEXT("PodScheduled")) : NULL;
    const struct cf_node *ready = cf_history_condition(why->history, "Ready");

    if (status && status->reason.len > 0)
        put_message(
            out, "pod",
            cf_arena_format(arena, "%.*s: %.*s", KP_ARG(status->reason), KP_ARG(status->message)));
    else if (is_unscheduled(why))
        put_message(out, "pod",
                    cf_arena_format(arena, "%.*s: %.*s", KP_ARG(scheduled->reason),
                                    KP_ARG(scheduled->message)));
    else if (why->verdict.cause == CF_CAUSE_UNREADY && ready)
        put_line(
            out, "pod",
            cf_arena_format(
                arena, "not ready since %s",
                clock_text(arena, cf_time_ns(cf_node_text(ready, "lastTransitionTime"))).bytes));
    if (why->history->deleted_ns > 0 && why->verdict.status &&
        why->verdict.status->state.kind == KP_STATE_RUNNING)
        put_line(out, "pod",
                 cf_arena_format(arena, "being deleted: its grace is over at %s",
                                 clock_text(arena, why->history->deleted_ns).bytes));
}

static const char *state_name(const struct kp_container_status *status)
{
    static const char *const names[] = {[KP_STATE_NONE] = "no state",
                                        [KP_STATE_WAITING] = "waiting",
                                        [KP_STATE_RUNNING] = "running",
                                        [KP_STATE_TERMINATED] = "terminated"};

    return names[status->state.kind];
}

static void put_state(struct cf_arena *arena, struct cf_out *out, const struct cf_why *why)
{
    const struct cf_verdict *verdict = &why->verdict;
    const struct kp_container_status *status = verdict->status;
    struct kp_text since = KP_TEXT_NONE;

    if (!status)
        return;
    if (status->state.kind == KP_STATE_RUNNING)
        since = cf_arena_format(arena, " since %s",
                                clock_text(arena, status->state.started_at_ns).bytes);
    if (status->state.kind == KP_STATE_WAITING && status->state.reason.len > 0)
        since = cf_arena_format(arena, ": %.*s", KP_ARG(status->state.reason));
    put_line(out, "state",
             cf_arena_format(arena, "%s%.*s, %sready, %d restart%s", state_name(status),
                             (int)since.len, since.bytes ? since.bytes : "",
                             status->ready ? "" : "not ", (int)status->restart_count,
                             status->restart_count == 1 ? "" : "s"));
    if (status->state.kind == KP_STATE_WAITING && why->verdict.cause < CF_CAUSE_HOOK &&
        status->state.message.len > 0)
        put_message(out, "message", status->state.message);
}

static void put_end(struct cf_arena *arena, struct cf_out *out, const struct cf_verdict *verdict)
{
    const struct kp_state *end = verdict->end;
    const struct cf_node *limits;
    struct kp_text ran = KP_TEXT("");
    struct kp_text memory;

    if (!end)
        return;
    if (verdict->ran_ns >= 0)
        ran = cf_arena_format(arena, ", %s after its start",
                              cf_why_span(arena, verdict->ran_ns).bytes);
    put_line(out, "end",
             cf_arena_format(arena, "%s with %s%s", clock_text(arena, end->finished_at_ns).bytes,
                             code_text(arena, end).bytes, ran.bytes));
    if (end->message.len > 0)
        put_line(out, "message", end->message);
    if (verdict->cause != CF_CAUSE_OOM)
        return;
    limits = cf_node_find(cf_node_find(verdict->container->raw, "resources"), "limits");
    memory = cf_node_text(limits, "memory");
    put_line(out, "limit",
             memory.len > 0 ? memory : KP_TEXT("it has none: the node itself was out of memory"));
}

/* Where the last clause of a probe's failure begins: ": connection refused"; of what is not there
 * the clause that names it, too: ": stat /bin/chk: no such file or directory". */
static size_t last_clause(struct kp_text text)
{
    enum { LONGEST = 30, LONGEST_NAMED = 45, USUAL = 20 };
    bool named = kp_text_has(text, "exec: \"");
    size_t most = named ? LONGEST_NAMED : LONGEST;
    size_t found = text.len;
    int clauses = named ? 2 : 1;
    size_t at = text.len;

    while (at > 1 && text.len - at < most && clauses > 0)
        if (text.bytes[--at] == ' ' && text.bytes[at - 1] == ':') {
            found = at - 1;
            clauses--;
        }
    if (found < text.len)
        return found;
    for (at = text.len > USUAL ? text.len - USUAL : 0;
         at < text.len && ((unsigned char)text.bytes[at] & 0xC0) == 0x80;)
        at++;
    return at;
}

/* A probe's failure says most at its end: what is too much goes out of the middle. */
static void put_failure(struct cf_arena *arena, struct cf_out *out, struct kp_text count,
                        const struct cf_pod_event *event)
{
    static const char late[] = " (Client.Timeout exceeded while awaiting headers)";
    size_t room = CF_COLUMNS - LABEL - 2;
    struct kp_text text =
        cf_arena_format(arena, "%s%s %.*s", clock_text(arena, event->last_ns).bytes, count.bytes,
                        KP_ARG(event->message));

    text = kp_text_trim(text, " \t\n\r");
    if (kp_text_ends(text, late))
        text.len -= sizeof late - 1;
    if (fits(text, room) < text.len) {
        size_t tail = last_clause(text);

        text = cf_arena_format(arena, "%.*s…%.*s", (int)fits(text, room - 1 - (text.len - tail)),
                               text.bytes, (int)(text.len - tail), text.bytes + tail);
    }
    put_line(out, "event", text);
}

static void put_event(struct cf_arena *arena, struct cf_out *out, const struct cf_pod_event *event)
{
    struct kp_text count = KP_TEXT("");
    struct kp_text text;

    if (!event)
        return;
    if (event->count > 1)
        count = cf_arena_format(arena, " x%lld", (long long)event->count);
    if (kp_text_equal(event->reason, KP_TEXT("Unhealthy"))) {
        put_failure(arena, out, count, event);
        return;
    }
    text = cf_arena_format(arena, "%s%s %.*s: %.*s", clock_text(arena, event->last_ns).bytes,
                           count.bytes, KP_ARG(event->reason), KP_ARG(event->message));
    if (kp_text_equal(event->reason, KP_TEXT("Killing")))
        put_line(out, "event", text);
    else
        put_message(out, "event", text);
}

/* Does the waiting state's own message say what an event Failed would? */
static bool says_failed(const struct cf_verdict *verdict)
{
    const struct kp_container_status *status = verdict->status;

    return status && status->state.kind == KP_STATE_WAITING &&
           (verdict->cause == CF_CAUSE_CONFIG ||
            kp_text_has(status->state.message, "ErrImagePull: "));
}

/* What belongs to the verdict; of a pod's own events the newest that explains it. */
static void put_events(struct cf_arena *arena, struct cf_out *out, const struct cf_why *why)
{
    static const char *const of_pod[] = {"SandboxChanged", "FailedPreStopHook", "FailedMount",
                                         "FailedAttachVolume", "NodeNotReady"};
    static const char *const of_container[] = {"FailedPostStartHook", "FailedPreStopHook"};
    const struct cf_verdict *verdict = &why->verdict;
    const struct cf_history *history = why->history;

    put_event(arena, out, verdict->killing);
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        put_event(arena, out, verdict->unhealthy[type]);
    if (verdict->cause == CF_CAUSE_NOTHING)
        return;
    for (size_t i = 0; i < sizeof of_container / sizeof of_container[0]; i++)
        put_event(arena, out,
                  cf_history_event(history, verdict->container->name, of_container[i], NULL));
    if (!says_failed(verdict))
        put_event(arena, out, cf_history_event(history, verdict->container->name, "Failed", NULL));
    for (size_t i = 0; i < sizeof of_pod / sizeof of_pod[0]; i++)
        put_event(arena, out, cf_history_event(history, KP_TEXT_NONE, of_pod[i], NULL));
    if (verdict->cause != CF_CAUSE_EVICTED) /* its status says the same */
        put_event(arena, out, cf_history_event(history, KP_TEXT_NONE, "Evicted", NULL));
    if (!is_unscheduled(why)) /* its condition says the same */
        put_event(arena, out, cf_history_event(history, KP_TEXT_NONE, "FailedScheduling", NULL));
}

/* With its pod a sidecar is said at once to stop, and gets SIGTERM behind the others (S-213). */
static bool is_behind_others(const struct cf_verdict *verdict)
{
    return kp_container_is_sidecar(verdict->container) &&
           kp_text_has(verdict->killing->message, "Stopping container");
}

/* How it took SIGTERM. */
static const char *took_text(const struct cf_why *why)
{
    const struct cf_verdict *verdict = &why->verdict;

    if (is_behind_others(verdict))
        return "a sidecar's turn is behind the others";
    if (cf_hook_end(why->history, verdict) == CF_HOOK_CUT_OFF)
        return "preStop used it up, 2 s were left";
    return verdict->end->exit_code == 137 ? "SIGKILL came when it was over" : "it ended on SIGTERM";
}

/* From the kubelet's word to the end. */
static void put_grace(struct cf_arena *arena, struct cf_out *out, const struct cf_why *why)
{
    const struct cf_verdict *verdict = &why->verdict;
    int64_t took_ns;

    if (!verdict->killing || !verdict->at_once)
        return;
    took_ns = verdict->end->finished_at_ns - verdict->killing->last_ns;
    took_ns = took_ns < 0 ? 0 : took_ns;
    put_line(out, "grace",
             cf_arena_format(arena, "%s from the kill to the end: %s",
                             cf_why_span(arena, took_ns).bytes, took_text(why)));
}

/* Why it is not certain. */
static struct kp_text note_text(struct cf_arena *arena, const struct cf_why *why)
{
    const struct cf_history *history = why->history;
    struct kp_text space = history->pod->namespace_;

    if (history->refused.len > 0)
        return cf_arena_format(arena, "not played: %.*s", KP_ARG(history->refused));
    if (why->verdict.at_once)
        return KP_TEXT("the event of that instant does not say why");
    if (why->verdict.unhealthy[KP_LIVENESS] || why->verdict.unhealthy[KP_STARTUP])
        return KP_TEXT("no event Killing of that instant, as a probe's kill has one");
    if (why->all->events_seen)
        return KP_TEXT("no event of that instant is left (they are kept for an hour)");
    return cf_arena_format(arena,
                           "no events were given: `why` takes them as one more file, from\n"
                           "kubectl get events %s%.*s%s-o yaml >events.yaml",
                           space.len > 0 ? "-n " : "", (int)space.len,
                           space.bytes ? space.bytes : "", space.len > 0 ? " " : "");
}

static void put_note(struct cf_out *out, struct cf_arena *arena, const struct cf_why *why)
{
    const char *label = cf_certainty_name(why->verdict.certainty);
    struct kp_text text;
    struct kp_text line;

    if (why->verdict.certainty == CF_SURE || why->verdict.cause == CF_CAUSE_NODE)
        return;
    for (text = note_text(arena, why); kp_text_next_line(&text, &line); label = "")
        put_line(out, label, line);
}

void cf_why_put_text(struct cf_arena *arena, struct cf_out *out, const struct cf_why *why)
{
    struct kp_text lines;
    struct kp_text line;
    const char *label;

    put_head(out, why);
    put_state(arena, out, why);
    put_pod(arena, out, why);
    put_end(arena, out, &why->verdict);
    put_events(arena, out, why);
    if (why->verdict.by_pod)
        put_line(out, "",
                 KP_TEXT("restartPolicy Never: the whole pod is stopped, so no probe is named"));
    put_grace(arena, out, why);
    line = cf_why_of_probe(arena, why);
    if (line.len > 0)
        put_line(out, "probe", line);
    line = cf_why_of_restarts(arena, why);
    if (line.len > 0)
        put_line(out, "back-off", line);
    line = cf_why_of_count(arena, why);
    if (line.len > 0)
        put_line(out, "restarts", line);
    put_note(out, arena, why);
    lines = cf_why_change(arena, why);
    for (label = "change"; kp_text_next_line(&lines, &line); label = "")
        put_line(out, label, line);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_json_event(struct cf_out *out, const char *name, const struct cf_pod_event *event)
{
    cf_json_key(out, name);
    if (!event) {
        cf_out_put_string(out, "null");
        return;
    }
    cf_out_put_char(out, '{');
    cf_json_int(out, "last", event->last_ns / KP_NS_PER_S);
    cf_json_int(out, "count", event->count);
    cf_json_text(out, "message", event->message);
    cf_out_put_char(out, '}');
}

void cf_why_put_json(struct cf_arena *arena, struct cf_out *out, const struct cf_why *why)
{
    const struct cf_verdict *verdict = &why->verdict;
    const struct kp_pod *pod = why->history->pod;

    cf_out_put_char(out, '{');
    cf_json_text(out, "namespace", pod->namespace_);
    cf_json_text(out, "pod", pod->name);
    cf_json_text(out, "container", verdict->container->name);
    cf_json_string(out, "cause", cf_cause_row(verdict->cause)->id);
    cf_json_string(out, "certainty", cf_certainty_name(verdict->certainty));
    cf_json_int(out, "restarts", verdict->status ? verdict->status->restart_count : 0);
    if (verdict->end) {
        cf_json_int(out, "exitCode", verdict->end->exit_code);
        cf_json_text(out, "reason", verdict->end->reason);
        cf_json_int(out, "finishedAt", verdict->end->finished_at_ns / KP_NS_PER_S);
        if (verdict->ran_ns >= 0)
            cf_json_int(out, "ranSeconds", verdict->ran_ns / KP_NS_PER_S);
        cf_json_bool(out, "probePossible", verdict->possible);
    }
    put_json_event(out, "killing", verdict->killing);
    put_json_event(out, "liveness", verdict->unhealthy[KP_LIVENESS]);
    put_json_event(out, "readiness", verdict->unhealthy[KP_READINESS]);
    put_json_event(out, "startup", verdict->unhealthy[KP_STARTUP]);
    cf_json_text(out, "probe", cf_why_of_probe(arena, why));
    cf_json_text(out, "backOff", cf_why_of_restarts(arena, why));
    cf_json_text(out, "count", cf_why_of_count(arena, why));
    cf_json_text(out, "change", cf_why_change(arena, why));
    cf_out_put_string(out, "}\n");
}
