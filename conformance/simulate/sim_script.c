#include "conformance/simulate/sim_script.h"

#include "core/api/port.h"
#include "core/base/err.h"
#include "core/kubelet/hook_text.h"
#include "core/kubelet/start_container.h"
#include "fakes/shell.h"

#include <stdlib.h>
#include <string.h>

#define INIT_TAKES_NS KP_NS_PER_S
#define CALLS (FAKE_CALL_POST_START + 1)

/* What is being made: lists with room for every container of the pod. */
struct maker {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    uint32_t handle;
    int64_t pull_ns;
    bool reads_shells;
    struct fake_behaviour *behaviours;
    struct fake_answers *answers;
    size_t answers_count;
    struct cf_assumption *assumptions;
    size_t assumption_count;
};

static void assume(struct maker *maker, const struct kp_container *container,
                   struct kp_text sentence)
{
    maker->assumptions[maker->assumption_count++] =
        (struct cf_assumption){container->name, sentence};
}

static struct kp_text duration_text(struct cf_arena *arena, int64_t ns)
{
    char bytes[40];
    struct kp_buf buf = {bytes, sizeof bytes, 0};

    kp_buf_put_duration(&buf, ns);
    return cf_arena_text(arena, kp_buf_text(&buf));
}

/* What an exec probe finds at one age of the container. */
static struct fake_step step_at(struct maker *maker, const struct fake_shell *shell,
                                const struct kp_probe *probe, int64_t age_ns)
{
    char bytes[512];
    struct kp_buf output = {bytes, sizeof bytes, 0};
    struct fake_step step = {.attempts = {KP_ANSWER_SUCCESS}, .attempt_count = 1};

    if (fake_shell_exec(shell, &probe->handler.exec->command, age_ns, &step.code, &output) &&
        step.code != 0)
        step.attempts[0] = KP_ANSWER_FAILURE;
    step.output = cf_arena_text(maker->arena, kp_buf_text(&output));
    return step;
}

static bool knows(const struct fake_shell *shell, const struct kp_probe *probe)
{
    char bytes[512];
    struct kp_buf output = {bytes, sizeof bytes, 0};
    int32_t code;

    return probe && probe->handler.exec &&
           fake_shell_exec(shell, &probe->handler.exec->command, 0, &code, &output);
}

/* One step for each span of ages between two changes of the files. */
static enum kp_err answer_by_files(struct maker *maker, const struct fake_shell *shell,
                                   const struct kp_container *container, enum kp_probe_type type)
{
    const struct kp_probe *probe = container->probes[type];
    struct fake_step *steps;
    size_t count = 0;

    if (!knows(shell, probe))
        return KP_OK;
    steps = cf_arena_array(maker->arena, shell->change_count + 1, sizeof *steps);
    if (!steps)
        return KP_ENOMEM;
    for (size_t i = 0; i <= shell->change_count; i++) {
        int64_t from_ns = i == 0 ? 0 : shell->changes[i - 1].age_ns;
        int64_t until_ns = i < shell->change_count ? shell->changes[i].age_ns : KP_NEVER;

        if (until_ns == from_ns)
            continue;
        steps[count] = step_at(maker, shell, probe, from_ns);
        steps[count].until = until_ns == KP_NEVER ? FAKE_FOREVER : FAKE_UNTIL_AGE;
        steps[count++].bound = until_ns;
    }
    maker->answers[maker->answers_count++] =
        (struct fake_answers){maker->handle, container->name, (enum fake_call)type, steps, count};
    return KP_OK;
}

static enum kp_err play_shell(struct maker *maker, const struct fake_shell *shell,
                              const struct kp_container *container,
                              struct fake_behaviour *behaviour)
{
    struct fake_exit *ends = cf_arena_array(maker->arena, 1, sizeof *ends);
    struct fake_stop *stop = cf_arena_array(maker->arena, 1, sizeof *stop);

    if (!ends || !stop)
        return KP_ENOMEM;
    *ends = (struct fake_exit){
        .never = shell->ends_ns == KP_NEVER, .code = shell->exit_code, .after_ns = shell->ends_ns};
    stop->kind = FAKE_STOP_IGNORES;
    behaviour->exits = ends;
    behaviour->exit_count = 1;
    behaviour->stops = stop;
    behaviour->stop_count = 1;
    assume(maker, container,
           ends->never
               ? KP_TEXT("runs the script in its command for ever; the shell ignores SIGTERM")
               : cf_arena_format(maker->arena,
                                 "runs the script in its command, which ends after %s with %d; the "
                                 "shell ignores SIGTERM",
                                 duration_text(maker->arena, shell->ends_ns).bytes,
                                 (int)shell->exit_code));
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        if (answer_by_files(maker, shell, container, (enum kp_probe_type)type) != KP_OK)
            return KP_ENOMEM;
    return KP_OK;
}

static enum kp_err play_unknown(struct maker *maker, const struct kp_container *container,
                                struct fake_behaviour *behaviour)
{
    struct fake_exit *ends;

    if (container->kind != KP_INIT || kp_container_is_sidecar(container)) {
        assume(maker, container,
               KP_TEXT("runs for ever, passes its probes, ends on SIGTERM at once with 143"));
        return KP_OK;
    }
    ends = cf_arena_array(maker->arena, 1, sizeof *ends);
    if (!ends)
        return KP_ENOMEM;
    ends->after_ns = INIT_TAKES_NS;
    behaviour->exits = ends;
    behaviour->exit_count = 1;
    assume(maker, container, KP_TEXT("ends after 1s with 0"));
    return KP_OK;
}

static enum kp_err add_pull(struct maker *maker, const struct kp_container *container,
                            struct fake_behaviour *behaviour)
{
    struct fake_done *start;

    if (!kp_start_pulls(container) || maker->pull_ns == 0)
        return KP_OK;
    start = cf_arena_array(maker->arena, 1, sizeof *start);
    if (!start)
        return KP_ENOMEM;
    start->takes_ns = maker->pull_ns;
    behaviour->starts = start;
    behaviour->start_count = 1;
    assume(maker, container,
           cf_arena_format(maker->arena, "its image is pulled at each start, which takes %s",
                           duration_text(maker->arena, maker->pull_ns).bytes));
    return KP_OK;
}

/* ---- ports that there are not ---------------------------------------------------------------- */

static const struct kp_handler *handler_of(const struct kp_container *container,
                                           enum fake_call call)
{
    if (call == FAKE_CALL_PRE_STOP)
        return container->pre_stop;
    if (call == FAKE_CALL_POST_START)
        return container->post_start;
    return container->probes[call] ? &container->probes[call]->handler : NULL;
}

/* P-059: whoever has an exec looks for no port. */
static const struct kp_int_or_string *port_of(const struct kp_handler *handler)
{
    if (!handler || handler->exec)
        return NULL;
    if (handler->http_get)
        return &handler->http_get->port;
    return handler->tcp_socket ? &handler->tcp_socket->port : NULL;
}

/* Is it a hook over tcpSocket, which no kubelet runs (S-226)? */
static bool is_never_run(const struct kp_container *container, enum fake_call call)
{
    const struct kp_handler *hook = handler_of(container, call);

    return call >= FAKE_CALL_PRE_STOP && hook && !kp_hook_has_handler(hook);
}

/* Why it cannot be probed, in the kubelet's words; empty: it can. */
static struct kp_text why_uncalled(struct maker *maker, const struct kp_container *container,
                                   enum fake_call call)
{
    const struct kp_handler *handler = handler_of(container, call);
    const struct kp_int_or_string *port = port_of(handler);
    char bytes[512];
    struct kp_buf error = {bytes, sizeof bytes, 0};
    int64_t number;

    if (call < FAKE_CALL_PRE_STOP && handler && !kp_handler_is_known(maker->profile, handler))
        kp_buf_put(&error, KP_TEXT("missing probe handler"));
    else if (port && call < FAKE_CALL_PRE_STOP)
        kp_port_resolve(maker->profile, port, container, &number, &error);
    else if (port)
        kp_port_resolve_hook(maker->profile, port, container, &number, &error);
    return cf_arena_text(maker->arena, kp_buf_text(&error));
}

static const char *const names[CALLS] = {"liveness probe", "readiness probe", "startup probe",
                                         "preStop hook", "postStart hook"};

/* What has no port to probe fails each time, and the world assumes so: a probe errs (E-010), also
 * one over gRPC in a version without (P-125), a hook fails (E-011). */
static enum kp_err answer_uncalled(struct maker *maker, const struct kp_container *container,
                                   enum fake_call call)
{
    bool is_probe = call < FAKE_CALL_PRE_STOP;
    struct kp_text why = why_uncalled(maker, container, call);
    bool no_port = port_of(handler_of(container, call));
    struct fake_step *step;

    if (is_never_run(container, call))
        assume(maker, container,
               cf_arena_format(maker->arena, "its %s is none that a kubelet runs: fails [S-226]",
                               names[call]));
    if (why.len == 0 || is_never_run(container, call))
        return KP_OK;
    step = cf_arena_array(maker->arena, 1, sizeof *step);
    if (!step)
        return KP_ENOMEM;
    step->attempts[0] = is_probe ? KP_ANSWER_ERROR : KP_ANSWER_FAILURE;
    step->attempt_count = 1;
    step->output = why;
    maker->answers[maker->answers_count++] =
        (struct fake_answers){maker->handle, container->name, call, step, 1};
    assume(maker, container,
           cf_arena_format(maker->arena, "its %s has no %s (%.*s)%s", names[call],
                           no_port ? "port" : "gRPC before 1.24", KP_ARG(why),
                           !is_probe ? " and fails [E-011]"
                           : no_port ? ": an error each time, which counts as no answer [E-010]"
                                     : ": an error each time, which counts as no answer [P-125]"));
    return KP_OK;
}

/* ---- hooks ---------------------------------------------------------------------------- */

/* "20", "20s" or, before other commands of a shell, "20; nginx -s quit"; -1: no whole number. */
static int64_t leading_seconds(struct kp_text text)
{
    char digits[8] = "";
    size_t len = kp_text_digits(text);

    if (len == 0 || len >= sizeof digits)
        return -1;
    memcpy(digits, text.bytes, len);
    len += len < text.len && text.bytes[len] == 's';
    if (len < text.len && !memchr(" ;&\n", text.bytes[len], 4))
        return -1;
    while (len < text.len && text.bytes[len] == ' ')
        len++;
    if (len < text.len && text.bytes[len] == '&' &&
        !(len + 1 < text.len && text.bytes[len + 1] == '&'))
        return -1; /* in the background */
    return strtol(digits, NULL, 10);
}

int64_t cf_hook_s(const struct kp_handler *hook)
{
    const struct kp_text_list *command = hook && hook->exec ? &hook->exec->command : NULL;
    struct kp_text last;
    size_t at = 0;

    if (!hook)
        return 0;
    if (hook->sleep && !hook->exec)
        return hook->sleep->seconds;
    if (!command || command->count < 2)
        return -1;
    last = command->items[command->count - 1];
    if (command->count == 3 && kp_text_begins(last, "sleep "))
        at = 6; /* sh -c "sleep 20" */
    else if (command->count != 2 || !kp_text_ends(command->items[0], "sleep"))
        return -1;
    return leading_seconds(kp_text_from(last, at));
}

/* The engine sleeps by itself; a command that does is answered here. */
static enum kp_err answer_hook(struct maker *maker, const struct kp_container *container,
                               enum fake_call call)
{
    const struct kp_handler *hook = handler_of(container, call);
    int64_t sleep_s = cf_hook_s(hook);
    struct fake_step *step;

    if (!hook || !hook->exec || sleep_s == 0)
        return KP_OK;
    assume(maker, container,
           cf_arena_format(maker->arena, "its %s takes %s", names[call],
                           sleep_s < 0 ? "0 s"
                                       : duration_text(maker->arena, sleep_s * KP_NS_PER_S).bytes));
    if (sleep_s < 0)
        return KP_OK;
    step = cf_arena_array(maker->arena, 1, sizeof *step);
    if (!step)
        return KP_ENOMEM;
    step->attempts[0] = KP_ANSWER_SUCCESS;
    step->attempt_count = 1;
    step->takes_ns = sleep_s * KP_NS_PER_S;
    maker->answers[maker->answers_count++] =
        (struct fake_answers){maker->handle, container->name, call, step, 1};
    return KP_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static enum kp_err add_container(struct maker *maker, const struct kp_container *container,
                                 struct fake_behaviour *behaviour)
{
    struct fake_shell shell;

    behaviour->pod = maker->handle;
    behaviour->container = container->name;
    if (add_pull(maker, container, behaviour) != KP_OK)
        return KP_ENOMEM;
    if ((maker->reads_shells && fake_shell_read(&shell, container)
             ? play_shell(maker, &shell, container, behaviour)
             : play_unknown(maker, container, behaviour)) != KP_OK)
        return KP_ENOMEM;
    for (int call = 0; call < CALLS; call++)
        if (answer_uncalled(maker, container, (enum fake_call)call) != KP_OK)
            return KP_ENOMEM;
    return answer_hook(maker, container, FAKE_CALL_PRE_STOP) == KP_OK
               ? answer_hook(maker, container, FAKE_CALL_POST_START)
               : KP_ENOMEM;
}

static enum kp_err make(struct maker *maker, const struct kp_pod *pod, struct cf_sim_script *out)
{
    struct cf_arena *arena = maker->arena;
    size_t count = kp_pod_container_count(pod);

    maker->behaviours = cf_arena_array(arena, count, sizeof *maker->behaviours);
    maker->answers = cf_arena_array(arena, count * CALLS, sizeof *maker->answers);
    maker->assumptions = cf_arena_array(arena, count * (2 + CALLS), sizeof *maker->assumptions);
    if (!maker->behaviours || !maker->answers || !maker->assumptions)
        return KP_ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (add_container(maker, &pod->containers[i], &maker->behaviours[i]) != KP_OK)
            return KP_ENOMEM;
    *out = (struct cf_sim_script){
        .script = {.as_on_node = true,
                   .answers = maker->answers,
                   .answers_count = maker->answers_count,
                   .behaviours = maker->behaviours,
                   .behaviour_count = count},
        .assumptions = maker->assumptions,
        .assumption_count = maker->assumption_count,
    };
    return arena->failed ? KP_ENOMEM : KP_OK;
}

enum kp_err cf_sim_script_make(struct cf_arena *arena, const struct kp_profile *profile,
                               const struct kp_pod *pod, uint32_t handle, int64_t pull_ns,
                               struct cf_sim_script *out)
{
    struct maker maker = {.arena = arena,
                          .profile = profile,
                          .handle = handle,
                          .pull_ns = pull_ns,
                          .reads_shells = true};

    return make(&maker, pod, out);
}

enum kp_err cf_sim_script_make_plain(struct cf_arena *arena, const struct kp_profile *profile,
                                     const struct kp_pod *pod, struct cf_sim_script *out)
{
    struct maker maker = {.arena = arena, .profile = profile};

    return make(&maker, pod, out);
}

bool cf_grace_overflows(int64_t grace_s)
{
    return grace_s > INT64_MAX / KP_NS_PER_S - 120;
}
