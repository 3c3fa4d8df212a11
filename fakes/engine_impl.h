/* engine_impl.h: the built-in engine, or for layer `probe` its prober, in process, behind the
 * interface that the world knows. */
#pragma once

#include "fakes/node.h"

/* The caller's storage; set `mem`, the rest is the implementation's. */
struct fake_engine_impl {
    const struct kp_mem *mem;
    struct fake_node node; /* between open and close */
    struct fake_engine_draws {
        const struct fake_open *open;
        uint64_t state;
        bool restarted; /* the kubelet is not the one that the case opened */
    } draws;
    struct kp_sink sink; /* of the call under way */
    const char *error;   /* why a call returned false; static text */
};

/* An interface to `impl`, which must outlive it. */
struct fake_impl fake_engine_impl_interface(struct fake_engine_impl *impl);
