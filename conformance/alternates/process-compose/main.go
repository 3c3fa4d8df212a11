// process-compose's probes of a process: the checks, timers and counts of its package health, and what its package app makes of them.
package main

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/f1bonacc1/process-compose/src/command"
	"github.com/f1bonacc1/process-compose/src/health"

	"probetest/adapter"
)

var heard answers

func main() {
	http.DefaultTransport = &heard
	adapter.Serve(adapter.Checker{
		Name: "process-compose", Version: "1.122.0", URL: "https://f1bonacc1.github.io/process-compose/health/",
		Types: []string{"readiness", "liveness"},
		Lacks: []string{"success-threshold"},
		Start: start,
	})
}

// answers are what its HTTP checkers hear, in place of a server's: each asks for a path of its own.
type answers struct{ asks sync.Map }

func (t *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	ask, _ := t.asks.Load(r.URL.Path)
	a, err := ask.(adapter.Ask)(r.Context())
	if err == nil && a.Discarded() {
		err = errors.New(a.Output)
	}
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: map[bool]int{true: 200, false: 500}[a.Good()], Body: http.NoBody, Request: r}, nil
}

func start(ctx context.Context, p adapter.Probe, ask adapter.Ask, tell adapter.Tell) {
	path := "/" + p.Container + "/" + p.Type + "/" + p.Instance
	heard.asks.Store(path, ask)
	prober, err := health.New("web", health.Probe{
		HttpGet: &health.HttpProbe{Path: path}, InitialDelay: int(p.InitialDelay.Seconds()),
		PeriodSeconds: int(p.Period.Seconds()), TimeoutSeconds: int(p.Timeout.Seconds()),
		SuccessThreshold: p.SuccessThreshold, FailureThreshold: p.FailureThreshold,
	}, nil, command.ShellConfig{}, func(ok, fatal bool, _ string, _ any) {
		switch {
		case ok:
			tell("success")
		case fatal || p.Type == "readiness": // not ready at each failure; at failure_threshold of them the process is stopped
			tell("failure")
		}
	})
	if err != nil {
		panic(err)
	}
	prober.Start()
	<-ctx.Done()
	prober.Stop()
}
