/* What probes say of a status: UpdatePodStatus. */
#include "fakes/unit_manager.h"

/* A container that waits for its startup probe, or would. */
static void describe_startup(void)
{
    describe(1);
    containers[0].probes[KP_STARTUP] = &probe;
    statuses[0].has_started = statuses[0].started = false;
}

/* The pod gets workers, whose kubelet has no status of it yet. */
static void add_pod(void)
{
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_OK);
    kp_prober_manager_add_pod(manager, 0, &pod, 0);
}

/* Such an entry is nobody's, and stays as it is: the pod's container is the second one of two. */
static void a_status_of_no_container_of_the_pod_is_left_alone(void)
{
    describe(2);
    pod.containers = &containers[1];
    pod.regular_count = 1;
    containers[0].name = statuses[0].name = containers[1].name;
    statuses[1].name = KP_TEXT("stranger");
    for (size_t i = 0; i < 2; i++)
        statuses[i].has_started = statuses[i].started = false;
    open_manager("1.36");
    add_pod();
    kp_prober_manager_update_pod_status(manager, 0, &pod, &status, 0);
    CHECK(statuses[0].ready && statuses[0].has_started);
    CHECK(!statuses[1].ready && !statuses[1].has_started);
    kp_prober_manager_free(manager);
}

/* P-003, P-161: turned off, a startup probe that the object still has makes nobody wait. */
static void without_the_gate_nobody_waits_for_startup(void)
{
    for (int on = 0; on < 2; on++) {
        describe_startup();
        open_manager("1.17");
        profile.gates[KP_GATE_StartupProbe] = on;
        manager->env.profile = profile;
        add_pod();
        kp_prober_manager_update_pod_status(manager, 0, &pod, &status, 0);
        CHECK_INT(statuses[0].started, !on);
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

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        describe_startup();
        open_manager(rows[i].k8s);
        add_pod();
        if (rows[i].known) /* doProbe sees what was not said yet, and probes */
            kp_prober_manager_store_status(manager, 0, &status);
        run(0);
        statuses[0].has_started = statuses[0].started = true;
        kp_prober_manager_update_pod_status(manager, 0, &pod, &status, 0);
        CHECK_INT(statuses[0].started, rows[i].want);
        kp_prober_manager_free(manager);
    }
}

/* P-161: an init container waits for no startup probe but its own. */
static void an_init_container_behind_a_sidecar_has_started(void)
{
    describe(2);
    containers[0].probes[KP_STARTUP] = &probe;
    containers[0].kind = containers[1].kind = KP_INIT;
    containers[0].restart_policy = KP_TEXT("Always");
    pod.init_count = 2;
    pod.regular_count = 0;
    for (size_t i = 0; i < 2; i++)
        statuses[i].has_started = statuses[i].started = false;
    open_manager("1.36");
    add_pod();
    kp_prober_manager_update_pod_status(manager, 0, &pod, &status, 0);
    CHECK(!statuses[0].started);
    CHECK(statuses[1].started);
    kp_prober_manager_free(manager);
}

/* P-166: up to 1.27 an init container is ready or not by its exit code; from 1.28 on that only
 * makes it ready, and what is said already of one that failed stays. */
static void an_init_container_stays_ready_from_1_28_on(void)
{
    static const char *const versions[] = {"1.27", "1.28"};

    for (int stays = 0; stays < 2; stays++) {
        describe(2);
        containers[0].kind = KP_INIT;
        pod.init_count = pod.regular_count = 1;
        statuses[0].state = (struct kp_state){.kind = KP_STATE_TERMINATED, .exit_code = 1};
        statuses[0].ready = true;
        open_manager(versions[stays]);
        add_pod();
        kp_prober_manager_update_pod_status(manager, 0, &pod, &status, 0);
        CHECK_INT(statuses[0].ready, stays);
        kp_prober_manager_free(manager);
    }
}

const struct unit_test prober_status_test[] = {
    {"an init container behind a sidecar has started",
     an_init_container_behind_a_sidecar_has_started},
    {"an init container stays ready from 1.28 on", an_init_container_stays_ready_from_1_28_on},
    {"a result counts more than what was said", a_result_counts_more_than_what_was_said},
    {"without the gate nobody waits for startup", without_the_gate_nobody_waits_for_startup},
    {"a status of no container of the pod is left alone",
     a_status_of_no_container_of_the_pod_is_left_alone},
    {0},
};
