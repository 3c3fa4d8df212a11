#include "prober_state.h"

void kp_results_channel_init(struct kp_results_channel *channel)
{
    channel->count = 0;
    channel->sender_head = KP_TIMER_NONE;
}

/* false: 20 wait already (P-006), and so does the worker, whose result is in the cache by now
 * (P-140). */
bool kp_results_send(struct kp_results_channel *channel, const struct kp_worker *w)
{
    if (channel->count == KP_RESULTS_CAPACITY)
        return false;
    channel->queue[(channel->first + channel->count++) % KP_RESULTS_CAPACITY] =
        (struct kp_results_update){
            .pod = w->pod,
            .container = (int)w->container_index,
            .cid = w->cid,
            .result = (enum kp_result)w->cached,
        };
    return true;
}

static void receive(struct kp_results_channel *channel, struct kp_results_update *update)
{
    *update = channel->queue[channel->first];
    channel->first = (channel->first + 1) % KP_RESULTS_CAPACITY;
    channel->count--;
}

/* There is room for one of those that wait in their send. */
static KP_SELDOM void take_update(struct kp_prober_manager *m, struct kp_results_channel *channel)
{
    struct kp_worker *sender = &m->workers[channel->sender_head];

    channel->sender_head = sender->link;
    (void)kp_results_send(channel, sender);
    kp_prober_resume_worker(m, sender);
}

bool kp_results_any(const struct kp_prober_manager *m)
{
    uint32_t count = 0;

    for (int type = 0; type < KP_PROBE_TYPES; type++)
        count |= m->channels[type].count;
    return count != 0;
}

bool kp_results_take(struct kp_prober_manager *m, enum kp_probe_type type,
                     struct kp_results_update *update)
{
    struct kp_results_channel *channel = &m->channels[type];

    if (channel->count == 0)
        return false;
    receive(channel, update);
    if (channel->sender_head != KP_TIMER_NONE)
        take_update(m, channel);
    return true;
}

/* The cached result, if it is of this container id (P-138). */
bool kp_results_get(const struct kp_prober_manager *m, enum kp_probe_type type, uint32_t pod,
                    int container, struct kp_text cid, enum kp_result *result)
{
    const struct kp_worker *w = kp_prober_find_slot(m, pod, container, type);

    if (!w || w->cached == KP_RESULT_NONE || !kp_text_equal(w->cid, cid))
        return false;
    *result = (enum kp_result)w->cached;
    return true;
}
