//go:build ge24

package main

import (
	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

func setLogger(l logr.Logger) { klog.SetLoggerWithOptions(l, klog.ContextualLogger(true)) }
