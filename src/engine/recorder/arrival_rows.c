/* Both sides of a delayed jump. It arrives at the end of a step, where the row has the values after it; those before it
 * are read a little earlier, since rounding decides at which of the last times the jump arrives. */
#include <math.h>
#include <string.h>

#include "recorder_impl.h"

#define SHORT 1e6 /* ulp of the time: in a shorter step, the last ulps may be much of it */

sal_status sal__arrival_rows_new(sal_recorder *rec) {
    if (!sal__has_delays(rec->sim))
        return SAL_OK;
    rec->arrival.sides = sal__alloc(&rec->mem, 2 * (size_t)rec->width * sizeof(double));
    return rec->arrival.sides ? SAL_OK : SAL_ENOMEM;
}

void sal__arrival_rows_free(sal_recorder *rec) {
    if (rec->arrival.sides)
        sal__free(&rec->mem, rec->arrival.sides, 2 * (size_t)rec->width * sizeof(double));
}

static sal_status read_at(sal_recorder *rec, double t, double *side) {
    const sal_context *ctx = NULL;
    const sal_status status = sal_simulator_state_at(rec->sim, t, &ctx);
    return status == SAL_OK ? sal__recorder_read_all(rec, ctx, side + SIGNALS) : status;
}

/* Does a signal change in the last ulps by more than a thousandth of what it does in the step? */
static bool jumps(const double *start, const double *before, const double *after, int width) {
    for (int i = SIGNALS; i < width; i++) {
        const double jump = fabs(after[i] - before[i]), size = fabs(after[i]) + fabs(before[i]) + fabs(start[i]);
        if (jump > 1e-3 * fabs(before[i] - start[i]) && jump > 1e-9 * size)
            return true;
    }
    return false;
}

sal_status sal__arrival_rows_read(sal_recorder *rec, double now, const double *after, const double **before) {
    const double start = sal_simulator_step_start(rec->sim), far = sal__max(fabs(start), fabs(now));
    double *sides = rec->arrival.sides;
    *before = NULL;
    if (!sides || !sal__past_has_breaks(rec->sim) || now - start < SHORT * sal__ulp(far))
        return SAL_OK;
    sal_status status = read_at(rec, start, sides);
    if (status == SAL_OK)
        status = read_at(rec, now - 4 * sal__discontinuity_tolerance(far), sides + rec->width);
    if (status == SAL_OK && jumps(sides, sides + rec->width, after, rec->width))
        *before = sides + rec->width;
    return status == SAL_EOFF || status == SAL_EINVAL ? SAL_OK : status;
}

sal_status sal__arrival_rows_add(sal_recorder *rec, double now) {
    const int64_t last = rec->row_count - 1;
    const double *before = NULL, *row = rec->block + last * rec->row_size;
    if (last < 0 || row[TIME] != now || !rec->arrival.sides)
        return SAL_OK;
    sal_status status = sal__arrival_rows_read(rec, now, row, &before);
    if (status == SAL_OK && before)
        status = sal__recorder_grow(&rec->mem, (void **)&rec->block, rec->row_count, &rec->capacity,
                                    (size_t)rec->row_size * sizeof(double));
    if (status != SAL_OK || !before)
        return status;
    double *left = rec->block + last * rec->row_size, *right = left + rec->row_size;
    memcpy(right, left, (size_t)rec->row_size * sizeof *right);
    memcpy(left + SIGNALS, before + SIGNALS, (size_t)(rec->width - SIGNALS) * sizeof *left);
    right[MARK] = UPDATED;
    if (rec->dense_rows.curve_count > 0)
        right[rec->width] = NAN;
    rec->row_count++;
    return SAL_OK;
}
