//go:build !faketime

package main

import (
	"flag"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// From 1.21 on the kubelet runs in a bubble of testing/synctest.

// caseZero is case time 0 when wall is 0.
func caseZero(_ time.Duration) time.Time { return time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC) }

// inVirtualTime calls f where time passes only when all goroutines wait.
func inVirtualTime(f func()) {
	os.Args = os.Args[:1]
	flag.CommandLine = flag.NewFlagSet(os.Args[0], flag.ExitOnError)
	testing.Main(func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "kubelet", F: func(t *testing.T) {
			synctest.Test(t, func(*testing.T) {
				wait.NeverStop = make(chan struct{}) // one made outside never blocks durably
				f()
			})
		}}}, nil, nil)
}

// rest returns when nothing is left to do at this instant.
func (w *world) rest() {
	synctest.Wait()
	for w.sleeping.Load() > 0 {
		time.Sleep(time.Nanosecond)
		synctest.Wait()
	}
}

// holdsTheClock says of a goroutine, as a dump of stacks shows it, whether time cannot pass because of it.
func holdsTheClock(head, _ string) bool {
	return strings.Contains(head, "synctest bubble") && !strings.Contains(head, "(durable)")
}
