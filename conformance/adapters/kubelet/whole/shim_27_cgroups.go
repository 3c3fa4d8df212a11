//go:build ge27

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm"
)

const cgroupsCount = false

// containers is the kubelet's own container manager for hollow nodes (NewStubContainerManager), with room for every
// resize and with cgroups.
type containers struct{ cm.ContainerManager }

func newContainers(*world) containers { return containers{cm.NewStubContainerManager()} }

func (containers) GetNodeAllocatableAbsolute() v1.ResourceList { return lots }

func (containers) NewPodContainerManager() cm.PodContainerManager {
	return cgroups{cm.NewFakePodContainerManager()}
}

// cgroups are the kubelet's own fake of a pod's cgroups. What a kernel says of one that nothing limits is added: the
// hollow node's know no answer, upon which each resize would fail.
type cgroups struct{ *cm.FakePodContainerManager }

func (cgroups) GetPodCgroupConfig(*v1.Pod, v1.ResourceName) (*cm.ResourceConfig, error) {
	memory, quota, shares, period := int64(-1), int64(-1), uint64(2), uint64(100000)
	return &cm.ResourceConfig{Memory: &memory, CPUQuota: &quota, CPUShares: &shares, CPUPeriod: &period}, nil
}
