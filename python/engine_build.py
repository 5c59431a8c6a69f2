"""Builds saltus._engine: the C library, and the functions through which it calls Python.

`make lib` in the folder above writes the library and saltus.cdef; it needs a C compiler and awk.
"""
import pathlib
import subprocess

from cffi import FFI

ROOT = pathlib.Path(__file__).resolve().parent.parent
CALLBACKS = """
extern "Python" {
    sal_status saltus_derivatives(const sal_system *, const sal_context *, const sal_rates *);
    sal_status saltus_witness(const sal_system *, const sal_context *, int, double *);
    sal_status saltus_when(const sal_system *, const sal_context *, int, bool *);
    sal_status saltus_holds(const sal_system *, const sal_context *, int, bool *);
    sal_outcome saltus_publish(const sal_system *, const sal_context *, const sal_event *, sal_note *);
    sal_outcome saltus_update(const sal_system *, const sal_context *, const sal_event *, sal_context *, sal_note *);
}
"""

subprocess.run(["make", "-s", "-C", str(ROOT), "lib"], check=True)
ffi = FFI()
ffi.cdef((ROOT / "build/lib/saltus.cdef").read_text() + CALLBACKS)
LIBRARY = str(ROOT / "build/lib/libsaltus.a")
ffi.set_source("saltus._engine", "#include <saltus/saltus.h>", include_dirs=[str(ROOT / "src/include")],
               extra_objects=[LIBRARY], depends=[LIBRARY], libraries=["m"])
