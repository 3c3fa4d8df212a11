//go:build ge16

package main

import (
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/volume/util/hostutil"
)

func addHostUtil(deps *kubelet.Dependencies) { deps.HostUtil = hostutil.NewFakeHostUtil(nil) }
