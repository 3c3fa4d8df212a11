//go:build !ge21

package main

const httpHook = "Http" // as the kubelet words it

// alwaysDraws: each worker draws a start delay, however long the kubelet has run.
const alwaysDraws = true
