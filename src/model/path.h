/* Values by path, "tank.level", "arm.r[2]". Internal to the model and the engine. */
#ifndef SAL_PATH_H
#define SAL_PATH_H

#include "model/model.h"

/* Where a path leads: an element of a value, or of an output. */
typedef struct sal__path_end {
    int part, element;
    const sal__value *value; /* NULL: an output */
    int output;
} sal__path_end;

/* Finds it in a system or diagram. EINVAL: `why` says what is wrong, with the name that was probably meant. */
sal_status sal__find_path(const sal_system *sys, const char *path, sal__path_end *out, sal_note *why);

#endif
