//go:build !ge21

package main

import (
	"flag"
	"io"
	"regexp"
	"strings"
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

func setLog(w *world) {
	fs := flag.NewFlagSet("klog", flag.ContinueOnError)
	klogFlags(fs)
	_ = fs.Set("v", "5")
	_ = fs.Set("logtostderr", "false")
	_ = fs.Set("stderrthreshold", "FATAL")
	for _, severity := range []string{"WARNING", "ERROR", "FATAL"} {
		klogTo(severity, io.Discard)
	}
	klogTo("INFO", lineSink{w}) // which has all that is said in the others
}
