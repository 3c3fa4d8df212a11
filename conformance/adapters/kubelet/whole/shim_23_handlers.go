//go:build ge23

package main

import v1 "k8s.io/api/core/v1"

type hookHandler = v1.LifecycleHandler

func hasHandler(p *v1.Probe) bool {
	return p.Exec != nil || p.HTTPGet != nil || p.TCPSocket != nil || p.GRPC != nil
}

func handle(p *v1.Probe, exec *v1.ExecAction) { p.ProbeHandler = v1.ProbeHandler{Exec: exec} }
