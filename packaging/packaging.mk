# The library for other programs: installed, as one source file, as declarations. Part of the Makefile.

# The system for which the compiler builds: its shared libraries have other names.
target_system := $(shell $(CC) -dumpmachine 2>/dev/null)
ifneq ($(findstring mingw,$(target_system)),)
shared_lib   = $(BUILD)/lib/libsaltus-0.dll
shared_flags = -shared -Wl,--out-implib,$(BUILD)/lib/libsaltus.dll.a
# The isnan and isfinite of mingw's math.h name each type of float.
SALFLAGS    += -DSAL_DLL_BUILD -Wno-float-conversion
else ifneq ($(or $(findstring darwin,$(target_system)),$(findstring macos,$(target_system))),)
shared_lib   = $(BUILD)/lib/libsaltus.0.dylib
shared_flags = -dynamiclib -install_name @rpath/libsaltus.0.dylib -compatibility_version 0.1 -current_version $(version)
shared_link  = libsaltus.dylib
NO_PLT       =
else
shared_lib   = $(BUILD)/lib/libsaltus.so.0
shared_flags = -shared -Wl,-soname,libsaltus.so.0
shared_link  = libsaltus.so
endif

# Constants of enums among doubles are meant; newer versions of clang doubt it, and older ones do not know this option.
ifneq ($(or $(findstring clang,$(CC)),$(filter %.dylib,$(shared_lib))),)
SALFLAGS += -Wno-unknown-warning-option -Wno-enum-float-conversion
endif

# The minimal profile, MINIMAL=1 in a build folder of its own: explicit methods and events.
minimal_only := src/numerics/minimal.c src/engine/minimal.c
left_out     := src/blocks/% src/tape/% src/engine/delay/% src/model/delay/% src/numerics/delay/% src/numerics/implicit/% \
  src/numerics/linear/lu% src/numerics/linear/matrix% $(patsubst %,src/numerics/methods/%.c,auto implicit_euler \
  velocity_implicit_euler radau1 radau3 radau5 radau5_error rodas4) src/engine/recorder/recorder_history.c \
  src/engine/stray_numbers.c src/engine/idle.c src/engine/event/stray_writes.c src/engine/event/follow.c \
  src/model/update_order.c src/engine/witness/turning_point.c src/engine/witness/undersampling.c src/engine/witness/witness_warnings.c
all_lib_src  := $(lib_src)
lib_src      := $(filter-out $(if $(MINIMAL),$(left_out),$(minimal_only)),$(all_lib_src))
minimal_test := packaging/minimal_test.c
ifdef MINIMAL
# The last three make it 1,500 bytes smaller.
CFLAGS       = -Os $(if $(findstring clang,$(CC)),,-fno-inline-functions-called-once -fno-tree-loop-im -fno-tree-dominator-opts)
METHODFLAGS  =
NO_PLT       =
SALFLAGS    += -DSAL_MINIMAL -fno-align-functions -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables
test_src    := $(minimal_test) $(filter $(foreach name,base published interrupt simulator locate guard condition transaction \
  timer_queue event_calendar watch diagram model root_finder math symplectic,%/$(name)_test.c),$(test_src))
endif

minimal: $(libsaltus)  ## build the minimal profile (SAL_MINIMAL) in build/minimal, run the C tests that apply, print and check its size
	@$(MAKE) minimal-tests BUILD=build/minimal MINIMAL=1 WHOLE=$(libsaltus)

minimal-tests: $(libsaltus) $(tests)
	@CC='$(CC)' packaging/minimal $(libsaltus) $(WHOLE) $(tests)

public_headers := $(wildcard src/include/saltus/*.h)
cdef           = $(BUILD)/lib/saltus.cdef
amalgamation   = $(BUILD)/amalgamation/saltus.c
prefix_root    = $(DESTDIR)$(PREFIX)

lib: $(libsaltus) $(shared_lib) $(cdef)  ## build the library alone; needs a C compiler and awk, no Lua

$(shared_lib): $(lib_obj)
	@mkdir -p $(@D)
	$(call say,ld)$(LINK) $(shared_flags) $^ -o $@ $(LIBM)
	$(if $(shared_link),@ln -sf $(@F) $(@D)/$(shared_link))

$(cdef): packaging/cdef.awk $(public_headers)
	@mkdir -p $(@D)
	$(call say,awk)awk -f packaging/cdef.awk src/include/saltus/saltus.h >$@

amalgamation: $(amalgamation) $(BUILD)/amalgamation/saltus.hpp  ## write the library as one file: build/amalgamation/saltus.c, saltus.h; saltus.hpp for C++

$(BUILD)/amalgamation/saltus.hpp: packaging/saltus.hpp
	@mkdir -p $(@D)
	@cp $< $@

$(amalgamation): $(wildcard packaging/*.lua packaging/*.h) $(wildcard src/*/*.h src/*/*/*.h src/include/*/*.h) $(lib_src) | need-script
	@mkdir -p $(@D)
	$(call say,lua)$(LUA) packaging/amalgamate.lua $(@D) $(sort $(filter-out $(left_out),$(lib_src))) --minimal $(minimal_only) --whole $(sort $(filter $(left_out),$(lib_src)))

install-lib: lib  ## install the library with its headers, for pkg-config and CMake, without Lua [PREFIX=] [DESTDIR=]
	install -d $(prefix_root)/include/saltus $(prefix_root)/lib/pkgconfig $(prefix_root)/lib/cmake/Saltus $(prefix_root)/share/saltus
	install -m 644 src/include/saltus/*.h packaging/saltus.hpp $(prefix_root)/include/saltus
	install -m 644 $(libsaltus) $(prefix_root)/lib
	$(if $(shared_link),install -m 755 $(shared_lib) $(prefix_root)/lib)
	$(if $(shared_link),ln -sf $(notdir $(shared_lib)) $(prefix_root)/lib/$(shared_link))
	$(if $(shared_link),,install -d $(prefix_root)/bin)
	$(if $(shared_link),,install -m 755 $(shared_lib) $(prefix_root)/bin)
	$(if $(shared_link),,install -m 644 $(BUILD)/lib/libsaltus.dll.a $(prefix_root)/lib)
	$(filled) packaging/saltus.pc.in >$(prefix_root)/lib/pkgconfig/saltus.pc
	install -m 644 packaging/SaltusConfig.cmake $(prefix_root)/lib/cmake/Saltus
	$(filled) packaging/SaltusConfigVersion.cmake.in >$(prefix_root)/lib/cmake/Saltus/SaltusConfigVersion.cmake
	install -m 644 $(cdef) $(prefix_root)/share/saltus
filled  = sed -e 's/@VERSION@/$(version)/' -e 's/@LIBM@/$(LIBM)/' -e 's/@DLL@/$(if $(shared_link),, -DSAL_DLL)/'
version = $(shell sed -n 's/^.define SAL_VERSION "\(.*\)"/\1/p' src/include/saltus/status.h)

uninstall:  ## remove what install, install-lib and install-lua wrote [PREFIX=] [DESTDIR=]
	rm -f $(prefix_root)/lib/libsaltus.* $(prefix_root)/lib/libsaltus-lua.* $(prefix_root)/lib/pkgconfig/saltus.pc \
	  $(prefix_root)/lib/pkgconfig/saltus-lua.pc $(prefix_root)/bin/libsaltus-0.dll
	rm -f $(prefix_root)/bin/saltus $(prefix_root)/share/man/man1/saltus.1 \
	  $(prefix_root)/share/bash-completion/completions/saltus $(prefix_root)/share/zsh/site-functions/_saltus \
	  $(prefix_root)/share/fish/vendor_completions.d/saltus.fish
	rm -rf $(prefix_root)/include/saltus $(prefix_root)/lib/cmake/Saltus $(prefix_root)/share/saltus \
	  $(prefix_root)/share/doc/saltus $(DESTDIR)$(LUADIR)/saltus $(DESTDIR)$(LUALIBDIR)/saltus

# Each host is built from a copy of its folder, so that it finds only what is installed.
hosts: lib amalgamation  ## build and run examples/hosts/*/ against an installed prefix and from the amalgamation [ONLY=name] [PREFIX=]
	@$(if $(filter command line,$(origin PREFIX)),,$(MAKE) -s install-lib PREFIX=$(abspath $(BUILD))/hosts/prefix DESTDIR= >/dev/null)
	@packaging/hosts '$(if $(filter command line,$(origin PREFIX)),$(PREFIX),$(abspath $(BUILD))/hosts/prefix)' '$(abspath $(BUILD))/amalgamation' $(ONLY)

need-lib need-script:
	@.ci/need $(@:need-%=%)

.PHONY: lib amalgamation install-lib uninstall hosts need-lib need-script minimal minimal-tests

# The Python package, in an environment of its own.
python: lib $(saltus) | need-site  ## install the Python package into build/python and run its tests
	@test -x build/python/bin/pip || $(PY) -m venv build/python
	@build/python/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps ./python
	@build/python/bin/pip install --quiet --disable-pip-version-check ./python
	@cd build/python && SALTUS='$(abspath $(saltus))' bin/python -m unittest discover -s '$(abspath python/tests)'
	@rm -rf python/build python/saltus.egg-info python/saltus/_engine.c
.PHONY: python
