//go:build ge21 && !ge27

package main

import "k8s.io/kubernetes/pkg/kubelet/cm"

// otherCgroups are the answers of a pod's cgroups that nothing here depends on.
type otherCgroups = *cm.FakePodContainerManager

func newOtherCgroups() otherCgroups { return cm.NewFakePodContainerManager() }
