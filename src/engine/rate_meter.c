#include "saltus/rate_meter.h"

#include <math.h>

sal_rate_report sal_rate_meter_update(sal_rate_meter *meter, double simulated, double real) {
    sal_rate_report report = {false, 0, 0};
    if (isnan(simulated))
        return report;
    if (!meter->started || simulated < meter->simulated) {
        meter->simulated = simulated;
        meter->real = real;
        meter->started = report.started = simulated > -INFINITY;
        return report;
    }
    const double passed = real - meter->real;
    if (!(passed >= meter->period))
        return report;
    report.periods = (int)floor(passed / meter->period);
    report.rate = (simulated - meter->simulated) / passed;
    /* The next period begins on the grid, not at this moment. */
    meter->real += report.periods * meter->period;
    meter->simulated += report.rate * report.periods * meter->period;
    return report;
}
