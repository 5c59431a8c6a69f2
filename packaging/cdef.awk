# The public headers as declarations alone, for parsers of C without a preprocessor: LuaJIT's ffi.cdef, Python's cffi.
#
#   awk -f packaging/cdef.awk src/include/saltus/saltus.h >saltus.cdef
#
# Each header that another one includes stands before it, once.
BEGIN {
    print "/* Saltus: what saltus.h declares, for ffi.cdef of LuaJIT and cffi of Python. */"
    folder = ARGV[1]
    sub(/[^\/]*$/, "", folder)
    declare(ARGV[1])
    exit
}

function declare(path,    line, in_comment, in_directive) {
    if (path in seen) return
    seen[path] = 1
    in_comment = in_directive = 0
    while ((getline line < path) > 0) {
        if (!in_comment && line ~ /^#include "/) {
            split(line, parts, "\"")
            declare(folder parts[2])
        } else if (in_directive || !in_comment && line ~ /^[ \t]*#/) {
            in_directive = line ~ /\\$/
        } else {
            in_comment = strip(line, in_comment)
        }
    }
    close(path)
}

# Prints a line without comments; returns whether a comment goes on in the next one.
function strip(line, in_comment,    kept, at) {
    kept = ""
    while (line != "") {
        at = index(line, in_comment ? "*/" : "/*")
        if (!in_comment) kept = kept (at ? substr(line, 1, at - 1) : line)
        if (!at) break
        line = substr(line, at + 2)
        in_comment = !in_comment
    }
    gsub(/SAL_API |SAL_(BEGIN|END)_DECLARATIONS/, "", kept)
    sub(/[ \t]+$/, "", kept)
    if (kept != "") print kept
    return in_comment
}
