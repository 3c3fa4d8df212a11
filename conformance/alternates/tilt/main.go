// tilt-dev/probe, which runs the readiness_probe of Tilt's local resources.
package main

import (
	"context"
	"errors"

	"github.com/tilt-dev/probe/pkg/probe"
	"github.com/tilt-dev/probe/pkg/prober"

	"probetest/adapter"
)

func main() {
	adapter.Serve(adapter.Checker{
		Name: "tilt-probe", Version: "0.3.1", URL: "https://docs.tilt.dev/api.html#api.probe",
		Types: []string{"readiness", "liveness"},
		Start: start,
	})
}

func start(ctx context.Context, p adapter.Probe, ask adapter.Ask, tell adapter.Tell) {
	check := prober.ProberFunc(func(ctx context.Context) (prober.Result, string, error) {
		a, err := ask(ctx)
		if err != nil {
			return prober.Unknown, "", err
		}
		if a.Result == "error" {
			return prober.Unknown, a.Output, errors.New(a.Output)
		}
		return map[string]prober.Result{"success": prober.Success, "warning": prober.Warning, "unknown": prober.Unknown, "failure": prober.Failure}[a.Result], a.Output, nil
	})
	var worker *probe.Worker
	worker = probe.NewWorker(check, probe.WorkerInitialDelay(p.InitialDelay), probe.WorkerPeriod(p.Period), probe.WorkerTimeout(p.Timeout),
		probe.WorkerSuccessThreshold(p.SuccessThreshold), probe.WorkerFailureThreshold(p.FailureThreshold),
		probe.WorkerOnProbeResult(func(prober.Result, bool, string, error) {
			switch worker.Status() {
			case prober.Success, prober.Warning:
				tell("success")
			case prober.Failure:
				tell("failure")
			}
		}))
	worker.Run(ctx)
}
