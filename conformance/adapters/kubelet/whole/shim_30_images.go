//go:build ge30

package main

import "probetest/conformance/adapters/kubelet/whole/runtimeapi"

func listImageID(c *runtimeapi.Container)       { c.ImageId = c.GetImage().GetImage() }
func tellImageID(c *runtimeapi.ContainerStatus) { c.ImageId = c.GetImage().GetImage() }
