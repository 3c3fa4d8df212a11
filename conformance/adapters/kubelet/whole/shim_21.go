//go:build ge20 && !ge22

package main

import (
	"context"
	"path/filepath"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
)

// newKubelet calls NewMainKubelet, whose arguments differ from release to release.
func newKubelet(_ context.Context, cfg *kubeletconfig.KubeletConfiguration, deps *kubelet.Dependencies,
	f *options.KubeletFlags, root string) (*kubelet.Kubelet, error) {
	return kubelet.NewMainKubelet(cfg, deps, &f.ContainerRuntimeOptions, "remote", hostIP, true,
		types.NodeName(nodeName), nil, "", "", filepath.Join(root, "pki"), root, "", "", false, nil, nil, "",
		false, false, false, f.MinimumGCAge, f.MaxPerPodContainerCount, f.MaxContainerCount, "default", true,
		false, nil, filepath.Join(root, "seccomp"), -1)
}
