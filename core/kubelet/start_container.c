#include "start_container.h"

#include "hook_text.h"
#include "sync_state.h"

#include <assert.h>
#include <string.h>

/* One more than that of the newest instance (S-231) in the snapshot before any kill (S-233). */
int64_t kp_start_restart_count(const struct kp_sync *sync, int container)
{
    const struct kp_instance *newest = kp_runtime_newest(&sync->view, container);

    return newest ? newest->restarts + 1 : 0;
}

/* Keeps why a start failed, for the status of the next sync (S-317). */
void kp_start_note_reason(struct kp_sync *sync, int container, struct kp_text reason,
                          struct kp_text message)
{
    sync->reasons[container] =
        (struct kp_reason){.known = true, .reason = reason, .message = message};
}

/* ---- back-off ---------------------------------------------------------------------------- */

static uint64_t backoff_key(const struct kp_profile *profile, const struct kp_container *container)
{
    uint64_t hash = kp_container_hash(profile, container);

    if (!profile->backoff_key_of_resources)
        return hash;
    /* Name, image and resources; the pod's names are the same for all entries of a pod. */
    return hash * UINT64_C(1099511628211) ^ container->resource_hash;
}

static void put_backoff_text(struct kp_buf *buf, const struct kp_pod_run *run, int container,
                             int64_t delay_ns)
{
    kp_buf_put(buf,
               run->node->profile.backoff_lower_case ? KP_TEXT("back-off ") : KP_TEXT("Back-off "));
    kp_buf_put_duration(buf, delay_ns);
    kp_buf_put(buf, KP_TEXT(" restarting failed container="));
    kp_buf_put(buf, run->api.containers[container].name);
    kp_buf_put(buf, KP_TEXT(" pod="));
    kp_buf_put(buf, run->full_name);
}

enum kp_err kp_start_reserve(struct kp_sync *sync, int container)
{
    struct kp_pod_run *run = sync->run;
    struct kp_backoff_text *texts = sync->containers[container].texts;
    struct kp_buf buf = {0};
    char *block;

    put_backoff_text(&buf, run, container, INT64_MIN);
    block = kp_mem_array(run->node->mem, KP_BACKOFF_WINDOWS, buf.need);
    if (!block)
        return KP_ENOMEM;
    for (size_t i = 0; i < KP_BACKOFF_WINDOWS; i++) {
        texts[i].bytes = block + i * buf.need;
        texts[i].room = buf.need;
    }
    return KP_OK;
}

/* The sentence of that window: written once, then lent for good. */
static struct kp_text backoff_text(struct kp_sync *sync, int container, int64_t delay_ns)
{
    struct kp_backoff_text *texts = sync->containers[container].texts;
    size_t i = 0;
    struct kp_buf buf;

    while (texts[i].text.len > 0 && texts[i].delay_ns != delay_ns) {
        i++;
        assert(i < KP_BACKOFF_WINDOWS);
    }
    if (texts[i].text.len == 0) {
        buf = (struct kp_buf){.bytes = texts[i].bytes, .cap = texts[i].room};
        put_backoff_text(&buf, sync->run, container, delay_ns);
        texts[i].text = kp_buf_text(&buf);
        texts[i].delay_ns = delay_ns;
    }
    return texts[i].text;
}

/* Each sync that refuses says so (S-250). */
static void record_backoff(struct kp_pod_run *run, int container, int64_t delay_ns)
{
    struct kp_effect effect =
        kp_run_effect(run, KP_EFFECT_BACKOFF, container, KP_RULE_EVENT_BACK_OFF);
    struct kp_message message = {.count = 0};

    kp_message_add(&message, KP_TEXT("Back-off restarting failed container"));
    if (run->node->profile.backoff_event_names) {
        kp_message_add(&message, KP_TEXT(" "));
        kp_message_add(&message, run->api.containers[container].name);
        kp_message_add(&message, KP_TEXT(" in pod "));
        kp_message_add(&message, run->full_name);
    }
    kp_run_record(run, container, KP_WARNING, KP_TEXT("BackOff"), &message, KP_RULE_EVENT_BACK_OFF);
    effect.u.delay_ns = delay_ns;
    kp_run_emit(run, &effect);
}

/* Back-off counts from this one, in the snapshot before any kill (S-240). */
static const struct kp_instance *newest_exited(const struct kp_sync *sync, int container)
{
    const struct kp_instances *instances = &sync->view.containers[container];

    for (size_t i = 0; i < instances->count; i++)
        if (instances->list[i].state == KP_INSTANCE_EXITED)
            return &instances->list[i];
    return NULL;
}

static void note_expiry(struct kp_sync *sync, int64_t expiry_wall_ns)
{
    int64_t expiry_ns = kp_elapsed_ns(sync->run->node->wall_minus_now_ns, expiry_wall_ns);

    if (expiry_ns < sync->result.expiry_ns)
        sync->result.expiry_ns = expiry_ns;
}

/* The first end finds no entry and is not delayed (S-251).  After a kill for a probe the newest end
 * in the snapshot is that of the instance before (S-252), and after a refusal the killed one's own
 * (S-253). */
bool kp_start_is_refused(struct kp_sync *sync, int container)
{
    struct kp_pod_run *run = sync->run;
    struct kp_node *node = run->node;
    const struct kp_instance *dead = newest_exited(sync, container);
    uint64_t key = backoff_key(&node->profile, &sync->pod->containers[container]);
    struct kp_backoff *entry = kp_backoff_find(sync->containers[container].backoffs, key);
    int64_t wall_ns = kp_node_wall_ns(node);

    if (!dead)
        return false;
    kp_backoff_collect(entry, &node->limits, kp_node_last_tick(node, 2 * KP_NS_PER_S));
    if (!kp_backoff_holds(entry, &node->limits, key, dead->finished_wall_ns, wall_ns)) {
        kp_backoff_next(entry, &node->limits, key, dead->finished_wall_ns, wall_ns, node->now_ns);
        return false;
    }
    record_backoff(run, container, entry->delay_ns);
    kp_start_note_reason(sync, container, KP_TEXT("CrashLoopBackOff"),
                         backoff_text(sync, container, entry->delay_ns));
    note_expiry(sync, kp_later_ns(dead->finished_wall_ns, entry->delay_ns));
    return true;
}

/* ---- create and start -------------------------------------------------------------------- */

bool kp_start_pulls(const struct kp_container *container)
{
    return kp_text_equal(container->image_pull_policy, KP_TEXT("Always"));
}

void kp_start_pulled_message(struct kp_message *message, const struct kp_profile *profile,
                             struct kp_text image, int64_t took_ns, int64_t image_bytes)
{
    message->count = 0;
    kp_message_add(message, KP_TEXT("Successfully pulled image "));
    kp_message_add_quoted(message, image);
    if (profile->pulled_event_text >= 1) {
        kp_message_add(message, KP_TEXT(" in "));
        kp_message_add_duration(message, took_ns);
    }
    if (profile->pulled_event_waiting) {
        kp_message_add(message, KP_TEXT(" ("));
        kp_message_add_duration(message, took_ns);
        kp_message_add(message, KP_TEXT(" including waiting)"));
    }
    if (profile->pulled_event_text >= 2) {
        kp_message_add(message, KP_TEXT(". Image size: "));
        kp_message_add_int(message, image_bytes);
        kp_message_add(message, KP_TEXT(" bytes."));
    }
}

static void record_present(const struct kp_sync *sync, int container)
{
    struct kp_pod_run *run = sync->run;
    struct kp_message message = {.count = 0};

    kp_message_add(&message, KP_TEXT("Container image "));
    kp_message_add_quoted(&message, sync->pod->containers[container].image);
    kp_message_add(&message, KP_TEXT(" already present on machine"));
    if (run->node->profile.gates[KP_GATE_KubeletEnsureSecretPulledImages])
        kp_message_add(&message, KP_TEXT(" and can be accessed by the pod"));
    kp_run_record(run, container, KP_NORMAL, KP_TEXT("Pulled"), &message, KP_RULE_EVENT_PULLED);
}

/* EnsureImageExists: every image is present; Always pulls it all the same, in no time. */
static void record_image(const struct kp_sync *sync, int container)
{
    struct kp_pod_run *run = sync->run;
    const struct kp_container *spec = &sync->pod->containers[container];
    struct kp_message message = {.count = 0};

    if (!kp_start_pulls(spec)) {
        record_present(sync, container);
        return;
    }
    kp_message_add(&message, KP_TEXT("Pulling image "));
    kp_message_add_quoted(&message, spec->image);
    kp_run_record(run, container, KP_NORMAL, KP_TEXT("Pulling"), &message, KP_RULE_EVENT_PULLED);
    kp_start_pulled_message(&message, &run->node->profile, spec->image, 0, 0);
    kp_run_record(run, container, KP_NORMAL, KP_TEXT("Pulled"), &message, KP_RULE_EVENT_PULLED);
}

void kp_start_begin(struct kp_sync *sync, int container)
{
    struct kp_pod_run *run = sync->run;
    struct kp_effect effect = kp_run_effect(run, KP_EFFECT_START, container, KP_RULE_RESTART_COUNT);

    record_image(sync, container);
    effect.u.restart = kp_start_restart_count(sync, container);
    kp_run_emit(run, &effect);
}

static void record_created(struct kp_sync *sync, int container)
{
    struct kp_pod_run *run = sync->run;
    static const char *const texts[] = {"Created container ",
                                        "Created container: ", "Container created"};
    int form = run->node->profile.created_event_text;
    struct kp_message message = {.count = 0};

    kp_message_add(&message, kp_text_of(texts[form]));
    if (form < 2)
        kp_message_add(&message, sync->pod->containers[container].name);
    kp_run_record(run, container, KP_NORMAL, KP_TEXT("Created"), &message, KP_RULE_EVENT_CREATED);
}

static void record_started(struct kp_sync *sync, int container)
{
    struct kp_pod_run *run = sync->run;
    struct kp_message message = {.count = 0};

    if (run->node->profile.created_event_text < 2) {
        kp_message_add(&message, KP_TEXT("Started container "));
        kp_message_add(&message, sync->pod->containers[container].name);
    } else {
        kp_message_add(&message, KP_TEXT("Container started"));
    }
    kp_run_record(run, container, KP_NORMAL, KP_TEXT("Started"), &message, KP_RULE_EVENT_CREATED);
}

bool kp_start_succeeded(struct kp_sync *sync, int container, const struct kp_event *event)
{
    struct kp_pod_run *run = sync->run;
    const struct kp_handler *hook = sync->pod->containers[container].post_start;

    record_created(sync, container);
    record_started(sync, container);
    sync->started_cid = event->cid;
    kp_prober_manager_note_start(run->node->probers, run->handle, container);
    sync->reasons[container].known = false;
    if (!hook)
        return true;
    sync->hook_answered = !kp_hook_has_handler(hook);
    sync->hook_answer = KP_ANSWER_ERROR;
    sync->hook_n = 0;
    if (!sync->hook_answered && !hook->sleep)
        sync->hook_n =
            kp_run_hook(run, container, event->cid, KP_POST_START, KP_RULE_START_CONTAINER_STEPS);
    return false;
}

/* The message of a gRPC status, where the text is one: what stands behind its code. */
static struct kp_text status_message(struct kp_text error)
{
    struct kp_text desc = KP_TEXT(" desc = ");
    size_t at = kp_text_find(error, desc);

    if (kp_text_find(error, KP_TEXT("rpc error: code = ")) > 0 || at == error.len)
        return error;
    return (struct kp_text){error.bytes + at + desc.len, error.len - at - desc.len};
}

struct naming {
    struct kp_text text, cid, name;
};

/* recordContainerEvent: the container's id in a text becomes its name, so that repeats are equal
 * (S-264). */
static void write_with_name(struct kp_buf *buf, const void *of)
{
    const struct naming *naming = of;
    struct kp_text text = naming->text;
    size_t at = kp_text_find(text, naming->cid);

    while (at < text.len) {
        kp_buf_put(buf, (struct kp_text){text.bytes, at});
        kp_buf_put(buf, naming->name);
        at += naming->cid.len;
        text = kp_text_from(text, at);
        at = kp_text_find(text, naming->cid);
    }
    kp_buf_put(buf, text);
}

void kp_start_failed(struct kp_sync *sync, int container, const struct kp_event *event)
{
    struct kp_text text = status_message(event->message);
    struct naming naming = {text, event->cid, sync->pod->containers[container].name};
    struct kp_message message = {.count = 0};

    if (kp_text_equal(event->reason, KP_TEXT("RunContainerError")))
        record_created(sync, container);
    kp_message_add(&message, KP_TEXT("Error: "));
    kp_message_add_written(&message, write_with_name, &naming);
    kp_run_record(sync->run, container, KP_WARNING, KP_TEXT("Failed"), &message,
                  KP_RULE_SYNC_ERROR_NAMES);
    kp_start_note_reason(sync, container, event->reason, text);
}
