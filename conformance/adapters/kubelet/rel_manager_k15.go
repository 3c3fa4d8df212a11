//go:build !k17

package main

import "k8s.io/kubernetes/pkg/kubelet/prober"

// startupIsInternal: 1.16 keeps the results of startup probes to itself, as up to 1.20 those of readiness.
const startupIsInternal = true

func newProberManager(n *node, store *statusStore, r *recorder) prober.Manager {
	return prober.NewManager(store, n.liveness, commandRunner{n}, n.refManager(), r)
}
