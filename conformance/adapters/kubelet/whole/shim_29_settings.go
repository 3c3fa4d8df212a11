//go:build ge25 && !ge30

package main

import kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"

func newerSettings(cfg *kubeletconfig.KubeletConfiguration) {
	cfg.LocalStorageCapacityIsolation = false
}
