//go:build !k21

package main

import (
	"runtime"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/prober/results"
)

// Up to 1.20 the prober manager itself takes the updates of readiness and startup and tells the
// status manager; the sync loop takes those of liveness only.
const consumesUpdatesItself = true

// startGoroutines: the manager has a loop for each kind of result but liveness.
var startGoroutines = len(probeOrder()) - 1

// sweeper is a pod that never existed: its updates end the manager's two endless loops.
const sweeper = types.UID("probetest-sweeper")

// releaseParts of a node: what its loops need to end, and liveness updates not yet acted on.
type releaseParts struct {
	refs
	queue    []results.Update
	sets     []func() // what the manager has told the status manager since the last turn
	sweeping bool
}

// startLoops runs the manager's loops.  They select on a package-level channel, and one made
// outside the bubble would keep it from advancing.
func (n *node) startLoops() {
	wait.NeverStop = make(chan struct{})
	n.manager.Start()
}

func (n *node) waitForUpdate(wake <-chan struct{}, timer <-chan time.Time) {
	select {
	case u := <-n.liveness.Updates():
		n.queue = append(n.queue, u)
	case <-wake:
	case <-timer:
	}
}

// takeUpdates does what the sync loop does with liveness updates, and the status manager with what
// it was told: after the turn of all workers of the instant, as in later releases.
func (n *node) takeUpdates() bool {
	for more := true; more; {
		select {
		case u := <-n.liveness.Updates():
			n.queue = append(n.queue, u)
		default:
			more = false
		}
	}
	n.mu.Lock()
	queue, sets := n.queue, n.sets
	n.queue, n.sets = nil, nil
	n.mu.Unlock()
	for _, set := range sets {
		set()
	}
	needSync := false
	for _, u := range queue {
		needSync = needSync || u.Result == results.Failure
	}
	if needSync && n.c.countSync() {
		n.c.sync()
	}
	return len(queue)+len(sets) > 0
}

func (n *node) later(set func()) {
	n.mu.Lock()
	n.sets = append(n.sets, set)
	n.mu.Unlock()
	select {
	case n.c.effects.wake <- struct{}{}:
	default:
	}
}

func (n *node) drain() {
	for {
		select {
		case <-n.liveness.Updates():
		case <-n.drained:
			return
		}
	}
}

// SetContainerReadiness is called by the manager's readiness loop.
func (s *statusStore) SetContainerReadiness(uid types.UID, id kubecontainer.ContainerID, ready bool) {
	s.n.endLoop()
	if uid == sweeper {
		return
	}
	s.n.reportResult("readiness", id, successOrFailure(ready))
	s.n.later(func() { s.n.setField(id, func(c *v1.ContainerStatus) { c.Ready = ready }) })
}

// SetContainerStartup is called by the manager's startup loop.
func (s *statusStore) SetContainerStartup(uid types.UID, id kubecontainer.ContainerID, started bool) {
	s.n.endLoop()
	if uid == sweeper {
		return
	}
	if startupIsInternal {
		s.n.reportResult("startup", id, successOrFailure(started))
	}
	s.n.later(func() {
		s.n.setField(id, func(c *v1.ContainerStatus) { setStartedField(c, &started) })
	})
}

func successOrFailure(success bool) string {
	if success {
		return "success"
	}
	return "failure"
}

// endLoop ends the calling goroutine, which is one of the manager's loops, when the case is over.
func (n *node) endLoop() {
	n.mu.Lock()
	sweeping := n.sweeping
	n.mu.Unlock()
	if sweeping {
		runtime.Goexit()
	}
}

// endLoops ends the manager's loops: each gets one more update, from a worker's initial result.
func (n *node) endLoops() {
	n.mu.Lock()
	n.sweeping = true
	n.mu.Unlock()
	c := v1.Container{Name: "sweeper"}
	c.ReadinessProbe = &v1.Probe{PeriodSeconds: 1, InitialDelaySeconds: 1 << 30}
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "sweeper", Namespace: "default", UID: sweeper}}
	pod.Spec.Containers = []v1.Container{c}
	n.sweepStartup(pod)
	n.addPod(pod)
	time.Sleep(2 * time.Second)
	cleanupPods(n.manager, nil)
	time.Sleep(10 * time.Second)
}

func (n *node) otherStatus(uid types.UID) (v1.PodStatus, bool) {
	if uid != sweeper {
		return v1.PodStatus{}, false
	}
	s := v1.ContainerStatus{Name: "sweeper", ContainerID: "none://sweeper"}
	s.State.Running = &v1.ContainerStateRunning{StartedAt: metav1.Now()}
	return v1.PodStatus{Phase: v1.PodRunning, ContainerStatuses: []v1.ContainerStatus{s}}, true
}
