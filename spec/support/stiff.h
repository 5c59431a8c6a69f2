/* Stiff problems that everybody measures with, in C. Sources and how the references were
 * found: spec/data/stiff/README.md. */
#ifndef SAL_SUPPORT_STIFF_H
#define SAL_SUPPORT_STIFF_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STIFF_BIGGEST = 1000 };

typedef struct stiff_problem {
    const char *name;
    int n, lower, upper; /* half-bandwidths of the Jacobian; -1: it is full */
    double end;
    double smallest; /* size below which a value is zero, in units of the relative accuracy */
    void (*rates)(double t, const double *x, double *dx);
    void (*start)(double *x);
    void (*solution)(double *x); /* at the end */
} stiff_problem;

/* ---- van der Pol, mu = 1000 ---- */

static inline void van_der_pol_rates(double t, const double *x, double *dx) {
    (void)t;
    dx[0] = x[1];
    dx[1] = 1000 * (1 - x[0] * x[0]) * x[1] - x[0];
}
static inline void van_der_pol_start(double *x) {
    x[0] = 2, x[1] = 0;
}
static inline void van_der_pol_solution(double *x) {
    x[0] = 1.706167732170469, x[1] = -0.8928097010248125e-3;
}

/* ---- Robertson ---- */

static inline void robertson_rates(double t, const double *x, double *dx) {
    (void)t;
    const double a = 0.04 * x[0], b = 1e4 * x[1] * x[2], c = 3e7 * x[1] * x[1];
    dx[0] = -a + b;
    dx[1] = a - b - c;
    dx[2] = c;
}
static inline void robertson_start(double *x) {
    x[0] = 1, x[1] = x[2] = 0;
}
static inline void robertson_solution(double *x) {
    x[0] = 0.10730042853780404495, x[1] = 4.8001669725716705789e-07, x[2] = 0.89269909144549864695;
}
static inline void robertson_end(double *x) {
    x[0] = 0.2083340149701255e-7, x[1] = 0.8333360770334713e-13, x[2] = 0.9999999791665050;
}

/* ---- HIRES: eight reactions that grow a plant in the dark ---- */

static inline void hires_rates(double t, const double *x, double *dx) {
    (void)t;
    dx[0] = -1.71 * x[0] + 0.43 * x[1] + 8.32 * x[2] + 0.0007;
    dx[1] = 1.71 * x[0] - 8.75 * x[1];
    dx[2] = -10.03 * x[2] + 0.43 * x[3] + 0.035 * x[4];
    dx[3] = 8.32 * x[1] + 1.71 * x[2] - 1.12 * x[3];
    dx[4] = -1.745 * x[4] + 0.43 * x[5] + 0.43 * x[6];
    dx[5] = -280 * x[5] * x[7] + 0.69 * x[3] + 1.71 * x[4] - 0.43 * x[5] + 0.69 * x[6];
    dx[6] = 280 * x[5] * x[7] - 1.81 * x[6];
    dx[7] = -dx[6];
}
static inline void hires_start(double *x) {
    memset(x, 0, 8 * sizeof *x);
    x[0] = 1, x[7] = 0.0057;
}
static inline void hires_solution(double *x) {
    static const double end[8] = {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4,
                                  0.1175651343283149e-2, 0.2386356198831331e-2, 0.6238968252742796e-2,
                                  0.2849998395185769e-2, 0.2850001604814231e-2};
    memcpy(x, end, sizeof end);
}

/* ---- OREGO: the oregonator, which oscillates ---- */

static inline void orego_rates(double t, const double *x, double *dx) {
    (void)t;
    dx[0] = 77.27 * (x[1] + x[0] * (1 - 8.375e-6 * x[0] - x[1]));
    dx[1] = (x[2] - (1 + x[0]) * x[1]) / 77.27;
    dx[2] = 0.161 * (x[0] - x[2]);
}
static inline void orego_start(double *x) {
    x[0] = 1, x[1] = 2, x[2] = 3;
}
static inline void orego_solution(double *x) {
    x[0] = 0.1000814870318523e1, x[1] = 0.1228178521549917e4, x[2] = 0.1320554942846706e3;
}

/* ---- Brusselator with diffusion, 500 inner points, u and v in turn ---- */

enum { BRUSSELATOR_POINTS = 500 };

static inline void brusselator_rates(double t, const double *x, double *dx) {
    (void)t;
    const int points = BRUSSELATOR_POINTS;
    const double c = 1. / 50 * (points + 1) * (points + 1);
    for (int i = 0; i < points; i++) {
        const double u = x[2 * i], v = x[2 * i + 1], uuv = u * u * v;
        const double u_left = i ? x[2 * i - 2] : 1, v_left = i ? x[2 * i - 1] : 3;
        const double u_right = i < points - 1 ? x[2 * i + 2] : 1, v_right = i < points - 1 ? x[2 * i + 3] : 3;
        dx[2 * i] = 1 + uuv - 4 * u + c * (u_left - 2 * u + u_right);
        dx[2 * i + 1] = 3 * u - uuv + c * (v_left - 2 * v + v_right);
    }
}
static inline void brusselator_start(double *x) {
    for (int i = 0; i < BRUSSELATOR_POINTS; i++) {
        x[2 * i] = 1 + sin(2 * 3.14159265358979323846 * (i + 1) / (BRUSSELATOR_POINTS + 1));
        x[2 * i + 1] = 3;
    }
}
static inline void brusselator_solution(double *x) {
    FILE *file = fopen("spec/data/stiff/brusselator.txt", "r");
    int read = 0;
    while (file && read < 2 * BRUSSELATOR_POINTS && fscanf(file, "%lf", &x[read]) == 1)
        read++;
    if (file)
        fclose(file);
    if (read < 2 * BRUSSELATOR_POINTS) {
        fprintf(stderr, "spec/data/stiff/brusselator.txt cannot be read\n");
        exit(1);
    }
}

/* ---- heat in a rod, 500 inner points: two modes, each of which decays on its own ---- */

enum { HEAT_POINTS = 500 };

static inline void heat_rates(double t, const double *x, double *dx) {
    (void)t;
    const int last = HEAT_POINTS - 1;
    const double c = (double)(HEAT_POINTS + 1) * (HEAT_POINTS + 1);
    dx[0] = c * (x[1] - 2 * x[0]);
    for (int i = 1; i < last; i++)
        dx[i] = c * (x[i - 1] - 2 * x[i] + x[i + 1]);
    dx[last] = c * (x[last - 1] - 2 * x[last]);
}
static inline void heat_at(double t, double *x) {
    const double angle = 3.14159265358979323846 / (HEAT_POINTS + 1);
    const double c = 4. * (HEAT_POINTS + 1) * (HEAT_POINTS + 1);
    const double s1 = sin(angle / 2), s3 = sin(3 * angle / 2);
    const double first = exp(-c * s1 * s1 * t), third = exp(-c * s3 * s3 * t) / 2;
    for (int i = 0; i < HEAT_POINTS; i++)
        x[i] = first * sin(angle * (i + 1)) + third * sin(3 * angle * (i + 1));
}
static inline void heat_start(double *x) {
    heat_at(0, x);
}
static inline void heat_solution(double *x) {
    heat_at(0.1, x);
}

static const stiff_problem stiff_problems[] = {
    {"van_der_pol", 2, -1, -1, 2000, 1e-2, van_der_pol_rates, van_der_pol_start, van_der_pol_solution},
    {"robertson", 3, -1, -1, 1e4, 1e-4, robertson_rates, robertson_start, robertson_solution},
    {"robertson_late", 3, -1, -1, 1e11, 1e-14, robertson_rates, robertson_start, robertson_end},
    {"hires", 8, -1, -1, 321.8122, 1e-4, hires_rates, hires_start, hires_solution},
    {"orego", 3, -1, -1, 360, 1, orego_rates, orego_start, orego_solution},
    {"brusselator", 1000, 2, 2, 10, 1, brusselator_rates, brusselator_start, brusselator_solution},
    {"heat", 500, 1, 1, 0.1, 1, heat_rates, heat_start, heat_solution},
};
enum { STIFF_PROBLEMS = sizeof stiff_problems / sizeof *stiff_problems };

static inline const stiff_problem *stiff_find(const char *name) {
    for (int i = 0; i < STIFF_PROBLEMS; i++)
        if (strcmp(stiff_problems[i].name, name) == 0)
            return &stiff_problems[i];
    return NULL;
}

/* The greatest error of any variable at the end, relative to its size there. */
static inline double stiff_error(const stiff_problem *p, const double *x) {
    double end[STIFF_BIGGEST], error = 0;
    p->solution(end);
    for (int i = 0; i < p->n; i++) {
        const double off = fabs(x[i] - end[i]) / fabs(end[i]);
        if (!(off <= error))
            error = off; /* NaN stays */
    }
    return error;
}

#endif
