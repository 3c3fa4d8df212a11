#include "core/kubelet/pod_status.h"

#include "fakes/unit.h"

#include <string.h>

/*
 * One letter a container: r running, R running after an exit with 1, w waiting, c d waiting after
 * an exit with 1, with 0, 0 1 ended with that code, . in no known state.  Init containers stand
 * before the bar; S begins a sidecar: Sr (started), Su (not yet), Sw; N one whose own restartPolicy
 * is Never.
 */
struct phase_row {
    const char *why;
    const char *k8s;
    const char *policy;
    const char *containers;
    bool terminal;
    bool initialized;
    enum kp_phase want;
};

/* clang-format off */
static const struct phase_row phase_rows[] = {
    {"waiting",                         "1.36", "Always",    "|w",     false, false, KP_PENDING},
    {"running",                         "1.36", "Always",    "|r",     false, true,  KP_RUNNING},
    {"running beside one that ended",   "1.36", "Never",     "|r1",    false, true,  KP_RUNNING},
    {"running beside one that waits",   "1.36", "Always",    "|rw",    false, true,  KP_PENDING},
    {"unknown",                         "1.36", "Always",    "|r.",    false, true,  KP_PENDING},
    {"an end with Always",              "1.36", "Always",    "|0",     false, true,  KP_RUNNING},
    {"crash loop",                      "1.36", "Always",    "|c",     false, true,  KP_RUNNING},
    {"all ended with 0, OnFailure",     "1.36", "OnFailure", "|00",    false, true,  KP_SUCCEEDED},
    {"one with 1, OnFailure",           "1.36", "OnFailure", "|01",    false, true,  KP_RUNNING},
    {"all ended with 0, Never",         "1.36", "Never",     "|00",    false, true,  KP_SUCCEEDED},
    {"one with 1, Never",               "1.36", "Never",     "|01",    false, true,  KP_FAILED},
    {"terminal with Always",            "1.36", "Always",    "|0",     true,  true,  KP_SUCCEEDED},
    {"terminal with Always and 1",      "1.36", "Always",    "|1",     true,  true,  KP_FAILED},
    {"waits after an end with 0, terminal", "1.36", "Always", "|d",    true,  true,  KP_FAILED},
    {"terminal before 1.27",            "1.26", "Always",    "|0",     true,  true,  KP_RUNNING},
    {"init runs",                       "1.36", "Always",    "r|w",    false, false, KP_PENDING},
    {"init failed, Never",              "1.36", "Never",     "1|w",    false, false, KP_FAILED},
    {"init failed, Always",             "1.36", "Always",    "1|w",    false, false, KP_PENDING},
    {"init done",                       "1.36", "Always",    "0|r",    false, true,  KP_RUNNING},
    {"sidecar not started",             "1.36", "Always",    "Su|w",   false, false, KP_PENDING},
    {"sidecar not started, but before", "1.36", "Always",    "Su|r",   false, true,  KP_RUNNING},
    {"sidecar in no known state",       "1.36", "Always",    "S.|w",   false, false, KP_PENDING},
    {"sidecar runs on",                 "1.36", "Never",     "Sr|0",   false, true,  KP_RUNNING},
    {"init again, before sidecars",     "1.27", "Always",    "r|0",    false, true,  KP_PENDING},
    {"init again beside one that ran",  "1.28", "Always",    "r|0",    false, true,  KP_RUNNING},
    {"the last that overlooks it",      "1.31", "Always",    "r|0",    false, true,  KP_RUNNING},
    {"the first that does not",         "1.32", "Always",    "r|0",    false, true,  KP_PENDING},
    {"nor later ones",                  "1.36", "Always",    "r|0",    false, true,  KP_PENDING},
    {"sidecar again, one that waits",   "1.32", "Always",    "Su|c",   false, true,  KP_PENDING},
    {"sidecar again, one that ran",     "1.32", "Always",    "Su|0",   false, false, KP_RUNNING},
    {"sidecar again, the runtime knows","1.33", "Always",    "Su|c",   false, true,  KP_RUNNING},
    {"init waits after an end with 1, Never", "1.36", "Never", "c|w",  false, false, KP_FAILED},
    {"and Always",                      "1.36", "Always",    "c|r",    false, true,  KP_RUNNING},
    {"init waits after an end with 0",  "1.36", "Always",    "d|r",    false, true,  KP_RUNNING},
    {"init waits",                      "1.36", "Always",    "w|r",    false, true,  KP_PENDING},
    {"init runs after an end",          "1.36", "Always",    "R|r",    false, true,  KP_PENDING},
    {"waits after an end, Never",       "1.36", "Never",     "|c",     false, true,  KP_FAILED},
    {"sidecar waits",                   "1.36", "Always",    "Sw|r",   false, true,  KP_PENDING},
    {"sidecar waits after an end",      "1.36", "Always",    "Sc|r",   false, false, KP_RUNNING},
    {"sidecar unknown beside one that runs", "1.36", "Always", "S.|r", false, true,  KP_PENDING},
    {"sidecar started",                 "1.36", "Always",    "Sr|r",   false, false, KP_RUNNING},
    {"sidecar behind an init container","1.36", "Always",    "0Su|r",  false, false, KP_PENDING},
    {"the same, started before",        "1.36", "Always",    "0Su|r",  false, true,  KP_RUNNING},
    {"an end beside an unknown one",    "1.36", "Always",    "|0.",    false, true,  KP_PENDING},
    {"one init container's own Never",  "1.36", "Always",    "0N1|w",  false, false, KP_FAILED},
    {"the same, waiting after its end", "1.36", "Always",    "0Nc|w",  false, false, KP_FAILED},
    {"own Never, the other one waits",  "1.36", "Always",    "|N1c",   false, true,  KP_RUNNING},
    {"init failed, Never, without rules",  "1.33", "Never",  "1|w",    false, false, KP_FAILED},
    {"init failed, Always, without rules", "1.33", "Always", "1|w",    false, false, KP_PENDING},
    {"nothing at all",                  "1.36", "Never",     "|",      false, true,  KP_PENDING},
    {"without restart rules",           "1.33", "OnFailure", "|01",    false, true,  KP_RUNNING},
    {"without restart rules, Never",    "1.33", "Never",     "|01",    false, true,  KP_FAILED},
};
/* clang-format on */

static struct kp_container_status status_of(char letter)
{
    struct kp_container_status status = {.has_started = true};

    switch (letter) {
    case 'r':
        status.started = true;
        status.state.kind = KP_STATE_RUNNING;
        break;
    case 'R':
        status.state.kind = KP_STATE_RUNNING;
        status.last_state = (struct kp_state){.kind = KP_STATE_TERMINATED, .exit_code = 1};
        break;
    case 'u':
        status.state.kind = KP_STATE_RUNNING;
        break;
    case 'w':
        status.state.kind = KP_STATE_WAITING;
        break;
    case 'c':
    case 'd':
        status.state.kind = KP_STATE_WAITING;
        status.last_state =
            (struct kp_state){.kind = KP_STATE_TERMINATED, .exit_code = letter == 'c'};
        break;
    case '0':
    case '1':
        status.state = (struct kp_state){.kind = KP_STATE_TERMINATED, .exit_code = letter - '0'};
        break;
    default:
        break;
    }
    return status;
}

static void check_phase(const struct phase_row *row)
{
    struct kp_container containers[4] = {{.kind = KP_INIT}};
    struct kp_container_status statuses[4];
    struct kp_pod pod = {.restart_policy = kp_text_of(row->policy), .containers = containers};
    size_t count = 0;
    bool init = true;
    struct kp_profile profile = unit_profile(row->k8s);

    for (const char *at = row->containers; *at; at++) {
        if (*at == '|') {
            init = false;
            continue;
        }
        containers[count] = (struct kp_container){.kind = init ? KP_INIT : KP_REGULAR};
        if (*at == 'S' || *at == 'N') {
            containers[count].restart_policy = *at == 'S' ? KP_TEXT("Always") : KP_TEXT("Never");
            at++;
        }
        statuses[count++] = status_of(*at);
        if (init)
            pod.init_count++;
        else
            pod.regular_count++;
    }
    unit_check_int(kp_phase_of(&profile, &pod, statuses, row->terminal, row->initialized),
                   row->want, row->why, __FILE__, __LINE__);
}

static void the_phase_follows_from_the_containers(void)
{
    for (size_t i = 0; i < sizeof phase_rows / sizeof phase_rows[0]; i++)
        check_phase(&phase_rows[i]);
}

/* P pending, R running, F failed, S succeeded, - nothing is known. */
struct stays_row {
    const char *why;
    const char *k8s;
    char api;
    char old;
    char phase;
    char want;
};

/* clang-format off */
static const struct stays_row stays_rows[] = {
    {"a phase is what it is",               "1.36", 'R', 'R', 'F', 'F'},
    {"also without any before",             "1.36", '-', '-', 'R', 'R'},
    {"what the API has as final stays",     "1.36", 'F', 'R', 'R', 'F'},
    {"even for another one that is final",  "1.36", 'F', 'F', 'S', 'F'},
    {"also where it fails later",           "1.36", 'S', 'R', 'F', 'S'},
    {"in 1.15 too",                         "1.15", 'S', 'R', 'R', 'S'},
    {"what was computed as final stays",    "1.36", 'R', 'S', 'R', 'S'},
    {"but for another one that is final",   "1.36", 'R', 'S', 'F', 'F'},
    {"the other way round as well",         "1.36", 'R', 'F', 'S', 'S'},
    {"the first that kept it",              "1.22", 'R', 'F', 'P', 'F'},
    {"up to 1.21 it could come back",       "1.21", 'R', 'F', 'R', 'R'},
    {"with nothing in the API",             "1.36", '-', 'F', 'P', 'F'},
};
/* clang-format on */

static enum kp_phase phase_named(char letter)
{
    static const enum kp_phase phases[] = {KP_PENDING, KP_RUNNING, KP_FAILED, KP_SUCCEEDED};
    static const char letters[] = "PRFS";

    return phases[strchr(letters, letter) - letters];
}

static void a_final_phase_stays(void)
{
    for (size_t i = 0; i < sizeof stays_rows / sizeof stays_rows[0]; i++) {
        const struct stays_row *row = &stays_rows[i];
        struct kp_pod_status api = {.status_count = 0};
        struct kp_pod_status old = {.status_count = 0};
        struct kp_profile profile = unit_profile(row->k8s);

        if (row->api != '-')
            api.phase = phase_named(row->api);
        if (row->old != '-')
            old.phase = phase_named(row->old);
        unit_check_int(kp_phase_stays(&profile, row->api == '-' ? NULL : &api,
                                      row->old == '-' ? NULL : &old, phase_named(row->phase)),
                       phase_named(row->want), row->why, __FILE__, __LINE__);
    }
}

const struct unit_test pod_status_rows_test[] = {
    {"a final phase stays", a_final_phase_stays},
    {"the phase follows from the containers", the_phase_follows_from_the_containers},
    {0},
};
