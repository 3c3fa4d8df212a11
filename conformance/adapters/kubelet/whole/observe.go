package main

import (
	"fmt"
	"math/rand"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
)

// ---- events -------------------------------------------------------------------------------

var (
	eventPattern = regexp.MustCompile(`^(?s)(\S+) (\S+) (.*) involvedObject\{kind=(\w*),apiVersion=([^}]*)\}$`)
	namePattern  = regexp.MustCompile(`[Cc]ontainer:? (\S+?)(,| |$)`)
)

// recorded notes one event of the kubelet's recorder; owner is the container that it is about, if that is told.
func (w *world) recorded(text, owner string) {
	m := eventPattern.FindStringSubmatch(text)
	if m == nil || m[4] == "Node" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	kind, reason, message := m[1], m[2], m[3]
	t := w.tenant(podOf(m[5]))
	guess := w.eventOwner(t, reason, message)
	if owner == "" {
		owner = guess
	}
	message, _ = strip(message)
	message = w.names.restore(message)
	e := effect{"e": "event", "container": owner, "type": kind, "reason": reason, "message": message}
	if reason == "Killing" && owner == "" {
		t.nameless = append(t.nameless, e)
		return
	}
	if reason == "Killing" {
		t.lastKill[owner], t.killing = message, owner
	}
	w.emit(t.pod, e)
}

// killed tells of the Killing event that names no container, now that the first request of the kill does: a
// restart of all says `killing` alone, and the recorder sees no field path. The caller holds mu.
func (w *world) killed(t *tenant, container string) {
	if len(t.nameless) == 0 {
		return
	}
	e := t.nameless[0]
	t.nameless = t.nameless[1:]
	e["container"] = container
	t.lastKill[container] = e["message"].(string)
	w.emit(t.pod, e)
}

// eventOwner finds out which container an event is about. The caller holds mu.
func (w *world) eventOwner(t *tenant, reason, message string) string {
	switch reason {
	case "Unhealthy", "ProbeWarning":
		_, key := strip(message)
		_, owner, _ := splitKey(key)
		return owner
	case "Pulled", "Pulling":
		t.creating = w.names.imageOwner(message)
		return t.creating
	case "Created", "Started", "Failed":
		return t.creating
	case "FailedPostStartHook", "FailedPreStopHook":
		return t.hookOwner(reason)
	case "Killing":
		return t.killOwner(message)
	case "BackOff":
		if m := namePattern.FindStringSubmatch(message); m != nil {
			return m[1]
		}
		return t.creating
	}
	return ""
}

func (t *tenant) killOwner(message string) string {
	if m := namePattern.FindStringSubmatch(message); m != nil && m[1] != "is" {
		return strings.Trim(m[1], `"`)
	}
	return ""
}

func (t *tenant) hookOwner(reason string) string {
	kind := "/" + strings.ToLower(reason[6:7]) + strings.TrimSuffix(reason[7:], "Hook")
	for i, key := range t.failedHooks {
		if strings.HasSuffix(key, kind) {
			t.failedHooks = append(t.failedHooks[:i], t.failedHooks[i+1:]...)
			return strings.TrimSuffix(key, kind)
		}
	}
	if reason == "FailedPostStartHook" { // without a request: a hook that no kubelet runs
		return t.creating
	}
	return t.killing
}

// ---- what reaches the API server --------------------------------------------------------------

// published notes the pod's status as the API server has it. What it was given with is not told, nor is an edit that
// leaves it as it is.
func (w *world) published(pod *v1.Pod, given bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.tenant(pod.Name)
	if !given && !apiequality.Semantic.DeepEqual(t.seen, &pod.Status) {
		t.now = pod.Status.DeepCopy()
		w.poke()
	}
	t.seen = pod.Status.DeepCopy()
}

// changes are the differences between the status told of and the one now, which is then told of.
func (t *tenant) changes(n *names) []effect {
	if t.now == nil {
		return nil
	}
	old, now := t.told, t.now
	if old == nil {
		old = &v1.PodStatus{Phase: v1.PodPending}
	}
	t.told = now
	var out []effect
	for _, name := range containerNames(old, now) {
		out = append(out, containerChanges(name, find(old, name), find(now, name), n)...)
	}
	out = append(out, conditionChanges(old, now)...)
	if now.Phase != old.Phase && now.Phase != "" {
		out = append(out, effect{"e": "phase", "value": string(now.Phase)})
	}
	return out
}

func all(s *v1.PodStatus) []v1.ContainerStatus {
	return append(append([]v1.ContainerStatus{}, s.InitContainerStatuses...), s.ContainerStatuses...)
}

func containerNames(old, now *v1.PodStatus) []string {
	var out []string
	seen := map[string]bool{}
	for _, c := range append(all(now), all(old)...) {
		if !seen[c.Name] {
			seen[c.Name] = true
			out = append(out, c.Name)
		}
	}
	return out
}

func find(s *v1.PodStatus, name string) v1.ContainerStatus {
	for _, c := range all(s) {
		if c.Name == name {
			return c
		}
	}
	return v1.ContainerStatus{}
}

func stateText(s v1.ContainerState, n *names) string {
	with := func(text, message string) string {
		if message == "" {
			return text
		}
		return text + ": " + n.restore(message)
	}
	switch {
	case s.Running != nil:
		return "running"
	case s.Waiting != nil:
		return with("waiting:"+n.restore(s.Waiting.Reason), s.Waiting.Message) // up to 1.21 with an error in it
	case s.Terminated != nil:
		return with(fmt.Sprintf("terminated:%s:%d", s.Terminated.Reason, s.Terminated.ExitCode), s.Terminated.Message)
	}
	return ""
}

func containerChanges(name string, old, now v1.ContainerStatus, n *names) []effect {
	var out []effect
	state, last := stateText(now.State, n), stateText(now.LastTerminationState, n)
	if state != stateText(old.State, n) || last != stateText(old.LastTerminationState, n) ||
		now.RestartCount != old.RestartCount {
		out = append(out, effect{"e": "state", "container": name, "state": state, "last": last,
			"restarts": now.RestartCount})
	}
	if hasStarted(now) != hasStarted(old) {
		out = append(out, effect{"e": "started", "container": name, "value": hasStarted(now)})
	}
	if now.Ready != old.Ready {
		out = append(out, effect{"e": "ready", "container": name, "value": now.Ready})
	}
	return out
}

func conditionChanges(old, now *v1.PodStatus) []effect {
	was := map[v1.PodConditionType]v1.PodCondition{}
	for _, c := range old.Conditions {
		was[c.Type] = c
	}
	var out []effect
	for _, c := range now.Conditions {
		o, had := was[c.Type]
		if c.Type == v1.PodScheduled || (had && o.Status == c.Status && o.Reason == c.Reason && o.Message == c.Message) {
			continue
		}
		out = append(out, effect{"e": "condition", "type": string(c.Type), "status": string(c.Status),
			"reason": c.Reason, "message": c.Message})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i]["type"].(string) < out[j]["type"].(string) })
	return out
}

// ---- the kubelet's log --------------------------------------------------------------------------

var backOffPattern = regexp.MustCompile(`^[Bb]ack-off (\S+) restarting failed container=(\S+) pod=([^_]*)_`)

// noted is called with each line of the kubelet's own log: it makes steps take time, sets the next random draw,
// and sees what no other interface tells.
func (w *world) noted(msg string, kv []any) {
	if tracing {
		traceLine(w, msg, kv)
	}
	switch msg {
	case "SyncPod enter", "SyncTerminatingPod enter", "SyncTerminatedPod enter",
		"syncPod enter", "syncTerminatingPod enter", "syncTerminatedPod enter": // to 1.26
		w.napSync()
	case "SyncLoop (PLEG): event for pod", "SyncLoop (probe)":
		w.napUpdate()
	case "GenericPLEG: Relisting Pod":
		w.nap(time.Nanosecond)
	case "SyncPod exit", "SyncTerminatingPod exit", "SyncTerminatedPod exit",
		"syncPod exit", "syncTerminatingPod exit", "syncTerminatedPod exit":
		w.requeue.arm()
	case "Starting kubelet main sync loop":
		w.nap(tickOffset)
	case "Pod termination stopped all running containers":
		w.napTerminated()
	case "computePodActions got for pod":
		w.drawsNothing()
		w.compute(actionsOf(reflect.ValueOf(kv[1])))
	case "Back-off restarting failed container":
		w.backOff(kv)
	default:
		w.notedOld(msg)
	}
	w.armsOld()
}

// compute notes what a sync computed.
func (w *world) compute(a *podActions) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.computed = a
}

// backOff notes the window that a refused start waits for.
func (w *world) backOff(kv []any) {
	for i := 0; i+1 < len(kv); i += 2 {
		m := backOffPattern.FindStringSubmatch(fmt.Sprint(kv[i+1]))
		if m == nil {
			continue
		}
		window, err := time.ParseDuration(m[1])
		if err != nil {
			return
		}
		w.nap(time.Nanosecond)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.emit(m[3], effect{"e": "backoff", "container": m[2], "delay": window.Milliseconds()})
		return
	}
}

// ---- randomness ---------------------------------------------------------------------------------

// requeueJitter makes the next draw of the global source, which is the requeue's, come out near
// a wanted value.
type requeueJitter struct{ seed int64 }

// Seeds whose first draw is near 0, 0.5 and 1: off by more than the place of a sync in its instant (syncPlace) takes away.
var knownSeeds = map[float64]int64{0: 1214, 0.5: 72296, 1: 72426}

func (r *requeueJitter) want(fraction float64) {
	if seed, ok := knownSeeds[fraction]; ok {
		r.seed = seed
		return
	}
	best := 2.0
	for seed := int64(1); seed <= 20000; seed++ {
		got := rand.New(rand.NewSource(seed)).Float64()
		if d := max(got-fraction, fraction-got); d < best {
			best, r.seed = d, seed
		}
	}
}

func (r *requeueJitter) arm() {
	rand.Seed(r.seed) //nolint:staticcheck // the global source is the one the kubelet draws from
}
