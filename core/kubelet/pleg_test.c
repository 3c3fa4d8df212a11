/*
 * What a relist and a collection see.  Here and not in the table: no event of the protocol lets a
 * sandbox end by itself, and a sandbox that a sync has stopped is followed by no other.
 */
#include "core/kubelet/pleg.h"

#include "fakes/unit_run.h"

static struct kp_container web;
static const struct kp_pod pod = {.containers = &web, .regular_count = 1};
static struct unit_run own;
static struct kp_pod_run *const run = &own.run;

static void open_pod(const char *k8s)
{
    open_run(&own, k8s, &pod);
    kp_runtime_sandbox_add(&run->truth, 0);
}

static unsigned events_of_a_relist(void)
{
    (void)kp_pleg_take_events(run->pleg);
    run->truth.changed = true;
    kp_pleg_relist(run->pleg, &run->truth);
    return kp_pleg_take_events(run->pleg);
}

static void add_dead(const char *cid)
{
    kp_runtime_exit(kp_runtime_create(&run->truth, 0, kp_text_of(cid)), 0, KP_TEXT_NONE, 0);
}

/* S-016. */
static void a_sandbox_that_ends_is_an_event(void)
{
    open_pod("1.36");
    CHECK_INT(events_of_a_relist(), 1);
    CHECK_INT(events_of_a_relist(), 0);
    run->truth.sandboxes[0].ready = false;
    CHECK_INT(events_of_a_relist(), 1);
    CHECK_INT(events_of_a_relist(), 0);
    close_run(&own);
}

/* Each of several, and no other. */
static void the_oldest_of_three_sandboxes_ends(void)
{
    open_pod("1.36");
    kp_runtime_sandbox_add(&run->truth, 1);
    kp_runtime_sandbox_add(&run->truth, 2);
    for (size_t i = 0; i < 3; i++)
        run->truth.sandboxes[i].has_network = i == 1;
    CHECK_INT(events_of_a_relist(), 3);
    CHECK_INT(events_of_a_relist(), 0);
    run->truth.sandboxes[2].ready = false;
    CHECK_INT(events_of_a_relist(), 1);
    close_run(&own);
}

/* Up to 1.21 what is dead of a deleted pod goes, and not what runs. */
static void the_dead_beside_one_that_runs_are_removed(void)
{
    open_pod("1.21");
    run->api.has_deletion = true;
    add_dead("a");
    kp_runtime_create(&run->truth, 0, KP_TEXT("b"))->state = KP_INSTANCE_RUNNING;
    kp_pleg_collect(run, true);
    CHECK_INT(run->truth.containers[0].count, 1);
    CHECK_TEXT(run->truth.containers[0].list[0].cid, KP_TEXT("b"));
    close_run(&own);
}

static void who_died_before_a_sandbox_began_has_died(void)
{
    open_pod("1.21");
    run->api.has_deletion = true;
    add_dead("a");
    CHECK_INT(events_of_a_relist(), 2);
    kp_pleg_clean_up(run, true);
    CHECK_INT(run->truth.containers[0].count, 0);
    close_run(&own);
}

/* What starts is noted once, a container without a sandbox of its own, too. */
static void a_start_is_noted_once(void)
{
    open_pod("1.21");
    (void)events_of_a_relist();
    CHECK(kp_pleg_take_started(run->pleg));
    (void)events_of_a_relist();
    CHECK(!kp_pleg_take_started(run->pleg));
    kp_runtime_create(&run->truth, 0, KP_TEXT("a"))->state = KP_INSTANCE_RUNNING;
    (void)events_of_a_relist();
    CHECK(kp_pleg_take_started(run->pleg));
    CHECK(!kp_pleg_take_started(run->pleg));
    close_run(&own);
}

/* S-341: the collection takes what was made and never ran, and what is in no known state, but for
 * the newest that does not run; of a pod that is deleted all of them, up to 1.21. */
static void what_never_ran_is_collected(void)
{
    for (int deleted = 0; deleted < 2; deleted++) {
        open_pod("1.21");
        (void)kp_runtime_create(&run->truth, 0, KP_TEXT("a"));
        kp_runtime_create(&run->truth, 0, KP_TEXT("b"))->state = KP_INSTANCE_UNKNOWN;
        kp_runtime_create(&run->truth, 0, KP_TEXT("c"))->state = KP_INSTANCE_UNKNOWN;
        kp_runtime_create(&run->truth, 0, KP_TEXT("d"))->state = KP_INSTANCE_RUNNING;
        run->api.has_deletion = deleted;
        kp_pleg_collect(run, true);
        CHECK_INT(run->truth.containers[0].count, deleted ? 1 : 2);
        close_run(&own);
    }
}

/* Of a pod that the loop does not know yet nothing is cleared away. */
static void of_an_unknown_pod_nothing_is_cleared_away(void)
{
    for (int known = 0; known < 2; known++) {
        open_pod("1.21");
        run->api.has_deletion = true;
        add_dead("a");
        (void)events_of_a_relist();
        kp_pleg_clean_up(run, known);
        CHECK_INT(run->truth.containers[0].count, !known);
        close_run(&own);
    }
}

/* S-016: gone without having been seen dead. */
static void who_is_missed_is_missed_once(void)
{
    open_pod("1.36");
    (void)events_of_a_relist();
    run->truth.gone_unseen = 2;
    CHECK_INT(events_of_a_relist(), 2);
    CHECK_INT(events_of_a_relist(), 0);
    close_run(&own);
}

/* getPodIPs. */
static void an_address_is_kept_until_there_is_another(void)
{
    open_pod("1.36");
    CHECK_INT(kp_pleg_address(run->pleg), 0);
    (void)events_of_a_relist();
    CHECK_INT(kp_pleg_address(run->pleg), 1);
    run->truth.sandboxes[0].ready = false;
    (void)events_of_a_relist();
    CHECK_INT(kp_pleg_address(run->pleg), 1);
    kp_runtime_sandbox_add(&run->truth, 1);
    (void)events_of_a_relist();
    CHECK_INT(kp_pleg_address(run->pleg), 2);
    run->truth.sandboxes[0].ready = false;
    kp_pod_parts_forget(run);
    (void)events_of_a_relist();
    CHECK_INT(kp_pleg_address(run->pleg), 0);
    close_run(&own);
}

static void a_relist_that_sees_nothing_new_copies_nothing(void)
{
    open_pod("1.36");
    (void)events_of_a_relist();
    CHECK(!run->truth.changed);
    run->truth.sandbox_count = 0;
    kp_pleg_relist(run->pleg, &run->truth);
    CHECK_INT(kp_pleg_cache(run->pleg)->sandbox_count, 1);
    close_run(&own);
}

/* S-341. */
static void what_is_collected_is_gone_from_the_next_relist(void)
{
    open_pod("1.36");
    add_dead("a");
    add_dead("b");
    kp_runtime_sandbox_add(&run->truth, 1);
    run->truth.sandboxes[0].ready = run->truth.sandboxes[1].ready = false;
    run->truth.forgotten = 1;
    (void)events_of_a_relist();
    kp_pleg_collect(run, true);
    kp_pleg_relist(run->pleg, &run->truth);
    CHECK_INT(kp_pleg_cache(run->pleg)->containers[0].count, 1);
    CHECK_INT(kp_pleg_cache(run->pleg)->sandbox_count,
              2); /* the older one still holds the dead container */
    CHECK_INT(run->truth.forgotten, 0);
    kp_runtime_remove(&run->truth, 0, 0);
    kp_pleg_collect(run, true);
    kp_pleg_relist(run->pleg, &run->truth);
    CHECK_INT(kp_pleg_cache(run->pleg)->sandbox_count, 1);
    close_run(&own);
}

/* Up to 1.21 what is dead of a deleted pod goes once something of it has died, if only its sandbox.
 * What never ran waits for the collection. */
static void the_end_of_a_sandbox_clears_a_deleted_pod_away(void)
{
    open_pod("1.21");
    (void)kp_runtime_create(&run->truth, 0, KP_TEXT("a"));
    add_dead("b");
    (void)events_of_a_relist();
    kp_pleg_clean_up(run, true);
    CHECK_INT(run->truth.containers[0].count, 2);
    run->api.has_deletion = true;
    run->truth.sandboxes[0].ready = false;
    (void)events_of_a_relist();
    kp_pleg_clean_up(run, true);
    CHECK_INT(run->truth.containers[0].count, 1);
    CHECK_INT(run->truth.containers[0].list[0].state, KP_INSTANCE_CREATED);
    run->api.status = NULL;
    kp_pleg_collect(run, true);
    CHECK_INT(run->truth.containers[0].count, 0);
    close_run(&own);
}

static void of_a_deleted_pod_that_runs_nothing_is_cleared_away(void)
{
    open_pod("1.21");
    run->api.has_deletion = true;
    add_dead("a");
    kp_runtime_create(&run->truth, 0, KP_TEXT("b"))->state = KP_INSTANCE_RUNNING;
    (void)events_of_a_relist();
    kp_pleg_clean_up(run, true);
    CHECK_INT(run->truth.containers[0].count, 2);
    close_run(&own);
}

/* S-015, S-016: of as many ephemeral containers as there is room for, the last one, too. */
static void the_last_container_is_seen_and_collected(void)
{
    struct kp_instances *last;

    open_pod("1.21");
    last = &run->truth.containers[run->container_count - 1];
    for (int i = 0; i < 2; i++)
        kp_runtime_create(&run->truth, (int)run->container_count - 1, kp_text_of(i ? "b" : "a"))
            ->state = KP_INSTANCE_RUNNING;
    CHECK_INT(events_of_a_relist(), 3);
    for (int i = 0; i < 2; i++)
        kp_runtime_exit(&last->list[i], 0, KP_TEXT_NONE, 0);
    CHECK_INT(events_of_a_relist(), 2);
    kp_pleg_clean_up(run, true);
    CHECK_INT(last->count, 1);
    kp_runtime_create(&run->truth, (int)run->container_count - 1, KP_TEXT("c"))->state =
        KP_INSTANCE_UNKNOWN;
    kp_pleg_collect(run, true);
    CHECK_INT(last->count, 1);
    run->api.has_deletion = true;
    kp_pleg_collect(run, true);
    CHECK_INT(last->count, 0);
    close_run(&own);
}

/* S-017: what lived and died between two relists is seen dead, however often. */
static void each_that_died_since_is_an_event(void)
{
    open_pod("1.36");
    (void)events_of_a_relist();
    add_dead("a");
    add_dead("b");
    add_dead("c");
    CHECK_INT(events_of_a_relist(), 3);
    close_run(&own);
}

const struct unit_test pleg_test[] = {
    {"the last container is seen and collected", the_last_container_is_seen_and_collected},
    {"each that died since is an event", each_that_died_since_is_an_event},
    {"of a deleted pod that runs nothing is cleared away",
     of_a_deleted_pod_that_runs_nothing_is_cleared_away},
    {"a start is noted once", a_start_is_noted_once},
    {"what never ran is collected", what_never_ran_is_collected},
    {"of an unknown pod nothing is cleared away", of_an_unknown_pod_nothing_is_cleared_away},
    {"the oldest of three sandboxes ends", the_oldest_of_three_sandboxes_ends},
    {"the dead beside one that runs are removed", the_dead_beside_one_that_runs_are_removed},
    {"a sandbox that ends is an event", a_sandbox_that_ends_is_an_event},
    {"who died before a sandbox began has died", who_died_before_a_sandbox_began_has_died},
    {"who is missed is missed once", who_is_missed_is_missed_once},
    {"an address is kept until there is another", an_address_is_kept_until_there_is_another},
    {"a relist that sees nothing new copies nothing",
     a_relist_that_sees_nothing_new_copies_nothing},
    {"what is collected is gone from the next relist",
     what_is_collected_is_gone_from_the_next_relist},
    {"the end of a sandbox clears a deleted pod away",
     the_end_of_a_sandbox_clears_a_deleted_pod_away},
    {0},
};
