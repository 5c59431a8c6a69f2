/* A loop at 1 kHz: in each round the engine waits for its tick and computes the next millisecond, then the robot's own
 * work follows: sensors, controller, motor. A step whose end the clock has passed when it is done is a missed
 * deadline. */
#ifndef LOOP_H
#define LOOP_H

#include <saltus/saltus.h>

typedef struct loop_clock {
    double (*now)(void *user);                 /* s */
    void (*sleep)(void *user, double seconds); /* until a tick */
    void (*work)(void *user, int round);       /* the robot's own work of a round, numbered from 1 */
    void *user;
} loop_clock;

typedef struct loop_result {
    sal_pacing pacing;
    int bounces;
    double angle;       /* rad, at the end */
    uint64_t hash;      /* of the run's last state */
    size_t memory;      /* bytes of the arena that were taken */
    int64_t late_calls; /* of the allocator, after the start */
    char trouble[256];  /* "", or why the loop ended, in a sentence */
} loop_result;

/* Moves the arm for `rounds` milliseconds. A step may be late by `tolerance` s. */
sal_status loop_run(const loop_clock *clock, int rounds, double tolerance, loop_result *result);

#endif
