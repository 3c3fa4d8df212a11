package main

import (
	"strconv"
	"strings"

	"probetest.local/release"
)

// minor of the release that this binary was built from: 36 for 1.36.  Where the exported API differs
// build tags choose the file (rel_*.go); k36 means 1.36 or later.
var minor = releaseMinor()

func releaseMinor() int {
	n, err := strconv.Atoi(strings.TrimPrefix(release.Minor(), "1."))
	if err != nil {
		panic("no k8s.io/kubernetes in the build information")
	}
	return n
}

// Facts of the release that its exported API does not show.
var (
	// Up to 1.20 every worker draws a start delay; later only those of a young kubelet.
	alwaysJitters = minor < 21
	// Up to 1.21 the pod is given to the prober when it is added; later by each sync.
	addsPodBeforeSync = minor < 22
	// Up to 1.36 AddPod returns at the first probe that has a worker; later it goes on with the
	// next container.
	skipsOneContainer = minor >= 37
	hasGRPC           = minor >= 23
	// From 1.24 on names of headers are canonical.
	canonicalHeaders = minor >= 24
)

// carriesOver: from 1.35 on what an earlier kubelet process found out is kept: a fresh status takes
// Started over from the old one by name, and a container older than the process is known as such.
func carriesOver() bool {
	return minor >= 35 && !gateOn("ChangeContainerStatusOnKubeletRestart")
}

// execTimeoutFails: from 1.20 on an exec timeout is a failure, unless that gate is off.
func execTimeoutFails() bool {
	return minor >= 35 || (minor >= 20 && gateOn("ExecProbeTimeout"))
}
