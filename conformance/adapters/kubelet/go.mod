module probetest.local/kubelet

go 1.26.0
