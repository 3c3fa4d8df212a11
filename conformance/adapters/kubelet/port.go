package main

import (
	"encoding/json"

	v1 "k8s.io/api/core/v1"
)

func unmarshalPorts(raw json.RawMessage, ports *[]v1.ContainerPort) error {
	if len(raw) == 0 {
		return nil
	}
	return json.Unmarshal(raw, ports)
}
