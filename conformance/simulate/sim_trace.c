#include "conformance/simulate/sim_trace.h"

#include "core/kubelet/start_container.h"

#include "conformance/protocol/wire.h"
#include "conformance/table/note.h"

#include <stdlib.h>
#include <string.h>

#define WHOM_BYTES 96       /* container and instance: web/12 */
#define IMAGE_BYTES 2223685 /* what busybox weighs; the simulation has no registry */

/* An attempt whose answer has not come. */
struct attempt {
    uint32_t n;
    int container;
    int call; /* probe type, or KP_PROBE_TYPES for a hook */
    char whom[WHOM_BYTES];
};

/* Successes of one worker that were not printed one by one. */
struct fold {
    uint32_t count;
    int container;
    int64_t since_ns;
    int64_t until_ns;
    bool passing; /* the last line of this worker was a success */
    struct kp_text text;
};

struct sim {
    struct cf_arena *arena;
    struct cf_arena *texts; /* of lines and notes: the same, or `settling` where time is real */
    struct cf_arena settling;
    struct cf_sim_trace *trace;
    struct kp_pod shown; /* the pod as the API has it: with its deletion */
    struct fake_engine_impl impl;
    size_t line_room;
    size_t settled; /* lines before this one know their instant */
    int64_t now_ns; /* the last instant printed */
    struct cf_out scratch;
    struct attempt *attempts;
    size_t attempt_count;
    size_t attempt_room;
    struct fold *folds;          /* container times probe type */
    bool *pulling;               /* by container, as the next */
    enum kp_kill_reason *failed; /* the probe of its instance that has */
    int64_t pull_ns;
    struct kp_event_note *notes; /* events of the instant under way */
    size_t note_count;
    size_t note_room;
    struct cf_columns columns;
    bool gone; /* from the API */
    bool past_deadline;
    bool no_memory;
};

static void *grown(struct sim *sim, void *items, size_t count, size_t *room, size_t size)
{
    size_t more = *room > 0 ? *room * 2 : 64;
    void *bigger;

    if (count < *room)
        return items;
    bigger = cf_arena_array(sim->arena, more, size);
    if (!bigger) {
        sim->no_memory = true;
        return NULL;
    }
    if (count > 0)
        memcpy(bigger, items, count * size);
    *room = more;
    return bigger;
}

static struct cf_sim_line *add_line(struct sim *sim, enum cf_sim_kind kind)
{
    struct cf_sim_trace *trace = sim->trace;
    struct cf_sim_line *lines =
        grown(sim, trace->lines, trace->line_count, &sim->line_room, sizeof *lines);

    if (!lines)
        return NULL;
    trace->lines = lines;
    lines[trace->line_count] = (struct cf_sim_line){.kind = kind, .at_ns = sim->now_ns};
    return &lines[trace->line_count++];
}

static struct kp_text take_scratch(struct sim *sim)
{
    struct kp_text text = cf_arena_text(sim->texts, cf_out_text(&sim->scratch));

    cf_out_clear(&sim->scratch);
    return text;
}

/* ---- probes: attempt and answer are one line ------------------------------------------------- */

static void remember_attempt(struct sim *sim, const struct cf_note *note,
                             const struct kp_effect *effect)
{
    bool hook = effect->kind == KP_EFFECT_HOOK;

    struct attempt *attempts =
        grown(sim, sim->attempts, sim->attempt_count, &sim->attempt_room, sizeof *attempts);
    struct attempt *attempt;
    struct kp_buf whom = {.cap = WHOM_BYTES - 1};

    if (!attempts)
        return;
    sim->attempts = attempts;
    attempt = &attempts[sim->attempt_count++];
    *attempt = (struct attempt){
        .n = hook ? effect->u.hook.n : effect->u.probe.n,
        .container = effect->container,
        .call = hook ? KP_PROBE_TYPES : (int)effect->u.probe.type,
    };
    whom.bytes = attempt->whom;
    kp_buf_put(&whom, note->words[0].text);
}

static bool take_attempt(struct sim *sim, uint32_t n, struct attempt *attempt)
{
    for (size_t i = 0; i < sim->attempt_count; i++) {
        if (sim->attempts[i].n != n)
            continue;
        *attempt = sim->attempts[i];
        memmove(&sim->attempts[i], &sim->attempts[i + 1],
                (--sim->attempt_count - i) * sizeof *sim->attempts);
        return true;
    }
    return false;
}

/* Print the successes that were held back, before anything else of that worker. */
static void unfold(struct sim *sim, struct fold *fold)
{
    struct cf_sim_line *line;

    if (fold->count == 0)
        return;
    line = add_line(sim, CF_SIM_PASSED);
    if (line) {
        line->mark = CF_SIM_SUCCEEDED;
        line->container = fold->container;
        line->probe = (int)((size_t)(fold - sim->folds) % KP_PROBE_TYPES);
        line->at_ns = fold->until_ns;
        line->since_ns = fold->since_ns;
        line->count = fold->count;
        line->text = fold->text;
    }
    fold->count = 0;
}

static void unfold_all(struct sim *sim)
{
    size_t count = kp_pod_container_count(sim->trace->pod) * KP_PROBE_TYPES;

    for (size_t i = 0; i < count; i++) {
        unfold(sim, &sim->folds[i]);
        sim->folds[i].passing = false;
    }
}

static struct kp_text answer_text(struct sim *sim, const struct attempt *attempt,
                                  const struct kp_event *event)
{
    static const char *const call[] = {"liveness", "readiness", "startup", "hook"};
    struct kp_text output = event->message;

    while (output.len > 0 && output.bytes[output.len - 1] == '\n')
        output.len--;
    cf_out_put_string(&sim->scratch, attempt->whom);
    cf_out_printf(&sim->scratch, " %s %s", call[attempt->call],
                  cf_word(&cf_answer_words, event->u.answer.result));
    if (output.len > 0) {
        cf_out_put_string(&sim->scratch, ": ");
        cf_out_put(&sim->scratch, output);
    }
    return take_scratch(sim);
}

static void add_answer(struct sim *sim, const struct kp_event *event)
{
    struct attempt attempt;
    struct fold *fold;
    struct kp_text text;
    bool success = event->u.answer.result == KP_ANSWER_SUCCESS;
    struct cf_sim_line *line;

    if (!take_attempt(sim, event->u.answer.n, &attempt))
        return;
    text = answer_text(sim, &attempt, event);
    if (attempt.call < KP_PROBE_TYPES) {
        fold = &sim->folds[attempt.container * KP_PROBE_TYPES + attempt.call];
        if (success && fold->passing && !sim->trace->every_probe) {
            fold->since_ns = fold->count++ == 0 ? sim->now_ns : fold->since_ns;
            fold->until_ns = sim->now_ns;
            fold->container = attempt.container;
            fold->text = text;
            return;
        }
        unfold(sim, fold);
        fold->passing = success;
    }
    line = add_line(sim, CF_SIM_WORLD);
    if (!line)
        return;
    line->text = text;
    line->container = attempt.container;
    line->probe = attempt.call;
    if (attempt.call < KP_PROBE_TYPES)
        line->mark = success ? CF_SIM_SUCCEEDED : CF_SIM_FAILED;
}

/* ---- what the world does --------------------------------------------------------------------- */

static void add_container(struct sim *sim, const struct kp_event *event)
{
    struct cf_sim_line *line;

    unfold_all(sim);
    cf_out_put(&sim->scratch, event->cid);
    if (event->kind == KP_EVENT_RUNNING)
        cf_out_put_string(&sim->scratch, " runs");
    else if (event->kind == KP_EVENT_EXITED)
        cf_out_printf(&sim->scratch, " exited with %d", (int)event->u.exit_code);
    else
        cf_out_printf(&sim->scratch, "%s%.*s %s: %.*s", event->cid.len > 0 ? " " : "",
                      KP_ARG(event->reason), cf_word(&cf_event_words, event->kind),
                      KP_ARG(event->message));
    line = add_line(sim, CF_SIM_WORLD);
    if (!line)
        return;
    line->text = take_scratch(sim);
    line->container = event->container;
    if (event->kind == KP_EVENT_RUNNING || event->kind == KP_EVENT_EXITED)
        line->mark = event->kind == KP_EVENT_RUNNING ? CF_SIM_RUNS : CF_SIM_EXITED;
    if (event->kind == KP_EVENT_EXITED)
        line->exit_code = event->u.exit_code;
}

/* A sandbox that was made or stopped as requested is not worth a line. */
static void add_sandbox(struct sim *sim, const struct kp_event *event)
{
    struct cf_sim_line *line;

    cf_out_printf(&sim->scratch, "pod sandbox %s failed: %.*s",
                  cf_word(&cf_sandbox_words, event->u.sandbox.what), KP_ARG(event->message));
    line = add_line(sim, CF_SIM_WORLD);
    if (line)
        line->text = take_scratch(sim);
}

/* Whatever comes before `settled` changes no more. Where time is real it is printed now, and
 * forgotten. */
static void settle(struct sim *sim)
{
    struct cf_sim_trace *trace = sim->trace;

    sim->settled = trace->line_count;
    if (!trace->live)
        return;
    for (size_t i = 0; i < trace->line_count; i++)
        trace->live->line(trace->live->ctx, trace, &trace->lines[i]);
    sim->settled = trace->line_count = 0;
    sim->no_memory |= sim->settling.failed;
    cf_arena_deinit(&sim->settling);
}

static void on_event(void *ctx, int64_t at_ns, const struct kp_event *event)
{
    struct sim *sim = ctx;
    bool quiet = sim->settled == sim->trace->line_count;

    sim->now_ns = at_ns;
    switch (event->kind) {
    case KP_EVENT_ANSWER:
        add_answer(sim, event);
        break;
    case KP_EVENT_SANDBOX:
        if (event->u.sandbox.failed)
            add_sandbox(sim, event);
        break;
    case KP_EVENT_DELETE:
        sim->shown.has_deletion = true;
        sim->trace->deleted_ns =
            sim->trace->deleted_ns == KP_NEVER ? at_ns : sim->trace->deleted_ns;
        add_container(sim, event);
        break;
    default:
        add_container(sim, event);
    }
    if (quiet)
        settle(sim);
}

/* ---- what the engine says ---------------------------------------------------------------------
 */

static struct kp_text field_path(struct sim *sim, const struct kp_effect *effect)
{
    if (effect->container < 0)
        return KP_TEXT_NONE;
    return cf_field_path(sim->texts, &effect->spec->containers[effect->container]);
}

static void note_event(struct sim *sim, const struct kp_effect *effect, enum kp_event_type type,
                       struct kp_text reason, struct kp_text message)
{
    struct kp_event_note *notes;

    if (sim->trace->live)
        return; /* nobody wants all of them in the end */
    notes = grown(sim, sim->notes, sim->note_count, &sim->note_room, sizeof *notes);
    if (!notes)
        return;
    sim->notes = notes;
    notes[sim->note_count++] =
        (struct kp_event_note){effect->spec->uid, field_path(sim, effect), type, reason, message};
}

static enum cf_sim_mark mark_of(const struct kp_effect *effect)
{
    switch (effect->kind) {
    case KP_EFFECT_KILL:
        return CF_SIM_KILLED;
    case KP_EFFECT_START:
        return CF_SIM_STARTED;
    case KP_EFFECT_BACKOFF:
        return CF_SIM_BACKED_OFF;
    case KP_EFFECT_READY:
        return effect->u.value ? CF_SIM_READY : CF_SIM_UNREADY;
    case KP_EFFECT_HOOK:
        return effect->u.hook.type == KP_PRE_STOP ? CF_SIM_PRE_STOP : CF_SIM_UNMARKED;
    default:
        return CF_SIM_UNMARKED;
    }
}

/* One effect as a line: its JSON, and its words unless another line has them. */
static void add_effect(struct sim *sim, const struct kp_effect *effect, const struct cf_note *note)
{
    struct cf_sim_line *line = add_line(sim, CF_SIM_EFFECT);
    char bytes[4096];
    struct kp_buf words = {bytes, sizeof bytes, 0};

    if (!line)
        return;
    line->rule = effect->rule;
    line->mark = mark_of(effect);
    line->container = effect->container;
    if (line->mark == CF_SIM_KILLED) {
        line->grace_s = effect->u.kill.grace_s;
        line->kill_reason = effect->u.kill.reason;
        line->by_deadline = sim->past_deadline && line->kill_reason == KP_KILL_NO_REASON;
        if (line->kill_reason == KP_KILL_NO_REASON && !line->by_deadline)
            line->kill_reason = sim->failed[effect->container];
    } else if (line->mark == CF_SIM_BACKED_OFF) {
        line->delay_ns = effect->u.delay_ns;
    }
    cf_put_effect(&sim->scratch, effect, false);
    line->json = take_scratch(sim);
    if (effect->kind == KP_EFFECT_PROBE || effect->kind == KP_EFFECT_SYNC ||
        effect->kind == KP_EFFECT_STATE)
        return; /* printed with the answer; seen in the columns */
    cf_words_put(&words, note->words, note->word_count);
    line->text = cf_arena_text(sim->texts, kp_buf_text(&words));
}

static void add_event(struct sim *sim, const struct kp_effect *effect)
{
    struct cf_note note;

    note_event(sim, effect, effect->u.event.type, effect->u.event.reason,
               cf_message_text(sim->texts, &effect->u.event.message));
    cf_note_init(&note, sim->texts, effect, false);
    add_effect(sim, effect, &note);
}

/* The pull is a part of the world's start: that it is over is printed when that start is. */
static void add_pulled(struct sim *sim, const struct kp_effect *behind,
                       const struct kp_container *container)
{
    struct kp_effect effect = *behind;

    effect.rule = KP_RULE_EVENT_PULLED;
    effect.u.event.type = KP_NORMAL;
    effect.u.event.reason = KP_TEXT("Pulled");
    kp_start_pulled_message(&effect.u.event.message, sim->trace->profile, container->image,
                            sim->pull_ns, IMAGE_BYTES);
    add_event(sim, &effect);
}

static void add_event_and_pull(struct sim *sim, const struct kp_effect *effect)
{
    const struct kp_container *container =
        effect->container >= 0 ? &effect->spec->containers[effect->container] : NULL;

    if (container && kp_start_pulls(container) &&
        kp_text_equal(effect->u.event.reason, KP_TEXT("Pulled"))) {
        sim->pulling[effect->container] = true;
        return;
    }
    if (container && sim->pulling[effect->container] &&
        !kp_text_equal(effect->u.event.reason, KP_TEXT("Pulling"))) {
        sim->pulling[effect->container] = false;
        add_pulled(sim, effect, container);
    }
    add_event(sim, effect);
}

/* The kill of a whole pod names no reason: the probe that failed before is it. */
static void note_result(struct sim *sim, const struct kp_effect *effect)
{
    enum kp_kill_reason *failed = &sim->failed[effect->container];
    enum kp_kill_reason reason = effect->u.result.type == KP_STARTUP    ? KP_KILL_STARTUP
                                 : effect->u.result.type == KP_LIVENESS ? KP_KILL_LIVENESS
                                                                        : KP_KILL_NO_REASON;

    if (reason == KP_KILL_NO_REASON || sim->shown.has_deletion)
        return;
    if (effect->u.result.value == KP_RESULT_FAILURE)
        *failed = reason;
    else if (*failed == reason)
        *failed = KP_KILL_NO_REASON;
}

static void on_effect(void *ctx, const struct kp_effect *effect)
{
    struct sim *sim = ctx;
    struct cf_note note;

    if (effect->kind == KP_EFFECT_EVENT) {
        sim->past_deadline |= effect->rule == KP_RULE_ACTIVE_DEADLINE;
        add_event_and_pull(sim, effect);
        return;
    }
    cf_note_init(&note, sim->texts, effect, false);
    if (effect->kind == KP_EFFECT_PROBE || effect->kind == KP_EFFECT_HOOK)
        remember_attempt(sim, &note, effect);
    if (effect->kind == KP_EFFECT_KILL || effect->kind == KP_EFFECT_RESULT)
        unfold_all(sim);
    if (effect->kind == KP_EFFECT_RESULT)
        note_result(sim, effect);
    if (effect->kind == KP_EFFECT_START)
        sim->failed[effect->container] = KP_KILL_NO_REASON;
    sim->gone |= effect->kind == KP_EFFECT_APIDELETE;
    add_effect(sim, effect, &note);
}

/* ---- an instant is over ------------------------------------------------------------------------
 */

static void record_events(struct sim *sim, int64_t at_ns)
{
    for (size_t i = 0; i < sim->note_count; i++)
        if (kp_event_correlator_record(sim->trace->events, &sim->notes[i], at_ns, NULL) != KP_OK)
            sim->no_memory = true;
    sim->note_count = 0;
}

/* Without the age of a restart: it changes by itself. */
static bool same_columns(const struct cf_columns *a, const struct cf_columns *b)
{
    return strcmp(a->ready, b->ready) == 0 && strcmp(a->status, b->status) == 0 &&
           strtol(a->restarts, NULL, 10) == strtol(b->restarts, NULL, 10);
}

static uint32_t restarts_of(const struct kp_pod_status *status)
{
    uint32_t restarts = 0;

    for (size_t i = 0; status && i < status->status_count; i++)
        restarts += (uint32_t)status->statuses[i].restart_count;
    return restarts;
}

static void look_at_columns(struct sim *sim, int64_t at_ns)
{
    struct cf_columns now;
    struct cf_sim_line *line;
    const struct kp_pod_status *status = kp_engine_status(sim->impl.node.engine, 0);

    if (status && kp_phase_is_terminal(status->phase) && sim->trace->over_ns == KP_NEVER) {
        sim->trace->over_ns = at_ns;
        sim->trace->failed = status->phase == KP_FAILED;
    }
    cf_kubectl_columns(sim->trace->profile, &sim->shown, status, sim->trace->wall_ns + at_ns, &now);
    if (same_columns(&now, &sim->columns))
        return;
    sim->columns = now;
    sim->trace->restarts = restarts_of(status);
    sim->trace->ready = status && kp_status_is_true(status, "Ready");
    line = add_line(sim, CF_SIM_COLUMNS);
    if (line)
        line->columns = now;
}

static void on_instant(void *ctx, int64_t at_ns)
{
    struct sim *sim = ctx;
    struct cf_sim_trace *trace = sim->trace;

    sim->now_ns = at_ns;
    for (size_t i = sim->settled; i < trace->line_count; i++)
        if (trace->lines[i].kind == CF_SIM_EFFECT)
            trace->lines[i].at_ns = at_ns;
    record_events(sim, at_ns);
    if (sim->gone && trace->gone_ns == KP_NEVER)
        trace->gone_ns = at_ns;
    if (sim->past_deadline && trace->deadline_ns == KP_NEVER)
        trace->deadline_ns = at_ns;
    if (sim->impl.node.engine && !sim->gone)
        look_at_columns(sim, at_ns);
    settle(sim);
}

/* ---- the run -----------------------------------------------------------------------------------
 */

/* The kubelet has run for 120.5 s, so that relists and ticks fall on half seconds. */
static struct fake_run run_of(struct sim *sim, const struct fake_script *script,
                              const struct kp_pod *const *pods)
{
    struct cf_sim_trace *trace = sim->trace;

    return (struct fake_run){
        .impl = trace->live ? trace->live->interface(trace->live->ctx, &sim->impl,
                                                     (struct cf_live_listener){on_event, sim})
                            : fake_engine_impl_interface(&sim->impl),
        .open = {.layer = FAKE_LAYER_POD,
                 .profile = trace->profile,
                 .pods = pods,
                 .pod_count = 1,
                 .uptime_ns = 120500 * KP_NS_PER_MS,
                 .sync_frequency_ns = 60 * KP_NS_PER_S},
        .script = *script,
        .observer = {on_effect, on_instant, on_event, sim},
        .end_ns = trace->end_ns,
    };
}

/* Successes are printed when their row ends, at the last's instant: behind later lines, maybe. */
static void put_in_order(struct cf_sim_trace *trace)
{
    for (size_t i = 1; i < trace->line_count; i++) {
        struct cf_sim_line line = trace->lines[i];
        size_t at = i;

        for (; at > 0 && trace->lines[at - 1].at_ns > line.at_ns; at--)
            trace->lines[at] = trace->lines[at - 1];
        trace->lines[at] = line;
    }
}

enum kp_err cf_sim_play(struct cf_arena *arena, const struct fake_script *script, int64_t pull_ns,
                        struct cf_sim_trace *trace, const char **why)
{
    size_t containers = kp_pod_container_count(trace->pod);
    struct sim sim = {
        .arena = arena, .trace = trace, .impl = {.mem = arena->mem}, .pull_ns = pull_ns};
    const struct kp_pod *const pods[] = {trace->pod};
    struct fake_run run = run_of(&sim, script, pods);
    enum fake_end end;

    *why = NULL;
    sim.shown = *trace->pod;
    trace->deleted_ns = trace->gone_ns = trace->over_ns = trace->deadline_ns = KP_NEVER;
    sim.settling = (struct cf_arena){.mem = arena->mem};
    sim.texts = trace->live ? &sim.settling : arena;
    trace->wall_ns = CF_EPOCH_NS;
    sim.folds = cf_arena_array(arena, containers * KP_PROBE_TYPES, sizeof *sim.folds);
    sim.pulling = cf_arena_array(arena, containers, sizeof *sim.pulling);
    sim.failed = cf_arena_array(arena, containers, sizeof *sim.failed);
    if (!sim.folds || !sim.pulling || !sim.failed ||
        kp_event_correlator_new(arena->mem, trace->profile, &trace->events) != KP_OK)
        return KP_ENOMEM;
    end = fake_world_run(&run, arena->mem);
    unfold_all(&sim);
    put_in_order(trace);
    trace->described = cf_describe_events(arena, trace->events);
    cf_out_deinit(&sim.scratch);
    cf_arena_deinit(&sim.settling);
    if (sim.no_memory || arena->failed || end == FAKE_END_NOMEM)
        return KP_ENOMEM;
    if (end == FAKE_END_DONE)
        return KP_OK;
    *why = run.error ? run.error : sim.impl.error ? sim.impl.error : fake_end_name(end);
    return KP_EINPUT;
}

void cf_sim_trace_deinit(struct cf_sim_trace *trace)
{
    kp_event_correlator_free(trace->events);
    trace->events = NULL;
}
