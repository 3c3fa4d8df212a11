package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// childEnv, when set, makes the process a child: one case, one kubelet, one bubble. A kubelet
// never stops its goroutines, and its metrics can be registered only once, so that a case ends
// with its process.
const childEnv = "PROBETEST_WHOLE_CHILD"

// childSetup is what the parent tells its child in the environment.
type childSetup struct {
	Gates map[string]bool `json:"gates"`
	Root  string          `json:"root"`
	Seed  int64           `json:"seed"`
}

// played is the case being played.
type played struct {
	w       *world
	cluster *cluster
	pods    []*v1.Pod // as given
	root    string
	sync    time.Duration // syncFrequency
	back    *restart      // nil: no kubelet is down
}

func childMain(setup string) {
	var s childSetup
	if err := json.Unmarshal([]byte(setup), &s); err != nil {
		fatal("%s: %v", childEnv, err)
	}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(s.Gates); err != nil {
		fatal("gates: %v", err)
	}
	hideVar(s.Root)
	runtime.GOMAXPROCS(1)
	inVirtualTime(func() { serve(s) })
}

func fatal(format string, args ...any) {
	fmt.Fprintf(stderr, "probetest-kubelet: "+format+"\n", args...)
	os.Exit(1)
}

// serve answers the runner's lines. The clock stands while it reads, and the runner thinks.
func serve(s childSetup) {
	// The first handler logs, the second makes the caller of HandleError wait a millisecond.
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	in := bufio.NewReaderSize(stdin, 1<<16)
	var p *played
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF { // the parent is gone, and may not have had the time to tidy up
			os.RemoveAll(s.Root)
			os.Exit(0)
		}
		if err != nil {
			fatal("stdin: %v", err)
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			stdout.Write(marshalReply(r.ID, nil, badRequest("%v", err)))
			continue
		}
		var ok any
		var bad *problem
		switch {
		case r.Op == "open":
			p, ok, bad = open(r, s)
		case r.Op == "actions":
			ok, bad = answerActions(r, s)
		case r.Op == "advance" && p != nil:
			ok, bad = p.advance(r)
		default:
			bad = badRequest("no case is open")
		}
		stdout.Write(marshalReply(r.ID, ok, bad))
	}
}

func open(r request, s childSetup) (*played, any, *problem) {
	pods := r.Pods
	if r.Pod != nil {
		pods = append([]*v1.Pod{r.Pod}, pods...)
	}
	if bad := checkPods(pods); bad != nil {
		return nil, nil, bad
	}
	if r.Uptime < 0 || r.Uptime > 365*24*3600*1000 {
		return nil, nil, badRequest("open: uptime %d ms is out of range", r.Uptime)
	}
	syncFrequency := time.Minute
	if r.SyncFrequency != nil {
		syncFrequency = time.Duration(*r.SyncFrequency) * time.Millisecond
	}
	if syncFrequency <= 0 {
		return nil, nil, badRequest("open: syncFrequency must be positive")
	}
	uptime := time.Duration(r.Uptime) * time.Millisecond
	base := caseZero(uptime).Add(time.Duration(r.Wall) * time.Millisecond)
	born := base.Add(-uptime)
	if !born.After(time.Now()) {
		return nil, nil, badRequest("open: wall and uptime lead to before %v", time.Now())
	}
	w := newWorld(base)
	w.many = r.Pod == nil
	w.ties.seed(s.Seed)
	w.requeue.want(r.RequeueJitter)
	on, set := s.Gates["ExecProbeTimeout"]
	w.cri.timeoutErr = timeoutIsError || (set && !on)
	if !w.noDelays(pods) {
		return nil, nil, unsupported("no seed makes the start delays of all these workers nothing, which this kubelet always draws")
	}
	for _, pod := range pods {
		if grace := pod.Spec.TerminationGracePeriodSeconds; grace != nil {
			if bad := outlastsTheCall(*grace); bad != nil {
				return nil, nil, bad
			}
		}
	}
	setLog(w)
	time.Sleep(time.Until(born))
	w.instant = w.caseMs()

	ctx := context.Background()
	p := &played{w: w, cluster: newCluster(ctx, w), pods: pods, root: s.Root, sync: syncFrequency}
	if err := startKubelet(ctx, w, p.cluster, s.Root, syncFrequency); err != nil {
		return nil, nil, internal("the kubelet does not start: %v", err)
	}
	w.advance(0)
	var prepared []*v1.Pod
	for _, pod := range pods {
		prepared = append(prepared, p.prepare(pod))
	}
	if err := p.cluster.create(prepared...); err != nil {
		return nil, nil, badRequest("open: %v", err)
	}
	w.offset = answersOffset
	return p, w.advance(0), nil
}

// checkPods refuses what no node has.
func checkPods(pods []*v1.Pod) *problem {
	if len(pods) == 0 {
		return badRequest("open: a pod with containers is needed")
	}
	seen := map[string]bool{}
	for _, pod := range pods {
		if pod == nil || len(pod.Spec.Containers) == 0 {
			return badRequest("open: a pod with containers is needed")
		}
		if seen[pod.Name] {
			return badRequest("open: two pods are called %q", pod.Name)
		}
		seen[pod.Name] = true
	}
	return nil
}

// prepare makes of the runner's pod one that the kubelet can be given.
func (p *played) prepare(pod *v1.Pod) *v1.Pod {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	pod = stored(pod)
	pod.Spec.NodeName = nodeName
	if pod.Namespace == "" {
		pod.Namespace = "default"
	}
	if pod.Name == "" {
		pod.Name = "pod"
	}
	if pod.UID == "" {
		pod.UID = types.UID("uid" + p.w.cri.named(pod.Name))
	}
	return p.w.names.rewrite(pod)
}

// stored is the pod as it comes back from the API server, where an empty list is none. Another
// shape would come back from the first status patch as an update of the spec.
func stored(pod *v1.Pod) *v1.Pod {
	text, err := json.Marshal(pod)
	if err != nil {
		return pod
	}
	back := &v1.Pod{}
	if json.Unmarshal(text, back) != nil {
		return pod
	}
	return back
}

// find is the pod that an event is about, as it was given; nil: there is none of that name.
func (p *played) find(name string) *v1.Pod {
	for _, pod := range p.pods {
		if !p.w.many || pod.Name == name {
			return pod
		}
	}
	return nil
}

func (p *played) advance(r request) (any, *problem) {
	if r.To == nil {
		return nil, badRequest("advance: to is missing")
	}
	if *r.To < p.w.instant {
		return nil, badRequest("advance: time goes back from %d to %d", p.w.instant, *r.To)
	}
	for _, e := range r.Events {
		if bad := p.happens(e); bad != nil {
			return nil, bad
		}
	}
	return p.advanceTo(*r.To)
}

// happens applies one event of the runner's to the world.
func (p *played) happens(e event) *problem {
	w, c := p.w, p.w.cri
	switch e.E {
	case "delete", "update":
		return p.edit(e)
	case "kubelet-restart":
		return p.kubeletDies(e)
	case "clock":
		return unsupported("event %q: the bubble has one clock, which cannot be stepped", e.E)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e.E {
	case "answer":
		if e.Result == "warning" || e.Result == "unknown" {
			return unsupported("answer %q: probes are exec attempts here, which never end so", e.Result)
		}
		c.tell(fmt.Sprintf("answer/%d", e.N), e)
	case "running":
		c.running(e)
	case "startfail":
		c.startFails(e)
	case "exited":
		c.exited(e)
	case "killfail":
		c.tell("kill/"+c.id(e), e)
	case "sandbox":
		c.sandboxDone(e)
	case "runtime-down":
		c.down = true
	case "runtime-up":
		c.down = false
	}
	return nil
}

// kubeletDies ends the kubelet at this instant; another comes back after the time given.
func (p *played) kubeletDies(e event) *problem {
	if len(e.Jitter) > 0 && string(e.Jitter) != `"none"` {
		return unsupported("kubelet-restart: start delays that are not none cannot be prescribed to a whole kubelet")
	}
	if e.Down < 0 || p.back != nil {
		return badRequest("kubelet-restart: down is negative, or the kubelet is down already")
	}
	seed, ok := seedOfNoDelays(p.pods)
	if !ok {
		return unsupported("kubelet-restart: no seed makes the start delays of all this pod's workers nothing")
	}
	p.w.dies()
	p.back = &restart{p.w.instant + e.Down, seed}
	return nil
}

func (c *fakeCRI) sandboxDone(e event) {
	c.tell(c.sandboxKey(e.about(), e.Do, e.Attempt), e)
}

// edit applies what a user did to the API object.
func (p *played) edit(e event) *problem {
	name, fresh := e.about(), (*v1.Pod)(nil)
	if e.E == "update" {
		var given v1.Pod
		if json.Unmarshal(e.Pod, &given) != nil || len(given.Spec.Containers) == 0 {
			return badRequest("update: the pod is missing")
		}
		name, fresh = given.Name, p.prepare(&given)
	}
	given := p.find(name)
	if given == nil {
		return badRequest("%s: there is no pod %q", e.E, name)
	}
	if bad := outlastsTheCall(e.Grace); bad != nil {
		return bad
	}
	made := p.prepare(given)
	err := p.cluster.change(made.Namespace, made.Name, func(pod *v1.Pod) {
		if fresh == nil {
			// As it comes back from the API server's JSON, in whole seconds of local time: anything else would
			// change with the next patch, and the kubelet would take that for another deletion.
			now := time.Unix(p.w.caseTime().Unix(), 0)
			until := metav1.NewTime(now.Add(time.Duration(e.Grace) * time.Second))
			pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &until, &e.Grace
			return
		}
		pod.Spec = fresh.Spec
		pod.Labels, pod.Annotations = fresh.Labels, fresh.Annotations
		keepForeignConditions(pod, fresh)
	})
	if err != nil {
		return internal("%s: %v", e.E, err)
	}
	return nil
}

// keepForeignConditions takes from an update the conditions that the kubelet does not own. What is there keeps its place:
// in another order the object would be another one.
func keepForeignConditions(pod, fresh *v1.Pod) {
	own := map[v1.PodConditionType]bool{v1.PodReady: true, v1.ContainersReady: true, v1.PodInitialized: true,
		v1.PodScheduled: true, "PodReadyToStartContainers": true, "AllContainersRestarting": true}
	foreign := map[v1.PodConditionType]v1.PodCondition{}
	for _, c := range fresh.Status.Conditions {
		if !own[c.Type] && !strings.HasPrefix(string(c.Type), "PodResize") {
			foreign[c.Type] = c
		}
	}
	var kept []v1.PodCondition
	for _, c := range pod.Status.Conditions {
		given, ok := foreign[c.Type]
		if own[c.Type] {
			given, ok = c, true
		}
		if ok {
			kept = append(kept, given)
		}
		delete(foreign, c.Type)
	}
	for _, c := range fresh.Status.Conditions {
		if _, ok := foreign[c.Type]; ok {
			kept = append(kept, c)
		}
	}
	pod.Status.Conditions = kept
}
