//go:build !k19

package main

import (
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

// refs: up to 1.18 the kubelet notes an event reference when it starts a container; events of a
// container that it has not started itself are dropped.
type refs struct {
	manager *kubecontainer.RefManager
}

func (n *node) refManager() *kubecontainer.RefManager {
	n.refs.manager = kubecontainer.NewRefManager()
	return n.refs.manager
}

func (n *node) containerStarted(k *container) {
	for _, p := range podProbes(n.c.pod) {
		if p.container.Name != k.name {
			continue
		}
		if ref, err := kubecontainer.GenerateContainerRef(n.c.pod, p.container); err == nil {
			n.refs.manager.SetRef(kubecontainer.ParseContainerID(k.id), ref)
		}
	}
}
