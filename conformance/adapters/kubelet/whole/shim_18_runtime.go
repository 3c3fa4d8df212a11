//go:build ge18

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet"
)

// addRuntime gives the kubelet our runtime.
func addRuntime(deps *kubelet.Dependencies, w *world, _ string) error {
	deps.RemoteRuntimeService, deps.RemoteImageService = runtimeService(w.cri), fakeImages{}
	return nil
}

// collectsSandbox says whether the collector of dead sandboxes is calling.
func collectsSandbox() bool { return calledFrom(".(*containerGC).") }

// outlastsTheCall refuses no grace: no request has a time limit of its own.
func outlastsTheCall([]*v1.Pod) *problem { return nil }
