# Real programs, as shipped, against the contract.  Included by the top Makefile.

.PHONY: alternates alternates-check
alternates: all ## real programs, as shipped, judged by the contract, and their matrix (NAME=haproxy: one; KEEP=1: result kept)
	@$(PYTHON) conformance/alternates/alternates.py $(if $(KEEP),--keep) $(call GIVEN,NAME,)

alternates-check: all # the library for lock step, and what the matrix and its page are made of
	@$(PYTHON) conformance/adapters/lockstep/lockstep_test.py build/probetest
	@$(PYTHON) conformance/alternates/alternates_test.py build/probetest
