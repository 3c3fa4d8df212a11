//go:build k37

package main

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/probe"
	grpcprobe "k8s.io/kubernetes/pkg/probe/grpc"
)

func grpcProbe(host, service string, port int, timeout time.Duration, p *v1.GRPCAction) (probe.Result, string, error) {
	tls := gateOn("GRPCContainerProbeTLS") && p.Mode != nil && *p.Mode == v1.GRPCProbeModeTLS
	return grpcprobe.New().Probe(host, service, port, timeout, grpcprobe.ProbeOptions{UseTLS: tls})
}
