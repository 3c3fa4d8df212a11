//go:build k37

package main

import (
	"net/http"
	"time"

	v1 "k8s.io/api/core/v1"
	httpprobe "k8s.io/kubernetes/pkg/probe/http"
)

func speaksH2C(get *v1.HTTPGetAction) bool {
	return get.Protocol != nil && *get.Protocol == v1.HTTPProtocolHTTP2 && gateOn("H2CContainerProbe")
}

func h2c(prober httpprobe.Prober, req *http.Request, timeout time.Duration) answer {
	return made(prober.ProbeH2C(req, timeout))
}
