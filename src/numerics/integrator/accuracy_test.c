/* Errors at the end for the same tolerance, compared with reference codes of the same kind, on four problems with
 * known ends (spec/support/flows.h, spec/data/reference_codes): DOPRI5 for the pairs of order 5, Diffrax's Tsit5 for
 * Tsitouras' pair, DOP853 for order 8. */
#include "../../../spec/support/flows.h"

#include <string.h>

#include "base/test_check.h"

typedef struct figures {
    double error;
    int64_t evaluations;
} figures;

static figures ours(const char *method, const flow *f, double tolerance) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find(method);
    config.accuracy = tolerance;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, f->n, &in) == SAL_OK);
    for (int i = 0; i < f->n; i++)
        sal_integrator_set_weight(in, i, 1, true);
    sal_integrator_initialize(in);
    const sal_rhs rhs = {f->n, f->eval, NULL};
    const sal_limits to = {INFINITY, INFINITY, f->t1};
    double t = 0, x[FLOW_MOST];
    memcpy(x, f->x0, sizeof x);
    while (t < f->t1 && sal_integrator_step(in, &rhs, t, x, &to, NULL) == SAL_OK) {
        t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), sizeof *x * (size_t)f->n);
    }
    CHECK(t == f->t1);
    const figures result = {flow_error(f, x), sal_integrator_statistics(in)->derivative_evaluations};
    sal_integrator_free(in);
    return result;
}

/* At most three times the error, with at most 1.75 times the evaluations. The step sizes of runge_kutta5 are Drake's
 * (D13), whose rule has no memory and rejects up to two steps of five at loose tolerances. DOPRI5's own error at
 * 1e-4 is small by chance: on van der Pol's and Arenstorf's problems it is the sixth and the seventh smallest,
 * relative to the tolerance, of 41 tolerances around it. There runge_kutta5 has 3.6 and 4.9 times that error;
 * compare_means tests all 41 together. The same pair with a step size rule with memory, dormand_prince5, stays
 * within three times everywhere. */
static void compare(const char *method, const flow *f, double tolerance, const figures *theirs) {
    const figures got = ours(method, f, tolerance);
    const bool careless = strcmp(method, "runge_kutta5") == 0 && tolerance > 5e-5;
    const int before = check_failed;
    CHECK(got.error <= (careless ? 5 : 3) * theirs->error);
    CHECK((double)got.evaluations <= 1.75 * (double)theirs->evaluations);
    if (check_failed != before)
        printf("    %s, %s at %g: error %g after %d evaluations; theirs: %g, %d\n", method, f->name, tolerance,
               got.error, (int)got.evaluations, theirs->error, (int)theirs->evaluations);
}

typedef struct row {
    const flow *problem;
    char code[20];
    double tolerance;
    figures theirs;
} row;

/* Passes each row of a file to `take`; returns the number of rows. */
static int each_row(const char *name, void (*take)(const row *r)) {
    char path[80], line[200], problem[20];
    snprintf(path, sizeof path, "spec/data/reference_codes/%s", name);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    int rows = 0, evaluations;
    row r;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%19[^,],%19[^,],%lf,%lf,%d", problem, r.code, &r.tolerance, &r.theirs.error, &evaluations) !=
            5)
            continue;
        r.theirs.evaluations = evaluations;
        for (int k = 0; k < FLOWS; k++)
            if (strcmp(flows[k].name, problem) == 0) {
                r.problem = &flows[k];
                rows++;
                take(&r);
            }
    }
    if (file)
        fclose(file);
    return rows;
}

static void beside_hairers(const row *r) {
    if (strcmp(r->code, "dop853") == 0) {
        compare("dormand_prince8", r->problem, r->tolerance, &r->theirs);
    } else {
        compare("tsitouras5", r->problem, r->tolerance, &r->theirs);
        compare("dormand_prince5", r->problem, r->tolerance, &r->theirs);
        compare("runge_kutta5", r->problem, r->tolerance, &r->theirs);
    }
}

static void beside_diffrax(const row *r) {
    compare("tsitouras5", r->problem, r->tolerance, &r->theirs);
}

/* Sums the logarithms of our error divided by theirs, over the tolerances around 1e-4. */
enum { PAIRS = 3 };
static struct sums {
    int count;
    double error[PAIRS], evaluations[PAIRS];
} sums[FLOWS];
static const char *const pairs[PAIRS] = {"runge_kutta5", "dormand_prince5", "tsitouras5"};

static void add_up(const row *r) {
    struct sums *s = &sums[r->problem - flows];
    s->count++;
    for (int k = 0; k < PAIRS; k++) {
        const figures got = ours(pairs[k], r->problem, r->tolerance);
        s->error[k] += log(got.error / r->theirs.error);
        s->evaluations[k] += log((double)got.evaluations / (double)r->theirs.evaluations);
    }
}

/* Geometric means: at most twice the error. */
static void compare_means(void) {
    for (int p = 0; p < FLOWS; p++)
        for (int k = 0; k < PAIRS; k++) {
            CHECK(sums[p].error[k] <= sums[p].count * log(2));
            CHECK(sums[p].evaluations[k] <= sums[p].count * log(1.75));
        }
}

int main(void) {
    CHECK(each_row("nonstiff.csv", beside_hairers) == 72);
    CHECK(each_row("tsit5.csv", beside_diffrax) == 72);
    CHECK(each_row("around_1e-4.csv", add_up) == 164);
    compare_means();
    return check_summary();
}
