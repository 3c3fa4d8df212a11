//go:build ge18 && !ge37

package main

import "k8s.io/component-base/metrics"

func newerCollectors() []metrics.StableCollector { return nil }
