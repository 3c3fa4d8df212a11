package adapter

import (
	"context"
	"testing"
	"time"
)

// A checker such as an upstream has: a check each period, and thresholds.
func check(ctx context.Context, probe Probe, ask Ask, tell Tell) {
	results, count, last := map[bool]string{true: "success", false: "failure"}, 0, false
	needed := map[bool]int{true: probe.SuccessThreshold, false: probe.FailureThreshold}
	ticker := time.NewTicker(probe.Period)
	defer ticker.Stop()
	for {
		answer, err := ask(ctx)
		if err != nil {
			return
		}
		if answer.Good() != last {
			last, count = answer.Good(), 0
		}
		if count++; count >= needed[last] {
			tell(results[last])
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

func TestProbes(t *testing.T) {
	Test(t, Checker{Name: "example", Types: []string{"readiness"}, Start: check,
		Lacks: []string{"containers", "errors", "initial-delay", "timeouts"}}, "--tier", "contract")
}
