# site.mk: `make site` writes the site into build/site, `make check-site` looks at it in a browser.  Nothing else needs these tools.

# Debian 12 and 13 both have this one, with its functions for wasm32.
LLVM ?= 19
SITE := build/site
WASM := build/wasm
SITE_PACKAGES := clang-$(LLVM) lld-$(LLVM) wasi-libc libclang-rt-$(LLVM)-dev-wasm32 python3 python3-yaml
SITE_FROM := $(filter-out docs/site/check/%,$(wildcard docs/site/*.* docs/site/*/*.*))

# The command without real probes, and without what starts other programs.
WASM_C := $(filter-out conformance/command/%_command.c conformance/command/commands.c conformance/judge/table_run.c conformance/table/builtin.c \
          conformance/protocol/process.c conformance/protocol/scratch.c fakes/stderr.c,$(WITHOUT_C)) $(addprefix conformance/command/,lint_command.c why_command.c) docs/site/wasm/commands.c docs/site/wasm/host.c
LIBYAML_C := api dumper emitter loader parser reader scanner writer
LIBYAML_VERSION := -DYAML_VERSION_STRING='"0.2.5"' -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5
WASM_CC := clang-$(LLVM) --target=wasm32-wasi -O2 -flto -std=c11 -nostdlibinc -isystem /usr/include/wasm32-wasi -I$(WASM)/libyaml/include
WASM_CFLAGS := -Idocs/site/wasm/include -I. -I$(B) -D_POSIX_C_SOURCE=200809L -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_MMAN
WASM_O := $(WASM_C:%.c=$(WASM)/%.o) $(LIBYAML_C:%=$(WASM)/libyaml/%.o)

$(WASM)/deps: docs/site/site.mk
	@mkdir -p $(@D)
	@conformance/deps.sh $(SITE_PACKAGES)
	@touch $@
$(WASM)/libyaml/License: docs/site/wasm/libyaml.sh
	@docs/site/wasm/libyaml.sh $(@D)
	@touch $@
$(WASM)/libyaml/%.o: $(WASM)/libyaml/License $(WASM)/deps
	@$(WASM_CC) $(LIBYAML_VERSION) -c -o $@ $(WASM)/libyaml/src/$*.c
$(WASM)/%.o: %.c $(WASM)/libyaml/License $(WASM)/deps $(B)/places.def
	@mkdir -p $(@D)
	@$(WASM_CC) $(WASM_CFLAGS) -MMD -MP -c -o $@ $<
-include $(WASM_C:%.c=$(WASM)/%.d)
# A stack as a thread's is elsewhere, below all else, so that a nesting too deep ends the run.
$(WASM)/probetest.wasm: $(WASM_O)
	@$(WASM_CC) -o $@ -Wl,--start-lib $(WASM_O) -Wl,--end-lib -lwasi-emulated-signal -lwasi-emulated-mman \
	    -Wl,--strip-all,-z,stack-size=4194304,--stack-first,--max-memory=1073741824

$(SITE)/index.html: build/probetest $(WASM)/probetest.wasm $(SITE_FROM) conformance/alternates/page.py conformance/alternates/results.json
	@$(PYTHON) docs/site/build.py $(WASM) $(SITE)
site: $(SITE)/index.html ##! the site with the playground: build/site
	@echo '$(SITE)/index.html, $(SITE)/playground.html'

BROWSER := build/browser
$(BROWSER)/deps: docs/site/check/package.json
	@mkdir -p $(@D)
	@conformance/deps.sh chromium fonts-dejavu-core
	@command -v npm >/dev/null || conformance/deps.sh nodejs npm
	@cp $< docs/site/check/package-lock.json $(@D)
	@npm --prefix $(@D) ci --silent --no-audit --no-fund
	@touch $@
check-site: site $(BROWSER)/deps ## the site in a real browser: results, links, errors, accessibility, sizes; pictures in build/browser
	@NODE_PATH=$(BROWSER)/node_modules node docs/site/check/check.cjs $(SITE) $(BROWSER)
.PHONY: site check-site
