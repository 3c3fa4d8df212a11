//go:build k26

package main

import (
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/probe"
)

func resolvePort(req *request) reply {
	var port intstr.IntOrString
	if err := json.Unmarshal(req.Port, &port); err != nil {
		return refuse("bad-request", "port: %v", err)
	}
	container := &v1.Container{Name: "app"}
	if err := unmarshalPorts(req.Ports, &container.Ports); err != nil {
		return refuse("bad-request", "ports: %v", err)
	}
	number, err := probe.ResolveContainerPort(port, container)
	if err != nil {
		return reply{ok: map[string]any{"invalid": err.Error()}}
	}
	return reply{ok: map[string]any{"port": number}}
}
