package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

// The runner gives up after 5 s; a bubble that does not advance is reported before that.
const stuckAfter = 4 * time.Second

var watched struct {
	sync.Mutex
	req   *request
	since time.Time
	more  time.Duration // what the request may take beyond that
}

// busy and idle bracket the work on one request.  They are called inside bubbles, whose clock is
// virtual, so the instant is taken by the watchdog itself.
func busy(req *request) {
	watched.Lock()
	watched.req, watched.since, watched.more = req, time.Time{}, 0
	watched.Unlock()
}

// patient is for a request that takes real time.
func patient(more time.Duration) {
	watched.Lock()
	watched.more = more
	watched.Unlock()
}

func idle() {
	watched.Lock()
	watched.req = nil
	watched.Unlock()
}

// watchdog runs outside all bubbles, in real time.  When a request takes too long it says which
// goroutines keep the bubble from advancing, answers the request and ends the process.
func watchdog(w *wire) {
	for {
		time.Sleep(250 * time.Millisecond)
		watched.Lock()
		req := watched.req
		if req != nil && watched.since.IsZero() {
			watched.since = time.Now()
		}
		stuck := req != nil && time.Since(watched.since) > stuckAfter+watched.more
		watched.Unlock()
		if !stuck {
			continue
		}
		why := blockers()
		fmt.Fprintf(stderr, "kubelet-adapter: the bubble does not advance; %s\n", why)
		w.answer(req, refuse("internal", "the bubble does not advance: %s", inOneLine(why)))
		os.Exit(4)
	}
}

// blockers lists the goroutines of a bubble that are not durably blocked.
func blockers() string {
	buf := make([]byte, 4<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var found []string
	for _, stack := range strings.Split(string(buf), "\n\n") {
		head := firstLine(stack)
		if strings.Contains(head, "synctest bubble") && !strings.Contains(head, "(durable)") {
			found = append(found, stack)
		}
	}
	if len(found) == 0 {
		return "no goroutine of it blocks the clock: it works without end"
	}
	return strings.Join(found, "\n\n")
}

// inOneLine is the first of some stacks in one line: what the goroutine does, and in which functions.
func inOneLine(stacks string) string {
	stack, _, _ := strings.Cut(stacks, "\n\n")
	lines := strings.Split(stack, "\n")
	var calls []string
	for _, line := range lines[1:] {
		if call := strings.LastIndexByte(line, '('); call > 0 && line[0] != '\t' && len(calls) < 6 {
			calls = append(calls, line[:call])
		}
	}
	return strings.TrimSpace(lines[0] + " " + strings.Join(calls, " < "))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
