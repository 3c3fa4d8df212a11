//go:build !k20

package main

import (
	"errors"
	"time"
)

// timeoutError: up to 1.19 the runtime's error reached the prober as it was.
func timeoutError(output string, _ []string, _ time.Duration) error { return errors.New(output) }

func isTimeout(error) bool { return false }
