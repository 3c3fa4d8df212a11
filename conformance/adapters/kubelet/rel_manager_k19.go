//go:build k19 && !k21

package main

import "k8s.io/kubernetes/pkg/kubelet/prober"

const startupIsInternal = false

// refs: from 1.19 on event references are generated when they are needed.
type refs struct{}

func (n *node) containerStarted(*container) {}

func newProberManager(n *node, store *statusStore, r *recorder) prober.Manager {
	return prober.NewManager(store, n.liveness, n.startup, commandRunner{n}, r)
}
