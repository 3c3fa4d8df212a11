// Istio's agent of a sidecar, to which the injector redirects a pod's HTTP, TCP and gRPC probes: the kubelet's part is played
// here, which asks the agent and takes 200 to 399 for a success.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"istio.io/istio/pilot/cmd/pilot-agent/status"

	"probetest/adapter"
)

const path = "/app-health/web/livez"

func main() {
	adapter.Serve(adapter.Checker{
		Name: "istio-agent", Version: "1.31-alpha.eed52ebb66ad",
		URL:          "https://istio.io/latest/docs/ops/configuration/mesh/app-health-check/",
		Fire:         fire,
		FireFeatures: []string{"grpc", "http", "tcp", "tls"},
	})
}

// rewritten is what the injector makes of a probe: numbers for ports, and the headers go to the kubelet's own probe.
func rewritten(a adapter.Attempt) map[string]any {
	seconds := max(1, a.Timeout/1000)
	switch p := a.Probe; {
	case p.HTTPGet != nil:
		return map[string]any{"httpGet": map[string]any{"path": p.HTTPGet.Path, "port": a.Port(p.HTTPGet.Port),
			"scheme": p.HTTPGet.Scheme}, "timeoutSeconds": seconds}
	case p.TCPSocket != nil:
		return map[string]any{"tcpSocket": map[string]any{"port": a.Port(p.TCPSocket.Port)}, "timeoutSeconds": seconds}
	case p.GRPC != nil:
		return map[string]any{"grpc": map[string]any{"port": p.GRPC.Port, "service": p.GRPC.Service}, "timeoutSeconds": seconds}
	}
	return nil
}

// free is a port that nobody listens at just now: the agent says that it listens by listening alone.
func free() (uint16, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return uint16(l.Addr().(*net.TCPAddr).Port), nil
}

func fire(a adapter.Attempt) (adapter.Fired, error) {
	probe := rewritten(a)
	if probe == nil {
		return adapter.Fired{}, adapter.Declined("exec probes are not redirected to it")
	}
	if get := a.Probe.HTTPGet; get != nil && get.Host != "" || a.Probe.TCPSocket != nil && a.Probe.TCPSocket.Host != "" {
		return adapter.Fired{}, adapter.Declined("probes of another host are not redirected to it")
	}
	ip := a.PodIP
	if ip == "" {
		ip = "127.0.0.1"
	}
	probers, err := json.Marshal(map[string]any{path: probe})
	if err != nil {
		return adapter.Fired{}, err
	}
	for try := 0; ; try++ { // another program may take the port first
		fired, err := through(a, ip, string(probers))
		if !errors.Is(err, errSilent) || try == 3 {
			return fired, err
		}
	}
}

// through begins an agent and asks it.
func through(a adapter.Attempt, ip, probers string) (adapter.Fired, error) {
	port, err := free()
	if err != nil {
		return adapter.Fired{}, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	server, err := status.NewServer(status.Options{PodIP: ip, StatusPort: port, KubeAppProbers: probers, NoEnvoy: true, Context: ctx,
		PrometheusRegistry: prometheus.NewRegistry(), Shutdown: func(error) { cancel() }})
	if err != nil {
		cancel()
		return adapter.Fired{}, adapter.Declined(err.Error())
	}
	done := make(chan struct{})
	go func() { server.Run(ctx); close(done) }()
	defer func() { cancel(); <-done }()
	if !listens(port, done) {
		return adapter.Fired{}, errSilent
	}
	return ask(a, port)
}

var errSilent = errors.New("the agent does not listen")

// listens waits for the agent, on a machine that may be busy.
func listens(port uint16, done <-chan struct{}) bool {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			c.Close()
			return true
		}
		select {
		case <-done:
			return false
		case <-time.After(time.Millisecond):
		}
	}
	return false
}

// ask is the kubelet: an HTTP probe of the agent, with the headers of the pod's own.
func ask(a adapter.Attempt, port uint16) (adapter.Fired, error) {
	client := &http.Client{Timeout: time.Duration(a.Timeout)*time.Millisecond + 500*time.Millisecond,
		Transport:     &http.Transport{DisableKeepAlives: true, Proxy: nil},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequest("GET", fmt.Sprintf("http://127.0.0.1:%d%s", port, path), nil)
	if err != nil {
		return adapter.Fired{}, err
	}
	request.Header.Set("User-Agent", "kube-probe/1.37")
	request.Header.Set("Accept", "*/*")
	if get := a.Probe.HTTPGet; get != nil {
		for i, h := range get.HTTPHeaders {
			if i == 0 || request.Header.Get(h.Name) == "" {
				request.Header.Del(h.Name)
			}
			request.Header.Add(h.Name, h.Value)
			if http.CanonicalHeaderKey(h.Name) == "Host" {
				request.Host = h.Value
			}
		}
	}
	response, err := client.Do(request)
	if err != nil {
		return adapter.Fired{Result: "failure", Output: err.Error()}, nil
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(response.Body, 10<<10))
	if response.StatusCode < 200 || response.StatusCode >= 400 {
		return adapter.Fired{Result: "failure", Output: fmt.Sprintf("HTTP probe failed with statuscode: %d", response.StatusCode)}, nil
	}
	return adapter.Fired{Result: "success", Output: string(body)}, nil
}
