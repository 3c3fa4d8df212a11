package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"probetest/conformance/adapters/kubelet/whole/runtimeapi"
)

// fakeCRI is the container runtime: it has no behaviour of its own. What a request comes to, and
// when, is the runner's to say. All state is guarded by the world's mutex.
type fakeCRI struct {
	otherRequests // nil: what no kubelet of ours asks for panics
	*runtimeState

	w    *world
	life *life // of the kubelet whose connection this is
}

// runtimeState is what outlives the kubelet that it was made by.
type runtimeState struct {
	down       bool
	seq        int64
	sandboxes  []*sandbox
	containers []*container
	removed    map[string]*container // that had ended
	waits      map[string][]asked    // what the runner is to answer -> who asked
	attempts   map[string]attempt    // container id/probe -> its last attempt
	timeoutErr bool                  // an exec that times out is an error, no failure
}

// asked is a request that the runtime has not yet done. It goes on when the kubelet that made it dies.
type asked struct {
	answer chan event
	by     *life
}

type sandbox struct {
	id      string
	config  *runtimeapi.PodSandboxConfig
	created time.Time
	ready   bool
	noIP    bool
	removed bool // what is left of it is that it may be stopped once more, which is no error
}

type container struct {
	id, name, sandboxID, pod    string
	config                      *runtimeapi.ContainerConfig
	created, started, finished  time.Time
	state                       runtimeapi.ContainerState
	code                        int32
	reason, message, failsStart string
	logPath                     string
}

func newFakeCRI(w *world, l *life) *fakeCRI {
	return &fakeCRI{runtimeState: &runtimeState{removed: map[string]*container{}, waits: map[string][]asked{}, attempts: map[string]attempt{}}, w: w, life: l}
}

// reconnect is the connection of another kubelet to the same runtime, which goes on with what the
// one before asked for. The caller holds the world's mutex.
func (c *fakeCRI) reconnect(l *life) *fakeCRI {
	c.attempts = map[string]attempt{}
	return &fakeCRI{runtimeState: c.runtimeState, w: c.w, life: l}
}

// enter takes the mutex for a kubelet that lives.
func (c *fakeCRI) enter() {
	c.w.mu.Lock()
	if c.life.over.Load() {
		c.w.mu.Unlock()
		c.life.rest()
	}
}

// leave gives the mutex back and returns to a kubelet that lives.
func (c *fakeCRI) leave() {
	c.w.mu.Unlock()
	c.life.goesOn()
}

var rpcPattern = regexp.MustCompile(`^rpc error: code = (\w+) desc = ((?s).*)$`)

// rpcError is the error with this text; where the text is that of a gRPC status, with its code.
func rpcError(text string) error {
	m := rpcPattern.FindStringSubmatch(text)
	if m == nil {
		return errors.New(text)
	}
	for code := codes.OK; code <= codes.Unauthenticated; code++ {
		if code.String() == m[1] {
			return status.Error(code, m[2])
		}
	}
	return errors.New(text)
}

var errDown = status.Error(codes.Unavailable, "connection refused")

func notFound(what, id string) error {
	return status.Errorf(codes.NotFound, "%s %q: not found", what, id)
}

// stamp is the time a new thing is made: the instant, with nanoseconds that keep equal ones in order.
func (c *fakeCRI) stamp() time.Time {
	c.seq++
	return c.w.caseTime().Add(time.Duration(c.seq))
}

// wait blocks until the runner says what the key came to, or the kubelet gives up. The kubelet may
// have died meanwhile: what the runtime does upon the answer is done, and leave keeps it from whoever asked.
func (c *fakeCRI) wait(ctx context.Context, key string) (event, error) {
	r := asked{make(chan event, 1), c.life}
	c.waits[key] = append(c.waits[key], r)
	c.w.mu.Unlock()
	defer c.w.mu.Lock()
	select {
	case e := <-r.answer:
		return e, nil
	case <-ctx.Done():
		c.w.mu.Lock()
		defer c.w.mu.Unlock()
		c.waits[key] = slices.DeleteFunc(c.waits[key], func(other asked) bool { return other == r })
		return event{}, status.FromContextError(ctx.Err()).Err()
	}
}

// tell answers the kubelet that waits for the key: its oldest request, or with an end all of them. An answer that it
// does not wait for is the one to the oldest request of those that died: the runner does not say which of two it means.
func (c *fakeCRI) tell(key string, e event) {
	var waiting, orphans []asked
	for _, r := range c.waits[key] {
		if r.by.over.Load() {
			orphans = append(orphans, r)
		} else {
			waiting = append(waiting, r)
		}
	}
	told, rest := waiting, orphans
	if len(waiting) == 0 && len(orphans) > 0 {
		told, rest = orphans[:1], orphans[1:]
	} else if len(waiting) > 1 && e.E != "exited" {
		told, rest = waiting[:1], append(waiting[1:], orphans...)
	}
	c.waits[key] = rest
	for _, r := range told {
		r.answer <- e
	}
}

// lock is taken by every request that the runner sees.
func (c *fakeCRI) lock() {
	c.w.nap(time.Nanosecond)
	c.enter()
}

func (c *fakeCRI) find(id string) *container {
	for _, k := range c.containers {
		if k.id == id {
			return k
		}
	}
	return nil
}

func (c *fakeCRI) findSandbox(id string) *sandbox {
	for _, s := range c.sandboxes {
		if s.id == id {
			return s
		}
	}
	return nil
}

// Version and the next few say that all is well.
func (c *fakeCRI) Version(context.Context, string) (*runtimeapi.VersionResponse, error) {
	c.enter()
	defer c.w.mu.Unlock()
	if c.down {
		return nil, errDown
	}
	return &runtimeapi.VersionResponse{Version: "0.1.0", RuntimeName: runtimeName,
		RuntimeVersion: "1.0.0", RuntimeApiVersion: "v1"}, nil
}

const runtimeName = "probetest"

func (c *fakeCRI) Status(context.Context, bool) (*runtimeapi.StatusResponse, error) {
	c.enter()
	defer c.w.mu.Unlock()
	if c.down {
		return nil, errDown
	}
	return &runtimeapi.StatusResponse{Status: &runtimeapi.RuntimeStatus{
		Conditions: []*runtimeapi.RuntimeCondition{
			{Type: runtimeapi.RuntimeReady, Status: true},
			{Type: runtimeapi.NetworkReady, Status: true},
		}}}, nil
}

func (c *fakeCRI) UpdateRuntimeConfig(context.Context, *runtimeapi.RuntimeConfig) error { return nil }

func (c *fakeCRI) ReopenContainerLog(context.Context, string) error { return nil }

func (c *fakeCRI) RunPodSandbox(ctx context.Context, config *runtimeapi.PodSandboxConfig, _ string) (string, error) {
	c.lock()
	defer c.leave()
	pod, n := config.GetMetadata().GetName(), config.GetMetadata().GetAttempt()
	c.w.emit(pod, effect{"e": "sandbox", "do": "create", "attempt": n})
	answer, err := c.wait(ctx, c.sandboxKey(pod, "create", n))
	if err != nil {
		return "", err
	}
	if answer.Error != "" {
		return "", rpcError(answer.Error)
	}
	id := fmt.Sprintf("sandbox-%s-%d", pod, n)
	s := c.findSandbox(id)
	if s == nil {
		s = &sandbox{removed: true}
		c.sandboxes = append(c.sandboxes, s)
	}
	if s.removed { // else a kubelet that died had asked for it, too
		*s = sandbox{id: id, config: config, created: c.stamp(), ready: true}
	}
	return id, nil
}

// The keys of what is waited for. Where there is one pod, events do not name it.
func (c *fakeCRI) sandboxKey(pod, do string, attempt uint32) string {
	return fmt.Sprintf("sandbox/%s/%s/%d", c.named(pod), do, attempt)
}

func (c *fakeCRI) startKey(pod, container string) string {
	return "start/" + c.named(pod) + "/" + container
}

func (c *fakeCRI) named(pod string) string {
	if c.w.many {
		return pod
	}
	return ""
}

// id is the container's id in the runtime, where two pods may not have the same; cid is what the
// runner calls it.
func (c *fakeCRI) id(e event) string {
	if c.w.many {
		return e.about() + "." + e.CID
	}
	return e.CID
}

func (c *fakeCRI) cid(pod, id string) string {
	if c.w.many {
		return strings.TrimPrefix(id, pod+".")
	}
	return id
}

// calledFrom says whether a function whose name has this in it is calling.
func calledFrom(name string) bool {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		frame, more := frames.Next()
		if strings.Contains(frame.Function, name) {
			return true
		}
		if !more {
			return false
		}
	}
}

func (c *fakeCRI) StopPodSandbox(ctx context.Context, id string) error {
	collecting := collectsSandbox()
	c.lock()
	defer c.leave()
	s := c.findSandbox(id)
	if s == nil {
		return notFound("sandbox", id)
	}
	if collecting {
		s.ready = false
		return nil
	}
	pod, n := s.config.GetMetadata().GetName(), s.config.GetMetadata().GetAttempt()
	c.w.emit(pod, effect{"e": "sandbox", "do": "stop", "attempt": n})
	answer, err := c.wait(ctx, c.sandboxKey(pod, "stop", n))
	if err != nil {
		return err
	}
	if answer.Error != "" {
		return rpcError(answer.Error)
	}
	s.ready = false
	return nil
}

func (c *fakeCRI) RemovePodSandbox(_ context.Context, id string) error {
	c.enter()
	defer c.w.mu.Unlock()
	if s := c.findSandbox(id); s != nil {
		s.removed = true
	}
	return nil
}

func sandboxState(s *sandbox) runtimeapi.PodSandboxState {
	if s.ready {
		return runtimeapi.PodSandboxState_SANDBOX_READY
	}
	return runtimeapi.PodSandboxState_SANDBOX_NOTREADY
}

func (c *fakeCRI) PodSandboxStatus(_ context.Context, id string, _ bool) (*runtimeapi.PodSandboxStatusResponse, error) {
	c.enter()
	defer c.w.mu.Unlock()
	if c.down {
		return nil, errDown
	}
	s := c.findSandbox(id)
	if s == nil || s.removed {
		return nil, notFound("sandbox", id)
	}
	ip := fmt.Sprintf("10.0.0.%d", s.config.GetMetadata().GetAttempt()+1) // each sandbox has its own
	if s.noIP || s.config.GetLinux().GetSecurityContext().GetNamespaceOptions().GetNetwork() == runtimeapi.NamespaceMode_NODE {
		ip = ""
	}
	return &runtimeapi.PodSandboxStatusResponse{Status: &runtimeapi.PodSandboxStatus{
		Id: s.id, Metadata: s.config.GetMetadata(), State: sandboxState(s),
		CreatedAt: s.created.UnixNano(),
		Network:   &runtimeapi.PodSandboxNetworkStatus{Ip: ip},
		Linux: &runtimeapi.LinuxPodSandboxStatus{Namespaces: &runtimeapi.Namespace{
			Options: s.config.GetLinux().GetSecurityContext().GetNamespaceOptions()}},
		Labels: s.config.GetLabels(), Annotations: s.config.GetAnnotations(),
	}}, nil
}

func labelsMatch(labels, want map[string]string) bool {
	for k, v := range want {
		if labels[k] != v {
			return false
		}
	}
	return true
}

func (c *fakeCRI) ListPodSandbox(_ context.Context, f *runtimeapi.PodSandboxFilter) ([]*runtimeapi.PodSandbox, error) {
	c.enter()
	defer c.w.mu.Unlock()
	if c.down {
		return nil, errDown
	}
	var out []*runtimeapi.PodSandbox
	for _, s := range c.sandboxes {
		if s.removed || (f.GetId() != "" && f.GetId() != s.id) ||
			(f.GetState() != nil && f.GetState().GetState() != sandboxState(s)) ||
			!labelsMatch(s.config.GetLabels(), f.GetLabelSelector()) {
			continue
		}
		out = append(out, &runtimeapi.PodSandbox{Id: s.id, Metadata: s.config.GetMetadata(),
			State: sandboxState(s), CreatedAt: s.created.UnixNano(),
			Labels: s.config.GetLabels(), Annotations: s.config.GetAnnotations()})
	}
	return out, nil
}

// CreateContainer waits for the whole start: the instance comes to be when the runner says that
// it runs, or that it could not be started.
func (c *fakeCRI) CreateContainer(ctx context.Context, sandboxID string, config *runtimeapi.ContainerConfig,
	sandboxConfig *runtimeapi.PodSandboxConfig) (string, error) {
	c.lock()
	defer c.leave()
	pod := sandboxConfig.GetMetadata().GetName()
	name, n := config.GetMetadata().GetName(), config.GetMetadata().GetAttempt()
	c.w.tenant(pod).creating = name
	c.w.emit(pod, effect{"e": "start", "container": name, "restart": n})
	answer, err := c.wait(ctx, c.startKey(pod, name))
	if err != nil {
		return "", err
	}
	if !c.life.over.Load() {
		c.w.tenant(pod).creating = name
	}
	k := c.find(c.id(answer))
	if k == nil || k.config != nil {
		return "", rpcError(answer.Message)
	}
	k.config, k.sandboxID, k.pod = config, sandboxID, pod
	if config.GetLogPath() != "" {
		k.logPath = filepath.Join(sandboxConfig.GetLogDirectory(), config.GetLogPath())
		if os.MkdirAll(filepath.Dir(k.logPath), 0o755) == nil {
			_ = os.WriteFile(k.logPath, nil, 0o644)
		}
	}
	return k.id, nil
}

// running makes the instance that the runner speaks of; it is the kubelet's once its
// CreateContainer returns, in the same instant.
func (c *fakeCRI) running(e event) {
	at := c.stamp()
	c.containers = append(c.containers, &container{id: c.id(e), name: e.Container, created: at,
		started: at, state: runtimeapi.ContainerState_CONTAINER_RUNNING})
	c.tell(c.startKey(e.about(), e.Container), e)
}

func (c *fakeCRI) startFails(e event) {
	if e.CID != "" {
		c.containers = append(c.containers, &container{id: c.id(e), name: e.Container, created: c.stamp(),
			state: runtimeapi.ContainerState_CONTAINER_CREATED, failsStart: e.Message})
	}
	c.tell(c.startKey(e.about(), e.Container), e)
}

func (c *fakeCRI) StartContainer(_ context.Context, id string) error {
	c.lock()
	defer c.w.mu.Unlock()
	k := c.find(id)
	if k == nil {
		return notFound("container", id)
	}
	if k.failsStart != "" {
		return rpcError(k.failsStart)
	}
	return nil
}

func (c *fakeCRI) exited(e event) {
	k := c.find(c.id(e))
	if k == nil {
		return
	}
	if k.state != runtimeapi.ContainerState_CONTAINER_EXITED {
		k.state = runtimeapi.ContainerState_CONTAINER_EXITED
		k.finished = c.w.caseTime().Add(tickOffset)
		k.code, k.reason, k.message = e.Code, e.Reason, e.Message
		if k.reason == "" {
			k.reason = map[bool]string{true: "Completed", false: "Error"}[e.Code == 0]
		}
	}
	c.tell("kill/"+k.id, e)
}

func killReason(message string) string {
	switch {
	case strings.Contains(message, "failed liveness probe"):
		return "liveness"
	case strings.Contains(message, "failed startup probe"):
		return "startup"
	case strings.Contains(message, "definition changed"):
		return "spec"
	case strings.Contains(message, `"unknown" state`):
		return "unknown"
	}
	return ""
}

func (c *fakeCRI) StopContainer(ctx context.Context, id string, grace int64) error {
	c.lock()
	defer c.leave()
	k := c.find(id)
	if k == nil {
		k = c.removed[id] // stopped it is, and to say so once more is no error
	}
	if k == nil {
		return notFound("container", id)
	}
	c.w.killed(c.w.tenant(k.pod), k.name)
	message := c.w.tenant(k.pod).lastKill[k.name] // none where nothing was said of this kill
	delete(c.w.tenant(k.pod).lastKill, k.name)
	c.w.emit(k.pod, effect{"e": "kill", "container": k.name, "cid": c.cid(k.pod, id), "grace": grace,
		"message": message, "reason": killReason(message)})
	if k.state == runtimeapi.ContainerState_CONTAINER_EXITED {
		return nil
	}
	answer, err := c.wait(ctx, "kill/"+id)
	if err == nil && answer.E == "killfail" {
		err = rpcError(answer.Message)
		if status.Code(err) == codes.NotFound {
			c.remove(id) // what cannot be found is not listed either
		}
	}
	return err
}

func (c *fakeCRI) RemoveContainer(_ context.Context, id string) error {
	c.enter()
	defer c.w.mu.Unlock()
	c.remove(id)
	return nil
}

func (c *fakeCRI) remove(id string) {
	kept := c.containers[:0]
	for _, k := range c.containers {
		if k.id == id {
			_ = os.Remove(k.logPath)
			if k.state == runtimeapi.ContainerState_CONTAINER_EXITED {
				c.removed[id] = k
			}
			continue
		}
		kept = append(kept, k)
	}
	c.containers = kept
}

func (c *fakeCRI) ListContainers(_ context.Context, f *runtimeapi.ContainerFilter) ([]*runtimeapi.Container, error) {
	c.enter()
	defer c.w.mu.Unlock()
	if c.down {
		return nil, errDown
	}
	var out []*runtimeapi.Container
	for _, k := range c.containers {
		if k.config == nil || (f.GetId() != "" && f.GetId() != k.id) ||
			(f.GetPodSandboxId() != "" && f.GetPodSandboxId() != k.sandboxID) ||
			(f.GetState() != nil && f.GetState().GetState() != k.state) ||
			!labelsMatch(k.config.GetLabels(), f.GetLabelSelector()) {
			continue
		}
		listed := &runtimeapi.Container{Id: k.id, PodSandboxId: k.sandboxID,
			Metadata: k.config.GetMetadata(), Image: k.config.GetImage(),
			ImageRef: k.config.GetImage().GetImage(),
			State:    k.state, CreatedAt: k.created.UnixNano(),
			Labels: k.config.GetLabels(), Annotations: k.config.GetAnnotations()}
		listImageID(listed)
		out = append(out, listed)
	}
	return out, nil
}

func unixNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func (c *fakeCRI) ContainerStatus(_ context.Context, id string, _ bool) (*runtimeapi.ContainerStatusResponse, error) {
	c.enter()
	defer c.w.mu.Unlock()
	if c.down {
		return nil, errDown
	}
	k := c.find(id)
	if k == nil || k.config == nil {
		return nil, notFound("container", id)
	}
	got := &runtimeapi.ContainerStatus{
		Id: k.id, Metadata: k.config.GetMetadata(), State: k.state,
		CreatedAt: unixNano(k.created), StartedAt: unixNano(k.started), FinishedAt: unixNano(k.finished),
		ExitCode: k.code, Reason: k.reason, Message: k.message,
		Image: k.config.GetImage(), ImageRef: k.config.GetImage().GetImage(),
		Labels: k.config.GetLabels(), Annotations: k.config.GetAnnotations(), LogPath: k.logPath,
	}
	tellImageID(got)
	return &runtimeapi.ContainerStatusResponse{Status: got}, nil
}
