//go:build !ge28

package main

import v1 "k8s.io/api/core/v1"

func isSidecar(*v1.Container) bool { return false }
