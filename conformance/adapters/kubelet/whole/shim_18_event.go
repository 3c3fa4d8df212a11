//go:build !ge19

package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func (r recorder) PastEventf(o runtime.Object, _ metav1.Time, kind, reason, format string, a ...interface{}) {
	r.Eventf(o, kind, reason, format, a...)
}
