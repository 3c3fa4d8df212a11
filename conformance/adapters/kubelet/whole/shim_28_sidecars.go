//go:build ge28

package main

import v1 "k8s.io/api/core/v1"

func isSidecar(c *v1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways
}
