/* DETEST, classes A to E: T. E. Hull, W. H. Enright, B. M. Fellen, A. E. Sedgwick, Comparing numerical methods for
 * ordinary differential equations, SIAM Journal on Numerical Analysis 9, 1972. All go from 0 to 20. Where the ends
 * come from: spec/data/stiff/README.md. */
#ifndef SAL_SUPPORT_DETEST_H
#define SAL_SUPPORT_DETEST_H

#include <math.h>
#include <string.h>

enum { DETEST_BIGGEST = 51, DETEST_TIME = 20 };

typedef struct detest_problem {
    const char *name;
    int n;
    void (*rates)(double t, const double *x, double *dx);
    double start[30]; /* the rest is zero */
} detest_problem;

#define DETEST(name) static inline void detest_##name(double t, const double *x, double *dx)

/* ---- A: single equations ---- */

DETEST(a1) {
    (void)t;
    dx[0] = -x[0];
}
DETEST(a2) {
    (void)t;
    dx[0] = -x[0] * x[0] * x[0] / 2;
}
DETEST(a3) {
    dx[0] = x[0] * cos(t);
}
DETEST(a4) {
    (void)t;
    dx[0] = x[0] / 4 * (1 - x[0] / 20);
}
DETEST(a5) {
    dx[0] = (x[0] - t) / (x[0] + t);
}

/* ---- B: small systems ---- */

DETEST(b1) {
    (void)t;
    dx[0] = 2 * (x[0] - x[0] * x[1]);
    dx[1] = -(x[1] - x[0] * x[1]);
}
DETEST(b2) {
    (void)t;
    dx[0] = -x[0] + x[1];
    dx[1] = x[0] - 2 * x[1] + x[2];
    dx[2] = x[1] - x[2];
}
DETEST(b3) {
    (void)t;
    dx[0] = -x[0];
    dx[1] = x[0] - x[1] * x[1];
    dx[2] = x[1] * x[1];
}
DETEST(b4) {
    (void)t;
    const double r = sqrt(x[0] * x[0] + x[1] * x[1]);
    dx[0] = -x[1] - x[0] * x[2] / r;
    dx[1] = x[0] - x[1] * x[2] / r;
    dx[2] = x[0] / r;
}
DETEST(b5) {
    (void)t;
    dx[0] = x[1] * x[2];
    dx[1] = -x[0] * x[2];
    dx[2] = -0.51 * x[0] * x[1];
}

/* ---- C: moderate systems ---- */

/* A chain of decays, the k-th of them with rate 1 or k. */
static inline void detest_chain(const double *x, double *dx, int by_place) {
    double gain = 0;
    for (int k = 0; k < 9; k++) {
        const double loss = (by_place ? k + 1 : 1) * x[k];
        dx[k] = gain - loss;
        gain = loss;
    }
    dx[9] = gain;
}
DETEST(c1) {
    (void)t;
    detest_chain(x, dx, 0);
}
DETEST(c2) {
    (void)t;
    detest_chain(x, dx, 1);
}
static inline void detest_rod(int n, const double *x, double *dx) {
    for (int k = 0; k < n; k++)
        dx[k] = (k ? x[k - 1] : 0) - 2 * x[k] + (k < n - 1 ? x[k + 1] : 0);
}
DETEST(c3) {
    (void)t;
    detest_rod(10, x, dx);
}
DETEST(c4) {
    (void)t;
    detest_rod(51, x, dx);
}
/* The Sun and five planets: positions, then velocities, of three each. */
DETEST(c5) {
    (void)t;
    static const double gravity = 2.95912208286, sun = 1.00000597682;
    static const double m[5] = {0.000954786104043, 0.000285583733151, 0.0000437273164546, 0.0000517759138449,
                                0.00000277777777778};
    double cube[5], force[3] = {0, 0, 0};
    for (int j = 0; j < 5; j++) {
        const double *y = x + 3 * j, r2 = y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
        cube[j] = r2 * sqrt(r2);
        for (int i = 0; i < 3; i++)
            force[i] += m[j] * y[i] / cube[j];
    }
    for (int j = 0; j < 5; j++) {
        const double *y = x + 3 * j;
        double pull[3];
        for (int i = 0; i < 3; i++)
            pull[i] = -sun * y[i] / cube[j] - force[i];
        for (int k = 0; k < 5; k++) {
            if (k == j)
                continue;
            const double *z = x + 3 * k, d[3] = {z[0] - y[0], z[1] - y[1], z[2] - y[2]};
            const double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            for (int i = 0; i < 3; i++)
                pull[i] += m[k] * d[i] / (d2 * sqrt(d2));
        }
        /* The sums above hold the planet's own share of the Sun's acceleration, as they should. */
        for (int i = 0; i < 3; i++) {
            dx[3 * j + i] = x[15 + 3 * j + i];
            dx[15 + 3 * j + i] = gravity * pull[i];
        }
    }
}

/* ---- D: orbits of eccentricity 0.1 to 0.9 ---- */

DETEST(d) {
    (void)t;
    const double r2 = x[0] * x[0] + x[1] * x[1], cube = r2 * sqrt(r2);
    dx[0] = x[2], dx[1] = x[3];
    dx[2] = -x[0] / cube, dx[3] = -x[1] / cube;
}

/* ---- E: equations of higher order ---- */

DETEST(e1) {
    dx[0] = x[1];
    dx[1] = -(x[1] / (t + 1) + (1 - 0.25 / ((t + 1) * (t + 1))) * x[0]);
}
DETEST(e2) {
    (void)t;
    dx[0] = x[1];
    dx[1] = (1 - x[0] * x[0]) * x[1] - x[0];
}
DETEST(e3) {
    dx[0] = x[1];
    dx[1] = x[0] * x[0] * x[0] / 6 - x[0] + 2 * sin(2.78535 * t);
}
DETEST(e4) {
    (void)t;
    dx[0] = x[1];
    dx[1] = 0.032 - 0.4 * x[1] * x[1];
}
DETEST(e5) {
    dx[0] = x[1];
    dx[1] = sqrt(1 + x[1] * x[1]) / (25 - t);
}
#undef DETEST

static const detest_problem detest_problems[] = {
    {"A1", 1, detest_a1, {1}},
    {"A2", 1, detest_a2, {1}},
    {"A3", 1, detest_a3, {1}},
    {"A4", 1, detest_a4, {1}},
    {"A5", 1, detest_a5, {4}},
    {"B1", 2, detest_b1, {1, 3}},
    {"B2", 3, detest_b2, {2, 0, 1}},
    {"B3", 3, detest_b3, {1, 0, 0}},
    {"B4", 3, detest_b4, {3, 0, 0}},
    {"B5", 3, detest_b5, {0, 1, 1}},
    {"C1", 10, detest_c1, {1}},
    {"C2", 10, detest_c2, {1}},
    {"C3", 10, detest_c3, {1}},
    {"C4", 51, detest_c4, {1}},
    {"C5", 30, detest_c5, {3.42947415189,   3.35386959711,   1.35494901715,   6.64145542550,   5.97156957878,
                           2.18231499728,   11.2630437207,   14.6952576794,   6.27960525067,   -30.1552268759,
                           1.65699966404,   1.43785752721,   -21.1238353380,  28.4465098142,   15.3882659679,
                           -0.557160570446, 0.505696783289,  0.230578543901,  -0.415570776342, 0.365682722812,
                           0.169143213293,  -0.325325669158, 0.189706021964,  0.0877265322780, -0.0240476254170,
                           -0.287659532608, -0.117219543175, -0.176860753121, -0.216393453025, -0.0148647893090}},
    {"D1", 4, detest_d, {0.9, 0, 0, 1.1055415967851332}},
    {"D2", 4, detest_d, {0.7, 0, 0, 1.3627702877384937}},
    {"D3", 4, detest_d, {0.5, 0, 0, 1.7320508075688772}},
    {"D4", 4, detest_d, {0.3, 0, 0, 2.3804761428476167}},
    {"D5", 4, detest_d, {0.1, 0, 0, 4.3588989435406740}},
    {"E1", 2, detest_e1, {0.6713967071418030, 0.09540051444747446}},
    {"E2", 2, detest_e2, {2, 0}},
    {"E3", 2, detest_e3, {0, 0}},
    {"E4", 2, detest_e4, {30, 0}},
    {"E5", 2, detest_e5, {0, 0}},
};
enum { DETEST_PROBLEMS = sizeof detest_problems / sizeof *detest_problems };

#endif
