//go:build !ge37

package main

import (
	"k8s.io/component-base/metrics"
	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
)

func newNodeTracker() kubeletutil.NodeStartupLatencyTracker {
	return kubeletutil.NewNodeStartupLatencyTracker()
}

func newerCollectors() []metrics.StableCollector { return nil }
