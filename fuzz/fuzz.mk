# Attacks on the engine and on what checks it.  Included by the top Makefile.

# ---- mutants: does the table notice? -------------------------------------------------------------

.PHONY: mutants broken
M := build/mutants
MUTANT_HEADERS := $(wildcard core/*.h core/*.def) fuzz/mutants/mutant.h
HAND_LISTS := fuzz/mutants/semantic.yaml fuzz/mutants/historic.yaml
HAND_C := $(sort $(shell sed -n 's/^ *\(- \)\{0,1\}file: //p' $(HAND_LISTS)))
OPERATORS_C := $(CORE_C)
DEBIAN_CLANG := libclang1-14 python3-clang-14

$(M)/hand/list: fuzz/mutants/hand.py fuzz/mutants/schemata.py $(HAND_LISTS) $(HAND_C) | $(DEPS)
	@mkdir -p $(M)/hand
	@$(DEBIAN_PYTHON) fuzz/mutants/hand.py $(M)/hand $(HAND_LISTS)
$(M)/operators/list: fuzz/mutants/operators.py fuzz/mutants/schemata.py $(OPERATORS_C) $(MUTANT_HEADERS)
	@conformance/deps.sh $(DEBIAN_CLANG)
	@mkdir -p $(M)/operators
	@$(DEBIAN_PYTHON) fuzz/mutants/operators.py $(M)/operators $(OPERATORS_C)
# What did not change was not written anew, and is not compiled again.
$(M)/hand/%.c: $(M)/hand/list ;
$(M)/operators/%.c: $(M)/operators/list ;
$(M)/%.o: $(M)/%.c $(MUTANT_HEADERS)
	@$(CC) $(CPPFLAGS) -Icore -Iconformance -std=c11 -O1 -w -c -o $@ $<

mutated = $(patsubst %.c,$(M)/$(1)/%.o,$(2))
$(M)/hand/judge: $(B)/fuzz/mutants/judge.o $(call mutated,hand,$(HAND_C)) $(CONF_LIB) $(FAKES_LIB) $(LIB)
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(M)/operators/judge: $(B)/fuzz/mutants/judge.o $(call mutated,operators,$(OPERATORS_C)) $(CONF_LIB) $(FAKES_LIB) $(LIB)
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(M)/operators/unit: $(B)/fuzz/mutants/awake.o $(call objects,$(filter core/%,$(TESTS)) fakes/unit.c) \
    $(M)/unit_list.o $(call mutated,operators,$(OPERATORS_C)) $(CONF_LIB) $(FAKES_LIB) $(LIB)
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcunit

broken: $(M)/hand/judge ## break the engine by hand, as others do and as it was: each time some case turns red; SHOW=-v tells which
	@$(M)/hand/judge $(M)/hand/list $(M)/hand/matrix all
	@$(PYTHON) fuzz/mutants/report.py $(M)/hand/matrix fuzz/mutants/hand.tsv $(SHOW)

mutants: broken $(M)/operators/judge ## the same, and thousands of small changes made by a tool (SHOW=-v: all of them)
	@$(M)/operators/judge $(M)/operators/list $(M)/operators/matrix
	@$(PYTHON) fuzz/mutants/report.py $(M)/operators/matrix fuzz/mutants/operators.tsv $(SHOW)

# ---- faults: memory that runs out, files that do not take what they are given --------------------

.PHONY: oom san
$(B)/preload.so: fuzz/faults/preload.c | $(DEPS)
	@mkdir -p $(@D)
	@$(CC) -std=c11 -O1 -Wall -Wextra -Werror -shared -fPIC -o $@ $< -ldl
$(B)/memory: $(B)/fuzz/faults/memory.o $(CONF_LIB) $(FAKES_LIB) $(LIB)
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
SESSIONS = $(wildcard fuzz/corpus/serve/*)

oom: all $(B)/preload.so $(B)/memory ## each allocation fails once, one after another; so do writes, reads, and the disk
	@$(B)/memory $(SESSIONS)
	@$(PYTHON) fuzz/faults/faults.py memory build/probetest $(B)/preload.so
	@$(PYTHON) fuzz/faults/faults.py files build/probetest $(B)/preload.so

# ---- sanitizers ----------------------------------------------------------------------------------

# Instrumented code makes gcc see more than there is.
SAN_OPT := -O1 -g -Wno-error=format-truncation -Wno-error=maybe-uninitialized
san: ## everything once more with ASan and UBSan; then, where clang is, with its integer checks
	@$(MAKE) -s FLAVOUR=asan OPT='$(SAN_OPT)' SAN='-fsanitize=address,undefined -fno-sanitize-recover=all' sanitized
	@conformance/deps.sh clang-14 libclang-rt-14-dev
	@$(MAKE) -s FLAVOUR=integer CC=clang-14 OPT='-O1 -g' \
	    SAN='-fsanitize=undefined,integer -fno-sanitize-recover=all -fsanitize-ignorelist=fuzz/integers.txt' sanitized

.PHONY: sanitized
sanitized: $(PROBETEST) $(B)/unit $(B)/memory $(FUZZ_TARGETS:%=$(B)/replay-%)
	@echo '$(FLAVOUR): $(SAN)'
	@$(B)/unit | tail -1
	@$(PROBETEST) run --k8s all --quiet | tail -1
	@$(B)/memory $(SESSIONS)
	@for t in $(FUZZ_TARGETS); do $(B)/replay-$$t $$(find fuzz/corpus/$$t -type f | sort) || exit; done
