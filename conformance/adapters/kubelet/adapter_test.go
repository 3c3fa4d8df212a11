package main

import (
	"encoding/json"
	"math/rand"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
)

// The first number after a seed is computed without seeding; math/rand itself must agree.
func TestFirstFloat(t *testing.T) {
	for _, seed := range []int64{1, 2, 3, 77, 4711, 1 << 20, lcgM - 1} {
		want := rand.New(rand.NewSource(seed)).Float64()
		if got := firstFloat(seed); got != want {
			t.Errorf("seed %d: math/rand draws %v, firstFloat says %v", seed, want, got)
		}
	}
}

func TestSeedFor(t *testing.T) {
	for _, c := range []struct {
		fraction float64
		period   time.Duration
		wantMs   int64
	}{{0, time.Second, 0}, {0.25, 10 * time.Second, 2500}, {0.9999, time.Second, 999}, {0.5, time.Minute, 30000}} {
		drawn := rand.New(rand.NewSource(seedFor(c.fraction, c.period))).Float64()
		late := time.Duration(drawn*float64(c.period)) - time.Duration(c.wantMs)*time.Millisecond
		if late < 0 || late >= tolerance(c.period) {
			t.Errorf("%g of %v: the delay is %v off %d ms", c.fraction, c.period, late, c.wantMs)
		}
	}
}

func decode(t *testing.T, container string) (*v1.Pod, error) {
	t.Helper()
	return decodeWorldPod(json.RawMessage(`{"metadata":{"name":"p"},"spec":{"containers":[` + container + `]}}`))
}

func TestWorldPodKeepsWhatIsThere(t *testing.T) {
	pod, err := decode(t, `{"name":"a","livenessProbe":{"httpGet":{"port":80},"failureThreshold":0}}`)
	if err != nil {
		t.Fatal(err)
	}
	p := pod.Spec.Containers[0].LivenessProbe
	if p.FailureThreshold != 0 {
		t.Errorf("failureThreshold 0 became %d", p.FailureThreshold)
	}
	if p.PeriodSeconds != 10 || p.TimeoutSeconds != 1 || p.SuccessThreshold != 1 {
		t.Errorf("absent fields: period %d, timeout %d, successThreshold %d", p.PeriodSeconds, p.TimeoutSeconds, p.SuccessThreshold)
	}
}

func TestMarksTellWhoAsks(t *testing.T) {
	pod, err := decode(t, `{"name":"a","readinessProbe":{"exec":{"command":["cat","/x"]}},"livenessProbe":{"tcpSocket":{"port":80}}}`)
	if err != nil {
		t.Fatal(err)
	}
	m, rest := unmark(pod.Spec.Containers[0].ReadinessProbe.Exec.Command)
	if m != (mark{"a", "readiness", true}) || strings.Join(rest, " ") != "cat /x" {
		t.Errorf("readiness: %+v %q", m, rest)
	}
	m, rest = unmark(pod.Spec.Containers[0].LivenessProbe.Exec.Command)
	if m != (mark{"a", "liveness", false}) || len(rest) != 0 {
		t.Errorf("liveness: %+v %q", m, rest)
	}
}

func TestPeriodThatEndsTheKubelet(t *testing.T) {
	_, err := decode(t, `{"name":"a","livenessProbe":{"exec":{},"periodSeconds":0}}`)
	if err == nil || !strings.Contains(err.Error(), "a/liveness: periodSeconds 0") {
		t.Errorf("period 0: %v", err)
	}
}

func TestJitterOutOfRange(t *testing.T) {
	for _, raw := range []string{`{"a/liveness":1}`, `{"a/liveness":-0.1}`, `"often"`, `7`} {
		if _, err := newJitter(json.RawMessage(raw)); err == nil {
			t.Errorf("jitter %s is accepted", raw)
		}
	}
}

func TestContainerOfReference(t *testing.T) {
	ref := &v1.ObjectReference{FieldPath: "spec.initContainers{side}"}
	if got := containerOf(ref); got != "side" {
		t.Errorf("%s: %q", ref.FieldPath, got)
	}
	if got := containerOf(&v1.Pod{}); got != "" {
		t.Errorf("the pod itself: %q", got)
	}
}

// What keeps a bubble from advancing is told with the functions that it waits in.
func TestBlockersAreNamed(t *testing.T) {
	outside := make(chan struct{})
	told := make(chan string, 1)
	go func() {
		for !strings.Contains(blockers(), "waitForOutside") {
			time.Sleep(time.Millisecond)
		}
		told <- inOneLine(blockers())
		close(outside)
	}()
	synctest.Test(t, func(*testing.T) { waitForOutside(outside) })
	line := <-told
	if !strings.Contains(line, "[chan receive, synctest bubble") || !strings.Contains(line, ".waitForOutside < ") || strings.Contains(line, "\n") {
		t.Errorf("told %q", line)
	}
}

func waitForOutside(outside chan struct{}) { <-outside }

// A map that the real gates refuse spoils later ones, so it must not reach them.
func TestRefusedGateSpoilsNothing(t *testing.T) {
	if err := setGates(map[string]bool{"NoSuchGate": true}); err == nil || !strings.Contains(err.Error(), "NoSuchGate") {
		t.Fatalf("an unknown gate: %v", err)
	}
	if err := setGates(nil); err != nil {
		t.Errorf("after it: %v", err)
	}
}
