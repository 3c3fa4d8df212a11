#include "core/kubelet/kill_container.h"

#include "core/kubelet/pod_workers.h"
#include "fakes/unit.h"

#define NONE (-1)

/* Upstream: TestKillContainerGracePeriod.  NONE: not set. */
struct grace_row {
    const char *why;
    const char *k8s;
    int deletion_s;
    int pod_s;
    int liveness_s;
    int startup_s;
    enum kp_kill_reason reason;
    int want_s;
};

/* clang-format off */
static const struct grace_row rows[] = {
    {"nothing is set",                  "1.36", NONE, NONE, NONE, NONE, KP_KILL_NO_REASON, 2},
    {"the pod's own",                   "1.36", NONE, 30,   NONE, NONE, KP_KILL_LIVENESS,  30},
    {"zero is a value",                 "1.36", NONE, 0,    NONE, NONE, KP_KILL_NO_REASON, 0},
    {"the liveness probe's",            "1.36", NONE, 30,   5,    NONE, KP_KILL_LIVENESS,  5},
    {"it may be longer than the pod's", "1.36", NONE, 30,   90,   NONE, KP_KILL_LIVENESS,  90},
    {"the startup probe's",             "1.36", NONE, 30,   5,    7,    KP_KILL_STARTUP,   7},
    {"no probe's for another reason",   "1.36", NONE, 30,   5,    7,    KP_KILL_UNKNOWN,   30},
    {"not the other probe's",           "1.36", NONE, 30,   NONE, 7,    KP_KILL_LIVENESS,  30},
    {"none without the pod's",          "1.36", NONE, NONE, 5,    7,    KP_KILL_LIVENESS,  2},
    {"deletion's own without the pod's", "1.36", 11,   NONE, NONE, NONE, KP_KILL_NO_REASON, 11},
    {"deletion goes before all",        "1.36", 11,   30,   5,    7,    KP_KILL_LIVENESS,  11},
    {"1.20 does not know it",           "1.20", NONE, 30,   5,    7,    KP_KILL_LIVENESS,  30},
    {"1.21 has its gate off",           "1.21", NONE, 30,   5,    7,    KP_KILL_LIVENESS,  30},
    {"1.22 looks at no gate",           "1.22", NONE, 30,   5,    7,    KP_KILL_LIVENESS,  5},
};
/* clang-format on */

static void check_grace(const struct grace_row *row)
{
    struct kp_probe liveness = {.has_grace = row->liveness_s != NONE, .grace_s = row->liveness_s};
    struct kp_probe startup = {.has_grace = row->startup_s != NONE, .grace_s = row->startup_s};
    struct kp_container app = {.name = KP_TEXT("app"),
                               .kind = KP_REGULAR,
                               .probes = {[KP_LIVENESS] = &liveness, [KP_STARTUP] = &startup}};
    struct kp_pod pod = {.containers = &app,
                         .regular_count = 1,
                         .has_grace = row->pod_s != NONE,
                         .grace_s = row->pod_s,
                         .has_deletion_grace = row->deletion_s != NONE,
                         .deletion_grace_s = row->deletion_s};
    struct kp_profile profile = unit_profile(row->k8s);

    unit_check_int(kp_kill_grace_s(&profile, &pod, 0, row->reason), row->want_s, row->why, __FILE__,
                   __LINE__);
}

static void the_grace_period_of_a_kill(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_grace(&rows[i]);
}

static void the_grace_period_of_a_deletion_only_shrinks(void)
{
    struct kp_pod pod = {.has_grace = true, .grace_s = 30};
    struct kp_profile profile;

    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.31")), KP_OK);
    CHECK_INT(kp_pod_worker_grace_s(&profile, 0, &pod), 30);
    pod.has_deletion_grace = true;
    pod.deletion_grace_s = 5;
    CHECK_INT(kp_pod_worker_grace_s(&profile, 0, &pod), 5);
    CHECK_INT(kp_pod_worker_grace_s(&profile, 3, &pod), 3);
    CHECK_INT(kp_pod_worker_grace_s(&profile, 1, &pod), 1);
    pod.deletion_grace_s = 0;
    CHECK_INT(kp_pod_worker_grace_s(&profile, 5, &pod), 1);
    CHECK_INT(kp_pod_worker_grace_s(&profile, 0, &pod), 1);
    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.30")), KP_OK);
    CHECK_INT(kp_pod_worker_grace_s(&profile, 0, &pod), 30);
}

const struct unit_test kill_container_test[] = {
    {"the grace period of a kill", the_grace_period_of_a_kill},
    {"the grace period of a deletion only shrinks", the_grace_period_of_a_deletion_only_shrinks},
    {0},
};
