module probetest.local/kubectl

go 1.26.0
