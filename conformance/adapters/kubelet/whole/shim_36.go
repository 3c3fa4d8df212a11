//go:build ge36

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/config"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
)

// newPodConfig makes the pod source and the function that fills it. From 1.36 the type that its
// channel takes has no exported name.
func newPodConfig(ctx context.Context, r *record.FakeRecorder, t kubeletutil.PodStartupLatencyTracker) (*config.PodConfig, func([]*v1.Pod)) {
	c := config.NewPodConfig(r, t)
	ch := c.Channel(ctx, kubetypes.ApiserverSource)
	return c, func(pods []*v1.Pod) { ch <- struct{ Pods []*v1.Pod }{pods} }
}

func startGarbageCollection(ctx context.Context, kl *kubelet.Kubelet) { kl.StartGarbageCollection(ctx) }

func runKubelet(ctx context.Context, l *life, kl *kubelet.Kubelet, c *config.PodConfig) {
	kl.Run(ctx, untilOver(l, c.Updates()))
}
