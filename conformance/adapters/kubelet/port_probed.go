//go:build !k26

package main

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Up to 1.25 the resolution of ports is no exported function.  So a real TCP probe is made whose host
// is no address: an error of the resolution is in the event as it is, and what was resolved is in
// the text of the dial that could not even begin.
const noAddress = "["

var dialed = regexp.MustCompile(`address \[:(\d+): missing ']' in address`)

func resolvePort(req *request) reply {
	var port intstr.IntOrString
	if err := json.Unmarshal(req.Port, &port); err != nil {
		return refuse("bad-request", "port: %v", err)
	}
	container := v1.Container{Name: "app"}
	if err := unmarshalPorts(req.Ports, &container.Ports); err != nil {
		return refuse("bad-request", "ports: %v", err)
	}
	probe := &v1.Probe{PeriodSeconds: 1, TimeoutSeconds: 1, SuccessThreshold: 1, FailureThreshold: 1}
	probe.TCPSocket = &v1.TCPSocketAction{Host: noAddress, Port: port}
	container.LivenessProbe = probe
	message := firstEvent(container)
	if _, text, ok := strings.Cut(message, "Liveness probe errored: "); ok {
		return reply{ok: map[string]any{"invalid": text}}
	}
	if m := dialed.FindStringSubmatch(message); m != nil {
		number, _ := strconv.Atoi(m[1])
		return reply{ok: map[string]any{"port": number}}
	}
	return refuse("internal", "the probe said %q", message)
}

// firstEvent plays a pod of this one running container until its probe has led to an event.
func firstEvent(container v1.Container) (message string) {
	synctest.Test(theTest, func(*testing.T) {
		pod := &v1.Pod{}
		pod.Name, pod.Namespace, pod.UID = "p", "default", "port"
		pod.Spec.Containers = []v1.Container{container}
		c := newCase(nil, pod, &jitter{}, 0)
		k := c.world.find(container.Name)
		k.running("none://c1", 0, caseZero)
		c.start(time.Hour)
		c.node.containerStarted(k)
		for message == "" && c.nowMs() < 60_000 {
			list, _ := c.run(60_000).ok["effects"].([]map[string]any)
			for _, e := range list {
				if e["e"] == "event" {
					message, _ = e["message"].(string)
				}
			}
		}
		c.end()
	})
	return message
}
