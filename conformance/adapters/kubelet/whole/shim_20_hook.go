//go:build !ge21

package main

import "time"

const httpHook = "Http" // as the kubelet words it

// alwaysDraws: each worker draws a start delay, however long the kubelet has run.
const alwaysDraws = true

// Syncs have one place: the draws are greater, and no sync triggers a worker.
const syncSpread = 0

// answersOffset is where in its millisecond the runner speaks: behind the ticks of workers, which come as late as the
// greatest of their draws (smallDraws).
const answersOffset = 800 * time.Microsecond

// napYoung: the draws are greater.
func (w *world) napYoung() {}
