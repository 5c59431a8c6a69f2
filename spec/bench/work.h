/* Work against precision: runs at a row of accuracies, and the time to a given error. */
#ifndef SAL_BENCH_WORK_H
#define SAL_BENCH_WORK_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct run {
    double accuracy, error, seconds;
    int64_t evaluations, steps, factorizations, jacobians;
} run;
enum { RUNS = 21 };

/* The least time in which any of the runs, or a blend of two of them, comes to the error. */
static inline double time_to(double error, const run *runs) {
    double best = NAN;
    for (int i = 0; i < RUNS; i++)
        if (runs[i].error <= error && !(runs[i].seconds >= best))
            best = runs[i].seconds;
    for (int i = 0; i < RUNS; i++)
        for (int j = 0; j < RUNS; j++) {
            if (!(runs[i].error >= error && runs[j].error <= error))
                continue;
            const double wide = log(runs[i].error / runs[j].error);
            const double share = wide > 0 ? log(runs[i].error / error) / wide : 0;
            const double seconds = exp(log(runs[i].seconds) * (1 - share) + log(runs[j].seconds) * share);
            if (!(seconds >= best))
                best = seconds;
        }
    return best;
}

/* The error is that of the latest, which all share, the time the best of all. */
static inline void keep_best(run *best, const run *r, double error) {
    const double seconds = best->seconds > 0 && best->seconds < r->seconds ? best->seconds : r->seconds;
    *best = *r;
    best->seconds = seconds;
    best->error = error;
}

#endif
