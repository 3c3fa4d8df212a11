// Command kubelet is the probetest adapter around the real Kubernetes packages of one release.
//
// It speaks the adapter protocol (conformance/protocol.md) on stdio.  What is judged is upstream's
// own code, imported as an ordinary module and called through its exported API; what stands in
// this folder is the node around it: a status store, a runtime that asks the runner, and time.
//
//go:debug randseednop=0
package main

import (
	"os"
	"runtime"
	"testing"
)

func main() {
	noArguments("kubelet-adapter")
	mute()
	runtime.GOMAXPROCS(1) // with one processor the order in which goroutines draw jitter is known

	// A bubble can only be had from a test, so the whole adapter is one.
	tests := []testing.InternalTest{{Name: "serve", F: serve}}
	testing.Main(func(string, string) (bool, error) { return true, nil }, tests, nil, nil)
}

// theTest is the one test; bubbles are made from it.
var theTest *testing.T

// serve answers requests until stdin ends.  It leaves the process by itself: what testing would
// print at its end has no place on stdout.
func serve(t *testing.T) {
	theTest = t
	w := stdio()
	go watchdog(w)
	for {
		req, ok := w.next()
		if !ok {
			os.Exit(0)
		}
		if req.Op == "open" {
			playCase(t, w, req)
			continue
		}
		w.answer(req, outside(req))
	}
}

// outside answers the requests that need no case to be open.
func outside(req *request) reply {
	switch req.Op {
	case "hello":
		return hello(req)
	case "port":
		return resolvePort(req)
	case "check":
		return checkPod(req)
	case "fire":
		return fire(req)
	case "advance", "close":
		return refuse("bad-request", "%s without an open case", req.Op)
	}
	return refuse("unsupported", "op %q", req.Op)
}

// whoami is what hello says of this binary.
func whoami() identity {
	return identity{name: "kubelet-prober", layers: []string{"port", "check", "probe", "fire"}, observes: append(observes(), "request", "text"),
		features: append(fireFeatures(), "gates", "jitter", "restart", "manager", "termination", "clock", "nostatus", "phase",
			"podpreset", "sidecars", "update")}
}

func observes() []string {
	kinds := []string{"probe", "result", "ready", "event"}
	if hasStartup {
		kinds = append(kinds, "started")
	}
	return kinds
}
