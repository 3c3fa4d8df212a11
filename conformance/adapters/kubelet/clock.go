package main

import (
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The wall clock of a bubble cannot be stepped.  A worker uses it for two things: how long its
// container has run (the initial delay), and from 1.35 on whether the container is older than
// the kubelet process.  So in what it reads, StartedAt is moved the other way; and by the part of
// a millisecond that a drawn delay has put the worker behind the instant that it stands for.

// kubeletRestartGrace is upstream's constant of that name (P-008).
const kubeletRestartGrace = 10 * time.Second

// stepClock moves StartedAt in a status that a worker is about to read.
func (n *node) stepClock(status *v1.PodStatus) {
	for _, list := range [][]v1.ContainerStatus{status.ContainerStatuses, status.InitContainerStatuses} {
		for i := range list {
			if r := list[i].State.Running; r != nil && !r.StartedAt.IsZero() {
				r.StartedAt = metav1.NewTime(n.asIfStepped(list[i].Name, r.StartedAt.Time))
			}
		}
	}
}

// asIfStepped finds an instant from which the worker concludes what it would conclude from the
// true one on a stepped clock.  The age is compared with a clock reading that was taken before
// the step, so moving StartedAt by the step may spoil that; then another instant serves both.
func (n *node) asIfStepped(container string, startedAt time.Time) time.Time {
	moved := startedAt.Add(-n.c.shift).Add(time.Since(n.c.zero) % time.Millisecond)
	edge := n.born.Add(-kubeletRestartGrace).Round(0)
	older := startedAt.Before(edge.Add(-n.bornLate))
	if !carriesOver() || older == moved.Before(edge) {
		return moved
	}
	for _, other := range []time.Time{startedAt, edge, edge.Add(-time.Second)} {
		if older == other.Before(edge) && n.sameDelays(container, moved, other) {
			return other
		}
	}
	n.c.cannot = "a wall-clock step across the start of the kubelet, together with an initial delay"
	return moved
}

// sinceBirth puts StartedAt behind by what the process itself began too late: by less than a
// millisecond, after a delay was drawn.  UpdatePodStatus compares the two.
func (n *node) sinceBirth(status *v1.PodStatus) {
	for _, list := range [][]v1.ContainerStatus{status.ContainerStatuses, status.InitContainerStatuses} {
		for i := range list {
			if r := list[i].State.Running; r != nil && !r.StartedAt.IsZero() {
				r.StartedAt = metav1.NewTime(r.StartedAt.Add(n.bornLate))
			}
		}
	}
}

// sameDelays tells whether the container's initial delays have passed or not, alike for both.
func (n *node) sameDelays(container string, a, b time.Time) bool {
	passed := func(since time.Time, delay int32) bool {
		return int32(time.Since(since).Seconds()) >= delay
	}
	for _, p := range podProbes(n.c.pod) {
		delay := p.spec().InitialDelaySeconds
		if p.container.Name == container && passed(a, delay) != passed(b, delay) {
			return false
		}
	}
	return true
}
