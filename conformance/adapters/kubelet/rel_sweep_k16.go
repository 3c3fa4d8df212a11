//go:build k16 && !k17

package main

import (
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	kubefeatures "k8s.io/kubernetes/pkg/features"
)

// sweepStartup gives the startup loop its last update.  Its results cannot be had from outside, so a worker
// has to send it, and where the gate is off it is turned on until the worker is made.
func (n *node) sweepStartup(pod *v1.Pod) {
	defer setStartupGate(utilfeature.DefaultFeatureGate.Enabled(kubefeatures.StartupProbe))
	setStartupGate(true)
	starting := pod.DeepCopy()
	starting.Spec.Containers[0].StartupProbe = starting.Spec.Containers[0].ReadinessProbe
	starting.Spec.Containers[0].ReadinessProbe = nil
	n.addPod(starting)
}

func setStartupGate(on bool) {
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{string(kubefeatures.StartupProbe): on}); err != nil {
		panic(err)
	}
}
