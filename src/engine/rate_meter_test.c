/* The meter against the sequence recorded in Drake's own test of its rate calculator. */
#include "saltus/rate_meter.h"

#include <math.h>

#include "base/test_check.h"

typedef struct moment {
    double simulated, real; /* real: since the last start */
    bool started;
    int periods;
    double rate;
} moment;

int main(void) {
    const moment script[] = {
        {1, 0, true, 0, 0},          {1, 0, false, 0, 0},       {2, 0.75, false, 0, 0}, {3, 1.5, false, 1, 2 / 1.5},
        {6, 5, false, 4, 11.0 / 12}, {6.01, 5.11, false, 0, 0}, {7, 6, false, 1, 1.0},
    };
    sal_rate_meter meter = {.period = 1};
    for (unsigned i = 0; i < sizeof script / sizeof *script; i++) {
        const sal_rate_report r = sal_rate_meter_update(&meter, script[i].simulated, 123 + script[i].real);
        CHECK(r.started == script[i].started);
        CHECK(r.periods == script[i].periods);
        CHECK(fabs(r.rate - script[i].rate) < 1e-12);
    }
    CHECK(sal_rate_meter_update(&meter, 2, 500).started); /* time went back */
    CHECK(sal_rate_meter_update(&meter, 2.9, 500.99).periods == 0);
    CHECK(sal_rate_meter_update(&meter, NAN, 501.5).periods == 0);
    const sal_rate_report last = sal_rate_meter_update(&meter, 3, 501);
    CHECK(last.periods == 1 && fabs(last.rate - 1) < 1e-12);
    CHECK(!sal_rate_meter_update(&meter, -INFINITY, 502).started);
    CHECK(sal_rate_meter_update(&meter, 0, 503).started);
    return check_summary();
}
