//go:build ge21

package main

import "time"

const httpHook = "HTTP" // as the kubelet words it

// alwaysDraws: each worker draws a start delay, however long the kubelet has run.
const alwaysDraws = false

// syncSpread is how much later than the first place a sync may begin.
const syncSpread = 30 * time.Microsecond

// answersOffset is where in its millisecond the runner speaks.
const answersOffset = firstOffset

func (w *world) aside(nap func()) { nap() }

func (w *world) quietUntilTheLoop() {}

func (w *world) theLoopBegins() { w.nap(tickOffset) }

// napYoung is the nap of the sync loop before it makes the workers of a kubelet that is young: they tick where they were
// made, and a sync of their instant comes before.
func (w *world) napYoung() {
	w.nap(max(0, firstOffset-time.Since(w.caseTime())))
}
