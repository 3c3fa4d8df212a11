package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

const lineBytesMax = 1 << 20

// stderr is ours alone: os.Stderr is closed to the Kubernetes packages, whose logs would drown it.
var stderr = os.Stderr

// mute closes it.
func mute() {
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stderr = null
	}
}

// stdio is the line to the runner.
func stdio() *wire {
	return &wire{in: bufio.NewReaderSize(os.Stdin, 64<<10), out: bufio.NewWriter(os.Stdout)}
}

// noArguments ends the process where there are some.
func noArguments(name string) {
	if len(os.Args) > 1 {
		fmt.Fprintln(stderr, "usage: "+name+"   (requests on stdin, replies on stdout; see conformance/protocol.md)")
		os.Exit(2)
	}
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
		if err == io.EOF {
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
		case err == bufio.ErrBufferFull:
			continue
		case len(line) > 0 && err == io.EOF:
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
