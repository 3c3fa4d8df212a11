//go:build ge20 && !ge31

package main

import (
	"fmt"
	"time"

	probeexec "k8s.io/kubernetes/pkg/probe/exec"
)

// timeoutError is what the CRI client makes of an exec that ran out of time.
func timeoutError(command string, timeout time.Duration, _, sign string) error {
	return probeexec.NewTimeoutError(fmt.Errorf("command %q timed out%s", command, sign), timeout)
}
