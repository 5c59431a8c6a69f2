/* The controller of the walker: Saltus. It walks as SIMBICON does (Yin, Loken and van de Panne, 2007): the swing leg
 * lifts for 0.3 s, then reaches forward until its foot strikes; where it reaches depends on how far and how fast the
 * body is ahead of the foot on the ground. Commands take effect after a dead time.
 *
 * The host feeds it a sample of the sensors in each millisecond. Between two samples each sensor is a straight line, so
 * a foot strikes, and a fall is noticed, between the samples. */
#ifndef CONTROLLER_H
#define CONTROLLER_H

#include <saltus/saltus.h>

#include "sensors.h"

typedef struct controller controller;

typedef struct controller_status {
    const char *phase;
    int strikes;      /* of feet */
    bool fell;        /* then all commands are 0 */
    double fell_at;   /* s */
    const char *note; /* why it stopped or failed */
} controller_status;

#define LONGEST_DEAD_TIME 0.1 /* s */

/* Makes a controller at time 0, with the first sample; the caller owns it. EINVAL for a dead time that is not between 0
 * and LONGEST_DEAD_TIME. */
sal_status controller_new(double dead_time, const double sensors[SENSORS], controller **out);
void controller_free(controller *c);
/* Takes the sample of time t; writes the commands from then on. */
sal_status controller_sample(controller *c, double t, const double sensors[SENSORS], double commands[COMMANDS]);
/* Writes the commands of now, before the dead time. */
sal_status controller_wanted(const controller *c, double commands[COMMANDS]);
controller_status controller_report(const controller *c);

#endif
