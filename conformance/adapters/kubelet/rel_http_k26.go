//go:build k26

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/probe"
	httpprobe "k8s.io/kubernetes/pkg/probe/http"
)

func (s *attempt) http(get *v1.HTTPGetAction) answer {
	req, err := httpprobe.NewRequestForHTTPGetAction(get, &s.container, s.podIP, "probe")
	if err != nil {
		return answer{probe.Unknown, "", err}
	}
	prober := newHTTPProber()
	if speaksH2C(get) {
		return h2c(prober, req, s.timeout)
	}
	return made(prober.Probe(req, s.timeout))
}
