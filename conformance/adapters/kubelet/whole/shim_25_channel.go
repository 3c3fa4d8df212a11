//go:build ge24 && !ge26

package main

import (
	"context"

	"k8s.io/kubernetes/pkg/kubelet/config"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
)

func podChannel(ctx context.Context, c *config.PodConfig) chan<- interface{} {
	return c.Channel(ctx, kubetypes.ApiserverSource)
}
