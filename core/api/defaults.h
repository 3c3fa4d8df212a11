/*
 * defaults.h: what the API server writes into a pod where its author said nothing (D-001..D-008).
 */
#pragma once

#include "../model/spec.h"
#include "../rules/profile.h"

/*
 * Default a pod in place.
 *
 * pod:      it and everything it points to must be writable: the const in struct kp_pod is for its
 *           readers.
 * Upstream: pkg/apis/core/v1/defaults.go SetDefaults_Pod, _PodSpec, _Container, _Probe,
 *           _HTTPGetAction; conversion.go for a negative grace period (D-007).
 */
void kp_pod_default(const struct kp_profile *profile, struct kp_pod *pod);

/* One probe alone: timeouts, period, thresholds, path, scheme, service. */
void kp_probe_default(const struct kp_profile *profile, struct kp_probe *probe);
