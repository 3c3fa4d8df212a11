#include "core/prober_manager.h"

#include "fakes/alloc.h"
#include "fakes/effect_log.h"
#include "fakes/unit.h"

/* Such an entry is nobody's, and stays as it is. */
static void a_status_of_no_container_of_the_pod_is_left_alone(void)
{
    struct kp_mem mem = fake_alloc_plain();
    struct kp_container before_and_web[] = {{.name = KP_TEXT("web"), .kind = KP_REGULAR},
                                            {.name = KP_TEXT("web"), .kind = KP_REGULAR}};
    struct kp_pod pod = {.containers = &before_and_web[1], .regular_count = 1};
    struct kp_container_status statuses[] = {
        {.name = KP_TEXT("web"), .state = {.kind = KP_STATE_RUNNING}},
        {.name = KP_TEXT("stranger"), .state = {.kind = KP_STATE_RUNNING}},
    };
    struct kp_pod_status status = {.statuses = statuses, .status_count = 2};
    struct kp_prober_manager *manager;
    struct fake_effect_log log = {.len = 0};
    struct kp_profile profile;
    uint32_t last_n = 0;

    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.36")), KP_OK);
    if (!CHECK(kp_prober_manager_new(&mem,
                                     &(struct kp_prober_config){.profile = &profile,
                                                                .last_n = &last_n,
                                                                .sink = fake_effect_log_sink(&log)},
                                     &manager) == KP_OK))
        return;
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_OK);
    kp_prober_manager_add_pod(manager, 0, &pod, 0);
    kp_prober_manager_update_pod_status(manager, 0, &pod, &status, 0);
    CHECK(statuses[0].ready && statuses[0].has_started);
    CHECK(!statuses[1].ready && !statuses[1].has_started);
    kp_prober_manager_free(manager);
}

/* P-003, P-161: turned off, a startup probe that the object still has makes nobody wait. */
static void without_the_gate_nobody_waits_for_startup(void)
{
    static const struct kp_exec_action command = {.command = {.count = 0}};
    struct kp_probe startup = {.handler = {.exec = &command},
                               .period_s = 10,
                               .timeout_s = 1,
                               .success_threshold = 1,
                               .failure_threshold = 1};
    struct kp_mem mem = fake_alloc_plain();
    struct kp_container web = {
        .name = KP_TEXT("web"), .kind = KP_REGULAR, .probes = {[KP_STARTUP] = &startup}};
    struct kp_pod pod = {.containers = &web, .regular_count = 1};

    for (int on = 0; on < 2; on++) {
        struct kp_container_status web_status = {.name = KP_TEXT("web"),
                                                 .container_id = KP_TEXT("c1"),
                                                 .state = {.kind = KP_STATE_RUNNING}};
        struct kp_pod_status status = {.statuses = &web_status, .status_count = 1};
        struct kp_prober_manager *manager;
        struct fake_effect_log log = {.len = 0};
        struct kp_profile profile;
        uint32_t last_n = 0;

        CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.17")), KP_OK);
        profile.gates[KP_GATE_StartupProbe] = on;
        CHECK_INT(
            kp_prober_manager_new(&mem,
                                  &(struct kp_prober_config){.profile = &profile,
                                                             .last_n = &last_n,
                                                             .sink = fake_effect_log_sink(&log)},
                                  &manager),
            KP_OK);
        CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_OK);
        kp_prober_manager_add_pod(manager, 0, &pod, 0);
        kp_prober_manager_update_pod_status(manager, 0, &pod, &status, 0);
        CHECK_INT(web_status.started, !on);
        kp_prober_manager_free(manager);
    }
}

/* P-161, P-165: what was said before counts where old containers keep it, and no result is known.
 */
static void a_result_counts_more_than_what_was_said(void)
{
    static const struct {
        const char *k8s;
        bool known;
        bool want;
    } rows[] = {{"1.36", true, false}, {"1.36", false, true}, {"1.34", false, false}};
    static const struct kp_exec_action command = {.command = {.count = 0}};
    struct kp_probe startup = {.handler = {.exec = &command},
                               .period_s = 10,
                               .timeout_s = 1,
                               .success_threshold = 1,
                               .failure_threshold = 1};
    struct kp_mem mem = fake_alloc_plain();
    struct kp_container web = {
        .name = KP_TEXT("web"), .kind = KP_REGULAR, .probes = {[KP_STARTUP] = &startup}};
    struct kp_pod pod = {.containers = &web, .regular_count = 1};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_container_status said = {.name = KP_TEXT("web"),
                                           .container_id = KP_TEXT("c1"),
                                           .state = {.kind = KP_STATE_RUNNING},
                                           .has_started = true,
                                           .started = true};
        struct kp_container_status seen = said;
        struct kp_pod_status status = {.statuses = &said, .status_count = 1};
        struct kp_prober_manager *manager;
        struct fake_effect_log log = {.len = 0};
        struct kp_profile profile;
        uint32_t last_n = 0;

        CHECK_INT(kp_profile_init(&profile, kp_text_of(rows[i].k8s)), KP_OK);
        CHECK_INT(
            kp_prober_manager_new(&mem,
                                  &(struct kp_prober_config){.profile = &profile,
                                                             .last_n = &last_n,
                                                             .sink = fake_effect_log_sink(&log)},
                                  &manager),
            KP_OK);
        CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_OK);
        kp_prober_manager_add_pod(manager, 0, &pod, 0);
        seen.started = false; /* the worker looks at what was not said yet, and asks */
        if (rows[i].known)
            kp_prober_manager_store_status(
                manager, 0, &(struct kp_pod_status){.statuses = &seen, .status_count = 1});
        kp_prober_manager_run(manager, 0);
        kp_prober_manager_update_pod_status(manager, 0, &pod, &status, 0);
        CHECK_INT(said.started, rows[i].want);
        kp_prober_manager_free(manager);
    }
}

const struct unit_test prober_status_test[] = {
    {"a result counts more than what was said", a_result_counts_more_than_what_was_said},
    {"without the gate nobody waits for startup", without_the_gate_nobody_waits_for_startup},
    {"a status of no container of the pod is left alone",
     a_status_of_no_container_of_the_pod_is_left_alone},
    {0},
};
