//go:build ge21

package main

const httpHook = "HTTP" // as the kubelet words it

// alwaysDraws: each worker draws a start delay, however long the kubelet has run.
const alwaysDraws = false
