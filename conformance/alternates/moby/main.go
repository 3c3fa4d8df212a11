// Docker's HEALTHCHECK: the daemon's own loop, `monitor` of daemon/health.go.
package main

import (
	"context"
	"errors"
	"reflect"
	"time"
	"unsafe"

	containertypes "github.com/moby/moby/api/types/container"
	"github.com/moby/moby/v2/daemon"
	"github.com/moby/moby/v2/daemon/container"
	"github.com/moby/moby/v2/daemon/events"

	"probetest/adapter"
)

func main() {
	adapter.Serve(adapter.Checker{
		Name: "dockerd-healthcheck", Version: "v2.0.0-beta.24", URL: "https://docs.docker.com/reference/dockerfile/#healthcheck",
		Types: []string{"readiness", "liveness"},
		Lacks: []string{"success-threshold", "initial-delay"},
		Start: start,
	})
}

// probe is the daemon's interface of that name, which is not exported.
type probe interface {
	run(context.Context, *daemon.Daemon, *container.Container) (*containertypes.HealthcheckResult, error)
}

//go:linkname monitor github.com/moby/moby/v2/daemon.monitor
func monitor(d *daemon.Daemon, c *container.Container, stop chan struct{}, p probe)

// exec stands for the command of a health check, which the daemon would run in the container.
type exec struct {
	timeout time.Duration
	ask     adapter.Ask
}

func (e exec) run(ctx context.Context, _ *daemon.Daemon, _ *container.Container) (*containertypes.HealthcheckResult, error) {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	a, err := e.ask(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded): // cmdProbe.run says it so
		return &containertypes.HealthcheckResult{ExitCode: -1, Output: "Health check exceeded timeout", End: time.Now()}, nil
	case err != nil:
		return nil, err
	case a.Result == "error":
		return nil, errors.New(a.Output)
	case a.Good():
		return &containertypes.HealthcheckResult{ExitCode: 0, End: time.Now()}, nil
	}
	return &containertypes.HealthcheckResult{ExitCode: 1, End: time.Now()}, nil
}

func start(ctx context.Context, p adapter.Probe, ask adapter.Ask, tell adapter.Tell) {
	d := &daemon.Daemon{EventsService: events.New()}
	replica, err := container.NewViewDB()
	if err != nil {
		panic(err)
	}
	field := reflect.ValueOf(d).Elem().FieldByName("containersReplica")
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(replica))

	c := &container.Container{ID: p.Instance, Name: p.Container, State: &container.State{StartedAt: time.Now(), Health: &container.Health{}},
		Config: &containertypes.Config{Healthcheck: &containertypes.HealthConfig{Test: []string{"CMD", "x"}, Interval: p.Period,
			Timeout: p.Timeout, Retries: p.FailureThreshold}}}
	c.State.Health.SetStatus(containertypes.Starting)
	stop := make(chan struct{})
	go func() { <-ctx.Done(); close(stop) }()
	go monitor(d, c, stop, exec{p.Timeout, ask})
	for ctx.Err() == nil { // `docker inspect`
		switch c.State.Health.Status() {
		case containertypes.Healthy:
			tell("success")
		case containertypes.Unhealthy:
			tell("failure")
		}
		time.Sleep(time.Millisecond)
	}
}
