module probetest/adapter

go 1.25
