//go:build k36

package main

import (
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
)

func (r *recorder) WithLogger(klog.Logger) record.EventRecorderLogger { return r }
