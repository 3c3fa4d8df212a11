//go:build ge25 && !ge26

package main

import "k8s.io/kubernetes/pkg/kubelet"

func addTrackers(deps *kubelet.Dependencies) { deps.TracerProvider = noTracer() }
