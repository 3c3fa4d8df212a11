//go:build k23 && !k37

package main

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/probe"
	grpcprobe "k8s.io/kubernetes/pkg/probe/grpc"
)

func grpcProbe(host, service string, port int, timeout time.Duration, _ *v1.GRPCAction) (probe.Result, string, error) {
	return grpcprobe.New().Probe(host, service, port, timeout)
}
