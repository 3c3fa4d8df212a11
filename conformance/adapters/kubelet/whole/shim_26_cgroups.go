//go:build !ge27

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/cm"
)

// Up to 1.26 a deleted pod goes from the API with the first status behind the end of its containers, unless it still
// has a cgroup, which is removed before the last status is made.
const cgroupsCount = true

// containers is the kubelet's own container manager for hollow nodes (NewStubContainerManager), with cgroups that come
// and go.
type containers struct {
	cm.ContainerManager
	w *world
}

func newContainers(w *world) containers { return containers{cm.NewStubContainerManager(), w} }

func (c containers) NewPodContainerManager() cm.PodContainerManager {
	return cgroups{newOtherCgroups(), c.w}
}

type cgroups struct {
	otherCgroups
	w *world
}

func (c cgroups) Exists(pod *v1.Pod) bool { return !c.w.reclaimed() && c.w.cgroups.has(pod.UID) }

func (c cgroups) EnsureExists(pod *v1.Pod) error {
	c.w.cgroups.put(pod.UID, true)
	return nil
}

func (c cgroups) GetPodContainerName(pod *v1.Pod) (cm.CgroupName, string) {
	return cm.CgroupName{string(pod.UID)}, "/" + string(pod.UID)
}

// Destroy takes longer than a request to the API server, as it does on a node; with a seed it may be quick.
func (c cgroups) Destroy(name cm.CgroupName) error {
	if !c.w.ties.merge() {
		c.w.nap(20 * apiLatency)
	}
	c.w.cgroups.put(types.UID(name[0]), false)
	return nil
}

// GetAllPodsFromCgroups is how housekeeping begins.
func (c cgroups) GetAllPodsFromCgroups() (map[types.UID]cm.CgroupName, error) {
	c.w.napHousekeeping()
	c.w.cgroups.mu.Lock()
	defer c.w.cgroups.mu.Unlock()
	all := map[types.UID]cm.CgroupName{}
	for uid, there := range c.w.cgroups.pods {
		if there {
			all[uid] = cm.CgroupName{string(uid)}
		}
	}
	return all, nil
}
