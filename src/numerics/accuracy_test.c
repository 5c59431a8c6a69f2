/* At the same tolerance, errors at the end against those of the reference codes of the
 * same kind: DOPRI5 for the pairs of order 5, DOP853 for that of order 8, on four problems
 * whose ends are known (spec/support/flows.h, spec/data/reference_codes). */
#include "../../spec/support/flows.h"

#include <string.h>

#include "base/check.h"

static const char data[] = "spec/data/reference_codes/nonstiff.csv";

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

/* At most three times the error, with at most 1.75 times the evaluations. The step sizes
 * of runge_kutta5 are Drake's, whose rule is careless at loose tolerances. */
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

int main(void) {
    FILE *file = fopen(data, "r");
    CHECK(file != NULL);
    if (!file)
        return check_summary();
    char line[200], problem[20], code[20];
    double tolerance;
    int rows = 0, evaluations;
    figures theirs;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%19[^,],%19[^,],%lf,%lf,%d", problem, code, &tolerance, &theirs.error, &evaluations) != 5)
            continue;
        theirs.evaluations = evaluations;
        for (int k = 0; k < FLOWS; k++) {
            if (strcmp(flows[k].name, problem) != 0)
                continue;
            rows++;
            if (strcmp(code, "dop853") == 0) {
                compare("dormand_prince8", &flows[k], tolerance, &theirs);
            } else {
                compare("tsitouras5", &flows[k], tolerance, &theirs);
                compare("runge_kutta5", &flows[k], tolerance, &theirs);
            }
        }
    }
    fclose(file);
    CHECK(rows == 72);
    return check_summary();
}
