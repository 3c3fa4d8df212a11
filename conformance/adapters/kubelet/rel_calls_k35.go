//go:build k35

package main

import v1 "k8s.io/api/core/v1"

func (n *node) addPod(pod *v1.Pod) { n.manager.AddPod(n.syncContext(), pod) }

func (n *node) updatePodStatus(pod *v1.Pod, s *v1.PodStatus) {
	n.manager.UpdatePodStatus(n.ctx, pod, s)
}
