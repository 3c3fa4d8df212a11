//go:build !k28

package main

import v1 "k8s.io/api/core/v1"

func alwaysRestarts(*v1.Container) bool { return false }
