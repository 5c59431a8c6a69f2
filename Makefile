# Saltus. `make help` lists the targets. All of them write to $(BUILD) only, except fmt, install and compile_commands.json.
# SUNDIALS=1 adds CVODE's methods, in a build folder of its own, and builds only their C tests.
BUILD = build$(if $(SUNDIALS),/sundials)
ifeq ($(origin CC),default)
CC = gcc
endif
LUA     ?= $(shell command -v lua5.4 || command -v lua54 || echo lua5.4)
PY      ?= python3
PREFIX  ?= /usr/local
LUADIR  ?= $(PREFIX)/share/lua/5.4
LUALIBDIR ?= $(PREFIX)/lib/lua/5.4
JOBS    ?= $(shell nproc 2>/dev/null || echo 1)
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(JOBS)
endif
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL = all
# V=1 prints whole commands; otherwise make prints one word and a file name.
say = $(if $(V),,@echo '  $(1)  $@' >&2;)
.DELETE_ON_ERROR:
.SECONDARY:

# Lua's headers and library, which only the binding and the hosts use.
LUA_INCDIR ?=
lua_pc     = $(shell for p in lua5.4 lua-5.4 lua54; do pkg-config --exists $$p 2>/dev/null && echo $$p && break; done)
LUA_CFLAGS = $(if $(LUA_INCDIR),-I$(LUA_INCDIR),$(or $(if $(lua_pc),$(shell pkg-config --cflags $(lua_pc))),-I/usr/include/lua5.4))
LUA_LIBS   = $(or $(if $(lua_pc),$(shell pkg-config --libs $(lua_pc))),-llua5.4)
LIBFLAG   ?= -shared

# No contraction and no fast math: a run has the same bits with gcc and clang, with -O0 and -O3. -fno-plt calls functions
# of libm and Lua directly. Aligned functions make times the same from build to build: without, the same instructions
# for c_rhs take 24 to 27 ns, depending on where the linker puts them; with, 24.0.
CFLAGS   ?= -O2
NO_PLT    = -fno-plt
WARNINGS  = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
SALFLAGS  = -std=c11 $(WARNINGS) -ffp-contract=off -fno-math-errno -fvisibility=hidden -fPIC $(NO_PLT) -falign-functions=32 -MMD -MP -Isrc/include -Isrc
SALFLAGS += $(if $(SUNDIALS),-DSAL_SUNDIALS -isystem /usr/include/suitesparse)
LIBM      = $(if $(SUNDIALS),$(addprefix -lsundials_,cvode nvecserial sunlinsoldense sunlinsolband sunlinsolklu) -lklu) -lm
COMPILE   = $(CC) $(CFLAGS) $(SALFLAGS) $(SAN)
LINK      = $(CC) $(CFLAGS) $(LDFLAGS) $(SAN)
# The processor does not forward several scalar stores to one vector load. With vectorized loads after scalar stores, sums
# of stages take 30 % longer and events 5 %.
ifneq ($(findstring clang,$(CC)),clang)
SALFLAGS   += -fno-tree-slp-vectorize
METHODFLAGS = $(if $(SAN),,-O3)
endif

lib_src  := $(filter-out %_test.c,$(wildcard $(foreach layer,base numerics tape model engine blocks,src/$(layer)/*.c src/$(layer)/*/*.c)))
lib_src  := $(if $(SUNDIALS),$(lib_src),$(filter-out src/numerics/sundials/%,$(lib_src)))
bind_src := $(filter-out %_test.c %/front.c,$(wildcard src/binding/*.c src/binding/*/*.c))
test_src := $(if $(SUNDIALS),,$(filter-out src/numerics/sundials/%,$(wildcard src/*/*_test.c src/*/*/*_test.c)))
test_src += $(if $(SUNDIALS),$(wildcard src/numerics/sundials/*_test.c))
host_src := $(wildcard examples/hosts/*.c)
lib_obj   = $(lib_src:%.c=$(BUILD)/obj/%.o)
bind_obj  = $(bind_src:%.c=$(BUILD)/obj/%.o)
front_obj = $(addprefix $(BUILD)/obj/src/binding/,script/front.o sandbox/front.o)
objects   = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard src/*/*.c src/*/*/*.c examples/hosts/*.c spec/*/*.c))
tests     = $(addprefix $(BUILD)/test/,$(notdir $(test_src:.c=)))
core_tests = $(addprefix $(BUILD)/test/,$(notdir $(filter-out src/binding/%,$(test_src:.c=))))
hosts     = $(host_src:examples/hosts/%.c=$(BUILD)/examples/%)
fuzzers  := $(patsubst spec/stress/%.c,%,$(wildcard spec/stress/*_fuzz.c))
libsaltus = $(BUILD)/lib/libsaltus.a
libsaltus_lua = $(BUILD)/lib/libsaltus-lua.a
core      = $(BUILD)/lua/saltus/core.so
saltus    = $(BUILD)/bin/saltus
modules   = $(BUILD)/spec/c_systems.so

export BUILD CC LUA PY
export SALTUS_BUILD = $(BUILD)
export LUA_PATH  = ./lua/?.lua;./lua/?/init.lua;;
export LUA_CPATH = ./$(BUILD)/lua/?.so;;
BUSTED = $(LUA) spec/support/busted.lua --ignore-lua --cpath='./$(BUILD)/lua/?.so'

##@ Every day

all: lib $(libsaltus_lua) $(BUILD)/lib/libsaltus-lua.so.0 $(core) $(saltus) $(hosts)  ## build the library, the Lua module, the command and the examples

demo: all  ## run the ball, the thermostat, the compass gait and the tank alarm; write a page that moves for each to build/demo
	@mkdir -p $(BUILD)/demo
	@$(LUA) spec/support/demo.lua $(saltus) $(BUILD)/demo

doc: all  ## write the reference to build/doc, an HTML page for each topic and block
	@mkdir -p $(BUILD)/doc
	@$(LUA) spec/support/doc.lua $(BUILD)/doc

site: all build/site/venv/installed build/playground/index.html  ## build these documents as pages with search, which work offline: build/site/html
	@rm -rf build/site/pages build/site/html
	@$(LUA) docs/site/assemble.lua build/site
	@cd build/site && NO_MKDOCS_2_WARNING=1 venv/bin/mkdocs build --strict --quiet
	@$(LUA) docs/site/check_links.lua build/site/html

site-look: site | need-look  ## open each page of the site in a browser that refuses all requests, and search [ONLY=pattern]
	@$(LUA) docs/site/look.lua build/site/html $(ONLY)

playground: build/playground/index.html  ## build a page that runs saltus in the browser, without server or network
	@ls -l $< | awk '{ print $$9 ": " $$5 " bytes" }'

test: all $(tests) $(modules) | need-test  ## run the C tests and all specs
	@JOBS=$(JOBS) .ci/test $(tests)

check: | need-check  ## run everything else that CI runs: both compilers, sanitizers, valgrind, lint, stress
	+@.ci/check

recipes: all  ## run a sweep by GNU parallel, mpirun, Slurm and Dask, where they are installed, and compare [ONLY=name]
	$(LUA) spec/recipes/launchers.lua $(ONLY)

queues: all | need-test  ## run queues as stories: M/M/c against the theory, five problems of SimPy against SimPy where Python has it
	@QUEUES=1 $(BUSTED) spec/stress/queues_spec.lua

conformance: all | need-test  ## replay the recorded traces [TRACES=dir]
	@$(LUA) spec/conformance/run.lua $(TRACES)

bench: all $(addprefix $(BUILD)/bench/,rhs c_rhs math stiff nonstiff watch events clocks scheduled delay delayed wiring pid_loop frames mixed) | need-bench  ## print measurements as JSON lines, with peers in the same run [ONLY=name] [BENCH=long]
	@$(LUA) spec/bench/run.lua $(ONLY)

browser: all build/browser/installed build/playground/index.html | need-browser  ## open pages of the examples in chromium: light, dark, narrow, printed; drive saltus live and the playground [ONLY=pattern]
	@.ci/browser $(ONLY)

##@ Parts of check

lint: | need-check  ## run luacheck
	@luacheck -q .

fmt-check: | need-check  ## check the format of C files
	@clang-format --dry-run -Werror $(c_files)
	@! LC_ALL=C.UTF-8 grep -nE '^.{121}' $(c_files)  # clang-format leaves comments as they are, wide ones too

fmt: | need-check  ## format C files
	@clang-format -i $(c_files)
c_files = $(wildcard src/*/*.[ch] src/*/*/*.[ch] examples/hosts/*.c examples/hosts/*/*.[ch] examples/hosts/*/*/*.[ch] examples/hosts/*/*.cpp packaging/*.[ch] packaging/*.hpp spec/*/*.[ch] spec/packaging/*.cpp)

architecture: all | need-test  ## check the includes between layers and the exported symbols
	@$(BUSTED) spec/architecture_spec.lua

types: all  ## check the type stubs for editors with emmylua_check, which cargo installs once [TYPES=cached]
	@.ci/types $(TYPES)

everything: all $(tests) $(modules) $(addprefix $(BUILD)/stress/,oom) $(BUILD)/bin/lua

clang: | need-check  ## build with clang, without warnings
	+@$(unoptimized) everything  # its warnings come before it optimizes
unoptimized = $(MAKE) BUILD=build/clang CC=clang CFLAGS=-O0 METHODFLAGS=

# Specs of the sources, the pages, the packages, the plots, of other processes and of what is in Lua alone find the same
# in every build.
run_specs = $(filter-out $(addprefix spec/,packaging hosts recipes cli output script \
  $(addsuffix _spec.lua,architecture doc docs owners prose site)) spec/formula,$(wildcard spec/*)) \
  $(filter-out spec/formula/grammar_spec.lua spec/formula/rtamt_spec.lua spec/formula/windows_spec.lua,\
  $(wildcard spec/formula/*_spec.lua)) $(filter-out spec/script/installed_spec.lua,$(wildcard spec/script/*_spec.lua))

# The collector frees what the binding does not hold. It makes no difference to integrators, searches and formulas.
collected_specs = $(filter-out $(addprefix spec/,conformance numerics engine) spec/formula/%,$(run_specs)) \
  $(addprefix spec/engine/,event frame recorder $(addsuffix _spec.lua,failures reentrance snapshot threads warnings))

SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1
asan: | need-check  ## run C tests and all specs under the address and undefined-behaviour sanitizers
	@$(MAKE) everything BUILD=build/asan CFLAGS=-O1 SAN='$(SANITIZE)'
	@BUILD=build/asan SALTUS_BUILD=build/asan LUA=build/asan/bin/lua SALTUS_CASES=5 SPECS='$(run_specs)' .ci/test $(tests:$(BUILD)/%=build/asan/%)

valgrind: all $(tests) | need-check  ## run the C tests and two scenarios under valgrind
	@.ci/valgrind $(tests)

gcstress: all $(modules) | need-test  ## run the specs with a collector that collects all the time
	@SALTUS_GC=stress SALTUS_CASES=20 SPECS='$(collected_specs)' .ci/test
	@$(LUA) spec/stress/collect.lua

stress: all $(BUILD)/test/symplectic_test $(BUILD)/test/delay_test $(BUILD)/stress/ivp | need-test  ## run 10,000 random schedules against a simple twin, a failure at every call, random calls, samples, orbits, the test set for initial value problems, generated models [BENCH=long] [OUTSIDE=seconds SEED=n]
	@STRESS=1 $(BUSTED) spec/stress
	@$(BUILD)/test/symplectic_test
	@$(BUILD)/stress/ivp

lua-versions: all | need-test  ## run specs with Lua 5.4.0 to 5.4.9, and a run with 5.5, from sources that cargo gets; what passed is not repeated
	@.ci/lua-versions

house: | need-check  ## print sizes of folders, functions and structs, and dependencies
	@$(MAKE) all BUILD=build/house CFLAGS=-O0 METHODFLAGS=
	@$(LUA) spec/support/house.lua build/house

math: all $(BUILD)/stress/math_accuracy | need-math  ## compare saltus.math with MPFR, a million arguments for each function and range; compare its tables with their script
	@$(PY) spec/support/math_tables.py | cmp - src/base/math/tables.c
	@$(PY) spec/support/math_values.py | cmp - spec/data/math.txt
	@$(BUILD)/stress/math_accuracy

oom: all $(BUILD)/stress/oom | need-build  ## fail each allocation once and check for crashes and leaks
	@$(BUILD)/stress/oom

# METHODFLAGS= removes the methods' own -O3 where another level is tested.
bits = $(MAKE) build/bits/$(1)/stress/bits BUILD=build/bits/$(1) CC=$(2) CFLAGS='$(3)' $(if $(4),$(4))
bits: | need-bits  ## compare one hash of runs of all schemes: both compilers, -O0 and -O3, x86-64 and aarch64
	@$(MAKE) build/stress/bits BUILD=build
	+@$(unoptimized) build/clang/stress/bits
	+@$(call bits,gcc-O0,gcc,-O0,METHODFLAGS=)
	+@$(call bits,gcc-O3,gcc,-O3 -march=native)
	+@$(call bits,clang-O3,clang,-O3 -march=native)
	+@$(call bits,aarch64,aarch64-linux-gnu-gcc,-O2,AR=aarch64-linux-gnu-ar LDFLAGS=-static)
	@.ci/bits

platforms: | need-build  ## run the C tests, and compare one hash of ten simulated minutes, with each compiler and for each platform that has its tools here: gcc, clang, musl, mingw, zig, wasm, ARM, i386 [ONLY=name]
	+@.ci/platforms $(ONLY)

.PHONY: platforms platform-scenario platform-programs platform-tests
# What .ci/platforms makes for one of them.
platform-scenario: $(BUILD)/stress/scenario $(BUILD)/stress/bits
platform-programs: platform-scenario $(core_tests)
platform-tests:
	@echo $(notdir $(core_tests))

sundials: | need-sundials  ## run the C tests, and the specs of what integrates, with SUNDIALS=1, which adds cvode_bdf and cvode_adams
	@SPECS='spec/numerics spec/engine/snapshot_spec.lua spec/model spec/simulation spec/examples spec/util' $(MAKE) test SUNDIALS=1

# The inputs are choices, byte by byte: to trace comparisons finds nothing more and takes 80 % of the time.
fuzz: | need-check  ## fuzz the C interface with fixed inputs; FUZZ_SECONDS=600 or FUZZ_SEED=2 makes new ones [FUZZ_RUNS=20000] [ONLY=api_fuzz]
	@$(MAKE) $(addprefix build/fuzz/,$(fuzzers)) BUILD=build/fuzz/obj CC=clang CFLAGS=-O1 SAN='$(SANITIZE) -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp'
	@.ci/fuzz $(or $(ONLY),$(fuzzers))

##@ Installing and tools

install: all install-lib  ## install headers, libraries, Lua files, the command, its man page, completions and the documentation [PREFIX=] [DESTDIR=]
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(saltus) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(libsaltus_lua) $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(BUILD)/lib/libsaltus-lua.so.0 $(DESTDIR)$(PREFIX)/lib
	ln -sf libsaltus-lua.so.0 $(DESTDIR)$(PREFIX)/lib/libsaltus-lua.so
	printf '%s\n' 'prefix=$${pcfiledir}/../..' 'libdir=$${prefix}/lib' '' 'Name: saltus-lua' \
	  'Description: saltus for programs that embed Lua, with everything of saltus' 'Version: $(version)' \
	  $(if $(lua_pc),'Requires: $(lua_pc)') 'Cflags: -I$${prefix}/include$(if $(lua_pc),, $(LUA_CFLAGS))' \
	  'Libs: -L$${libdir} -lsaltus-lua$(if $(lua_pc),, $(LUA_LIBS))' 'Libs.private: $(LIBM)' \
	  >$(DESTDIR)$(PREFIX)/lib/pkgconfig/saltus-lua.pc
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
	  $(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	$(saltus) man >$(DESTDIR)$(PREFIX)/share/man/man1/saltus.1
	$(saltus) completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/saltus
	$(saltus) completion zsh >$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_saltus
	$(saltus) completion fish >$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/saltus.fish
	$(call install_pages,$(DESTDIR)$(PREFIX)/share/doc/saltus)
	$(MAKE) install-lua

include packaging/packaging.mk

install-lua: $(core)
	cd lua && find saltus -type d -exec install -d '$(abspath $(DESTDIR)$(LUADIR))/{}' \;
	cd lua && find saltus -type f -exec install -m 644 '{}' '$(abspath $(DESTDIR)$(LUADIR))/{}' \;
	install -d $(DESTDIR)$(LUALIBDIR)/saltus
	install -m 755 $(core) $(DESTDIR)$(LUALIBDIR)/saltus

install_pages = find docs -name '*.md' -exec install -D -m 644 '{}' '$(1)/{}' \;

# What the rock installs: the module, its Lua files, the pages of docs/, and the command as a script, which needs no
# library of Lua.
install-rock: install-lua
	install -d $(BINDIR)
	install -m 755 rockspec/saltus $(BINDIR)
	$(call install_pages,$(ROCKDIR))

core: $(core)

# The commands of a build from scratch, which make prints without running them.
compile_commands.json: FORCE  ## write a compilation database for clangd and other tools
	@$(MAKE) -Bn V=1 everything | awk -v folder='$(CURDIR)' -f .ci/compile_commands >$@

rock:  ## write a binary rock to build/rock; needs luarocks
	@command -v luarocks >/dev/null || { echo "make rock: luarocks is not installed"; exit 1; }
	env -u MAKEFLAGS -u MAKELEVEL luarocks --lua-version=5.4 --tree=$(BUILD)/rock make rockspec/saltus-scm-1.rockspec
	cd $(BUILD)/rock && luarocks --lua-version=5.4 --tree=. pack saltus

env:  ## print exports that let the shell find saltus, and lua5.4 its module, in this clone: eval "$(make -s env)"
	@echo 'export PATH='"'$(abspath $(BUILD))/bin'"':"$$PATH"'
	@echo "export LUA_PATH='$(CURDIR)/lua/?.lua;$(CURDIR)/lua/?/init.lua;;'"
	@echo "export LUA_CPATH='$(abspath $(BUILD))/lua/?.so;;'"

clean:  ## remove build/
	rm -rf build compile_commands.json

help:  ## print this list
	@awk -F ':.*##+ *' '/^##@/ { sub(/^##@ */, ""); print "\n" $$0 } /^[a-z_.-]+:.*##/ { printf "  %-22s %s\n", $$1, $$2 }' Makefile packaging/packaging.mk

##@ Dependencies (installed on Debian and Ubuntu, listed elsewhere)

deps: need-check need-bench need-bits  ## install what any target needs

need-build need-test need-check need-bench need-bits need-sundials need-site need-look need-browser need-math need-playground:
	@.ci/need $(@:need-%=%) $(if $(SUNDIALS),sundials)

# ---- rules ----

# mkdocs and its theme, installed once.
build/browser/installed: spec/browser/package.json | need-browser
	@mkdir -p $(@D)
	@cp $< $(@D)
	@cd $(@D) && npm install --silent --no-audit --no-fund --no-package-lock
	@touch $@

# The playground: Lua, the engine and the binding as WebAssembly.
wasm_src  = $(lib_src) $(bind_src) src/hosts/playground.c
wasm_lua  = $(addprefix build/lua-sources/,$(addsuffix .c,lapi lauxlib lbaselib lcode lcorolib lctype ldblib ldebug ldo ldump \
  lfunc lgc linit liolib llex lmathlib lmem loadlib lobject lopcodes loslib lparser lstate lstring lstrlib ltable ltablib \
  ltm lundump lutf8lib lvm lzio))
wasm_obj  = $(wasm_src:%.c=build/playground/obj/%.o) $(wasm_lua:build/%.c=build/playground/obj/%.o)
EMCC     ?= NODE_PATH=/usr/share/nodejs emcc
WASMFLAGS = -O2 -std=gnu11 -ffp-contract=off -fno-math-errno -Ibuild/lua-sources
WASMLINK  = -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=1GB -sTOTAL_STACK=1MB -sMODULARIZE=1 -sEXPORT_NAME=createSaltus \
  -sFORCE_FILESYSTEM=1 -sEXPORTED_RUNTIME_METHODS=FS,ccall -sENVIRONMENT=web,worker,node

$(wasm_lua): build/lua-sources/%.c: build/lua-sources/lua.h
build/lua-sources/lua.h: | need-playground
	@.ci/lua-sources build/lua-sources

build/playground/obj/%.o: %.c Makefile build/lua-sources/lua.h | need-playground
	@mkdir -p $(@D)
	$(call say,emcc)$(EMCC) $(WASMFLAGS) -Isrc/include -Isrc -MMD -MP -c $< -o $@

build/playground/obj/lua-sources/%.o: build/lua-sources/%.c Makefile | need-playground
	@mkdir -p $(@D)
	$(call say,emcc)$(EMCC) $(WASMFLAGS) -c $< -o $@

build/playground/saltus.js build/playground/saltus.wasm &: $(wasm_obj)
	$(call say,emcc)$(EMCC) -O2 $^ -o build/playground/saltus.js $(WASMLINK)

build/playground/installed: docs/site/playground/package.json | need-playground
	@mkdir -p $(@D)
	@cp $< $(@D)
	@cd $(@D) && npm install --silent --no-audit --no-fund --no-package-lock
	@touch $@

build/playground/index.html: build/playground/saltus.wasm build/playground/installed $(wildcard docs/site/playground/* examples/*.lua) \
  $(shell find lua -type f)
	@$(LUA) docs/site/playground/assemble.lua build/playground >/dev/null

-include $(wasm_obj:.o=.d)

build/site/venv/installed: docs/site/requirements.txt | need-site
	@$(PY) -m venv build/site/venv
	@build/site/venv/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

$(lib_obj): | need-lib
$(filter-out $(lib_obj),$(objects)): | need-build

$(BUILD)/obj/src/binding/%.o $(BUILD)/obj/src/hosts/%.o $(BUILD)/obj/spec/%.o: ROOMFLAGS = $(LUA_CFLAGS)
$(BUILD)/obj/src/numerics/methods/%.o: ROOMFLAGS = $(METHODFLAGS)
$(addprefix $(BUILD)/obj/src/numerics/linear/,lu.o lu_complex.o lu_band.o lu_band_complex.o matrix.o): ROOMFLAGS = $(if $(SAN),,-O3)

$(BUILD)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,cc)$(COMPILE) $(ROOMFLAGS) -c $< -o $@

$(libsaltus): $(lib_obj)
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,ar)$(AR) rcs $@ $^

# The library for programs that embed Lua: everything of libsaltus, the module saltus.core, and saltus/script.h. The program
# supplies Lua's functions. Where objcopy exists, the names of the binding are not seen outside, as in a shared library.
OBJCOPY ?= objcopy
hide     = $(shell command -v $(OBJCOPY) >/dev/null && echo $(OBJCOPY) --localize-hidden)
$(libsaltus_lua): $(lib_obj) $(bind_obj) $(front_obj)
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,ar)$(if $(hide),$(CC) -r -nostdlib $^ -o $(@:.a=.o) && $(hide) $(@:.a=.o) && $(AR) rcs $@ $(@:.a=.o),$(AR) rcs $@ $^)

$(BUILD)/lib/libsaltus-lua.so.0: $(lib_obj) $(bind_obj) $(front_obj)
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) -shared -Wl,-soname,libsaltus-lua.so.0 $^ -o $@ $(LIBM)
	@ln -sf libsaltus-lua.so.0 $(BUILD)/lib/libsaltus-lua.so

# The host program supplies Lua's functions. The module exports luaopen_saltus_core only.
$(core): $(bind_obj) $(libsaltus)
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) $(LIBFLAG) $^ -o $@ $(LIBM) $(if $(findstring -bundle,$(LIBFLAG)),,-Wl,--exclude-libs,ALL)

$(saltus): $(BUILD)/obj/src/hosts/saltus.o $(BUILD)/obj/src/hosts/line_editor.o $(bind_obj) $(libsaltus)
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) $^ -o $@ $(LUA_LIBS) $(LIBM)

define test_rule
$(BUILD)/test/$(notdir $(1:.c=)): $(BUILD)/obj/$(1:.c=.o) $(if $(findstring /binding/,$(1)),$$(libsaltus_lua),$$(libsaltus))
	@mkdir -p $$(@D)
	$$(call say,ld)$$(LINK) $$^ -o $$@ $(if $(findstring /binding/,$(1)),$$(LUA_LIBS)) $$(LIBM)
endef
$(foreach t,$(test_src),$(eval $(call test_rule,$(t))))

$(BUILD)/obj/examples/hosts/scripted_%.o: ROOMFLAGS = $(LUA_CFLAGS)
$(BUILD)/examples/scripted_%: $(BUILD)/obj/examples/hosts/scripted_%.o $(libsaltus_lua)
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) $^ -o $@ $(LUA_LIBS) $(LIBM)

$(BUILD)/examples/%: $(BUILD)/obj/examples/hosts/%.o $(libsaltus)
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) $^ -o $@ $(LIBM)

# Systems in C for the specs, as a Lua module of a user.
$(BUILD)/spec/c_systems.so: $(BUILD)/obj/spec/script/c_systems.o $(libsaltus_lua)
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) $(LIBFLAG) $^ -o $@ $(LIBM) $(if $(findstring -bundle,$(LIBFLAG)),,-Wl,--exclude-libs,ALL)

# A plain Lua interpreter, built here so that sanitizers see the whole process.
$(BUILD)/bin/lua: $(BUILD)/obj/spec/support/lua.o | need-build
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) $^ -o $@ $(LUA_LIBS) $(LIBM)

$(BUILD)/stress/bits $(BUILD)/stress/scenario $(BUILD)/stress/ivp: $(BUILD)/stress/%: $(BUILD)/obj/spec/stress/%.o $(libsaltus)
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) $^ -o $@ $(LIBM)

$(BUILD)/obj/spec/stress/math_accuracy.o: | need-math
$(BUILD)/stress/math_accuracy: $(BUILD)/obj/spec/stress/math_accuracy.o $(libsaltus)
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) $^ -o $@ -lmpfr -lgmp $(LIBM)

# A host in C whose scripts are not trusted, for the specs.
$(BUILD)/spec/sandbox_host: $(BUILD)/obj/spec/sandbox/host.o $(front_obj) $(bind_obj) $(libsaltus)
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) $^ -o $@ $(LUA_LIBS) $(LIBM)

test everything gcstress: $(BUILD)/spec/sandbox_host

$(BUILD)/stress/oom: $(BUILD)/obj/spec/stress/oom.o $(bind_obj) $(libsaltus)
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) $(foreach f,malloc calloc realloc free,-Wl,--wrap=$(f)) $^ -o $@ $(LUA_LIBS) $(LIBM)

build/fuzz/%: $(BUILD)/obj/spec/stress/%.o $(BUILD)/obj/spec/support/fuzz_end.o $(libsaltus)
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) -fsanitize=fuzzer -Wl,--wrap=LLVMFuzzerTestOneInput $^ -o $@ $(LIBM)

gsl = $(shell printf '\043include <gsl/gsl_odeiv2.h>' | $(CC) -E - >/dev/null 2>&1 && echo -lgsl -lgslcblas)
$(BUILD)/obj/spec/bench/c_rhs.o: | need-bench
$(BUILD)/bench/c_rhs: $(BUILD)/obj/spec/bench/c_rhs.o $(libsaltus)
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) $^ -o $@ $(gsl) $(LIBM)

# odeint is a C++ peer. It is measured where a C++ compiler and Boost exist.
CXX ?= g++
odeint = $(shell printf '\043include <boost/numeric/odeint.hpp>' | $(CXX) -x c++ -E - >/dev/null 2>&1 && echo $(BUILD)/obj/spec/bench/odeint_peer.o)
$(BUILD)/obj/spec/bench/odeint_peer.o: spec/bench/odeint_peer.cpp
	@mkdir -p $(@D)
	$(call say,c++)$(CXX) -O2 -w -c $< -o $@
$(BUILD)/obj/spec/bench/nonstiff.o: ROOMFLAGS = $(if $(odeint),-DHAVE_ODEINT)
$(BUILD)/obj/spec/bench/nonstiff.o: | need-bench
$(BUILD)/bench/nonstiff: $(BUILD)/obj/spec/bench/nonstiff.o $(libsaltus)
	@mkdir -p $(@D)
	@$(if $(odeint),$(MAKE) $(odeint))
	$(call say,ld)$(LINK) $^ $(odeint) -o $@ $(gsl) $(if $(odeint),-lstdc++) $(LIBM)

# SUNDIALS: prefers the build in the folder PEERS, because Debian's package is compiled without optimisation.
sundials_dir = $(wildcard $(PEERS)/build/sundials)
sundials_inc = $(addprefix -I,$(addsuffix /include,$(sundials_dir)))
sundials_lib = $(foreach d,$(sundials_dir),-L$(d)/lib -Wl,-rpath,$(d)/lib) $(addprefix -lsundials_,cvode nvecserial sunlinsolband sunlinsoldense sunmatrixband sunmatrixdense)
sundials = $(shell printf '\043include <cvode/cvode.h>' | $(CC) $(sundials_inc) -E - >/dev/null 2>&1 && echo $(sundials_lib))
$(BUILD)/obj/spec/bench/stiff.o: ROOMFLAGS = $(sundials_inc)
$(BUILD)/bench/stiff: $(BUILD)/obj/spec/bench/stiff.o $(libsaltus)
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) $^ -o $@ $(sundials) $(LIBM)

$(BUILD)/bench/mixed: $(BUILD)/obj/spec/bench/mixed.o $(libsaltus_lua)
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) $^ -o $@ $(LUA_LIBS) $(LIBM)

$(BUILD)/bench/%: $(BUILD)/obj/spec/bench/%.o $(libsaltus)
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) $^ -o $@ $(LUA_LIBS) $(LIBM)

-include $(objects:.o=.d)

need-hosts:
	@.ci/need hosts

.PHONY: need-hosts

FORCE:

.PHONY: lua-versions FORCE all demo doc test check recipes queues conformance bench lint fmt-check fmt architecture everything clang asan valgrind gcstress \
  stress math oom bits sundials fuzz types install install-lua install-rock core rock env clean help deps need-build need-test need-check \
  need-bench need-bits need-sundials site site-look browser playground need-site need-look need-browser need-math need-playground
