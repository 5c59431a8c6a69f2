/* CVODE's methods as integrator steps: the stiff problems, dense output, limits, a state that changes during a run,
 * the storage of a Jacobian, failures. */
#include "../../../spec/support/stiff.h"

#include "base/test_check.h"
#include "cvode.h"

static sal_status eval(void *user, double t, const double *x, double *dx) {
    const stiff_problem *p = user;
    p->rates(t, x, dx);
    return SAL_OK;
}

static sal_integrator *make(const char *method, const stiff_problem *p, double accuracy, bool told) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find(method);
    config.accuracy = accuracy;
    config.lower = told ? p->lower : -1;
    config.upper = told ? p->upper : -1;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, p->n, &in) == SAL_OK);
    for (int i = 0; i < p->n; i++)
        sal_integrator_set_weight(in, i, 1 / p->smallest, true);
    CHECK(sal_integrator_initialize(in) == SAL_OK);
    return in;
}

static sal_status go(sal_integrator *in, const sal_rhs *rhs, double *t, double end, double *x) {
    sal_status status = SAL_OK;
    const sal_limits to = {INFINITY, INFINITY, end};
    while (*t < end && status == SAL_OK) {
        status = sal_integrator_step(in, rhs, *t, x, &to, NULL);
        if (status != SAL_OK)
            break;
        *t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), (size_t)rhs->n * sizeof *x);
    }
    return status;
}

static void solves(const stiff_problem *p, bool told, double wanted) {
    static double x[STIFF_BIGGEST];
    sal_integrator *in = make("cvode_bdf", p, 1e-8, told);
    const sal_rhs rhs = {p->n, eval, (void *)(size_t)p};
    double t = 0;
    p->start(x);
    CHECK(go(in, &rhs, &t, p->end, x) == SAL_OK);
    CHECK(t == p->end);
    CHECK_NEAR(stiff_error(p, x), 0, wanted);
    const sal_implicit_counts c = sal_integrator_implicit_statistics(in).total;
    CHECK(c.jacobians > 0 && c.factorizations >= c.jacobians && c.newton_iterations > c.factorizations);
    if (p->lower >= 0)
        CHECK(c.derivative_evaluations_for_jacobians <= 6 * c.jacobians + (told ? 0 : p->n + 1));
    sal_integrator_free(in);
}

/* Two fields one after the other: not a band in this order, so KLU is used. */
static void split_rates(double t, const double *x, double *dx) {
    double mixed[STIFF_BIGGEST], rate[STIFF_BIGGEST];
    for (int i = 0; i < BRUSSELATOR_POINTS; i++) {
        mixed[2 * i] = x[i];
        mixed[2 * i + 1] = x[BRUSSELATOR_POINTS + i];
    }
    brusselator_rates(t, mixed, rate);
    for (int i = 0; i < BRUSSELATOR_POINTS; i++) {
        dx[i] = rate[2 * i];
        dx[BRUSSELATOR_POINTS + i] = rate[2 * i + 1];
    }
}
static void split(const double *mixed, double *x) {
    for (int i = 0; i < 2 * BRUSSELATOR_POINTS; i++)
        x[i % 2 * BRUSSELATOR_POINTS + i / 2] = mixed[i];
}
static void split_start(double *x) {
    double mixed[STIFF_BIGGEST];
    brusselator_start(mixed);
    split(mixed, x);
}
static void split_solution(double *x) {
    double mixed[STIFF_BIGGEST];
    brusselator_solution(mixed);
    split(mixed, x);
}

static void stores_its_matrix(void) {
    const stiff_problem fields = {"fields", 1000, -1, -1, 10, 1, split_rates, split_start, split_solution};
    solves(&fields, false, 1e-5);
    static double x[STIFF_BIGGEST];
    static const struct {
        const char *name;
        bool told;
        SUNMatrix_ID kind;
    } cases[] = {
        {"robertson", false, SUNMATRIX_DENSE}, {"heat", true, SUNMATRIX_BAND}, {"heat", false, SUNMATRIX_BAND}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const stiff_problem *p = stiff_find(cases[k].name);
        sal_integrator *in = make("cvode_bdf", p, 1e-4, cases[k].told);
        const sal_rhs rhs = {p->n, eval, (void *)(size_t)p};
        double t = 0;
        p->start(x);
        CHECK(go(in, &rhs, &t, p->end / 1000, x) == SAL_OK);
        CHECK(SUNMatGetID(((sal__cvode *)in->external_solver)->matrix) == cases[k].kind);
        sal_integrator_free(in);
    }
}

static void circle(double t, const double *x, double *dx) {
    (void)t;
    dx[0] = x[1];
    dx[1] = -x[0];
}
static void circle_start(double *x) {
    x[0] = 0, x[1] = 1;
}
static const stiff_problem round_about = {"circle", 2, -1, -1, 10, 1, circle, circle_start, NULL};

/* Exact at the ends, and as accurate inside as at the ends. */
static void interpolates(const char *method) {
    sal_integrator *in = make(method, &round_about, 1e-8, false);
    const sal_rhs rhs = {2, eval, (void *)(size_t)&round_about};
    const sal_limits to = {INFINITY, INFINITY, 10};
    double t = 0, x[2] = {0, 1}, y[2], worst = 0;
    while (t < 10) {
        CHECK(sal_integrator_step(in, &rhs, t, x, &to, NULL) == SAL_OK);
        CHECK(sal_integrator_prepare_dense(in, &rhs) == SAL_OK);
        const double h = sal_integrator_end_time(in) - t;
        for (int k = 0; k <= 4; k++) {
            sal_integrator_interpolate(in, k / 4., y);
            worst = fmax(worst, fabs(y[0] - sin(t + k / 4. * h)));
        }
        t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), sizeof x);
    }
    CHECK_NEAR(worst, 0, 1e-6);
    CHECK(sal_integrator_statistics(in)->steps < (strcmp(method, "cvode_adams") == 0 ? 250 : 800));
    sal_integrator_free(in);
}

/* From another state CVODE restarts, and also after a change of the model. */
static void begins_anew(const char *method) {
    sal_integrator *in = make(method, &round_about, 1e-8, false);
    const sal_rhs rhs = {2, eval, (void *)(size_t)&round_about};
    double t = 0, x[2] = {0, 1};
    CHECK(go(in, &rhs, &t, 1, x) == SAL_OK);
    x[0] *= 2;
    x[1] *= 2;
    sal_integrator_invalidate(in);
    CHECK(go(in, &rhs, &t, 2, x) == SAL_OK);
    CHECK_NEAR(x[0], 2 * sin(2), 1e-6);
    CHECK_NEAR(x[1], 2 * cos(2), 1e-6);
    sal_integrator_free(in);
}

static sal_status wall(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    dx[0] = 1;
    return x[0] > 0.5 ? SAL_ECALLBACK : SAL_OK;
}
static sal_status pit(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    dx[0] = 1;
    return x[0] > 0.5 ? SAL_RETRY : SAL_OK;
}

static void fails_as_others_do(const char *method) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find(method);
    config.fixed_step = true;
    config.max_step = 0.1;
    CHECK(sal_integrator_config_check(&config, NULL) == SAL_EINVAL);
    config.fixed_step = false;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, 1, &in) == SAL_OK);
    sal_integrator_initialize(in);
    const sal_rhs hard = {1, wall, NULL}, soft = {1, pit, NULL};
    double t = 0, x = 0;
    CHECK(go(in, &hard, &t, 1, &x) == SAL_ECALLBACK);
    CHECK(t < 0.51 && sal_integrator_end_time(in) == t);
    t = x = 0;
    CHECK(go(in, &soft, &t, 1, &x) == SAL_ESTEP);
    CHECK(t < 0.51 && sal_integrator_statistics(in)->largest_step <= 0.1);
    sal_integrator_free(in);
}

int main(void) {
    solves(stiff_find("van_der_pol"), false, 1e-5);
    solves(stiff_find("robertson"), false, 1e-5);
    solves(stiff_find("hires"), false, 1e-5);
    solves(stiff_find("orego"), false, 1e-4);
    solves(stiff_find("brusselator"), true, 1e-5);
    solves(stiff_find("brusselator"), false, 1e-5);
    solves(stiff_find("heat"), false, 1e-5);
    stores_its_matrix();
    interpolates("cvode_bdf");
    interpolates("cvode_adams");
    begins_anew("cvode_bdf");
    begins_anew("cvode_adams");
    fails_as_others_do("cvode_bdf");
    fails_as_others_do("cvode_adams");
    return check_summary();
}
