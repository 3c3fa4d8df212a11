#include "conformance/simulate/sim_script.h"

#include "core/start_container.h"

#include "core/err.h"
#include "fakes/shell.h"

#define INIT_TAKES_NS KP_NS_PER_S

/* What is being made: lists with room for every container of the pod. */
struct maker {
    struct cf_arena *arena;
    const struct kp_pod *pod;
    uint32_t handle;
    int64_t pull_ns;
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
        (struct fake_answers){maker->handle, container->name, (enum fake_asked)type, steps, count};
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

static enum kp_err add_container(struct maker *maker, const struct kp_container *container,
                                 struct fake_behaviour *behaviour)
{
    struct fake_shell shell;

    behaviour->pod = maker->handle;
    behaviour->container = container->name;
    if (add_pull(maker, container, behaviour) != KP_OK)
        return KP_ENOMEM;
    if (fake_shell_read(&shell, container))
        return play_shell(maker, &shell, container, behaviour);
    return play_unknown(maker, container, behaviour);
}

enum kp_err cf_sim_script_make(struct cf_arena *arena, const struct kp_pod *pod, uint32_t handle,
                               int64_t pull_ns, struct cf_sim_script *out)
{
    size_t count = kp_pod_container_count(pod);
    struct maker maker = {.arena = arena, .pod = pod, .handle = handle, .pull_ns = pull_ns};

    maker.behaviours = cf_arena_array(arena, count, sizeof *maker.behaviours);
    maker.answers = cf_arena_array(arena, count * KP_PROBE_TYPES, sizeof *maker.answers);
    maker.assumptions = cf_arena_array(arena, count * 2, sizeof *maker.assumptions);
    if (!maker.behaviours || !maker.answers || !maker.assumptions)
        return KP_ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (add_container(&maker, &pod->containers[i], &maker.behaviours[i]) != KP_OK)
            return KP_ENOMEM;
    *out = (struct cf_sim_script){
        .script = {.answers = maker.answers,
                   .answers_count = maker.answers_count,
                   .behaviours = maker.behaviours,
                   .behaviour_count = count},
        .assumptions = maker.assumptions,
        .assumption_count = maker.assumption_count,
    };
    return arena->failed ? KP_ENOMEM : KP_OK;
}
