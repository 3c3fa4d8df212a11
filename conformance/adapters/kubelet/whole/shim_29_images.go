//go:build !ge30

package main

import "probetest/conformance/adapters/kubelet/whole/runtimeapi"

func listImageID(*runtimeapi.Container)       {}
func tellImageID(*runtimeapi.ContainerStatus) {}
