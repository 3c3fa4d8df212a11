//go:build !ge16

package main

import v1 "k8s.io/api/core/v1"

func probesOf(c *v1.Container) []*v1.Probe { return []*v1.Probe{c.ReadinessProbe, c.LivenessProbe} }

func startupOf(*v1.Container) *v1.Probe { return nil }

func hasStarted(v1.ContainerStatus) bool { return false }

func ephemeral(*v1.Pod) []v1.Container { return nil }

func setEphemeral(*v1.Pod, []v1.Container) {}
