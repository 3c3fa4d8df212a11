//go:build k17 && !k21

package main

import (
	v1 "k8s.io/api/core/v1"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/prober/results"
)

// sweepStartup gives the startup loop its last update directly, since a gate may keep startup workers from being made.
func (n *node) sweepStartup(pod *v1.Pod) {
	n.startup.Set(kubecontainer.ContainerID{Type: "none", ID: "sweeper"}, results.Failure, pod)
}
