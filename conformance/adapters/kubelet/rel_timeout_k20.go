//go:build k20 && !k31

package main

import (
	"fmt"
	"strings"
	"time"

	execprobe "k8s.io/kubernetes/pkg/probe/exec"
)

// timeoutError is what the CRI client makes of a DeadlineExceeded from ExecSync.
func timeoutError(_ string, argv []string, timeout time.Duration) error {
	return execprobe.NewTimeoutError(fmt.Errorf("command %q timed out", strings.Join(argv, " ")), timeout)
}

func isTimeout(err error) bool {
	_, ok := err.(*execprobe.TimeoutError)
	return ok
}
