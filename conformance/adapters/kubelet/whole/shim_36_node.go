//go:build ge29 && !ge37

package main

import kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"

func newNodeTracker() kubeletutil.NodeStartupLatencyTracker {
	return kubeletutil.NewNodeStartupLatencyTracker()
}
