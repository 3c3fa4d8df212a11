//go:build !ge22

package main

import (
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
)

// To 1.21 a sync logs neither its beginning nor its end; it begins with the pod's status. The sync loop makes a pod's
// workers, and to 1.20 each of them draws a start delay, however long the kubelet has run. To 1.20 the log is text.

var (
	oldBackOff = regexp.MustCompile(`^[Bb]ack-off \S+ restarting failed container=`)
	oldActions = regexp.MustCompile(`(?s)^computePodActions got \{KillPod:(\w+) CreateSandbox:(\w+) SandboxID:\S* Attempt:(\d+) ` +
		`NextInitContainerToStart:(?:nil|&Container\{Name:([^,]*),.*?\}) ContainersToStart:\[([\d ]*)\] ` +
		`ContainersToKill:map\[(.*?)\](?: EphemeralContainersToStart:\[([\d ]*)\])?\} for pod`)
	oldKill = regexp.MustCompile(`(?s)\{Type:\S+ ID:(\S+)\}:\{container:\S+ name:(\S+) message:(.*)\}$`)
)

// notedOld is called with what no newer kubelet says.
func (w *world) notedOld(msg string) {
	switch {
	case strings.HasPrefix(msg, "Status Manager: syncing batch"):
		w.aside(w.napBatch)
	case strings.HasPrefix(msg, "SyncLoop (PLEG): "), strings.HasPrefix(msg, "SyncLoop (container unhealthy): "):
		w.napUpdate()
	case strings.HasPrefix(msg, "GenericPLEG: Relisting"):
		w.nap(time.Nanosecond)
		w.relisted.Store(int64(time.Since(w.caseTime())))
	case strings.HasPrefix(msg, "Starting kubelet main sync loop"):
		w.theLoopBegins()
	case strings.HasPrefix(msg, "SyncLoop ADD"), strings.HasPrefix(msg, "SyncLoop (ADD") && !strings.HasSuffix(msg, `: ""`):
		w.workersDraw() // an empty list comes first
	case oldBackOff.MatchString(msg):
		w.backOff([]any{"err", msg})
	default:
		if m := oldActions.FindStringSubmatch(msg); m != nil {
			w.compute(actionsIn(m))
		}
	}
}

// napsBeforeAStatus has the kubelet ask first of all whether a pod is to be evicted, as it does for each status that it
// makes: with none of its locks held, not even the log's.
func (w *world) napsBeforeAStatus(kl *kubelet.Kubelet) {
	kl.PodSyncHandlers = append(lifecycle.PodSyncHandlers{statusNap{w}}, kl.PodSyncHandlers...)
}

type statusNap struct{ w *world }

func (n statusNap) ShouldEvict(*v1.Pod) lifecycle.ShouldEvictResponse {
	n.w.napStatus()
	return lifecycle.ShouldEvictResponse{}
}

// napStatus is the nap before a pod's status is made: by its worker, for a sync, or by the sync loop, since something of
// the pod died. The loop does not wait, so that what else it has to do at this instant comes before the sync; in 1.21 it
// triggers readiness workers thereby, which then look at what the sync has not stored yet. With a seed it may come behind it.
func (w *world) napStatus() {
	switch {
	case !calledFrom(".(*podWorkers).managePodLoop"):
		if w.ties.merge() {
			w.nap(firstOffset)
		}
	case time.Now().Before(w.drawn): // the ticks of workers just made come soon, and behind it
		w.nap(syncLatency)
		w.drawn = time.Time{} // they have drawn: the next to draw is the work queue
	default:
		w.napSync()
	}
}

// napBatch is the nap of the status manager before it looks round, each 10 s, where it says so: behind the relist of its
// instant, each of which comes a nanosecond later than the one before. With a seed it may come before. It is short, since up
// to 1.20 the log's lock is held, for which the sync loop would wait.
func (w *world) napBatch() {
	if !w.ties.merge() {
		w.nap(max(tickOffset/2, time.Duration(w.relisted.Load())+2*time.Nanosecond))
	}
}

// reclaimed is the rest of it, when it asks whether a deleted pod's cgroup has gone: behind the housekeeping of its instant.
// It asks twice. The first time a lock of its own is held, for which housekeeping would wait, and yes makes it ask again.
func (w *world) reclaimed() bool {
	if !calledFrom(".(*manager).syncBatch") {
		return false
	}
	if !calledFrom(".(*manager).syncPod") {
		return !w.ties.merge()
	}
	w.nap(max(0, batchOffset-time.Since(w.caseTime())))
	return false
}

// napCollection is the nap of the collector of each minute when it has ended, which is when the next minute begins: from
// the second one on it comes behind the relist of its instant, which sees what it removed a second later. With a seed it may
// come before, or behind the syncs.
func (w *world) napCollection() {
	place := tickOffset + 10*apiLatency // relists come a nanosecond later with each
	if w.ties.merge() {
		place = firstOffset
	}
	if !w.ties.merge() {
		w.nap(max(0, place-time.Since(w.caseTime())))
	}
}

// requestTakes is how long the API server takes to show a pod. With a seed housekeeping may be quicker.
func (w *world) requestTakes() time.Duration {
	if w.ties.merge() {
		return batchOffset
	}
	return apiLatency
}

// batchOffset is behind the time that cgroups take to go, and before a sync.
const batchOffset = tickOffset + 40*apiLatency

// actionsIn reads what the kubelet computed from its text.
func actionsIn(m []string) *podActions {
	a := &podActions{killPod: m[1] == "true", createSandbox: m[2] == "true", attempt: uint64(numbers(m[3])[0]), nextInit: m[4],
		start: numbers(m[5]), startEphemeral: numbers(m[7])}
	for i, text := range strings.Split(m[6], " {Type:") {
		if i > 0 {
			text = "{Type:" + text
		}
		if k := oldKill.FindStringSubmatch(text); k != nil {
			a.kill = append(a.kill, killed{k[2], k[1], k[3]})
		}
	}
	return a
}

func numbers(text string) []int {
	var out []int
	for _, word := range strings.Fields(text) {
		n, _ := strconv.Atoi(word)
		out = append(out, n)
	}
	return out
}

// seedOfOneDelay: its first number is 5.5e-6, so that the first tick comes behind the first sync.
const seedOfOneDelay = 240330

// noDelays says whether a pod's workers draw no start delay that counts.
func (w *world) noDelays(pods []*v1.Pod) bool {
	seed, ok := seedOfNoDelays(pods)
	w.delays = seed
	return ok || !alwaysDraws
}

// workersDraw makes the start delays come out as next to nothing of the workers that the sync loop is about to make.
func (w *world) workersDraw() {
	if seed := w.young; seed != 0 {
		w.delays, w.young = seed, 0
		w.napYoung()
	} else if !alwaysDraws {
		return
	}
	if w.delays != 0 {
		rand.Seed(w.delays) //nolint:staticcheck // the global source is the one the kubelet draws from
		w.delays, w.drawn = 0, time.Now().Add(tickOffset)
	}
}

// armsOld sets the next draw of the global source after each line, since none says that a sync ends.
func (w *world) armsOld() {
	if time.Now().After(w.drawn) {
		w.requeue.arm()
	}
}
