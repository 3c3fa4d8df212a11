//go:build !ge20

package main

import "time"

// timeoutIsError: an exec that ran out of time reaches the prober as any other error of the runtime.
const timeoutIsError = true

func timeoutError(_ string, _ time.Duration, output, sign string) error {
	return rpcError(output + sign)
}
