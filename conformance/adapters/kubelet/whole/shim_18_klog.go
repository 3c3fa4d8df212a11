//go:build !ge19

package main

import "k8s.io/klog"

var klogFlags, klogTo = klog.InitFlags, klog.SetOutputBySeverity

type klogLevel = klog.Level
