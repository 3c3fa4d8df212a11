//go:build !ge21

package main

import (
	"os"
	"path/filepath"
	"time"
)

const httpHook = "Http" // as the kubelet words it

// alwaysDraws: each worker draws a start delay, however long the kubelet has run.
const alwaysDraws = true

// answersOffset is where in its millisecond the runner speaks: behind the ticks of workers, which come as late as the
// greatest of their draws (smallDraws).
const answersOffset = 800 * time.Microsecond

// resolverConfig is a file that is not there yet: the sync loop complains of it to the recorder before its first turn,
// which gives the first look at the runtime the time that it has on other releases from a nap (up to 1.20 that look logs,
// and waits for the line with which the loop begins).
func resolverConfig(root string) string {
	path := filepath.Join(root, "resolv.conf")
	_ = os.Remove(path) // that of the kubelet before
	return path
}

// foundNoResolver makes the file.
func (w *world) foundNoResolver() {
	_ = os.WriteFile(w.resolver, nil, 0o600)
	w.nap(syncLatency)
}
