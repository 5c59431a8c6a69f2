/* The text of a closure's error, for the report of a program in C. */
#ifndef SAL_FAILURE_TEXT_H
#define SAL_FAILURE_TEXT_H

#include "binding/binding.h"

/* Writes the name of the closure whose error is stored, and the error's text, which begins with its file and line:
 * "derivatives of plant: plant.lua:7: attempt to ...". Cut to fit. */
void l_describe_failure(l_simulator *self, sal_note *note);

#endif
