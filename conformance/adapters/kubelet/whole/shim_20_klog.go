//go:build ge19 && !ge21

package main

import "k8s.io/klog/v2"

var klogFlags, klogTo = klog.InitFlags, klog.SetOutputBySeverity

type klogLevel = klog.Level
