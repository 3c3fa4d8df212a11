package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/probe"
	execprobe "k8s.io/kubernetes/pkg/probe/exec"
	httpprobe "k8s.io/kubernetes/pkg/probe/http"
	tcpprobe "k8s.io/kubernetes/pkg/probe/tcp"
)

// Layer fire: one attempt of a probe's handler, for real and in real time.  The handlers, the
// expansion of commands and the resolution of ports are upstream's; what chooses among them is this
// file, since the prober's own choice is not exported and takes whole seconds.

// errMissingHandler is what the prober says of a probe without one.
var errMissingHandler = errors.New("missing probe handler for p_default(uid):app")

// newHTTPProber makes what asks over HTTP; a variable, so that a bench has one for all, as the kubelet does.
var newHTTPProber = func() httpprobe.Prober { return httpprobe.New(false) }

// attempt is the request of the op, ready to be made.
type attempt struct {
	probe     *v1.Probe
	container v1.Container
	podIP     string
	timeout   time.Duration
	req       *request
}

// answer is what a handler makes of a probe; an error is what the prober would try again.
type answer struct {
	result probe.Result
	output string
	err    error
}

func fire(req *request) reply {
	s := &attempt{probe: &v1.Probe{}, container: v1.Container{Name: "app"}, podIP: req.PodIP,
		timeout: time.Duration(req.Timeout) * time.Millisecond, req: req}
	if req.Timeout < 1 {
		return refuse("bad-request", "fire: timeout must be at least 1")
	}
	for _, part := range []struct {
		name string
		raw  json.RawMessage
		into any
	}{{"probe", req.Probe, s.probe}, {"env", req.Env, &s.container.Env}, {"ports", req.Ports, &s.container.Ports}} {
		if len(part.raw) == 0 {
			continue
		}
		if err := json.Unmarshal(part.raw, part.into); err != nil {
			return refuse("bad-request", "fire: %s: %v", part.name, err)
		}
	}
	patient(s.timeout)
	made := s.make()
	if made.err != nil {
		return reply{ok: map[string]any{"result": made.result, "error": made.err.Error()}}
	}
	return reply{ok: map[string]any{"result": made.result, "output": made.output}}
}

// make goes through the handlers in the prober's order.
func (s *attempt) make() answer {
	switch p := s.probe; {
	case p.Exec != nil:
		command := kubecontainer.ExpandContainerCommandOnlyStatic(p.Exec.Command, s.container.Env)
		return made(execprobe.New().Probe(&process{argv: command, timeout: s.timeout}))
	case p.HTTPGet != nil:
		return s.http(p.HTTPGet)
	case p.TCPSocket != nil:
		port, err := s.port(p.TCPSocket.Port)
		if err != nil {
			return answer{probe.Unknown, "", err}
		}
		return made(tcpprobe.New().Probe(s.host(p.TCPSocket.Host), port, s.timeout))
	}
	return s.grpc()
}

func made(result probe.Result, output string, err error) answer {
	return answer{result, output, err}
}

func (s *attempt) host(own string) string {
	if own == "" {
		return s.podIP
	}
	return own
}

// port resolves as layer port does.
func (s *attempt) port(port intstr.IntOrString) (int, error) {
	raw, err := json.Marshal(port)
	if err != nil {
		return 0, err
	}
	r := resolvePort(&request{Port: raw, Ports: s.req.Ports})
	if number, ok := r.ok["port"].(int); ok {
		return number, nil
	}
	if text, ok := r.ok["invalid"].(string); ok {
		return 0, errors.New(text)
	}
	return 0, fmt.Errorf("port: %s", r.message)
}
