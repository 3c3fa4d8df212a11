//go:build ge29

package main

import (
	"context"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

func (fakeImages) ImageFsInfo(context.Context) (*cri.ImageFsInfoResponse, error) {
	return &cri.ImageFsInfoResponse{}, nil
}
