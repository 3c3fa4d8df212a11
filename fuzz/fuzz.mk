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
