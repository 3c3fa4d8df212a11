//go:build ge26

package main

import (
	"context"
	"net/http"
	"strconv"

	v1 "k8s.io/api/core/v1"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/probe"
)

// portLayer is what this adapter has of layer port.
var portLayer = []string{"port"}
var portFeatures = []string{"hook-ports"}

// port answers which port a probe or, with `hook`, a lifecycle hook goes to.
func port(r request) (any, *problem) {
	resolve := portOfProbe
	if r.Hook {
		resolve = portOfHook
	}
	number, err := resolve(r, &v1.Container{Name: "app", Ports: r.Ports})
	if err != nil {
		return map[string]any{"invalid": err.Error()}, nil
	}
	return map[string]any{"port": number}, nil
}

func portOfProbe(r request, container *v1.Container) (int, error) {
	return probe.ResolveContainerPort(r.Port, container)
}

// address is an HTTP client that notes whom it is to ask, and answers nothing.
type address struct{ port string }

func (a *address) Do(request *http.Request) (*http.Response, error) {
	a.port = request.URL.Port()
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// portOfHook runs a hook as the kubelet does, and looks where its request would go.
func portOfHook(r request, container *v1.Container) (int, error) {
	asked := &address{}
	runner := lifecycle.NewHandlerRunner(asked, nil, nil, nil)
	hook := &v1.LifecycleHandler{HTTPGet: &v1.HTTPGetAction{Host: "hook", Port: r.Port}}
	if _, err := runner.Run(context.Background(), kubecontainer.ContainerID{}, &v1.Pod{}, container, hook); err != nil {
		return 0, err
	}
	return strconv.Atoi(asked.port)
}
