/* Integrators without a simulator: to a limit, a crossing or a number of steps; one whole step; settings between
 * them. */
#include <math.h>
#include <string.h>

#include "base/test_check.h"
#include "saltus/integrator.h"

typedef struct ground {
    int calls;
    double refuses_above; /* heights above which the model requests a smaller step */
} ground;

static sal_status fall(void *user, double t, const double *x, double *dx) {
    ground *g = user;
    (void)t;
    g->calls++;
    if (x[0] > g->refuses_above)
        return SAL_RETRY;
    dx[0] = x[1];
    dx[1] = -10;
    return SAL_OK;
}

static sal_status height(void *user, double t, const double *x, double *w) {
    (void)user;
    (void)t;
    *w = x[0];
    return SAL_OK;
}

static sal_integrator *make(const char *method, double max_step, bool fixed) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find(method);
    config.max_step = max_step;
    config.fixed_step = fixed;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, 2, &in) == SAL_OK);
    CHECK(!sal_integrator_is_initialized(in) && sal_integrator_initialize(in) == SAL_OK &&
          sal_integrator_is_initialized(in));
    return in;
}

/* A ball thrown up at 10 m/s lands at 2 s, and every 2 s if thrown again. */
static void meets_what_comes_first(void) {
    ground g = {0, INFINITY};
    const sal_rhs rhs = {2, fall, &g};
    const sal_surface floor = {height, NULL};
    double t = 0, x[2] = {0, 10};
    sal_step_result result;
    sal_integrator *in = make("tsitouras5", INFINITY, false);
    for (int touch = 1; touch <= 5; touch++) {
        const sal_limits to = {INFINITY, INFINITY, 100};
        CHECK(sal_integrator_advance(in, &rhs, &to, 0, &floor, &t, x, &result) == SAL_OK);
        CHECK(result == SAL_REACHED_CROSSING && x[0] <= 0 && x[0] > -1e-11);
        CHECK_NEAR(t, 2 * touch, 1e-12);
        x[0] = 0;
        x[1] = 10;
    }
    const sal_limits publish = {10.5, 11, 12}, update = {11, 11, 12}, boundary = {INFINITY, INFINITY, 11.5};
    CHECK(sal_integrator_advance(in, &rhs, &publish, 0, &floor, &t, x, &result) == SAL_OK);
    CHECK(result == SAL_REACHED_PUBLISH && t == 10.5);
    CHECK(sal_integrator_advance(in, &rhs, &update, 0, &floor, &t, x, &result) == SAL_OK);
    CHECK(result == SAL_REACHED_UPDATE && t == 11);
    CHECK(sal_integrator_advance(in, &rhs, &boundary, 0, NULL, &t, x, &result) == SAL_OK);
    CHECK(result == SAL_REACHED_BOUNDARY && t == 11.5);
    CHECK_NEAR(x[0], 10 * 1.5 - 5 * 1.5 * 1.5, 1e-11);
    sal_integrator_free(in);
}

static void counts_its_steps(void) {
    ground g = {0, INFINITY};
    const sal_rhs rhs = {2, fall, &g};
    const sal_limits to = {INFINITY, INFINITY, 1};
    double t = 0, x[2] = {0, 10};
    sal_step_result result;
    sal_integrator *in = make("runge_kutta2", 0.125, true);
    CHECK(sal_integrator_advance(in, &rhs, &to, 3, NULL, &t, x, &result) == SAL_OK);
    CHECK(result == SAL_REACHED_STEP_LIMIT && t == 0.375 && sal_integrator_statistics(in)->steps == 3);
    CHECK(sal_integrator_advance(in, &rhs, &to, 5, NULL, &t, x, &result) == SAL_OK);
    CHECK(result == SAL_REACHED_BOUNDARY && t == 1 && x[0] == 5); /* D-222: exact on quadratics */
    const double was[2] = {x[0], x[1]};
    CHECK(sal_integrator_advance(in, &rhs, &to, 0, NULL, &t, x, &result) == SAL_OK); /* D-190 */
    CHECK(t == 1 && x[0] == was[0] && x[1] == was[1]);
    sal_integrator_free(in);
}

/* D-191, D-193: a whole step, or none. */
static void takes_one_whole_step(void) {
    ground g = {0, INFINITY};
    const sal_rhs rhs = {2, fall, &g};
    double t = 0, x[2] = {0, 10};
    bool taken = false;
    sal_integrator *in = make("runge_kutta3", 0.125, false);
    CHECK(sal_integrator_single_fixed_step(in, &rhs, 1, &t, x, &taken) == SAL_ESTATE);
    CHECK(sal_integrator_set_fixed_step(in, true) == SAL_OK);
    CHECK(sal_integrator_single_fixed_step(in, &rhs, 3.1415926, &t, x, &taken) == SAL_OK && taken);
    CHECK(t == 3.1415926 && sal_integrator_statistics(in)->steps == 1 &&
          sal_integrator_config_of(in)->max_step == 0.125);
    CHECK_NEAR(x[0], 10 * 3.1415926 - 5 * 3.1415926 * 3.1415926, 1e-13);
    CHECK(sal_integrator_single_fixed_step(in, &rhs, 3, &t, x, &taken) == SAL_ETIME);
    g.refuses_above = -100;
    const double was = x[0];
    CHECK(sal_integrator_single_fixed_step(in, &rhs, 4, &t, x, &taken) == SAL_OK && !taken);
    CHECK(t == 3.1415926 && x[0] == was && sal_integrator_statistics(in)->steps == 1);
    sal_integrator_free(in);
}

/* D-193: x'' = 0 by one step of any size, with every method. */
static sal_status drift(void *user, double t, const double *x, double *dx) {
    (void)user;
    (void)t;
    dx[0] = x[1];
    dx[1] = 0;
    return SAL_OK;
}

static void drifts_exactly(void) {
    for (int i = 0; sal_method_at(i); i++) {
        const sal_rhs rhs = {2, drift, NULL};
        sal_integrator *in = make(sal_method_name(sal_method_at(i)), 10, true);
        CHECK(sal_integrator_set_split(in, 1, 1) == SAL_OK);
        double t = 0, x[2] = {1, 2};
        bool taken = false;
        CHECK(sal_integrator_single_fixed_step(in, &rhs, 3.1415926, &t, x, &taken) == SAL_OK && taken);
        CHECK_NEAR(x[0], 1 + 2 * 3.1415926, 1e-10);
        CHECK(x[1] == 2);
        sal_integrator_free(in);
    }
}

/* D-185, D-186, D-187, D-200: each setting is checked against the others. */
static void settles_its_settings(void) {
    sal_integrator *in = make("runge_kutta3", 0.5, false);
    CHECK(sal_integrator_set_min_step(in, 0.6) == SAL_EINVAL && sal_integrator_config_of(in)->min_step == 0);
    CHECK(sal_integrator_set_min_step(in, 0.01) == SAL_OK && sal_integrator_working_minimum(in, 0) == 0.01);
    CHECK(sal_integrator_working_minimum(in, 1e13) == 1e-14 * 1e13);
    CHECK(sal_integrator_set_initial_step(in, 0.001) == SAL_EINVAL &&
          sal_integrator_set_initial_step(in, 1) == SAL_EINVAL);
    CHECK(sal_integrator_set_initial_step(in, 0.2) == SAL_OK && sal_integrator_initial_step_target(in) == 0.2);
    CHECK(sal_integrator_set_max_step(in, 0.005) == SAL_EINVAL && sal_integrator_set_max_step(in, 0.1) == SAL_OK);
    CHECK_NEAR(sal_integrator_initial_step_target(in), 0.01, 1e-17); /* the larger request is dropped */
    CHECK(sal_integrator_stretch_factor() == 1.01);
    sal_integrator_free(in);
    in = make("runge_kutta2", 0.1, true);
    CHECK(sal_integrator_set_fixed_step(in, false) == SAL_EINVAL &&
          sal_integrator_set_accuracy(in, 1e-3) == SAL_EINVAL);
    CHECK(sal_integrator_set_initial_step(in, 0.01) == SAL_EINVAL && !sal_integrator_error_estimate(in));
    sal_integrator_free(in);
    in = make("radau3", 0.1, false);
    CHECK(sal_integrator_initial_step_target(in) == 0.1);
    sal_integrator_free(in);
    in = make("tsitouras5", INFINITY, false);
    CHECK(sal_integrator_set_fixed_step(in, true) == SAL_EINVAL);
    sal_integrator_free(in);
}

/* D-208: targets that are too loose are tightened silently. */
static void knows_what_is_loose(void) {
    static const struct {
        const char *name;
        double standard, loosest;
    } schemes[] = {
        {"runge_kutta3", 1e-3, 1e-1},   {"bogacki_shampine3", 1e-3, 1e-1},       {"runge_kutta5", 1e-5, 1e-3},
        {"implicit_euler", 1e-1, 5e-1}, {"velocity_implicit_euler", 1e-1, 5e-1}, {"radau1", 1e-1, 5e-1},
        {"radau3", 1e-3, 1e-2}};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        sal_integrator *in = make(schemes[i].name, 0.1, false);
        CHECK(sal_integrator_accuracy_in_use(in) == schemes[i].standard);
        CHECK(sal_integrator_set_accuracy(in, 10) == SAL_OK && sal_integrator_config_of(in)->accuracy == 10);
        CHECK(sal_integrator_accuracy_in_use(in) == schemes[i].loosest);
        sal_integrator_free(in);
    }
}

/* x' = t^2 from 0: Kutta's method is exact, its midpoint is off by h^3 / 12. */
static sal_status square(void *user, double t, const double *x, double *dx) {
    (void)x;
    *dx = *(double *)user * t * t;
    return SAL_OK;
}

static void takes_from(double scale, double accuracy, double h, double *accepted, double *next, double *estimate) {
    const sal_rhs rhs = {1, square, &scale};
    const sal_limits to = {INFINITY, INFINITY, 1000};
    const double x = 0;
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find("runge_kutta3");
    config.accuracy = accuracy;
    config.initial_step = h;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, 1, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
    CHECK(isnan(sal_integrator_statistics(in)->previous_step) && isnan(sal_integrator_ideal_step(in)));
    CHECK(sal_integrator_step(in, &rhs, 0, &x, &to, NULL) == SAL_OK);
    *accepted = sal_integrator_end_time(in);
    *next = sal_integrator_ideal_step(in);
    *estimate = *sal_integrator_error_estimate(in);
    CHECK(sal_integrator_statistics(in)->previous_step == *accepted);
    CHECK(sal_integrator_statistics(in)->actual_initial_step == *accepted);
    CHECK(sal_integrator_statistics(in)->smallest_adapted_step == *accepted);
    CHECK(sal_integrator_statistics(in)->largest_step == *accepted);
    sal_integrator_free(in);
}

/* D-201, D-202: 0.9 h (accuracy / error)^(1/3), in [0.1 h, 5 h]; longer from 1.2 h on, else kept; shorter
 * only when the error is too large, and then at most 0.9 h. */
static void chooses_sizes_by_the_rule(void) {
    double h, next, err;
    takes_from(1, 1e-2 / 12, 1, &h, &next, &err); /* ten times less each: 0.9 times a 100th root, then the error fits */
    const double shorter = 0.9 * cbrt(1e-2);
    CHECK_NEAR(h, shorter, 1e-15);
    CHECK_NEAR(fabs(err), h * h * h / 12, 1e-17);
    CHECK(next == h);
    takes_from(1, 1e-1, 1, &h, &next, &err); /* 0.9 * 1.2^(1/3) = 0.956: kept, since the error was small enough */
    CHECK(h == 1 && next == 1);
    takes_from(1, 1e-1, 0.8, &h, &next, &err); /* 0.956 < 1.2 * 0.8 */
    CHECK(h == 0.8 && next == 0.8);
    takes_from(1, 1e-1, 0.75, &h, &next, &err);
    CHECK(h == 0.75);
    CHECK_NEAR(next, 0.9 * cbrt(1.2), 1e-15);
    takes_from(1e-9, 1e-1, 1, &h, &next, &err); /* at most fivefold */
    CHECK(h == 1 && next == 5);
    takes_from(0, 1e-1, 1, &h, &next, &err); /* no error at all */
    CHECK(h == 1 && next == 5 && err == 0);
    takes_from(1.3, 1e-1, 1, &h, &next, &err); /* slightly too large: 0.9 * 0.97 < 0.9 */
    CHECK_NEAR(h, 0.9 * cbrt(1.2 / 1.3), 1e-15);
    takes_from(1.1999, 0.09999, 1, &h, &next, &err); /* too large by a hair: 0.9 h */
    CHECK(h <= 0.9 && h > 0.8999);
    takes_from(1e9, 0.1, 1, &h, &next, &err); /* at least a tenth, thrice */
    CHECK(h >= 0.9e-3 && h < 1.1e-3);
}

/* D-210: 300 N/m, 2 kg, to 1 s within the accuracy, with fewer steps than a thousand fixed ones. */
static sal_status spring(void *user, double t, const double *x, double *dx) {
    (void)user;
    (void)t;
    dx[0] = x[1];
    dx[1] = -150 * x[0];
    return SAL_OK;
}

static void swings_to_its_accuracy(const char *method) {
    const sal_rhs rhs = {2, spring, NULL};
    const sal_limits to = {INFINITY, INFINITY, 1};
    double t = 0, x[2] = {0.1, 0.01};
    sal_integrator *in = make(method, 0.1, false);
    CHECK(sal_integrator_set_accuracy(in, 1e-5) == SAL_OK);
    CHECK(sal_integrator_advance(in, &rhs, &to, 0, NULL, &t, x, NULL) == SAL_OK);
    CHECK_NEAR(x[0], 0.1 * cos(sqrt(150)) + 0.01 / sqrt(150) * sin(sqrt(150)), 1e-5);
    CHECK(sal_integrator_statistics(in)->steps < 1000);
    sal_integrator_free(in);
}

/* D-204, D-205: a nearby limit affects neither the ideal step nor the smallest one. */
static void is_not_misled_by_limits(void) {
    double scale = 1e-3, t = 0, x = 0;
    const sal_rhs rhs = {1, square, &scale};
    sal_integrator *in = NULL;
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find("runge_kutta3");
    config.accuracy = 1e-3;
    config.initial_step = 0.5;
    CHECK(sal_integrator_new(NULL, &config, 1, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
    const sal_limits first = {INFINITY, INFINITY, 0.5}, near = {INFINITY, INFINITY, 0.51};
    CHECK(sal_integrator_advance(in, &rhs, &first, 0, NULL, &t, &x, NULL) == SAL_OK);
    const double ideal = sal_integrator_ideal_step(in);
    CHECK(sal_integrator_advance(in, &rhs, &near, 0, NULL, &t, &x, NULL) == SAL_OK && t == 0.51);
    CHECK(sal_integrator_ideal_step(in) == ideal && sal_integrator_statistics(in)->smallest_adapted_step == 0.5);
    sal_integrator_free(in);
}

/* ---- Pleiades (Hairer, Norsett, Wanner I, II.10): seven stars in the plane ---- */

static sal_status stars(void *user, double t, const double *x, double *dx) {
    (void)user;
    (void)t;
    for (int i = 0; i < 7; i++) {
        double ax = 0, ay = 0;
        for (int j = 0; j < 7; j++) {
            const double px = x[j] - x[i], py = x[7 + j] - x[7 + i], r2 = px * px + py * py;
            if (j == i)
                continue;
            ax += (j + 1) * px / (r2 * sqrt(r2));
            ay += (j + 1) * py / (r2 * sqrt(r2));
        }
        dx[i] = x[14 + i];
        dx[7 + i] = x[21 + i];
        dx[14 + i] = ax;
        dx[21 + i] = ay;
    }
    return SAL_OK;
}

/* D-211; at the end the positions of the book, II.10. */
static void follows_the_pleiades(void) {
    static const double start[28] = {3, 3, -1, -3, 2, -2,   2,    3, -3, 2, 0,     0, -4, 4,
                                     0, 0, 0,  0,  0, 1.75, -1.5, 0, 0,  0, -1.25, 1, 0,  0};
    static const double positions[14] = {
        0.3706139143970502, 3.237284092057233,   -3.222559032418324,  0.6597091455775310, 0.3425581707156584,
        1.562172101400631,  -0.7003092922212495, -3.943437585517392,  -3.271380973972550, 5.225081843456543,
        -2.590612434977470, 1.198213693392275,   -0.2429682344935824, 1.091449240428980};
    double t = 0, x[28];
    memcpy(x, start, sizeof x);
    const sal_rhs rhs = {28, stars, NULL};
    const sal_limits to = {INFINITY, INFINITY, 3};
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find("runge_kutta5");
    config.accuracy = 1e-7;
    config.max_step = 0.1;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, 28, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
    CHECK(sal_integrator_advance(in, &rhs, &to, 0, NULL, &t, x, NULL) == SAL_OK && t == 3);
    for (int i = 0; i < 14; i++)
        CHECK_NEAR(x[i], positions[i], 1e-5);
    CHECK(sal_integrator_statistics(in)->largest_step <= 0.1 * 1.01);
    sal_integrator_free(in);
}

int main(void) {
    meets_what_comes_first();
    counts_its_steps();
    takes_one_whole_step();
    drifts_exactly();
    settles_its_settings();
    knows_what_is_loose();
    chooses_sizes_by_the_rule();
    swings_to_its_accuracy("runge_kutta3");
    swings_to_its_accuracy("runge_kutta5");
    is_not_misled_by_limits();
    follows_the_pleiades();
    return check_summary();
}
