# find_package(Saltus CONFIG) defines saltus::saltus, the shared library where it is installed, else the static one, and
# saltus::static. The paths are relative to this file, so that the whole prefix can be moved.
get_filename_component(_saltus_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET saltus::static AND EXISTS "${_saltus_prefix}/lib/libsaltus.a")
  add_library(saltus::static STATIC IMPORTED)
  set_target_properties(saltus::static PROPERTIES
    IMPORTED_LOCATION "${_saltus_prefix}/lib/libsaltus.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_saltus_prefix}/include")
  if(NOT WIN32 AND NOT APPLE)
    set_property(TARGET saltus::static PROPERTY INTERFACE_LINK_LIBRARIES m)
  endif()
endif()

if(NOT TARGET saltus::saltus)
  if(WIN32)
    set(_saltus_shared "${_saltus_prefix}/bin/libsaltus-0.dll")
  elseif(APPLE)
    set(_saltus_shared "${_saltus_prefix}/lib/libsaltus.0.dylib")
  else()
    set(_saltus_shared "${_saltus_prefix}/lib/libsaltus.so.0")
  endif()
  if(EXISTS "${_saltus_shared}")
    add_library(saltus::saltus SHARED IMPORTED)
    set_target_properties(saltus::saltus PROPERTIES
      IMPORTED_LOCATION "${_saltus_shared}"
      INTERFACE_INCLUDE_DIRECTORIES "${_saltus_prefix}/include")
    if(WIN32)
      set_target_properties(saltus::saltus PROPERTIES
        IMPORTED_IMPLIB "${_saltus_prefix}/lib/libsaltus.dll.a"
        INTERFACE_COMPILE_DEFINITIONS SAL_DLL)
    elseif(NOT APPLE)
      set_property(TARGET saltus::saltus PROPERTY IMPORTED_SONAME "libsaltus.so.0")
    endif()
  elseif(TARGET saltus::static)
    add_library(saltus::saltus INTERFACE IMPORTED)
    set_property(TARGET saltus::saltus PROPERTY INTERFACE_LINK_LIBRARIES saltus::static)
  else()
    set(Saltus_FOUND FALSE)
    set(Saltus_NOT_FOUND_MESSAGE "no library of Saltus in ${_saltus_prefix}/lib")
  endif()
  unset(_saltus_shared)
endif()
unset(_saltus_prefix)
