package main

import (
	"math/rand"
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	syncsPerInstantMax = 20
	roundsMax          = 10000
	// timeMaxMs keeps the bubble's clock, which counts from 2000, inside what int64 holds.
	timeMaxMs = int64(200 * 365 * 24 * 3600 * 1000)
)

// order chooses how a true race of the kubelet ends (P-179): whether workers look at the status
// cache before a sync stores the new status (the default) or after it, or now so, now so.
var order = os.Getenv("PROBETEST_TRIGGER_LOOKS")

var coin = rand.New(rand.NewSource(time.Now().UnixNano()))

// caseZero is time 0 of a case, before wall is added.
var caseZero = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// playedCase is one open case: the world, the kubelet process, and what was reported so far.
type playedCase struct {
	w        *wire
	zero     time.Time
	pod      *v1.Pod       // the API's copy
	onItsWay *v1.PodStatus // stored at sentAt, and with the API's copy from the next instant on
	sentAt   int64
	world    *world
	node     *node // nil while the kubelet is down
	ends     []*node
	effects  *effects
	jitter   *jitter

	names           map[string]string // container id -> name
	reportedStarted map[string]bool
	reportedReady   map[string]bool
	number          int
	deleted, done   bool
	absent          bool // the status is not in the cache until the next event of the runner
	shift           time.Duration
	reopenAt        time.Time
	reopenJitter    *jitter

	instant int64 // ms, of the syncs counted
	syncs   int
	stretch time.Duration // how much of a millisecond an instant takes, because of drawn delays

	cannot     string // what this case asks for and the bubble does not have
	goroutines int    // of the process before the case began
}

// playCase runs from an open request to its close inside one bubble.
func playCase(t *testing.T, w *wire, open *request) {
	synctest.Test(t, func(*testing.T) {
		c, r := openCase(w, open)
		w.answer(open, r)
		if c == nil {
			return
		}
		for c.serveOne() {
		}
		c.end()
	})
}

func openCase(w *wire, req *request) (*playedCase, reply) {
	if req.Layer != "probe" && req.Layer != "" {
		return nil, refuse("unsupported", "layer %q", req.Layer)
	}
	pod, err := decodeWorldPod(req.Pod)
	if err != nil {
		return nil, refuse("bad-request", "%v", err)
	}
	jitter, err := newJitter(req.Jitter)
	if err != nil {
		return nil, refuse("bad-request", "%v", err)
	}
	if req.Uptime < 0 || req.Uptime > 20*365*24*3600*1000 || abs(req.Wall) > timeMaxMs/100 {
		return nil, refuse("bad-request", "uptime %d, wall %d: out of range", req.Uptime, req.Wall)
	}
	c := newCase(w, pod, jitter, req.Wall)
	c.start(ms(req.Uptime))
	return c, c.run(0)
}

func newCase(w *wire, pod *v1.Pod, jitter *jitter, wall int64) *playedCase {
	c := &playedCase{
		w: w, pod: pod, world: newWorld(pod), jitter: jitter, effects: newEffects(),
		zero:            caseZero.Add(ms(wall)),
		names:           map[string]string{},
		reportedStarted: map[string]bool{},
		reportedReady:   map[string]bool{},
		goroutines:      runtime.NumGoroutine(),
	}
	for _, list := range [][]*container{c.world.regular, c.world.init} {
		for _, k := range list {
			c.names[k.id] = k.name
		}
	}
	return c
}

// start lets the kubelet process begin, and opens the pod in it when it has been up for uptime.
func (c *playedCase) start(uptime time.Duration) {
	time.Sleep(time.Until(c.zero.Add(-uptime)))
	c.node = newNode(c)
	c.node.startLoops()
	time.Sleep(time.Until(c.zero))
	c.firstSync()
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// nowMs is the case's time; below a millisecond it is rounded down.
func (c *playedCase) nowMs() int64 { return time.Since(c.zero).Milliseconds() }

func (c *playedCase) nextNumber() int {
	c.number++
	return c.number
}

func (c *playedCase) nameOf(id string) string { return c.names[id] }

// serveOne answers one request; false ends the case.
func (c *playedCase) serveOne() bool {
	req, ok := c.w.next()
	if !ok {
		return false
	}
	switch req.Op {
	case "advance":
		c.w.answer(req, c.advance(req))
		return true
	case "close":
		c.w.answer(req, reply{})
		return false
	}
	c.w.answer(req, refuse("bad-request", "%s while a case is open", req.Op))
	return true
}

func (c *playedCase) advance(req *request) reply {
	if req.To < c.nowMs() || req.To > timeMaxMs {
		return refuse("bad-request", "to %d: now is %d, the end %d", req.To, c.nowMs(), timeMaxMs)
	}
	if r := c.apply(req.Events); r.code != "" {
		return r
	}
	return c.run(req.To)
}

// run lets the bubble go on until something has happened or the time is to.
func (c *playedCase) run(to int64) reply {
	for {
		if r := c.settle(); r.code != "" {
			return r
		}
		if c.cannot != "" {
			return refuse("unsupported", "%s cannot be played in virtual time", c.cannot)
		}
		if c.effects.any() || c.nowMs() >= to {
			return reply{ok: map[string]any{"at": c.nowMs(), "effects": c.effects.take()}}
		}
		c.sleepUntil(c.endOf(to))
	}
}

// endOf is the last instant that the protocol calls t.  It is t itself, unless a start was
// delayed by a drawn part of its period: that can be had only to within some microseconds.
func (c *playedCase) endOf(t int64) time.Time { return c.zero.Add(ms(t)).Add(c.stretch) }

// stretchInstant makes room for workers that begin at most d after now, which is still this instant.
func (c *playedCase) stretchInstant(d time.Duration) {
	part := time.Since(c.zero) % time.Millisecond
	c.stretch = min(part+d, time.Millisecond-time.Nanosecond)
}

func (c *playedCase) atEndOfInstant() bool { return !time.Now().Before(c.endOf(c.nowMs())) }

// sleepUntil waits until then, or until somebody else has done something.
func (c *playedCase) sleepUntil(then time.Time) {
	if c.node == nil && c.reopenAt.Before(then) {
		then = c.reopenAt
	}
	timer := time.NewTimer(time.Until(then))
	defer timer.Stop()
	if c.node == nil {
		select {
		case <-c.effects.wake:
		case <-timer.C:
		}
		if !time.Now().Before(c.reopenAt) {
			c.reopen()
		}
		return
	}
	c.node.waitForUpdate(c.effects.wake, timer.C)
}

// settle lets everything that is due at this instant happen: the workers run until each waits,
// then their updates are taken together with at most one sync, until nothing moves any more.
func (c *playedCase) settle() reply {
	for round := 0; round < roundsMax; round++ {
		// Who has a part of a millisecond left has his turn before any update is taken, as if it
		// were one instant.
		for !c.atEndOfInstant() {
			c.sleepUntil(c.endOf(c.nowMs()))
		}
		c.letOthersRun()
		if c.node == nil || !c.node.takeUpdates() {
			return reply{}
		}
	}
	return refuse("internal", "no end of updates at %d ms", c.nowMs())
}

// letOthersRun returns when every other goroutine of the bubble waits for time or for us.
func (c *playedCase) letOthersRun() {
	synctest.Wait()
	if consumesUpdatesItself {
		// Its loops pause for a timer of no time between two updates.
		<-time.After(0)
		synctest.Wait()
	}
}

// letOthersRunFirst is a place where the workers may or may not be quicker than the sync.
func (c *playedCase) letOthersRunFirst() {
	if order == "after" || (order == "random" && coin.Intn(2) == 0) {
		return
	}
	c.letOthersRun()
}

// countSync tells whether another sync is allowed at this instant.
func (c *playedCase) countSync() bool {
	if now := c.nowMs(); now != c.instant {
		c.instant, c.syncs = now, 0
	}
	c.syncs++
	return c.syncs <= syncsPerInstantMax
}

// firstSync opens the pod in a kubelet process that has just learned of it.
func (c *playedCase) firstSync() {
	if addsPodBeforeSync {
		c.addPod()
		for !alwaysJitters && !c.atEndOfInstant() {
			c.sleepUntil(c.endOf(c.nowMs()))
		}
		c.letOthersRun()
	}
	c.sync()
}

// sync does what a pod sync of this release does as far as probes go.
func (c *playedCase) sync() {
	n := c.node
	n.mu.Lock()
	c.arrive(false)
	old := n.stored
	n.mu.Unlock()
	if old == nil {
		old = &c.pod.Status
	}
	status := c.world.status(old, c.podIP())
	n.sinceBirth(status)
	n.updatePodStatus(c.pod.DeepCopy(), status)
	c.letOthersRunFirst()
	if !c.absent {
		n.mu.Lock()
		n.stored = normalized(status)
		n.mu.Unlock()
		n.report()
	}
	if c.world.allDone(c.pod.Spec.RestartPolicy) {
		c.done = true
	}
	if !addsPodBeforeSync && !c.deleted && !c.done {
		c.addPod()
	}
}

func (c *playedCase) addPod() {
	c.jitter.addPod(c)
}

func (c *playedCase) podIP() string {
	if c.pod.Status.PodIP != "" {
		return c.pod.Status.PodIP
	}
	return "10.0.0.1"
}

// toAPI sends what is stored on its way to the API server.  It comes back with the pod, but not
// before the syncs that the same instant causes.
func (c *playedCase) toAPI(stored *v1.PodStatus) {
	c.arrive(false)
	c.onItsWay, c.sentAt = stored.DeepCopy(), c.nowMs()
}

// arrive puts what was sent before this instant (or all, when a new kubelet asks the server) into
// the API's copy.
func (c *playedCase) arrive(all bool) {
	if c.onItsWay == nil || (!all && c.sentAt == c.nowMs()) {
		return
	}
	conditions := withReady(c.pod.Status.Conditions, podReady(c.pod, c.onItsWay))
	c.pod.Status = *c.onItsWay
	c.pod.Status.Conditions = conditions
	c.onItsWay = nil
}

func withReady(conditions []v1.PodCondition, ready bool) []v1.PodCondition {
	value := v1.ConditionFalse
	if ready {
		value = v1.ConditionTrue
	}
	var out []v1.PodCondition
	for _, cond := range conditions {
		if cond.Type != v1.PodReady {
			out = append(out, cond)
		}
	}
	return append(out, v1.PodCondition{Type: v1.PodReady, Status: value})
}

// apply does all events of one request, then at most one sync for them.
func (c *playedCase) apply(events []*worldEvent) reply {
	needSync, stop := false, false
	for _, e := range events {
		if e == nil {
			return refuse("bad-request", "an event is null")
		}
		r, sync := c.applyOne(e)
		if r.code != "" {
			return r
		}
		needSync = needSync || sync
		stop = stop || e.E == "delete"
	}
	c.absent = c.absent && !wakesStatus(events)
	if needSync && c.node != nil {
		c.letOthersRunFirst()
		if c.countSync() {
			c.sync()
		}
		if stop {
			c.letOthersRunFirst()
			stopLivenessAndStartup(c.node.manager, c.pod)
		}
	}
	return reply{}
}

// wakesStatus tells whether the events end a nostatus that stood before them.
func wakesStatus(events []*worldEvent) bool {
	for i := len(events) - 1; i >= 0; i-- {
		switch events[i].E {
		case "nostatus":
			return false
		case "sync", "running", "exited", "waiting", "startfail", "phase", "delete", "update":
			return true
		}
	}
	return false
}

// applyOne does one event and says whether a sync follows from it.
func (c *playedCase) applyOne(e *worldEvent) (r reply, sync bool) {
	switch e.E {
	case "running", "exited", "waiting", "startfail":
		return c.applyLifecycle(e)
	case "answer":
		return c.applyAnswer(e), false
	case "sync":
		return reply{}, true
	case "phase":
		c.world.phase = v1.PodPhase(e.Value)
		return reply{}, true
	case "nostatus":
		c.absent = true
		if c.node != nil {
			c.node.mu.Lock()
			c.node.stored = nil
			c.node.mu.Unlock()
		}
	case "delete":
		c.applyDelete(e)
		return reply{}, true
	case "update":
		return c.applyUpdate(e)
	case "kubelet-restart":
		return c.applyRestart(e), false
	case "clock":
		c.shift += ms(e.By)
		return reply{}, true
	default:
		c.applyToManager(e)
	}
	return reply{}, false
}

// applyToManager does the events that call the manager alone; unknown kinds are ignored.
func (c *playedCase) applyToManager(e *worldEvent) {
	if c.node == nil {
		return
	}
	switch e.E {
	case "remove":
		c.node.manager.RemovePod(c.pod)
	case "cleanup":
		if e.Keep {
			cleanupPods(c.node.manager, c.pod)
		} else {
			cleanupPods(c.node.manager, nil)
		}
	case "stop":
		stopLivenessAndStartup(c.node.manager, c.pod)
	case "addpod":
		c.addPod()
	}
}

func (c *playedCase) applyLifecycle(e *worldEvent) (reply, bool) {
	k := c.world.find(e.Container)
	if k == nil {
		return refuse("bad-request", "%s: no container %q", e.E, e.Container), false
	}
	switch e.E {
	case "running":
		at := time.Now().Add(c.shift)
		if e.StartedAt != nil {
			at = c.zero.Add(ms(*e.StartedAt)).Add(c.shift)
		}
		k.running(c.world.fullID(e.CID), e.Restarts, at)
		c.names[k.id] = k.name
		if c.node != nil {
			c.node.containerStarted(k)
		}
	case "exited":
		code := int32(0)
		if e.Code != nil {
			code = int32(*e.Code)
		}
		if e.CID == "" || e.CID == bareID(k.id) {
			k.exited(code, e.Reason, time.Now().Add(c.shift))
		}
	case "waiting":
		k.waiting(e.Reason, e.Message)
	case "startfail":
		k.waiting(e.Reason, e.Message)
		if e.CID != "" {
			k.id = c.world.fullID(e.CID)
			k.restarts = e.Restarts
			c.names[k.id] = k.name
		}
	}
	return reply{}, true
}

func (c *playedCase) applyAnswer(e *worldEvent) reply {
	switch e.Result {
	case "success", "failure", "error", "timeout":
	default:
		return refuse("unsupported", "answer %q: the exec handler has no such outcome", e.Result)
	}
	if c.node != nil {
		c.node.answer(e)
	}
	return reply{}
}

func (c *playedCase) applyDelete(e *worldEvent) {
	at := metav1.NewTime(time.Now().Add(c.shift).Add(time.Duration(e.Grace) * time.Second).Truncate(time.Second))
	c.pod.DeletionTimestamp = &at
	c.pod.DeletionGracePeriodSeconds = &e.Grace
	c.deleted = true
	if c.node != nil {
		c.node.cancel()
	}
}

// applyUpdate takes a new API object; of its status only what others than the kubelet own.
func (c *playedCase) applyUpdate(e *worldEvent) (reply, bool) {
	pod, err := decodeWorldPod(e.Pod)
	if err != nil {
		return refuse("bad-request", "update: %v", err), false
	}
	given := pod.Status.Conditions
	pod.Status = c.pod.Status
	for _, cond := range given {
		switch cond.Type {
		case v1.PodReady, v1.ContainersReady, v1.PodInitialized, v1.PodScheduled:
		default:
			pod.Status.Conditions = append(pod.Status.Conditions, cond)
		}
	}
	if c.deleted && pod.DeletionTimestamp == nil {
		pod.DeletionTimestamp = c.pod.DeletionTimestamp
		pod.DeletionGracePeriodSeconds = c.pod.DeletionGracePeriodSeconds
	}
	c.pod = pod
	return reply{}, true
}

func (c *playedCase) applyRestart(e *worldEvent) reply {
	if c.node == nil {
		return refuse("bad-request", "kubelet-restart while the kubelet is down")
	}
	jitter, err := newJitter(e.Jitter)
	if err != nil {
		return refuse("bad-request", "kubelet-restart: %v", err)
	}
	if e.Down < 0 || e.Down > timeMaxMs {
		return refuse("bad-request", "kubelet-restart: down %d", e.Down)
	}
	c.letOthersRun()
	c.kill()
	c.absent = false
	c.reopenJitter = jitter
	c.reopenAt = c.zero.Add(ms(c.nowMs() + e.Down))
	if e.Down == 0 {
		c.reopen()
	}
	return reply{}
}

// kill ends the kubelet process.  Its goroutines cannot be killed: they are told to stop, what
// they still do is not reported, and what they send is thrown away.
func (c *playedCase) kill() {
	n := c.node
	close(n.dead)
	n.cancel()
	cleanupPods(n.manager, nil)
	go n.drain()
	c.ends = append(c.ends, n)
	c.node = nil
}

func (c *playedCase) reopen() {
	c.arrive(true)
	c.absent = false
	c.node = newNode(c)
	c.node.startLoops()
	c.jitter = c.reopenJitter
	c.firstSync()
}

// end closes the case: all goroutines of the bubble have to be gone before it can be left.
func (c *playedCase) end() {
	if c.node != nil {
		c.kill()
	}
	nodes := c.ends
	step := time.Second
	for _, p := range podProbes(c.pod) {
		if d := time.Duration(p.spec().PeriodSeconds) * time.Second; d > step {
			step = d
		}
	}
	for i := 0; i < 200 && runtime.NumGoroutine() > c.goroutines+len(nodes)+startGoroutines*len(nodes); i++ {
		time.Sleep(step)
		synctest.Wait()
	}
	for _, n := range nodes {
		n.endLoops()
		close(n.drained)
	}
}
