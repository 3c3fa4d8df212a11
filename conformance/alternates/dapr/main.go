// Dapr's app health checks, as daprd begins them.
package main

import (
	"context"
	"errors"

	"github.com/dapr/dapr/pkg/apphealth"
	"github.com/dapr/dapr/pkg/config"

	"probetest/adapter"
)

func main() {
	adapter.Serve(adapter.Checker{
		Name: "dapr-apphealth", Version: "1.14.0", URL: "https://docs.dapr.io/operations/resiliency/health-checks/app-health/",
		Types: []string{"readiness"},
		Lacks: []string{"success-threshold", "initial-delay"},
		Start: start,
	})
}

func start(ctx context.Context, p adapter.Probe, ask adapter.Ask, tell adapter.Tell) {
	// What the channel of an app makes of an answer: one that cannot be had is a bad one and no error.
	probe := func(ctx context.Context) (bool, error) {
		a, err := ask(ctx)
		if err == nil && a.Result == "error" {
			return false, errors.New(a.Output)
		}
		return err == nil && a.Good(), nil
	}
	health := apphealth.New(config.AppHealthConfig{ProbeInterval: p.Period, ProbeTimeout: p.Timeout, ProbeOnly: true,
		Threshold: int32(p.FailureThreshold)}, probe)
	health.OnHealthChange(func(_ context.Context, status uint8) {
		tell(map[uint8]string{apphealth.AppStatusHealthy: "success", apphealth.AppStatusUnhealthy: "failure"}[status])
	})
	health.StartProbes(ctx)
	health.Enqueue() // the first at once, as the runtime does
	<-ctx.Done()
	health.Close()
}
