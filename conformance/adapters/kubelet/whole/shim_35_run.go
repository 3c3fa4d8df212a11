//go:build !ge36

package main

import (
	"context"

	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/config"
)

func startGarbageCollection(_ context.Context, kl *kubelet.Kubelet) { kl.StartGarbageCollection() }

func runKubelet(_ context.Context, l *life, kl *kubelet.Kubelet, c *config.PodConfig) {
	kl.Run(untilOver(l, c.Updates()))
}
