//go:build k26 && !k37

package main

import (
	"net/http"
	"time"

	v1 "k8s.io/api/core/v1"
	httpprobe "k8s.io/kubernetes/pkg/probe/http"
)

func speaksH2C(*v1.HTTPGetAction) bool { return false }

func h2c(httpprobe.Prober, *http.Request, time.Duration) answer { return answer{} }
