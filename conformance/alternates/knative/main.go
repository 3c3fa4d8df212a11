// Knative's queue-proxy, which asks the readiness probe of the container beside it.
package main

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"knative.dev/serving/pkg/queue/readiness"

	"probetest/adapter"
)

func main() {
	adapter.Serve(adapter.Checker{
		Name: "knative-queue-proxy", Version: "0.42.2", URL: "https://knative.dev/docs/serving/services/configure-probing/",
		Fire:         fire,
		FireFeatures: []string{"grpc", "http", "tcp", "tls"},
	})
}

// handler is the pod's, with the defaults that Knative's API fills in: the container stands beside the proxy.
func handler(a adapter.Attempt) (h corev1.ProbeHandler, err error) {
	switch p := a.Probe; {
	case p.HTTPGet != nil:
		get := &corev1.HTTPGetAction{Path: p.HTTPGet.Path, Port: intstr.FromInt(a.Port(p.HTTPGet.Port)), Host: p.HTTPGet.Host,
			Scheme: corev1.URIScheme(p.HTTPGet.Scheme)}
		if get.Host == "" {
			get.Host = "127.0.0.1"
		}
		if get.Scheme == "" {
			get.Scheme = corev1.URISchemeHTTP
		}
		for _, header := range p.HTTPGet.HTTPHeaders {
			get.HTTPHeaders = append(get.HTTPHeaders, corev1.HTTPHeader{Name: header.Name, Value: header.Value})
		}
		h.HTTPGet = get
	case p.TCPSocket != nil:
		h.TCPSocket = &corev1.TCPSocketAction{Host: p.TCPSocket.Host, Port: intstr.FromInt(a.Port(p.TCPSocket.Port))}
		if h.TCPSocket.Host == "" {
			h.TCPSocket.Host = "127.0.0.1"
		}
	case p.GRPC != nil:
		h.GRPC = &corev1.GRPCAction{Port: int32(p.GRPC.Port), Service: p.GRPC.Service}
	default:
		return h, adapter.Declined("exec probes are not the queue-proxy's")
	}
	return h, nil
}

func fire(a adapter.Attempt) (adapter.Fired, error) {
	h, err := handler(a)
	if err != nil {
		return adapter.Fired{}, err
	}
	seconds := int32((time.Duration(a.Timeout)*time.Millisecond + time.Second - 1) / time.Second)
	probe := readiness.NewProbe([]*corev1.Probe{{ProbeHandler: h, PeriodSeconds: 10, TimeoutSeconds: seconds, SuccessThreshold: 1,
		FailureThreshold: 3}})
	if probe.ProbeContainer() {
		return adapter.Fired{Result: "success"}, nil
	}
	return adapter.Fired{Result: "failure"}, nil // the reason goes to its log
}
