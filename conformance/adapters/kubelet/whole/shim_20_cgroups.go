//go:build !ge21

package main

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/cm"
)

// otherCgroups are the answers of a pod's cgroups that nothing here depends on.
type otherCgroups struct{}

func newOtherCgroups() otherCgroups { return otherCgroups{} }

func (otherCgroups) ReduceCPULimits(cm.CgroupName) error { return nil }

func (otherCgroups) IsPodCgroup(string) (bool, types.UID) { return false, "" }
