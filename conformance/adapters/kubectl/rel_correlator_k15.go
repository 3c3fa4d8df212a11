//go:build !k23

package main

import (
	"time"

	apiclock "k8s.io/apimachinery/pkg/util/clock"
	"k8s.io/client-go/tools/record"
)

// waitingClock is a clock of the kind that the correlator wants up to 1.22; it only asks it for the time.
type waitingClock struct {
	apiclock.Clock // nil
	told           *clock
}

func (w waitingClock) Now() time.Time                  { return w.told.Now() }
func (w waitingClock) Since(t time.Time) time.Duration { return w.told.Since(t) }

func newCorrelator(c *clock) *record.EventCorrelator {
	return record.NewEventCorrelator(waitingClock{told: c})
}
