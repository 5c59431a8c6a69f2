/* A steady clock for benchmarks, in seconds. */
#ifndef SAL_BENCH_CLOCK_H
#define SAL_BENCH_CLOCK_H

#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* BENCH=long repeats ten times as often. */
static inline int patience(void) {
    const char *wish = getenv("BENCH");
    return wish && strcmp(wish, "long") == 0 ? 10 : 1;
}

#endif
