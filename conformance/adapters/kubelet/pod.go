package main

import (
	"encoding/json"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// markPrefix opens the first argument of every probe command that the prober is given; the rest
// names container, type and handler, which is how the runtime knows who asks.
const markPrefix = "probetest/"

// mark is what such an argument says.
type mark struct {
	container, kind string
	exec            bool // the pod's own handler is exec
}

var probeFields = map[string]string{
	"livenessProbe":  "liveness",
	"readinessProbe": "readiness",
	"startupProbe":   "startup",
}

// decodeWorldPod reads the pod of an open or update event for the prober.  The document is used
// as given, with two changes.  Absent probe fields get the API's defaults (a present value stays).
// And each handler becomes an exec handler whose command is marked: the runner answers attempts
// whatever their kind, and exec is the one transport that waits in virtual time.  An exec
// handler keeps its own command behind the mark, so its expansion is still upstream's.
func decodeWorldPod(raw json.RawMessage) (*v1.Pod, error) {
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("pod: %w", err)
	}
	spec, _ := doc["spec"].(map[string]any)
	if spec == nil {
		return nil, fmt.Errorf("pod: no spec")
	}
	setDefault(spec, "restartPolicy", "Always")
	setDefault(spec, "terminationGracePeriodSeconds", 30)
	for _, list := range []string{"containers", "initContainers"} {
		containers, _ := spec[list].([]any)
		for _, c := range containers {
			if m, ok := c.(map[string]any); ok {
				markProbes(m)
			}
		}
	}
	marked, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	pod := &v1.Pod{}
	if err := json.Unmarshal(marked, pod); err != nil {
		return nil, fmt.Errorf("pod: %w", err)
	}
	return pod, checkPeriods(pod)
}

func setDefault(m map[string]any, key string, value any) {
	if m[key] == nil {
		m[key] = value
	}
}

func markProbes(container map[string]any) {
	name, _ := container["name"].(string)
	for field, kind := range probeFields {
		probe, ok := container[field].(map[string]any)
		if !ok {
			continue
		}
		setDefault(probe, "timeoutSeconds", 1)
		setDefault(probe, "periodSeconds", 10)
		setDefault(probe, "successThreshold", 1)
		setDefault(probe, "failureThreshold", 3)
		command := []any{markPrefix + name + "/" + kind + "/"}
		if exec, ok := probe["exec"].(map[string]any); ok {
			args, _ := exec["command"].([]any)
			exec["command"] = append([]any{markPrefix + name + "/" + kind + "/exec"}, args...)
			continue
		}
		if probe["httpGet"] != nil || probe["tcpSocket"] != nil || (hasGRPC && probe["grpc"] != nil) {
			probe["exec"] = map[string]any{"command": command}
		}
	}
}

// checkPeriods keeps out what would end the process: NewTicker panics, outside upstream's recover.
func checkPeriods(pod *v1.Pod) error {
	for _, p := range podProbes(pod) {
		if p.spec().PeriodSeconds <= 0 {
			return fmt.Errorf("%s: periodSeconds %d ends the kubelet: NewTicker panics", p.key(),
				p.spec().PeriodSeconds)
		}
	}
	return nil
}

// podProbe points at one probe of a pod.
type podProbe struct {
	container *v1.Container
	kind      string
}

func (p podProbe) key() string { return p.container.Name + "/" + p.kind }

func (p podProbe) spec() *v1.Probe {
	switch p.kind {
	case "startup":
		return startupProbe(p.container)
	case "readiness":
		return p.container.ReadinessProbe
	}
	return p.container.LivenessProbe
}

// podProbes lists all probes of a pod, in the order in which AddPod looks at them.
func podProbes(pod *v1.Pod) []podProbe {
	var list []podProbe
	add := func(c *v1.Container) {
		for _, kind := range probeOrder() {
			if p := (podProbe{c, kind}); p.spec() != nil {
				list = append(list, p)
			}
		}
	}
	for i := range pod.Spec.Containers {
		add(&pod.Spec.Containers[i])
	}
	for i := range pod.Spec.InitContainers {
		add(&pod.Spec.InitContainers[i])
	}
	return list
}

// unmark splits the mark off a command.
func unmark(cmd []string) (mark, []string) {
	if len(cmd) == 0 || !strings.HasPrefix(cmd[0], markPrefix) {
		return mark{}, cmd
	}
	parts := strings.Split(strings.TrimPrefix(cmd[0], markPrefix), "/")
	return mark{parts[0], parts[1], parts[2] == "exec"}, cmd[1:]
}

// restartableInit tells whether the named container is an init container that restarts always.
func restartableInit(pod *v1.Pod, name string) bool {
	for i := range pod.Spec.InitContainers {
		if c := &pod.Spec.InitContainers[i]; c.Name == name {
			return alwaysRestarts(c)
		}
	}
	return false
}
