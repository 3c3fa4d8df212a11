//go:build !ge22

package main

import (
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
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
	case strings.HasPrefix(msg, "Generating status for "), msg == "Generating pod status":
		w.napStatus()
	case strings.HasPrefix(msg, "Status Manager: syncing batch"):
		w.aside(w.napBatch)
	case strings.HasPrefix(msg, "SyncLoop (PLEG): "), strings.HasPrefix(msg, "SyncLoop (container unhealthy): "):
		w.napUpdate()
	case strings.HasPrefix(msg, "GenericPLEG: Relisting"):
		w.nap(time.Nanosecond)
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

// napStatus is the nap before a pod's status is made: by its worker, for a sync, or by the sync loop, since something of
// the pod died. The loop does not wait, so that what else it has to do at this instant comes before the sync; in 1.21 it
// pokes readiness workers thereby, which then look at what the sync has not stored yet. With a seed it may come behind it.
func (w *world) napStatus() {
	switch {
	case !calledFrom(".(*podWorkers).managePodLoop"):
		if w.ties.merge() {
			w.aside(func() { w.nap(firstOffset) })
		}
	case time.Now().Before(w.drawn): // the ticks of workers just made come soon, and behind it
		w.aside(func() { w.nap(syncLatency) })
	default:
		w.aside(w.napSync)
	}
}

// napBatch is the nap of the status manager before it looks round, each 10 s: behind the relist and the housekeeping of
// its instant. With a seed it may come before them.
func (w *world) napBatch() {
	if !w.ties.merge() {
		w.nap(batchOffset)
	}
}

// napCollection is the nap of the collector of each minute before it looks for dead containers: behind the relist of its
// instant, which sees them gone a second later. With a seed it may come before, or behind the syncs. A new kubelet's first one
// is before.
func (w *world) napCollection() {
	if !calledFrom(".(*containerGC).") || time.Since(w.born) < time.Second {
		return
	}
	if !w.ties.merge() {
		w.nap(tickOffset + 10*apiLatency) // relists come a nanosecond later with each
	} else if w.ties.merge() {
		w.nap(firstOffset)
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
