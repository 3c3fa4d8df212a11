# The real kubelet as an adapter; needs Go and the module proxy.  Included by the top Makefile.
# Without them every target here says so in one line and ends with 4; nothing else needs them.

K8S ?= 1.36
ORACLE_MINORS := $(shell sed -n 's/^\([0-9][0-9.]*\) .*/\1/p' conformance/oracle/releases)

SEED ?= 1
N ?= 1000

.PHONY: oracle oracle-build oracle-kubectl oracle-all oracle-test recordings differential-oracle documents-oracle

oracle-build:
	@conformance/oracle/build.sh $(K8S)

oracle: all ## build the real kubelet of K8S=1.36 as adapters, run the table (CASE=id: of it) on them, record
	@$(PYTHON) conformance/oracle/matrix.py build/probetest $(K8S)

.PHONY: oracle-bench
oracle-bench: $(B)/handlers_bench ## what a probe costs here and through the real kubelet's Go handlers of K8S=1.36, on one server
	@conformance/oracle/build_handlers.sh $(K8S)
	@$(B)/handlers_bench against build/oracle/$(K8S)/kubelet-handlers

oracle-all: all ## `oracle` for every minor: the matrix of minors and layers
	@$(PYTHON) conformance/oracle/matrix.py build/probetest $(ORACLE_MINORS)

recordings: all ## the engine against what the real kubelet answered, and that against the contract
	@$(PYTHON) conformance/oracle/verify.py --jobs 2 conformance/oracle/recordings -- build/probetest serve

oracle-test: all ## what the oracle's tools say to bad input
	@PYTHON=$(PYTHON) conformance/oracle/oracle_test.sh build/probetest
	@$(PYTHON) conformance/oracle/draft_test.py build/probetest 16
	@$(PYTHON) conformance/oracle/verify_test.py build/probetest
	@$(PYTHON) conformance/oracle/modules_test.py

differential-oracle: oracle-build ## random scenarios, engine against the real prober (K8S= SEED= N=)
	@$(PYTHON) conformance/adapters/differential.py --k8s $(K8S) --seed $(SEED) --n $(N) --jobs 2 \
	    --exec-only --against build/oracle/$(K8S)/kubelet-adapter -- build/probetest serve

documents-oracle: oracle-build ## random ports and pod documents, engine against the real packages (K8S= SEED= N=)
	@for layer in port check; do $(PYTHON) conformance/oracle/documents.py --layer $$layer --k8s $(K8S) \
	    --seed $(SEED) --n $(N) 'build/probetest serve' build/oracle/$(K8S)/kubelet-adapter || exit; done

oracle-kubectl: all ## layers events and kubectl on the real client-go and kubectl of K8S=1.36
	@ADAPTERS=kubectl $(PYTHON) conformance/oracle/matrix.py build/probetest $(K8S)

# ---- layer pod: the whole kubelet (conformance/adapters/kubelet/whole) ------------------------------

.PHONY: oracle-pod-build oracle-pod differential-oracle-pod
WHOLE := conformance/adapters/kubelet/whole

oracle-pod-build:
	@conformance/oracle/build_whole.sh $(K8S)

oracle-pod: all oracle-pod-build ## record the whole kubelet's own scenarios anew (K8S=), hold the engine against them
	@$(PYTHON) $(WHOLE)/record.py record conformance/oracle/recordings/scenarios-$(K8S).jsonl.xz -- build/oracle/$(K8S)/kubelet-whole
	@$(PYTHON) $(WHOLE)/record.py compare conformance/oracle/recordings/scenarios-$(K8S).jsonl.xz -- build/probetest serve

differential-oracle-pod: all oracle-pod-build ## random pods, engine against the whole kubelet (K8S= SEED= N=)
	@$(PYTHON) $(WHOLE)/differential.py --oracle build/oracle/$(K8S)/kubelet-whole --seed $(SEED) --n $(N) -- build/probetest serve
