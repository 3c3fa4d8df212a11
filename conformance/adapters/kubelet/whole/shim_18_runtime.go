//go:build ge18

package main

import "k8s.io/kubernetes/pkg/kubelet"

// addRuntime gives the kubelet our runtime.
func addRuntime(deps *kubelet.Dependencies, w *world, _ string) error {
	deps.RemoteRuntimeService, deps.RemoteImageService = runtimeService(w.cri), fakeImages{}
	return nil
}

// collectsSandbox says whether the collector of dead sandboxes is calling.
func collectsSandbox() bool { return calledFrom(".(*containerGC).") }

// outlastsTheCall refuses no grace: no request has a time limit of its own.
func outlastsTheCall(int64) *problem { return nil }
