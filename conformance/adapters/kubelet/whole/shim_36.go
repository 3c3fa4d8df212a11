//go:build ge36

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/config"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
)

// addPodConfig makes the pod source; it returns the function that fills it. From 1.36 the type that its channel takes
// has no exported name.
func addPodConfig(ctx context.Context, deps *kubelet.Dependencies) func([]*v1.Pod) {
	deps.PodConfig = config.NewPodConfig(deps.Recorder, deps.PodStartupLatencyTracker)
	ch := deps.PodConfig.Channel(ctx, kubetypes.ApiserverSource)
	return func(pods []*v1.Pod) { ch <- struct{ Pods []*v1.Pod }{pods} }
}

func startGarbageCollection(ctx context.Context, kl *kubelet.Kubelet) { kl.StartGarbageCollection(ctx) }

func runKubelet(ctx context.Context, l *life, kl *kubelet.Kubelet, c *config.PodConfig) {
	kl.Run(ctx, untilOver(l, c.Updates()))
}
