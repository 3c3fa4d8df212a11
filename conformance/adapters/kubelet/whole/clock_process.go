//go:build faketime

package main

import (
	"regexp"
	"time"
)

// Up to 1.20 the kubelet logs with a lock held and, up to 1.17, asks its runtime over a socket, neither of which a bubble
// counts as waiting. There time is that of the whole process: the Go runtime's own switch `faketime`, under which the
// clock jumps when every goroutine waits. It begins on 10 November 2009, and each tick between then and the beginning
// of a case is ticked.

// caseZero is case time 0 when wall is 0, for a kubelet that began so long before.
func caseZero(uptime time.Duration) time.Time {
	return time.Date(2009, 11, 11, 0, 0, 0, 0, time.UTC).Add((uptime + time.Second - 1).Truncate(time.Second))
}

// inVirtualTime calls f.
func inVirtualTime(f func()) { f() }

// rest returns when nothing is left to do at this instant: time has passed twice, and nobody naps.
func (w *world) rest() {
	for idle := 0; idle < 2; {
		time.Sleep(time.Nanosecond)
		idle++
		if w.sleeping.Load() > 0 {
			idle = 0
		}
	}
}

var holding = regexp.MustCompile(`^goroutine [1-9]\d* .*\[(running|runnable|syscall)`)

// holdsTheClock says of a goroutine, as a dump of stacks shows it, whether time cannot pass because of it.
func holdsTheClock(head, _ string) bool { return holding.MatchString(head) }
