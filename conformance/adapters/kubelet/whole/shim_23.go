//go:build !ge24

package main

import (
	"context"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/config"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
)

func podChannel(_ context.Context, c *config.PodConfig) chan<- interface{} {
	return c.Channel(kubetypes.ApiserverSource)
}

func setLogger(l logr.Logger) { klog.SetLogger(l) }
