#include "conformance/pod/lint.h"

#include <stdio.h>

#include "core/api/validate.h"

#include <string.h>

struct linter {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    const struct cf_manifest_pod *pod;
    struct cf_lint *out;
};

/* Where one probe stands, for advice. */
struct subject {
    struct linter *linter;
    const struct kp_container *container;
    struct kp_text path; /* spec.containers[0].livenessProbe */
    enum kp_probe_type type;
    const struct kp_probe *probe;
};

/* Who reads more?  It also bounds the time for finding their places. */
static bool is_full(const struct cf_lint *out)
{
    return out->count >= CF_LINT_NOTES_MAX;
}

static void add(struct linter *linter, struct cf_lint_note note)
{
    struct cf_lint *out = linter->out;

    if (out->count == out->room) {
        size_t room = out->room * 2 + 8;
        struct cf_lint_note *notes = cf_arena_array(linter->arena, room, sizeof *notes);

        if (!notes)
            return;
        if (out->count > 0)
            memcpy(notes, out->notes, out->count * sizeof *notes);
        out->notes = notes;
        out->room = room;
    }
    out->notes[out->count++] = note;
}

/* ---- what the server refuses --------------------------------------------------------------------
 */

static void put_refusal(struct kp_buf *buf, const struct linter *linter,
                        const struct kp_complaint *complaint)
{
    if (linter->pod->path.len > 0) {
        kp_buf_put(buf, linter->pod->path);
        kp_buf_put_char(buf, '.');
    }
    kp_complaint_put(buf, linter->profile, complaint);
}

static struct cf_place place_of(const struct linter *linter, const struct kp_complaint *complaint)
{
    char path[512]; /* longer ones lead to a parent, which is near enough */
    struct kp_buf buf = {path, sizeof path, 0};

    kp_path_put(&buf, complaint->path);
    return cf_node_place(linter->pod->source, kp_buf_text(&buf));
}

static void take_refusal(void *ctx, const struct kp_complaint *complaint)
{
    struct linter *linter = ctx;
    struct kp_buf buf = {0};

    linter->out->refused_count++;
    if (is_full(linter->out))
        return;
    put_refusal(&buf, linter, complaint);
    buf = (struct kp_buf){cf_arena_alloc(linter->arena, buf.need + 1), buf.need, 0};
    if (!buf.bytes)
        return;
    put_refusal(&buf, linter, complaint);
    add(linter, (struct cf_lint_note){
                    .at = place_of(linter, complaint), .refused = true, .text = kp_buf_text(&buf)});
}

static bool is_kind(const struct linter *linter, const char *kind)
{
    return kp_text_equal(linter->pod->kind, kp_text_of(kind));
}

/* Which restart policies the object around a template leaves to it. */
static void check_restart_policy(struct linter *linter)
{
    static const char *const only_always[] = {"Always", NULL};
    const struct kp_path spec = {NULL, "spec", 0};
    const struct kp_path path = {&spec, "restartPolicy", 0};
    struct kp_text policy = linter->pod->pod->restart_policy;
    bool always = kp_text_equal(policy, KP_TEXT("Always"));
    bool job = is_kind(linter, "Job") || is_kind(linter, "CronJob");
    struct kp_complaint complaint = {.path = &path};

    if (job && always) {
        complaint.type = KP_COMPLAINT_REQUIRED;
        complaint.detail = "valid values: \"OnFailure\", \"Never\"";
    } else if (!job && !always) {
        complaint.type = KP_COMPLAINT_UNSUPPORTED;
        complaint.value = KP_VALUE_NAMED;
        complaint.text = policy;
        complaint.supported = only_always;
    } else {
        return;
    }
    if (linter->pod->path.len > 0 && !is_kind(linter, "PodTemplate"))
        take_refusal(linter, &complaint);
}

/* ---- what is unwise -----------------------------------------------------------------------------
 */

static void advise(const struct subject *subject, const char *field, const char *rule,
                   struct kp_text text)
{
    struct linter *linter = subject->linter;
    struct kp_text path = cf_arena_format(linter->arena, "%.*s%s%s", (int)subject->path.len,
                                          subject->path.bytes, field[0] ? "." : "", field);

    add(linter,
        (struct cf_lint_note){
            .at = cf_node_place(linter->pod->source, path),
            .rule = rule,
            .text = cf_arena_format(linter->arena, "%s%s%.*s: %.*s", linter->pod->path.bytes,
                                    linter->pod->path.len > 0 ? "." : "", (int)path.len, path.bytes,
                                    (int)text.len, text.bytes),
        });
}

static const struct kp_int_or_string *port_of(const struct kp_handler *handler, const char **field)
{
    *field = handler->http_get ? "httpGet.port" : "tcpSocket.port";
    if (handler->http_get)
        return &handler->http_get->port;
    return handler->tcp_socket ? &handler->tcp_socket->port : NULL;
}

static void advise_on_port(const struct subject *subject)
{
    const char *field;
    const struct kp_int_or_string *port = port_of(&subject->probe->handler, &field);
    const struct kp_container *container = subject->container;

    if (!port || port->kind != KP_INTSTR_STRING)
        return;
    for (size_t i = 0; i < container->port_count; i++)
        if (kp_text_equal(container->ports[i].name, port->string))
            return;
    advise(
        subject, field, "E-010",
        cf_arena_format(subject->linter->arena,
                        "no port of this container is called \"%.*s\": every attempt is an error "
                        "that is discarded, so the probe never succeeds and never fails",
                        (int)port->string.len, port->string.bytes));
}

static void advise_on_host(const struct subject *subject)
{
    const struct kp_http_get_action *get = subject->probe->handler.http_get;
    const struct kp_tcp_socket_action *tcp = subject->probe->handler.tcp_socket;

    if (get && get->host.len > 0)
        advise(subject, "httpGet.host", "P-091",
               KP_TEXT("the kubelet connects to this host instead of the pod; a virtual host "
                       "belongs into the Host header"));
    else if (tcp && tcp->host.len > 0)
        advise(subject, "tcpSocket.host", "P-091",
               KP_TEXT("the kubelet connects to this host instead of the pod"));
}

static void advise_on_timing(const struct subject *subject)
{
    struct cf_arena *arena = subject->linter->arena;
    const struct kp_probe *probe = subject->probe;

    if (probe->timeout_s > probe->period_s)
        advise(subject, "timeoutSeconds", "P-019",
               cf_arena_format(arena,
                               "an attempt may take %d s, longer than the period of %d s: the next "
                               "ones follow at once or are lost",
                               (int)probe->timeout_s, (int)probe->period_s));
    if (probe->handler.exec && probe->timeout_s == 1 &&
        subject->linter->profile->gates[KP_GATE_ExecProbeTimeout])
        advise(subject, "timeoutSeconds", "P-084",
               KP_TEXT("a command that takes longer than 1 s counts as failed; on a busy node the "
                       "start of a process alone may take that long"));
    if (probe->failure_threshold == 1 && subject->type == KP_LIVENESS)
        advise(subject, "failureThreshold", "P-046",
               KP_TEXT("a single failed attempt kills the container"));
    if (probe->success_threshold > 1)
        advise(subject, "successThreshold", "P-054",
               KP_TEXT("does not hold for a container that restarts after a long success: its run "
                       "goes on, so one success makes it ready"));
}

static void advise_on_delay(const struct subject *subject)
{
    const struct kp_probe *probe = subject->probe;

    if (subject->type == KP_LIVENESS && probe->initial_delay_s >= 30 &&
        subject->linter->profile->gates[KP_GATE_StartupProbe] &&
        !subject->container->probes[KP_STARTUP])
        advise(subject, "initialDelaySeconds", "P-018",
               cf_arena_format(
                   subject->linter->arena,
                   "every restart waits %d to %d s before it is watched; a startupProbe "
                   "ends the wait as soon as the container has started",
                   (int)probe->initial_delay_s, (int)(probe->initial_delay_s + probe->period_s)));
    if (subject->type == KP_LIVENESS && subject->container->kind == KP_REGULAR &&
        kp_text_equal(subject->linter->pod->pod->restart_policy, KP_TEXT("Never")) &&
        !subject->container->restart_policy.bytes)
        advise(subject, "", "S-130",
               KP_TEXT("with restartPolicy Never a failed liveness probe ends the container for "
                       "good"));
}

static void advise_on_container(struct linter *linter, size_t index)
{
    static const char *const fields[KP_PROBE_TYPES] = {
        [KP_LIVENESS] = "livenessProbe",
        [KP_READINESS] = "readinessProbe",
        [KP_STARTUP] = "startupProbe",
    };
    static const enum kp_probe_type order[] = {KP_LIVENESS, KP_READINESS, KP_STARTUP};
    const struct kp_pod *pod = linter->pod->pod;
    bool init = index < pod->init_count;

    for (size_t i = 0; i < 3; i++) {
        struct subject subject = {
            .linter = linter,
            .container = &pod->containers[index],
            .type = order[i],
            .probe = pod->containers[index].probes[order[i]],
        };

        if (!subject.probe)
            continue;
        subject.path = cf_arena_format(linter->arena, "spec.%s[%zu].%s",
                                       init ? "initContainers" : "containers",
                                       init ? index : index - pod->init_count, fields[order[i]]);
        advise_on_port(&subject);
        advise_on_host(&subject);
        advise_on_timing(&subject);
        advise_on_delay(&subject);
    }
}

/* What only the API server's log would tell. */
static void tell_conflict(struct linter *linter)
{
    const struct cf_podpreset_outcome *presets = &linter->pod->presets;

    if (presets->log.len > 0)
        add(linter,
            (struct cf_lint_note){
                .at = linter->pod->source->at,
                .rule = "A-005",
                .text = cf_arena_format(linter->arena, "no PodPreset is merged into this pod: %.*s",
                                        (int)presets->log.len, presets->log.bytes),
            });
}

enum kp_err cf_lint_manifest(struct cf_arena *arena, const struct kp_profile *profile,
                             const struct cf_manifest *manifest, struct cf_lint *out)
{
    *out = (struct cf_lint){0};
    for (size_t i = 0; i < manifest->pod_count; i++) {
        const struct cf_manifest_pod *pod = &manifest->pods[i];
        struct linter linter = {arena, profile, pod, out};
        struct kp_complaint_sink sink = {take_refusal, &linter};
        size_t refused = out->refused_count;

        if (kp_pod_validate(profile, arena->mem, pod->pod, sink) == KP_ENOMEM)
            return KP_ENOMEM;
        check_restart_policy(&linter);
        tell_conflict(&linter);
        /* What is refused never runs: no advice on it. */
        for (size_t k = 0;
             refused == out->refused_count && k < pod->pod->init_count + pod->pod->regular_count;
             k++)
            advise_on_container(&linter, k);
    }
    return arena->failed ? KP_ENOMEM : KP_OK;
}

enum kp_err cf_lint_refuse(struct cf_arena *arena, const struct kp_profile *profile,
                           const struct cf_manifest *manifest)
{
    struct cf_lint lint = {0};

    if (cf_lint_manifest(arena, profile, manifest, &lint) != KP_OK) {
        fprintf(stderr, "probetest: out of memory\n");
        return KP_ENOMEM;
    }
    for (size_t i = 0; i < lint.count; i++)
        if (lint.notes[i].refused)
            fprintf(stderr, "%s:%d:%d: %.*s\n", manifest->name, lint.notes[i].at.line,
                    lint.notes[i].at.column, (int)lint.notes[i].text.len, lint.notes[i].text.bytes);
    return lint.refused_count > 0 ? KP_EINPUT : KP_OK;
}
