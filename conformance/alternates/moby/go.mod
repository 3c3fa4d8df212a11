module alternate

go 1.26.0

require (
	github.com/moby/moby/v2 v2.0.0-beta.24
	probetest/adapter v0.0.0
)

replace probetest/adapter => ../../adapters/go
