package main

import (
	"math/rand"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
)

// A kubelet process cannot be ended inside a bubble: its goroutines never stop. So a life that is
// over is cut off: its sync loop finds its channel closed, its events are not heard, and whoever of
// it asks the runtime or the API server for something waits for ever.
type life struct {
	over  atomic.Bool
	done  chan struct{}
	never chan struct{}
}

func newLife() *life {
	return &life{done: make(chan struct{}), never: make(chan struct{})}
}

func (l *life) end() {
	l.over.Store(true)
	close(l.done)
}

// rest does not return.
func (l *life) rest() { <-l.never }

// goesOn returns as long as the life does.
func (l *life) goesOn() {
	if l.over.Load() {
		l.rest()
	}
}

// untilOver passes a channel on, and closes it with the life.
func untilOver[T any](l *life, in <-chan T) <-chan T {
	out := make(chan T)
	go func() {
		defer close(out)
		for {
			select {
			case v := <-in:
				select {
				case out <- v:
				case <-l.done:
					return
				}
			case <-l.done:
				return
			}
		}
	}()
	return out
}

// dies ends the kubelet that runs.
func (w *world) dies() {
	w.life.end()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.life = newLife()
	w.cri = w.cri.reconnect(w.life)
}

// restart is a kubelet that has died and comes back at an instant.
type restart struct {
	at   int64
	seed int64 // of its workers' start delays
}

func (w *world) runtimeIsDown() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cri.down
}

// advanceTo is world.advance that lets the kubelet come back when it is time.
func (p *played) advanceTo(to int64) (stop, *problem) {
	r := p.back
	if r == nil || to < r.at {
		return p.w.advance(to), nil
	}
	if p.w.instant < r.at {
		if got := p.w.advance(r.at - 1); len(got.Effects) > 0 || got.At < r.at-1 {
			return got, nil
		}
		time.Sleep(time.Until(p.w.base.Add(time.Duration(r.at) * time.Millisecond)))
		p.w.instant = r.at
	}
	if p.w.runtimeIsDown() {
		return stop{}, unsupported("kubelet-restart: without a runtime the kubelet ends before it has begun, again and again; when it is started anew is its supervisor's affair")
	}
	p.back = nil
	p.w.young = r.seed
	forgetCollectors()
	// A file that keeps an inotify watcher from starting (see cadvisor) would be in the way.
	_ = os.Remove(filepath.Join(p.root, "plugins_registry"))
	if err := startKubelet(p.cluster.ctx, p.w, p.cluster, p.root, p.sync); err != nil {
		return stop{}, internal("the kubelet does not come back: %v", err)
	}
	return p.w.advance(to), nil
}

// smallDraws are the seeds of math/rand, among all two thousand million, after which the first so
// many numbers are smallest, and how small they are at the most.
var smallDraws = []struct {
	seed int64
	most float64
}{{seedOfOneDelay, 5.5e-6}, {1101139688, 1.87e-5}, {2095669815, 6.93e-4}}

// seedOfNoDelays finds the seed after which all workers of the pod draw a start delay of less than a
// millisecond; false: there is none. Each of several pods draws in a sync of its own.
func seedOfNoDelays(pods []*v1.Pod) (int64, bool) {
	workers, longest := 0, int32(1)
	for _, pod := range pods {
		for _, c := range append(append([]v1.Container{}, pod.Spec.InitContainers...), pod.Spec.Containers...) {
			for _, p := range probesOf(&c) {
				if p != nil {
					workers, longest = workers+1, max(longest, p.PeriodSeconds)
				}
			}
		}
	}
	if workers == 0 {
		return smallDraws[0].seed, true
	}
	if workers > len(smallDraws) || len(pods) > 1 {
		return 0, false
	}
	found := smallDraws[workers-1]
	return found.seed, found.most*float64(longest)*1000 < 1
}

// drawsNothing makes the start delays that the workers of a young kubelet draw come out as next to
// nothing. It is called when they have been made and have not run.
func (w *world) drawsNothing() {
	if w.young != 0 {
		rand.Seed(w.young) //nolint:staticcheck // the global source is the one the kubelet draws from
		w.young = 0
		w.nap(time.Nanosecond)
	}
}
