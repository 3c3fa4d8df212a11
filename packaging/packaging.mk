# What is installed, and what is given to others.  Included by the top Makefile.

.PHONY: static dist packaging packaging-check distributions docs docs-check
CHECKS += packaging docs-check

LIBDIR ?= $(PREFIX)/lib
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
COMPLETIONS := $(addprefix $(B)/completions/,probetest.bash _probetest probetest.fish)

$(B)/probetest.1: $(COMMAND) packaging/man.sh packaging/kubectl-probetest
	@packaging/man.sh $(COMMAND) >$@
$(B)/completions/probetest.bash: SHELL_OF = bash
$(B)/completions/_probetest: SHELL_OF = zsh
$(B)/completions/probetest.fish: SHELL_OF = fish
$(COMPLETIONS): $(COMMAND) packaging/complete.sh
	@mkdir -p $(@D)
	@packaging/complete.sh $(SHELL_OF) $(COMMAND) >$@

D = $(DESTDIR)$(PREFIX)
install: all $(B)/probetest.1 $(COMPLETIONS) ##! command, plugin, library, man page, completion (DESTDIR=, PREFIX=)
	umask 022; install -D -m 755 $(COMMAND) "$(D)/bin/probetest"
	umask 022; install -m 755 packaging/kubectl-probetest packaging/kubectl_complete-probetest "$(D)/bin/"
	umask 022; install -d "$(DESTDIR)$(LIBDIR)/pkgconfig"
	install -m 644 $(LIB) $(if $(filter 0,$(PROBES)),,$(HANDLERS_LIB)) "$(DESTDIR)$(LIBDIR)/"
	umask 022; for h in $(HEADERS:core/%=%) handlers/handler.h; do install -D -m 644 core/$$h "$(D)/include/kubeprobe/$$h" || exit; done
	umask 022; for pc in core/libkubeprobe.pc $(if $(filter 0,$(PROBES)),,core/handlers/libkubeprobe-handlers.pc); do \
		sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' $$pc.in \
			>"$(DESTDIR)$(LIBDIR)/pkgconfig/$${pc##*/}" || exit; done
	umask 022; install -D -m 644 $(B)/probetest.1 "$(D)/share/man/man1/probetest.1"
	umask 022; for name in kubectl-probetest kubectl_complete-probetest; do \
		echo '.so man1/probetest.1' | install -m 644 /dev/stdin "$(D)/share/man/man1/$$name.1" || exit; done
	umask 022; install -D -m 644 $(B)/completions/probetest.bash "$(D)/share/bash-completion/completions/probetest"
	umask 022; install -D -m 644 $(B)/completions/_probetest "$(DESTDIR)$(ZSHDIR)/_probetest"
	umask 022; install -D -m 644 $(B)/completions/probetest.fish "$(D)/share/fish/vendor_completions.d/probetest.fish"

static: ##! one file that needs nothing, for amd64 and arm64: build/static
	@packaging/static.sh $(or $(ARCHES),amd64 arm64)

dist: all $(B)/probetest.1 $(COMPLETIONS) ##! a release in build/dist: archives, binaries, checksums, SBOM
	@packaging/dist.sh

packaging: all $(B)/probetest.1 $(COMPLETIONS) # plugin, actions, hooks, completion, man page: each tried without a network
	@packaging/packaging_test.sh

packaging-check: all $(B)/probetest.1 $(COMPLETIONS) ## the slow ones: static binaries twice the same, Debian packages, container, release archives
	@packaging/packaging_check.sh

distributions: ## the table on other systems, compilers and machines, a line each (NAME="debian-13 s390x musl")
	@packaging/distributions.sh $(NAME)

# The picture of the README.
STRIP := simulate --for 5m --k8s 1.36 --format svg conformance/examples/liveness-exec.yaml
docs: all ## what commands print, put into README.md and docs/; the pages made from rules, and the schemas
	@$(DEBIAN_PYTHON) docs/generate.py build/probetest
	@$(DEBIAN_PYTHON) conformance/schema/generate.py
	@build/probetest $(STRIP) >docs/liveness-exec.svg
	@$(DEBIAN_PYTHON) docs/check.py --write build/probetest

docs-check: all # each command that README.md and docs/ show, and its output; the pages that are made from the rules
	@$(DEBIAN_PYTHON) docs/generate.py --check build/probetest
	@$(DEBIAN_PYTHON) conformance/schema/generate.py --check
	@build/probetest $(STRIP) | cmp - docs/liveness-exec.svg || { echo 'docs: the picture is another one now: `make docs`' >&2; exit 1; }
	@$(DEBIAN_PYTHON) docs/check.py build/probetest
