//go:build ge24 && !ge26

package main

import "probetest/conformance/adapters/kubelet/whole/runtimeapi"

func (o oldRuntime) Status(verbose bool) (*runtimeapi.StatusResponse, error) {
	return o.c.Status(noContext, verbose)
}

func (o oldRuntime) PodSandboxStatus(id string, verbose bool) (*runtimeapi.PodSandboxStatusResponse, error) {
	return o.c.PodSandboxStatus(noContext, id, verbose)
}

func (o oldRuntime) ContainerStatus(id string, verbose bool) (*runtimeapi.ContainerStatusResponse, error) {
	return o.c.ContainerStatus(noContext, id, verbose)
}

func (fakeImages) ImageStatus(spec *runtimeapi.ImageSpec, _ bool) (*runtimeapi.ImageStatusResponse, error) {
	return &runtimeapi.ImageStatusResponse{Image: &runtimeapi.Image{Id: spec.GetImage(),
		RepoTags: []string{spec.GetImage()}, Spec: spec}}, nil
}
