//go:build ge26

package main

import (
	"context"

	internalapi "k8s.io/cri-api/pkg/apis"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

type otherRequests = internalapi.RuntimeService

func runtimeService(c *fakeCRI) internalapi.RuntimeService { return c }

func (c *fakeCRI) UpdateContainerResources(context.Context, string, *cri.ContainerResources) error {
	return nil
}

// fakeImages has every image.
type fakeImages struct {
	internalapi.ImageManagerService
}

func (fakeImages) ListImages(context.Context, *cri.ImageFilter) ([]*cri.Image, error) {
	return nil, nil
}

func (fakeImages) ImageStatus(_ context.Context, spec *cri.ImageSpec, _ bool) (*cri.ImageStatusResponse, error) {
	return &cri.ImageStatusResponse{Image: &cri.Image{Id: spec.GetImage(),
		RepoTags: []string{spec.GetImage()}, Spec: spec}}, nil
}

func (fakeImages) PullImage(_ context.Context, spec *cri.ImageSpec, _ *cri.AuthConfig,
	_ *cri.PodSandboxConfig) (string, error) {
	return spec.GetImage(), nil
}
