// Command kubelet-whole plays the layers pod, actions and port of the adapter protocol with the whole
// unmodified kubelet of one Kubernetes release, in virtual time.
//
// It is a parent that speaks to the runner and starts one child, itself, for each case.

//go:debug randseednop=0
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	_ "k8s.io/kubernetes/pkg/features"
)

// Set by the build.
var (
	release = "unknown" // of k8s.io/kubernetes, "1.36.4"
)

func main() {
	if setup := os.Getenv(childEnv); setup != "" {
		childMain(setup)
		return
	}
	if len(os.Args) > 1 {
		usage()
	}
	p := &parent{in: bufio.NewReaderSize(os.Stdin, 1<<16), out: os.Stdout}
	p.serve()
	p.end()
}

func usage() {
	if os.Args[1] == "--version" {
		fmt.Println("kubelet-whole, k8s.io/kubernetes", release)
		os.Exit(0)
	}
	text := "usage: kubelet-whole < REQUESTS > REPLIES\n" +
		"Plays the layers pod, actions and port of the probetest adapter protocol with the kubelet of " + release + ".\n"
	if os.Args[1] == "--help" {
		fmt.Print(text)
		os.Exit(0)
	}
	fmt.Fprint(os.Stderr, text)
	os.Exit(2)
}

// minor is the release without its patch.
func minor() string {
	parts := strings.SplitN(release, ".", 3)
	if len(parts) < 2 {
		return release
	}
	return parts[0] + "." + parts[1]
}

// parent is the process that the runner talks to.
type parent struct {
	in    *bufio.Reader
	out   io.Writer
	gates map[string]bool
	seed  int64
	case_ *child
}

// child is the process that plays one case.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errors *tail
	root   string
}

const lineMax = 1 << 20

func (p *parent) serve() {
	for {
		line, err := p.in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			p.out.Write(p.answer(line))
		}
		if err != nil {
			return
		}
	}
}

func (p *parent) answer(line []byte) []byte {
	var r request
	if len(line) > lineMax {
		return marshalReply(nil, nil, badRequest("a line of %d bytes, of at most %d", len(line), lineMax))
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return marshalReply(r.ID, nil, badRequest("%v", err))
	}
	switch r.Op {
	case "hello":
		ok, bad := p.hello(r)
		return marshalReply(r.ID, ok, bad)
	case "open":
		return p.open(r, line)
	case "advance":
		return p.forward(r, line)
	case "close":
		p.end()
		return marshalReply(r.ID, struct{}{}, nil)
	case "actions":
		return p.actions(r, line)
	case "port":
		ok, bad := port(r)
		return marshalReply(r.ID, ok, bad)
	case "check", "fire":
		return marshalReply(r.ID, nil, unsupported("op %q: see the adapter beside this one", r.Op))
	}
	return marshalReply(r.ID, nil, badRequest("unknown op %q", r.Op))
}

func (p *parent) hello(r request) (any, *problem) {
	if p.case_ != nil {
		return nil, badRequest("hello: a case is open")
	}
	if r.Protocol != 1 {
		return nil, unsupported("protocol %d", r.Protocol)
	}
	if r.K8s != "" && r.K8s != minor() {
		return nil, unsupported("Kubernetes %s: this is the kubelet of %s", r.K8s, release)
	}
	if err := utilfeature.DefaultMutableFeatureGate.DeepCopy().SetFromMap(r.Gates); err != nil {
		return nil, unsupported("gates: %v", err)
	}
	p.gates, p.seed = r.Gates, r.Seed
	return map[string]any{
		"protocol": 1, "name": "kubelet-whole", "version": release, "language": "go",
		"url": "https://k8s.io/kubernetes", "k8s": []string{minor()}, "clock": "virtual",
		"layers": append(portLayer, "pod", "actions"), "features": append(portFeatures, "gates", "pods", "restart", "sidecars"), "observes": observes,
	}, nil
}

// What this adapter can see. A result in the cache and the cause of a sync show nowhere.
var observes = []string{"probe", "started", "ready", "hook", "kill", "sandbox", "start", "backoff",
	"event", "state", "phase", "condition", "apidelete"}

func (p *parent) open(r request, line []byte) []byte {
	if p.case_ != nil {
		return marshalReply(r.ID, nil, badRequest("open: a case is open"))
	}
	if r.Layer != "pod" {
		return marshalReply(r.ID, nil, unsupported("layer %q", r.Layer))
	}
	if err := p.start(); err != nil {
		return marshalReply(r.ID, nil, internal("%v", err))
	}
	got := p.forward(r, line)
	if bytes.Contains(got, []byte(`"error":{`)) && failed(got) {
		p.end()
	}
	return got
}

func failed(line []byte) bool {
	var r struct {
		Error *problem `json:"error"`
	}
	return json.Unmarshal(line, &r) == nil && r.Error != nil
}

func (p *parent) start() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	root, err := os.MkdirTemp("", "probetest-kubelet-")
	if err != nil {
		return err
	}
	setup, err := json.Marshal(childSetup{p.gates, root, p.seed})
	if err != nil {
		return err
	}
	c := &child{cmd: exec.Command(self), errors: &tail{}, root: root}
	// A child lives for a second: collecting its garbage would cost more than keeping it.
	c.cmd.Env = append(os.Environ(), "GOGC=off", "GOMEMLIMIT=700MiB", childEnv+"="+string(setup))
	c.cmd.Stderr = c.errors
	c.cmd.SysProcAttr = apart()
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	c.out = bufio.NewReaderSize(out, 1<<16)
	if err := c.cmd.Start(); err != nil {
		os.RemoveAll(root)
		return err
	}
	p.case_ = c
	return nil
}

// patience is how long a child may take over one request; PROBETEST_PATIENCE=2s is for tests.
func patience() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("PROBETEST_PATIENCE")); err == nil && d > 0 {
		return d
	}
	return 60 * time.Second
}

func (p *parent) forward(r request, line []byte) []byte {
	c := p.case_
	if c == nil {
		return marshalReply(r.ID, nil, badRequest("%s: no case is open", r.Op))
	}
	if _, err := c.in.Write(append(bytes.TrimRight(line, "\r\n"), '\n')); err != nil {
		return marshalReply(r.ID, nil, internal("%s", c.lastWords(err)))
	}
	// A bubble that does not move: make the child print its stacks and die of it.
	watchdog := time.AfterFunc(patience(), func() {
		c.errors.quiet.Store(true)
		_ = c.cmd.Process.Signal(syscall.SIGQUIT)
	})
	got, err := c.out.ReadBytes('\n')
	watchdog.Stop()
	if err != nil {
		return marshalReply(r.ID, nil, internal("%s", c.lastWords(err)))
	}
	return got
}

// end is the end of the case: of its process, and of what it left behind.
func (p *parent) end() {
	c := p.case_
	if c == nil {
		return
	}
	p.case_ = nil
	c.in.Close()
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
	os.RemoveAll(c.root)
}

// lastWords says why the child died.
func (c *child) lastWords(err error) string {
	_ = c.cmd.Wait()
	if blocked := c.errors.blocked(); blocked != "" {
		return "the bubble does not advance; not durably blocked: " + blocked
	}
	if c.errors.quiet.Load() {
		return "the bubble does not advance: no goroutine of it blocks the clock: it works without end"
	}
	if line := c.errors.panicLine(); line != "" {
		return "the kubelet's process died: " + line
	}
	if errors.Is(err, io.EOF) {
		return "the kubelet's process ended: " + c.cmd.ProcessState.String()
	}
	return err.Error()
}

// tail passes a child's stderr on and remembers the end of it.
type tail struct {
	text  []byte
	quiet atomic.Bool // what follows is a dump of stacks
}

func (t *tail) Write(b []byte) (int, error) {
	t.text = append(t.text, b...)
	if len(t.text) > 1<<20 {
		t.text = append([]byte(nil), t.text[len(t.text)-1<<19:]...)
	}
	if t.quiet.Load() {
		return len(b), nil
	}
	return os.Stderr.Write(b)
}

// blocked finds, in a dump of all stacks, the first goroutine of the bubble that keeps its clock
// from moving.
func (t *tail) blocked() string {
	for _, stack := range strings.Split(string(t.text), "\n\n") {
		head, rest, _ := strings.Cut(stack, "\n")
		if strings.Contains(head, "synctest bubble") && !strings.Contains(head, "(durable)") &&
			!strings.Contains(rest, "main.serveBubble") {
			frame, _, _ := strings.Cut(rest, "\n")
			return head + " " + frame
		}
	}
	return ""
}

func (t *tail) panicLine() string {
	for _, line := range strings.Split(string(t.text), "\n") {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") ||
			strings.HasPrefix(line, "probetest-kubelet: ") {
			return line
		}
	}
	return ""
}
