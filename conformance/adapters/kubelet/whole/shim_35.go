//go:build !ge36

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

// newPodConfig makes the pod source and the function that fills it.
func newPodConfig(ctx context.Context, r *record.FakeRecorder, t kubeletutil.PodStartupLatencyTracker) (*config.PodConfig, func([]*v1.Pod)) {
	c := config.NewPodConfig(config.PodConfigNotificationIncremental, r, t)
	ch := c.Channel(ctx, kubetypes.ApiserverSource)
	return c, func(pods []*v1.Pod) {
		ch <- kubetypes.PodUpdate{Pods: pods, Op: kubetypes.SET, Source: kubetypes.ApiserverSource}
	}
}

func startGarbageCollection(_ context.Context, kl *kubelet.Kubelet) { kl.StartGarbageCollection() }

func runKubelet(_ context.Context, l *life, kl *kubelet.Kubelet, c *config.PodConfig) {
	kl.Run(untilOver(l, c.Updates()))
}
