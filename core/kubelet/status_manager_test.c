#include "core/kubelet/status_manager.h"

#include "core/kubelet/conditions.h"
#include "core/prober/prober_state.h"
#include "fakes/unit_node.h"
#include "fakes/unit_run.h"

/* P-040: what is stored has whole seconds, how the last instance ended as well. */
static void times_lose_their_fraction(void)
{
    const struct kp_container_status *status;

    open_node("1.36", false);
    run_to(2 * S + S / 4);
    CHECK_INT(say((struct kp_event){
                  .kind = KP_EVENT_EXITED, .cid = kp_text_of(node.cids[0]), .u.exit_code = 1}),
              KP_OK);
    run_to(5 * S);
    status = &kp_engine_status(node.engine, 0)->statuses[0];
    CHECK_INT(status->last_state.kind, KP_STATE_TERMINATED);
    CHECK_INT(status->last_state.finished_at_ns, (1704067200 + 2) * S);
    kp_engine_free(node.engine);
}

static const struct kp_container only = {.name = {"web", 3}, .kind = KP_REGULAR};
static const struct kp_pod one = {
    .containers = &only, .regular_count = 1, .restart_policy = {"Always", 6}};

/* S-306, S-307: a result of an instance that is none any more. */
static void a_result_of_another_instance_changes_nothing(void)
{
    struct unit_run own;
    struct kp_status_box *box;

    open_run(&own, "1.36", &one);
    box = kp_status_box_take(&own.run.boxes);
    box->status.status_count = 1;
    box->status.statuses[0] = (struct kp_container_status){.container_id = KP_TEXT("new")};
    kp_status_set(&own.run, &one, box, false);
    kp_status_set_ready(&own.run, 0, KP_TEXT("old"), true);
    kp_status_set_started(&own.run, 0, KP_TEXT("old"), true);
    CHECK(kp_status_cached(&own.run) == &box->status);
    close_run(&own);
}

/* Nor does one that comes before the first status does. */
static void a_result_before_the_first_status_changes_nothing(void)
{
    struct unit_run own;

    open_run(&own, "1.36", &one);
    kp_status_set_ready(&own.run, 0, KP_TEXT_NONE, true);
    kp_status_set_started(&own.run, 0, KP_TEXT_NONE, true);
    CHECK(!kp_status_cached(&own.run) && !kp_status_published(&own.run));
    close_run(&own);
}

/* isPodStatusByKubeletEqual: each part of a status makes another one of it. */
static void a_status_is_stored_where_it_is_another_one(void)
{
    static const struct {
        enum kp_phase phase;
        size_t statuses;
        size_t conditions;
        struct kp_text cid;
        uint32_t address;
        struct kp_state last;
        bool stored;
    } rows[] = {
        {KP_RUNNING, 1, 1, {"a", 1}, 1, {.kind = KP_STATE_TERMINATED}, false},
        {KP_PENDING, 1, 1, {"a", 1}, 1, {.kind = KP_STATE_TERMINATED}, true},
        {KP_RUNNING, 2, 1, {"a", 1}, 1, {.kind = KP_STATE_TERMINATED}, true},
        {KP_RUNNING, 1, 2, {"a", 1}, 1, {.kind = KP_STATE_TERMINATED}, true},
        {KP_RUNNING, 1, 1, {"b", 1}, 1, {.kind = KP_STATE_TERMINATED}, true},
        {KP_RUNNING, 1, 1, {"a", 1}, 2, {.kind = KP_STATE_TERMINATED}, true},
        {KP_RUNNING, 1, 1, {"a", 1}, 1, {.kind = KP_STATE_WAITING}, true},
        {KP_RUNNING, 1, 1, {"a", 1}, 1, {KP_STATE_TERMINATED, .started_at_ns = S}, true},
        {KP_RUNNING, 1, 1, {"a", 1}, 1, {KP_STATE_TERMINATED, .finished_at_ns = S}, true},
        {KP_RUNNING, 1, 1, {"a", 1}, 1, {KP_STATE_TERMINATED, .container_id = {"b", 1}}, true},
        {KP_RUNNING, 1, 1, {"a", 1}, 1, {KP_STATE_TERMINATED, .beside_waiting = true}, true}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct unit_run own;
        struct kp_pod_run *run = &own.run;
        struct kp_status_box *was;
        struct kp_status_box *is;

        open_run(&own, "1.36", &one);
        was = kp_status_box_take(&run->boxes);
        was->status.phase = KP_RUNNING;
        was->status.status_count = was->status.condition_count = 1;
        was->status.statuses[0] = (struct kp_container_status){
            .container_id = KP_TEXT("a"), .last_state.kind = KP_STATE_TERMINATED};
        was->address = 1;
        kp_status_set(run, &one, was, false);
        is = kp_status_box_copy(&run->boxes, was);
        is->address = rows[i].address;
        is->status.statuses[0].last_state = rows[i].last;
        is->status.phase = rows[i].phase;
        is->status.status_count = rows[i].statuses;
        is->status.condition_count = rows[i].conditions;
        is->status.statuses[0].container_id = rows[i].cid;
        kp_status_set(run, &one, is, false);
        CHECK(kp_status_cached(run) == (rows[i].stored ? &is->status : &was->status));
        close_run(&own);
    }
}

/* Of a pod that has failed no container is looked for. */
static void a_failed_pod_misses_no_sidecar(void)
{
    static const struct kp_readiness_gate gate = {{"a/b", 3}};
    static const struct kp_container both[] = {
        {.name = {"side", 4}, .kind = KP_INIT, .restart_policy = {"Always", 6}},
        {.name = {"web", 3}, .kind = KP_REGULAR}};
    for (int failed = 0; failed < 2; failed++) {
        /* Final before, too: no phase is held back. */
        struct kp_pod_status api = {.phase = failed ? KP_FAILED : KP_SUCCEEDED};
        struct kp_pod two = {.containers = both,
                             .init_count = 1,
                             .regular_count = 1,
                             .readiness_gates = &gate,
                             .readiness_gate_count = 1,
                             .status = &api};
        struct unit_run own;
        struct kp_pod_run *run = &own.run;
        struct kp_status_box *box;

        open_run(&own, "1.36", &two);
        box = kp_status_box_take(&run->boxes);
        box->status.phase = api.phase;
        kp_condition_put(box, KP_TEXT("Ready"), KP_CONDITION_FALSE, KP_TEXT("PodFailed"),
                         KP_TEXT_NONE);
        kp_status_set(run, &two, box, false);
        CHECK_INT(kp_status_send(run), !failed);
        CHECK_INT(kp_status_needs_sync(run), !failed);
        close_run(&own);
    }
}

/* S-031: the last word up to 1.21 is made of what the API has, however much others wrote there. */
static void the_last_word_is_made_of_any_object(void)
{
    static const struct kp_container three[] = {{.name = {"a", 1}, .kind = KP_REGULAR},
                                                {.name = {"b", 1}, .kind = KP_REGULAR},
                                                {.name = {"c", 1}, .kind = KP_REGULAR}};
    static char words[4000];
    static struct kp_condition conditions[20];
    static struct kp_container_status statuses[3];
    static struct kp_pod_status api;
    const struct kp_pod_status *last;

    lay_pod();
    pod.containers = three;
    pod.regular_count = 3;
    memset(words, 'x', sizeof words);
    for (size_t i = 0; i < 20; i++)
        conditions[i] = (struct kp_condition){.type = KP_TEXT("a/b"), .message = {words, 10}};
    conditions[0].type = KP_TEXT("PodScheduled");
    conditions[7].type = KP_TEXT("Initialized");
    conditions[19] = (struct kp_condition){
        KP_TEXT("Ready"), KP_CONDITION_FALSE, KP_TEXT("why"), {words, sizeof words}};
    for (int32_t i = 0; i < 3; i++) /* in another order than the containers */
        statuses[2 - i] = (struct kp_container_status){
            .name = three[i].name, .state = {.kind = KP_STATE_TERMINATED}, .restart_count = i + 1};
    api = (struct kp_pod_status){.phase = KP_SUCCEEDED,
                                 .conditions = conditions,
                                 .condition_count = 20,
                                 .statuses = statuses,
                                 .status_count = 3};
    pod.status = &api;
    pod.has_deletion = pod.has_deletion_grace = true;
    open_laid("1.21", false);
    run_to(S);
    last = kp_engine_status(node.engine, 0);
    CHECK_INT(last->phase, KP_SUCCEEDED);
    CHECK_INT(last->status_count, 3);
    for (int32_t i = 0; i < 3; i++) {
        CHECK_INT(last->statuses[i].state.kind, KP_STATE_TERMINATED);
        CHECK_INT(last->statuses[i].restart_count, i + 1);
    }
    CHECK_INT(last->condition_count, 3);
    CHECK_TEXT(last->conditions[0].type, KP_TEXT("PodScheduled"));
    CHECK_TEXT(last->conditions[1].type, KP_TEXT("Initialized"));
    CHECK_TEXT(last->conditions[2].type, KP_TEXT("Ready"));
    CHECK_INT(last->conditions[2].status, KP_CONDITION_FALSE);
    CHECK_TEXT(last->conditions[2].reason, KP_TEXT("why"));
    CHECK_INT(last->conditions[2].message.len, 4000);
    kp_engine_free(node.engine);
}

/* S-322: each init container of it, too. */
static void the_last_word_is_of_every_container(void)
{
    static const struct kp_container four[] = {{.name = {"a", 1}, .kind = KP_INIT},
                                               {.name = {"b", 1}, .kind = KP_INIT},
                                               {.name = {"c", 1}, .kind = KP_INIT},
                                               {.name = {"d", 1}, .kind = KP_REGULAR}};
    static struct kp_container_status statuses[4];
    static struct kp_pod_status api = {.statuses = statuses, .status_count = 4};

    lay_pod();
    pod.containers = four;
    pod.init_count = 3;
    pod.status = &api;
    pod.has_deletion = pod.has_deletion_grace = true;
    for (size_t i = 0; i < 4; i++)
        statuses[i] = (struct kp_container_status){
            .name = four[i].name, .state = {.kind = KP_STATE_TERMINATED, .exit_code = 5}};
    open_laid("1.16", false);
    run_to(S);
    for (size_t i = 0; i < 4; i++) /* TerminatePod of old knows no exit code */
        CHECK_INT(kp_engine_status(node.engine, 0)->statuses[i].state.exit_code, 0);
    kp_engine_free(node.engine);
}

/* A kubelet that dies lets go of what it held, however often that happens. */
static void a_kubelet_may_die_often(void)
{
    open_node("1.36", false);
    for (int64_t i = 1; i <= 3 * KP_STATUS_BOXES; i++) {
        run_to(10 * i * S);
        restart_kubelet(S);
    }
    run_to(10 * (3 * KP_STATUS_BOXES + 1) * S);
    CHECK_INT(kp_engine_status(node.engine, 0)->phase, KP_RUNNING);
    kp_engine_free(node.engine);
}

static const struct kp_readiness_gate gate = {{"a/b", 3}};
static const struct kp_container with_sidecar[] = {
    {.name = {"setup", 5}, .kind = KP_INIT},
    {.name = {"later", 5}, .kind = KP_INIT},
    {.name = {"side", 4}, .kind = KP_INIT, .restart_policy = {"Always", 6}},
    {.name = {"one", 3}, .kind = KP_REGULAR},
    {.name = {"two", 3}, .kind = KP_REGULAR},
    {.name = {"three", 5}, .kind = KP_REGULAR}};

/* Three init containers, of which the last is a sidecar, and three others; with a gate. */
static const struct kp_pod six = {.containers = with_sidecar,
                                  .init_count = 3,
                                  .regular_count = 3,
                                  .restart_policy = {"Never", 5},
                                  .readiness_gates = &gate,
                                  .readiness_gate_count = 1};

static void drop_effect(void *ctx, const struct kp_effect *effect)
{
    (void)ctx, (void)effect;
}

static struct kp_status_box *set_phase(struct kp_pod_run *run, enum kp_phase phase)
{
    struct kp_status_box *box = kp_status_box_take(&run->boxes);

    box->status.phase = phase;
    kp_condition_put(box, KP_TEXT("Ready"), KP_CONDITION_FALSE, KP_TEXT_NONE, KP_TEXT_NONE);
    kp_status_set(run, &run->api, box, true);
    return box;
}

/* What was sent is published at once, whenever effects show it; and sent again it is no news. */
static void what_is_sent_is_published(void)
{
    struct kp_pod_status over = {.phase = KP_FAILED};

    for (int emitted = 0; emitted < 2; emitted++) {
        struct unit_run own;
        struct kp_pod_run *run = &own.run;
        struct kp_status_box *box;

        open_run(&own, "1.36", &six);
        own.node.sink = (struct kp_sink){drop_effect, NULL};
        if (emitted) {
            (void)set_phase(run, KP_RUNNING);
            CHECK(kp_status_send(run));
            kp_status_emit_published(run);
        }
        run->api.status = &over; /* final before: no phase is held back */
        box = set_phase(run, KP_SUCCEEDED);
        CHECK(kp_status_is_held_back(run));
        CHECK(kp_status_send(run));
        CHECK(kp_status_published(run) == box);
        CHECK(!kp_status_is_held_back(run));
        kp_status_set(run, &run->api, kp_status_box_copy(&run->boxes, box), true);
        CHECK(!kp_status_send(run));
        close_run(&own);
    }
}

/* From 1.36 on it is emitted at once, in the newest status there is. */
static void a_sandbox_is_emitted_in_the_newest_status(void)
{
    struct unit_run own;
    struct kp_pod_run *run = &own.run;

    open_run(&own, "1.36", &six);
    (void)set_phase(run, KP_PENDING);
    kp_status_sandbox_ready(run, &run->api);
    CHECK(kp_status_is_true(kp_status_cached(run), "PodReadyToStartContainers"));
    CHECK(kp_status_send(run));
    (void)set_phase(run, KP_RUNNING);
    kp_status_sandbox_ready(run, &run->api);
    CHECK(kp_status_is_true(kp_status_cached(run), "PodReadyToStartContainers"));
    CHECK_INT(kp_status_cached(run)->phase, KP_RUNNING);
    close_run(&own);
}

/* hasPodInitialized: by any regular container that has begun, or by the last init container, which
 * as a sidecar must have started, ready or not. */
static void the_last_word_asks_whether_the_pod_was_initialized(void)
{
    for (int row = 0; row < 5; row++) {
        struct kp_container_status statuses[6];
        struct kp_pod_status api = {.statuses = statuses, .status_count = 6};
        struct kp_pod spec = six;
        struct unit_run own;

        for (size_t i = 0; i < 6; i++) /* the last init container's is the last of all */
            statuses[i] = (struct kp_container_status){
                .name = with_sidecar[i < 2   ? i
                                     : i < 5 ? i + 1
                                             : 2]
                            .name,
                .state = {.kind = i < 2 ? KP_STATE_TERMINATED : KP_STATE_WAITING}};
        statuses[5].state.kind = row == 0 ? KP_STATE_WAITING : KP_STATE_RUNNING;
        statuses[5].has_started = statuses[5].started = row == 1;
        if (row == 2)
            statuses[4].state.kind = KP_STATE_RUNNING; /* the third regular one */
        if (row == 3)
            statuses[2].state.kind = KP_STATE_RUNNING; /* the first */
        if (row == 4)
            statuses[5] = (struct kp_container_status){.name = statuses[5].name,
                                                       .state.kind = KP_STATE_WAITING,
                                                       .has_started = true,
                                                       .started = true};
        spec.status = &api;
        open_run(&own, "1.36", &spec);
        kp_status_terminate(&own.run, &spec);
        CHECK_INT(kp_status_cached(&own.run)->statuses[3].state.kind,
                  row == 0 || row == 4 ? KP_STATE_WAITING : KP_STATE_TERMINATED);
        close_run(&own);
    }
}

/* S-320: which end may be followed by something else; one that may not keeps its status. */
static void an_end_that_is_final_stays(void)
{
    static const struct {
        const char *policy;
        int32_t code;
        bool moves;
    } rows[] = {
        {"Always", 0, true}, {"OnFailure", 0, false}, {"OnFailure", 1, true}, {"Never", 1, false}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_pod of_policy = one;
        struct unit_run own;
        struct kp_status_box *was;
        struct kp_status_box *is;

        of_policy.restart_policy = kp_text_of(rows[i].policy);
        open_run(&own, "1.33", &of_policy);
        was = kp_status_box_take(&own.run.boxes);
        was->status.status_count = 1;
        was->status.statuses[0] = (struct kp_container_status){
            .name = only.name, .state = {KP_STATE_TERMINATED, .exit_code = rows[i].code}};
        kp_status_set(&own.run, &of_policy, was, false);
        is = kp_status_box_copy(&own.run.boxes, was);
        is->status.statuses[0].state = (struct kp_state){.kind = KP_STATE_RUNNING};
        kp_status_set(&own.run, &of_policy, is, false);
        CHECK(kp_status_cached(&own.run) == (rows[i].moves ? &is->status : &was->status));
        close_run(&own);
    }
}

/* S-322: up to 1.21 one that waits keeps its state; ready is nobody's to change. */
static void the_last_word_of_old_is_of_what_ran(void)
{
    static const struct {
        const char *k8s;
        enum kp_state_kind was;
        enum kp_state_kind is;
    } rows[] = {{"1.16", KP_STATE_RUNNING, KP_STATE_TERMINATED},
                {"1.16", KP_STATE_WAITING, KP_STATE_TERMINATED},
                {"1.21", KP_STATE_RUNNING, KP_STATE_TERMINATED},
                {"1.21", KP_STATE_WAITING, KP_STATE_WAITING},
                {"1.22", KP_STATE_WAITING, KP_STATE_TERMINATED}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kp_container_status *last;
        struct unit_run own;
        struct kp_status_box *box;

        open_run(&own, rows[i].k8s, &one);
        box = kp_status_box_take(&own.run.boxes);
        box->status.status_count = 1;
        box->status.statuses[0] =
            (struct kp_container_status){.name = only.name, .state = {rows[i].was}, .ready = true};
        kp_status_set(&own.run, &one, box, false);
        kp_status_terminate(&own.run, &one);
        last = &kp_status_cached(&own.run)->statuses[0];
        CHECK_INT(last->state.kind, rows[i].is);
        CHECK(last->ready);
        close_run(&own);
    }
}

/* mergePodStatus: of a phase that is final ContainersReady is False, whatever Ready was; one that
 * is held back was Pending where the API knows none. */
static void what_is_merged_with_a_final_phase(void)
{
    struct kp_pod_status api = {.phase = KP_SUCCEEDED};
    const struct kp_pod_status *published;
    struct unit_run own;
    struct kp_status_box *box;

    open_run(&own, "1.36", &one);
    own.run.api.status = &api;
    box = kp_status_box_take(&own.run.boxes);
    box->status.phase = KP_SUCCEEDED;
    kp_condition_put(box, KP_TEXT("Ready"), KP_CONDITION_FALSE, KP_TEXT_NONE, KP_TEXT_NONE);
    kp_condition_put(box, KP_TEXT("ContainersReady"), KP_CONDITION_TRUE, KP_TEXT_NONE,
                     KP_TEXT_NONE);
    kp_status_set(&own.run, &one, box, false);
    CHECK(!kp_status_send(&own.run));
    published = &kp_status_published(&own.run)->status;
    CHECK(!kp_status_is_true(published, "ContainersReady"));
    CHECK_TEXT(kp_condition_find(published, KP_TEXT("Ready"))->reason, KP_TEXT("PodCompleted"));
    api.phase = KP_PHASE_NONE;
    own.run.api.status = &api;
    box = kp_status_box_take(&own.run.boxes);
    box->status.phase = KP_FAILED;
    kp_status_set(&own.run, &one, box, false);
    CHECK(!kp_status_send(&own.run));
    CHECK_INT(kp_status_published(&own.run)->status.phase, KP_PENDING);
    close_run(&own);
}

/* A worker sees each status that is stored, also while its pod ends; of an object that is gone
 * nothing is sent. */
static void workers_see_what_is_stored(void)
{
    static const struct kp_exec_action action;
    static const struct kp_probe probe = {.handler.exec = &action, .period_s = 10};
    static const struct kp_container probed = {
        .name = {"web", 3}, .kind = KP_REGULAR, .probes[KP_READINESS] = &probe};
    static const struct kp_pod spec = {.containers = &probed, .regular_count = 1};
    struct unit_run own;
    struct kp_status_box *box;

    open_run(&own, "1.36", &spec);
    own.run.terminating = true;
    box = kp_status_box_take(&own.run.boxes);
    box->status.status_count = 1;
    box->status.statuses[0] =
        (struct kp_container_status){.name = probed.name, .container_id = KP_TEXT("a")};
    kp_status_set(&own.run, &spec, box, false);
    CHECK_TEXT(kp_prober_find_slot(own.node.probers, 0, 0, KP_READINESS)->view.cid, KP_TEXT("a"));
    own.run.gone = true;
    CHECK(!kp_status_send(&own.run));
    CHECK(!kp_status_published(&own.run));
    close_run(&own);
}

static char emitted[8];

static void note_effect(void *ctx, const struct kp_effect *effect)
{
    size_t len = strlen(emitted);

    (void)ctx;
    if (effect->kind == KP_EFFECT_PHASE && len + 1 < sizeof emitted)
        emitted[len] = 'p';
    if (effect->kind == KP_EFFECT_APIDELETE && len + 1 < sizeof emitted)
        emitted[len] = 'd';
}

/* Effects come at the end of an instant, but for the last status of an object that goes with it, up
 * to 1.21. */
static void the_last_status_is_emitted_before_the_object_goes(void)
{
    static const struct {
        const char *k8s;
        const char *sent;
        const char *ended;
    } rows[] = {{"1.21", "pd", "pd"}, {"1.22", "", "pd"}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_pod gone = one;
        struct unit_run own;

        gone.has_deletion = true;
        memset(emitted, 0, sizeof emitted);
        open_run(&own, rows[i].k8s, &gone);
        own.node.sink = (struct kp_sink){note_effect, NULL};
        own.run.deletion_requested = true;
        (void)set_phase(&own.run, KP_RUNNING);
        CHECK(!kp_status_send(&own.run));
        CHECK_STRING(emitted, rows[i].sent);
        kp_status_emit_published(&own.run);
        CHECK_STRING(emitted, rows[i].ended);
        close_run(&own);
    }
}

const struct unit_test status_manager_test[] = {
    {"what is sent is published", what_is_sent_is_published},
    {"a sandbox is emitted in the newest status", a_sandbox_is_emitted_in_the_newest_status},
    {"the last word asks whether the pod was initialized",
     the_last_word_asks_whether_the_pod_was_initialized},
    {"times lose their fraction", times_lose_their_fraction},
    {"a result of another instance changes nothing", a_result_of_another_instance_changes_nothing},
    {"a status is stored where it is another one", a_status_is_stored_where_it_is_another_one},
    {"a result before the first status changes nothing",
     a_result_before_the_first_status_changes_nothing},
    {"the last word is made of any object", the_last_word_is_made_of_any_object},
    {"the last word is of every container", the_last_word_is_of_every_container},
    {"a kubelet may die often", a_kubelet_may_die_often},
    {"a failed pod misses no sidecar", a_failed_pod_misses_no_sidecar},
    {"workers see what is stored", workers_see_what_is_stored},
    {"an end that is final stays", an_end_that_is_final_stays},
    {"the last word of old is of what ran", the_last_word_of_old_is_of_what_ran},
    {"what is merged with a final phase", what_is_merged_with_a_final_phase},
    {"the last status is emitted before the object goes",
     the_last_status_is_emitted_before_the_object_goes},
    {0},
};
