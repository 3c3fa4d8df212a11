//go:build ge21

package main

const httpHook = "HTTP" // as the kubelet words it
