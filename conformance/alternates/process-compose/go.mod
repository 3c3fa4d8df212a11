module alternate

go 1.26.0

require (
	github.com/f1bonacc1/process-compose v1.122.0
	probetest/adapter v0.0.0
)

replace probetest/adapter => ../../adapters/go
