//go:build k23

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/probe"
)

// callGRPC makes it a gRPC probe of that port.
func callGRPC(p *v1.Probe, port int) {
	p.GRPC = &v1.GRPCAction{Port: int32(port)}
}

func (s *attempt) grpc() answer {
	p := s.probe.GRPC
	if p == nil || (minor < 27 && !gateOn("GRPCContainerProbe")) {
		return answer{probe.Unknown, "", errMissingHandler}
	}
	service := ""
	if p.Service != nil {
		service = *p.Service
	}
	return made(grpcProbe(s.podIP, service, int(p.Port), s.timeout, p))
}
