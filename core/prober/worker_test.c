#include "core/prober/worker.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

static struct kp_probe probe;
static struct kp_container container;
static struct kp_pod pod;
static struct kp_worker worker;
static struct kp_prober_env env;

static void begin(const char *k8s, enum kp_probe_type type)
{
    probe = (struct kp_probe){.period_s = 10, .success_threshold = 1, .failure_threshold = 3};
    container = (struct kp_container){.name = KP_TEXT("app"), .kind = KP_REGULAR};
    container.probes[type] = &probe;
    pod = (struct kp_pod){
        .containers = &container, .regular_count = 1, .restart_policy = KP_TEXT("Always")};
    env = (struct kp_prober_env){.start_ns = -3600 * KP_NS_PER_S,
                                 .start_wall_ns = -3600 * KP_NS_PER_S};
    CHECK_INT(kp_profile_init(&env.profile, kp_text_of(k8s)), KP_OK);
    worker = (struct kp_worker){0};
    kp_worker_init(&worker, &pod, 0, type);
    worker.view = (struct kp_view){.pod_known = true,
                                   .cid = KP_TEXT("c1"),
                                   .state = KP_STATE_RUNNING,
                                   .started = type != KP_STARTUP,
                                   .running_since_ns = KP_NS_PER_S};
}

static struct kp_step tick(void)
{
    struct kp_step step = {0};
    enum kp_action action = kp_worker_do_probe(&worker, &env, 100 * KP_NS_PER_S, &step);

    CHECK_INT(step.action, action);
    return step;
}

/* ---- thresholds: one character a period ---------------------------------------------------- */

/* saw: + success, - failure, ! prober error, N a new container; told: S or F what is cached, u
 * unknown, . nothing cached yet; lower case: on hold. */
struct play {
    enum kp_probe_type type;
    int32_t failures;
    int32_t successes;
    const char *saw;
    const char *told;
    const char *why;
};

/* clang-format off */
static const struct play plays[] = {
    {KP_READINESS, 3, 1, "+",         "S",         "one success is enough by default"},
    {KP_READINESS, 3, 1, "----",      "FFFF",      "readiness starts out failed"},
    {KP_READINESS, 3, 1, "+--+---",   "SSSSSSF",   "a success in between restarts the count"},
    {KP_READINESS, 1, 3, "+++-+++",   "FFSFFFS",   "successThreshold counts afresh after a failure"},
    {KP_READINESS, 2, 1, "+-!-",      "SSSF",      "a prober error neither counts nor resets"},
    {KP_READINESS, 0, -7, "-+-",      "FSF",       "a threshold below one acts as one"},
    {KP_READINESS, 1, 3, "+++N+",     "FFSFS",     "K-01: the run survives the container"},
    {KP_LIVENESS,  3, 1, "---",       "SSf",       "the third failure is cached and holds"},
    {KP_LIVENESS,  3, 1, "---N--",    "SSfSSS",    "a hold begins the count anew"},
    {KP_LIVENESS,  3, 1, "--N-",      "SSSf",      "K-01: two failures are carried over"},
    {KP_STARTUP,   2, 1, "-",         "U",         "below the threshold it is unknown, not failed"},
    {KP_STARTUP,   2, 1, "--",        "Uf",        "a startup failure holds"},
    {KP_STARTUP,   2, 2, "-++",       "UUs",       "1.32: so does its success"},
};
/* clang-format on */

static char told(void)
{
    char cached = '.';

    if (worker.cached == KP_RESULT_SUCCESS)
        cached = worker.on_hold ? 's' : 'S';
    if (worker.cached == KP_RESULT_FAILURE)
        cached = worker.on_hold ? 'f' : 'F';
    return worker.cached == KP_RESULT_UNKNOWN ? 'U' : cached;
}

static void apply(const struct kp_step *step)
{
    for (uint32_t i = 0; i < step->set_count; i++)
        worker.cached = (int8_t)step->sets[i].value;
}

static void show(char kind)
{
    struct kp_step step;

    if (kind == 'N') {
        worker.view.cid = KP_TEXT("c2");
        worker.cached = KP_RESULT_NONE;
    }
    step = tick();
    apply(&step);
    if (step.action != KP_PROBE || kind == '!' || kind == 'N')
        return;
    kp_worker_count(&worker, &env, kind == '+' ? KP_RESULT_SUCCESS : KP_RESULT_FAILURE, &step);
    apply(&step);
}

static void plays_come_out_as_written(void)
{
    for (size_t i = 0; i < sizeof plays / sizeof plays[0]; i++) {
        const struct play *play = &plays[i];
        char got[16] = {0};

        begin("1.36", play->type);
        worker.failure_threshold = play->failures;
        worker.success_threshold = play->successes;
        for (size_t at = 0; play->saw[at]; at++) {
            show(play->saw[at]);
            got[at] = told();
        }
        if (strcmp(got, play->told) != 0)
            printf("\n  %s\n    saw   %s\n    told  %s\n    want  %s\n", play->why, play->saw, got,
                   play->told);
        CHECK_STRING(got, play->told);
    }
}

/* The rule said backwards: the newest long-enough run decides.  Errors are as if never probed. */
static int8_t expected(const char *saw, size_t n, int32_t failures, int32_t successes)
{
    for (size_t end = n; end > 0; end--) {
        char kind = saw[end - 1];
        int32_t run = 0;

        if (kind == '!')
            continue;
        for (size_t i = end; i > 0 && (saw[i - 1] == kind || saw[i - 1] == '!'); i--)
            run += saw[i - 1] == kind;
        if (run >= (kind == '-' ? failures : successes))
            return kind == '-' ? KP_RESULT_FAILURE : KP_RESULT_SUCCESS;
    }
    return KP_RESULT_FAILURE;
}

static void every_short_readiness_scenario_ends_as_its_newest_run_says(void)
{
    static const char kinds[] = "+-!";
    int wrong = 0;

    begin("1.36", KP_READINESS);
    for (int scenario = 0; scenario < 6561 * 9; scenario++) {
        char saw[9] = {0};
        int rest = scenario / 9;

        for (size_t i = 0; i < 8; i++, rest /= 3)
            saw[i] = kinds[rest % 3];
        worker.failure_threshold = scenario % 3 + 1;
        worker.success_threshold = scenario / 3 % 3 + 1;
        worker.result_run = 0;
        worker.last_result = KP_RESULT_SUCCESS;
        worker.cid = KP_TEXT_NONE;
        for (size_t i = 0; i < 8; i++)
            show(saw[i]);
        wrong +=
            worker.cached != expected(saw, 8, worker.failure_threshold, worker.success_threshold);
    }
    CHECK_INT(wrong, 0);
}

/* ---- the guards, each by its rule, and the order between two of them --------------------------
 */

static void guards_stand_in_upstreams_order(void)
{
    struct kp_step step;

    begin("1.36", KP_LIVENESS);
    worker.view.pod_known = false;
    worker.view.pod_terminal = true;
    CHECK_INT(tick().rule, KP_RULE_POD_STATUS_UNKNOWN);
    worker.view.pod_known = true;
    CHECK_INT(tick().rule, KP_RULE_POD_TERMINAL);
    CHECK_INT(tick().action, KP_END);
    worker.view.pod_terminal = false;
    worker.view.cid = KP_TEXT_NONE;
    CHECK_INT(tick().rule, KP_RULE_CONTAINER_UNKNOWN);
    worker.view.cid = KP_TEXT("c1");
    worker.view.state = KP_STATE_WAITING;
    worker.on_hold = true; /* lifted by the new id before it is looked at */
    step = tick();
    CHECK_INT(step.rule, KP_RULE_WORKER_RESTART_RULES);
    CHECK_INT(step.set_count, 2);
    CHECK_INT(step.sets[0].rule, KP_RULE_INITIAL_RESULT);
    CHECK_INT(step.sets[1].rule, KP_RULE_NOT_RUNNING_IS_FAILURE);
    worker.on_hold = true;
    CHECK_INT(tick().rule, KP_RULE_ON_HOLD);
    worker.on_hold = false;
    worker.view.state = KP_STATE_RUNNING;
    worker.pod_deleting = true;
    worker.initial_delay_s = 200;
    CHECK_INT(tick().rule, KP_RULE_DELETION_ENDS_PROBES);
    worker.pod_deleting = false;
    worker.view.started = false;
    CHECK_INT(tick().rule, KP_RULE_INITIAL_DELAY);
    worker.initial_delay_s = 0;
    CHECK_INT(tick().rule, KP_RULE_STARTUP_FIRST);
    worker.view.started = true;
    CHECK_INT(tick().rule, KP_RULE_DO_PROBE);
}

/* Two ids in one piece of memory, of which the shorter is the longer one's beginning. */
static void an_id_ends_where_it_ends(void)
{
    static const char ids[] = "c10";

    begin("1.36", KP_LIVENESS);
    worker.view.cid = (struct kp_text){ids, 2};
    (void)tick();
    CHECK_TEXT(worker.cid, KP_TEXT("c1"));
    worker.view.cid = (struct kp_text){ids, 3};
    (void)tick();
    CHECK_TEXT(worker.cid, KP_TEXT("c10"));
}

static void the_initial_delay_is_over_at_the_whole_second(void)
{
    static const struct {
        int32_t delay_s;
        int64_t age_ns;
        enum kp_action action;
    } rows[] = {
        {5, 5 * KP_NS_PER_S - 1, KP_WAIT},
        {5, 5 * KP_NS_PER_S, KP_PROBE},
        {0, 0, KP_PROBE},
        {0, -KP_NS_PER_S + 1, KP_PROBE}, /* toward zero */
        {0, -KP_NS_PER_S, KP_WAIT},
        {-1, -KP_NS_PER_S, KP_PROBE},
        {-1, -2 * KP_NS_PER_S, KP_WAIT},
    };

    begin("1.36", KP_LIVENESS);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        worker.initial_delay_s = rows[i].delay_s;
        worker.view.running_since_ns = 100 * KP_NS_PER_S - rows[i].age_ns;
        CHECK_INT(tick().action, rows[i].action);
    }
}

static void who_outlives_a_dead_container(void)
{
    /* clang-format off */
    static const struct {
        const char *k8s, *pod_policy, *own_policy;
        enum kp_container_kind kind;
        enum kp_state_kind state;
        int32_t code;
        enum kp_action action;
    } rows[] = {
        {"1.30", "Never",     "",       KP_REGULAR, KP_STATE_TERMINATED, 0, KP_END},
        {"1.30", "Never",     "",       KP_REGULAR, KP_STATE_WAITING,    0, KP_WAIT},
        {"1.30", "OnFailure", "",       KP_REGULAR, KP_STATE_TERMINATED, 0, KP_WAIT},
        {"1.31", "Never",     "Always", KP_INIT,    KP_STATE_TERMINATED, 1, KP_END},  /* K-13 */
        {"1.33", "Never",     "Always", KP_INIT,    KP_STATE_TERMINATED, 1, KP_WAIT},
        {"1.34.1", "Never",   "Always", KP_INIT,    KP_STATE_TERMINATED, 1, KP_END},
        {"1.36", "OnFailure", "",       KP_REGULAR, KP_STATE_TERMINATED, 0, KP_END},
        {"1.36", "OnFailure", "",       KP_REGULAR, KP_STATE_TERMINATED, 3, KP_WAIT},
        {"1.36", "Never",     "Always", KP_REGULAR, KP_STATE_TERMINATED, 0, KP_WAIT},
        {"1.36", "Always",    "Never",  KP_REGULAR, KP_STATE_TERMINATED, 1, KP_END},
        {"1.36", "Always",    "",       KP_REGULAR, KP_STATE_TERMINATED, 0, KP_WAIT},
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(rows[i].k8s, KP_LIVENESS);
        container.kind = rows[i].kind;
        container.restart_policy = kp_text_of(rows[i].own_policy);
        pod.restart_policy = kp_text_of(rows[i].pod_policy);
        kp_worker_init(&worker, &pod, 0, KP_LIVENESS);
        worker.view.state = (uint8_t)rows[i].state;
        worker.view.exit_code = rows[i].code;
        if (!CHECK_INT(tick().action, rows[i].action))
            printf("  in row %zu\n", i);
    }
}

static void the_first_restart_rules_were_the_wrong_way_round(void)
{
    begin("1.34", KP_LIVENESS);
    CHECK_INT(kp_profile_set_gate(&env.profile, KP_TEXT("ContainerRestartRules"), true), KP_OK);
    pod.restart_policy = KP_TEXT("Never");
    kp_worker_init(&worker, &pod, 0, KP_LIVENESS);
    worker.view.state = KP_STATE_TERMINATED;
    CHECK_INT(tick().action, KP_WAIT);
    worker.view.state = KP_STATE_WAITING;
    CHECK_INT(tick().action, KP_END);
}

/* P-037: the policy is that of the worker's own container. */
static void the_wrong_way_round_went_by_its_own_container(void)
{
    struct kp_container both[2];

    begin("1.34", KP_LIVENESS);
    CHECK_INT(kp_profile_set_gate(&env.profile, KP_TEXT("ContainerRestartRules"), true), KP_OK);
    both[0] = both[1] = container;
    both[1].restart_policy = KP_TEXT("Never");
    pod.containers = both;
    pod.regular_count = 2;
    kp_worker_init(&worker, &pod, 1, KP_LIVENESS);
    worker.view.state = KP_STATE_WAITING;
    CHECK_INT(tick().action, KP_END);
    kp_worker_init(&worker, &pod, 0, KP_LIVENESS);
    worker.view.state = KP_STATE_WAITING;
    CHECK_INT(tick().action, KP_WAIT);
}

static void an_old_container_gets_no_initial_value_from_1_35_on(void)
{
    begin("1.34", KP_READINESS);
    worker.view.running_since_ns = env.start_wall_ns - 11 * KP_NS_PER_S;
    CHECK_INT(tick().set_count, 1);
    begin("1.35", KP_READINESS);
    worker.view.running_since_ns = env.start_wall_ns - 11 * KP_NS_PER_S;
    CHECK_INT(tick().set_count, 0);
    begin("1.35", KP_READINESS);
    worker.view.running_since_ns = env.start_wall_ns - 10 * KP_NS_PER_S;
    CHECK_INT(tick().set_count, 1); /* the grace is ten seconds */
    begin("1.35", KP_READINESS);
    worker.view.running_since_ns = 0; /* not said: it is none of old */
    env.start_wall_ns = KP_NS_PER_S * 3600;
    CHECK_INT(tick().set_count, 1);
    begin("1.35", KP_LIVENESS);
    worker.view.running_since_ns = env.start_wall_ns - 11 * KP_NS_PER_S;
    worker.view.state = KP_STATE_TERMINATED; /* nor is one that does not run */
    CHECK_INT(tick().set_count, 2);
}

static void startup_successes_hold_from_1_32_on(void)
{
    begin("1.31", KP_STARTUP);
    show('+');
    CHECK(!worker.on_hold);
    begin("1.32", KP_STARTUP);
    show('+');
    CHECK(worker.on_hold);
}

/* ---- every guard, for every type, on every release ------------------------------------------- */

enum situation {
    WITHOUT_STATUS,
    TERMINAL_POD,
    WITHOUT_ID,
    RESTING,
    WAITING_NEVER, /* the container waits, and its policy is Never */
    DEAD_ALWAYS,
    DEAD_NEVER,
    DEAD_SIDECAR, /* in a pod of policy Never */
    DELETED,
    YOUNG,    /* younger than its initial delay */
    STARTED,  /* and it has started */
    UNSTARTED /* and it has not */
};

enum { L = 1 << KP_LIVENESS, R = 1 << KP_READINESS, U = 1 << KP_STARTUP, ALL = L | R | U };

/* What a worker does there from one release to another, both inclusive, said in the rules' own
 * versions and not by the switches that the worker asks. */
struct guarded {
    enum situation in;
    int types;
    const char *from;
    const char *to;
    bool restart_rules; /* the gate ContainerRestartRules */
    enum kp_rule rule;
    enum kp_action action;
};

/* clang-format off */
static const struct guarded guarded[] = {
    {WITHOUT_STATUS, ALL,   "1.15.0",  "1.37.9",  false, KP_RULE_POD_STATUS_UNKNOWN,      KP_WAIT},
    {TERMINAL_POD,   ALL,   "1.15.0",  "1.37.9",  false, KP_RULE_POD_TERMINAL,            KP_END},
    {WITHOUT_ID,     ALL,   "1.15.0",  "1.37.9",  false, KP_RULE_CONTAINER_UNKNOWN,       KP_WAIT},
    {RESTING,        L | U, "1.15.0",  "1.37.9",  false, KP_RULE_ON_HOLD,                 KP_WAIT},
    {WAITING_NEVER,  ALL,   "1.15.0",  "1.37.9",  false, KP_RULE_TERMINATED_CONTAINER,    KP_WAIT},
    {DEAD_ALWAYS,    ALL,   "1.15.0",  "1.37.9",  false, KP_RULE_TERMINATED_CONTAINER,    KP_WAIT},
    {DEAD_NEVER,     ALL,   "1.15.0",  "1.37.9",  false, KP_RULE_TERMINATED_CONTAINER,    KP_END},
    {DEAD_SIDECAR,   ALL,   "1.28.0",  "1.33.5",  false, KP_RULE_TERMINATED_CONTAINER,    KP_END},
    {DEAD_SIDECAR,   ALL,   "1.33.6",  "1.33.99", false, KP_RULE_SIDECAR_WORKER_OUTLIVES, KP_WAIT},
    {DEAD_SIDECAR,   ALL,   "1.34.0",  "1.34.1",  false, KP_RULE_TERMINATED_CONTAINER,    KP_END},
    {DEAD_SIDECAR,   ALL,   "1.34.2",  "1.37.9",  false, KP_RULE_SIDECAR_WORKER_OUTLIVES, KP_WAIT},
    {WAITING_NEVER,  ALL,   "1.34.0",  "1.34.99", true,  KP_RULE_WORKER_RESTART_RULES,    KP_END}, /* the wrong way round */
    {DEAD_NEVER,     ALL,   "1.34.0",  "1.34.99", true,  KP_RULE_WORKER_RESTART_RULES,    KP_WAIT},
    {WAITING_NEVER,  ALL,   "1.35.0",  "1.37.9",  true,  KP_RULE_WORKER_RESTART_RULES,    KP_WAIT},
    {DEAD_NEVER,     ALL,   "1.35.0",  "1.37.9",  true,  KP_RULE_WORKER_RESTART_RULES,    KP_END},
    {DEAD_ALWAYS,    ALL,   "1.34.0",  "1.37.9",  true,  KP_RULE_WORKER_RESTART_RULES,    KP_WAIT},
    {DELETED,        L | U, "1.18.18", "1.18.99", false, KP_RULE_DELETION_ENDS_PROBES,    KP_END},
    {DELETED,        L | U, "1.19.10", "1.19.99", false, KP_RULE_DELETION_ENDS_PROBES,    KP_END},
    {DELETED,        L | U, "1.20.6",  "1.37.9",  false, KP_RULE_DELETION_ENDS_PROBES,    KP_END},
    {YOUNG,          ALL,   "1.15.0",  "1.37.9",  false, KP_RULE_INITIAL_DELAY,           KP_WAIT},
    {UNSTARTED,      L | R, "1.16.0",  "1.37.9",  false, KP_RULE_STARTUP_FIRST,           KP_WAIT},
    {UNSTARTED,      U,     "1.16.0",  "1.37.9",  false, KP_RULE_DO_PROBE,                KP_PROBE},
    {STARTED,        L | R, "1.15.0",  "1.37.9",  false, KP_RULE_DO_PROBE,                KP_PROBE},
    {STARTED,        U,     "1.16.0",  "1.18.17", false, KP_RULE_STARTUP_FIRST,           KP_WAIT},
    {STARTED,        U,     "1.18.18", "1.18.18", false, KP_RULE_STARTUP_WORKER_ENDS,     KP_END}, /* K-12 */
    {STARTED,        U,     "1.18.19", "1.19.9",  false, KP_RULE_STARTUP_FIRST,           KP_WAIT},
    {STARTED,        U,     "1.19.10", "1.19.10", false, KP_RULE_STARTUP_WORKER_ENDS,     KP_END},
    {STARTED,        U,     "1.19.11", "1.20.5",  false, KP_RULE_STARTUP_FIRST,           KP_WAIT},
    {STARTED,        U,     "1.20.6",  "1.20.6",  false, KP_RULE_STARTUP_WORKER_ENDS,     KP_END},
    {STARTED,        U,     "1.20.7",  "1.20.99", false, KP_RULE_STARTUP_FIRST,           KP_WAIT},
    {STARTED,        U,     "1.21.0",  "1.21.0",  false, KP_RULE_STARTUP_WORKER_ENDS,     KP_END},
    {STARTED,        U,     "1.21.1",  "1.37.9",  false, KP_RULE_STARTUP_FIRST,           KP_WAIT},
};
/* clang-format on */

static int number_of(const char *version)
{
    int minor = 0;
    int patch = 0;

    CHECK_INT(sscanf(version, "1.%d.%d", &minor, &patch), 2);
    return minor * 1000 + patch;
}

static void put_into(const struct guarded *row, enum kp_probe_type type)
{
    container.kind = row->in == DEAD_SIDECAR ? KP_INIT : KP_REGULAR;
    if (row->in == DEAD_SIDECAR)
        container.restart_policy = KP_TEXT("Always");
    if (row->in == WAITING_NEVER || row->in == DEAD_NEVER || row->in == DEAD_SIDECAR)
        pod.restart_policy = KP_TEXT("Never");
    env.profile.gates[KP_GATE_ContainerRestartRules] = row->restart_rules;
    kp_worker_init(&worker, &pod, 0, type);
    worker.cid = worker.view.cid;
    worker.view.pod_known = row->in != WITHOUT_STATUS;
    worker.view.pod_terminal = row->in == TERMINAL_POD;
    if (row->in == WITHOUT_ID)
        worker.view.cid = KP_TEXT_NONE;
    worker.on_hold = row->in == RESTING;
    if (row->in == WAITING_NEVER)
        worker.view.state = KP_STATE_WAITING;
    if (row->in == DEAD_ALWAYS || row->in == DEAD_NEVER || row->in == DEAD_SIDECAR)
        worker.view.state = KP_STATE_TERMINATED;
    worker.pod_deleting = row->in == DELETED;
    worker.initial_delay_s = row->in == YOUNG ? 200 : 0;
    worker.view.started = row->in != UNSTARTED;
}

/* P-046 .. P-048: one failure of two, the second one, and a success. */
static void count_on(const char *k8s, enum kp_probe_type type, bool success_rests)
{
    struct kp_step step = {0};

    begin(k8s, type);
    worker.failure_threshold = 2;
    worker.view.started = type != KP_STARTUP;
    (void)tick();
    kp_worker_count(&worker, &env, KP_RESULT_FAILURE, &step);
    CHECK_INT(step.rule, KP_RULE_BELOW_THRESHOLD);
    kp_worker_count(&worker, &env, KP_RESULT_FAILURE, &step);
    CHECK_INT(step.rule,
              type == KP_READINESS ? KP_RULE_THRESHOLD_REACHED : KP_RULE_HOLD_AFTER_RESULT);
    kp_worker_count(&worker, &env, KP_RESULT_SUCCESS, &step);
    CHECK_INT(step.rule, success_rests ? KP_RULE_HOLD_AFTER_RESULT : KP_RULE_THRESHOLD_REACHED);
}

static void each_release_has_its_guards(void)
{
    for (int minor = KP_MINOR_MIN; minor <= KP_MINOR_MAX; minor++)
        for (int patch = 0; patch <= kp_profile_last_patch(minor); patch++) {
            char k8s[16];
            int now = minor * 1000 + patch;

            snprintf(k8s, sizeof k8s, "1.%d.%d", minor % 100, patch % 100);
            for (int type = 0; type < KP_PROBE_TYPES; type++) {
                if (type == KP_STARTUP && minor == KP_MINOR_MIN)
                    continue; /* there is none yet */
                for (size_t i = 0; i < sizeof guarded / sizeof guarded[0]; i++) {
                    const struct guarded *row = &guarded[i];

                    if (!(row->types & 1 << type) || now < number_of(row->from) ||
                        now > number_of(row->to))
                        continue;
                    begin(k8s, (enum kp_probe_type)type);
                    put_into(row, (enum kp_probe_type)type);
                    if (!CHECK_INT(tick().rule, row->rule) ||
                        !CHECK_INT(tick().action, row->action))
                        printf("  in row %zu, type %d, on %s\n", i, type, k8s);
                }
                count_on(k8s, (enum kp_probe_type)type, type == KP_STARTUP && minor >= 32);
            }
        }
}

const struct unit_test worker_test[] = {
    {"plays come out as written", plays_come_out_as_written},
    {"every short readiness scenario ends as its newest run says",
     every_short_readiness_scenario_ends_as_its_newest_run_says},
    {"guards stand in upstream's order", guards_stand_in_upstreams_order},
    {"an id ends where it ends", an_id_ends_where_it_ends},
    {"the initial delay is over at the whole second",
     the_initial_delay_is_over_at_the_whole_second},
    {"who outlives a dead container", who_outlives_a_dead_container},
    {"the first restart rules were the wrong way round",
     the_first_restart_rules_were_the_wrong_way_round},
    {"the wrong way round went by its own container",
     the_wrong_way_round_went_by_its_own_container},
    {"an old container gets no initial value from 1.35 on",
     an_old_container_gets_no_initial_value_from_1_35_on},
    {"startup successes hold from 1.32 on", startup_successes_hold_from_1_32_on},
    {"each release has its guards", each_release_has_its_guards},
    {0},
};
