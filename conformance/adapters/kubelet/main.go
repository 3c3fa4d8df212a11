// Command kubelet is the probetest adapter around the real Kubernetes packages of one release.
//
// It speaks the adapter protocol (conformance/protocol.md) on stdio.  What is judged is upstream's
// own code, imported as an ordinary module and called through its exported API; what stands in
// this folder is the node around it: a status store, a runtime that asks the runner, and time.
//
//go:debug randseednop=0
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"

	"probetest.local/release"
)

const lineBytesMax = 1 << 20

// stderr is ours alone: os.Stderr is closed to the Kubernetes packages, whose logs would drown it.
var stderr = os.Stderr

func main() {
	if len(os.Args) > 1 {
		fmt.Fprintln(stderr, "usage: kubelet-adapter   (requests on stdin, replies on stdout; see conformance/protocol.md)")
		os.Exit(2)
	}
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stderr = null
	}
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
	w := &wire{in: bufio.NewReaderSize(os.Stdin, 64<<10), out: bufio.NewWriter(os.Stdout)}
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

func hello(req *request) reply {
	if req.Protocol != 1 {
		return refuse("unsupported", "protocol %d; this adapter speaks 1", req.Protocol)
	}
	if req.K8s != "" && req.K8s != release.Minor() {
		return refuse("unsupported", "Kubernetes %s: this binary is %s", req.K8s, release.Version())
	}
	if err := setGates(req.Gates); err != nil {
		return refuse("unsupported", "%v", err)
	}
	return reply{ok: map[string]any{
		"protocol": 1,
		"name":     "kubelet-prober",
		"version":  release.Version(),
		"language": "go",
		"url":      "https://github.com/kubernetes/kubernetes",
		"k8s":      []string{release.Minor()},
		"layers":   []string{"port", "check", "probe", "fire"},
		"features": features(),
		"observes": observes(),
		"clock":    "virtual",
	}}
}

func observes() []string {
	kinds := []string{"probe", "result", "ready", "event"}
	if hasStartup {
		kinds = append(kinds, "started")
	}
	return kinds
}

func features() []string {
	list := []string{"gates", "jitter", "restart", "manager", "termination", "clock",
		"nostatus", "phase", "podpreset", "sidecars", "update", "exec", "http", "tcp", "tls", "h2", "odd-heads"}
	if hasGRPC {
		list = append(list, "grpc")
	}
	return list
}

// request is every request of the protocol; fields that an op does not use stay zero.
type request struct {
	ID       json.RawMessage `json:"id"`
	Op       string          `json:"op"`
	Protocol int             `json:"protocol"`
	K8s      string          `json:"k8s"`
	Gates    map[string]bool `json:"gates"`

	Port  json.RawMessage `json:"port"`
	Ports json.RawMessage `json:"ports"`

	Pod     json.RawMessage   `json:"pod"`
	YAML    *string           `json:"yaml"`
	Old     json.RawMessage   `json:"old"`
	Presets []json.RawMessage `json:"presets"`

	Probe   json.RawMessage `json:"probe"`
	Env     json.RawMessage `json:"env"`
	PodIP   string          `json:"podIP"`
	Timeout int64           `json:"timeout"`

	Layer  string          `json:"layer"`
	Uptime int64           `json:"uptime"`
	Wall   int64           `json:"wall"`
	Jitter json.RawMessage `json:"jitter"`

	To     int64         `json:"to"`
	Events []*worldEvent `json:"events"`
}

type reply struct {
	ok            map[string]any
	code, message string
}

func refuse(code, format string, args ...any) reply {
	return reply{code: code, message: fmt.Sprintf(format, args...)}
}

// wire carries the lines.  It is used from inside bubbles too: a read from stdin is no durable
// wait, so virtual time stands still while the runner thinks.
type wire struct {
	in  *bufio.Reader
	out *bufio.Writer
}

// next reads one request; lines that are none are answered here.  False at the end of input.
func (w *wire) next() (*request, bool) {
	for {
		line, err := readLine(w.in)
		if errors.Is(err, io.EOF) {
			return nil, false
		}
		req := &request{}
		if err == nil {
			err = json.Unmarshal(line, req)
		}
		if err != nil {
			w.answer(req, refuse("bad-request", "%v", err))
			continue
		}
		busy(req)
		return req, true
	}
}

func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) <= lineBytesMax {
			line = append(line, part...)
		} else {
			line = append(line[:lineBytesMax], 0)
		}
		switch {
		case err == nil && len(line) > lineBytesMax:
			return nil, fmt.Errorf("line longer than %d bytes", lineBytesMax)
		case err == nil:
			return line, nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case len(line) > 0 && errors.Is(err, io.EOF):
			return line, nil
		default:
			return nil, io.EOF
		}
	}
}

func (w *wire) answer(req *request, r reply) {
	out := map[string]any{"id": req.ID}
	if req.ID == nil {
		out["id"] = nil
	}
	if r.code != "" {
		out["error"] = map[string]any{"code": r.code, "message": r.message}
	} else if r.ok == nil {
		out["ok"] = map[string]any{}
	} else {
		out["ok"] = r.ok
	}
	enc := json.NewEncoder(w.out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		fmt.Fprintln(stderr, "kubelet-adapter: cannot encode a reply:", err)
		os.Exit(4)
	}
	idle()
	if err := w.out.Flush(); err != nil {
		os.Exit(4)
	}
}
