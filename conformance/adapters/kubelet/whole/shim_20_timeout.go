//go:build ge20

package main

// timeoutIsError: one that runs out of time is an error where the gate ExecProbeTimeout is off.
const timeoutIsError = false
