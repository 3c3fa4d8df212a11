//go:build ge18

package main

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/kubernetes/pkg/kubelet/metrics/collectors"
)

// forgetCollectors takes out of the process's metrics the collectors that each kubelet registers and
// that cannot be registered twice.
func forgetCollectors() {
	prometheus.DefaultRegisterer = prometheus.NewRegistry()
	all, ok := legacyregistry.DefaultGatherer.(metrics.KubeRegistry)
	if !ok {
		return
	}
	known := []metrics.StableCollector{collectors.NewVolumeStatsCollector(nil), collectors.NewLogMetricsCollector(nil)}
	for _, c := range append(known, newerCollectors()...) {
		metrics.NewKubeRegistry().CustomMustRegister(c) // which makes it complete
		all.Unregister(c)
	}
}
