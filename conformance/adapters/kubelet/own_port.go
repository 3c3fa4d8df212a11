//go:build own && !k26

package main

import (
	"encoding/json"
	"fmt"
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// resolvePort: up to 1.25 the resolution of ports is no exported function, and can only be watched in a bubble
// (port_probed.go): here it is as the rules P-132 to P-136 say.
func resolvePort(req *request) reply {
	var port intstr.IntOrString
	if err := json.Unmarshal(req.Port, &port); err != nil {
		return refuse("bad-request", "port: %v", err)
	}
	var ports []v1.ContainerPort
	if err := unmarshalPorts(req.Ports, &ports); err != nil {
		return refuse("bad-request", "ports: %v", err)
	}
	number, err := numberOf(port, ports)
	if err == nil && (number < 1 || number > 65535) {
		err = fmt.Errorf("invalid port number: %v", number)
	}
	if err != nil {
		return reply{ok: map[string]any{"invalid": err.Error()}}
	}
	return reply{ok: map[string]any{"port": number}}
}

func numberOf(port intstr.IntOrString, ports []v1.ContainerPort) (int, error) {
	if port.Type == intstr.Int {
		return port.IntValue(), nil
	}
	for _, p := range ports {
		if p.Name == port.StrVal {
			return int(p.ContainerPort), nil
		}
	}
	return strconv.Atoi(port.StrVal)
}
