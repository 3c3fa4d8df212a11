#include "conformance/probe/probe_watch.h"

#include "conformance/simulate/live.h"
#include "conformance/simulate/sim_trace.h"
#include "conformance/text/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

struct watch {
    const struct cf_probe_choice *choice;
    FILE *to;
    struct cf_live live;
    struct cf_out out;
};

static struct fake_impl interface(void *ctx, struct fake_engine_impl *impl,
                                  struct cf_live_listener listener)
{
    return cf_live_interface(&((struct watch *)ctx)->live, impl, listener);
}

static void flush(struct watch *watch)
{
    struct cf_out *out = &watch->out;

    if (out->len == 0)
        return;
    if (!cf_print_text(watch->to, cf_out_text(out)) || fflush(watch->to) != 0)
        interrupted = 1; /* nobody reads any more */
    cf_out_clear(out);
}

static void on_line(void *ctx, const struct cf_sim_trace *trace, const struct cf_sim_line *line)
{
    struct watch *watch = ctx;

    if (watch->choice->json)
        cf_sim_put_json_line(&watch->out, trace, line);
    else
        cf_sim_put_line(&watch->out, line);
    flush(watch);
}

/* Probes are answered by those who are probed, and by nobody here. */
static struct fake_script live_script(void)
{
    static const struct fake_step never[] = {{.attempt_count = 0, .until = FAKE_FOREVER}};
    static const struct fake_answers answers[] = {
        {.call = FAKE_CALL_LIVENESS, .steps = never, .step_count = 1},
        {.call = FAKE_CALL_READINESS, .steps = never, .step_count = 1},
        {.call = FAKE_CALL_STARTUP, .steps = never, .step_count = 1},
    };

    return (struct fake_script){.answers = answers, .answers_count = 3};
}

/* Init containers are done at once: what is watched is the rest of the pod's life. */
static enum kp_err init_behaviours(struct cf_arena *arena, const struct kp_pod *pod,
                                   struct fake_script *script)
{
    static const struct fake_exit done[] = {{.code = 0}};
    struct fake_behaviour *behaviours = cf_arena_array(arena, pod->init_count, sizeof *behaviours);

    if (pod->init_count > 0 && !behaviours)
        return KP_ENOMEM;
    for (size_t i = 0; i < pod->init_count; i++)
        if (!kp_container_is_sidecar(&pod->containers[i]))
            behaviours[script->behaviour_count++] = (struct fake_behaviour){
                .container = pod->containers[i].name, .exits = done, .exit_count = 1};
    script->behaviours = behaviours;
    return KP_OK;
}

static void listen_to_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};

    interrupted = 0;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static enum kp_err play(struct watch *watch, struct cf_arena *arena, struct cf_sim_trace *trace,
                        const char **why)
{
    struct fake_script script = live_script();
    enum kp_err err = init_behaviours(arena, trace->pod, &script);

    if (err != KP_OK)
        return err;
    if (!watch->choice->json)
        cf_sim_put_heading(&watch->out);
    flush(watch);
    err = cf_sim_play(arena, &script, 0, trace, why);
    if (watch->live.failed)
        return KP_ENOMEM;
    return err == KP_EINPUT && interrupted ? KP_OK : err;
}

enum kp_err cf_probe_watch(const struct kp_mem *mem, const struct cf_probe_choice *choice,
                           const struct cf_probe_watching *watching, bool *healthy,
                           const char **why)
{
    struct cf_arena arena;
    struct watch watch = {.choice = choice, .to = watching->to};
    struct cf_sim_live live = {interface, on_line, &watch};
    struct cf_sim_trace trace = {.profile = choice->profile,
                                 .pod = choice->pod,
                                 .end_ns = watching->for_ns,
                                 .every_probe = true,
                                 .live = &live};
    enum kp_err err;

    arena = (struct cf_arena){.mem = mem};
    watch.live = (struct cf_live){.arena = &arena,
                                  .profile = choice->profile,
                                  .pod = choice->pod,
                                  .pod_ip = choice->pod_ip,
                                  .stop = &interrupted,
                                  .speed = watching->speed};
    listen_to_signals();
    err = kp_handlers_new(mem, &watch.live.handlers);
    if (err == KP_OK)
        err = play(&watch, &arena, &trace, why);
    *healthy = err == KP_OK && trace.restarts == 0 && trace.ready;
    cf_sim_trace_deinit(&trace);
    kp_handlers_free(watch.live.handlers);
    cf_out_deinit(&watch.out);
    cf_arena_deinit(&arena);
    return err;
}
