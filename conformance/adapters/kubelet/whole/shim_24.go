//go:build !ge25

package main

import (
	"k8s.io/kubernetes/pkg/kubelet"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
)

func addTrackers(*kubelet.Dependencies) {}

func newerSettings(*kubeletconfig.KubeletConfiguration) {}
