//go:build ge22

package main

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet"
)

// notedOld is called with what no newer kubelet says.
func (w *world) notedOld(string) {}

func (w *world) armsOld() {}

func (w *world) napsBeforeAStatus(*kubelet.Kubelet) {}

func (w *world) reclaimed() bool { return false }

func (w *world) napCollection() {}

// requestTakes is how long the API server takes to show a pod.
func (w *world) requestTakes() time.Duration { return apiLatency }

// seedOfOneDelay: its first number is the smallest of all, 4.5e-10.
const seedOfOneDelay = 1544070979

// noDelays says whether a pod's workers draw no start delay that counts.
func (w *world) noDelays([]*v1.Pod) bool { return true }
