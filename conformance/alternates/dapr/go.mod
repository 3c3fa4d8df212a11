module alternate

go 1.26.0

require (
	github.com/dapr/dapr v1.14.0
	probetest/adapter v0.0.0
)

replace probetest/adapter => ../../adapters/go
