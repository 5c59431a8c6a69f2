/* How fast simulated time goes against real time, report by report.
 *
 * Fed with both times at any moments; reports when at least one period of real time
 * has passed, for the whole periods since the last report. */
#ifndef SALTUS_RATE_METER_H
#define SALTUS_RATE_METER_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sal_rate_meter {
    double period;          /* s of real time between reports, > 0 */
    double simulated, real; /* where the present period began */
    bool started;
} sal_rate_meter;

typedef struct sal_rate_report {
    bool started; /* this call (re)started the meter */
    int periods;  /* whole periods reported; 0: the present one is not over */
    double rate;  /* simulated s per real s, when periods > 0 */
} sal_rate_report;

/* Simulated time that goes back starts anew, so -INFINITY forces it; NaN is ignored. */
SAL_API sal_rate_report sal_rate_meter_update(sal_rate_meter *meter, double simulated, double real);

#ifdef __cplusplus
}
#endif
#endif
