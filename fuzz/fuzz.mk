# Attacks on the engine and on what checks it.  Included by the top Makefile.

# ---- fuzzing -------------------------------------------------------------------------------------

.PHONY: fuzz-build corpus oss-fuzz promises
FUZZ_TARGETS := $(filter-out replay,$(patsubst fuzz/%.c,%,$(wildcard fuzz/*.c)))
FUZZ_SHARED := $(wildcard fuzz/shared/*.c)
FUZZ ?= pod-yaml
ifeq ($(filter $(FUZZ),all $(FUZZ_TARGETS)),)
$(error FUZZ=$(FUZZ) is no target; there are: all $(FUZZ_TARGETS))
endif
SECONDS ?= 60
FUZZ_CC ?= clang-14
F := build/fuzz
FUZZ_LIB_C := $(CORE_C) $(HANDLERS_C) $(FAKES_C) $(CONF_C) $(FUZZ_SHARED)
FUZZ_SAN := -fsanitize=address,undefined -fno-sanitize-recover=all
# What is attacked leads the fuzzer; what attacks it does not, nor does the world that it is put into.
LEADS := -fsanitize=fuzzer-no-link
$(F)/fast/%.o: LEADS := -fsanitize-coverage=inline-8bit-counters,pc-table
$(F)/obj/fuzz/%.o $(F)/fast/fuzz/%.o: LEADS :=
FUZZ_WORLD_C := $(filter-out fakes/shell.c,$(FAKES_C))
$(FUZZ_WORLD_C:%.c=$(F)/obj/%.o) $(FUZZ_WORLD_C:%.c=$(F)/fast/%.o): LEADS :=
# Entropic scheduling costs more than these targets do.
FUZZ_LIMITS := -entropic=0 -timeout=20 -rss_limit_mb=2048 -max_len=16384 -artifact_prefix=$(F)/ -print_final_stats=1

$(F)/obj/%.o: %.c $(B)/places.def | $(DEPS)
	@conformance/deps.sh clang-14 libclang-rt-14-dev
	@mkdir -p $(@D)
	@$(FUZZ_CC) $(CPPFLAGS) -std=c11 -O1 -g $(LEADS) $(FUZZ_SAN) -MMD -MP -c -o $@ $<
$(F)/obj/conformance/table/builtin.o $(F)/fast/conformance/table/builtin.o: $(B)/table.def
$(F)/libfuzz.a: $(FUZZ_LIB_C:%.c=$(F)/obj/%.o)
	@rm -f $@ && ar rcs $@ $^
$(F)/fuzz-%: $(F)/obj/fuzz/%.o $(F)/libfuzz.a
	@$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -o $@ $^ $(LDLIBS)
-include $(FUZZ_LIB_C:%.c=$(F)/obj/%.d) $(FUZZ_LIB_C:%.c=$(F)/fast/%.d)
-include $(wildcard $(B)/fuzz/*.d $(B)/fuzz/*/*.d $(F)/obj/fuzz/*.d $(F)/fast/fuzz/*.d)

# Seeds: what is kept; the table's own files for the loader; a dictionary where there is one.
seeds = $(wildcard fuzz/corpus/$(1)) $(if $(filter case,$(1)),conformance/cases)
dictionary = $(addprefix -dict=,$(wildcard fuzz/dict/$(1).dict))
fuzz-build: $(FUZZ_TARGETS:%=$(F)/fuzz-%)

ifneq ($(FUZZ),all)
fuzz: $(if $(FAST),$(F)/fast/$(FUZZ),$(F)/fuzz-$(FUZZ)) ##! libFuzzer on a file of fuzz/: FUZZ=world or all, SECONDS=60 FAST=1
	@mkdir -p $(F)/$(FUZZ)
	@$< -max_total_time=$(SECONDS) $(FUZZ_LIMITS) $(call dictionary,$(FUZZ)) $(F)/$(FUZZ) $(call seeds,$(FUZZ)) || \
	    { echo 'a find: `make $(B)/replay-$(FUZZ)`, then `$(B)/replay-$(FUZZ) FILE` plays it again (fuzz/README.md)' >&2; exit 1; }
else
fuzz: fuzz-build
	@for t in $(FUZZ_TARGETS); do $(MAKE) -s fuzz FUZZ=$$t SECONDS=$(SECONDS) >$(F)/$$t.log 2>&1 || { tail -30 $(F)/$$t.log; exit 1; }; \
	    awk -v t=$$t '/number_of_executed_units/ { n = $$2 } /average_exec_per_sec/ { s = $$2 } /cov: / { c = $$4 } \
	        END { printf "%-18s %10d inputs  %8d a second  %6d edges\n", t, n, s, c }' $(F)/$$t.log; done
endif

# Without sanitizers, as fast as it goes: many more inputs for promises that are checked anyway.
$(F)/fast/%.o: %.c $(B)/places.def | $(DEPS)
	@conformance/deps.sh clang-14 libclang-rt-14-dev
	@mkdir -p $(@D)
	@$(FUZZ_CC) $(CPPFLAGS) -std=c11 -O2 -w $(LEADS) -MMD -MP -c -o $@ $<
$(F)/fast/libfuzz.a: $(FUZZ_LIB_C:%.c=$(F)/fast/%.o)
	@rm -f $@ && ar rcs $@ $^
$(FUZZ_TARGETS:%=$(F)/fast/%): $(F)/fast/%: $(F)/fast/fuzz/%.o $(F)/fast/libfuzz.a
	@$(FUZZ_CC) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

promises: all ## the rules whose promises the target world checks at each effect
	@fuzz/promises.sh build/probetest

corpus: all ## seeds from the cases, and those that bring something new kept in fuzz/corpus
	@$(DEBIAN_PYTHON) fuzz/corpus.py build/probetest $(F)/seeds
	@$(MAKE) -s fuzz-build
	@fuzz/minimise.sh $(F) $(FUZZ_TARGETS)

$(B)/libshared.a: $(call objects,$(FUZZ_SHARED))
	@rm -f $@ && ar rcs $@ $^
$(B)/replay-%: $(B)/fuzz/%.o $(B)/fuzz/replay.o $(B)/libshared.a $(CONF_LIB) $(FAKES_LIB) $(HANDLERS_LIB) $(LIB)
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

replay: $(FUZZ_TARGETS:%=$(B)/replay-%) # kept fuzz inputs and the case files as regression tests
	@for t in $(FUZZ_TARGETS); do $(B)/replay-$$t $$(find fuzz/corpus/$$t -type f 2>/dev/null | sort) || { echo "replay: $$t" >&2; exit 1; }; done
	@$(B)/replay-case $(CASE_FILES)

# Who is ended in the midst of an attempt leaves its folder: those whose processes often are have a place of their own for them.
aside = rm -rf $(1)/tmp && mkdir -p $(1)/tmp && TMPDIR=$(abspath $(1)/tmp)

# ---- mutants: does the table notice? -------------------------------------------------------------

.PHONY: mutants broken
M := build/mutants
MUTANT_HEADERS := $(wildcard fakes/*.h core/*.h core/*/*.h core/*/*.def conformance/pod/*.h conformance/pod/*.def) fuzz/mutants/mutant.h
MUTANT_HEADERS += $(wildcard conformance/simulate/*.h)
HAND_LISTS := fuzz/mutants/semantic.yaml fuzz/mutants/historic.yaml
HAND_C := $(sort $(shell sed -n 's/^ *\(- \)\{0,1\}file: //p' $(HAND_LISTS)))
$(M)/clang: | $(DEPS)
	@conformance/deps.sh libclang1-14 python3-clang-14
	@mkdir -p $(M) && touch $@

$(M)/hand/list: fuzz/mutants/hand.py fuzz/mutants/schemata.py $(HAND_LISTS) $(HAND_C) | $(DEPS)
	@mkdir -p $(M)/hand
	@$(DEBIAN_PYTHON) fuzz/mutants/hand.py $(M)/hand $(HAND_LISTS)
$(M)/operators/list: fuzz/mutants/borders.py
# Sets of mutants by the tool: what is mutated, and the unit tests that the survivors are tried on.
operators_C := $(CORE_C) $(filter fakes/thin_kubelet%,$(FAKES_C))
operators_T := $(filter-out core/handlers/%,$(filter core/% fakes/thin_kubelet%,$(TESTS)))
handlers_C := $(HANDLERS_C)
handlers_T := $(filter core/handlers/%,$(TESTS))
# What reads pods and judges them: the reader of YAML and JSON too, and `why`.
pod_C := $(filter conformance/pod/% $(addprefix conformance/text/,json.c node.c yaml.c yaml_aliases.c yaml_flow.c yaml_json.c yaml_scalar.c) \
    $(addprefix conformance/why/,cause.c history.c why_restarts.c),$(CONF_C))
pod_T := $(filter conformance/pod/% conformance/text/% conformance/why/% conformance/protocol/real_answers_test.c,$(TESTS))
# What plays a pod, and finds the figures of `budget` and the changes of `simulate`.
simulate_C := $(addprefix conformance/simulate/,budget.c budget_search.c simulation.c termination.c)
simulate_T := $(filter conformance/simulate/% conformance/advice/%,$(TESTS))
hand_C := $(HAND_C)
mutated = $(patsubst %.c,$(M)/$(1)/%.o,$($(1)_C))
original = $(foreach set,hand operators handlers pod simulate,$(patsubst $(M)/$(set)/%,%,$(filter $(M)/$(set)/%,$(1))))
$(M)/%.o: $(M)/%.c $(MUTANT_HEADERS)
	@$(CC) $(CPPFLAGS) -iquote $(dir $(call original,$<)) -std=c11 -O1 -w -c -o $@ $<

JUDGE := $(call objects,$(addprefix fuzz/mutants/,judge.c survey.c pairs.c attempts.c kill.c))
TRIAL := $(call objects,$(addprefix fuzz/mutants/,trial.c pairs.c kill.c))
# What did not change was not written anew, and is not compiled again.
define judge-of-set
$(M)/$(1)/%.c: $(M)/$(1)/list ;
$(M)/$(1)/judge: $(JUDGE) $(call mutated,$(1)) $(CONF_LIB) $(FAKES_LIB) $(HANDLERS_LIB) $(LIB)
	@$(CC) $(LDFLAGS) -o $$@ $$^ $(LDLIBS)
endef
define trial-of-set
$(M)/$(1)/list: fuzz/mutants/operators.py fuzz/mutants/schemata.py fuzz/mutants/choices.py $($(1)_C) $(MUTANT_HEADERS) | $(M)/clang
	@mkdir -p $(M)/$(1)
	@$(DEBIAN_PYTHON) fuzz/mutants/operators.py $(M)/$(1) $($(1)_C)
$(M)/$(1)/unit_list.c: LISTED = $($(1)_T)
$(M)/$(1)/unit_list.c: $($(1)_T) Makefile
	$$(write-unit-list)
$(M)/$(1)/trial: $(TRIAL) $(call objects,$($(1)_T)) $(M)/$(1)/unit_list.o $(call mutated,$(1)) $(CONF_LIB) $(FAKES_LIB) $(HANDLERS_LIB) $(LIB)
	@$(CC) $(LDFLAGS) -o $$@ $$^ $(LDLIBS)
endef
$(foreach set,hand operators handlers pod simulate,$(eval $(call judge-of-set,$(set))))
$(foreach set,operators handlers pod simulate,$(eval $(call trial-of-set,$(set))))

# Not played again where nothing has changed.
$(M)/hand/matrix: $(M)/hand/judge $(M)/hand/list $(CASE_FILES)
	@$< $(M)/hand/list $@.new all && mv $@.new $@
broken: $(M)/hand/matrix ## break the engine by hand, as others do and as it was: each time some case turns red; SHOW=-v tells which
	@$(PYTHON) fuzz/mutants/report.py $(M)/hand/matrix fuzz/mutants/hand.tsv $(SHOW)

# What lives then is tried on each attempt that it could differ in, of which it was tried on some before; where one file of others
# is asked for, on the versions that are not the newest.
by-the-rest = $(PYTHON) fuzz/mutants/report.py $(1) fuzz/mutants/operators.tsv --open $(1).open && { [ ! -s $(1).open ] || \
    { $(call aside,$(M)/$(2)) $(M)/$(2)/judge $(1).open $(1).rest few$(if $(filter handlers,$(2)),-every-attempts) $(CASE) && \
      cat $(1).rest >>$(1); }; }

# What the table leaves alive is tried on the unit tests.  Neither is done again where nothing has changed.  Both sets are judged at
# once: attempts wait for clocks, and the cases of the engine, which look at none, get the processors in the meantime.
$(M)/operators/matrix $(M)/handlers/matrix $(M)/pod/matrix $(M)/simulate/matrix: $(M)/%/matrix: $(M)/%/by-table $(M)/%/trial
	@cp $< $@.new && $(call aside,$(M)/$*) $(M)/$*/trial $@.new $(RED_$*) && $(if $(filter handlers,$*),$(call by-the-rest,$@.new,handlers) &&) mv $@.new $@
HOW_handlers := attempts
HOW_pod := few
HOW_simulate := few
RED_simulate := once
$(M)/operators/by-table $(M)/handlers/by-table $(M)/pod/by-table $(M)/simulate/by-table: $(M)/%/by-table: $(M)/%/judge $(M)/%/list $(CASE_FILES)
	@$(call aside,$(M)/$*) $(M)/$*/judge $(M)/$*/list $@.new $(HOW_$*) && mv $@.new $@

# FILE=core/prober/worker.c: its mutants alone, on the cases that CASE chooses, or all.
OF_FILE := $(if $(filter core/handlers/%,$(FILE)),handlers,$(if $(filter conformance/simulate/% conformance/advice/%,$(FILE)),simulate,$(if $(filter conformance/%,$(FILE)),pod,operators)))
ifneq ($(and $(FILE),$(filter mutants,$(MAKECMDGOALS))),)
ifneq ($(words $(FILE)) $(words $(filter $(FILE),$(operators_C) $(handlers_C) $(pod_C) $(simulate_C))),1 1)
$(error FILE=$(FILE): no file with mutants)
endif
endif
mutants: $(if $(FILE),$(M)/$(OF_FILE)/judge $(M)/$(OF_FILE)/trial) ## thousands of small changes made by a tool: each must turn a case red; FILE=core/prober/worker.c: of that file alone
ifdef FILE
	@grep -F '	$(FILE):' $(M)/$(OF_FILE)/list >$(M)/$(OF_FILE)/few
	@$(call aside,$(M)/few) $(M)/$(OF_FILE)/judge $(M)/$(OF_FILE)/few $(M)/$(OF_FILE)/matrix.few few-$(if $(filter handlers,$(OF_FILE)),attempts,newest) $(CASE)
	@$(call aside,$(M)/few) $(M)/$(OF_FILE)/trial $(M)/$(OF_FILE)/matrix.few $(RED_$(OF_FILE))
	@$(call by-the-rest,$(M)/$(OF_FILE)/matrix.few,$(OF_FILE))
	@$(PYTHON) fuzz/mutants/report.py $(M)/$(OF_FILE)/matrix.few fuzz/mutants/operators.tsv --files fuzz/mutants/floors
else
	@$(MAKE) -s $(AT_ONCE) $(M)/handlers/matrix $(M)/operators/matrix $(M)/pod/matrix $(M)/simulate/matrix broken
	@cat $(M)/operators/matrix $(M)/handlers/matrix $(M)/pod/matrix $(M)/simulate/matrix >$(M)/matrix
	@$(PYTHON) fuzz/mutants/report.py $(M)/matrix fuzz/mutants/operators.tsv --floors fuzz/mutants/floors
endif

# ---- faults: memory that runs out, files that do not take what they are given --------------------

.PHONY: oom oom-units oom-commands
$(B)/preload.so: fuzz/faults/preload.c | $(DEPS)
	@mkdir -p $(@D)
	@$(CC) -std=c11 -O1 -Wall -Wextra -Werror -shared -fPIC -o $@ $< -ldl
$(B)/memory: $(call objects,fuzz/faults/memory.c fuzz/faults/libraries.c) $(CONF_LIB) $(FAKES_LIB) $(HANDLERS_LIB) $(LIB)
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
# The unit tests, whose allocations come by an observer.
WRAP_MEMORY := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=posix_memalign,--wrap=free
$(B)/units-memory: $(call objects,$(TESTS) fuzz/faults/units.c) $(B)/unit_list.o $(CONF_LIB) $(FAKES_LIB) $(HANDLERS_LIB) $(LIB)
	@$(CC) $(LDFLAGS) $(WRAP_MEMORY) -o $@ $^ $(LDLIBS)
SESSIONS = $(wildcard fuzz/corpus/protocol-serve/*)

oom: all $(B)/preload.so $(B)/memory $(B)/units-memory ## each allocation fails once, one after another; so do writes, reads, and the disk
	@$(call aside,$(B)/oom-cases) $(B)/memory $(SESSIONS)
	@$(MAKE) -s $(SIDE_BY_SIDE) oom-units oom-commands
oom-units:
	@$(call aside,$(B)/$@) $(B)/units-memory
oom-commands:
	@$(PYTHON) fuzz/faults/faults.py memory build/probetest $(B)/preload.so
	@$(PYTHON) fuzz/faults/faults.py files build/probetest $(B)/preload.so

# ---- sanitizers ----------------------------------------------------------------------------------

# Instrumented code makes gcc see more than there is; clang's warnings are errors here, as gcc's are in make.  Integers: all that wraps but where integer.ignore says that it is meant to.
SAN_OPT := -O1 -g -Wno-format-truncation -Wno-maybe-uninitialized
INTEGER := -fsanitize=integer,undefined -fno-sanitize-recover=all -fsanitize-ignorelist=fuzz/faults/integer.ignore
ASAN = $(MAKE) -s FLAVOUR=asan OPT='$(SAN_OPT)' SAN='-fsanitize=address,undefined -fno-sanitize-recover=all'
.PHONY: san
san: | $(DEPS) ## unit tests, table, commands, hostile and kept inputs under ASan and UBSan; QUICK=1: without failing memory and clang's integer checks
	@$(ASAN) sanitized
	@$(if $(QUICK),exit 0;) if command -v $(FUZZ_CC) >/dev/null; then $(MAKE) -s FLAVOUR=integer CC=$(FUZZ_CC) OPT='-O1 -g' SAN='$(INTEGER)' sanitized; \
	    else echo 'san: no $(FUZZ_CC) here, integers are not checked'; fi

# What is slowed down gets the time that valgrind gets.
.PHONY: sanitized sanitized-units sanitized-table sanitized-replay sanitized-input sanitized-commands
sanitized: | $(DEPS)
	@$(MAKE) -s $(AT_ONCE) $(PROBETEST) $(B)/unit $(if $(QUICK),,$(B)/memory) $(FUZZ_TARGETS:%=$(B)/replay-%)
	@echo '$(FLAVOUR): $(SAN)'
	@$(MAKE) -s $(SIDE_BY_SIDE) sanitized-units sanitized-table sanitized-replay sanitized-input sanitized-commands
	@$(if $(QUICK),true,$(B)/memory $(SESSIONS))
sanitized-units:
	@UNDER_VALGRIND=1 $(B)/unit >$(B)/$@.txt || { cat $(B)/$@.txt; exit 1; }
	@grep -E '^(forward|reverse)' $(B)/$@.txt
# QUICK: of layer fire, whose attempts wait, each case at its newest version alone.
sanitized-table:
	@UNDER_VALGRIND=1 $(PROBETEST) run --quiet --not fire --k8s all >$(B)/$@.txt || { cat $(B)/$@.txt; exit 1; }
	@tail -1 $(B)/$@.txt
	@$(if $(QUICK),,UNDER_VALGRIND=1) $(PROBETEST) run --quiet fire $(if $(QUICK),,--k8s all --jobs 12) >$(B)/$@.txt || { cat $(B)/$@.txt; exit 1; }
	@tail -1 $(B)/$@.txt
sanitized-input:
	@PROBETEST=$(PROBETEST) conformance/input_test.sh
sanitized-commands:
	@conformance/commands_test.sh $(PROBETEST)
	@conformance/why/golden_test.sh $(PROBETEST)
sanitized-replay:
	@for t in $(FUZZ_TARGETS); do $(B)/replay-$$t $$(find fuzz/corpus/$$t -type f 2>/dev/null | sort) || exit; done
	@echo 'kept inputs: $(words $(wildcard fuzz/corpus/*/*)), no finding'

.PHONY: planted
planted: all ## bugs of each kind, planted: what CI runs is red with each
	@$(ASAN) $(AT_ONCE) build/asan/probetest build/asan/unit build/asan/replay-world
	@fuzz/planted.sh $(CC) $(LDLIBS)

# What fuzz/oss-fuzz/build.sh asks.
.PHONY: print-fuzz-sources print-libraries
print-fuzz-sources:
	@echo $(FUZZ_LIB_C)
print-libraries:
	@echo $(LDLIBS)
oss-fuzz: $(B)/places.def | $(DEPS) ## fuzz/oss-fuzz against the published contract, on this machine
	@conformance/deps.sh clang-14 libclang-rt-14-dev zip
	@fuzz/oss-fuzz/check.sh
