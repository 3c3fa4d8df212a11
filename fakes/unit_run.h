/* unit_run.h: one pod on a node of its own, for unit tests of what works on a kp_pod_run. */
#pragma once

#include "core/kubelet/pod_parts.h"
#include "fakes/alloc.h"
#include "fakes/unit.h"

struct unit_run {
    struct kp_mem mem;
    struct kp_node node;
    struct kp_pod_run run;
};

static inline void open_run(struct unit_run *own, const char *k8s, const struct kp_pod *spec)
{
    struct kp_prober_config config = {.profile = &own->node.profile};

    *own = (struct unit_run){.mem = fake_alloc_plain(), .node.mem = &own->mem};
    CHECK_INT(kp_profile_init(&own->node.profile, kp_text_of(k8s)), KP_OK);
    CHECK_INT(kp_prober_manager_new(&own->mem, &config, &own->node.probers), KP_OK);
    CHECK_INT(kp_prober_manager_reserve(own->node.probers, 0, spec), KP_OK);
    CHECK_INT(kp_pod_parts_init(&own->run, &own->node, spec, 0), KP_OK);
}

static inline void close_run(struct unit_run *own)
{
    kp_pod_parts_deinit(&own->run);
    kp_prober_manager_free(own->node.probers);
}
