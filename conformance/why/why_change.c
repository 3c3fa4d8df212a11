#include "conformance/why/why_change.h"

#include "conformance/advice/fix.h"
#include "conformance/pod/manifest.h"
#include "conformance/text/human.h"
#include "conformance/why/why_restarts.h"

#include <string.h>

#define COLUMNS 68 /* of a line of prose */

/* ---- probes ---------------------------------------------------------------------------------- */

static const char *type_name(enum kp_probe_type type)
{
    static const char *const names[] = {
        [KP_LIVENESS] = "liveness", [KP_READINESS] = "readiness", [KP_STARTUP] = "startup"};

    return names[type];
}

static struct kp_text span_text(struct cf_arena *arena, int64_t earliest_ns, int64_t latest_ns)
{
    struct cf_out out = {0};
    struct kp_text text;

    cf_put_duration_range(&out, earliest_ns, latest_ns);
    text = cf_arena_text(arena, cf_out_text(&out));
    cf_out_deinit(&out);
    return text;
}

static struct kp_text age_text(struct cf_arena *arena, const struct cf_kill_age *kills)
{
    return span_text(arena, kills->earliest_ns, kills->latest_ns);
}

enum passed { PASSED_NEVER, PASSED_UNTOLD, PASSED_FIRST };

/*
 * It never passed if it was killed no later than one that fails from the start.  Where no event
 * records when it was killed, it may have taken up to its grace to end.
 */
static enum passed has_passed(const struct cf_verdict *verdict)
{
    int64_t latest_ns = verdict->kills.latest_ns + 2 * KP_NS_PER_S;
    bool certain = verdict->at_once || verdict->end->exit_code == CF_SIGKILL_CODE;

    if (verdict->ran_ns < 0 || verdict->kills.earliest_ns == KP_NEVER)
        return PASSED_FIRST;
    if (cf_killed_age_ns(verdict) <= latest_ns)
        return PASSED_NEVER;
    return !certain && verdict->ran_ns <= kp_later_ns(latest_ns, cf_kill_grace_ns(verdict))
               ? PASSED_UNTOLD
               : PASSED_FIRST;
}

static struct kp_text of_impossible(struct cf_arena *arena, const struct cf_verdict *verdict)
{
    bool killed = verdict->end->exit_code == CF_SIGKILL_CODE;

    if (verdict->refused)
        return cf_arena_format(arena, "none did: after %s its kill is followed by a start at once",
                               cf_why_span(arena, verdict->ran_ns).bytes);
    return cf_arena_format(arena, "none did: a failing %s probe kills after %lld s or more%s",
                           type_name(verdict->kills.type),
                           (long long)(verdict->kills.soonest_ns / KP_NS_PER_S),
                           killed ? " + grace" : "");
}

struct kp_text cf_why_of_probe(struct cf_arena *arena, const struct cf_why *why)
{
    const struct cf_verdict *verdict = &why->verdict;
    const struct kp_container *container = verdict->container;

    if (!verdict->end && (cf_is_error(verdict->unhealthy[KP_STARTUP]) ||
                          cf_is_error(verdict->unhealthy[KP_LIVENESS])))
        return KP_TEXT("an error is no failure: it kills nothing (K-02)");
    if (verdict->cause == CF_CAUSE_STARTING && verdict->kills.earliest_ns != KP_NEVER)
        return cf_arena_format(arena, "if it never passes, it is killed %s after its start",
                               age_text(arena, &verdict->kills).bytes);
    if (!verdict->end)
        return KP_TEXT_NONE;
    if (!container->probes[KP_LIVENESS] && !container->probes[KP_STARTUP])
        return KP_TEXT("none did: it has neither a liveness nor a startup probe");
    if (why->history->refused.len > 0)
        return KP_TEXT_NONE;
    if (verdict->kills.earliest_ns == KP_NEVER)
        return KP_TEXT("none did: its probe cannot be sent, and never fails (E-010)");
    if (!verdict->possible)
        return of_impossible(arena, verdict);
    if (cf_is_by_probe(verdict) && has_passed(verdict) == PASSED_UNTOLD)
        return cf_arena_format(arena, "SIGTERM after %s if it never passed: no event tells when",
                               age_text(arena, &verdict->kills).bytes);
    if (cf_is_by_probe(verdict))
        return has_passed(verdict) == PASSED_NEVER
                   ? cf_arena_format(arena, "never passed: SIGTERM after %s, grace %lld s",
                                     age_text(arena, &verdict->kills).bytes,
                                     (long long)verdict->kills.grace_s)
                   : cf_arena_format(arena, "passed at first: else SIGTERM after %s",
                                     age_text(arena, &verdict->kills).bytes);
    if (verdict->certainty == CF_SURE || verdict->cause == CF_CAUSE_NODE || verdict->at_once)
        return KP_TEXT_NONE;
    return cf_arena_format(arena, "%s may have: it kills after %s, if it fails",
                           type_name(verdict->kills.type), age_text(arena, &verdict->kills).bytes);
}

/* ---- what to change -------------------------------------------------------------------------- */

static void put_of_pod(struct cf_out *out, const char *command, const struct kp_pod *pod)
{
    bool named = pod->namespace_.len > 0;

    cf_out_printf(out, "%s%s%.*s %.*s", command, named ? " -n " : "",
                  named ? (int)pod->namespace_.len : 0, named ? pod->namespace_.bytes : "",
                  KP_ARG(pod->name));
}

/* A command to paste: of this container's log, its node or its pod; or as it is. */
static void put_command(struct cf_out *out, const struct cf_why *why, struct kp_text command)
{
    const struct cf_verdict *verdict = &why->verdict;
    const struct kp_pod *pod = why->history->pod;
    struct kp_text node = why->history->node;

    if (kp_text_equal(command, KP_TEXT("LOG"))) {
        put_of_pod(out, "kubectl logs", pod);
        if (kp_pod_container_count(pod) > 1)
            cf_out_printf(out, " -c %.*s", KP_ARG(verdict->container->name));
        if (verdict->end != &verdict->status->state)
            cf_out_put_string(out, " --previous");
    } else if (kp_text_equal(command, KP_TEXT("NODE"))) {
        cf_out_printf(out, "kubectl describe node %.*s", KP_ARG(node));
    } else if (kp_text_equal(command, KP_TEXT("POD"))) {
        put_of_pod(out, "kubectl describe pod", pod);
    } else {
        cf_out_put(out, command);
    }
    cf_out_put_char(out, '\n');
}

/* Prose, and behind its end commands. */
static void put_advice(struct cf_out *out, const struct cf_why *why, const char *advice)
{
    struct kp_text text = kp_text_of(advice);
    struct kp_text line;

    if (kp_text_next_line(&text, &line))
        cf_put_prose(out, COLUMNS, line);
    while (kp_text_next_line(&text, &line))
        put_command(out, why, line);
}

/* "8080" of "dial tcp 10.0.0.5:8080: connect: connection refused" */
static struct kp_text refused_port(struct kp_text message)
{
    size_t end = kp_text_find(message, KP_TEXT(": connect: connection refused"));
    size_t from = end;

    if (end == message.len)
        return KP_TEXT_NONE;
    while (from > 0 && kp_is_digit(message.bytes[from - 1]))
        from--;
    return (struct kp_text){message.bytes + from, end - from};
}

/* "503" of "HTTP probe failed with statuscode: 503" */
static struct kp_text status_code(struct kp_text message)
{
    const struct kp_text before = KP_TEXT("statuscode: ");
    size_t at = kp_text_find(message, before);

    return at < message.len ? kp_text_from(message, at + before.len) : KP_TEXT_NONE;
}

/* "/bin/chk" of "exec: \"/bin/chk\": stat /bin/chk: no such file or directory" */
static struct kp_text missing_command(struct kp_text message)
{
    const struct kp_text before = KP_TEXT("exec: \"");
    size_t at = kp_text_find(message, before);
    struct kp_text command;

    if (at == message.len || !(kp_text_has(message, "no such file or directory") ||
                               kp_text_has(message, "executable file not found")))
        return KP_TEXT_NONE;
    (void)kp_text_cut(kp_text_from(message, at + before.len), '"', &command, &(struct kp_text){0});
    return command;
}

/* Of an error: it decides nothing. */
static struct kp_text error_text(struct cf_arena *arena, struct kp_text command)
{
    static const char counts[] = "an error, which counts neither as a success nor as a failure "
                                 "(K-02)";

    return command.len > 0
               ? cf_arena_format(arena, "Its command %.*s is not in the image: %s.",
                                 KP_ARG(command), counts)
               : cf_arena_format(arena, "It is not carried out, as the event says: %s.", counts);
}

/* Of an httpGet, what it answered; of any probe, what did not listen; or nothing. */
static struct kp_text answer_text(struct cf_arena *arena, const struct kp_probe *probe,
                                  struct kp_text message)
{
    struct kp_text path = probe->handler.http_get ? probe->handler.http_get->path : KP_TEXT("it");
    struct kp_text word = status_code(message);

    if (word.len > 0)
        return cf_arena_format(arena,
                               word.bytes[0] == '4' ? "It answers %.*s: see whether %.*s is right."
                                                    : "It answers %.*s: see what %.*s checks.",
                               KP_ARG(word), KP_ARG(path));
    if (!kp_text_has(message, "connection refused"))
        return KP_TEXT_NONE;
    word = refused_port(message);
    return word.len > 0 ? cf_arena_format(arena, "Nothing listens on %.*s: see its logs and port.",
                                          KP_ARG(word))
                        : KP_TEXT("Nothing listens on its port: see its logs and port.");
}

/* What its newest failure says, and what to look at: sentences. */
static struct kp_text failure_text(struct cf_arena *arena, const struct kp_probe *probe,
                                   const struct cf_pod_event *unhealthy)
{
    struct kp_text command;
    struct kp_text text;

    if (!unhealthy)
        return KP_TEXT("No event tells what it answered: see its logs and port.");
    command = missing_command(unhealthy->message);
    if (cf_is_error(unhealthy))
        return error_text(arena, command);
    text = answer_text(arena, probe, unhealthy->message);
    if (text.len > 0)
        return text;
    if (cf_was_slow(unhealthy))
        return cf_arena_format(arena,
                               "Its answer takes longer than timeoutSeconds (%d s): see why.",
                               (int)probe->timeout_s);
    if (command.len > 0)
        return cf_arena_format(arena, "Its command %.*s is not in the image.", KP_ARG(command));
    if (probe->handler.exec)
        return KP_TEXT("Its command fails: the event has what it prints.");
    return KP_TEXT("It fails as the event says: see its logs.");
}

/* As the budget says it: in time up to the first, whatever chance does; never after the second. */
static struct kp_text bound_text(struct cf_arena *arena, const struct cf_kill_age *kills)
{
    struct cf_out out = {0};
    struct kp_text text;

    cf_put_duration(&out, kills->start.earliest_ns, false);
    if (kills->start.latest_ns / KP_NS_PER_S > kills->start.earliest_ns / KP_NS_PER_S) {
        cf_out_put_string(&out, " (with luck ");
        cf_put_duration(&out, kills->start.latest_ns, true);
        cf_out_put_char(&out, ')');
    }
    text = cf_arena_text(arena, cf_out_text(&out));
    cf_out_deinit(&out);
    return text;
}

/* YAML to paste, and where to, if not into the pod. */
static void put_fix(struct cf_out *out, struct cf_arena *arena, const struct cf_why *why,
                    const struct cf_fix *fix)
{
    cf_manifest_put_fixed(out, KP_TEXT("Pod"), why->history->object);
    cf_out_put(out, cf_fix_text(arena, why->verdict.container, fix));
}

/* Twice as long a start. */
static void put_startup(struct cf_out *out, struct cf_arena *arena, const struct cf_why *why)
{
    const struct kp_container *container = why->verdict.container;
    struct cf_fix fix = {0};
    struct kp_text failure =
        failure_text(arena, container->probes[KP_STARTUP], why->verdict.unhealthy[KP_STARTUP]);

    cf_put_prose(out, COLUMNS,
                 cf_arena_format(arena,
                                 "%.*s If its start takes longer than %s, give it that, for "
                                 "example twice as long:",
                                 KP_ARG(failure), bound_text(arena, &why->verdict.kills).bytes));
    cf_fix_change(&fix, container, KP_STARTUP, CF_FIX_FAILURE)->failure_threshold *= 2;
    put_fix(out, arena, why, &fix);
}

/* A start too slow for any liveness probe: five minutes of a startup probe. */
static void put_slow_start(struct cf_out *out, struct cf_arena *arena, const struct cf_why *why)
{
    const struct kp_container *container = why->verdict.container;
    struct cf_fix fix = {0};
    struct kp_text failure =
        failure_text(arena, container->probes[KP_LIVENESS], why->verdict.unhealthy[KP_LIVENESS]);
    struct kp_probe *startup;

    cf_put_prose(out, COLUMNS,
                 cf_arena_format(arena,
                                 "%.*s If its start takes longer than %s, add a startup probe "
                                 "(here 5 minutes):",
                                 KP_ARG(failure), bound_text(arena, &why->verdict.kills).bytes));
    startup = cf_fix_add(&fix, container, KP_STARTUP, KP_LIVENESS);
    startup->period_s = 10;
    startup->failure_threshold = 30;
    put_fix(out, arena, why, &fix);
}

/* It is probed, and does not answer in time. */
static void put_timeout(struct cf_out *out, struct cf_arena *arena, const struct cf_why *why)
{
    const struct kp_container *container = why->verdict.container;
    int32_t timeout_s = container->probes[KP_LIVENESS]->timeout_s;
    struct cf_fix fix = {0};

    cf_fix_change(&fix, container, KP_LIVENESS, CF_FIX_TIMEOUT)->timeout_s =
        timeout_s < 5 ? 5 : 2 * timeout_s;
    put_fix(out, arena, why, &fix);
}

static void put_slow_answer(struct cf_out *out, struct cf_arena *arena, const struct cf_why *why)
{
    const struct kp_container *container = why->verdict.container;
    int32_t timeout_s = container->probes[KP_LIVENESS]->timeout_s;

    cf_put_prose(
        out, COLUMNS,
        cf_arena_format(arena,
                        "It answered, then no longer within %d s. If it hung, the kill was "
                        "right: see what hung. If it was only slow (a pause, a busy node):",
                        (int)timeout_s));
    put_timeout(out, arena, why);
}

static void put_liveness(struct cf_out *out, struct cf_arena *arena, const struct cf_why *why)
{
    const struct cf_verdict *verdict = &why->verdict;
    bool slow = cf_was_slow(verdict->unhealthy[KP_LIVENESS]);

    if (slow && has_passed(verdict) == PASSED_NEVER) {
        cf_put_prose(
            out, COLUMNS,
            cf_arena_format(arena,
                            "It takes longer than timeoutSeconds (%d s) to answer: see why. If its "
                            "start is slow, add a startup probe; if each answer is:",
                            (int)verdict->container->probes[KP_LIVENESS]->timeout_s));
        put_timeout(out, arena, why);
    } else if (has_passed(verdict) != PASSED_FIRST && !verdict->container->probes[KP_STARTUP]) {
        put_slow_start(out, arena, why);
    } else if (slow) {
        put_slow_answer(out, arena, why);
    } else {
        cf_put_prose(out, COLUMNS,
                     cf_arena_format(
                         arena,
                         "%s: see its log. If a restart does not help (a database is away), this "
                         "belongs into readiness, not liveness.",
                         verdict->unhealthy[KP_LIVENESS]
                             ? "Its probe says that it failed"
                             : "If its probe failed after it had passed"));
        put_command(out, why, KP_TEXT("LOG"));
    }
}

/* What its preStop hook made of the grace.  Returns: whether it is said. */
static bool put_hook(struct cf_out *out, const struct cf_why *why)
{
    enum cf_hook_end end = cf_hook_end(why->history, &why->verdict);

    if (end == CF_HOOK_CUT_OFF)
        cf_put_prose(out, COLUMNS,
                     KP_TEXT("Its preStop hook did not end within the grace: make "
                             "terminationGracePeriodSeconds longer than the hook and the "
                             "program's own end together, or the hook shorter."));
    else if (end == CF_HOOK_FAILED)
        cf_put_prose(out, COLUMNS, KP_TEXT("Its preStop hook failed: correct it."));
    return end != CF_HOOK_ENDED;
}

static void put_stop(struct cf_out *out, const struct cf_why *why)
{
    const struct cf_verdict *verdict = &why->verdict;

    if (!put_hook(out, why) && verdict->end && verdict->end->exit_code == CF_SIGKILL_CODE)
        cf_put_prose(out, COLUMNS,
                     KP_TEXT("It did not end on SIGTERM: handle it, or run it with `exec` so "
                             "that no shell stands before it."));
}

/* What is probed and runs: what its probe says, and what comes of that. */
static void put_running(struct cf_out *out, struct cf_arena *arena, const struct cf_why *why,
                        enum kp_probe_type type, const char *comes)
{
    const struct kp_probe *probe = why->verdict.container->probes[type];
    const struct cf_pod_event *unhealthy = why->verdict.unhealthy[type];

    if (probe && unhealthy)
        cf_put_prose(out, COLUMNS,
                     cf_arena_format(arena, "%.*s%s%s",
                                     KP_ARG(failure_text(arena, probe, unhealthy)),
                                     comes[0] ? " " : "", comes));
    else if (comes[0])
        cf_put_prose(out, COLUMNS, kp_text_of(comes));
}

/* The init container that the others wait for; NULL: none is known. */
static const struct kp_container *waits_for(const struct kp_pod *pod)
{
    for (size_t i = 0; pod->status && i < kp_pod_container_count(pod); i++) {
        const struct kp_container *container = &pod->containers[i];
        const struct kp_container_status *status = kp_status_find(pod->status, container->name);
        bool done = status && (kp_container_is_sidecar(container)
                                   ? status->started
                                   : status->state.kind == KP_STATE_TERMINATED &&
                                         status->state.exit_code == 0);

        if (container->kind == KP_INIT && !done)
            return container;
    }
    return NULL;
}

/* What a container that was never created waits for. */
static void put_pending(struct cf_out *out, struct cf_arena *arena, const struct cf_why *why)
{
    static const char *const volumes[] = {"FailedMount", "FailedAttachVolume"};
    const struct kp_pod *pod = why->history->pod;
    const struct kp_condition *scheduled =
        pod->status ? kp_condition_find(pod->status, KP_TEXT("PodScheduled")) : NULL;
    const struct kp_container *init = waits_for(pod);

    if (scheduled && scheduled->status != KP_CONDITION_TRUE) {
        cf_put_prose(out, COLUMNS,
                     KP_TEXT("No node takes it: change what the message names (requests, "
                             "selectors, tolerations, a claim), or add a node."));
        return;
    }
    for (size_t i = 0; i < sizeof volumes / sizeof volumes[0]; i++) {
        if (!cf_history_event(why->history, KP_TEXT_NONE, volumes[i], NULL))
            continue;
        cf_put_prose(out, COLUMNS,
                     KP_TEXT("Its volumes are not there: correct what the event names (a "
                             "ConfigMap, a Secret, a claim)."));
        return;
    }
    if (init && init != why->verdict.container)
        cf_put_prose(
            out, COLUMNS,
            cf_arena_format(arena, "It waits for the init container %.*s.", KP_ARG(init->name)));
    else
        put_advice(out, why,
                   "It waits for a node, for volumes, for its network or its image:\nPOD");
}

static void put_special(struct cf_out *out, struct cf_arena *arena, const struct cf_why *why)
{
    const struct kp_pod *pod = why->history->pod;

    switch (why->verdict.cause) {
    case CF_CAUSE_PENDING:
        put_pending(out, arena, why);
        break;
    case CF_CAUSE_UNREADY:
        put_running(out, arena, why, KP_READINESS,
                    "A readiness probe never restarts anything. If it fails because of another "
                    "service, that one takes this one out of its Service, too.");
        break;
    case CF_CAUSE_STARTING:
        put_running(out, arena, why, KP_STARTUP, "");
        break;
    case CF_CAUSE_NOTHING:
        if (cf_is_error(why->verdict.unhealthy[KP_LIVENESS]))
            put_running(out, arena, why, KP_LIVENESS, "");
        break;
    case CF_CAUSE_STARTUP:
        put_hook(out, why);
        if (why->verdict.container->probes[KP_STARTUP])
            put_startup(out, arena, why);
        break;
    case CF_CAUSE_LIVENESS:
        put_hook(out, why);
        if (why->verdict.container->probes[KP_LIVENESS])
            put_liveness(out, arena, why);
        break;
    case CF_CAUSE_DELETED:
        put_stop(out, why);
        break;
    case CF_CAUSE_COMPLETED:
        if (why->verdict.container->kind == KP_REGULAR &&
            kp_text_equal(pod->restart_policy, KP_TEXT("Always")))
            cf_put_prose(out, COLUMNS,
                         KP_TEXT("With restartPolicy Always each end is followed by a restart: "
                                 "a program that is done belongs into a Job."));
        break;
    default:
        break;
    }
}

struct kp_text cf_why_change(struct cf_arena *arena, const struct cf_why *why)
{
    const char *change = cf_cause_row(why->verdict.cause)->change;
    struct cf_out out = {0};
    struct kp_text text;

    if (change[0])
        put_advice(&out, why, change);
    else
        put_special(&out, arena, why);
    text = cf_arena_text(arena, cf_out_text(&out));
    cf_out_deinit(&out);
    return text;
}
