//go:build ge16

package main

import v1 "k8s.io/api/core/v1"

func probesOf(c *v1.Container) []*v1.Probe {
	return []*v1.Probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe}
}

func startupOf(c *v1.Container) *v1.Probe { return c.StartupProbe }

func hasStarted(c v1.ContainerStatus) bool { return c.Started != nil && *c.Started }

// ephemeral are a pod's ephemeral containers, as others.
func ephemeral(pod *v1.Pod) []v1.Container {
	var all []v1.Container
	for _, c := range pod.Spec.EphemeralContainers {
		all = append(all, v1.Container(c.EphemeralContainerCommon))
	}
	return all
}

func setEphemeral(pod *v1.Pod, all []v1.Container) {
	for i, c := range all {
		pod.Spec.EphemeralContainers[i].EphemeralContainerCommon = v1.EphemeralContainerCommon(c)
	}
}
