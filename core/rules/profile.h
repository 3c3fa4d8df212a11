/*
 * profile.h: one Kubernetes version as the engine sees it: a row of named switches, levels and
 * gates.
 *
 * The engine never compares version numbers; it asks a switch or a level.  They stand in
 * profile.def, the gates in gates.def, and what a release is built with in built.def.
 */
#pragma once

#include "../base/err.h"

#define KP_MINOR_MIN 15
#define KP_MINOR_MAX 37
#define KP_OLDEST "1.15" /* the same as texts */
#define KP_NEWEST "1.37"
#define KP_DEFAULT "1.36" /* what most clusters run: they lag the newest */

enum kp_gate {
#define GATE(name, rules, since, on, locked, gone) KP_GATE_##name,
#include "gates.def"
#undef GATE
    KP_GATES
};

/* Plain data: copy it freely. */
struct kp_profile {
    int minor; /* for printing and for case selection only */
    int patch;
    int grpc_go; /* minor * 1000 + patch of the grpc-go that it is built with */
#define SWITCH(name, rules, ...) bool name;
#define SPANS SWITCH
#define LEVEL(name, rules, ...) uint8_t name;
#include "profile.def"
#undef SPANS
#undef SWITCH
#undef LEVEL
    bool gates[KP_GATES];
};

/*
 * Fill in the row of a version.
 *
 * version:  "1.36" (its last patch judged) or "1.36.2"; a patch to come is played as the last
 *           known.
 * Returns:  KP_OK, or KP_EUNKNOWN for anything that is not a version from 1.15 to 1.37; then no
 * gate is on.
 */
KP_MUST_USE enum kp_err kp_profile_init(struct kp_profile *profile, struct kp_text version);

/* The numbers of such a version: no other is KP_OK. */
KP_MUST_USE enum kp_err kp_version_numbers(struct kp_text version, int *minor, int *patch);
/* The same of a version as numbers. */
KP_MUST_USE enum kp_err kp_profile_of(struct kp_profile *profile, int minor, int patch);

/*
 * Set a gate otherwise than its default.
 *
 * Returns:  KP_OK; KP_EUNKNOWN: this version has no such gate; KP_EINPUT: it is locked to the other
 * value.
 */
KP_MUST_USE enum kp_err kp_profile_set_gate(struct kp_profile *profile, struct kp_text name,
                                            bool on);

/* Static name of a gate. */
const char *kp_gate_name(enum kp_gate gate);
/* Does this version know the gate at all? */
bool kp_gate_known(const struct kp_profile *profile, enum kp_gate gate);
/* The last patch judged of a minor: kp_profile_last_patch(36) is 4. */
int kp_profile_last_patch(int minor);
/* KEP-4781: containers from before the kubelet's start keep what they had. */
bool kp_profile_keeps_old(const struct kp_profile *profile);
