#include "active_deadline.h"

int64_t kp_active_deadline_left_ns(const struct kp_pod *pod, const struct kp_pod_status *status,
                                   int64_t wall_ns)
{
    if (!pod->has_deadline || !status || !status->has_start)
        return KP_NEVER;
    return kp_elapsed_ns(kp_elapsed_ns(status->start_ns, wall_ns), kp_seconds_ns(pod->deadline_s));
}
