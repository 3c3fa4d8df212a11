//go:build ge25 && !ge31

package main

import "go.opentelemetry.io/otel/trace"

func noTracer() trace.TracerProvider { return trace.NewNoopTracerProvider() }
