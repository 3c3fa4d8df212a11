#include "core/kubelet/pod_actions.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

/*
 * A pod in letters, init containers before the bar: `-` nothing, `c` created, `r` running, `0` `1`
 * exited, `u` unknown; `R` running from another definition, `L` its liveness failed, `T` its
 * startup failed, `P` its startup is not decided, `N` it has no liveness probe that could have
 * failed. Behind a second bar stand ephemeral containers.  `S` before a letter: a sidecar (with a
 * startup probe where the letter says so).  The sandbox: `n` none, `r` ready, `d` dead, `2` two are
 * ready. The answer: K kill the pod, C create a sandbox, then starts by index, kills as !index.
 */
struct action_row {
    const char *why;
    const char *k8s;
    const char *policy;
    char sandbox;
    const char *containers;
    bool deleted;
    const char *want;
};

/* clang-format off */
static const struct action_row rows[] = {
    {"steady",                              "1.36", "Always",    'r', "|rr",    false, ""},
    {"a new pod",                           "1.36", "Always",    'n', "|--",    false, "KC 0 1"},
    {"created is started",                  "1.36", "Never",     'r', "|cr",    false, "0"},
    {"an exit with 0, Always",              "1.36", "Always",    'r', "|0r",    false, "0"},
    {"an exit with 0, OnFailure",           "1.36", "OnFailure", 'r', "|0r",    false, ""},
    {"an exit with 1, OnFailure",           "1.36", "OnFailure", 'r', "|1r",    false, "0"},
    {"an exit with 1, Never",               "1.36", "Never",     'r', "|1r",    false, ""},
    {"all are over",                        "1.36", "Never",     'r', "|10",    false, "K"},
    {"unknown is killed and started",       "1.36", "Never",     'r', "|ur",    false, "0 !0"},
    {"another definition, even Never",      "1.36", "Never",     'r', "|Rr",    false, "0 !0"},
    {"liveness failed",                     "1.36", "Always",    'r', "|Lr",    false, "0 !0"},
    {"startup failed",                      "1.36", "OnFailure", 'r', "|Tr",    false, "0 !0"},
    {"liveness failed, Never, another runs", "1.36", "Never",    'r', "|Lr",    false, "!0"},
    {"liveness failed, Never, alone",       "1.36", "Never",     'r', "|L",     false, "K !0"},
    {"a deleted pod starts nothing",        "1.36", "Always",    'r', "|0r",    true,  ""},
    {"1.17.10 still did",                   "1.17.10","Always",    'r', "|0r",    true,  "0"},
    {"the sandbox is dead",                 "1.36", "Always",    'd', "|11",    false, "KC 0 1"},
    {"dead, OnFailure keeps what succeeded", "1.36", "OnFailure", 'd', "|10",   false, "KC 0"},
    {"dead, OnFailure, all succeeded",      "1.36", "OnFailure", 'd', "|00",    false, "K"},
    {"1.19.3 made a new one all the same",    "1.19.3","OnFailure", 'd', "|00",    false, "KC"},
    {"dead, Never, something ran",          "1.36", "Never",     'd', "|1-",    false, "K"},
    {"dead, Never, nothing was made",       "1.36", "Never",     'd', "|--",    false, "KC 0 1"},
    {"two are ready",                       "1.36", "Always",    '2', "|r",     false, "KC 0"},
    {"dead, with init containers",          "1.36", "Always",    'd', "00|1",   false, "KC 0"},
    {"the first init container",            "1.36", "Always",    'r', "--|-",   false, "0"},
    {"the next one",                        "1.36", "Always",    'r', "0-|-",   false, "1"},
    {"one runs",                            "1.36", "Always",    'r', "r-|-",   false, ""},
    {"all are done",                        "1.36", "Always",    'r', "00|--",  false, "2 3"},
    {"one failed, Always",                  "1.36", "Always",    'r', "01|-",   false, "1"},
    {"one failed, Never",                   "1.36", "Never",     'r', "01|-",   false, "K"},
    {"one is unknown",                      "1.36", "OnFailure", 'r', "0u|-",   false, "1 !1"},
    {"lost, but the pod runs",              "1.36", "Always",    'r', "--|r",   false, ""},
    {"one failed, before sidecars",         "1.27", "Always",    'r', "01|-",   false, "1"},
    {"one failed, Never, before sidecars",  "1.27", "Never",     'r', "01|-",   false, "K"},
    {"a sidecar lets the next one start",   "1.36", "Always",    'r', "Sr-|-",  false, "1"},
    {"not before its startup probe says so", "1.36", "Always",   'r', "SP-|-",  false, ""},
    {"its startup failed",                  "1.36", "Never",     'r', "ST-|-",  false, "0 !0"},
    {"its liveness failed",                 "1.36", "Never",     'r', "SLSr|r", false, "0 !0"},
    {"it died",                             "1.36", "Never",     'r', "S0|r",   false, "0"},
    {"it vanished",                         "1.36", "Never",     'r', "S-|r",   false, "0"},
    {"all else is over: it goes too",       "1.36", "Never",     'r', "Sr|0",   false, "K"},
    {"it is not started again then",        "1.36", "Never",     'r', "SL|0",   false, "K !0"},
    {"dead as well: the pod is not initialized", "1.36", "Never", 'r', "S0|0",  false, "0"},
    {"its definition changed",              "1.36", "Always",    'r', "SR|r",   false, "0 !0"},
    {"1.31 did not look",                   "1.31", "Always",    'r', "SR|r",   false, ""},
    {"six died: in the order of the spec",  "1.36", "Always",    'r', "S0S0S0S0S0S0|r", false, "0 1 2 3 4 5"},
    {"six failed: in that order too",       "1.36", "Always",    'r', "SLSLSLSLSLSL|r", false, "0 1 2 3 4 5 !0 !1 !2 !3 !4 !5"},
    {"a result without a probe is none",    "1.36", "Always",    'r', "SN|r",   false, ""},
    {"behind a sidecar that died too",      "1.36", "Never",     'r', "S01|-",  false, "K"},
    {"created, behind a sidecar that died", "1.36", "Always",    'r', "S0c|-",  false, "0 1"},
    {"a failed one of a deleted pod",       "1.33", "Always",    'r', "01|-",   true,  "1"},
    {"from 1.35 that is over",              "1.35", "Always",    'r', "01|-",   true,  "K"},
    {"the pod runs: what init came to is over", "1.27", "Always", 'r', "0-|r",  false, ""},
    {"1.28.0: one that ended shows it too", "1.28.0", "Always",  'r', "-|-1",   false, "1 2"},
    {"before sidecars: the next one, Never", "1.27", "Never",   'r', "0-|-",   false, "1"},
    {"before sidecars: one is unknown",     "1.27", "OnFailure", 'r', "0u|-",  false, "1 !1"},
    {"before sidecars: the third runs",     "1.27", "Always",   'r', "0-|--r", false, "2 3"},
    {"1.28.0: the third shows it",          "1.28.0", "Always", 'r', "-|--1",  false, "1 2 3"},
    {"the second one's definition changed", "1.36", "Always",   'r', "SrSR|r", false, "1 !1"},
    {"the first one's definition changed",  "1.36", "Always",   'r', "SRSr|r", false, "0 !0"},
    {"it vanished, before all is initialized", "1.36", "Always", 'r', "S-r|-", false, "0"},
    {"a dead sidecar that nobody knows",    "1.36", "Always",   'r', "Su|r",   false, "0 !0"},
    {"ephemeral, once",                     "1.36", "Always",    'r', "|r|-0",  false, "1"},
    {"not while its gate is off",           "1.22", "Always",    'r', "|r|-",   false, ""},
};
/* clang-format on */

#define CONTAINERS_MAX 7

struct table {
    const struct action_row *row;
    struct kp_container containers[CONTAINERS_MAX];
    char letters[CONTAINERS_MAX];
    size_t count;
    struct kp_pod pod;
    struct kp_probe probe;
    struct kp_runtime_view view;
};

static bool result_of(void *ctx, enum kp_probe_type type, int container, struct kp_text cid,
                      enum kp_result *result)
{
    const struct table *table = ctx;
    char letter = table->letters[container];

    CHECK_TEXT(cid, KP_TEXT("new"));
    *result = KP_RESULT_SUCCESS;
    if (letter == 'P')
        return false;
    if (((letter == 'L' || letter == 'N') && type == KP_LIVENESS) ||
        (letter == 'T' && type == KP_STARTUP))
        *result = KP_RESULT_FAILURE;
    return letter != 'r' || type != KP_LIVENESS;
}

static void add_instance(struct table *table, const struct kp_profile *profile, size_t at)
{
    char letter = table->letters[at];
    struct kp_instance *instance;

    if (letter == '-')
        return;
    instance = kp_runtime_create(&table->view, (int)at, KP_TEXT("new"));
    instance->hash = kp_container_hash(profile, &table->containers[at]) + (letter == 'R');
    if (letter == 'c')
        return;
    instance->state = KP_INSTANCE_RUNNING;
    if (letter == 'u')
        instance->state = KP_INSTANCE_UNKNOWN;
    if (letter == '0' || letter == '1')
        kp_runtime_exit(instance, letter - '0', KP_TEXT_NONE, 0);
}

static void count_container(struct kp_pod *pod, enum kp_container_kind kind)
{
    pod->init_count += kind == KP_INIT;
    pod->regular_count += kind == KP_REGULAR;
    pod->ephemeral_count += kind == KP_EPHEMERAL;
}

static void add_container(struct table *table, const char **at, enum kp_container_kind kind)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    struct kp_container *container = &table->containers[table->count];

    *container = (struct kp_container){.name = kp_text_of(names[table->count]), .kind = kind};
    if (**at == 'S') {
        container->restart_policy = KP_TEXT("Always");
        (*at)++;
        if (**at != 'N')
            container->probes[KP_LIVENESS] = &table->probe;
        if (**at == 'P' || **at == 'T')
            container->probes[KP_STARTUP] = &table->probe;
    }
    table->letters[table->count++] = **at;
    count_container(&table->pod, kind);
}

static void lay(struct table *table, const struct kp_profile *profile)
{
    enum kp_container_kind kind = KP_INIT;
    char sandbox = table->row->sandbox;

    table->pod.restart_policy = kp_text_of(table->row->policy);
    table->pod.has_deletion = table->row->deleted;
    table->pod.containers = table->containers;
    for (const char *at = table->row->containers; *at; at++) {
        if (*at == '|')
            kind++;
        else
            add_container(table, &at, kind);
    }
    for (size_t i = 0; i < table->count; i++)
        add_instance(table, profile, i);
    if (sandbox != 'n')
        kp_runtime_sandbox_add(&table->view, 0);
    if (sandbox == '2')
        kp_runtime_sandbox_add(&table->view, 1);
    if (sandbox == 'd')
        table->view.sandboxes[0].ready = false;
}

static void put(char *to, const char *prefix, int number)
{
    size_t len = strlen(to);

    (void)snprintf(to + len, 64 - len, "%s%s%d", len > 0 ? " " : "", prefix, number);
}

static void describe(const struct kp_pod_actions *actions, char *to)
{
    strcpy(to, actions->kill_pod ? "K" : "");
    strcat(to, actions->create_sandbox ? "C" : "");
    for (size_t i = 0; i < actions->start_init_count; i++)
        put(to, "", actions->start_init[i]);
    for (size_t i = 0; i < actions->start_ephemeral_count; i++)
        put(to, "", actions->start_ephemeral[i]);
    for (size_t i = 0; i < actions->start_count; i++)
        put(to, "", actions->start[i]);
    for (size_t i = 0; i < actions->kill_count; i++) {
        put(to, "!", actions->kills[i].container);
        CHECK_TEXT(actions->kills[i].cid, KP_TEXT("new"));
    }
}

static void check_row(const struct action_row *row)
{
    struct kp_mem mem = fake_alloc_plain();
    struct table table = {.row = row};
    struct kp_pod_actions actions;
    struct kp_profile profile = unit_profile(row->k8s);
    char got[64];
    struct kp_actions_input input = {.profile = &profile,
                                     .pod = &table.pod,
                                     .runtime = &table.view,
                                     .result = result_of,
                                     .ctx = &table};

    CHECK_INT(kp_runtime_view_init(&table.view, &mem, CONTAINERS_MAX), KP_OK);
    CHECK_INT(kp_pod_actions_init(&actions, &mem, CONTAINERS_MAX), KP_OK);
    lay(&table, &profile);
    kp_pod_actions_compute(&actions, &input);
    describe(&actions, got);
    unit_check_text(kp_text_of(got), kp_text_of(row->want), row->why, __FILE__, __LINE__);
    kp_pod_actions_deinit(&actions, &mem);
    kp_runtime_view_deinit(&table.view, &mem);
}

static void what_a_sync_decides(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
}

/* ---- by which rule ------------------------------------------------------------------------- */

struct rule_row {
    struct action_row row;
    enum kp_rule rule;      /* of the pod's kill */
    enum kp_rule kill_rule; /* of the first container's */
    bool sandbox_changed;
    uint32_t attempt;
};

/* clang-format off */
static const struct rule_row rule_rows[] = {
    {{"a new pod",            "1.36", "Always",    'n', "|--",  false, ""}, KP_RULE_SANDBOX_KILL_AND_CREATE, KP_RULE_NONE, false, 0},
    {{"a dead sandbox",       "1.36", "Always",    'd', "|1",   false, ""}, KP_RULE_SANDBOX_KILL_AND_CREATE, KP_RULE_NONE, true, 1},
    {{"dead, Never",          "1.36", "Never",     'd', "|1",   false, ""}, KP_RULE_SANDBOX_NEVER, KP_RULE_NONE, false, 1},
    {{"dead, all done",       "1.36", "OnFailure", 'd', "|00",  false, ""}, KP_RULE_SANDBOX_NOTHING_TO_START, KP_RULE_NONE, false, 1},
    {{"all over",             "1.36", "Never",     'r', "|10",  false, ""}, KP_RULE_KILL_POD_WHEN_DONE, KP_RULE_NONE, false, 0},
    {{"init failed",          "1.36", "Never",     'r', "01|-", false, ""}, KP_RULE_INIT_FAILED, KP_RULE_NONE, false, 0},
    {{"before sidecars too",  "1.27", "Never",     'r', "01|-", false, ""}, KP_RULE_INIT_FAILED, KP_RULE_NONE, false, 0},
    {{"unknown",              "1.36", "Never",     'r', "|ur",  false, ""}, KP_RULE_NONE, KP_RULE_CONTAINER_START, false, 0},
    {{"another definition",   "1.36", "Always",    'r', "|Rr",  false, ""}, KP_RULE_NONE, KP_RULE_CONTAINER_HASH_CHANGED, false, 0},
    {{"liveness failed",      "1.36", "Always",    'r', "|Lr",  false, ""}, KP_RULE_NONE, KP_RULE_PROBE_FAILURE_KILLS, false, 0},
    {{"a sidecar's liveness", "1.36", "Always",    'r', "SL|r", false, ""}, KP_RULE_NONE, KP_RULE_SIDECAR_LIVENESS, false, 0},
};
/* clang-format on */

/* What a sync before has left in the actions does not count. */
static void check_rule(const struct rule_row *wanted)
{
    struct kp_mem mem = fake_alloc_plain();
    struct table table = {.row = &wanted->row};
    struct kp_pod_actions actions;
    struct kp_profile profile = unit_profile(wanted->row.k8s);
    struct kp_actions_input input = {.profile = &profile,
                                     .pod = &table.pod,
                                     .runtime = &table.view,
                                     .result = result_of,
                                     .ctx = &table};

    CHECK_INT(kp_runtime_view_init(&table.view, &mem, 6), KP_OK);
    CHECK_INT(kp_pod_actions_init(&actions, &mem, 6), KP_OK);
    lay(&table, &profile);
    actions.rule = KP_RULE_SYNC_LOOP_ITERATION;
    actions.sandbox_changed = true;
    actions.attempt = 7;
    actions.kill_pod = actions.create_sandbox = true;
    actions.start_count = actions.start_init_count = actions.start_ephemeral_count = 6;
    actions.kill_count = actions.reset_count = 6;
    kp_pod_actions_compute(&actions, &input);
    unit_check_int(actions.rule, wanted->rule, wanted->row.why, __FILE__, __LINE__);
    unit_check_int(actions.kill_count > 0 ? actions.kills[0].rule : KP_RULE_NONE, wanted->kill_rule,
                   wanted->row.why, __FILE__, __LINE__);
    CHECK(actions.kill_count == 0 || actions.kills[0].restart);
    unit_check_int(actions.sandbox_changed, wanted->sandbox_changed, wanted->row.why, __FILE__,
                   __LINE__);
    unit_check_int(actions.attempt, wanted->attempt, wanted->row.why, __FILE__, __LINE__);
    CHECK(actions.start_count < 6 && actions.start_init_count < 6 && actions.kill_count < 6);
    CHECK_INT(actions.start_ephemeral_count, 0);
    CHECK_INT(actions.reset_count, 0);
    kp_pod_actions_deinit(&actions, &mem);
    kp_runtime_view_deinit(&table.view, &mem);
}

static void by_which_rule_it_does(void)
{
    for (size_t i = 0; i < sizeof rule_rows / sizeof rule_rows[0]; i++)
        check_rule(&rule_rows[i]);
}

/* S-100: a sandbox in another network than the pod asks for is none that could be named. */
static void a_sandbox_in_another_network_is_none(void)
{
    struct kp_mem mem = fake_alloc_plain();
    struct kp_runtime_view view;
    struct kp_pod pod = {.regular_count = 0};
    uint32_t attempt = 7;
    bool has_id = true;

    CHECK_INT(kp_runtime_view_init(&view, &mem, 1), KP_OK);
    kp_runtime_sandbox_add(&view, 4);
    view.sandboxes[0].other_network_mode = true;
    CHECK(kp_sandbox_changed(&view, &pod, &attempt, &has_id));
    CHECK_INT(attempt, 5);
    CHECK(!has_id);
    view.sandboxes[0].has_network = true;
    view.sandboxes[0].has_ip = false; /* whatever else it lacks */
    CHECK(kp_sandbox_changed(&view, &pod, &attempt, &has_id));
    CHECK(!has_id);
    view.sandboxes[0].has_ip = true;
    view.sandboxes[0].other_network_mode = false;
    CHECK(!kp_sandbox_changed(&view, &pod, &attempt, &has_id));
    CHECK_INT(attempt, 4);
    CHECK(has_id);
    kp_runtime_view_deinit(&view, &mem);
}

/* S-100: one without an address, where it has a network of its own, is none, but is named. */
static void a_sandbox_without_an_address_is_reported(void)
{
    struct kp_mem mem = fake_alloc_plain();
    struct kp_runtime_view view;
    struct kp_pod pod = {.regular_count = 0};
    uint32_t attempt;
    bool has_id = false;

    CHECK_INT(kp_runtime_view_init(&view, &mem, 1), KP_OK);
    kp_runtime_sandbox_add(&view, 4);
    view.sandboxes[0].has_ip = false;
    CHECK(kp_sandbox_changed(&view, &pod, &attempt, &has_id));
    CHECK_INT(attempt, 5);
    CHECK(has_id);
    view.sandboxes[0].has_network = false;
    CHECK(!kp_sandbox_changed(&view, &pod, &attempt, &has_id));
    view.sandboxes[0].has_network = pod.host_network = true;
    CHECK(!kp_sandbox_changed(&view, &pod, &attempt, &has_id));
    kp_runtime_view_deinit(&view, &mem);
}

/* S-100: of whatever age the second one is that is ready. */
static void two_that_are_ready_are_none(void)
{
    struct kp_mem mem = fake_alloc_plain();
    struct kp_runtime_view view;
    struct kp_pod pod = {.regular_count = 0};
    uint32_t attempt;
    bool has_id;

    CHECK_INT(kp_runtime_view_init(&view, &mem, 1), KP_OK);
    for (uint32_t i = 0; i < 3; i++)
        kp_runtime_sandbox_add(&view, i);
    view.sandboxes[1].ready = false;
    CHECK(kp_sandbox_changed(&view, &pod, &attempt, &has_id));
    view.sandboxes[2].ready = false;
    CHECK(!kp_sandbox_changed(&view, &pod, &attempt, &has_id));
    kp_runtime_view_deinit(&view, &mem);
}

/* ---- restarting all of them ---------------------------------------------------------------- */

/* S-139: regular containers before init containers, those whose end requires it last. */
static void check_resets(char sandbox, bool kills, bool changed)
{
    static const int32_t code = 1;
    static const int order[] = {5, 0, 4, 1};
    const struct kp_restart_rule all = {.action = KP_TEXT("RestartAllContainers"),
                                        .has_exit_codes = true,
                                        .op = KP_TEXT("In"),
                                        .values = &code,
                                        .value_count = 1};
    const struct action_row row = {"", "1.36", "Never", sandbox, "01-|-1r", false, ""};
    struct kp_mem mem = fake_alloc_plain();
    struct table table = {.row = &row};
    struct kp_pod_actions actions;
    struct kp_profile profile = unit_profile(row.k8s);
    struct kp_actions_input input = {
        .profile = &profile, .pod = &table.pod, .runtime = &table.view, .restart_all = true};

    CHECK_INT(kp_runtime_view_init(&table.view, &mem, 6), KP_OK);
    CHECK_INT(kp_pod_actions_init(&actions, &mem, 6), KP_OK);
    lay(&table, &profile);
    for (size_t i = 1; i < table.count; i++) { /* the first one's end requires nothing */
        table.containers[i].restart_rules = &all;
        table.containers[i].restart_rule_count = 1;
    }
    actions.kill_pod = actions.create_sandbox = !kills;
    actions.sandbox_changed = !changed;
    kp_pod_actions_compute(&actions, &input);
    CHECK_INT(actions.rule, KP_RULE_RESTART_ALL_IN_PROGRESS);
    CHECK_INT(actions.kill_pod, kills);
    CHECK_INT(actions.create_sandbox, kills);
    CHECK_INT(actions.sandbox_changed, changed);
    CHECK_INT(actions.reset_count, 4);
    for (size_t i = 0; i < actions.reset_count; i++) {
        CHECK_INT(actions.resets[i].container, order[i]);
        CHECK_INT(actions.resets[i].kill, order[i] == 5);
    }
    kp_pod_actions_deinit(&actions, &mem);
    kp_runtime_view_deinit(&table.view, &mem);
}

static void a_restart_of_all_resets_them_in_order(void)
{
    check_resets('r', false, false);
    check_resets('d', true, true);
    check_resets('n', true, false);
}

/* Whatever is there of a container is reset; an ephemeral one runs on. */
static void a_restart_of_all_resets_each_instance(void)
{
    static const int order[] = {1, 0, 0, 0};
    static const char *const cids[] = {"second", "third"};
    const struct action_row row = {"", "1.36", "Never", 'r', "0|r|r", false, ""};
    struct kp_mem mem = fake_alloc_plain();
    struct table table = {.row = &row};
    struct kp_pod_actions actions;
    struct kp_profile profile = unit_profile(row.k8s);
    struct kp_actions_input input = {
        .profile = &profile, .pod = &table.pod, .runtime = &table.view, .restart_all = true};

    CHECK_INT(kp_runtime_view_init(&table.view, &mem, 3), KP_OK);
    CHECK_INT(kp_pod_actions_init(&actions, &mem, 3), KP_OK);
    lay(&table, &profile);
    for (int i = 0; i < 2; i++)
        kp_runtime_exit(kp_runtime_create(&table.view, 0, kp_text_of(cids[i])), 0, KP_TEXT_NONE, 0);
    kp_pod_actions_compute(&actions, &input);
    CHECK_INT(actions.reset_count, 4);
    for (size_t i = 0; i < actions.reset_count; i++)
        CHECK_INT(actions.resets[i].container, order[i]);
    CHECK_TEXT(actions.resets[1].cid, KP_TEXT("third"));
    kp_pod_actions_deinit(&actions, &mem);
    kp_runtime_view_deinit(&table.view, &mem);
}

static void memory_that_runs_out_is_given_back(void)
{
    enum kp_err err = KP_ENOMEM;

    for (int64_t at = 0; err == KP_ENOMEM; at++) {
        struct fake_alloc state = {.fail_at = at};
        struct kp_mem mem = fake_alloc_mem(&state);
        struct kp_pod_actions actions;

        err = kp_pod_actions_init(&actions, &mem, 3);
        kp_pod_actions_deinit(&actions, &mem); /* also of what was given back already */
        CHECK_INT(state.live, 0);
    }
}

const struct unit_test pod_actions_test[] = {
    {"what a sync decides", what_a_sync_decides},
    {"by which rule it does", by_which_rule_it_does},
    {"a sandbox in another network is none", a_sandbox_in_another_network_is_none},
    {"two that are ready are none", two_that_are_ready_are_none},
    {"a sandbox without an address is reported", a_sandbox_without_an_address_is_reported},
    {"a restart of all resets each instance", a_restart_of_all_resets_each_instance},
    {"a restart of all resets them in order", a_restart_of_all_resets_them_in_order},
    {"memory that runs out is given back", memory_that_runs_out_is_given_back},
    {0},
};
