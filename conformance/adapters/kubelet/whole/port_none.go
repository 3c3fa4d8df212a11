//go:build !ge26

package main

var portLayer, portFeatures []string

// port: to 1.25 the kubelet has no function of its own for it; the adapter beside this one answers.
func port(r request) (any, *problem) {
	return nil, unsupported("op %q: see the adapter beside this one", r.Op)
}
