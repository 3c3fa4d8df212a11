// Istio's readiness of workloads outside of Kubernetes: the WorkloadHealthChecker of its agent, and its probers.
package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"istio.io/api/networking/v1alpha3"
	"istio.io/istio/pkg/istio-agent/health"

	"probetest/adapter"
)

func main() {
	adapter.Serve(adapter.Checker{
		Name: "istio-workload-health", Version: "1.31-alpha.eed52ebb66ad",
		URL:          "https://istio.io/latest/docs/reference/config/networking/workload-group/#ReadinessProbe",
		Types:        []string{"readiness"},
		Start:        start,
		Fire:         fire,
		FireFeatures: []string{"exec", "grpc", "http", "tcp", "tls"},
	})
}

// envoy is asked by the checker before its own prober, which here is `true`: so its answers are the checker's.
type envoy struct {
	ctx     context.Context
	timeout time.Duration
	ask     adapter.Ask
}

func (e envoy) Check() error {
	ctx, cancel := context.WithTimeout(e.ctx, e.timeout)
	defer cancel()
	a, err := e.ask(ctx)
	if err == nil && !a.Good() {
		err = errors.New(a.Result + " " + a.Output)
	}
	return err
}

func start(ctx context.Context, p adapter.Probe, ask adapter.Ask, tell adapter.Tell) {
	checker := health.NewWorkloadHealthChecker(&v1alpha3.ReadinessProbe{
		InitialDelaySeconds: int32(p.InitialDelay.Seconds()), TimeoutSeconds: int32(p.Timeout.Seconds()),
		PeriodSeconds: int32(p.Period.Seconds()), SuccessThreshold: int32(p.SuccessThreshold), FailureThreshold: int32(p.FailureThreshold),
		HealthCheckMethod: &v1alpha3.ReadinessProbe_Exec{Exec: &v1alpha3.ExecHealthCheckConfig{Command: []string{"true"}}},
	}, envoy{ctx, p.Timeout, ask}, nil, false)
	quit := make(chan struct{})
	go func() { <-ctx.Done(); close(quit) }()
	checker.PerformApplicationHealthCheck(func(e *health.ProbeEvent) {
		tell(map[bool]string{true: "success", false: "failure"}[e.Healthy])
	}, quit)
}

// fire has the whole checker make its first check: with thresholds of 1 that is what it tells.
func fire(a adapter.Attempt) (adapter.Fired, error) {
	config, err := method(a)
	if err != nil {
		return adapter.Fired{}, err
	}
	config.TimeoutSeconds, config.PeriodSeconds, config.SuccessThreshold, config.FailureThreshold = int32((a.Timeout+999)/1000), 3600, 1, 1
	host := a.PodIP
	if host == "" {
		host = "127.0.0.1"
	}
	quit, told := make(chan struct{}), make(chan adapter.Fired, 1)
	defer close(quit)
	go health.NewWorkloadHealthChecker(config, nil, []string{host}, false).PerformApplicationHealthCheck(func(e *health.ProbeEvent) {
		told <- adapter.Fired{Result: map[bool]string{true: "success", false: "failure"}[e.Healthy], Output: e.UnhealthyMessage}
	}, quit)
	return <-told, nil
}

// method is the pod's handler in Istio's words.
func method(a adapter.Attempt) (*v1alpha3.ReadinessProbe, error) {
	switch p := a.Probe; {
	case p.Exec != nil:
		if strings.Contains(strings.Join(p.Exec.Command, " "), "$(") {
			return nil, adapter.Declined("it expands no variables")
		}
		return &v1alpha3.ReadinessProbe{HealthCheckMethod: &v1alpha3.ReadinessProbe_Exec{Exec: &v1alpha3.ExecHealthCheckConfig{
			Command: p.Exec.Command}}}, nil
	case p.TCPSocket != nil:
		return &v1alpha3.ReadinessProbe{HealthCheckMethod: &v1alpha3.ReadinessProbe_TcpSocket{TcpSocket: &v1alpha3.TCPHealthCheckConfig{
			Host: p.TCPSocket.Host, Port: uint32(a.Port(p.TCPSocket.Port))}}}, nil
	case p.GRPC != nil:
		config := &v1alpha3.GrpcHealthCheckConfig{Port: uint32(p.GRPC.Port)}
		if p.GRPC.Service != nil {
			config.Service = *p.GRPC.Service
		}
		return &v1alpha3.ReadinessProbe{HealthCheckMethod: &v1alpha3.ReadinessProbe_Grpc{Grpc: config}}, nil
	}
	get := a.Probe.HTTPGet
	config := &v1alpha3.HTTPHealthCheckConfig{Path: get.Path, Host: get.Host, Scheme: get.Scheme, Port: uint32(a.Port(get.Port))}
	for _, h := range get.HTTPHeaders {
		config.HttpHeaders = append(config.HttpHeaders, &v1alpha3.HTTPHeader{Name: h.Name, Value: h.Value})
	}
	return &v1alpha3.ReadinessProbe{HealthCheckMethod: &v1alpha3.ReadinessProbe_HttpGet{HttpGet: config}}, nil
}
