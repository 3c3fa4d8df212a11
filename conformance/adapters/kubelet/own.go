//go:build own

// Layer fire alone, for a Go that has no bubbles: the one that the release itself is built with (build_handlers.sh, which
// names the files that this takes).  Here, and in those, only what Go 1.12 has.

package main

import (
	"os"
	"time"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "bench" {
		bench(os.Args[2:])
		return
	}
	noArguments("kubelet-handlers")
	mute()
	for w := stdio(); ; {
		req, ok := w.next()
		if !ok {
			os.Exit(0)
		}
		w.answer(req, outside(req))
	}
}

func outside(req *request) reply {
	switch req.Op {
	case "hello":
		return hello(req)
	case "fire":
		return fire(req)
	}
	return refuse("unsupported", "op %q", req.Op)
}

func whoami() identity {
	return identity{name: "kubelet-handlers", layers: []string{"fire"}, observes: []string{"request", "text"},
		features: append(fireFeatures(), "gates", "go-release")}
}

// What the other layers want of wire.go and fire.go.
type worldEvent struct{}

func busy(*request)         {}
func patient(time.Duration) {}
func idle()                 {}

type any = interface{} // not in Go before 1.18
