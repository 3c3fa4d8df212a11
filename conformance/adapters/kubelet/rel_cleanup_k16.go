//go:build k16

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/kubelet/prober"
)

// cleanupPods is what housekeeping calls; keep is the one pod that is still desired, or nil.
func cleanupPods(m prober.Manager, keep *v1.Pod) {
	desired := map[types.UID]sets.Empty{}
	if keep != nil {
		desired[keep.UID] = sets.Empty{}
	}
	m.CleanupPods(desired)
}
