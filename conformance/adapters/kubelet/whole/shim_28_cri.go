//go:build ge28

package main

import (
	"context"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

func (c *fakeCRI) RuntimeConfig(context.Context) (*cri.RuntimeConfigResponse, error) {
	return &cri.RuntimeConfigResponse{}, nil
}
