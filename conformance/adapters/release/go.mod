module probetest.local/release

go 1.26.0
