//go:build k16

package main

import v1 "k8s.io/api/core/v1"

// From 1.16 on there are startup probes and the field Started.
const hasStartup = true

func startupProbe(c *v1.Container) *v1.Probe { return c.StartupProbe }

func startedField(s *v1.ContainerStatus) *bool { return s.Started }

func setStartedField(s *v1.ContainerStatus, value *bool) { s.Started = value }

func probeOrder() []string { return []string{"startup", "readiness", "liveness"} }

func clearProbe(c *v1.Container, kind string) {
	switch kind {
	case "startup":
		c.StartupProbe = nil
	case "readiness":
		c.ReadinessProbe = nil
	case "liveness":
		c.LivenessProbe = nil
	}
}
