// Package adapter puts a health checker written in Go behind probetest's adapter protocol, layer
// `probe`, in the virtual time of a testing/synctest bubble: its own timers run, and cost no time.
//
// What is judged is the checker. What stands here is the world around it: an instance that runs
// gets a fresh checker a probe, one that has exited loses it. Nothing here counts, waits or decides.
package adapter

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Probe is what the pod says, for one instance of its container.
type Probe struct {
	Container, Instance, Type          string // Type: liveness, readiness or startup
	InitialDelay, Period, Timeout      time.Duration
	SuccessThreshold, FailureThreshold int
}

// Answer is what the probed side says: Result is success, failure, warning, unknown, error, timeout or
// broken, as section 2 of the protocol has them.
type Answer struct {
	Result, Output string
}

// Good is what a checker that knows good and bad alone sees.
func (a Answer) Good() bool { return a.Result == "success" || a.Result == "warning" }

// Discarded are the answers that a kubelet counts as none: the probe could not be made.
func (a Answer) Discarded() bool { return a.Result == "error" }

// Ask makes the check: it blocks until the runner has answered, or until ctx ends, which is what err says.
// An answer `timeout` is none: it blocks until ctx ends.
type Ask func(ctx context.Context) (Answer, error)

// Tell says what the checker has come to: success, failure or unknown. What it has said already is dropped.
type Tell func(value string)

// Checker is somebody's.
type Checker struct {
	Name, Version, URL string
	// Types are the probes that it has at all: liveness, readiness, startup. Lacks names what else it has no words
	// for, as section 3.2 of the protocol does: success-threshold, initial-delay.
	Types, Lacks []string
	// Start begins the checks of one instance. It may return at once; all that it began ends with ctx. Without
	// it layer `probe` is not claimed.
	Start func(ctx context.Context, probe Probe, ask Ask, tell Tell)
	// Fire makes one real attempt, layer `fire`, with the features (exec, grpc, http, tcp, tls, h2) that FireFeatures
	// names. An attempt that it has no words for is Declined.
	Fire         func(attempt Attempt) (Fired, error)
	FireFeatures []string
}

// Attempt is what layer `fire` asks: the probe as the API has it, one of the four.
type Attempt struct {
	Probe struct {
		HTTPGet *struct {
			Path, Host, Scheme string
			Port               any
			HTTPHeaders        []struct{ Name, Value string }
		}
		TCPSocket *struct {
			Host string
			Port any
		}
		GRPC *struct {
			Port    int
			Service *string
		}
		Exec *struct{ Command []string }
	}
	Env   []struct{ Name, Value string }
	Ports []struct {
		Name          string
		ContainerPort int
	}
	PodIP   string
	Timeout int64 // ms
}

// Port is the number of a port of the probe, or 0: a name stands for one of the container's ports.
func (a Attempt) Port(port any) int {
	if n, isNumber := port.(float64); isNumber {
		return int(n)
	}
	for _, p := range a.Ports {
		if p.Name == port {
			return p.ContainerPort
		}
	}
	return 0
}

// Fired is what came of an attempt: success, warning, failure or unknown, and its text; Error where a kubelet
// would discard the attempt.
type Fired struct {
	Result, Output, Error string
}

// Declined says that the checker has no words for what is asked.
type Declined string

func (d Declined) Error() string { return string(d) }

var kinds = []string{"startup", "readiness", "liveness"}

// What a user sees before the checker has said anything.
var unknown = map[string]string{"liveness": "success", "readiness": "failure", "startup": "unknown"}

type request struct {
	ID     json.RawMessage `json:"id"`
	Op     string          `json:"op"`
	To     int64           `json:"to"`
	Pod    json.RawMessage `json:"pod"`
	Events []event         `json:"events"`
	Attempt
}

type event struct {
	E, Container, CID, Result, Output string
	N                                 int
}

type pod struct {
	Spec struct {
		Containers, InitContainers []map[string]json.RawMessage
	}
	Status struct {
		ContainerStatuses []struct {
			Name, ContainerID string
			State             struct{ Running json.RawMessage }
		}
	}
}

type conversation struct {
	in  *bufio.Scanner
	out *bufio.Writer
}

func (c *conversation) next(r *request) bool {
	for c.in.Scan() {
		*r = request{}
		if err := json.Unmarshal(c.in.Bytes(), r); err == nil {
			return true
		} else {
			c.refuse(nil, "bad-request", err.Error())
		}
	}
	return false
}

func (c *conversation) reply(id json.RawMessage, key string, value any) {
	if id == nil {
		id = json.RawMessage("null")
	}
	line, err := json.Marshal(map[string]any{"id": id, key: value})
	if err != nil {
		panic(err)
	}
	c.out.Write(append(line, '\n'))
	c.out.Flush()
}

func (c *conversation) refuse(id json.RawMessage, code, message string) {
	c.reply(id, "error", map[string]string{"code": code, "message": message})
}

// Serve speaks the protocol on stdin and stdout until stdin ends, then leaves. What the checker writes
// to stdout goes to stderr.
func Serve(checker Checker) {
	fd, err := syscall.Dup(1)
	if err == nil {
		err = syscall.Dup2(2, 1)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c := &conversation{bufio.NewScanner(os.Stdin), bufio.NewWriter(os.NewFile(uintptr(fd), "protocol"))}
	c.in.Buffer(nil, 1<<20)
	speak := func(t *testing.T) { c.speak(t, checker) }
	testing.Main(func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "adapter", F: speak}}, nil, nil)
}

func (c *conversation) speak(t *testing.T, checker Checker) {
	var r request
	for c.next(&r) {
		switch r.Op {
		case "hello":
			c.reply(r.ID, "ok", checker.hello())
		case "open":
			synctest.Test(t, func(*testing.T) { c.play(checker, r) })
		case "fire":
			c.fire(checker, r)
		case "close":
			c.reply(r.ID, "ok", map[string]any{})
		default:
			c.refuse(r.ID, "unsupported", "there is no op "+r.Op+" here")
		}
	}
	os.Exit(0)
}

func (checker *Checker) hello() map[string]any {
	layers, features, lacks := []string{}, slices.Clone(checker.FireFeatures), append([]string{"triggers"}, checker.Lacks...)
	if checker.Start != nil {
		layers, features = append(layers, "probe"), append(features, "own-grid", "unknown", "warning")
		for _, kind := range kinds {
			if !slices.Contains(checker.Types, kind) {
				lacks = append(lacks, kind)
			}
		}
	}
	if checker.Fire != nil {
		layers = append(layers, "fire")
	}
	return map[string]any{"protocol": 1, "name": checker.Name, "version": checker.Version, "url": checker.URL, "language": "Go",
		"tier": "contract", "layers": layers, "features": features, "lacks": lacks, "observes": []string{"probe", "result", "ready"},
		"clock": "virtual"}
}

func (c *conversation) fire(checker Checker, r request) {
	if checker.Fire == nil {
		c.refuse(r.ID, "unsupported", "it makes no attempts")
		return
	}
	fired, err := checker.Fire(r.Attempt)
	if err != nil {
		code := "internal"
		if _, declined := err.(Declined); declined {
			code = "unsupported"
		}
		c.refuse(r.ID, code, err.Error())
		return
	}
	ok := map[string]string{"result": fired.Result, "output": fired.Output}
	if fired.Error != "" {
		ok = map[string]string{"result": fired.Result, "error": fired.Error}
	}
	c.reply(r.ID, "ok", ok)
}

// world is one case.
type world struct {
	checker Checker
	zero    time.Time
	probes  map[string][]Probe
	stop    map[string]context.CancelFunc

	mu      sync.Mutex // over what follows: checkers call from goroutines of their own
	effects []map[string]any
	wake    chan struct{}
	waiting map[int]chan Answer
	asked   int
}

func (c *conversation) play(checker Checker, open request) {
	w := &world{checker: checker, zero: time.Now(), probes: map[string][]Probe{}, stop: map[string]context.CancelFunc{},
		wake: make(chan struct{}, 1), waiting: map[int]chan Answer{}}
	var p pod
	if err := json.Unmarshal(open.Pod, &p); err != nil || open.Pod == nil {
		c.refuse(open.ID, "unsupported", "it plays one pod")
		return
	}
	if why := w.read(&p); why != "" {
		c.refuse(open.ID, "unsupported", why)
		return
	}
	for _, s := range p.Status.ContainerStatuses {
		if s.State.Running != nil {
			_, id, _ := strings.Cut(s.ContainerID, "://")
			w.begin(s.Name, id)
		}
	}
	c.reply(open.ID, "ok", w.advance(0))
	var r request
	for c.next(&r) && r.Op != "close" {
		for _, e := range r.Events {
			w.apply(e)
		}
		c.reply(r.ID, "ok", w.advance(r.To))
	}
	for name := range w.stop {
		w.end(name)
	}
	time.Sleep(24 * time.Hour) // what sleeps without a look at its context wakes up, and ends
	if r.Op == "close" {
		c.reply(r.ID, "ok", map[string]any{})
	}
}

// read takes the pod's probes, or says why the checker has no words for them.
func (w *world) read(p *pod) string {
	if len(p.Spec.InitContainers) > 0 {
		return "it knows no init containers"
	}
	for _, c := range p.Spec.Containers {
		var name string
		json.Unmarshal(c["name"], &name)
		w.probes[name] = nil
		for _, kind := range kinds {
			raw, there := c[kind+"Probe"]
			if !there {
				continue
			}
			fields := map[string]json.RawMessage{}
			json.Unmarshal(raw, &fields)
			number := func(field string) (n int) {
				json.Unmarshal(fields[field], &n)
				return n
			}
			seconds := func(field string) time.Duration { return time.Duration(number(field)) * time.Second }
			w.probes[name] = append(w.probes[name], Probe{Container: name, Type: kind,
				InitialDelay: seconds("initialDelaySeconds"), Period: seconds("periodSeconds"), Timeout: seconds("timeoutSeconds"),
				SuccessThreshold: number("successThreshold"), FailureThreshold: number("failureThreshold")})
		}
	}
	return ""
}

func (w *world) emit(kind string, probe Probe, fields map[string]any) {
	fields["e"], fields["container"] = kind, probe.Container
	w.mu.Lock()
	w.effects = append(w.effects, fields)
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// begin gives a new instance its checkers.
func (w *world) begin(container, instance string) {
	w.end(container)
	ctx, cancel := context.WithCancel(context.Background())
	w.stop[container] = cancel
	for _, probe := range w.probes[container] {
		probe.Instance = instance
		w.start(ctx, probe)
	}
}

func (w *world) start(ctx context.Context, probe Probe) {
	var mu sync.Mutex
	said, ready := "", false
	tell := func(value string) {
		mu.Lock()
		defer mu.Unlock()
		if value == "unknown" {
			value = unknown[probe.Type]
		}
		if value == said || ctx.Err() != nil {
			return
		}
		said = value
		w.emit("result", probe, map[string]any{"cid": probe.Instance, "type": probe.Type, "value": value})
		if probe.Type == "readiness" && ready != (value == "success") {
			ready = !ready
			w.emit("ready", probe, map[string]any{"value": ready})
		}
	}
	tell("unknown")
	go w.checker.Start(ctx, probe, func(ctx context.Context) (Answer, error) { return w.ask(ctx, probe) }, tell)
}

func (w *world) ask(ctx context.Context, probe Probe) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	w.mu.Lock()
	w.asked++
	n, answer := w.asked, make(chan Answer, 1)
	w.waiting[n] = answer
	w.mu.Unlock()
	w.emit("probe", probe, map[string]any{"n": n, "cid": probe.Instance, "type": probe.Type, "attempt": 1})
	for {
		select {
		case a := <-answer:
			if a.Result != "timeout" {
				return a, nil
			}
		case <-ctx.Done():
			return Answer{}, ctx.Err()
		}
	}
}

func (w *world) end(container string) {
	if cancel := w.stop[container]; cancel != nil {
		cancel()
		delete(w.stop, container)
	}
}

func (w *world) apply(e event) {
	switch e.E {
	case "answer":
		w.mu.Lock()
		answer := w.waiting[e.N]
		delete(w.waiting, e.N)
		w.mu.Unlock()
		if answer != nil {
			answer <- Answer{e.Result, e.Output}
		}
	case "running":
		w.begin(e.Container, e.CID)
	case "exited":
		w.end(e.Container)
	}
}

// advance lets time run until to, or until something has happened.
func (w *world) advance(to int64) map[string]any {
	end := w.zero.Add(time.Duration(to) * time.Millisecond)
	for {
		synctest.Wait()
		w.mu.Lock()
		effects := w.effects
		w.effects = nil
		w.mu.Unlock()
		if len(effects) > 0 || !time.Now().Before(end) {
			if effects == nil {
				effects = []map[string]any{}
			}
			return map[string]any{"at": time.Since(w.zero).Milliseconds(), "effects": effects}
		}
		select {
		case <-w.wake:
		default:
		}
		timer := time.NewTimer(time.Until(end))
		select {
		case <-w.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}
