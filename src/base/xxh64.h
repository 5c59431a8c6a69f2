/* XXH64 (Yann Collet, xxHash specification 0.1.1): 64 bits of any bytes, the same everywhere. */
#ifndef SAL_XXH64_H
#define SAL_XXH64_H

#include <stddef.h>
#include <stdint.h>

uint64_t sal__xxh64(const void *bytes, size_t size, uint64_t seed);

#endif
