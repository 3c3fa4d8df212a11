//go:build !k16

package main

import v1 "k8s.io/api/core/v1"

const hasStartup = false

func startupProbe(*v1.Container) *v1.Probe { return nil }

func startedField(*v1.ContainerStatus) *bool { return nil }

func setStartedField(*v1.ContainerStatus, *bool) {}

func probeOrder() []string { return []string{"readiness", "liveness"} }

func clearProbe(c *v1.Container, kind string) {
	switch kind {
	case "readiness":
		c.ReadinessProbe = nil
	case "liveness":
		c.LivenessProbe = nil
	}
}
