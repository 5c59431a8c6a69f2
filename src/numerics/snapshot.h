/* An integrator as bytes. Writing twice, the first time only counting, tells the size. */
#ifndef SAL_NUMERICS_SNAPSHOT_H
#define SAL_NUMERICS_SNAPSHOT_H

#include <string.h>

#include "implicit.h"

/* A place in the bytes; `at` NULL only counts. */
typedef struct sal__pen {
    unsigned char *at;
    size_t size;
} sal__pen;

static inline void sal__write(sal__pen *p, const void *from, size_t size) {
    if (p->at && size > 0)
        memcpy(p->at + p->size, from, size);
    p->size += size;
}

static inline void sal__read(const unsigned char **at, void *to, size_t size) {
    if (size > 0)
        memcpy(to, *at, size);
    *at += size;
}

/* implicit_snapshot.c: the Jacobian, the factors, and what the next step begins with. */
void sal__implicit_write(sal__pen *p, const sal__implicit *im);
void sal__implicit_read(const unsigned char **at, sal__implicit *im);

#endif
