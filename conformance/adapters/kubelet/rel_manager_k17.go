//go:build k17 && !k19

package main

import "k8s.io/kubernetes/pkg/kubelet/prober"

const startupIsInternal = false

func newProberManager(n *node, store *statusStore, r *recorder) prober.Manager {
	return prober.NewManager(store, n.liveness, n.startup, commandRunner{n}, n.refManager(), r)
}
