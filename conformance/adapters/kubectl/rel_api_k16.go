//go:build k16

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/printers"
)

var tableOptions printers.GenerateOptions

func startupProbe(c *v1.Container) *v1.Probe { return c.StartupProbe }
