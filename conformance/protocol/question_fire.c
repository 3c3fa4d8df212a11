/* question_fire.c: layer fire: one attempt of one probe, for real. */
#include "conformance/pod/pod_decode.h"
#include "conformance/protocol/questions.h"
#include "core/handlers/handler.h"
#include "core/prober/prober.h"

struct fired {
    const struct kp_profile *profile;
    struct kp_attempt attempt;
    struct cf_arena *arena;
    struct cf_out *ok;
};

/* ---- the request ----------------------------------------------------------------------------- */

static void put_copy(struct cf_arena *arena, struct cf_node *map, const char *key,
                     const struct cf_node *node)
{
    if (node)
        cf_node_put(map, kp_text_of(key), cf_node_copy(arena, node));
}

/* The pod that such a probe stands in. */
static struct cf_node *pod_around(struct cf_arena *arena, const struct cf_node *request,
                                  const struct cf_node *probe)
{
    static const struct cf_place nowhere = {0, 0};
    struct cf_node *pod = cf_node_new(arena, CF_MAP, nowhere);
    struct cf_node *spec = cf_node_new(arena, CF_MAP, nowhere);
    struct cf_node *containers = cf_node_new(arena, CF_LIST, nowhere);
    struct cf_node *container = cf_node_new(arena, CF_MAP, nowhere);

    if (arena->failed)
        return NULL;
    cf_node_put(container, KP_TEXT("name"), cf_node_string(arena, KP_TEXT("c")));
    put_copy(arena, container, "env", cf_node_find(request, "env"));
    put_copy(arena, container, "ports", cf_node_find(request, "ports"));
    put_copy(arena, container, "livenessProbe", probe);
    cf_node_append(containers, container);
    cf_node_put(spec, KP_TEXT("containers"), containers);
    cf_node_put(pod, KP_TEXT("spec"), spec);
    return pod;
}

static bool read_probe(struct cf_reader *reader, const struct cf_node *request, struct fired *fired)
{
    const struct cf_node *probe;
    struct cf_pod pod;

    if (!cf_member_node(reader, request, "probe", CF_MAP, &probe))
        return false;
    if (probe == NULL)
        return cf_reader_fail(reader, "`probe` is missing");
    if (cf_pod_decode(reader->arena, fired->profile, pod_around(reader->arena, request, probe),
                      &pod) != KP_OK)
        return cf_reader_fail(reader, "out of memory");
    if (pod.pod == NULL)
        return cf_reader_fail(reader, "%.*s", KP_ARG(pod.fault.go_text));
    fired->attempt.container = &pod.pod->containers[0];
    fired->attempt.probe = fired->attempt.container->probes[KP_LIVENESS];
    return fired->attempt.probe != NULL || cf_reader_fail(reader, "`probe` is empty");
}

static bool read_fired(struct cf_reader *reader, const struct cf_node *request, struct fired *fired)
{
    if (!read_probe(reader, request, fired) ||
        !cf_member_text(reader, request, "podIP", &fired->attempt.pod_ip) ||
        !cf_member_ms(reader, request, "timeout", &fired->attempt.timeout_ns))
        return false;
    if (fired->attempt.timeout_ns <= 0 && fired->attempt.probe->timeout_s <= 0)
        return cf_reader_fail(reader, "`timeout` must be at least 1");
    return true;
}

/* ---- the reply ------------------------------------------------------------------------------- */

/* The text as an event shows it: of an exec that took too long the kubelet has its own. */
static void put_text(struct fired *fired, const char *name, const struct kp_attempt_result *result)
{
    const struct kp_attempt *attempt = &fired->attempt;
    const struct kp_exec_action *exec = attempt->probe->handler.exec;
    struct kp_message message = {0};
    struct kp_text_list *expanded = NULL;
    int64_t timeout_ns =
        attempt->timeout_ns > 0 ? attempt->timeout_ns : kp_seconds_ns(attempt->probe->timeout_s);

    if (exec && kp_command_expand(fired->arena->mem, attempt->container, &exec->command,
                                  &expanded) != KP_OK)
        expanded = NULL;
    kp_prober_add_output(&message, fired->profile, result->answer, result->output,
                         expanded ? expanded
                         : exec   ? &exec->command
                                  : NULL,
                         timeout_ns);
    cf_json_message(fired->ok, name, &message);
    kp_mem_free(fired->arena->mem, expanded);
}

static void put_result(void *ctx, const struct kp_attempt_result *result)
{
    static const char *const words[] = {
        [KP_OUTCOME_SUCCESS] = "success", [KP_OUTCOME_WARNING] = "warning",
        [KP_OUTCOME_FAILURE] = "failure", [KP_OUTCOME_UNKNOWN] = "unknown",
        [KP_OUTCOME_ERROR] = "unknown",   [KP_OUTCOME_BROKEN] = "failure",
    };
    struct fired *fired = ctx;
    enum kp_outcome outcome = kp_prober_outcome(fired->profile, result->answer);

    cf_out_put_char(fired->ok, '{');
    cf_json_string(fired->ok, "result", words[outcome]);
    put_text(fired, kp_outcome_is_error(outcome) ? "error" : "output", result);
    if (result->class_word)
        cf_json_string(fired->ok, "class", result->class_word);
    cf_out_put_char(fired->ok, '}');
}

bool cf_has_probes(void)
{
    return true;
}

bool cf_question_fire(struct cf_reader *reader, const struct kp_profile *profile,
                      const struct cf_node *request, struct cf_out *ok)
{
    struct fired fired = {.profile = profile, .arena = reader->arena, .ok = ok};
    struct kp_handlers *handlers;
    kp_attempt_id id;

    fired.attempt.profile = profile;
    fired.attempt.finished = put_result;
    fired.attempt.ctx = &fired;
    if (!read_fired(reader, request, &fired))
        return false;
    if (kp_handlers_new(reader->arena->mem, &handlers) != KP_OK)
        return cf_reader_fail(reader, "no memory or no descriptors for it");
    if (kp_handlers_start(handlers, &fired.attempt, &id) != KP_OK) {
        kp_handlers_free(handlers);
        return cf_reader_fail(reader, "out of memory");
    }
    while (kp_handlers_in_flight(handlers) > 0)
        kp_handlers_step(handlers, KP_NEVER);
    kp_handlers_free(handlers);
    return true;
}
