#include "core/kubelet/runtime_state.h"

#include "core/kubelet/pod_run.h"
#include "fakes/unit.h"

#define MS KP_NS_PER_MS

/* A kubelet that began at -120.5 s: its status checks fall on 4.5 s, 9.5 s ... */
static struct kp_node a_node(void)
{
    struct kp_node node = {.start_ns = -120500 * MS};

    kp_runtime_state_init(&node, false);
    return node;
}

static void set_at(struct kp_node *node, int64_t at_ms, bool down)
{
    node->now_ns = at_ms * MS;
    kp_runtime_state_set(node, down);
}

/* One instant of the loop; says whether it turns in it. */
static bool turns_at(struct kp_node *node, int64_t at_ns)
{
    bool turns;

    node->now_ns = at_ns;
    kp_sync_loop_begin(node);
    turns = !node->runtime.asleep;
    kp_sync_loop_end(node);
    return turns;
}

static void the_loop_sleeps_when_the_last_answer_is_30_s_old(void)
{
    struct kp_node node = a_node();

    CHECK_INT(kp_sync_loop_next_ns(&node), KP_NEVER);
    set_at(&node, 11300, true);
    CHECK_INT(kp_sync_loop_next_ns(&node), 39500 * MS);
    CHECK(turns_at(&node, 39499 * MS));
    CHECK(!node.runtime.asleep);
    CHECK(turns_at(&node, 39500 * MS)); /* what is due at that instant is still done */
    CHECK(node.runtime.asleep);
}

static void naps_double_up_to_5_s(void)
{
    static const int ends_ms[] = {39600, 39800, 40200, 41000, 42600, 45800, 50800, 55800};
    struct kp_node node = a_node();

    set_at(&node, 11300, true);
    (void)turns_at(&node, 39500 * MS);
    for (size_t i = 0; i < sizeof ends_ms / sizeof ends_ms[0]; i++) {
        CHECK_INT(kp_sync_loop_next_ns(&node) / MS, ends_ms[i]);
        CHECK(!turns_at(&node, ends_ms[i] * MS));
    }
    set_at(&node, 56000, false);
    CHECK(!turns_at(&node, 60800 * MS - 1));
    CHECK(turns_at(&node, 60800 * MS)); /* the check of 59.5 s was good */
    CHECK_INT(kp_sync_loop_next_ns(&node), KP_NEVER);
    /* The next outage begins with the short nap again. */
    set_at(&node, 62000, true);
    CHECK(turns_at(&node, 89500 * MS));
    CHECK_INT(kp_sync_loop_next_ns(&node), 89600 * MS);
}

static void a_good_check_in_time_keeps_it_awake(void)
{
    struct kp_node node = a_node();

    set_at(&node, 11300, true);
    set_at(&node, 34200, false);
    for (int at_ms = 34500; at_ms < 120000; at_ms += 500)
        CHECK(turns_at(&node, at_ms * MS) && !node.runtime.asleep);
}

static void a_tick_that_came_in_its_sleep_is_seen_when_it_wakes(void)
{
    struct kp_node node = a_node();

    set_at(&node, 11300, true);
    (void)turns_at(&node, 39500 * MS);
    set_at(&node, 39550, false);
    for (int at_ms = 39600; at_ms < 45800; at_ms = (int)(kp_sync_loop_next_ns(&node) / MS)) {
        CHECK(!turns_at(&node, at_ms * MS)); /* the next check is that of 44.5 s */
        CHECK(!kp_sync_loop_ticks(&node, KP_NS_PER_S));
    }
    node.now_ns = 45800 * MS;
    kp_sync_loop_begin(&node);
    CHECK(kp_sync_loop_ticks(&node, KP_NS_PER_S));
    CHECK(!kp_sync_loop_ticks(&node, 60 * KP_NS_PER_S));
    node.now_ns = 45900 * MS;
    kp_sync_loop_begin(&node);
    CHECK(!kp_sync_loop_ticks(&node, KP_NS_PER_S));
    node.now_ns = 46500 * MS;
    CHECK(kp_sync_loop_ticks(&node, KP_NS_PER_S));
}

/* Where it falls asleep at a tick it has seen that one, and while it sleeps it sees none. */
/* That it is up is no news where it was. */
static void who_was_never_down_does_not_come_back(void)
{
    struct kp_node node = a_node();
    struct kp_runtime_state before = node.runtime;

    set_at(&node, 11300, false);
    CHECK_INT(node.runtime.relist_from_ns, before.relist_from_ns);
    CHECK_INT(node.runtime.status_from_ns, before.status_from_ns);
}

/* What comes back answers from its next ticks on: those of relists, and those of status checks. */
static void who_comes_back_answers_at_its_next_ticks(void)
{
    struct kp_node node = a_node();

    set_at(&node, 11300, true);
    set_at(&node, 56000, false);
    CHECK_INT(node.runtime.relist_from_ns / MS, 56500);
    CHECK_INT(node.runtime.status_from_ns / MS, 59500);
}

static void a_tick_is_seen_once(void)
{
    struct kp_node node = a_node();

    set_at(&node, 31000, true);
    CHECK(turns_at(&node, 59500 * MS));
    CHECK(node.runtime.asleep);
    node.now_ns = 60500 * MS;
    CHECK(!kp_sync_loop_ticks(&node, KP_NS_PER_S));
    set_at(&node, 61000, false);
    while (node.runtime.asleep && node.now_ns < 70000 * MS) {
        node.now_ns = kp_sync_loop_next_ns(&node);
        kp_sync_loop_begin(&node);
    }
    CHECK(node.runtime.woke);
    CHECK(kp_sync_loop_ticks(&node, KP_NS_PER_S));
    CHECK(!kp_sync_loop_ticks(&node, 60 * KP_NS_PER_S)); /* that of 59.5 s */
}

static void relists_are_those_that_were_answered(void)
{
    struct kp_node node = a_node();

    set_at(&node, 11300, true);
    node.now_ns = 15000 * MS;
    CHECK_INT(kp_runtime_last_relist_ns(&node), 10500 * MS);
    set_at(&node, 15500, false); /* the relist of that instant failed */
    CHECK_INT(kp_runtime_last_relist_ns(&node), 10500 * MS);
    set_at(&node, 15600, true); /* and down again before the next */
    node.now_ns = 20000 * MS;
    CHECK_INT(kp_runtime_last_relist_ns(&node), 10500 * MS);
    set_at(&node, 20100, false);
    node.now_ns = 20500 * MS;
    CHECK_INT(kp_runtime_last_relist_ns(&node), 20500 * MS);
}

/* A relist that is answered is no answer to the question for the status, which comes each 5 s. */
static void an_outage_that_pauses_between_two_checks_is_one(void)
{
    struct kp_node node = a_node();

    set_at(&node, 11300, true);
    set_at(&node, 20100, false);
    set_at(&node, 21000, true); /* relists are at 20.5 s, the check at 24.5 s */
    CHECK_INT(kp_sync_loop_next_ns(&node), 39500 * MS);
}

static void a_kubelet_that_starts_without_an_answer_sleeps_at_once(void)
{
    struct kp_node node = {.start_ns = 22000 * MS, .now_ns = 22000 * MS};

    kp_runtime_state_init(&node, true);
    kp_sync_loop_end(&node);
    CHECK(node.runtime.asleep);
    CHECK_INT(kp_sync_loop_next_ns(&node), 22100 * MS);
}

const struct unit_test runtime_state_test[] = {
    {"who comes back answers at its next ticks", who_comes_back_answers_at_its_next_ticks},
    {"who was never down does not come back", who_was_never_down_does_not_come_back},
    {"the loop sleeps when the last answer is 30 s old",
     the_loop_sleeps_when_the_last_answer_is_30_s_old},
    {"naps double up to 5 s", naps_double_up_to_5_s},
    {"a good check in time keeps it awake", a_good_check_in_time_keeps_it_awake},
    {"a tick that came in its sleep is seen when it wakes",
     a_tick_that_came_in_its_sleep_is_seen_when_it_wakes},
    {"a tick is seen once", a_tick_is_seen_once},
    {"relists are those that were answered", relists_are_those_that_were_answered},
    {"an outage that pauses between two checks is one",
     an_outage_that_pauses_between_two_checks_is_one},
    {"a kubelet that starts without an answer sleeps at once",
     a_kubelet_that_starts_without_an_answer_sleeps_at_once},
    {0},
};
