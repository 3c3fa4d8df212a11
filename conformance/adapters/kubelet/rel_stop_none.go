//go:build !k22

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/prober"
)

// stopLivenessAndStartup: up to 1.21 nothing is stopped before the pod is removed.
func stopLivenessAndStartup(prober.Manager, *v1.Pod) {}
