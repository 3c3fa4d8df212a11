# The real kubelet as an adapter; needs Go and the module proxy.  Included by the top Makefile.
# Without them what needs them says so in one line and ends with 4; nothing else needs them.

K8S ?= 1.36
ORACLE_MINORS := $(shell sed -n 's/^\([0-9][0-9.]*\) .*/\1/p' conformance/oracle/releases)

.PHONY: oracle oracle-pod oracle-test recordings

oracle: all ## build the real kubelets of K8S="1.35 1.36" (all: each) as adapters, run the table (CASE=id: of it) on them, record
	@$(PYTHON) conformance/oracle/matrix.py build/probetest $(if $(filter all,$(K8S)),$(ORACLE_MINORS),$(K8S))

# Layer pod: the whole kubelet (conformance/adapters/kubelet/whole).
SCENARIOS := conformance/oracle/recordings/scenarios-$(K8S).jsonl.xz
oracle-pod: all ## record the whole kubelet's own scenarios anew (K8S=), hold the engine against them
	@conformance/oracle/build_whole.sh $(K8S)
	@$(PYTHON) conformance/adapters/kubelet/whole/recordings.py record $(SCENARIOS) -- build/oracle/$(K8S)/kubelet-whole
	@$(PYTHON) conformance/adapters/kubelet/whole/recordings.py compare $(SCENARIOS) -- build/probetest serve

recordings: all # the engine against what the real kubelet answered, and that against the contract
	@$(PYTHON) conformance/oracle/verify.py --jobs 2 conformance/oracle/recordings -- build/probetest serve

oracle-test: all # what the oracle's tools say to bad input
	@PYTHON=$(PYTHON) conformance/oracle/oracle_test.sh build/probetest
	@$(PYTHON) conformance/oracle/draft_test.py build/probetest 16
	@$(PYTHON) conformance/oracle/verify_test.py build/probetest
	@$(PYTHON) conformance/oracle/modules_test.py
