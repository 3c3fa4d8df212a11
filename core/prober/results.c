#include "results.h"

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
