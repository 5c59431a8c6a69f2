/* A test of the engine as rollback games use it. */
#ifndef ROLLBACKS_H
#define ROLLBACKS_H

#include <stdbool.h>

/* Plays 8 * count frames twice: straight, and with a detour of 8 frames with other buttons before each 8 frames.
 * Prints both hashes; returns whether they are the same. */
bool rollbacks_test(int count);

#endif
