//go:build !ge26

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/config"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
)

// addPodConfig makes the pod source; it returns the function that fills it.
func addPodConfig(ctx context.Context, deps *kubelet.Dependencies) func([]*v1.Pod) {
	deps.PodConfig = config.NewPodConfig(config.PodConfigNotificationIncremental, deps.Recorder)
	ch := podChannel(ctx, deps.PodConfig)
	return func(pods []*v1.Pod) {
		ch <- kubetypes.PodUpdate{Pods: pods, Op: kubetypes.SET, Source: kubetypes.ApiserverSource}
	}
}
