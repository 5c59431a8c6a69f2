/* The problems of the Test Set for IVP Solvers, and two more that everybody measures with, in one table. Where the
 * ends come from: spec/data/stiff/README.md. */
#ifndef SAL_SUPPORT_IVP_H
#define SAL_SUPPORT_IVP_H

#include "ivp_chemistry.h"
#include "ivp_circuits.h"
#include "ivp_mechanics.h"
#include "saltus/integrator.h"

enum { IVP_BIGGEST = STIFF_BIGGEST };

typedef struct ivp_problem {
    const char *name;
    int n, ends; /* variables; ends that are known, all where `at` is NULL */
    double time;
    double smallest; /* a value below it counts as if it were as large: absolute errors are relative to it */
    double allowed;  /* error of "auto" at the end, in units of the accuracy; 0: it is told, not judged */
    void (*rates)(double t, const double *x, double *dx);
    void (*start)(double *x);
    void (*mass)(double *m); /* of M x' = f, by rows, onto zeros; NULL: the identity */
    const double *end;
    const int *at;    /* which variables they are */
    const char *file; /* or where they are written */
} ivp_problem;

static const double hires_end[8] = {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4,
                                    0.1175651343283149e-2, 0.2386356198831331e-2, 0.6238968252742796e-2,
                                    0.2849998395185769e-2, 0.2850001604814231e-2};
static const double orego_end[3] = {0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3};
static const double robertson_last[3] = {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050};

/* The test set's scaling of van der Pol's equation, mu^2 = 1e6. */
static inline void relaxation_rates(double t, const double *x, double *dx) {
    (void)t;
    dx[0] = x[1];
    dx[1] = ((1 - x[0] * x[0]) * x[1] - x[0]) / 1e-6;
}
static const double relaxation_end[2] = {0.1706167732170483e1, -0.8928097010247975};

#define FROM_FILE(name) NULL, NULL, "spec/data/stiff/" name ".txt"
static const ivp_problem ivp_problems[] = {
    {"hires", 8, 8, 321.8122, 1e-4, 20, hires_rates, hires_start, NULL, hires_end, NULL, NULL},
    {"pollution", 20, 20, 60, 1e-4, 20, pollution_rates, pollution_start, NULL, pollution_end, NULL, NULL},
    {"ring_modulator", 15, 15, 1e-3, 1e-2, 200, ring_rates, ring_start, NULL, ring_end, NULL, NULL},
    {"medical_akzo", 2 * MEDAKZO_POINTS, MEDAKZO_ENDS, 20, 1e-2, 20, medakzo_rates, medakzo_start, NULL, medakzo_end,
     medakzo_at, NULL},
    {"orego", 3, 3, 360, 1, 20, orego_rates, orego_start, NULL, orego_end, NULL, NULL},
    {"e5", 4, 4, 1e13, 1e-18, 0, e5_rates, e5_start, NULL, e5_end, NULL, NULL},
    {"beam", 2 * LINKS, 2 * LINKS, 5, 1, 200, beam_rates, beam_start, NULL, beam_end, NULL, NULL},
    {"robertson", 3, 3, 1e11, 1e-14, 20, robertson_rates, robertson_start, NULL, robertson_last, NULL, NULL},
    {"van_der_pol", 2, 2, 2, 1, 20, relaxation_rates, van_der_pol_start, NULL, relaxation_end, NULL, NULL},
    {"brusselator", 2 * BRUSSELATOR_POINTS, 2 * BRUSSELATOR_POINTS, 10, 1, 20, brusselator_rates, brusselator_start,
     NULL, FROM_FILE("brusselator")},
    {"cusp", 3 * CUSP_POINTS, 3 * CUSP_POINTS, 1.1, 1, 20, cusp_rates, cusp_start, NULL, FROM_FILE("cusp")},
    {"plate", 2 * PLATE_POINTS, 2 * PLATE_POINTS, 7, 1e-2, 20, plate_rates, plate_start, NULL, FROM_FILE("plate")},
    {"chemical_akzo", 6, 6, 180, 1e-2, 20, chemakzo_rates, chemakzo_start, chemakzo_mass, chemakzo_end, NULL, NULL},
    {"transistor", 8, 8, 0.2, 1, 20, transistor_rates, transistor_start, transistor_mass, transistor_end, NULL, NULL},
};
enum { IVP_PROBLEMS = sizeof ivp_problems / sizeof *ivp_problems };
#undef FROM_FILE

static inline void ivp_read(const ivp_problem *p, double *end) {
    FILE *file = fopen(p->file, "r");
    int read = 0;
    while (file && read < p->ends && fscanf(file, "%lf", &end[read]) == 1)
        read++;
    if (file)
        fclose(file);
    if (read < p->ends) {
        fprintf(stderr, "%s cannot be read\n", p->file);
        exit(1);
    }
}

/* The greatest error at the end, as the integrator would weigh it. */
static inline double ivp_error(const ivp_problem *p, const double *x) {
    static double written[IVP_BIGGEST];
    const double *end = p->end ? p->end : written;
    if (!p->end)
        ivp_read(p, written);
    double error = 0;
    for (int k = 0; k < p->ends; k++) {
        const double off = fabs(x[p->at ? p->at[k] : k] - end[k]) / fmax(p->smallest, fabs(end[k]));
        if (!(off <= error))
            error = off; /* NaN stays */
    }
    return error;
}

typedef struct ivp_run {
    sal_status status;
    double error;
    int64_t steps, evaluations, factorizations, jacobians;
    bool gave_up; /* more evaluations than it was allowed */
} ivp_run;

static inline sal_status ivp_eval(void *user, double t, const double *x, double *dx) {
    const ivp_problem *p = user;
    p->rates(t, x, dx);
    return SAL_OK;
}

static inline sal_integrator *ivp_integrator(const ivp_problem *p, const char *method, double accuracy) {
    static double mass[64 * 64];
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find(method);
    config.accuracy = accuracy;
    memset(mass, 0, sizeof mass);
    if (p->mass) {
        p->mass(mass);
        config.mass = mass;
    }
    sal_integrator *in = NULL;
    if (sal_integrator_new(NULL, &config, p->n, &in) != SAL_OK)
        return NULL;
    for (int i = 0; i < p->n; i++)
        sal_integrator_set_weight(in, i, 1 / p->smallest, true);
    sal_integrator_initialize(in);
    return in;
}

/* The state at the end, or where it gave up, into x. */
static inline ivp_run ivp_solve(const ivp_problem *p, sal_integrator *in, int64_t most, double *x) {
    const sal_rhs rhs = {p->n, ivp_eval, (void *)(size_t)p};
    const sal_limits to = {INFINITY, INFINITY, p->time};
    ivp_run r = {.status = SAL_OK};
    double t = 0;
    p->start(x);
    while (t < p->time && r.status == SAL_OK && !r.gave_up) {
        r.status = sal_integrator_step(in, &rhs, t, x, &to, NULL);
        t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), (size_t)p->n * sizeof *x);
        r.gave_up = sal_integrator_statistics(in)->derivative_evaluations > most;
    }
    r.error = r.status == SAL_OK && !r.gave_up ? ivp_error(p, x) : NAN;
    r.steps = sal_integrator_statistics(in)->steps;
    r.evaluations = sal_integrator_statistics(in)->derivative_evaluations;
    const sal_implicit_counts c = sal_integrator_implicit_statistics(in).total;
    r.factorizations = c.factorizations, r.jacobians = c.jacobians;
    return r;
}

#endif
