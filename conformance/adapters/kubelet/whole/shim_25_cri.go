//go:build !ge26

package main

import (
	"context"
	"time"

	internalapi "k8s.io/cri-api/pkg/apis"

	"probetest/conformance/adapters/kubelet/whole/runtimeapi"
)

type otherRequests interface{}

// oldRuntime is the runtime for kubelets whose requests have no context.
type oldRuntime struct {
	internalapi.RuntimeService // nil: a method that no kubelet of ours calls panics
	c                          *fakeCRI
}

func runtimeService(c *fakeCRI) internalapi.RuntimeService { return oldRuntime{c: c} }

var noContext = context.Background()

func (o oldRuntime) Version(v string) (*runtimeapi.VersionResponse, error) {
	return o.c.Version(noContext, v)
}

func (o oldRuntime) UpdateRuntimeConfig(*runtimeapi.RuntimeConfig) error { return nil }

func (o oldRuntime) ReopenContainerLog(string) error { return nil }

func (o oldRuntime) RunPodSandbox(c *runtimeapi.PodSandboxConfig, handler string) (string, error) {
	return o.c.RunPodSandbox(noContext, c, handler)
}

func (o oldRuntime) StopPodSandbox(id string) error { return o.c.StopPodSandbox(noContext, id) }

func (o oldRuntime) RemovePodSandbox(id string) error { return o.c.RemovePodSandbox(noContext, id) }

func (o oldRuntime) ListPodSandbox(f *runtimeapi.PodSandboxFilter) ([]*runtimeapi.PodSandbox, error) {
	return o.c.ListPodSandbox(noContext, f)
}

func (o oldRuntime) CreateContainer(sandbox string, c *runtimeapi.ContainerConfig, s *runtimeapi.PodSandboxConfig) (string, error) {
	return o.c.CreateContainer(noContext, sandbox, c, s)
}

func (o oldRuntime) StartContainer(id string) error { return o.c.StartContainer(noContext, id) }

func (o oldRuntime) StopContainer(id string, grace int64) error {
	return o.c.StopContainer(noContext, id, grace)
}

func (o oldRuntime) RemoveContainer(id string) error { return o.c.RemoveContainer(noContext, id) }

func (o oldRuntime) ListContainers(f *runtimeapi.ContainerFilter) ([]*runtimeapi.Container, error) {
	return o.c.ListContainers(noContext, f)
}

func (o oldRuntime) ExecSync(id string, cmd []string, timeout time.Duration) ([]byte, []byte, error) {
	return o.c.ExecSync(noContext, id, cmd, timeout)
}

// fakeImages has every image.
type fakeImages struct {
	internalapi.ImageManagerService
}

func (fakeImages) ListImages(*runtimeapi.ImageFilter) ([]*runtimeapi.Image, error) { return nil, nil }

func (fakeImages) PullImage(spec *runtimeapi.ImageSpec, _ *runtimeapi.AuthConfig, _ *runtimeapi.PodSandboxConfig) (string, error) {
	return spec.GetImage(), nil
}

func (fakeImages) ImageFsInfo() ([]*runtimeapi.FilesystemUsage, error) { return nil, nil }
