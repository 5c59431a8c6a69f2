/* Four non-stiff problems as plain right-hand sides, with where they end.
 *
 * Lorenz's attractor, van der Pol's oscillator with mu = 5, Arenstorf's orbit and the
 * Pleiades: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, chapters
 * I.16, I.14, II.0 and II.10. The ends were computed in long double by an extrapolating
 * and a Runge-Kutta code to 20 digits that agree to the last digit of a double; those of
 * Arenstorf's orbit, which is periodic, are its start. Only + - * / and sqrt. */
#ifndef FLOWS_H
#define FLOWS_H

#include <math.h>

#include "saltus/integrator.h"

enum { FLOWS = 4, FLOW_MOST = 28 };

typedef struct flow {
    const char *name;
    int n;
    double t1, x0[FLOW_MOST], x1[FLOW_MOST];
    sal_status (*eval)(void *user, double t, const double *x, double *dx);
} flow;

static sal_status flow_lorenz(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    dx[0] = 10 * (x[1] - x[0]);
    dx[1] = x[0] * (28 - x[2]) - x[1];
    dx[2] = x[0] * x[1] - 8. / 3 * x[2];
    return SAL_OK;
}

static sal_status flow_van_der_pol(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    dx[0] = x[1];
    dx[1] = 5 * (1 - x[0] * x[0]) * x[1] - x[0];
    return SAL_OK;
}

static sal_status flow_arenstorf(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    const double moon = 0.012277471, earth = 1 - moon;
    const double to_earth = x[0] + moon, to_moon = x[0] - earth, y2 = x[1] * x[1];
    const double r1 = to_earth * to_earth + y2, r2 = to_moon * to_moon + y2;
    const double d1 = r1 * sqrt(r1), d2 = r2 * sqrt(r2);
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = x[0] + 2 * x[3] - earth * to_earth / d1 - moon * to_moon / d2;
    dx[3] = x[1] - 2 * x[2] - earth * x[1] / d1 - moon * x[1] / d2;
    return SAL_OK;
}

/* Star i of mass i + 1 at (x[i], x[7 + i]), its velocity 14 further. */
static sal_status flow_pleiades(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    for (int i = 0; i < 14; i++)
        dx[i] = x[14 + i];
    for (int i = 0; i < 7; i++) {
        double fx = 0, fy = 0;
        for (int j = 0; j < 7; j++) {
            if (j == i)
                continue;
            const double rx = x[j] - x[i], ry = x[7 + j] - x[7 + i], r2 = rx * rx + ry * ry;
            const double pull = (j + 1) / (r2 * sqrt(r2));
            fx += pull * rx;
            fy += pull * ry;
        }
        dx[14 + i] = fx;
        dx[21 + i] = fy;
    }
    return SAL_OK;
}

static const flow flows[FLOWS] = {
    {"lorenz", 3, 10, {1, 1, 1}, {-4.902687541134646, -3.743872921802919, 24.690858102790557}, flow_lorenz},
    {"vdp5", 2, 30, {2, 0}, {-1.8739619570502548, 0.14761807737830748}, flow_van_der_pol},
    {"arenstorf",
     4,
     17.0652165601579625588917206249,
     {0.994, 0, 0, -2.00158510637908252240537862224},
     {0.994, 0, 0, -2.00158510637908252240537862224},
     flow_arenstorf},
    {"pleiades",
     28,
     3,
     {3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4, 0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0},
     {0.3706139143970486,  3.237284092057233,   -3.2225590324183235,  0.659709145577531,  0.34255817071565803,
      1.5621721014006311,  -0.7003092922212493, -3.943437585517393,   -3.27138097397255,  5.225081843456544,
      -2.5906124349774697, 1.198213693392275,   -0.24296823449358235, 1.09144924042898,   3.417003806314309,
      1.3545845016255014,  -2.5900655978107756, 2.025053734714242,    -1.15581510016045,  -0.807298817022302,
      0.5952396354208724,  -3.7412449612340115, 0.37734596857506286,  0.9386858869551076, 0.3667922227200573,
      -0.3474046353808493, 2.344915448180937,   -1.9470204342632915},
     flow_pleiades},
};

/* The largest error at the end, by the largest value there. */
static inline double flow_error(const flow *f, const double *x) {
    double error = 0, size = 0;
    for (int i = 0; i < f->n; i++) {
        error = fmax(error, fabs(x[i] - f->x1[i]));
        size = fmax(size, fabs(f->x1[i]));
    }
    return error / size;
}

#endif
