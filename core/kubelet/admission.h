/*
 * admission.h: the pods that a kubelet refuses when it first hears of them.
 *
 * Upstream: kubelet.go HandlePodAdditions, rejectPod, lifecycle/predicate.go Admit.
 */
#pragma once

#include "pod_run.h"

/* Is the pod, which was added, refused?  Then it has been said, and its phase is Failed (S-033). */
bool kp_admission_rejects(struct kp_pod_run *run);
/* filterTerminalPodsToDelete: is it refused, of which no worker knows, and deleted?  Housekeeping
 * hands it to its worker. */
bool kp_admission_terminal_to_delete(const struct kp_pod_run *run);
