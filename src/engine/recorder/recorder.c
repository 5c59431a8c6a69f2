#include <math.h>

#include "recorder_impl.h"

static sal_status add_row(sal_recorder *rec, const sal_context *ctx, double t, double mark) {
    if (!sal__recorder_should_keep(rec, mark))
        return SAL_OK;
    rec->dense_rows.context_version = 0; /* should it fail */
    const sal_status grown = sal__recorder_grow(&rec->mem, (void **)&rec->block, rec->row_count, &rec->capacity,
                                                (size_t)rec->row_size * sizeof(double));
    if (grown != SAL_OK)
        return grown;
    double *row = rec->block + rec->row_count * rec->row_size;
    row[TIME] = t;
    row[MARK] = rec->has_resumed ? RESUMED : mark;
    const sal_status status = sal__recorder_read_all(rec, ctx, row + SIGNALS);
    if (status != SAL_OK)
        return status;
    sal__write_nodes(rec, row);
    row[rec->row_size - 1] = (double)sal__run_point(rec->sim);
    rec->row_count++;
    rec->has_resumed = false;
    if (rec->max_rows > 0 && rec->row_count >= rec->max_rows)
        sal__recorder_halve(rec);
    return SAL_OK;
}

/* A new start, or a step that begins before the last row: later rows are removed. */
static void forget_from(sal_recorder *rec, double t) {
    for (; rec->row_count > 0; rec->row_count--) {
        const double last = rec->block[(rec->row_count - 1) * rec->row_size];
        if (last < t && !sal__same_instant(last, t, 0))
            break;
    }
    while (rec->event_count > 0 && rec->event[rec->event_count - 1].seen.time >= t)
        rec->event_count--;
    sal__jump_rows_forget(rec, t, -1);
    sal__recorder_recount(rec);
}

/* Is the next sample due by now? Times within rounding are one instant. When the time is so large that rounding
 * would lose or double samples, none is due. */
static bool is_due(const sal_recorder *rec, double now) {
    const double t = (double)rec->next_sample * rec->interval;
    return (t <= now && rec->interval > 16 * sal__ulp(now)) || sal__same_instant(t, now, 0);
}

/* A multiple as an integer; beyond these limits no sample is due. */
static int64_t whole(double k) {
    return k > -0x1p53 && k < 0x1p53 ? (int64_t)k : 0;
}

/* The next sample is at the first multiple after now, or at now's own; `k`: a multiple that is early enough. */
static void look_from(sal_recorder *rec, double k, double now, bool with_now) {
    rec->next_sample = whole(k);
    while (is_due(rec, now) && !(with_now && sal__same_instant((double)rec->next_sample * rec->interval, now, 0)))
        rec->next_sample++;
}

/* Leaves out the samples that are due by now. */
static void skip_samples(sal_recorder *rec, double now) {
    look_from(rec, floor(now / rec->interval) - 1, now, false);
}

void sal__recorder_resume_samples(sal_recorder *rec, double now) {
    const double last = rec->row_count > 0 ? rec->block[(rec->row_count - 1) * rec->row_size + TIME] : -INFINITY;
    if (sal__recorder_is_periodic(rec))
        look_from(rec, ceil(now / rec->interval) - 1, now, last < now && !sal__same_instant(last, now, 0));
}

/* After loading: removes the rows and events after the run's time, and those that its instant added after the save. */
static void forget_after(sal_recorder *rec, double now) {
    const int64_t point = sal__run_point(rec->sim);
    for (; rec->row_count > 0; rec->row_count--) {
        const double *row = rec->block + (rec->row_count - 1) * rec->row_size;
        const bool same = !sal__recorder_is_periodic(rec) ? row[TIME] == now : sal__same_instant(row[TIME], now, 0);
        const bool is_later = row[MARK] == UPDATED && row[rec->row_size - 1] > (double)point;
        if ((row[TIME] < now && !same) || (same && !is_later))
            break;
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < rec->event_count; i++) {
        const sal__dated_event *e = &rec->event[i];
        if (e->seen.time < now || (e->seen.time == now && e->point <= point))
            rec->event[kept++] = *e;
    }
    rec->event_count = kept;
    sal__jump_rows_forget(rec, now, point);
    rec->dense_rows.context_version = 0;
    sal__recorder_recount(rec);
    sal__recorder_resume_samples(rec, now);
}

static void warn_about_lost_samples(const sal_recorder *rec) {
    sal__warn(rec->sim, -1, -1, -1, "log",
              "is recorded at an interval below 16 ulp of the time, whose multiples are lost in rounding, so rows are "
              "missing; give the log a longer `every`");
}

static bool is_interrupted(const sal_recorder *rec, int64_t samples) {
    enum { MANY = 1 << 16 };
    return samples % MANY == MANY - 1 && sal__is_raised(&rec->sim->host.interrupt);
}

/* A step has more samples than there is room for, or than a user waits for, as with an interval in another unit. */
static void give_up_samples(sal_recorder *rec, double now) {
    sal__warn(rec->sim, -1, -1, -1, "log",
              "is recorded with more samples in a step than there is memory or time for, so rows are missing; give the "
              "log a longer `every`");
    skip_samples(rec, now);
}

/* Takes all samples of the step, even after one fails, because later the step is lost. */
static sal_status sample_up_to(sal_recorder *rec, double now) {
    sal_status first = SAL_OK;
    bool gives_up = false;
    if (!(rec->interval > 16 * sal__ulp(now)))
        warn_about_lost_samples(rec);
    for (int64_t samples = 0; is_due(rec, now) && !gives_up; rec->next_sample++, samples++) {
        gives_up = is_interrupted(rec, samples);
        if (rec->next_sample % rec->stride != 0)
            continue;
        const double t = (double)rec->next_sample * rec->interval;
        const sal_context *ctx = NULL;
        sal_status status = sal_simulator_state_at(rec->sim, sal__same_instant(t, now, 0) ? now : t, &ctx);
        if (status == SAL_OK)
            status = add_row(rec, ctx, t, PLAIN);
        if (first == SAL_OK)
            first = status;
        gives_up = gives_up || status == SAL_ENOMEM;
    }
    if (gives_up)
        give_up_samples(rec, now);
    return first;
}

static sal_status on_start(sal_recorder *rec, const sal_context *ctx) {
    const double now = sal_context_time(ctx);
    forget_from(rec, now);
    const sal_status fits = sal__dense_rows_fit(rec);
    if (fits != SAL_OK || rec->is_stopped || isinf(rec->interval))
        return fits;
    if (isnan(rec->interval))
        return add_row(rec, ctx, now, PLAIN);
    look_from(rec, ceil(now / rec->interval) - 1, now, true);
    const sal_status status = sample_up_to(rec, now);
    return status == SAL_OK ? sal__jump_rows_before(rec, ctx) : status;
}

static sal_status add_event(sal_recorder *rec, double t, int part, int event) {
    sal__recorder_drop_old_events(rec);
    const sal_status status =
        sal__recorder_grow(&rec->mem, (void **)&rec->event, rec->event_count, &rec->event_capacity, sizeof *rec->event);
    if (status == SAL_OK)
        rec->event[rec->event_count++] = (sal__dated_event){{t, part, event}, sal__run_point(rec->sim)};
    return status;
}

/* A record that begins or resumes during a run has a row at the start of its first step. */
static sal_status add_start(sal_recorder *rec) {
    if (rec->row_count > 0 && !rec->has_resumed)
        return SAL_OK;
    const double start = sal_simulator_step_start(rec->sim);
    const sal_context *ctx = NULL;
    const sal_status status = sal_simulator_state_at(rec->sim, start, &ctx);
    if (status == SAL_OK)
        return add_row(rec, ctx, start, PLAIN);
    return status == SAL_EOFF || status == SAL_EINVAL ? SAL_OK : status;
}

static sal_status add_step(sal_recorder *rec, const sal_context *ctx, double now) {
    if (sal_simulator_step_start(rec->sim) == now)
        return SAL_OK; /* no time has passed: this row exists */
    sal_status status = add_start(rec);
    if (status == SAL_OK)
        status = sal__sample_step(rec, now);
    if (status == SAL_OK)
        status = add_row(rec, ctx, now, PLAIN);
    return status == SAL_OK ? sal__arrival_rows_add(rec, now) : status;
}

static sal_status observe_periodic(sal_recorder *rec, sal_observation observation, const sal_context *ctx, double now) {
    if (observation == SAL_OBSERVE_UPDATED)
        return sal__jump_rows_after(rec, ctx);
    if (observation != SAL_OBSERVE_STEP)
        return SAL_OK;
    const sal_status status = sample_up_to(rec, now), arrival = sal__jump_rows_arrival(rec, ctx),
                     jump = sal__jump_rows_before(rec, ctx);
    return status != SAL_OK ? status : arrival != SAL_OK ? arrival : jump;
}

static sal_status observe_step(void *user, sal_simulator *sim, sal_observation observation, int part, int event) {
    sal_recorder *rec = user;
    const sal_context *ctx = sal_simulator_context(sim);
    const double now = sal_context_time(ctx);
    if (observation == SAL_OBSERVE_LOADED) {
        forget_after(rec, now);
        sal__jump_rows_loaded(rec, ctx);
        return SAL_OK;
    }
    if (observation == SAL_OBSERVE_START)
        return on_start(rec, ctx);
    if (rec->is_stopped)
        return SAL_OK;
    if (observation == SAL_OBSERVE_EVENT)
        return add_event(rec, now, part, event);
    if (isinf(rec->interval))
        return SAL_OK;
    if (sal__recorder_is_periodic(rec))
        return observe_periodic(rec, observation, ctx, now);
    return observation == SAL_OBSERVE_STEP
               ? add_step(rec, ctx, now)
               : add_row(rec, ctx, now, observation == SAL_OBSERVE_UPDATED ? UPDATED : PLAIN);
}

sal_status sal_recorder_new(sal_simulator *sim, const sal_channel *channels, int count, double interval,
                            sal_recorder **out) {
    if (!sim)
        return SAL_EINVAL;
    if (count < 0 || interval <= 0)
        return SAL__REFUSE_CALL(sim, SAL_EINVAL, "a recorder has ", sal__whole_number(count).text,
                                " channels and an interval of ", sal__real_number(interval, 6).text,
                                " s; give 0 or more channels, and seconds greater than 0, NaN or INFINITY");
    if (sal__check_usable(sim) != SAL_OK)
        return sal__refuse_state(sim);
    const sal_status checked = sal__check_channels(sim, channels, count);
    if (checked != SAL_OK)
        return checked;
    const sal_allocator mem = *sal_simulator_allocator(sim);
    sal_recorder *rec = sal__alloc(&mem, sizeof *rec);
    if (!rec)
        return SAL_ENOMEM;
    rec->mem = mem;
    rec->handle = -1;
    rec->sim = sim;
    rec->channel_count = count;
    rec->interval = interval;
    rec->stride = 1;
    rec->width = SIGNALS;
    rec->channel = sal__alloc(&mem, (size_t)count * sizeof *rec->channel);
    for (int i = 0; rec->channel && i < count; i++) {
        rec->channel[i] = channels[i];
        rec->width += channels[i].size;
    }
    sal_status status = rec->channel ? sal__dense_rows_new(rec) : SAL_ENOMEM;
    if (status == SAL_OK)
        status = sal__jump_rows_new(rec);
    if (status == SAL_OK)
        status = sal__arrival_rows_new(rec);
    if (status == SAL_OK)
        status = sal_simulator_observe(sim, observe_step, rec, &rec->handle);
    if (status != SAL_OK) {
        sal_recorder_free(rec);
        return status;
    }
    const double now = sal_context_time(sal_simulator_context(sim));
    rec->next_sample = sal__recorder_is_periodic(rec) ? whole(ceil(now / interval)) : 0;
    *out = rec;
    return SAL_OK;
}

void sal_recorder_stop(sal_recorder *rec) {
    rec->is_stopped = true;
    sal__jump_rows_interrupt(rec);
}

void sal_recorder_start(sal_recorder *rec) {
    const sal_context *ctx = sal_simulator_context(rec->sim);
    if (!rec->is_stopped || !ctx)
        return;
    rec->is_stopped = false;
    rec->has_resumed = rec->row_count > 0;
    rec->dense_rows.context_version = 0;
    sal__recorder_resume_samples(rec, sal_context_time(ctx));
}

bool sal_recorder_is_stopped(const sal_recorder *rec) {
    return rec->is_stopped;
}

sal_status sal_recorder_sample(sal_recorder *rec) {
    const sal_context *ctx = sal_simulator_context(rec->sim);
    if (!ctx || rec->is_evaluating || !sal__can_read(rec->sim))
        return SAL_ESTATE;
    const bool from_outside = sal__begin_call(rec->sim) == SAL_OK; /* a handler is within a call already */
    const sal_status status = add_row(rec, ctx, sal_context_time(ctx), PLAIN);
    return from_outside ? sal__end_call(rec->sim, status) : status;
}

void sal_recorder_free(sal_recorder *rec) {
    if (!rec)
        return;
    const sal_allocator mem = rec->mem;
    if (rec->handle >= 0)
        sal_simulator_unobserve(rec->sim, rec->handle);
    sal__dense_rows_free(rec);
    sal__jump_rows_free(rec);
    sal__arrival_rows_free(rec);
    sal__free(&mem, rec->channel, (size_t)rec->channel_count * sizeof *rec->channel);
    sal__free(&mem, rec->block, (size_t)rec->capacity * (size_t)rec->row_size * sizeof(double));
    sal__free(&mem, rec->event, (size_t)rec->event_capacity * sizeof *rec->event);
    sal__free(&mem, rec, sizeof *rec);
}

int64_t sal_recorder_rows(const sal_recorder *rec) {
    return rec->row_count;
}

int sal_recorder_width(const sal_recorder *rec) {
    return rec->width;
}

const double *sal_recorder_row(const sal_recorder *rec, int64_t row) {
    return row >= 0 && row < rec->row_count ? rec->block + row * rec->row_size : NULL;
}

int64_t sal_recorder_events(const sal_recorder *rec) {
    return rec->event_count;
}

const sal_recorded_event *sal_recorder_event(const sal_recorder *rec, int64_t index) {
    return index >= 0 && index < rec->event_count ? &rec->event[index].seen : NULL;
}
