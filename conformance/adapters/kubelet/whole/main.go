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
	"regexp"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
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
	p := &parent{in: bufio.NewReaderSize(stdin, 1<<16), out: stdout}
	p.serve()
	p.end()
}

func usage() {
	if os.Args[1] == "--version" {
		fmt.Fprintln(stdout, "kubelet-whole, k8s.io/kubernetes", release)
		os.Exit(0)
	}
	text := "usage: kubelet-whole < REQUESTS > REPLIES\n" +
		"Plays the layers pod, actions and port of the probetest adapter protocol with the kubelet of " + release + ".\n"
	if os.Args[1] == "--help" {
		fmt.Fprint(stdout, text)
		os.Exit(0)
	}
	fmt.Fprint(stderr, text)
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
	cmd             *exec.Cmd
	in, out, errors descriptor
	said            []byte // and not yet read as a line
	tail            tail   // of what it wrote to stderr
	root            string
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
	if r.K8s != "" && r.K8s != minor() && r.K8s != release {
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
	c := &child{cmd: exec.Command(self), root: root}
	// A child lives for a second: collecting its garbage would cost more than keeping it.
	c.cmd.Env = append(os.Environ(), "GOGC=off", "GOMEMLIMIT=700MiB", childEnv+"="+string(setup))
	c.cmd.SysProcAttr = apart()
	if err := c.run(); err != nil {
		os.RemoveAll(root)
		return err
	}
	p.case_ = c
	return nil
}

// run starts the process with pipes of ours.
func (c *child) run() error {
	var ends [3][2]int // of stdin, stdout and stderr: read, write
	for i := range ends {
		if err := unix.Pipe2(ends[i][:], unix.O_CLOEXEC); err != nil {
			return err
		}
	}
	theirs := [3]*os.File{os.NewFile(uintptr(ends[0][0]), "stdin"), os.NewFile(uintptr(ends[1][1]), "stdout"),
		os.NewFile(uintptr(ends[2][1]), "stderr")}
	c.in, c.out, c.errors = descriptor(ends[0][1]), descriptor(ends[1][0]), descriptor(ends[2][0])
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	err := c.cmd.Start()
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		c.close()
	}
	return err
}

func (c *child) close() {
	for _, d := range []descriptor{c.in, c.out, c.errors} {
		_ = unix.Close(int(d))
	}
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
	got, err := c.reply(patience())
	if err != nil {
		return marshalReply(r.ID, nil, internal("%s", c.lastWords(err)))
	}
	return got
}

// reply is the child's next line. One that has none for so long is made to print its stacks and die of it.
func (c *child) reply(patience time.Duration) ([]byte, error) {
	for until := realMs() + patience.Milliseconds(); ; {
		if line, rest, ok := bytes.Cut(c.said, []byte("\n")); ok {
			c.said = append([]byte(nil), rest...)
			return append(line, '\n'), nil
		}
		out, errors := c.wait(max(0, until-realMs()))
		switch {
		case errors:
			c.hear()
		case out:
			if err := c.read(); err != nil {
				for c.hear() {
				}
				return nil, err
			}
		case c.tail.quiet:
			_ = c.cmd.Process.Kill() // it does not even print its stacks
		default:
			c.tail.quiet = true
			_ = c.cmd.Process.Signal(syscall.SIGQUIT)
			until = realMs() + 10000
		}
	}
}

// wait waits until there is something to read.
func (c *child) wait(ms int64) (out, errors bool) {
	files := []unix.PollFd{{Fd: int32(c.out), Events: unix.POLLIN}, {Fd: int32(c.errors), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(files, int(ms)); err != unix.EINTR {
			break
		}
	}
	// A file at its end is ready for ever: that of stderr counts no more.
	return files[0].Revents != 0, files[1].Revents&unix.POLLIN != 0
}

// read takes what the child says to stdout.
func (c *child) read() error {
	piece := make([]byte, 1<<16)
	n, err := c.out.Read(piece)
	c.said = append(c.said, piece[:n]...)
	return err
}

// hear takes what the child says to stderr; false: there is no more.
func (c *child) hear() bool {
	piece := make([]byte, 1<<16)
	n, err := c.errors.Read(piece)
	c.tail.take(piece[:n])
	return err == nil
}

// end is the end of the case: of its process, and of what it left behind.
func (p *parent) end() {
	c := p.case_
	if c == nil {
		return
	}
	p.case_ = nil
	_ = c.cmd.Process.Kill()
	for c.hear() {
	}
	_ = c.cmd.Wait()
	c.close()
	os.RemoveAll(c.root)
}

// lastWords says why the child died.
func (c *child) lastWords(err error) string {
	_ = c.cmd.Wait()
	if blocked := c.tail.blocked(); blocked != "" {
		return "the clock stands still; what holds it: " + blocked
	}
	if c.tail.quiet {
		return "the clock stands still, and no goroutine holds it: the kubelet works without end"
	}
	if line := c.tail.panicLine(); line != "" {
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
	quiet bool // what follows is a dump of stacks
}

// header is what the runtime of a process in faketime puts before what it writes to stderr.
var header = regexp.MustCompile(`(?s)\x00\x00PB.{12}`)

func (t *tail) take(b []byte) {
	t.text = append(t.text, b...)
	if len(t.text) > 1<<20 {
		t.text = append([]byte(nil), t.text[len(t.text)-1<<19:]...)
	}
	if !t.quiet {
		_, _ = stderr.Write(b)
	}
}

func (t *tail) plain() string { return header.ReplaceAllString(string(t.text), "") }

// blocked finds, in a dump of all stacks, the goroutines that keep the clock from moving.
func (t *tail) blocked() string {
	if !t.quiet {
		return ""
	}
	var all []string
	for _, stack := range strings.Split(t.plain(), "\n\n") {
		head, rest, _ := strings.Cut(stack, "\n")
		if holdsTheClock(head, rest) && !strings.Contains(rest, "main.serve(") {
			frame, _, _ := strings.Cut(rest, "\n")
			all = append(all, head+" "+frame)
		}
	}
	return strings.Join(all, "; ")
}

func (t *tail) panicLine() string {
	for _, line := range strings.Split(t.plain(), "\n") {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") ||
			strings.HasPrefix(line, "probetest-kubelet: ") {
			return line
		}
	}
	return ""
}
