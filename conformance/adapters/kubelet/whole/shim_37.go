//go:build ge37

package main

import (
	"k8s.io/component-base/metrics"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/metrics/collectors"
	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
)

func newNodeTracker() kubeletutil.NodeStartupLatencyTracker {
	return kubeletutil.NewNodeStartupLatencyTracker(klog.Background())
}

// newerCollectors are those that earlier releases do not register.
func newerCollectors() []metrics.StableCollector {
	return []metrics.StableCollector{collectors.PodCertificateCollectorFor(nil)}
}
