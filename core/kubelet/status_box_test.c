#include "core/kubelet/status_box.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

static struct kp_mem mem;
static struct kp_status_boxes boxes;

static void open_boxes(void)
{
    mem = fake_alloc_plain();
    boxes = (struct kp_status_boxes){0};
    CHECK_INT(kp_status_boxes_init(&boxes, &mem, 2, 21), KP_OK);
}

/* The words of a copy are its own, and both can be held. */
static void a_copy_is_another_value(void)
{
    char words[] = "not yet";
    const struct kp_pod_status others = {.phase = KP_RUNNING};
    struct kp_status_box *box;
    struct kp_status_box *copy;

    open_boxes();
    box = kp_status_box_take(&boxes);
    box->address = 3;
    box->others = &others;
    box->status.status_count = 1;
    box->status.statuses[0] = (struct kp_container_status){.restart_count = 2};
    box->status.condition_count = 3;
    for (size_t i = 0; i < 3; i++)
        box->status.conditions[i] =
            (struct kp_condition){.type = KP_TEXT("Ready"), .message = kp_text_of(words)};
    copy = kp_status_box_copy(&boxes, box);
    CHECK(copy != box && copy->status.statuses != box->status.statuses);
    words[0] = 'x';
    box->status.statuses[0].restart_count = 7;
    CHECK_INT(copy->status.statuses[0].restart_count, 2);
    CHECK_INT(copy->address, 3);
    CHECK(copy->others == &others);
    CHECK_INT(copy->status.condition_count, 3);
    for (size_t i = 0; i < 3; i++) {
        CHECK_TEXT(copy->status.conditions[i].type, KP_TEXT("Ready"));
        CHECK_TEXT(copy->status.conditions[i].message, KP_TEXT("not yet"));
    }
    kp_status_boxes_deinit(&boxes, &mem);
}

static void a_copy_has_all_containers(void)
{
    struct kp_status_box *box;
    struct kp_status_box *copy;

    open_boxes();
    box = kp_status_box_take(&boxes);
    box->status.status_count = 2;
    for (int32_t i = 0; i < 2; i++)
        box->status.statuses[i] = (struct kp_container_status){.restart_count = i + 1};
    copy = kp_status_box_copy(&boxes, box);
    for (int32_t i = 0; i < 2; i++)
        CHECK_INT(copy->status.statuses[i].restart_count, i + 1);
    kp_status_boxes_deinit(&boxes, &mem);
}

/* It is there for as long as somebody holds it, then it is an empty one. */
static void who_lets_go_of_a_box_frees_it(void)
{
    struct kp_status_box *place = NULL;
    struct kp_status_box *box;

    open_boxes();
    box = kp_status_box_take(&boxes);
    kp_status_box_put(&place, kp_status_box_ref(box));
    kp_status_box_unref(box);
    CHECK(kp_status_box_take(&boxes) != box);
    box->status.status_count = 1;
    kp_status_box_put(&place, NULL);
    CHECK(!place && kp_status_box_take(&boxes) == box);
    CHECK_INT(box->status.status_count, 0);
    CHECK(!kp_status_box_ref(NULL));
    kp_status_boxes_deinit(&boxes, &mem);
}

const struct unit_test status_box_test[] = {
    {"a copy is another value", a_copy_is_another_value},
    {"a copy has all containers", a_copy_has_all_containers},
    {"who lets go of a box frees it", who_lets_go_of_a_box_frees_it},
    {0},
};
