module probetest.local/release

go 1.12
