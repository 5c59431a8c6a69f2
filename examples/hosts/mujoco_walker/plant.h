/* The walker as a body: MuJoCo. */
#ifndef PLANT_H
#define PLANT_H

#include <stdbool.h>

#include "sensors.h"

typedef struct plant plant;

/* Loads the model; NULL, and a message, where that fails. The caller owns it. */
plant *plant_new(const char *xml);
void plant_free(plant *p);
double plant_time(const plant *p);
void plant_read(const plant *p, double sensors[SENSORS]);
/* Holds these commands, and pushes the torso with a force in N, until t. */
void plant_advance_to(plant *p, double t, const double commands[COMMANDS], double push);

enum { PLANT_LEG = 4 }; /* hip, knee, ankle, toe */
/* Writes the places of a leg's joints, and of the top of the torso: x along the way, z up. */
void plant_points(const plant *p, double leg[2][PLANT_LEG][2], double top[2]);

#endif
