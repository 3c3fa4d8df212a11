# probetest: the executable specification of Kubernetes container-probe semantics.
# Two commands do all the set-up: `make conformance` and `make check`.  `make help` lists the rest.
# Nothing else installs anything: it says what is missing.

FLAVOUR ?= plain
B := build/$(FLAVOUR)
CC ?= gcc
PREFIX ?= /usr/local
DESTDIR ?=
VERSION := $(shell sed -n 's/^\#define PROBETEST_VERSION "\(.*\)".*/\1/p' core/base/version.h)
# The one that Debian's python3-yaml and python3-jsonschema belong to.
DEBIAN_PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
PYTHON ?= $(DEBIAN_PYTHON)
CLANG_FORMAT ?= clang-format-14

# What the program is built from; PROBES=0 leaves out real probes and what they need (simulate, lint, explain, run, serve and the
# like are built).
PROBES ?= 1
NEEDS := yaml.h=libyaml-dev zlib.h=zlib1g-dev
ifneq ($(PROBES),0)
NEEDS += curl/curl.h=libcurl4-openssl-dev openssl/ssl.h=libssl-dev nghttp2/nghttp2.h=libnghttp2-dev
endif
# What the checks need beside it.
CHECK_PACKAGES := libc6-dev pkg-config $(foreach need,$(NEEDS),$(lastword $(subst =, ,$(need)))) \
                  clang-format-14 libcunit1-dev valgrind python3 python3-yaml python3-jsonschema
# Those that install packages which are missing, and say so before.
ifneq ($(filter conformance check deps,$(MAKECMDGOALS)),)
export INSTALL := 1
endif
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wvla -Wwrite-strings -Wundef
# gcc 11 misses fields after a designated initializer whose value is a macro or a call; its neighbours, and C, do not.
WARN += $(if $(filter 11 11.%,$(shell $(CC) -dumpversion 2>/dev/null)),-Wno-missing-field-initializers)
OPT ?= -O2 -g
CPPFLAGS += -I. -I$(B) -D_POSIX_C_SOURCE=200809L
override CFLAGS += -std=c11 $(OPT) $(WARN) $(SAN)
override LDFLAGS += $(SAN)
LDLIBS_WITHOUT = -lyaml -lz -lm -pthread
LDLIBS = $(if $(filter 0,$(PROBES)),,-lcurl -lnghttp2 -lssl -lcrypto) $(LDLIBS_WITHOUT)

# The folders of core/ and of conformance/, lowest first: each may include those before it.
CORE_FOLDERS := base rules model api prober kubelet
FOLDERS      := text pod protocol table fire judge report simulate advice why probe command
# The table: a file a topic, in a folder a layer.
CASE_FILES := $(sort $(wildcard conformance/cases/*.yaml conformance/cases/*/*.yaml))
folders_of = $(sort $(dir $(1)))
# A module is x.c, x.h, x_test.c side by side; adding one adds no line here.
TESTS      := $(sort $(wildcard core/*_test.c $(CORE_FOLDERS:%=core/%/*_test.c) core/handlers/*_test.c fakes/*_test.c $(FOLDERS:%=conformance/%/*_test.c)))
CORE_C     := $(filter-out %_test.c,$(sort $(wildcard core/*.c $(CORE_FOLDERS:%=core/%/*.c))))
HANDLERS_C := $(filter-out %_test.c,$(sort $(wildcard core/handlers/*.c)))
FAKES_C    := $(filter-out %_test.c fakes/unit.c fakes/bench.c,$(sort $(wildcard fakes/*.c)))
CONF_C     := $(filter-out %_test.c %/main.c %/without_probes.c,$(sort $(wildcard $(FOLDERS:%=conformance/%/*.c))))
objects     = $(patsubst %.c,$(B)/%.o,$(1))
LIB        := $(B)/libkubeprobe.a
HANDLERS_LIB := $(B)/libkubeprobe-handlers.a
FAKES_LIB  := $(B)/libfakes.a
CONF_LIB   := $(B)/libconformance.a
PROBETEST  := $(B)/probetest
# Without probes: all but what speaks to the network, and one file instead.
WITHOUT_C  := $(CORE_C) $(FAKES_C) $(addprefix core/handlers/,scratch.c ip_literal.c url.c url_escape.c url_path.c) \
              $(filter-out conformance/fire/% conformance/probe/% %/question_fire.c %/live.c,$(CONF_C)) \
              conformance/command/without_probes.c conformance/command/main.c
WITHOUT    := $(B)/probetest-without-probes
COMMAND    := $(if $(filter 0,$(PROBES)),$(WITHOUT),$(PROBETEST))


.PHONY: help-all warnings without-probes commands answers real fire fuzz rules replay coverage schema input valgrind valgrind-units valgrind-table valgrind-input patches same house embed all help deps check conformance unit floors pure format format-check clean install bench
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:

all: build/probetest $(LIB) $(if $(filter 0,$(PROBES)),,$(HANDLERS_LIB)) ##! build/probetest and the library; PROBES=0: without real probes

# A line with ##! is in help, one with ## in help-all too.
help: ## the twelve that are asked for most
	@grep -hE '^[a-z-]+:.*##! ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*##! /\1\t/' | expand -t 14
	@echo; echo '`make help-all` has the rest.'

help-all: ## each target, and the steps of check
	@grep -hE '^[a-z-]+:.*##!? ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*##!? /\1\t/' | sort | expand -t 18
	@printf '\nThe steps of check, each a target of its own, and said where it stands in the Makefiles:\n'
	@echo $(sort $(CHECKS)) | fold -sw 78 | sed 's/^/  /'

# ---- what everything is built from -------------------------------------------------------------

# Stamps of what is there: looked at once, made again when a list changes.
stamp = build/.$(1)-$(shell echo '$(CC) $(2)' | cksum | cut -d' ' -f1)
DEPS := $(call stamp,needs,$(NEEDS))
CHECK_DEPS := $(call stamp,packages,$(CHECK_PACKAGES))

deps: $(CHECK_DEPS) ## install the Debian packages that are missing, for the program and its checks
$(CHECK_DEPS):
	@mkdir -p build
	@conformance/deps.sh $(CHECK_PACKAGES)
	@touch $@
$(DEPS): | $(if $(INSTALL),$(CHECK_DEPS))
	@mkdir -p build
	@conformance/needs.sh '$(CC)' $(NEEDS)
	@touch $@

# How objects are compiled, and what a sanitizer leaves out: where that has changed they are compiled anew.  (Of all objects, so not as
# one of them sees it.)
COMPILED_BY := $(CC) $(CPPFLAGS) $(CFLAGS)
LEFT_OUT := $(patsubst -fsanitize-ignorelist=%,%,$(filter -fsanitize-ignorelist=%,$(SAN)))
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@{ printf '%s\n' '$(subst ','\'',$(COMPILED_BY))'; cat $(LEFT_OUT) /dev/null; } >$@.$$$$; cmp -s $@.$$$$ $@ && rm $@.$$$$ || mv $@.$$$$ $@
$(B)/%.o: %.c $(B)/flags | $(DEPS)
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $< 2>$@.said; code=$$?; cat $@.said >&2; exit $$code

# Where each rule stands in the code (places.awk): made from the sources, also when one goes; read by `explain` and `rules`.
PLACES_FROM := $(wildcard core/rules/rules_*.def) $(filter-out %_test.c core/rules/rules_%,$(sort $(wildcard core/*.c core/*/*.c core/*/*.def \
               conformance/pod/pod_*.c conformance/pod/kubectl.c conformance/pod/describe.c conformance/pod/podpreset.c conformance/text/json.c conformance/text/yaml*.c conformance/simulate/sim_trace.c)))
$(B)/places.def: conformance/places.awk $(PLACES_FROM) $(call folders_of,$(PLACES_FROM))
	@mkdir -p $(@D)
	@awk -f $(filter-out %/,$^) >$@
$(B)/conformance/table/rule_table.o: $(B)/places.def
# What the command carries in itself (builtin.h); packed anew only where one of these files has changed, came or went.
PACKED := $(CASE_FILES) conformance/oracle/divergences.md conformance/table/upstream.tsv
$(B)/table.def: conformance/pack.sh $(PACKED) $(call folders_of,$(CASE_FILES))
	@mkdir -p $(@D)
	@conformance/pack.sh $(PACKED) >$@.$$$$ && mv $@.$$$$ $@
$(B)/conformance/table/builtin.o: $(B)/table.def
.PHONY: FORCE
FORCE:

# The engine's modules are small, and are carried in both forms: gcc's linker inlines them into each other, as in bench, which takes
# it seconds; the tests and the command are linked as they were compiled.
IS_GCC := $(shell $(CC) --version | grep -c 'Free Software')
LTO := $(if $(filter plain-1,$(FLAVOUR)-$(IS_GCC)),-flto=auto -ffat-lto-objects)
override LDFLAGS += $(if $(LTO),-fno-lto)
$(call objects,$(CORE_C) $(HANDLERS_C)): override CFLAGS += $(LTO)
$(LIB): $(call objects,$(CORE_C))
$(HANDLERS_LIB): $(call objects,$(HANDLERS_C))
$(FAKES_LIB): $(call objects,$(FAKES_C))
$(CONF_LIB): $(call objects,$(CONF_C))
$(LIB) $(HANDLERS_LIB) $(FAKES_LIB) $(CONF_LIB):
	@rm -f $@.$$$$ && ar rcs $@.$$$$ $^ && mv $@.$$$$ $@

$(PROBETEST): $(B)/conformance/command/main.o $(CONF_LIB) $(FAKES_LIB) $(HANDLERS_LIB) $(LIB)
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(WITHOUT): $(call objects,$(WITHOUT_C))
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS_WITHOUT)

build/probetest: $(COMMAND) FORCE
	@[ "$$(readlink $@)" = $(<:build/%=%) ] || ln -sf $(<:build/%=%) $@

# The suites of the tests LISTED.
define write-unit-list
@mkdir -p $(@D)
@{ echo '#include "fakes/unit.h"'; \
for t in $(notdir $(LISTED:.c=)); do echo "extern const struct unit_test $$t[];"; done; \
echo 'const struct unit_suite unit_suites[] = {'; \
for t in $(notdir $(LISTED:.c=)); do echo "{\"$$t\", $$t},"; done; \
echo '{0}};'; } > $@
endef
$(B)/unit_list.c: LISTED = $(TESTS)
$(B)/unit_list.c: $(TESTS) $(call folders_of,$(TESTS)) Makefile
	$(write-unit-list)
$(B)/unit_list.o: $(B)/unit_list.c
	@$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
$(call objects,$(TESTS) fakes/unit.c): | $(CHECK_DEPS)
$(B)/unit: $(call objects,$(TESTS) fakes/unit.c) $(B)/unit_list.o $(CONF_LIB) $(FAKES_LIB) $(HANDLERS_LIB) $(LIB)
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcunit

-include $(patsubst %.o,%.d,$(call objects,$(CORE_C) $(HANDLERS_C) $(FAKES_C) $(CONF_C) $(TESTS) fakes/unit.c fakes/bench.c conformance/command/main.c conformance/command/without_probes.c))

# ---- what is checked, cheapest first ------------------------------------------------------------

conformance: $(if $(CASE),all,same) ##! install what is missing, build, play the table; CASE=id picks
	@build/probetest run $(if $(CASE),$(CASE),--k8s all)

# Go 1.17 and 1.18, and grpc-go 1.49, 1.51 and 1.54, are those of no minor's newest patch.
patches: all # the table, without the attempts, on each patch release with which something changes; the attempts on five
	@build/probetest run --quiet --k8s patches --not '^fire-' >$(B)/patches.txt || { cat $(B)/patches.txt; exit 1; }
	@tail -1 $(B)/patches.txt
	@build/probetest run --quiet --k8s 1.23.0,1.24.0,1.26.0,1.27.0,1.28.0 '^fire-' >$(B)/patches.txt || { cat $(B)/patches.txt; exit 1; }
	@tail -1 $(B)/patches.txt

fire: all ##! real probes against fault servers; CASE=fire-tcp picks
	@build/probetest run $(or $(CASE),^fire-)

same: all # the table in process and through `probetest serve`: the same verdicts, the same bytes, and each message fits its schema
	@build/probetest run --quiet --report $(B)/in-process.jsonl >$(B)/same.txt || { cat $(B)/same.txt; exit 1; }
	@build/probetest run --quiet --jobs 3 --report $(B)/served.jsonl -- $(PYTHON) -S -E conformance/schema_proxy.py build/probetest serve \
	    >$(B)/same.txt || { cat $(B)/same.txt; exit 1; }
	@printf 'in process and through serve: '
	@build/probetest diff $(B)/in-process.jsonl $(B)/served.jsonl
	@cmp $(B)/in-process.jsonl $(B)/served.jsonl

input: all # hostile and broken files: one clear line each
	@conformance/input_test.sh

commands: all # every command and option as the help describes it: exit code, and what it says
	@conformance/commands_test.sh build/probetest
	@conformance/why/golden_test.sh build/probetest

answers: all # what people asked in public issues: each answer, of at most ten lines
	@$(PYTHON) conformance/answers_test.py build/probetest

VALGRIND := valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect,possible
# Under valgrind posix_spawn does not report that a command cannot be started: all cases but fire-exec-cannot.
valgrind: all $(B)/unit ## unit tests, the table and hostile inputs: no error, no leak
	@$(MAKE) -s $(SIDE_BY_SIDE) valgrind-units valgrind-table valgrind-input
valgrind-units:
	@UNDER_VALGRIND=1 $(VALGRIND) $(B)/unit >$(B)/$@.txt || { cat $(B)/$@.txt; exit 1; }
valgrind-table:
	@UNDER_VALGRIND=1 $(VALGRIND) build/probetest run --quiet --not '^fire-exec-cannot' >$(B)/$@.txt || { cat $(B)/$@.txt; exit 1; }
valgrind-input:
	@conformance/input_test.sh $(VALGRIND)

# Cheapest first, then those that wait most, beside which the others have the processors.  All that they need is built before; then
# several of them run at once.
CHECKS := warnings without-probes format-check floors house pure rules replay schema broken embed unit adapters alternates-check oracle-test real commands answers input \
          conformance patches recordings second-opinion upstreams
AT_ONCE = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))
# Whole attacks mostly wait for clocks.
SIDE_BY_SIDE = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell expr 3 '*' `nproc`))
BUILT = all $(B)/unit $(WITHOUT) $(M)/hand/judge $(FUZZ_TARGETS:%=$(B)/replay-%)
check: ##! install what is missing, then all that CI runs
	@$(MAKE) -s $(AT_ONCE) $(BUILT)
	@MAKE='$(MAKE)' $(PYTHON) conformance/check.py $(CHECKS)

adapters: all # the runner against shipped and broken adapters; NAME=hangs picks one
	@$(PYTHON) conformance/adapters_test.py build/probetest $(NAME)

# What was looked at and has not changed is not looked at again: all of it where the rules or a folder have changed, else the files alone.
# The stamp's time is that of before the look.
changed_of = $(if $(filter-out $(1),$?),$(1),$?)

$(B)/cases-valid: $(CASE_FILES) $(call folders_of,$(CASE_FILES)) conformance/case.schema.json conformance/table/case_keys.def conformance/cases/validate.py Makefile | $(DEPS)
	@mkdir -p $(@D) && touch $@.new
	@$(DEBIAN_PYTHON) conformance/cases/validate.py $(call changed_of,$(CASE_FILES))
	@mv $@.new $@
schema: all $(B)/cases-valid # the case files against conformance/case.schema.json, and what export writes against its own
	@$(DEBIAN_PYTHON) conformance/cases/validate.py --export build/probetest

rules: all # no rule lacks a case or a place in the code; `probetest rules` lists them all
	@build/probetest rules --holes

unit: $(B)/unit ##! the CUnit tests beside the modules; SUITE=name picks one
	@$(B)/unit $(SUITE)

# What the compiler said of the objects that are there; here alone it is an error.
warnings: # no file compiles with a warning
	@! cat /dev/null $(wildcard $(addsuffix .said,$(filter-out $(M)/%,$(call objects,$(CORE_C) $(HANDLERS_C) $(FAKES_C) $(CONF_C) $(TESTS))))) | grep . >&2

without-probes: $(WITHOUT) # what `make PROBES=0` builds: it plays the table, and says what it has not
	@conformance/without_probes_test.sh $(WITHOUT)

floors: # no include goes upward
	@conformance/floors.sh '$(CORE_FOLDERS)' $(FOLDERS)

house: # lengths of functions and files; versions only in the profile
	@conformance/house.sh

pure: $(LIB) $(HANDLERS_LIB) # the core calls nothing of the outside world, and its modules not in a circle
	@conformance/pure.sh $^

FORMATTED = $(wildcard core/*.[ch] core/*/*.[ch] fakes/*.[ch] conformance/*/*.[ch] fuzz/*.[ch] fuzz/mutants/*.[ch] fuzz/faults/*.[ch] fuzz/shared/*.[ch] coverage/*.c)
format: | $(DEPS) ##! clang-format in place
	@$(CLANG_FORMAT) -i $(FORMATTED)
$(B)/formatted: $(FORMATTED) $(call folders_of,$(FORMATTED)) .clang-format Makefile | $(DEPS)
	@mkdir -p $(@D) && touch $@.new
	@$(CLANG_FORMAT) --dry-run -Werror $(call changed_of,$(FORMATTED))
	@mv $@.new $@
format-check: $(B)/formatted

$(B)/bench: $(B)/fakes/bench.o $(FAKES_LIB) $(LIB)
	@$(CC) $(OPT) $(LDFLAGS) $(LTO) -o $@ $^

$(B)/pipe_bench: $(B)/conformance/bench/pipe.o $(CONF_LIB) $(FAKES_LIB) $(HANDLERS_LIB) $(LIB)
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/handlers_bench: $(B)/conformance/bench/handlers.o $(CONF_LIB) $(FAKES_LIB) $(HANDLERS_LIB) $(LIB)
	@$(CC) $(OPT) $(LDFLAGS) $(LTO) -o $@ $^ $(LDLIBS)

$(B)/budget_bench: $(B)/conformance/bench/budget.o $(CONF_LIB) $(FAKES_LIB) $(HANDLERS_LIB) $(LIB)
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

bench: all $(B)/bench $(B)/budget_bench $(B)/pipe_bench $(B)/handlers_bench ##! what a tick, a day, a probe cost; K8S=1.36: in its kubelet too
	@$(B)/bench
	@$(B)/budget_bench
	@$(B)/pipe_bench
	@$(B)/handlers_bench
	@$(PYTHON) conformance/bench/lint.py build/probetest
	@$(if $(call GIVEN,K8S,),conformance/oracle/build_handlers.sh $(K8S) && $(B)/handlers_bench against build/oracle/$(K8S)/kubelet-handlers)

# The linker leads a worker's steps through an observer, in this build alone.  Nothing is inlined: a branch counts once, as it is written.
OBSERVER := build/cov/coverage/worker_states.o
COVERED = $(MAKE) -s FLAVOUR=cov OPT='-O1 -g -fno-inline -fprofile-update=prefer-atomic' SAN=--coverage
coverage: ## lines, branches, rules and the worker's states, by suite; HTML in build/cov/coverage; fails below coverage/floors
	@conformance/deps.sh lcov nginx-light python3-grpcio openssl
	@find build/cov -name '*.gcda' -delete 2>/dev/null || true
	@$(COVERED) $(OBSERVER)
	@$(COVERED) LDLIBS='$(OBSERVER) build/cov/libkubeprobe.a -Wl,--wrap=kp_worker_do_probe,--wrap=kp_worker_count $(LDLIBS)' $(OBSERVER) \
	    build/cov/unit build/cov/probetest build/cov/memory $(FUZZ_TARGETS:%=build/cov/replay-%)
	@PLACES_FROM='$(PLACES_FROM)' coverage/report.sh build/cov

# ---- for other programs ------------------------------------------------------------------------

# What an embedding program may include: engine.h, or the prober without the kubelet, and what they are made of.
HEADERS := $(addprefix core/,engine.h prober/prober_manager.h $(addprefix model/,config.h spec.h trace.h) $(addprefix base/,duration.h mem.h err.h text.h) \
           $(addprefix rules/,rules.h profile.h gates.def profile.def rules_api.def rules_prober.def rules_sync.def rules_silent.def standing.def))

real: all # real probes against nginx and a gRPC server on grpcio
	@conformance/deps.sh nginx-light python3-grpcio openssl
	@$(DEBIAN_PYTHON) conformance/real_stack_test.py build/probetest

# Not done again where nothing that is installed has changed.
EMBEDDED = $(B)/embedded-by-$(notdir $(firstword $(CC)))
$(EMBEDDED): $(PROBETEST) $(B)/probetest.1 $(COMPLETIONS) $(HEADERS) $(wildcard core/handlers/*.h core/*.pc.in core/handlers/*.pc.in packaging/*.sh) \
    conformance/examples/live.c conformance/cases/README.md conformance/embed_test.sh Makefile
	@touch $@.new
	@conformance/embed_test.sh $(CC)
	@mv $@.new $@
embed: all $(EMBEDDED) # another program compiles, links and runs against the installed library

clean: ## remove build/
	rm -rf build

include packaging/packaging.mk
include conformance/oracle/oracle.mk
include conformance/adapters/adapters.mk
include conformance/alternates/alternates.mk
include fuzz/fuzz.mk
include docs/site/site.mk
