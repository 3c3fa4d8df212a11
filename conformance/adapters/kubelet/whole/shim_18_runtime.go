//go:build ge18

package main

import "k8s.io/kubernetes/pkg/kubelet"

// addRuntime gives the kubelet our runtime.
func addRuntime(deps *kubelet.Dependencies, w *world, _ string) error {
	deps.RemoteRuntimeService, deps.RemoteImageService = runtimeService(w.cri), fakeImages{}
	return nil
}
