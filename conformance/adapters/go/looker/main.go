// A health checker of a few lines, to try package adapter on; `looker counts` counts failures that are not in a row.
package main

import (
	"context"
	"os"
	"time"

	"probetest/adapter"
)

func main() {
	adapter.Serve(adapter.Checker{Name: "looker", Version: "1", Types: []string{"liveness", "readiness"}, Start: look,
		Fire: func(adapter.Attempt) (adapter.Fired, error) {
			return adapter.Fired{}, adapter.Declined("it makes none")
		}})
}

func look(ctx context.Context, p adapter.Probe, ask adapter.Ask, tell adapter.Tell) {
	time.Sleep(p.InitialDelay)
	ticker := time.NewTicker(p.Period)
	defer ticker.Stop()
	for count, last := 0, false; ctx.Err() == nil; {
		one, cancel := context.WithTimeout(ctx, p.Timeout)
		answer, err := ask(one)
		cancel()
		good := err == nil && answer.Good()
		if good != last && len(os.Args) < 2 {
			count = 0
		}
		count, last = count+1, good
		switch {
		case good && count >= p.SuccessThreshold:
			tell("success")
		case !good && count >= p.FailureThreshold:
			tell("failure")
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}
