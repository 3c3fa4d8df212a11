module alternate

go 1.26.0

require (
	knative.dev/serving v0.42.2
	probetest/adapter v0.0.0
)

replace probetest/adapter => ../../adapters/go
