//go:build k23

package main

import (
	"k8s.io/kubernetes/pkg/probe"
)

func (s *shot) grpc() attempt {
	p := s.probe.GRPC
	if p == nil || (minor < 27 && !gateOn("GRPCContainerProbe")) {
		return attempt{probe.Unknown, "", errMissingHandler}
	}
	service := ""
	if p.Service != nil {
		service = *p.Service
	}
	return made(grpcProbe(s.podIP, service, int(p.Port), s.timeout, p))
}
