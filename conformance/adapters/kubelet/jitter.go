package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"runtime"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
)

// jitter makes the start delays of workers what the runner wants.  The kubelet draws them from
// math/rand's global source, which takes a seed; so before each draw a seed is looked for whose
// first number gives the wanted delay.
type jitter struct {
	free      bool
	fractions map[string]float64
}

func newJitter(raw json.RawMessage) (*jitter, error) {
	j := &jitter{}
	if len(raw) == 0 || string(raw) == "null" {
		return j, nil
	}
	var word string
	if json.Unmarshal(raw, &word) == nil {
		j.free = word == "free"
		if !j.free && word != "none" {
			return nil, fmt.Errorf("jitter %q", word)
		}
		return j, nil
	}
	if err := json.Unmarshal(raw, &j.fractions); err != nil {
		return nil, fmt.Errorf("jitter: %w", err)
	}
	for key, f := range j.fractions {
		if f < 0 || f >= 1 {
			return nil, fmt.Errorf("jitter %s: %g is not in [0, 1)", key, f)
		}
	}
	return j, nil
}

// draws tells whether a worker made now would draw a delay.
func (j *jitter) draws(c *playedCase) bool {
	for _, p := range podProbes(c.pod) {
		if j.drawsFor(c, p) {
			return true
		}
	}
	return false
}

func (j *jitter) drawsFor(c *playedCase, p podProbe) bool {
	return alwaysJitters || period(p) > time.Since(c.node.born)
}

func period(p podProbe) time.Duration { return time.Duration(p.spec().PeriodSeconds) * time.Second }

// addPod gives the pod to the manager.  Where delays are drawn each probe is given alone, so that
// each draw can have its own seed; a probe that already has a worker ends the walk, as it does
// inside AddPod.
func (j *jitter) addPod(c *playedCase) {
	n := c.node
	if j.free || !j.draws(c) {
		n.addPod(c.pod.DeepCopy())
		n.added = true
		return
	}
	skip := ""
	for _, p := range podProbes(c.pod) {
		if p.container.Name == skip {
			continue
		}
		if j.drawsFor(c, p) {
			rand.Seed(seedFor(j.fractions[p.key()], period(p)))
		}
		before := runtime.NumGoroutine()
		n.addPod(onlyProbe(c.pod, p))
		if runtime.NumGoroutine() > before {
			if j.drawsFor(c, p) {
				c.stretchInstant(2 * tolerance(period(p)))
			}
			synctest.Wait()
			continue
		}
		if !n.added || !mayHaveWorker(c.pod, p) {
			continue
		}
		if !skipsOneContainer {
			break
		}
		skip = p.container.Name
	}
	n.added = true
}

// mayHaveWorker: ordinary init containers never have workers, nor have startup probes while their
// gate is off; that none was made says nothing then.
func mayHaveWorker(pod *v1.Pod, p podProbe) bool {
	if p.kind == "startup" && minor < 20 && !gateOn("StartupProbe") {
		return false
	}
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Name == p.container.Name {
			return true
		}
	}
	return restartableInit(pod, p.container.Name)
}

// onlyProbe is the pod with one probe left.
func onlyProbe(pod *v1.Pod, keep podProbe) *v1.Pod {
	out := pod.DeepCopy()
	for _, list := range [][]v1.Container{out.Spec.Containers, out.Spec.InitContainers} {
		for i := range list {
			for _, kind := range probeOrder() {
				if list[i].Name != keep.container.Name || kind != keep.kind {
					clearProbe(&list[i], kind)
				}
			}
		}
	}
	return out
}

// tolerance is how much later than wanted a drawn delay may be.  Finer means more seeds to try.
func tolerance(period time.Duration) time.Duration {
	return min(max(period/10_000_000, 20*time.Microsecond), 50*time.Microsecond)
}

type draw struct {
	wanted, period time.Duration
}

var seedsFound = map[draw]int64{}

// seedFor finds a seed of math/rand after which the first Float64, times the period, is the
// wanted number of milliseconds, rounded down, and at most the tolerance more.
func seedFor(fraction float64, period time.Duration) int64 {
	wanted := time.Duration(int64(fraction*float64(period/time.Millisecond))) * time.Millisecond
	if seed, ok := seedsFound[draw{wanted, period}]; ok {
		return seed
	}
	seed := int64(1)
	for late := time.Duration(-1); late < 0 || late >= tolerance(period); seed++ {
		late = time.Duration(firstFloat(seed+1)*float64(period)) - wanted
	}
	seedsFound[draw{wanted, period}] = seed
	return seed
}

// What Seed does is a linear congruential generator run over the 607 words of the state; the first
// number needs two of them, so trying a seed costs some nanoseconds instead of 607 words.
const (
	lcgA = 48271
	lcgM = 1<<31 - 1

	wordA = 333 // the two words that the first number is the sum of
	wordB = 606
)

var jumpA, jumpB, cookedA, cookedB = seedTables()

func seedTables() (jumpA, jumpB [3]uint64, cookedA, cookedB uint64) {
	for k := 0; k < 3; k++ {
		jumpA[k] = lcgPower(20 + 1 + 3*wordA + k)
		jumpB[k] = lcgPower(20 + 1 + 3*wordB + k)
	}
	// The constants that Seed mixes in are read off a seeded source.
	state := reflect.ValueOf(rand.NewSource(1)).Elem().FieldByName("vec")
	cookedA = uint64(state.Index(wordA).Int()) ^ mixed(1, jumpA)
	cookedB = uint64(state.Index(wordB).Int()) ^ mixed(1, jumpB)
	return jumpA, jumpB, cookedA, cookedB
}

func lcgPower(n int) uint64 {
	p := uint64(1)
	for i := 0; i < n; i++ {
		p = p * lcgA % lcgM
	}
	return p
}

func mixed(seed int64, jump [3]uint64) uint64 {
	x := func(k int) uint64 { return uint64(seed) * jump[k] % lcgM }
	return x(0)<<40 ^ x(1)<<20 ^ x(2)
}

func firstFloat(seed int64) float64 {
	sum := (mixed(seed, jumpA) ^ cookedA) + (mixed(seed, jumpB) ^ cookedB)
	return float64(sum&(1<<63-1)) / (1 << 63)
}
