//go:build k31

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	remote "k8s.io/cri-client/pkg"
)

// timeoutError is what the CRI client makes of a DeadlineExceeded from ExecSync.
func timeoutError(_ string, argv []string, timeout time.Duration) error {
	return fmt.Errorf("%w: %q timed out after %s", remote.ErrCommandTimedOut, strings.Join(argv, " "), timeout)
}

func isTimeout(err error) bool { return errors.Is(err, remote.ErrCommandTimedOut) }
