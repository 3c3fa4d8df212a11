//go:build ge26

package main

import "k8s.io/client-go/tools/record"

// newRecorder is the one that a kubelet knows as a test's: with any other it reads the kernel's log.
func newRecorder(w *world, l *life) *record.FakeRecorder {
	recorder := &record.FakeRecorder{Events: make(chan string), IncludeObject: true}
	go func() {
		for text := range recorder.Events {
			l.goesOn()
			w.recorded(text, "")
		}
	}()
	return recorder
}

func silenceKernelLog() {}
