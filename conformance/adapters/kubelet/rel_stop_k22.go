//go:build k22

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/prober"
)

func stopLivenessAndStartup(m prober.Manager, pod *v1.Pod) { m.StopLivenessAndStartup(pod) }
