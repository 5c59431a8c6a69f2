/* Room for records, which may be bounded, and copies of records.
 *
 * A row of an update belongs to the row before it: both are kept, or neither. */
#include <math.h>
#include <string.h>

#include "base/sentence.h"
#include "recorder_impl.h"

sal_status sal__recorder_grow(const sal_allocator *mem, void **block, int64_t count, int64_t *capacity, size_t item) {
    if (count < *capacity)
        return SAL_OK;
    const int64_t wanted = *capacity ? 2 * *capacity : 64;
    void *grown = sal__resize(mem, *block, (size_t)*capacity * item, (size_t)wanted * item);
    if (!grown)
        return SAL_ENOMEM;
    *block = grown;
    *capacity = wanted;
    return SAL_OK;
}

bool sal__recorder_should_keep(sal_recorder *rec, double mark) {
    if (rec->max_rows == 0 || sal__recorder_is_periodic(rec)) /* there the multiples are chosen */
        return true;
    if (mark == UPDATED)
        return !rec->last_was_skipped;
    rec->last_was_skipped = rec->offered_rows++ % rec->stride != 0;
    return !rec->last_was_skipped;
}

/* The multiple of the interval at which a row is, or its position among the steps that were kept. */
static int64_t place_of(const sal_recorder *rec, const double *row, int64_t step) {
    if (!sal__recorder_is_periodic(rec))
        return step;
    return (int64_t)floor(row[TIME] / rec->interval + 0.5) / rec->stride;
}

static bool is_update(const sal_recorder *rec, int64_t row) {
    return row < rec->row_count && rec->block[row * rec->row_size + MARK] == UPDATED;
}

/* Of several updates at one step the last is kept, so a step has two rows at most. */
void sal__recorder_halve(sal_recorder *rec) {
    const size_t bytes = (size_t)rec->row_size * sizeof(double);
    int64_t kept = 0, step = -1;
    bool keeps = true, resumed = false;
    for (int64_t i = 0; i < rec->row_count; i++) {
        double *row = rec->block + i * rec->row_size;
        if (!is_update(rec, i)) {
            keeps = place_of(rec, row, ++step) % 2 == 0;
            resumed = resumed || row[MARK] == RESUMED;
            if (keeps && resumed) {
                row[MARK] = RESUMED;
                resumed = false;
            }
        }
        if (keeps && !(is_update(rec, i) && is_update(rec, i + 1)))
            memmove(rec->block + kept++ * rec->row_size, row, bytes);
    }
    rec->row_count = kept;
    rec->stride *= 2;
    rec->last_was_skipped = !keeps;
    rec->has_resumed = rec->has_resumed || resumed;
}

void sal__recorder_drop_old_events(sal_recorder *rec) {
    if (rec->max_rows == 0 || rec->event_count < 2 * rec->max_rows)
        return;
    rec->event_count = rec->max_rows;
    memmove(rec->event, rec->event + rec->max_rows, (size_t)rec->max_rows * sizeof *rec->event);
}

void sal__recorder_recount(sal_recorder *rec) {
    if (rec->row_count == 0)
        rec->stride = 1;
    int64_t steps = 0;
    for (int64_t i = 0; i < rec->row_count; i++)
        steps += rec->block[i * rec->row_size + MARK] != UPDATED;
    rec->offered_rows = steps * rec->stride;
    rec->last_was_skipped = false;
}

sal_status sal_recorder_set_max_rows(sal_recorder *rec, int64_t most) {
    if (most != 0 && most < 16)
        return SAL__REFUSE_CALL(rec->sim, SAL_EINVAL, "a recorder cannot keep at most ", sal__whole_number(most).text,
                                " rows; give 16 or more, or 0 for no bound");
    if (rec->is_evaluating)
        return SAL_ESTATE;
    rec->max_rows = most;
    while (most > 0 && rec->row_count >= most)
        sal__recorder_halve(rec);
    return SAL_OK;
}

static bool alike(const sal_recorder *a, const sal_recorder *b) {
    return a->width == b->width && a->dense_rows.curve_count == b->dense_rows.curve_count &&
           (a->interval == b->interval || (isnan(a->interval) && isnan(b->interval)));
}

sal_status sal_recorder_copy(sal_recorder *to, const sal_recorder *from) {
    if (!alike(to, from))
        return SAL__REFUSE_CALL(to->sim, SAL_EINVAL,
                                "the rows or the interval of the other recorder differ; make both with the same "
                                "channels and interval");
    if (to->is_evaluating || from->is_evaluating)
        return SAL_ESTATE;
    if (to == from)
        return SAL_OK;
    sal__jump_rows jumps;
    const size_t row = (size_t)from->row_size * sizeof(double), event = sizeof *from->event;
    double *block = sal__alloc(&to->mem, (size_t)from->capacity * row);
    sal__dated_event *events = sal__alloc(&to->mem, (size_t)from->event_capacity * event);
    if ((!block && from->capacity > 0) || (!events && from->event_capacity > 0) ||
        sal__jump_rows_copy(to, from, &jumps) != SAL_OK) {
        sal__free(&to->mem, block, (size_t)from->capacity * row);
        sal__free(&to->mem, events, (size_t)from->event_capacity * event);
        return SAL_ENOMEM;
    }
    sal__free(&to->mem, to->block, (size_t)to->capacity * row);
    sal__free(&to->mem, to->event, (size_t)to->event_capacity * event);
    if (from->row_count > 0)
        memcpy(block, from->block, (size_t)from->row_count * row);
    if (from->event_count > 0)
        memcpy(events, from->event, (size_t)from->event_count * event);
    const sal_recorder own = *to;
    *to = *from;
    to->jump_rows = jumps;
    to->mem = own.mem, to->sim = own.sim, to->handle = own.handle, to->channel = own.channel;
    to->channel_count = own.channel_count;
    to->arrival = own.arrival;
    to->dense_rows.curve_of_channel = own.dense_rows.curve_of_channel,
    to->dense_rows.inner_nodes = own.dense_rows.inner_nodes, to->dense_rows.context_version = 0;
    to->block = block;
    to->event = events;
    return SAL_OK;
}
