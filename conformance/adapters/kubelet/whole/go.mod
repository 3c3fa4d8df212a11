// The module root of the adapter. What it requires is generated for each
// Kubernetes release (gomod.py) and handed to the build with -modfile.
module probetest/conformance/adapters/kubelet/whole

go 1.26.0
