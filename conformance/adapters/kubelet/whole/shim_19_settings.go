//go:build !ge20

package main

import kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"

func noServerNoShutdown(*kubeletconfig.KubeletConfiguration) {}
