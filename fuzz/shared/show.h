/* show.h: what a kept input plays, for whoever looks into it: SHOW=1 build/plain/replay-world FILE.
 */
#pragma once

#include "fuzz/shared/scenario.h"

/* The version, what the kubelet is opened with and the pod.  Each writes a line of JSON on stderr
 * where the environment has SHOW, else nothing. */
void show_scenario(const struct scenario *scenario);
void show_event(const struct scenario *scenario, int64_t at_ns, const struct kp_event *event);
void show_effect(const struct kp_effect *effect);
