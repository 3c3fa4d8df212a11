package main

import (
	"math/rand"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A case instant T is the millisecond [T, T+1ms) of the virtual clock. Inside it, relists come
// first (+0), then the ticks of the sync loop (+tickOffset), then the pod syncs that either caused
// (from syncPlace, between syncOffset and firstOffset), then the ticks of probe workers, and last what the
// runner says (from answersOffset). A sync thus ends, and asks to be repeated, after the tick of its
// instant; what it asks for a whole number of seconds later is not yet due at that second's tick,
// where the comparison is strict.
const (
	tickOffset  = 500 * time.Nanosecond
	syncOffset  = 1000 * time.Nanosecond
	firstOffset = 32 * time.Microsecond
)

// syncLatency is how long a sync takes at the least: longer than the sync loop takes to hand on the
// events of one relist, so that the worker, which has taken the first, finds the others as one update.
const syncLatency = 20 * time.Nanosecond

// syncPlace is where in its millisecond a sync begins. A readiness worker that a sync triggers ticks from
// then on at the place of that sync (1.32+), and each of its ticks would be tied with a sync of the
// same instant if places stayed what they are. They come nearer to the instant's beginning, by 200 ns
// in the first second and less and less, so that a sync is always before the ticks of workers which an
// earlier one has triggered.
func (w *world) syncPlace() time.Duration {
	seconds := max(0, time.Since(w.base).Seconds())
	return syncOffset + time.Duration(float64(syncSpread)*150/(150+seconds))
}

// listLasts is how old a list of what runs may be for housekeeping (up to 1.26).
const listLasts = 2 * time.Second

// apiLatency is how long the kubelet's requests to the API server take.
const apiLatency = 10 * time.Nanosecond

// world is what the kubelet under test lives in: the clock, the fake runtime's state, and the list
// of what the kubelet did since the last reply.
type world struct {
	base time.Time // case time 0

	mu      sync.Mutex
	effects []effect
	lastN   int64
	wake    chan struct{}

	sleeping atomic.Int32  // goroutines inside a nap
	instant  int64         // the case instant (ms) the driver is in
	offset   time.Duration // how far into a millisecond anything has happened yet

	life      *life        // of the kubelet that runs now
	born      time.Time    // when the kubelet that runs began
	housekept time.Time    // when housekeeping last looked at what runs
	relisted  atomic.Int64 // to 1.21: how far into a millisecond the last relist was
	delays    int64        // to 1.20: 0, or the seed for the start delays that the first kubelet's workers draw
	drawn     time.Time    // to 1.21: until then they draw
	young     int64        // 0, or the seed for the start delays that its workers draw when they are made
	names     *names
	cri       *fakeCRI
	many      bool // the case has several pods: effects name theirs
	tenants   []*tenant
	requeue   requeueJitter
	ties      ties

	cgroups  cgroupSet
	computed *podActions // that the kubelet last logged
}

func newWorld(base time.Time) *world {
	w := &world{base: base, wake: make(chan struct{}, 1), offset: firstOffset}
	w.names = newNames()
	w.life = newLife()
	w.cri = newFakeCRI(w, w.life)
	return w
}

// cgroupSet are the pods that have a cgroup, by UID; it outlives the kubelet.
type cgroupSet struct {
	mu   sync.Mutex
	pods map[types.UID]bool
}

func (c *cgroupSet) has(uid types.UID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pods[uid]
}

func (c *cgroupSet) put(uid types.UID, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pods == nil {
		c.pods = map[types.UID]bool{}
	}
	c.pods[uid] = there
}

// tenant is what is remembered of one pod.
type tenant struct {
	pod         string
	told, now   *v1.PodStatus     // the published status: what was told of it, and what it is by now
	seen        *v1.PodStatus     // the API's, whoever wrote it
	creating    string            // the container whose start is under way
	lastKill    map[string]string // container -> message of its last Killing event
	killing     string            // the container of the last one
	nameless    []effect          // Killing events that name no container, before it is known
	failedHooks []string          // container/hook
}

// tenant finds a pod's; where there is one pod, whatever it is called. The caller holds mu.
func (w *world) tenant(pod string) *tenant {
	if !w.many {
		pod = ""
	}
	for _, t := range w.tenants {
		if t.pod == pod {
			return t
		}
	}
	t := &tenant{pod: pod, lastKill: map[string]string{}}
	w.tenants = append(w.tenants, t)
	return t
}

// caseMs is the case instant now, in milliseconds.
func (w *world) caseMs() int64 {
	d := time.Since(w.base)
	ms := d / time.Millisecond
	if d%time.Millisecond < 0 {
		ms--
	}
	return int64(ms)
}

// caseTime is the exact beginning of the instant: what the runtime reports as the time of a thing.
func (w *world) caseTime() time.Time {
	return w.base.Add(time.Duration(w.caseMs()) * time.Millisecond)
}

// nextN numbers probes and hooks. The caller holds mu.
func (w *world) nextN() int64 {
	w.lastN++
	return w.lastN
}

// emit notes an effect of a pod. The caller holds mu.
func (w *world) emit(pod string, e effect) {
	w.effects = append(w.effects, w.of(pod, e))
	w.poke()
}

// of names the pod in an effect where there are several.
func (w *world) of(pod string, e effect) effect {
	if w.many {
		e["pod"] = pod
	}
	return e
}

// poke ends the driver's wait.
func (w *world) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// nap makes a step of the kubelet take a little time, which on a real node it does anyway. The
// clock moves only when all goroutines wait: after a nap the events that the caller's goroutine
// sent before it are noted, and whoever it woke has run.
func (w *world) nap(d time.Duration) {
	w.sleeping.Add(1)
	time.Sleep(d)
	w.sleeping.Add(-1)
}

// napSync is the nap at the beginning of a pod's sync.
func (w *world) napSync() {
	w.nap(max(syncLatency, w.syncPlace()-time.Since(w.caseTime())) + w.ties.lateness())
}

// napUpdate is the nap of the sync loop before it hands an update to the pod's worker: meanwhile
// the worker takes the one before.
func (w *world) napUpdate() {
	if !w.ties.merge() {
		w.nap(time.Nanosecond)
	}
}

// napHousekeeping is the nap before housekeeping looks at what runs. Up to 1.26 it looks at a list that may be two
// seconds old, and its ticks are just that far apart: here it looks a nanosecond after the list has become too old, so
// that it is always fetched. With a seed it may be the old one, and housekeeping may come behind the syncs of its instant, as
// either may on a node.
func (w *world) napHousekeeping() {
	if young := listLasts + time.Nanosecond - time.Since(w.housekept); young < time.Millisecond && !w.ties.merge() {
		w.nap(max(0, young)) // a tick that had waited for the loop comes far too early to be helped
	}
	if w.ties.merge() {
		w.nap(firstOffset - tickOffset) // behind the syncs of its instant
	}
	w.housekept = time.Now()
}

// napTerminated is the nap between the last status of a pod that is being stopped and the note that
// nothing of it runs any more. The status manager, which reads that note, comes first: the status
// still has the old phase, and the last one follows a step later. With a seed it may be the other
// way round, as it may on a node.
func (w *world) napTerminated() {
	if !w.ties.merge() {
		w.nap(10 * apiLatency)
	}
}

// ties decides what a real node leaves to chance: how two things of one instant follow one
// another. Without a seed above 1 nothing is left to chance.
type ties struct {
	mu     sync.Mutex
	source *rand.Rand
}

func (t *ties) seed(seed int64) {
	if seed > 1 {
		t.source = rand.New(rand.NewSource(seed))
	}
}

// lateness is how much later than it could a sync begins.
func (t *ties) lateness() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.source == nil {
		return 0
	}
	return time.Duration(t.source.Intn(200))
}

// merge says whether the worker is too slow to take one update before the next one comes.
func (t *ties) merge() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.source != nil && t.source.Intn(2) == 0
}

// settle runs the kubelet until nothing is left to do at the driver's instant.
func (w *world) settle() {
	start := w.base.Add(time.Duration(w.instant) * time.Millisecond)
	if rest := w.offset - time.Since(start); rest > 0 {
		time.Sleep(rest)
	}
	w.rest()
	w.offset = max(w.offset, time.Since(start))
}

// take returns and forgets the effects so far, the changes of the published status last.
func (w *world) take() []effect {
	w.mu.Lock()
	defer w.mu.Unlock()
	got := w.effects
	w.effects = nil
	for _, t := range w.tenants {
		for _, e := range t.changes(w.names) {
			got = append(got, w.of(t.pod, e))
		}
	}
	return got
}

// advance lets the kubelet run until the case instant to or the first effects.
func (w *world) advance(to int64) stop {
	w.settle()
	for {
		select {
		case <-w.wake:
		default:
		}
		if got := w.take(); len(got) > 0 || w.instant >= to {
			if got == nil {
				got = []effect{}
			}
			return stop{w.instant, got}
		}
		timer := time.NewTimer(time.Until(w.base.Add(time.Duration(to) * time.Millisecond)))
		select {
		case <-timer.C:
		case <-w.wake:
		}
		timer.Stop()
		w.instant = max(w.instant, w.caseMs())
		w.settle()
	}
}
