//go:build k21

package main

import "k8s.io/kubernetes/pkg/kubelet/prober"

func newProberManager(n *node, store *statusStore, r *recorder) prober.Manager {
	return prober.NewManager(store, n.liveness, n.readiness, n.startup, commandRunner{n}, r)
}
