//go:build ge21 && !ge23

package main

import (
	"flag"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// logSink takes the kubelet's log; a logr.Logger of then is an interface.
type logSink struct {
	w     *world
	level int
}

func (s logSink) Enabled() bool                          { return s.level <= 5 }
func (s logSink) V(level int) logr.Logger                { return logSink{s.w, s.level + level} }
func (s logSink) WithValues(...any) logr.Logger          { return s }
func (s logSink) WithName(string) logr.Logger            { return s }
func (s logSink) Info(msg string, kv ...any)             { s.w.noted(msg, kv) }
func (s logSink) Error(err error, msg string, kv ...any) { s.w.noted(msg, append(kv, "err", err)) }

func setLog(w *world) {
	fs := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(fs)
	_ = fs.Set("v", "5")
	klog.SetLogger(logSink{w: w})
}
