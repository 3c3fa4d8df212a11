//go:build k21

package main

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/prober/results"
)

// From 1.21 on the kubelet's sync loop takes the updates of all three results managers.
const (
	consumesUpdatesItself = false
	startGoroutines       = 0
)

type update struct {
	kind string
	results.Update
}

// releaseParts of a node: updates taken from their channels and not yet acted on.
type releaseParts struct {
	queue []update
}

func (n *node) waitForUpdate(wake <-chan struct{}, timer <-chan time.Time) {
	select {
	case u := <-n.liveness.Updates():
		n.queue = append(n.queue, update{"liveness", u})
	case u := <-n.readiness.Updates():
		n.queue = append(n.queue, update{"readiness", u})
	case u := <-n.startup.Updates():
		n.queue = append(n.queue, update{"startup", u})
	case <-wake:
	case <-timer:
	}
}

// takeUpdates does what the sync loop does with updates, and one pod sync for all of them.
func (n *node) takeUpdates() bool {
	n.emptyChannels()
	queue := n.queue
	n.queue = nil
	needSync := false
	for _, u := range queue {
		ok := u.Result == results.Success
		switch u.kind {
		case "liveness":
			needSync = needSync || u.Result == results.Failure
		case "readiness":
			n.setField(u.ContainerID, func(s *v1.ContainerStatus) { s.Ready = ok })
			needSync = true
		case "startup":
			n.setField(u.ContainerID, func(s *v1.ContainerStatus) { setStartedField(s, &ok) })
			needSync = true
		}
	}
	if needSync && n.c.countSync() {
		n.c.sync()
	}
	return len(queue) > 0
}

// emptyChannels moves what is in the channels now to the queue.
func (n *node) emptyChannels() {
	channels := map[string]<-chan results.Update{
		"liveness": n.liveness.Updates(), "readiness": n.readiness.Updates(), "startup": n.startup.Updates(),
	}
	for _, kind := range probeOrder() {
		for more := true; more; {
			select {
			case u := <-channels[kind]:
				n.queue = append(n.queue, update{kind, u})
			default:
				more = false
			}
		}
	}
}

func (n *node) drain() {
	for {
		select {
		case <-n.liveness.Updates():
		case <-n.readiness.Updates():
		case <-n.startup.Updates():
		case <-n.drained:
			return
		}
	}
}

func (n *node) endLoops() {}

func (n *node) otherStatus(types.UID) (v1.PodStatus, bool) { return v1.PodStatus{}, false }

func (n *node) containerStarted(*container) {}

func (n *node) startLoops() {}
