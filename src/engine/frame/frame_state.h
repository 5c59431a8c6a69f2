/* The state of frames and of the clock. Part of engine/simulator.h. */
#ifndef SAL_FRAME_STATE_H
#define SAL_FRAME_STATE_H

#include "saltus/simulator.h"

/* frame/pacing.c: the run and the host's clock. */
typedef struct sal__pacing {
    double real_origin, time_origin; /* real_origin: NaN without a clock */
    sal_pacing reported;
} sal__pacing;

/* frame/frame.c */
typedef struct sal__frame {
    double remainder;          /* s, what the last frame left: less than a step, unless it was cut */
    bool is_limited, is_spent; /* a frame with a budget runs; it is used up: */
    int64_t last_evaluation;   /* at so many evaluations of the derivatives */
    double last_second;        /* of the host's clock; INFINITY */
} sal__frame;

/* The steps of the frame that runs. */
typedef struct sal__frame_steps {
    double began;      /* the time of the run then */
    double step, left; /* s: of a step; what no step of this frame covers */
    int count;         /* of the steps that are due */
    sal_frame out;
} sal__frame_steps;

#endif
