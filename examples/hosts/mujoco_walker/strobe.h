/* A picture of the last seconds of a walk: a figure every 0.15 s, as SVG. */
#ifndef STROBE_H
#define STROBE_H

#include "plant.h"

enum { FIGURES = 26 };

typedef struct figure {
    double leg[2][PLANT_LEG][2], top[2];
} figure;

typedef struct strobe {
    int count;   /* so far; the last FIGURES are kept, number i at i % FIGURES */
    double next; /* s */
    figure figure[FIGURES];
} strobe;

/* Keeps a figure where the next one is due. */
void strobe_add(strobe *s, const plant *p);
/* Writes the file; false, and a message, where that fails. */
bool strobe_write(const strobe *s, const char *path);

#endif
