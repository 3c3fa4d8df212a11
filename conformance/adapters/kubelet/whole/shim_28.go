//go:build ge26 && !ge29

package main

import (
	"k8s.io/kubernetes/pkg/kubelet"
	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
)

func addTrackers(deps *kubelet.Dependencies) {
	deps.PodStartupLatencyTracker = kubeletutil.NewPodStartupLatencyTracker()
	deps.TracerProvider = noTracer()
}
