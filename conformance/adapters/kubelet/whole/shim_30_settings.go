//go:build ge30

package main

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
)

func newerSettings(cfg *kubeletconfig.KubeletConfiguration) {
	cfg.LocalStorageCapacityIsolation = false
	cfg.ContainerLogMonitorInterval = metav1.Duration{Duration: 1000 * time.Hour}
}
