/* Jump rows: both sides of the updates between the multiples of an interval.
 *
 * A recorder with an interval has rows at its multiples only: a jump between two of them would be drawn as a slope.
 * If an update is due at the end of a step, the side before it is read there. The side after it is read when the update
 * has run. Stories write like updates, and any step may end with such a write; the host writes between two calls.
 * Updates that change no signal are not recorded. arrival_rows.c reads both sides of a delayed jump. */
#include <math.h>
#include <string.h>

#include "recorder_impl.h"

/* Bounds the memory by that of the rows: FREE_JUMPS jumps, and JUMPS_OF_ROW more for each row. */
enum { FREE_JUMPS = 4096, JUMPS_OF_ROW = 16 };

/* A side has the columns of a row, then the point of the run. */
static size_t side_size(const sal_recorder *rec) {
    return (size_t)rec->width + 1;
}

static size_t jump_bytes(const sal_recorder *rec) {
    return 2 * side_size(rec) * sizeof(double);
}

static double *side_at(const sal_recorder *rec, int64_t jump, bool after) {
    return rec->jump_rows.block + (2 * (size_t)jump + (after ? 1 : 0)) * side_size(rec);
}

sal_status sal__jump_rows_new(sal_recorder *rec) {
    if (!sal__recorder_is_periodic(rec))
        return SAL_OK;
    rec->jump_rows.before = sal__alloc(&rec->mem, side_size(rec) * sizeof(double));
    return rec->jump_rows.before ? SAL_OK : SAL_ENOMEM;
}

void sal__jump_rows_free(sal_recorder *rec) {
    sal__jump_rows *jumps = &rec->jump_rows;
    if (jumps->before)
        sal__free(&rec->mem, jumps->before, side_size(rec) * sizeof(double));
    sal__free(&rec->mem, jumps->block, (size_t)jumps->capacity * jump_bytes(rec));
}

static sal_status read_side(sal_recorder *rec, const sal_context *ctx, double mark, double *side) {
    side[TIME] = sal_context_time(ctx);
    side[MARK] = mark;
    side[rec->width] = (double)sal__run_point(rec->sim);
    return sal__recorder_read_all(rec, ctx, side + SIGNALS);
}

static bool is_full(const sal_recorder *rec) {
    return rec->jump_rows.count >= FREE_JUMPS + JUMPS_OF_ROW * rec->row_count;
}

static bool may_jump(const sal_simulator *sim) {
    const bool ends_call = sim->contexts.current->time >= sim->result.report->boundary_time;
    return ends_call || sal__update_is_due(sim) || sim->host.has_stories;
}

sal_status sal__jump_rows_before(sal_recorder *rec, const sal_context *ctx) {
    rec->jump_rows.has_before = false;
    if (!may_jump(rec->sim) || is_full(rec))
        return SAL_OK;
    const sal_status status = read_side(rec, ctx, rec->has_resumed ? RESUMED : PLAIN, rec->jump_rows.before);
    rec->jump_rows.has_before = status == SAL_OK;
    return status;
}

/* A signal that cannot be read here cannot be read in the run. */
void sal__jump_rows_loaded(sal_recorder *rec, const sal_context *ctx) {
    sal__jump_rows *jumps = &rec->jump_rows;
    jumps->has_before = jumps->before && !rec->is_stopped && rec->sim->run_state.initialized && !is_full(rec) &&
                        read_side(rec, ctx, rec->has_resumed ? RESUMED : PLAIN, jumps->before) == SAL_OK;
}

/* Makes room for one more jump. A full recorder with max_rows drops the older half of its jumps. */
static bool has_room(sal_recorder *rec, sal_status *status) {
    sal__jump_rows *jumps = &rec->jump_rows;
    if (rec->max_rows > 0 && jumps->count >= rec->max_rows) {
        const int64_t kept = rec->max_rows / 2;
        memmove(jumps->block, side_at(rec, jumps->count - kept, false), (size_t)kept * jump_bytes(rec));
        jumps->count = kept;
    }
    if (is_full(rec))
        return false;
    *status = sal__recorder_grow(&rec->mem, (void **)&jumps->block, jumps->count, &jumps->capacity, jump_bytes(rec));
    return *status == SAL_OK;
}

sal_status sal__jump_rows_after(sal_recorder *rec, const sal_context *ctx) {
    sal__jump_rows *jumps = &rec->jump_rows;
    sal_status status = SAL_OK;
    if (!jumps->has_before || !has_room(rec, &status))
        return status;
    double *before = side_at(rec, jumps->count, false), *after = side_at(rec, jumps->count, true);
    memcpy(before, jumps->before, side_size(rec) * sizeof *before);
    status = read_side(rec, ctx, UPDATED, after);
    if (status != SAL_OK)
        return status;
    memcpy(jumps->before, after, side_size(rec) * sizeof *after); /* the side before a further update at this time */
    const size_t signals = (size_t)(rec->width - SIGNALS) * sizeof *after;
    if (memcmp(before + SIGNALS, after + SIGNALS, signals) != 0)
        jumps->count++;
    return SAL_OK;
}

sal_status sal__jump_rows_arrival(sal_recorder *rec, const sal_context *ctx) {
    sal__jump_rows *jumps = &rec->jump_rows;
    const double now = sal_context_time(ctx), *early = NULL;
    sal_status status = SAL_OK;
    if (!rec->arrival.sides || !sal__past_has_breaks(rec->sim) || !has_room(rec, &status))
        return status;
    double *before = side_at(rec, jumps->count, false), *after = side_at(rec, jumps->count, true);
    status = read_side(rec, ctx, UPDATED, after);
    if (status == SAL_OK)
        status = sal__arrival_rows_read(rec, now, after, &early);
    if (status != SAL_OK || !early)
        return status;
    memcpy(before, after, side_size(rec) * sizeof *before);
    memcpy(before + SIGNALS, early + SIGNALS, (size_t)(rec->width - SIGNALS) * sizeof *before);
    before[MARK] = PLAIN;
    jumps->count++;
    return SAL_OK;
}

void sal__jump_rows_interrupt(sal_recorder *rec) {
    rec->jump_rows.has_before = false;
}

void sal__jump_rows_forget(sal_recorder *rec, double now, int64_t point) {
    sal__jump_rows *jumps = &rec->jump_rows;
    for (; jumps->count > 0; jumps->count--) {
        const double *after = side_at(rec, jumps->count - 1, true);
        if (after[TIME] < now || (after[TIME] == now && after[rec->width] <= (double)point))
            break;
    }
    jumps->has_before = false;
}

sal_status sal__jump_rows_copy(sal_recorder *to, const sal_recorder *from, sal__jump_rows *copy) {
    *copy = from->jump_rows;
    copy->before = to->jump_rows.before;
    copy->block = sal__alloc(&to->mem, (size_t)from->jump_rows.capacity * jump_bytes(from));
    if (!copy->block && from->jump_rows.capacity > 0)
        return SAL_ENOMEM;
    if (copy->count > 0)
        memcpy(copy->block, from->jump_rows.block, (size_t)copy->count * jump_bytes(from));
    if (copy->has_before)
        memcpy(copy->before, from->jump_rows.before, side_size(from) * sizeof(double));
    sal__free(&to->mem, to->jump_rows.block, (size_t)to->jump_rows.capacity * jump_bytes(to));
    return SAL_OK;
}

int64_t sal_recorder_jumps(const sal_recorder *rec) {
    return rec->jump_rows.count;
}

const double *sal_recorder_jump(const sal_recorder *rec, int64_t jump, bool after) {
    return jump >= 0 && jump < rec->jump_rows.count ? side_at(rec, jump, after) : NULL;
}
