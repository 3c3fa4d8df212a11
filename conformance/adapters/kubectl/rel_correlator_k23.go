//go:build k23

package main

import "k8s.io/client-go/tools/record"

func newCorrelator(c *clock) *record.EventCorrelator { return record.NewEventCorrelator(c) }
