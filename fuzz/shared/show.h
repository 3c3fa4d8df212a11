/* show.h: what a kept input plays, for whoever looks into it: SHOW=1 build/plain/replay-world FILE.
 */
#ifndef FUZZ_SHOW_H
#define FUZZ_SHOW_H

#include "fuzz/shared/scene.h"

/* The version, what the kubelet is opened with and the pod.  Each writes a line of JSON on stderr
 * where the environment has SHOW, else nothing. */
void show_scene(const struct scene *scene);
void show_event(const struct scene *scene, int64_t at_ns, const struct kp_event *event);
void show_effect(const struct kp_effect *effect);

#endif
