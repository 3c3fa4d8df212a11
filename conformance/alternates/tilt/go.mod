module alternate

go 1.25

require (
	github.com/tilt-dev/probe v0.3.1
	probetest/adapter v0.0.0
)

replace probetest/adapter => ../../adapters/go
