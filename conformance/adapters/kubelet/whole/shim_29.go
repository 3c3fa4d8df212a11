//go:build ge29

package main

import (
	"k8s.io/kubernetes/pkg/kubelet"
	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
)

func addTrackers(deps *kubelet.Dependencies) {
	deps.PodStartupLatencyTracker = kubeletutil.NewPodStartupLatencyTracker()
	deps.NodeStartupLatencyTracker = newNodeTracker()
	deps.TracerProvider = noTracer()
}
