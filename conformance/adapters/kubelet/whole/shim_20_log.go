//go:build !ge21

package main

import (
	"flag"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
)

var klogHead = regexp.MustCompile(`^[IWEF]\d{4} \S+\s+\d+ [^\]]*\] "?((?s).*)$`)

// lineSink takes the lines of the kubelet's log, which are text.
type lineSink struct{ w *world }

func (s lineSink) Write(b []byte) (int, error) {
	text := strings.TrimRight(string(b), "\n")
	if m := klogHead.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	s.w.noted(text, nil)
	return len(b), nil
}

const logLevel = 5

var verbosity *int32 // of the log, once it is set

// verbose sets how much the log tells, without the lock that the writer of a line holds.
func verbose(level int32) { atomic.StoreInt32(verbosity, level) }

// aside naps with the log's lock held. Others tell meanwhile what is noted alone, so that whoever tells more does not
// wait.
func (w *world) aside(nap func()) {
	verbose(3)
	nap()
	verbose(logLevel)
}

func setLog(w *world) {
	fs := flag.NewFlagSet("klog", flag.ContinueOnError)
	klogFlags(fs)
	level := fs.Lookup("v").Value
	_ = level.Set(strconv.Itoa(logLevel))
	verbosity = (*int32)(level.(*klogLevel))
	_ = fs.Set("logtostderr", "false")
	_ = fs.Set("stderrthreshold", "FATAL")
	for _, severity := range []string{"WARNING", "ERROR", "FATAL"} {
		klogTo(severity, io.Discard)
	}
	klogTo("INFO", lineSink{w}) // which has all that is said in the others
}

// quietUntilTheLoop keeps the first look at the runtime from waiting for the line with which the sync loop begins: of
// what it does nothing is told.
func (w *world) quietUntilTheLoop() { verbose(0) }

func (w *world) theLoopBegins() {
	w.nap(tickOffset)
	verbose(logLevel)
}
