package main

import (
	"encoding/json"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// worldEvent is what the runner says has happened.
type worldEvent struct {
	E         string          `json:"e"`
	N         int             `json:"n"`
	Result    string          `json:"result"`
	Output    string          `json:"output"`
	Code      *int            `json:"code"`
	Container string          `json:"container"`
	CID       string          `json:"cid"`
	Restarts  int32           `json:"restarts"`
	StartedAt *int64          `json:"startedAt"`
	Reason    string          `json:"reason"`
	Message   string          `json:"message"`
	Value     string          `json:"value"`
	Grace     int64           `json:"grace"`
	Keep      bool            `json:"keep"`
	Down      int64           `json:"down"`
	By        int64           `json:"by"`
	Pod       json.RawMessage `json:"pod"`
	Jitter    json.RawMessage `json:"jitter"`
}

// container is one container as the runtime knows it.
type container struct {
	name     string
	id       string // with the runtime's type in front; "" while there was no instance
	state    v1.ContainerState
	last     v1.ContainerState
	restarts int32
}

// world is the runtime's side of the pod: containers live on when the kubelet does not.
type world struct {
	regular, init []*container
	phase         v1.PodPhase
	idType        string
}

// newWorld takes over what the pod's status says already runs.
func newWorld(pod *v1.Pod) *world {
	w := &world{phase: pod.Status.Phase, idType: "containerd"}
	if w.phase == "" {
		w.phase = v1.PodRunning
	}
	w.regular = w.containers(pod.Spec.Containers, pod.Status.ContainerStatuses)
	w.init = w.containers(pod.Spec.InitContainers, pod.Status.InitContainerStatuses)
	return w
}

func (w *world) containers(specs []v1.Container, statuses []v1.ContainerStatus) []*container {
	var list []*container
	for i := range specs {
		c := &container{name: specs[i].Name}
		c.state.Waiting = &v1.ContainerStateWaiting{Reason: "ContainerCreating"}
		for j := range statuses {
			if s := &statuses[j]; s.Name == c.name {
				c.id, c.restarts = s.ContainerID, s.RestartCount
				c.last = s.LastTerminationState
				if s.State != (v1.ContainerState{}) {
					c.state = s.State
				}
				if kind, _, ok := strings.Cut(s.ContainerID, "://"); ok {
					w.idType = kind
				}
			}
		}
		list = append(list, c)
	}
	return list
}

func (w *world) find(name string) *container {
	for _, list := range [][]*container{w.regular, w.init} {
		for _, c := range list {
			if c.name == name {
				return c
			}
		}
	}
	return nil
}

func (w *world) fullID(cid string) string { return w.idType + "://" + cid }

func bareID(id string) string {
	if _, cid, ok := strings.Cut(id, "://"); ok {
		return cid
	}
	return id
}

// running: a new instance.
func (c *container) running(id string, restarts int32, startedAt time.Time) {
	if c.state.Terminated != nil {
		c.last = v1.ContainerState{Terminated: c.state.Terminated}
	}
	c.id, c.restarts = id, restarts
	c.state = v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: metaTime(startedAt)}}
}

func (c *container) exited(code int32, reason string, at time.Time) {
	t := &v1.ContainerStateTerminated{ExitCode: code, Reason: reason, FinishedAt: metaTime(at), ContainerID: c.id}
	if c.state.Running != nil {
		t.StartedAt = c.state.Running.StartedAt
	}
	c.state = v1.ContainerState{Terminated: t}
}

func (c *container) waiting(reason, message string) {
	if c.state.Terminated != nil {
		c.last = v1.ContainerState{Terminated: c.state.Terminated}
	}
	c.state = v1.ContainerState{Waiting: &v1.ContainerStateWaiting{Reason: reason, Message: message}}
}

func metaTime(t time.Time) metav1.Time { return metav1.NewTime(t.Round(0)) }

// normalized is the status as the status manager keeps it: times are whole seconds (P-040).
func normalized(s *v1.PodStatus) *v1.PodStatus {
	for _, list := range [][]v1.ContainerStatus{s.ContainerStatuses, s.InitContainerStatuses} {
		for i := range list {
			if r := list[i].State.Running; r != nil {
				r.StartedAt = metav1.NewTime(r.StartedAt.Truncate(time.Second))
			}
		}
	}
	return s
}

// status is the pod status before the prober has had a look at it: Ready false and Started nil,
// except that from 1.35 on a running container takes Started over from the old status by name.
func (w *world) status(old *v1.PodStatus, podIP string) *v1.PodStatus {
	s := &v1.PodStatus{Phase: w.phase, PodIP: podIP}
	s.ContainerStatuses = statusesOf(w.regular, old.ContainerStatuses)
	s.InitContainerStatuses = statusesOf(w.init, old.InitContainerStatuses)
	return s
}

func statusesOf(list []*container, old []v1.ContainerStatus) []v1.ContainerStatus {
	var out []v1.ContainerStatus
	for _, c := range list {
		s := v1.ContainerStatus{
			Name:                 c.name,
			ContainerID:          c.id,
			State:                *c.state.DeepCopy(),
			LastTerminationState: *c.last.DeepCopy(),
			RestartCount:         c.restarts,
		}
		if s.State.Running != nil && carriesOver() {
			takeStarted(&s, old)
		}
		out = append(out, s)
	}
	return out
}

func takeStarted(s *v1.ContainerStatus, old []v1.ContainerStatus) {
	for i := range old {
		if old[i].Name == s.Name && startedField(&old[i]) != nil {
			setStartedField(s, startedField(&old[i]))
		}
	}
}

// podReady is what the status manager would put into the Ready condition.
func podReady(pod *v1.Pod, s *v1.PodStatus) bool {
	if s.Phase == v1.PodFailed || s.Phase == v1.PodSucceeded {
		return false
	}
	for i := range s.ContainerStatuses {
		if !s.ContainerStatuses[i].Ready {
			return false
		}
	}
	for i := range s.InitContainerStatuses {
		if restartableInit(pod, s.InitContainerStatuses[i].Name) && !s.InitContainerStatuses[i].Ready {
			return false
		}
	}
	for _, gate := range pod.Spec.ReadinessGates {
		if !holds(pod.Status.Conditions, gate.ConditionType) {
			return false
		}
	}
	return true
}

func holds(conditions []v1.PodCondition, kind v1.PodConditionType) bool {
	for _, c := range conditions {
		if c.Type == kind {
			return c.Status == v1.ConditionTrue
		}
	}
	return false
}

// allDone tells whether every regular container has ended for good, by the pod's restart policy.
func (w *world) allDone(policy v1.RestartPolicy) bool {
	for _, c := range w.regular {
		t := c.state.Terminated
		if t == nil || policy == v1.RestartPolicyAlways {
			return false
		}
		if policy == v1.RestartPolicyOnFailure && t.ExitCode != 0 {
			return false
		}
	}
	return true
}
