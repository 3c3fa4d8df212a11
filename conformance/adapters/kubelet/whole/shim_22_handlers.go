//go:build !ge23

package main

import v1 "k8s.io/api/core/v1"

// To 1.22 probes and hooks have one type of handler.
type hookHandler = v1.Handler

func hasHandler(p *v1.Probe) bool {
	return p.Exec != nil || p.HTTPGet != nil || p.TCPSocket != nil
}

func handle(p *v1.Probe, exec *v1.ExecAction) { p.Handler = v1.Handler{Exec: exec} }
