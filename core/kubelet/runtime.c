#include "runtime.h"

#include <assert.h>
#include <string.h>

enum kp_err kp_runtime_view_init(struct kp_runtime_view *view, const struct kp_mem *mem,
                                 size_t container_count)
{
    *view = (struct kp_runtime_view){.container_count = container_count};
    view->containers = kp_mem_array(mem, container_count, sizeof *view->containers);
    return view->containers ? KP_OK : KP_ENOMEM;
}

void kp_runtime_view_deinit(struct kp_runtime_view *view, const struct kp_mem *mem)
{
    kp_mem_free(mem, view->containers);
}

void kp_runtime_view_copy(struct kp_runtime_view *to, const struct kp_runtime_view *from)
{
    assert(to->container_count == from->container_count);
    memcpy(to->sandboxes, from->sandboxes, from->sandbox_count * sizeof from->sandboxes[0]);
    to->sandbox_count = from->sandbox_count;
    for (size_t i = 0; i < from->container_count; i++) {
        const struct kp_instances *source = &from->containers[i];

        memcpy(to->containers[i].list, source->list, source->count * sizeof source->list[0]);
        to->containers[i].count = source->count;
    }
}

const struct kp_instance *kp_runtime_newest(const struct kp_runtime_view *view, int container)
{
    const struct kp_instances *instances = &view->containers[container];

    return instances->count > 0 ? &instances->list[0] : NULL;
}

bool kp_runtime_any_instance(const struct kp_runtime_view *view)
{
    for (size_t i = 0; i < view->container_count; i++)
        if (view->containers[i].count > 0)
            return true;
    return false;
}

struct kp_instance *kp_runtime_find(const struct kp_runtime_view *view, int container,
                                    struct kp_text cid)
{
    struct kp_instances *instances = &view->containers[container];

    for (size_t i = 0; i < instances->count; i++)
        if (kp_text_equal(instances->list[i].cid, cid))
            return &instances->list[i];
    return NULL;
}

/* true: a relist had seen it, and none saw it dead. */
static bool take_out(struct kp_instances *instances, size_t at)
{
    enum kp_instance_state seen = instances->list[at].seen;

    assert(at < instances->count);
    instances->count--;
    memmove(&instances->list[at], &instances->list[at + 1],
            (instances->count - at) * sizeof instances->list[0]);
    return seen != KP_INSTANCE_NONE && seen != KP_INSTANCE_EXITED;
}

void kp_runtime_remove(struct kp_runtime_view *view, int container, size_t at)
{
    if (take_out(&view->containers[container], at))
        view->gone_unseen++;
}

static void make_room(struct kp_runtime_view *view, int container)
{
    struct kp_instances *instances = &view->containers[container];
    size_t at = instances->count;

    if (instances->count < KP_INSTANCES_MAX)
        return;
    while (at > 1 && instances->list[at - 1].state == KP_INSTANCE_RUNNING)
        at--;
    if (take_out(instances, at - 1))
        view->forgotten++;
}

void kp_runtime_collect_forgotten(struct kp_runtime_view *view)
{
    view->gone_unseen += view->forgotten;
    view->forgotten = 0;
}

struct kp_instance *kp_runtime_create(struct kp_runtime_view *view, int container,
                                      struct kp_text cid)
{
    struct kp_instances *instances = &view->containers[container];

    make_room(view, container);
    memmove(&instances->list[1], &instances->list[0], instances->count * sizeof instances->list[0]);
    instances->count++;
    instances->list[0] = (struct kp_instance){
        .cid = cid, .state = KP_INSTANCE_CREATED, .sandbox = view->sandboxes[0].attempt};
    return &instances->list[0];
}

void kp_runtime_exit(struct kp_instance *instance, int32_t code, struct kp_text reason,
                     int64_t wall_ns)
{
    instance->state = KP_INSTANCE_EXITED;
    instance->exit_code = code;
    instance->reason = reason;
    if (reason.len == 0)
        instance->reason = code == 0 ? KP_TEXT("Completed") : KP_TEXT("Error");
    instance->finished_wall_ns = wall_ns;
}

void kp_runtime_sandbox_add(struct kp_runtime_view *view, uint32_t attempt)
{
    size_t kept = view->sandbox_count;

    if (kept == KP_SANDBOXES_MAX)
        kept--;
    memmove(&view->sandboxes[1], &view->sandboxes[0], kept * sizeof view->sandboxes[0]);
    view->sandboxes[0] =
        (struct kp_sandbox){.attempt = attempt, .ready = true, .has_network = true, .has_ip = true};
    view->sandbox_count = kept + 1;
}

struct kp_sandbox *kp_runtime_sandbox_find(struct kp_runtime_view *view, uint32_t attempt)
{
    for (size_t i = 0; i < view->sandbox_count; i++)
        if (view->sandboxes[i].attempt == attempt)
            return &view->sandboxes[i];
    return NULL;
}

static bool is_dead(const struct kp_instance *instance, bool created_too)
{
    return instance->state == KP_INSTANCE_EXITED ||
           (created_too && instance->state != KP_INSTANCE_RUNNING);
}

void kp_runtime_collect_dead(struct kp_runtime_view *view, int container, bool created_too)
{
    struct kp_instances *instances = &view->containers[container];
    size_t dead = 0;

    for (size_t i = 0; i < instances->count;) {
        if (is_dead(&instances->list[i], created_too) && ++dead > 1)
            kp_runtime_remove(view, container, i);
        else
            i++;
    }
}

static bool holds_something(const struct kp_runtime_view *view, uint32_t attempt)
{
    for (size_t i = 0; i < view->container_count; i++)
        for (size_t j = 0; j < view->containers[i].count; j++)
            if (view->containers[i].list[j].sandbox == attempt)
                return true;
    return false;
}

void kp_runtime_collect_sandboxes(struct kp_runtime_view *view)
{
    size_t kept = 0;

    for (size_t i = 0; i < view->sandbox_count; i++) {
        const struct kp_sandbox *sandbox = &view->sandboxes[i];

        if (i == 0 || sandbox->ready || holds_something(view, sandbox->attempt))
            view->sandboxes[kept++] = *sandbox;
    }
    view->sandbox_count = kept;
}

uint64_t kp_container_hash(const struct kp_profile *profile, const struct kp_container *container)
{
    if (!profile->hash_is_name_and_image)
        return container->spec_hash;
    return kp_text_hash(KP_HASH, container->image); /* its name stays */
}

bool kp_any_regular_created(const struct kp_pod *pod, const struct kp_runtime_view *runtime)
{
    for (size_t i = 0; i < pod->regular_count; i++) {
        const struct kp_instance *newest = kp_runtime_newest(runtime, (int)(pod->init_count + i));

        if (newest && newest->state != KP_INSTANCE_UNKNOWN)
            return true;
    }
    return false;
}
