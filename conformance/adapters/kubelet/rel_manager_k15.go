//go:build !k17

package main

import "k8s.io/kubernetes/pkg/kubelet/prober"

const startGoroutines = 1

func newProberManager(n *node, store *statusStore, r *recorder) prober.Manager {
	return prober.NewManager(store, n.liveness, commandRunner{n}, n.refManager(), r)
}
