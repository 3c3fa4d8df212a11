//go:build ge20

package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
)

func noServerNoShutdown(cfg *kubeletconfig.KubeletConfiguration) {
	cfg.EnableServer = false
	cfg.ShutdownGracePeriod = metav1.Duration{}
	cfg.ShutdownGracePeriodCriticalPods = metav1.Duration{}
}
