// Package release says which Kubernetes release an adapter was built from, as its build information has it.
package release

import (
	"runtime/debug"
	"strings"
)

// Version is the version of the k8s.io/kubernetes module, "v1.36.4", or "unknown".
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range info.Deps {
		if m.Path == "k8s.io/kubernetes" {
			return m.Version
		}
	}
	return "unknown"
}

// Minor is that version without its patch, "1.36", or "unknown".
func Minor() string {
	parts := strings.Split(strings.TrimPrefix(Version(), "v"), ".")
	if len(parts) < 2 {
		return "unknown"
	}
	return parts[0] + "." + parts[1]
}
