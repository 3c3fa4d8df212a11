#include "core/kubelet/runtime.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

static struct kp_mem mem;
static struct kp_runtime_view view;

static void open_view(void)
{
    mem = fake_alloc_plain();
    CHECK_INT(kp_runtime_view_init(&view, &mem, 1), KP_OK);
}

static void close_view(void)
{
    kp_runtime_view_deinit(&view, &mem);
}

static const char *const cids[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};

/* Eight are remembered: of those that do not run the oldest makes way, however old a running one.
 */
static void the_oldest_that_does_not_run_makes_way(void)
{
    open_view();
    for (int i = 0; i < 9; i++) {
        struct kp_instance *made = kp_runtime_create(&view, 0, kp_text_of(cids[i]));

        if (i == 0)
            made->state = KP_INSTANCE_RUNNING;
        else
            kp_runtime_exit(made, 1, KP_TEXT_NONE, 0);
    }
    CHECK_INT(view.containers[0].count, KP_INSTANCES_MAX);
    CHECK_TEXT(kp_runtime_find(&view, 0, KP_TEXT("a"))->cid, KP_TEXT("a"));
    CHECK(kp_runtime_find(&view, 0, KP_TEXT("b")) == NULL);
    CHECK_TEXT(kp_runtime_newest(&view, 0)->cid, KP_TEXT("i"));
    close_view();
}

static void the_oldest_sandbox_makes_way(void)
{
    open_view();
    for (uint32_t attempt = 0; attempt <= KP_SANDBOXES_MAX; attempt++)
        kp_runtime_sandbox_add(&view, attempt);
    CHECK_INT(view.sandbox_count, KP_SANDBOXES_MAX);
    CHECK(kp_runtime_sandbox_find(&view, 0) == NULL);
    for (uint32_t attempt = 1; attempt <= KP_SANDBOXES_MAX; attempt++)
        CHECK_INT(kp_runtime_sandbox_find(&view, attempt)->attempt, attempt);
    for (size_t i = 0; i < KP_SANDBOXES_MAX; i++)
        CHECK(view.sandboxes[i].ready && view.sandboxes[i].has_network && view.sandboxes[i].has_ip);
    close_view();
}

/* Three dead sandboxes and a ready one: the newest stays, and the one that a container lies in. */
static void sandboxes_that_hold_nothing_are_collected(void)
{
    open_view();
    for (uint32_t attempt = 0; attempt < 4; attempt++) {
        kp_runtime_sandbox_add(&view, attempt);
        if (attempt == 1)
            kp_runtime_exit(kp_runtime_create(&view, 0, KP_TEXT("a")), 1, KP_TEXT_NONE, 0);
        kp_runtime_sandbox_find(&view, attempt)->ready = attempt == 2;
    }
    kp_runtime_collect_sandboxes(&view);
    CHECK_INT(view.sandbox_count, 3);
    CHECK(kp_runtime_sandbox_find(&view, 0) == NULL);
    close_view();
}

static void a_copy_has_every_container(void)
{
    struct kp_runtime_view copy;

    mem = fake_alloc_plain();
    CHECK_INT(kp_runtime_view_init(&view, &mem, 3), KP_OK);
    CHECK_INT(kp_runtime_view_init(&copy, &mem, 3), KP_OK);
    for (int i = 0; i < 3; i++)
        kp_runtime_create(&view, i, kp_text_of(cids[i]));
    for (uint32_t attempt = 0; attempt < 3; attempt++)
        kp_runtime_sandbox_add(&view, attempt);
    kp_runtime_view_copy(&copy, &view);
    for (int i = 0; i < 3; i++)
        CHECK(kp_runtime_find(&copy, i, kp_text_of(cids[i])) != NULL);
    for (uint32_t attempt = 0; attempt < 3; attempt++)
        CHECK(kp_runtime_sandbox_find(&copy, attempt) != NULL);
    kp_runtime_view_deinit(&copy, &mem);
    close_view();
}

/* Container GC keeps the newest dead one, and counts those that were made and never ran as dead, as
 * well as those of which the runtime knows no state (kuberuntime_gc.go evictableContainers). */
static void one_dead_instance_is_kept(void)
{
    open_view();
    kp_runtime_create(&view, 0, KP_TEXT("z"))->state = KP_INSTANCE_UNKNOWN;
    kp_runtime_exit(kp_runtime_create(&view, 0, KP_TEXT("a")), 0, KP_TEXT_NONE, 0);
    kp_runtime_exit(kp_runtime_create(&view, 0, KP_TEXT("b")), 0, KP_TEXT_NONE, 0);
    (void)kp_runtime_create(&view, 0, KP_TEXT("c"));
    kp_runtime_collect_dead(&view, 0, false);
    CHECK_INT(view.containers[0].count, 3);
    kp_runtime_collect_dead(&view, 0, true);
    CHECK_INT(view.containers[0].count, 1);
    CHECK_TEXT(kp_runtime_newest(&view, 0)->cid, KP_TEXT("c"));
    close_view();
}

/* All eight run: the newest of them makes way, and what else could. */
static void where_all_run_one_makes_way(void)
{
    open_view();
    for (int i = 0; i < 9; i++)
        kp_runtime_create(&view, 0, kp_text_of(cids[i]))->state = KP_INSTANCE_RUNNING;
    CHECK_INT(view.containers[0].count, KP_INSTANCES_MAX);
    CHECK(kp_runtime_find(&view, 0, KP_TEXT("h")) == NULL);
    CHECK(kp_runtime_find(&view, 0, KP_TEXT("g")) != NULL);
    close_view();
}

/* S-016: a relist reports that one has gone which it had seen, and had not seen dead. */
static void what_was_seen_alive_is_missed(void)
{
    static const enum kp_instance_state seen[] = {KP_INSTANCE_NONE, KP_INSTANCE_EXITED,
                                                  KP_INSTANCE_CREATED, KP_INSTANCE_RUNNING};

    for (unsigned i = 0; i < 4; i++) {
        open_view();
        kp_runtime_create(&view, 0, KP_TEXT("a"))->seen = seen[i];
        kp_runtime_remove(&view, 0, 0);
        CHECK_INT(view.gone_unseen, i / 2);
        CHECK_INT(view.containers[0].count, 0);
        close_view();
    }
}

/* What is forgotten for want of room is missed when the real runtime would collect it. */
static void what_made_way_is_missed_at_the_collection(void)
{
    open_view();
    for (int i = 0; i < 9; i++) {
        struct kp_instance *made = kp_runtime_create(&view, 0, kp_text_of(cids[i]));

        kp_runtime_exit(made, 1, KP_TEXT_NONE, 0);
        made->seen = KP_INSTANCE_RUNNING;
    }
    CHECK_INT(view.gone_unseen, 0);
    for (int again = 0; again < 2; again++) {
        kp_runtime_collect_forgotten(&view);
        CHECK_INT(view.gone_unseen, 1);
    }
    close_view();
}

static void an_end_without_a_reason_gets_one(void)
{
    struct kp_instance instance = {.state = KP_INSTANCE_RUNNING};

    kp_runtime_exit(&instance, 0, KP_TEXT_NONE, 7);
    CHECK_TEXT(instance.reason, KP_TEXT("Completed"));
    CHECK_INT(instance.finished_wall_ns, 7);
    kp_runtime_exit(&instance, 3, KP_TEXT_NONE, 0);
    CHECK_TEXT(instance.reason, KP_TEXT("Error"));
    kp_runtime_exit(&instance, 137, KP_TEXT("OOMKilled"), 0);
    CHECK_TEXT(instance.reason, KP_TEXT("OOMKilled"));
    kp_runtime_exit(&instance, -1, KP_TEXT_NONE, 0);
    CHECK_TEXT(instance.reason, KP_TEXT("Error"));
    kp_runtime_exit(&instance, 0, KP_TEXT("Evicted"), 0);
    CHECK_TEXT(instance.reason, KP_TEXT("Evicted"));
}

/* Of four dead ones the newest is kept, behind one that runs; each is found. */
static void of_many_dead_the_newest_is_kept(void)
{
    open_view();
    for (int i = 0; i < 4; i++)
        kp_runtime_exit(kp_runtime_create(&view, 0, kp_text_of(cids[i])), 0, KP_TEXT_NONE, 0);
    kp_runtime_create(&view, 0, KP_TEXT("z"))->state = KP_INSTANCE_RUNNING;
    CHECK(kp_runtime_find(&view, 0, kp_text_of(cids[0])) == &view.containers[0].list[4]);
    kp_runtime_collect_dead(&view, 0, false);
    CHECK_INT(view.containers[0].count, 2);
    CHECK_TEXT(view.containers[0].list[1].cid, kp_text_of(cids[3]));
    close_view();
}

const struct unit_test runtime_test[] = {
    {"of many dead the newest is kept", of_many_dead_the_newest_is_kept},
    {"a copy has every container", a_copy_has_every_container},
    {"where all run one makes way", where_all_run_one_makes_way},
    {"what was seen alive is missed", what_was_seen_alive_is_missed},
    {"what made way is missed at the collection", what_made_way_is_missed_at_the_collection},
    {"an end without a reason gets one", an_end_without_a_reason_gets_one},
    {"the oldest that does not run makes way", the_oldest_that_does_not_run_makes_way},
    {"the oldest sandbox makes way", the_oldest_sandbox_makes_way},
    {"sandboxes that hold nothing are collected", sandboxes_that_hold_nothing_are_collected},
    {"one dead instance is kept", one_dead_instance_is_kept},
    {0},
};
