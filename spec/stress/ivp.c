/* The test set for initial value problems, and DETEST, by "auto": errors at the end in units of the accuracy, and
 * evaluations beside those of the best of its own methods (make stress; 15 s).
 *
 *   ivp            judges, and prints what is wrong
 *   ivp all        prints every run */
#include "../bench/clock.h"

#include "../support/detest.h"
#include "../support/ivp.h"

static const char *const own[] = {"tsitouras5", "dormand_prince8", "rodas4", "radau5"};
enum { OWN = sizeof own / sizeof *own };
static const double accuracies[] = {1e-4, 1e-6, 1e-8};
static const double dearest = 1.5, longest = 60; /* evaluations by those of the best; seconds */

static double state[IVP_BIGGEST];
static bool tells_all;
static int passed, failed;

static void judge(bool good, const char *problem, const char *method, double accuracy, const ivp_run *r, double ratio,
                  double seconds) {
    passed += good;
    failed += !good;
    if (!good || tells_all)
        printf("%-7s %-15s %-15s %.0e  error %8.3g x accuracy  %8ld evaluations (%4.2f of the best's) %7ld steps %6.2f "
               "s\n",
               good ? "" : "WRONG", problem, method, accuracy, r->error / accuracy, (long)r->evaluations, ratio,
               (long)r->steps, seconds);
}

/* ---- the test set ---- */

static ivp_run run(const ivp_problem *p, const char *method, double accuracy, int64_t most, double *seconds) {
    const double begin = now();
    sal_integrator *in = ivp_integrator(p, method, accuracy);
    ivp_run r = {.status = SAL_EINVAL, .error = NAN};
    if (in)
        r = ivp_solve(p, in, most, state);
    sal_integrator_free(in);
    *seconds = now() - begin;
    return r;
}

/* The fewest evaluations of a method that comes to a good end; those that take more than `most` are stopped. */
static int64_t fewest(const ivp_problem *p, double accuracy, int64_t most) {
    for (int m = OWN - 1; m >= 0; m--) {
        double seconds;
        const ivp_run r = run(p, own[m], accuracy, most, &seconds);
        const bool good = r.status == SAL_OK && !r.gave_up;
        if (tells_all && good)
            judge(true, p->name, own[m], accuracy, &r, 1, seconds);
        if (good && r.evaluations < most && (p->allowed == 0 || r.error <= p->allowed * accuracy))
            most = r.evaluations;
    }
    return most;
}

static void goes_well(const ivp_problem *p, double accuracy) {
    double seconds;
    const ivp_run r = run(p, "auto", accuracy, INT64_MAX, &seconds);
    const double ratio = (double)r.evaluations / (double)fewest(p, accuracy, r.evaluations);
    const bool exact = p->allowed == 0 || r.error <= p->allowed * accuracy;
    judge(r.status == SAL_OK && exact && ratio <= dearest && seconds <= longest, p->name, "auto", accuracy, &r, ratio,
          seconds);
}

/* ---- DETEST ---- */

static sal_status detest_eval(void *user, double t, const double *x, double *dx) {
    const detest_problem *p = user;
    p->rates(t, x, dx);
    return SAL_OK;
}

static void read_ends(double ends[DETEST_PROBLEMS][DETEST_BIGGEST]) {
    FILE *file = fopen("spec/data/stiff/detest.txt", "r");
    for (int k = 0; k < DETEST_PROBLEMS; k++) {
        char name[8] = "";
        bool read = file && fscanf(file, "%7s", name) == 1 && strcmp(name, detest_problems[k].name) == 0;
        for (int i = 0; read && i < detest_problems[k].n; i++)
            read = fscanf(file, "%lf", &ends[k][i]) == 1;
        if (!read) {
            fprintf(stderr, "spec/data/stiff/detest.txt cannot be read\n");
            exit(1);
        }
    }
    fclose(file);
}

static ivp_run run_detest(const detest_problem *p, const char *method, double accuracy, const double *end) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find(method);
    config.accuracy = accuracy;
    sal_integrator *in = NULL;
    if (sal_integrator_new(NULL, &config, p->n, &in) != SAL_OK)
        exit(1);
    for (int i = 0; i < p->n; i++)
        sal_integrator_set_weight(in, i, 1, true);
    sal_integrator_initialize(in);
    const sal_rhs rhs = {p->n, detest_eval, (void *)(size_t)p};
    const sal_limits to = {INFINITY, INFINITY, DETEST_TIME};
    double t = 0, x[DETEST_BIGGEST] = {0};
    memcpy(x, p->start, sizeof *x * (size_t)(p->n < 30 ? p->n : 30));
    ivp_run r = {.status = SAL_OK};
    r.status = sal_integrator_advance(in, &rhs, &to, 0, NULL, &t, x, NULL);
    for (int i = 0; i < p->n; i++)
        r.error = fmax(r.error, fabs(x[i] - end[i]) / fmax(1, fabs(end[i])));
    r.steps = sal_integrator_statistics(in)->steps;
    r.evaluations = sal_integrator_statistics(in)->derivative_evaluations;
    sal_integrator_free(in);
    return r;
}

static void runs_detest(void) {
    static double ends[DETEST_PROBLEMS][DETEST_BIGGEST];
    read_ends(ends);
    for (int k = 0; k < DETEST_PROBLEMS; k++)
        for (double accuracy = 1e-6; accuracy > 0.5e-10; accuracy /= 100) {
            const detest_problem *p = &detest_problems[k];
            const ivp_run r = run_detest(p, "auto", accuracy, ends[k]);
            int64_t best = r.evaluations;
            for (int m = 0; m < OWN; m++) {
                const ivp_run other = run_detest(p, own[m], accuracy, ends[k]);
                if (tells_all)
                    judge(true, p->name, own[m], accuracy, &other, 1, 0);
                if (other.evaluations < best && other.error <= 30 * accuracy)
                    best = other.evaluations;
            }
            const double ratio = (double)r.evaluations / (double)best;
            judge(r.status == SAL_OK && r.error <= 30 * accuracy && ratio <= dearest, p->name, "auto", accuracy, &r,
                  ratio, 0);
        }
}

int main(int count, char **arguments) {
    tells_all = count > 1 && strcmp(arguments[1], "all") == 0;
    for (int k = 0; k < IVP_PROBLEMS; k++)
        for (int a = 0; a < 3; a++)
            goes_well(&ivp_problems[k], accuracies[a]);
    runs_detest();
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
