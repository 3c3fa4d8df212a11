//go:build !ge16

package main

import "k8s.io/kubernetes/pkg/kubelet"

func addHostUtil(*kubelet.Dependencies) {}
