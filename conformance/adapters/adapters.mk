# The second implementation and its comparisons.  Included by the top Makefile.

.PHONY: differential second-opinion

GIVEN = $(if $(filter command environment,$(firstword $(origin $(1)))),$($(1)),$(2))
DIFFERENTIAL := $(PYTHON) conformance/adapters/differential.py
# What an adapter for plain pods leaves out; and it looks at the status once it is stored (P-179).
PLAIN := --k8s 1.37 --look after --without \
    sidecars,init-containers,jitter,gates,termination,restart,manager,clock,nostatus,phase,deleted,already,startedAt,broken

differential: all ## random scenarios, engine against naive.py (N=100000, SEED=1, K8S=all)
	@$(DIFFERENTIAL) --n $(call GIVEN,N,100000) --seed $(call GIVEN,SEED,1) \
	    --k8s $(call GIVEN,K8S,all) --jobs 2 -- build/probetest serve

second-opinion: all ## a short `differential`, and the small adapters against naive.py
	@$(DIFFERENTIAL) --n $(call GIVEN,N,800) --seed $(call GIVEN,SEED,1) --jobs 2 -- build/probetest serve
	@$(DIFFERENTIAL) --n 150 $(PLAIN) -- $(PYTHON) conformance/adapters/python/starter.py
	@if command -v node >/dev/null; then \
	    $(DIFFERENTIAL) --n 150 $(PLAIN) -- node conformance/adapters/javascript/adapter.js; \
	else echo 'second-opinion: no node here, the JavaScript example is left out'; fi

# In the tests of an upstream: what is not installed here is left out, and said.
.PHONY: upstreams
upstreams: all ## the Go package and the pytest plugin, each with its example
	@if command -v go >/dev/null; then \
	    cd conformance/adapters/go && PROBETEST=$(CURDIR)/build/probetest GOFLAGS=-mod=mod GOWORK=off go test -count=1 .; \
	else echo 'upstreams: no go here, the Go package is left out'; fi
	@if command -v pytest >/dev/null; then \
	    PROBETEST=build/probetest pytest -q -p no:cacheprovider conformance/adapters/python/example_test.py; \
	else echo 'upstreams: no pytest here, the plugin is left out'; fi
