//go:build !k16

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/printers"
)

var tableOptions printers.PrintOptions

func startupProbe(*v1.Container) *v1.Probe { return nil }
