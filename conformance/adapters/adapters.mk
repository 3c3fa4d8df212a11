# What the engine is compared with on random scenarios.  Included by the top Makefile.

.PHONY: differential second-opinion

GIVEN = $(if $(filter command environment,$(firstword $(origin $(1)))),$($(1)),$(2))
DIFFERENTIAL := $(PYTHON) conformance/adapters/differential.py
# What an adapter for plain pods leaves out; and it looks at the status once it is stored (P-179).
PLAIN := --k8s 1.37 --look after --without \
    sidecars,init-containers,jitter,gates,termination,restart,manager,clock,nostatus,phase,deleted,already,startedAt,broken

AGAINST ?= naive
SEED ?= 1
OF_K8S = --k8s $(K8S) --seed $(SEED) --n $(or $(N),1000)
differential_naive = $(DIFFERENTIAL) --k8s $(call GIVEN,K8S,all) --seed $(SEED) --n $(or $(N),100000) --jobs 2 -- build/probetest serve
differential_prober = conformance/oracle/build.sh $(K8S) && \
    $(DIFFERENTIAL) $(OF_K8S) --jobs 2 --exec-only --against build/oracle/$(K8S)/kubelet-adapter -- build/probetest serve
differential_documents = conformance/oracle/build.sh $(K8S) && for layer in port check; do \
    $(PYTHON) conformance/oracle/documents.py --layer $$layer $(OF_K8S) 'build/probetest serve' build/oracle/$(K8S)/kubelet-adapter || exit; done
differential_pod = conformance/oracle/build_whole.sh $(K8S) && $(PYTHON) conformance/adapters/kubelet/whole/differential.py \
    --oracle build/oracle/$(K8S)/kubelet-whole --seed $(SEED) --n $(or $(N),1000) -- build/probetest serve
differential: all ## random scenarios on the engine and naive.py; AGAINST=prober|documents|pod: the real kubelet of K8S=1.36 (N= SEED=)
	@$(or $(differential_$(AGAINST)),$(error AGAINST=$(AGAINST): naive, prober, documents or pod))

second-opinion: all # a short `differential`, and adapter.js against naive.py
	@$(DIFFERENTIAL) --n $(or $(N),800) --seed $(SEED) --jobs 2 -- build/probetest serve
	@if command -v node >/dev/null; then \
	    $(DIFFERENTIAL) --n 150 $(PLAIN) -- node conformance/adapters/javascript/adapter.js; \
	else echo 'second-opinion: no node here, the JavaScript example is left out'; fi

# In the tests of an upstream: what is not installed here is left out, and said.
.PHONY: upstreams
upstreams: all # the Go package and the pytest plugin, each with its example
	@if command -v go >/dev/null; then \
	    cd conformance/adapters/go && PROBETEST=$(CURDIR)/build/probetest GOFLAGS=-mod=mod GOWORK=off go test -count=1 .; \
	else echo 'upstreams: no go here, the Go package is left out'; fi
	@if command -v pytest >/dev/null; then \
	    PROBETEST=build/probetest pytest -q -p no:cacheprovider conformance/adapters/python/example_test.py; \
	else echo 'upstreams: no pytest here, the plugin is left out'; fi
