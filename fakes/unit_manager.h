/*
 * unit_manager.h: a prober manager with one pod of up to 30 containers, for unit tests: what its
 * workers emit stands in a log, and an answer goes to the newest attempt.
 */
#pragma once

#include "core/prober/prober_manager.h"
#include "core/prober/prober_state.h"
#include "fakes/alloc.h"
#include "fakes/effect_log.h"
#include "fakes/unit.h"

#define S KP_NS_PER_S

static struct kp_mem mem;
static struct kp_profile profile;
static struct fake_effect_log log_;
static uint32_t last_n;
static struct kp_prober_manager *manager;
static struct kp_probe probe;
static struct kp_exec_action command;
static struct kp_container containers[30];
static struct kp_container_status statuses[30];
static struct kp_pod_status status;
static struct kp_pod pod;
static int64_t jitter_ns;

static inline int64_t draw_jitter(void *ctx, const struct kp_pod *spec, int container,
                                  enum kp_probe_type type, int64_t period_ns)
{
    (void)ctx, (void)spec, (void)container, (void)type, (void)period_ns;
    return jitter_ns;
}

static inline void describe(size_t count)
{
    static const char names[] = "abcdefghijklmnopqrstuvwxyzABCD";

    probe = (struct kp_probe){.handler = {.exec = &command},
                              .period_s = 10,
                              .timeout_s = 1,
                              .success_threshold = 1,
                              .failure_threshold = 1};
    for (size_t i = 0; i < count; i++) {
        containers[i] = (struct kp_container){.name = {&names[i], 1}, .kind = KP_REGULAR};
        statuses[i] = (struct kp_container_status){
            .name = containers[i].name,
            .container_id = containers[i].name,
            .state = {.kind = KP_STATE_RUNNING, .started_at_ns = -5 * S},
            .has_started = true,
            .started = true,
        };
    }
    status =
        (struct kp_pod_status){.phase = KP_RUNNING, .statuses = statuses, .status_count = count};
    pod = (struct kp_pod){.uid = KP_TEXT("u"),
                          .containers = containers,
                          .regular_count = count,
                          .restart_policy = KP_TEXT("Always")};
}

/* The same, each container with the one liveness probe. */
static inline void describe_live(size_t count)
{
    describe(count);
    for (size_t i = 0; i < count; i++)
        containers[i].probes[KP_LIVENESS] = &probe;
}

static inline void open_manager(const char *k8s)
{
    struct kp_prober_config config = {.profile = &profile,
                                      .start_ns = -3600 * S,
                                      .last_n = &last_n,
                                      .draws = {.jitter_ns = draw_jitter},
                                      .sink = fake_effect_log_sink(&log_)};

    mem = fake_alloc_plain();
    log_.len = 0;
    last_n = 0;
    jitter_ns = 0;
    CHECK_INT(kp_profile_init(&profile, kp_text_of(k8s)), KP_OK);
    CHECK_INT(kp_prober_manager_new(&mem, &config, &manager), KP_OK);
}

static inline void give_pod(int64_t now_ns)
{
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_OK);
    kp_prober_manager_store_status(manager, 0, &status);
    kp_prober_manager_add_pod(manager, 0, &pod, now_ns);
}

static inline void open_with_pod(const char *k8s)
{
    open_manager(k8s);
    give_pod(0);
}

static inline void run(int64_t now_ns)
{
    while (kp_prober_manager_next_ns(manager) < now_ns)
        kp_prober_manager_run(manager, kp_prober_manager_next_ns(manager));
    kp_prober_manager_run(manager, now_ns);
}

static inline void answer(enum kp_answer result, int64_t now_ns)
{
    run(now_ns);
    CHECK(kp_prober_manager_answer(manager, log_.last_n, result, KP_TEXT("x"), now_ns));
    run(now_ns);
}

#define EMITTED(want) CHECK_TEXT(fake_effect_log_take(&log_), KP_TEXT(want))
