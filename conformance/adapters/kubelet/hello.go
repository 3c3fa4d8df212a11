package main

import "probetest.local/release"

// identity is what tells the binaries of this folder apart.
type identity struct {
	name                       string
	layers, features, observes []string
}

func hello(req *request) reply {
	if req.Protocol != 1 {
		return refuse("unsupported", "protocol %d; this adapter speaks 1", req.Protocol)
	}
	if req.K8s != "" && req.K8s != release.Minor() {
		return refuse("unsupported", "Kubernetes %s: this binary is %s", req.K8s, release.Version())
	}
	if err := setGates(req.Gates); err != nil {
		return refuse("unsupported", "%v", err)
	}
	me := whoami()
	return reply{ok: map[string]any{
		"protocol": 1,
		"name":     me.name,
		"version":  release.Version(),
		"language": "go",
		"url":      "https://github.com/kubernetes/kubernetes",
		"k8s":      []string{release.Minor()},
		"layers":   me.layers,
		"features": me.features,
		"observes": me.observes,
		"clock":    "virtual",
	}}
}

// fireFeatures are those of layer fire.
func fireFeatures() []string {
	list := []string{"exec", "http", "tcp", "tls", "h2", "odd-heads"}
	if hasGRPC {
		list = append(list, "grpc")
	}
	return list
}
