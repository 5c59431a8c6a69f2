/* Records of bounded size, and copies of records.
 *
 * A row that an update made belongs to the row before it: both stay or both go. */
#include <math.h>
#include <string.h>

#include "recorder_impl.h"

bool sal__recorder_wants(sal_recorder *rec, double mark) {
    if (rec->most == 0 || sal__recorder_is_periodic(rec)) /* there the multiples are chosen */
        return true;
    if (mark == UPDATED)
        return !rec->skipping;
    rec->skipping = rec->offered++ % rec->stride != 0;
    return !rec->skipping;
}

/* The multiple of the interval that a row stands at, or its place among the steps that were kept. */
static int64_t place_of(const sal_recorder *rec, const double *row, int64_t step) {
    if (!sal__recorder_is_periodic(rec))
        return step;
    return (int64_t)floor(row[TIME] / rec->interval + 0.5) / rec->stride;
}

static bool is_update(const sal_recorder *rec, int64_t row) {
    return row < rec->rows && rec->block[row * rec->span + MARK] == UPDATED;
}

/* Of several updates of one step the last stays, so that a step has two rows at most. */
void sal__recorder_thin(sal_recorder *rec) {
    const size_t bytes = (size_t)rec->span * sizeof(double);
    int64_t kept = 0, step = -1;
    bool keeps = true, resumed = false;
    for (int64_t i = 0; i < rec->rows; i++) {
        double *row = rec->block + i * rec->span;
        if (!is_update(rec, i)) {
            keeps = place_of(rec, row, ++step) % 2 == 0;
            resumed = resumed || row[MARK] == RESUMED;
            if (keeps && resumed) {
                row[MARK] = RESUMED;
                resumed = false;
            }
        }
        if (keeps && !(is_update(rec, i) && is_update(rec, i + 1)))
            memmove(rec->block + kept++ * rec->span, row, bytes);
    }
    rec->rows = kept;
    rec->stride *= 2;
    rec->skipping = !keeps;
    rec->resumed = rec->resumed || resumed;
}

void sal__recorder_bound_events(sal_recorder *rec) {
    if (rec->most == 0 || rec->events < 2 * rec->most)
        return;
    rec->events = rec->most;
    memmove(rec->event, rec->event + rec->most, (size_t)rec->most * sizeof *rec->event);
}

void sal__recorder_recount(sal_recorder *rec) {
    if (rec->rows == 0)
        rec->stride = 1;
    int64_t steps = 0;
    for (int64_t i = 0; i < rec->rows; i++)
        steps += rec->block[i * rec->span + MARK] != UPDATED;
    rec->offered = steps * rec->stride;
    rec->skipping = false;
}

sal_status sal_recorder_set_most(sal_recorder *rec, int64_t most) {
    if (most != 0 && most < 16)
        return SAL_EINVAL;
    if (rec->asking)
        return SAL_ESTATE;
    rec->most = most;
    while (most > 0 && rec->rows >= most)
        sal__recorder_thin(rec);
    return SAL_OK;
}

static bool alike(const sal_recorder *a, const sal_recorder *b) {
    return a->width == b->width && a->arcs.curved == b->arcs.curved &&
           (a->interval == b->interval || (isnan(a->interval) && isnan(b->interval)));
}

sal_status sal_recorder_copy(sal_recorder *to, const sal_recorder *from) {
    if (!alike(to, from))
        return SAL_EINVAL;
    if (to->asking || from->asking)
        return SAL_ESTATE;
    if (to == from)
        return SAL_OK;
    const size_t row = (size_t)from->span * sizeof(double), event = sizeof *from->event;
    double *block = sal__alloc(&to->mem, (size_t)from->capacity * row);
    sal_recorded_event *events = sal__alloc(&to->mem, (size_t)from->event_capacity * event);
    if ((!block && from->capacity > 0) || (!events && from->event_capacity > 0)) {
        sal__free(&to->mem, block, (size_t)from->capacity * row);
        sal__free(&to->mem, events, (size_t)from->event_capacity * event);
        return SAL_ENOMEM;
    }
    sal__free(&to->mem, to->block, (size_t)to->capacity * row);
    sal__free(&to->mem, to->event, (size_t)to->event_capacity * event);
    if (from->rows > 0)
        memcpy(block, from->block, (size_t)from->rows * row);
    if (from->events > 0)
        memcpy(events, from->event, (size_t)from->events * event);
    const sal_recorder own = *to;
    *to = *from;
    to->mem = own.mem, to->sim = own.sim, to->handle = own.handle, to->channel = own.channel;
    to->channels = own.channels;
    to->arcs.at = own.arcs.at, to->arcs.inside = own.arcs.inside, to->arcs.written = 0;
    to->block = block;
    to->event = events;
    return SAL_OK;
}
