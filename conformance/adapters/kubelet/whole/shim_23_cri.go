//go:build !ge24

package main

import "probetest/conformance/adapters/kubelet/whole/runtimeapi"

func (o oldRuntime) Status() (*runtimeapi.RuntimeStatus, error) {
	r, err := o.c.Status(noContext, false)
	if err != nil {
		return nil, err
	}
	return r.Status, nil
}

func (o oldRuntime) PodSandboxStatus(id string) (*runtimeapi.PodSandboxStatus, error) {
	r, err := o.c.PodSandboxStatus(noContext, id, false)
	if err != nil {
		return nil, err
	}
	return r.Status, nil
}

func (o oldRuntime) ContainerStatus(id string) (*runtimeapi.ContainerStatus, error) {
	r, err := o.c.ContainerStatus(noContext, id, false)
	if err != nil {
		return nil, err
	}
	return r.Status, nil
}
