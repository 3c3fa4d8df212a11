//go:build ge23

package main

import (
	"flag"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// logSink takes the kubelet's log.
type logSink struct{ w *world }

func (s logSink) Init(logr.RuntimeInfo)                  {}
func (s logSink) Enabled(level int) bool                 { return level <= 5 }
func (s logSink) WithValues(...any) logr.LogSink         { return s }
func (s logSink) WithName(string) logr.LogSink           { return s }
func (s logSink) Error(err error, msg string, kv ...any) { s.w.noted(msg, append(kv, "err", err)) }
func (s logSink) Info(_ int, msg string, kv ...any)      { s.w.noted(msg, kv) }

func setLog(w *world) {
	fs := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(fs)
	_ = fs.Set("v", "5")
	setLogger(logr.New(logSink{w}))
}
