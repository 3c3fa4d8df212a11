//go:build ge31 && !ge34

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	"k8s.io/apimachinery/pkg/types"
	remote "k8s.io/cri-client/pkg"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
)

func noTracer() trace.TracerProvider { return noop.NewTracerProvider() }

// newKubelet calls NewMainKubelet, whose arguments differ from release to release.
func newKubelet(_ context.Context, cfg *kubeletconfig.KubeletConfiguration, deps *kubelet.Dependencies,
	f *options.KubeletFlags, root string) (*kubelet.Kubelet, error) {
	return kubelet.NewMainKubelet(cfg, deps, &f.ContainerRuntimeOptions, hostIP, true,
		types.NodeName(nodeName), nil, "", "", filepath.Join(root, "pki"), root, filepath.Join(root, "logs"),
		"", "", false, nil, nil, "", false, false, f.MinimumGCAge, f.MaxPerPodContainerCount,
		f.MaxContainerCount, true, nil, -1, false)
}

// timeoutError is what the CRI client makes of an exec that ran out of time.
func timeoutError(command string, timeout time.Duration, _, sign string) error {
	return fmt.Errorf("%w: %q timed out after %s%s", remote.ErrCommandTimedOut, command, timeout, sign)
}
