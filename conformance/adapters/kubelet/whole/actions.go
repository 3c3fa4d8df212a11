package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"

	"probetest/conformance/adapters/kubelet/whole/runtimeapi"
)

// Layer actions asks what computePodActions makes of a given runtime and given probe results. The
// whole kubelet is led there: it first sees a pod that is well, so that its workers come to be;
// then its syncs are made to fail before they act, while the workers get the wanted results and
// the runtime changes into the given one; then one sync is let through. The kubelet logs what it
// computed before it acts upon it.

// preparedRuntime is what the runtime holds when the kubelet computes (protocol, section 5).
type preparedRuntime struct {
	Sandbox    preparedSandboxes   `json:"sandbox"`
	Containers []preparedContainer `json:"containers"`
}

type preparedSandbox struct {
	State        string `json:"state"`
	Attempt      uint32 `json:"attempt"`
	IP           *bool  `json:"ip"`
	OtherNetwork bool   `json:"otherNetwork"`
}

type preparedContainer struct {
	Container  string  `json:"container"`
	CID        string  `json:"cid"`
	State      string  `json:"state"`
	Code       int32   `json:"code"`
	Reason     string  `json:"reason"`
	Message    string  `json:"message"`
	Restarts   int     `json:"restarts"`
	Changed    bool    `json:"changed"`
	Sandbox    *uint32 `json:"sandbox"`
	StartedAt  *int64  `json:"startedAt"`
	FinishedAt *int64  `json:"finishedAt"`
}

// preparedSandboxes is an object, a word, or a list, newest first.
type preparedSandboxes []preparedSandbox

func (p *preparedSandboxes) UnmarshalJSON(b []byte) error {
	text := strings.TrimSpace(string(b))
	if text == "null" || text == `"none"` {
		return nil
	}
	if strings.HasPrefix(text, `"`) {
		*p = preparedSandboxes{{State: strings.Trim(text, `"`)}}
		return nil
	}
	if strings.HasPrefix(text, "{") {
		var one preparedSandbox
		if err := strictUnmarshal(b, &one); err != nil {
			return err
		}
		*p = preparedSandboxes{one}
		return nil
	}
	var list []preparedSandbox
	if err := strictUnmarshal(b, &list); err != nil {
		return err
	}
	*p = list
	return nil
}

var containerStates = map[string]runtimeapi.ContainerState{
	"created": runtimeapi.ContainerState_CONTAINER_CREATED,
	"running": runtimeapi.ContainerState_CONTAINER_RUNNING,
	"exited":  runtimeapi.ContainerState_CONTAINER_EXITED,
	"unknown": runtimeapi.ContainerState_CONTAINER_UNKNOWN,
}

// quick gives every probe the shortest way to a result.
func quick(pod *v1.Pod) {
	for _, list := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			for _, p := range probesOf(&list[i]) {
				if p != nil {
					p.InitialDelaySeconds, p.PeriodSeconds, p.TimeoutSeconds = 0, 1, 1
					p.FailureThreshold, p.SuccessThreshold = 1, 1
				}
			}
		}
	}
}

// question is one request of layer actions under way.
type question struct {
	*played
	r    request
	root string
	made *v1.Pod // as the kubelet has it
}

// uptimeOfQuestions is how long the kubelet of a question has run.
const uptimeOfQuestions = 120500 * time.Millisecond

func answerActions(r request, s childSetup) (any, *problem) {
	if r.Pod == nil || len(r.Pod.Spec.Containers) == 0 {
		return nil, badRequest("actions: a pod with containers is needed")
	}
	if r.Runtime == nil {
		r.Runtime = &preparedRuntime{}
	}
	if bad := checkResults(r); bad != nil {
		return nil, bad
	}
	w := newWorld(caseZero(uptimeOfQuestions))
	w.requeue.want(0)
	w.noDelays([]*v1.Pod{r.Pod})
	setLog(w)
	time.Sleep(time.Until(w.base.Add(-uptimeOfQuestions)))
	w.instant = w.caseMs()
	ctx := context.Background()
	q := &question{&played{w: w, cluster: newCluster(ctx, w), pods: []*v1.Pod{r.Pod}}, r, s.Root, nil}
	if err := startKubelet(ctx, w, q.cluster, s.Root, time.Hour); err != nil {
		return nil, internal("the kubelet does not start: %v", err)
	}
	w.advance(0)
	q.made = q.prepare(r.Pod)
	quick(q.made)
	if !wantsResults(r) {
		return q.untouched()
	}
	q.beWell()
	q.until(600) // a relist sees them, and no housekeeping: it would kill what nobody wants yet
	if err := q.cluster.create(q.made); err != nil {
		return nil, badRequest("actions: %v", err)
	}
	if bad := q.giveResults(); bad != nil {
		return nil, bad
	}
	return q.compute()
}

func wantsResults(r request) bool {
	for _, byCID := range r.Results {
		if len(byCID) > 0 {
			return true
		}
	}
	return false
}

// untouched is a question without results: no sync comes through before the one that is read, so
// that a container that the runtime does not show was never there.
func (q *question) untouched() (any, *problem) {
	if bad := q.failSyncs(true); bad != nil {
		return nil, bad
	}
	if err := q.cluster.create(q.made); err != nil {
		return nil, badRequest("actions: %v", err)
	}
	return q.compute()
}

// checkResults refuses what no kubelet can come to have in its caches.
func checkResults(r request) *problem {
	for kind, byCID := range r.Results {
		if kind != "liveness" && kind != "readiness" && kind != "startup" {
			return badRequest("results: %q is none of liveness, readiness and startup", kind)
		}
		for cid, value := range byCID {
			if value == "unknown" && kind != "startup" {
				return unsupported("no kubelet has the %s result unknown (container %s)", kind, cid)
			}
			if value == "failure" && kind == "liveness" && r.Results["startup"][cid] != "" &&
				r.Results["startup"][cid] != "success" {
				return unsupported("no kubelet has a liveness failure before startup succeeded (container %s)", cid)
			}
		}
	}
	return nil
}

func (q *question) labels() map[string]string {
	return map[string]string{"io.kubernetes.pod.name": q.made.Name,
		"io.kubernetes.pod.namespace": q.made.Namespace,
		"io.kubernetes.pod.uid":       string(q.made.UID)}
}

func (q *question) sandbox(p preparedSandbox) *sandbox {
	mode := runtimeapi.NamespaceMode_POD
	if q.made.Spec.HostNetwork != p.OtherNetwork {
		mode = runtimeapi.NamespaceMode_NODE
	}
	return &sandbox{id: fmt.Sprintf("sandbox-%d", p.Attempt), created: q.w.cri.stamp(), ready: p.State == "ready",
		noIP: p.IP != nil && !*p.IP,
		config: &runtimeapi.PodSandboxConfig{
			Metadata: &runtimeapi.PodSandboxMetadata{Name: q.made.Name, Namespace: q.made.Namespace,
				Uid: string(q.made.UID), Attempt: p.Attempt},
			Labels: q.labels(),
			Linux: &runtimeapi.LinuxPodSandboxConfig{SecurityContext: &runtimeapi.LinuxSandboxSecurityContext{
				NamespaceOptions: &runtimeapi.NamespaceOption{Network: mode}}}}}
}

// spec finds a container of the pod, and says whether it is an init container that is to end.
func (q *question) spec(name string) (found *v1.Container, ends bool) {
	for i, c := range q.made.Spec.InitContainers {
		if c.Name == name {
			found = &q.made.Spec.InitContainers[i]
			return found, !isSidecar(found)
		}
	}
	for i, c := range q.made.Spec.Containers {
		if c.Name == name {
			return &q.made.Spec.Containers[i], false
		}
	}
	for _, c := range ephemeral(q.made) {
		if c.Name == name {
			return &c, false
		}
	}
	return nil, false
}

func (q *question) container(p preparedContainer, sandboxID string) *container {
	spec, _ := q.spec(p.Container)
	hash := kubecontainer.HashContainer(spec)
	if p.Changed {
		hash ^= 1
	}
	labels := q.labels()
	labels["io.kubernetes.container.name"] = p.Container
	at := func(ms *int64) time.Time {
		if ms == nil {
			return q.w.cri.stamp()
		}
		return q.w.base.Add(time.Duration(*ms) * time.Millisecond)
	}
	k := &container{id: p.CID, name: p.Container, sandboxID: sandboxID, pod: q.made.Name, state: containerStates[p.State],
		created: q.w.cri.stamp(), code: p.Code, reason: p.Reason, message: p.Message,
		config: &runtimeapi.ContainerConfig{
			Metadata: &runtimeapi.ContainerMetadata{Name: p.Container, Attempt: uint32(p.Restarts)},
			Image:    &runtimeapi.ImageSpec{Image: spec.Image}, Labels: labels,
			Annotations: map[string]string{
				"io.kubernetes.container.hash":         strconv.FormatUint(hash, 16),
				"io.kubernetes.container.restartCount": strconv.Itoa(p.Restarts)}}}
	if p.State != "created" {
		k.started = at(p.StartedAt)
	}
	if p.State == "exited" {
		k.finished = at(p.FinishedAt)
	}
	return k
}

// beWell fills the runtime with what a healthy pod has, under the ids that results are wanted for.
func (q *question) beWell() {
	q.w.mu.Lock()
	defer q.w.mu.Unlock()
	q.w.cgroups.put(q.made.UID, true)
	box := q.sandbox(preparedSandbox{State: "ready"})
	q.w.cri.sandboxes = []*sandbox{box}
	cids := map[string]string{}
	for _, p := range q.r.Runtime.Containers {
		for _, byCID := range q.r.Results {
			if byCID[p.CID] != "" && cids[p.Container] == "" {
				cids[p.Container] = p.CID
			}
		}
	}
	for _, list := range [][]v1.Container{q.made.Spec.InitContainers, q.made.Spec.Containers} {
		for _, c := range list {
			p := preparedContainer{Container: c.Name, CID: cids[c.Name], State: "running"}
			if p.CID == "" {
				p.CID = "well-" + c.Name
			}
			if _, ends := q.spec(c.Name); ends {
				p.State, p.Reason = "exited", "Completed"
			}
			q.w.cri.containers = append(q.w.cri.containers, q.container(p, box.id))
		}
	}
	for _, c := range ephemeral(q.made) {
		p := preparedContainer{Container: c.Name, CID: "well-" + c.Name, State: "running"}
		q.w.cri.containers = append(q.w.cri.containers, q.container(p, box.id))
	}
}

// until lets the kubelet run up to an instant, whatever it does.
func (q *question) until(instant int64) {
	for q.w.instant < instant {
		q.w.advance(instant)
	}
}

// failSyncs makes every sync fail before it reaches the runtime, or no longer: a pod's directory
// cannot be made under a plain file.
func (q *question) failSyncs(on bool) *problem {
	pods, aside := filepath.Join(q.root, "pods"), filepath.Join(q.root, "pods.aside")
	var err error
	if on {
		if err = os.Rename(pods, aside); err == nil {
			err = os.WriteFile(pods, nil, 0o600)
		}
	} else if err = os.Remove(pods); err == nil {
		err = os.Rename(aside, pods)
	}
	if err != nil {
		return internal("actions: %v", err)
	}
	return nil
}

// giveResults lets the workers probe until each has the result that is wanted of it.
func (q *question) giveResults() *problem {
	open := map[string]string{} // cid/type -> value still to be given
	for kind, byCID := range q.r.Results {
		for cid, value := range byCID {
			if value == "unknown" || (kind == "liveness" && value == "success") || (kind == "readiness" && value == "failure") {
				continue // as it is from the beginning
			}
			open[cid+"/"+kind] = value
		}
	}
	var pending []effect
	failing := false
	for deadline := int64(20000); len(open) > 0 && q.w.instant < deadline; {
		got := q.w.advance(q.w.instant + 500)
		for _, e := range got.Effects {
			if e["e"] == "probe" {
				pending = append(pending, e)
			}
		}
		if q.w.instant < 2600 {
			continue // the workers are being made
		}
		if !failing {
			if bad := q.failSyncs(true); bad != nil {
				return bad
			}
			failing = true
		}
		for _, e := range pending {
			q.answerProbe(e, open)
		}
		pending = nil
	}
	if len(open) > 0 {
		var which []string
		for key := range open {
			which = append(which, key)
		}
		sort.Strings(which)
		return unsupported("actions: the kubelet's workers do not come to the results of %s", strings.Join(which, ", "))
	}
	if !failing {
		q.until(2600)
		return q.failSyncs(true)
	}
	return nil
}

// answerProbe answers an attempt as wanted, or not at all once all is as wanted.
func (q *question) answerProbe(e effect, open map[string]string) {
	cid, kind := e["cid"].(string), e["type"].(string)
	value := "success"
	if want := open[cid+"/"+kind]; want != "" {
		value = want
		delete(open, cid+"/"+kind)
	} else if q.r.Results[kind][cid] != "" && len(q.r.Results[kind][cid]) > 0 && kind == "liveness" &&
		q.r.Results[kind][cid] == "failure" {
		return
	} else if kind == "startup" && q.r.Results[kind][cid] == "unknown" {
		return
	}
	q.w.mu.Lock()
	defer q.w.mu.Unlock()
	q.w.cri.tell(fmt.Sprintf("answer/%d", e["n"]), event{E: "answer", Result: value})
}

// blur makes the relist look again at a container whose definition alone changes.
func (q *question) blur() {
	q.w.mu.Lock()
	defer q.w.mu.Unlock()
	for _, p := range q.r.Runtime.Containers {
		if k := q.w.cri.find(p.CID); k != nil && p.Changed {
			k.state = runtimeapi.ContainerState_CONTAINER_CREATED
		}
	}
}

// becomeAsGiven changes the runtime into the one of the request.
func (q *question) becomeAsGiven() *problem {
	q.w.mu.Lock()
	defer q.w.mu.Unlock()
	c := q.w.cri
	c.sandboxes, c.containers = nil, nil
	boxes := q.r.Runtime.Sandbox
	for i := len(boxes) - 1; i >= 0; i-- {
		if boxes[i].State == "" {
			boxes[i].State = "ready"
		}
		c.sandboxes = append(c.sandboxes, q.sandbox(boxes[i]))
	}
	list := q.r.Runtime.Containers
	for i := len(list) - 1; i >= 0; i-- {
		if spec, _ := q.spec(list[i].Container); spec == nil {
			return badRequest("runtime: the pod has no container %q", list[i].Container)
		}
		if _, known := containerStates[list[i].State]; !known {
			return badRequest("runtime: %q is no state of a container", list[i].State)
		}
		attempt := uint32(0)
		if len(boxes) > 0 {
			attempt = boxes[0].Attempt
		}
		if list[i].Sandbox != nil {
			attempt = *list[i].Sandbox
		}
		c.containers = append(c.containers, q.container(list[i], fmt.Sprintf("sandbox-%d", attempt)))
	}
	return nil
}

// compute lets one sync through and reads from the log what it computed.
func (q *question) compute() (any, *problem) {
	q.until(q.w.instant + 2000) // every worker begins an attempt that nobody answers, and so rests
	q.blur()
	q.until(q.w.instant + 1500)
	if bad := q.becomeAsGiven(); bad != nil {
		return nil, bad
	}
	q.until(q.w.instant + 3000)
	if bad := q.failSyncs(false); bad != nil {
		return nil, bad
	}
	q.w.mu.Lock()
	q.w.computed = nil
	q.w.mu.Unlock()
	// A sync, whether or not an earlier one is still to be repeated.
	if err := q.cluster.change(q.made.Namespace, q.made.Name, func(pod *v1.Pod) {
		pod.Annotations = map[string]string{"probetest.invalid/sync": "now"}
	}); err != nil {
		return nil, internal("actions: %v", err)
	}
	for until := q.w.instant + 30000; q.w.instant < until; {
		q.w.advance(until)
		q.w.mu.Lock()
		computed := q.w.computed
		q.w.mu.Unlock()
		if computed != nil {
			return q.read(computed), nil
		}
	}
	return nil, unsupported("actions: this pod does not reach computePodActions; its phase is terminal or it is terminating")
}

// podActions is what the kubelet logs under that name, a struct without an exported one.
type podActions struct {
	killPod, createSandbox           bool
	attempt                          uint64
	start, startInit, startEphemeral []int
	nextInit                         string // up to 1.32, of a pod without sidecars; else ""
	kill                             []killed
}

// killed is a container that the sync is to kill.
type killed struct{ name, cid, message string }

func indexes(v reflect.Value) []int {
	var out []int
	for i := 0; v.IsValid() && i < v.Len(); i++ {
		out = append(out, int(v.Index(i).Int()))
	}
	return out
}

// actionsOf takes the kubelet's own struct apart.
func actionsOf(v reflect.Value) *podActions {
	a := &podActions{killPod: v.FieldByName("KillPod").Bool(), createSandbox: v.FieldByName("CreateSandbox").Bool(),
		attempt: v.FieldByName("Attempt").Uint(), start: indexes(v.FieldByName("ContainersToStart")),
		startInit:      indexes(v.FieldByName("InitContainersToStart")),
		startEphemeral: indexes(v.FieldByName("EphemeralContainersToStart"))}
	if next := v.FieldByName("NextInitContainerToStart"); next.IsValid() && !next.IsNil() {
		a.nextInit = next.Elem().FieldByName("Name").String()
	}
	for it := v.FieldByName("ContainersToKill").MapRange(); it.Next(); {
		a.kill = append(a.kill, killed{it.Value().FieldByName("name").String(), it.Key().FieldByName("ID").String(),
			it.Value().FieldByName("message").String()})
	}
	return a
}

// read words what the kubelet computed as the protocol does.
func (q *question) read(a *podActions) any {
	spec := q.made.Spec
	start, startInit, startEphemeral := []string{}, []string{}, []string{}
	again := map[string]bool{}
	for _, i := range a.start {
		start = append(start, spec.Containers[i].Name)
		again[spec.Containers[i].Name] = true
	}
	for _, i := range a.startInit {
		startInit = append(startInit, spec.InitContainers[i].Name)
		again[spec.InitContainers[i].Name] = true
	}
	if a.nextInit != "" {
		startInit, again[a.nextInit] = append(startInit, a.nextInit), true
	}
	for _, i := range a.startEphemeral {
		startEphemeral = append(startEphemeral, ephemeral(q.made)[i].Name)
	}
	kills := []map[string]any{}
	for _, k := range a.kill {
		kills = append(kills, map[string]any{"container": k.name, "cid": k.cid,
			"message": q.w.names.restore(k.message), "reason": killReason(k.message), "restart": again[k.name]})
	}
	sort.Slice(kills, func(i, j int) bool { return kills[i]["cid"].(string) < kills[j]["cid"].(string) })
	return map[string]any{"killPod": a.killPod, "createSandbox": a.createSandbox, "sandboxAttempt": a.attempt,
		"start": start, "startInit": startInit, "startEphemeral": startEphemeral, "kill": kills}
}

// actions plays one question in a process of its own.
func (p *parent) actions(r request, line []byte) []byte {
	if p.case_ != nil {
		return marshalReply(r.ID, nil, badRequest("actions: a case is open"))
	}
	if err := p.start(); err != nil {
		return marshalReply(r.ID, nil, internal("%v", err))
	}
	defer p.end()
	return p.forward(r, line)
}
