#include "status_box.h"

#include <assert.h>
#include <string.h>

static bool box_init(struct kp_status_box *box, const struct kp_mem *mem, size_t container_count,
                     size_t text_bytes)
{
    box->text_cap = text_bytes;
    box->status.conditions = kp_mem_array(mem, KP_CONDITIONS_MAX, sizeof *box->status.conditions);
    box->status.statuses = kp_mem_array(mem, container_count, sizeof *box->status.statuses);
    box->text = kp_mem_array(mem, text_bytes, 1);
    return box->status.conditions && box->status.statuses && box->text;
}

enum kp_err kp_status_boxes_init(struct kp_status_boxes *boxes, const struct kp_mem *mem,
                                 size_t container_count, size_t text_bytes)
{
    for (size_t i = 0; i < KP_STATUS_BOXES; i++)
        if (!box_init(&boxes->list[i], mem, container_count, text_bytes))
            return KP_ENOMEM;
    return KP_OK;
}

void kp_status_boxes_deinit(struct kp_status_boxes *boxes, const struct kp_mem *mem)
{
    for (size_t i = 0; i < KP_STATUS_BOXES; i++) {
        kp_mem_free(mem, boxes->list[i].status.conditions);
        kp_mem_free(mem, boxes->list[i].status.statuses);
        kp_mem_free(mem, boxes->list[i].text);
    }
}

struct kp_status_box *kp_status_box_take(struct kp_status_boxes *boxes)
{
    struct kp_status_box *box = boxes->list;

    while (box->refs > 0) {
        box++;
        assert(box < boxes->list + KP_STATUS_BOXES);
    }
    *box = (struct kp_status_box){.status.conditions = box->status.conditions,
                                  .status.statuses = box->status.statuses,
                                  .text = box->text,
                                  .text_cap = box->text_cap,
                                  .refs = 1};
    return box;
}

static struct kp_text copy_text(struct kp_status_box *box, struct kp_text text)
{
    char *bytes = box->text + box->text_used;

    if (text.len == 0)
        return KP_TEXT_NONE;
    assert(text.len <= box->text_cap - box->text_used);
    memcpy(bytes, text.bytes, text.len);
    box->text_used += text.len;
    return (struct kp_text){bytes, text.len};
}

struct kp_status_box *kp_status_box_copy(struct kp_status_boxes *boxes,
                                         const struct kp_status_box *from)
{
    struct kp_status_box *to = kp_status_box_take(boxes);
    struct kp_condition *conditions = to->status.conditions;
    struct kp_container_status *statuses = to->status.statuses;

    memcpy(statuses, from->status.statuses, from->status.status_count * sizeof statuses[0]);
    memcpy(conditions, from->status.conditions,
           from->status.condition_count * sizeof conditions[0]);
    to->status = from->status;
    to->status.conditions = conditions;
    to->status.statuses = statuses;
    to->address = from->address;
    to->others = from->others;
    to->scheduled = from->scheduled;
    for (size_t i = 0; i < to->status.condition_count; i++)
        conditions[i].message = copy_text(to, conditions[i].message);
    return to;
}

struct kp_status_box *kp_status_box_ref(struct kp_status_box *box)
{
    if (box)
        box->refs++;
    return box;
}

void kp_status_box_unref(struct kp_status_box *box)
{
    if (!box)
        return;
    assert(box->refs > 0);
    box->refs--;
}

void kp_status_box_put(struct kp_status_box **place, struct kp_status_box *box)
{
    kp_status_box_unref(*place);
    *place = box;
}
