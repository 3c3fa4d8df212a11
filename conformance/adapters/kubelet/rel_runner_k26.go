//go:build k26

package main

import (
	"context"
	"time"

	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

type commandRunner struct{ n *node }

func (r commandRunner) RunInContainer(ctx context.Context, id kubecontainer.ContainerID, cmd []string, timeout time.Duration) ([]byte, error) {
	return r.n.exec(ctx, id, cmd, timeout)
}
