package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/prober"
	"k8s.io/kubernetes/pkg/kubelet/prober/results"
	"k8s.io/kubernetes/pkg/kubelet/status"
	utilexec "k8s.io/utils/exec"
)

// node is one kubelet process as far as its probes go: the real prober manager and results
// managers, and around them the stand-ins for status manager, runtime and event recorder.
type node struct {
	c       *playedCase
	manager prober.Manager

	liveness, readiness, startup results.Manager
	releaseParts

	mu      sync.Mutex
	stored  *v1.PodStatus // the status cache; nil: the pod is not in it
	pending map[int]chan *worldEvent
	tries   map[string]int // attempts of the execution under way, by container and type

	ctx    context.Context // of the pod's syncs; cancelled when termination begins
	cancel context.CancelFunc
	dead   chan struct{} // closed when the process has ended
	added  bool

	born     time.Time
	bornLate time.Duration // part of a millisecond
	drained  chan struct{} // closed when nobody is left to send updates
}

func newNode(c *playedCase) *node {
	n := &node{
		c:        c,
		pending:  map[int]chan *worldEvent{},
		tries:    map[string]int{},
		dead:     make(chan struct{}),
		drained:  make(chan struct{}),
		born:     time.Now(),
		bornLate: max(time.Since(c.zero), 0) % time.Millisecond,
	}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	n.liveness = &tap{results.NewManager(), n, "liveness"}
	n.readiness = &tap{results.NewManager(), n, "readiness"}
	n.startup = &tap{results.NewManager(), n, "startup"}
	n.manager = newProberManager(n, &statusStore{n: n}, &recorder{n})
	return n
}

// syncContext is the context of a sync of the pod: a new one when that of the last was cancelled
// (pod_workers.go startPodSync).
func (n *node) syncContext() context.Context {
	if n.ctx.Err() != nil {
		n.ctx, n.cancel = context.WithCancel(context.Background())
	}
	return n.ctx
}

func (n *node) isDead() bool {
	select {
	case <-n.dead:
		return true
	default:
		return false
	}
}

// emit reports an effect, unless the process that it belongs to is gone.
func (n *node) emit(kind string, fields map[string]any) {
	if !n.isDead() {
		n.c.effects.add(kind, fields)
	}
}

// --- the status cache ---

// statusStore is the part of the status manager that the prober and the sync loop use.
type statusStore struct {
	status.Manager
	n *node
}

func (s *statusStore) GetPodStatus(uid types.UID) (v1.PodStatus, bool) {
	s.n.mu.Lock()
	defer s.n.mu.Unlock()
	if s.n.stored == nil || uid != s.n.c.pod.UID {
		return s.n.otherStatus(uid)
	}
	seen := s.n.stored.DeepCopy()
	if s.n.c.shift != 0 || s.n.c.stretch != 0 {
		s.n.stepClock(seen)
	}
	return *seen, true
}

// setField changes Ready or Started of the stored container with this id, as the status
// manager does: nothing happens when pod or container are not in the cache.
func (n *node) setField(id kubecontainer.ContainerID, change func(*v1.ContainerStatus)) {
	n.mu.Lock()
	if n.stored != nil {
		for _, list := range [][]v1.ContainerStatus{n.stored.ContainerStatuses, n.stored.InitContainerStatuses} {
			for i := range list {
				if list[i].ContainerID == id.String() {
					change(&list[i])
				}
			}
		}
	}
	n.mu.Unlock()
	n.report()
}

// report emits the differences between the stored status and what was last reported.
func (n *node) report() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stored == nil || n.isDead() {
		return
	}
	for _, list := range [][]v1.ContainerStatus{n.stored.ContainerStatuses, n.stored.InitContainerStatuses} {
		for i := range list {
			s := &list[i]
			started := startedField(s) != nil && *startedField(s)
			if hasStartup && n.c.reportedStarted[s.Name] != started {
				n.c.reportedStarted[s.Name] = started
				n.emit("started", map[string]any{"container": s.Name, "value": started})
			}
			if n.c.reportedReady[s.Name] != s.Ready {
				n.c.reportedReady[s.Name] = s.Ready
				n.emit("ready", map[string]any{"container": s.Name, "value": s.Ready})
			}
		}
	}
	n.c.toAPI(n.stored)
}

// tap is a real results manager whose changes are reported when the worker makes them.
type tap struct {
	results.Manager
	n    *node
	kind string
}

func (t *tap) Set(id kubecontainer.ContainerID, result results.Result, pod *v1.Pod) {
	if old, ok := t.Get(id); (!ok || old != result) && pod.UID == t.n.c.pod.UID {
		t.n.reportResult(t.kind, id, resultName(result))
	}
	t.Manager.Set(id, result, pod)
}

func (n *node) reportResult(kind string, id kubecontainer.ContainerID, value string) {
	n.emit("result", map[string]any{
		"container": n.c.nameOf(id.String()),
		"cid":       id.ID,
		"type":      kind,
		"value":     value,
	})
}

func resultName(r results.Result) string {
	switch r {
	case results.Success:
		return "success"
	case results.Failure:
		return "failure"
	}
	return "unknown"
}

// --- the runtime ---

// exec is one ExecSync: the attempt is reported and waits for the runner's answer.
func (n *node) exec(ctx context.Context, id kubecontainer.ContainerID, cmd []string, timeout time.Duration) ([]byte, error) {
	if n.isDead() {
		return nil, nil
	}
	m, argv := unmark(cmd)
	if !m.exec {
		ctx = context.Background() // the other transports do not take the worker's context
	}
	key := m.container + "/" + m.kind
	ch := make(chan *worldEvent, 1)
	n.mu.Lock()
	n.tries[key]++
	attempt := n.tries[key]
	number := n.c.nextNumber()
	n.pending[number] = ch
	n.mu.Unlock()
	n.emit("probe", map[string]any{
		"n": number, "container": m.container, "cid": id.ID, "type": m.kind, "attempt": attempt,
	})
	out, err := n.await(ctx, ch, argv, timeout)
	n.mu.Lock()
	delete(n.pending, number)
	if !retried(err) || attempt == 3 {
		n.tries[key] = 0
	}
	n.mu.Unlock()
	return out, err
}

func (n *node) await(ctx context.Context, ch chan *worldEvent, argv []string, timeout time.Duration) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("rpc error: code = Canceled desc = %w", err)
	}
	select {
	case a := <-ch:
		return outcome(a, argv, timeout)
	case <-ctx.Done():
		return nil, fmt.Errorf("rpc error: code = Canceled desc = %w", ctx.Err())
	case <-n.dead:
		return nil, nil
	}
}

func outcome(a *worldEvent, argv []string, timeout time.Duration) ([]byte, error) {
	switch a.Result {
	case "success":
		return []byte(a.Output), nil
	case "failure":
		code := 1
		if a.Code != nil {
			code = *a.Code
		}
		return []byte(a.Output), utilexec.CodeExitError{Err: fmt.Errorf("exit status %d", code), Code: code}
	case "timeout":
		return nil, timeoutError(a.Output, argv, timeout)
	}
	return nil, fmt.Errorf("%s", a.Output)
}

// retried tells whether the exec handler makes an error of this, which the prober tries again.
func retried(err error) bool {
	if err == nil {
		return false
	}
	if _, ok := err.(utilexec.ExitError); ok {
		return false
	}
	return !(isTimeout(err) && execTimeoutFails())
}

// answer hands the runner's answer to its attempt; one that nobody waits for is ignored.
func (n *node) answer(a *worldEvent) {
	n.mu.Lock()
	ch := n.pending[a.N]
	delete(n.pending, a.N)
	n.mu.Unlock()
	if ch != nil {
		ch <- a
	}
}

// --- events ---

// recorder reports Kubernetes events.
type recorder struct{ n *node }

func (r *recorder) Event(object runtime.Object, kind, reason, message string) {
	r.n.emit("event", map[string]any{
		"container": containerOf(object), "type": kind, "reason": reason, "message": message,
	})
}

func (r *recorder) Eventf(object runtime.Object, kind, reason, format string, args ...interface{}) {
	r.Event(object, kind, reason, fmt.Sprintf(format, args...))
}

func (r *recorder) PastEventf(object runtime.Object, _ metav1.Time, kind, reason, format string, args ...interface{}) {
	r.Eventf(object, kind, reason, format, args...)
}

func (r *recorder) AnnotatedEventf(object runtime.Object, _ map[string]string, kind, reason, format string, args ...interface{}) {
	r.Eventf(object, kind, reason, format, args...)
}

// containerOf reads the container's name out of a reference's field path: spec.containers{app}.
func containerOf(object runtime.Object) string {
	ref, ok := object.(*v1.ObjectReference)
	if !ok {
		return ""
	}
	_, rest, ok := strings.Cut(ref.FieldPath, "{")
	if !ok {
		return ""
	}
	return strings.TrimSuffix(rest, "}")
}
