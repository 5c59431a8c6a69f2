/* The histories of a part, in a delay buffer in a slot of the context, and the reads of them in the current trial step.
 *
 * The reads of a right-hand side are counted: the k-th read of one history in each evaluation is one *site*. A site
 * moves through a past that is smooth between *discontinuities*: where the initial history ends, where events were,
 * and where sites passed earlier discontinuities. Within a step, a site stays on the side of the discontinuities
 * where it began. The history beyond a discontinuity is extrapolated, so that no stage sees a kink. When a site
 * crosses a discontinuity, the site is marked and the step is repeated up to the crossing. */
#ifndef SAL_DELAY_STATE_H
#define SAL_DELAY_STATE_H

#include "numerics/delay/delay_buffer_impl.h"
#include "numerics/integrator/step_iteration.h"
#include "saltus/system.h"

typedef enum { SAL__HISTORY_STATE, SAL__HISTORY_DISCRETE, SAL__HISTORY_OUTPUT, SAL__HISTORY_INPUT } sal__history_kind;

typedef struct sal__history {
    char *name;
    sal__history_kind kind;
    sal_partition partition;           /* of a state or discrete value */
    int at, size;                      /* element of its partition, or port */
    int column;                        /* in the buffer */
    double depth;                      /* s, the largest lag */
    bool linear_only, can_use_current; /* sal_past_config */
    bool is_only_way;                  /* an input: outputs depend on it through this past alone */
    double *initial_history;           /* the value before the start, `size` numbers, or NULL */
} sal__history;

/* The value of the slot. */
typedef struct sal__history_buffer {
    const sal_system *system;
    sal_delay_buffer *ring;
    sal_delay_reader reader;
    double row[]; /* workspace for one row */
} sal__history_buffer;

/* Outputs depend on the input of this past through the past alone. */
void sal__delay_whole_input(sal_system *sys, int past);

extern const sal_slot_type sal__history_slot_type;
/* The bytes of the slot as fields of an archive. */
void sal__history_write(sal__archive *a, const sal__history_buffer *history);
sal_status sal__history_load(sal__archive *a, sal__history_buffer *history, size_t size);

/* `order`: the lowest derivative that jumps there, 0 for the value; SAL__SMOOTH: none. Discrete values jump at
 * events only; signals may depend on states and on the past without delay. */
enum { SAL__SMOOTH = 1000, SAL__MAX_SITES = 1024 };
typedef struct sal__discontinuity {
    double t;
    int order[4];         /* by sal__history_kind */
    int64_t handed_on_by; /* sal__history_number of the history that propagated it; 0: an event or the start */
    int64_t within;       /* the only history that has it, since it records what passed it on; 0: any may have it */
} sal__discontinuity;

typedef struct sal__delay_site {
    double start, read_at, end;    /* times read: at the step's start, in the last read, at the step's end */
    double lag;                    /* at the end */
    double smooth_from, smooth_to; /* smooth between */
    double at_break;        /* position at the step's end: the discontinuity that the site reached, else its own time */
    bool at_right_of_break; /* the site reached it from the right: the interval before it comes next */
    int kind, order, order_before; /* sal__history_kind; orders at smooth_to and smooth_from */
    int64_t history;               /* sal__history_number of the history that the site reads */
    bool ignores_self;       /* the history does not depend on itself: discontinuities that it propagated are ignored */
    bool reads_rate;         /* reads a derivative */
    bool has_constant_lag;   /* the lag was the same at both ends of the last step */
    int64_t last_evaluation; /* the evaluation that last read the site */
    double exit_end;         /* end of the step in which the site left its smooth interval */
    sal_delay_reader reader;
} sal__delay_site;

/* The times that a site read during the attempt that ends at t1, in order; for the first sites only. */
enum { SAL__MAX_TRACKS = 64, SAL__MAX_TRACK_POINTS = 16 };
typedef struct sal__site_track {
    double t1, t[SAL__MAX_TRACK_POINTS], read_at[SAL__MAX_TRACK_POINTS];
    int point_count;
    bool may_have_returned; /* the site left its smooth interval, or may have, and was back before the end */
} sal__site_track;

/* A read of a history at absolute time s by something else than a derivative, the n-th one of its function. A list of
 * them, made at time t; NaN: the list does not hold. */
typedef struct sal__past_read {
    double s;
    int reader; /* the number of the function */
    int nth;
    int64_t history; /* sal__history_number of what it reads */
    int kind;        /* sal__history_kind */
    bool is_rate, ignores_self;
    bool is_linear;      /* lines between accepted points: nothing jumps */
    int64_t recorded_by; /* the history that records the signal that reads; 0: an event */
} sal__past_read;
typedef struct sal__past_reads {
    double t;
    int count;
    sal__past_read *item; /* SAL__MAX_SITES */
} sal__past_reads;

/* past_readers.c: what they read at the ends of a step, and inside it. */
typedef struct sal__past_readers {
    sal__past_reads *listing; /* the list that is being made; NULL: none */
    sal__past_reads at_start, inside, at_end;
    int reader;        /* the number of the function that is evaluated */
    int64_t recording; /* the history whose signal is evaluated as it is recorded; 0: none */
    int failed;        /* the planned event that failed while a list was made; -1 */
    double arrival;    /* from here on, they read a jump that arrives at the end of the step; INFINITY: none does */
} sal__past_readers;

/* The sites of the right-hand side, in the order in which it reads them. */
typedef struct sal__delay_sites {
    sal__delay_site *item;  /* SAL__MAX_SITES */
    sal__site_track *track; /* SAL__MAX_TRACKS */
    int count, next;        /* next: the one that the next read probably belongs to */
    int64_t evaluation;     /* evaluations so far */
    double exit_end;        /* exit_end of the last site that left */
} sal__delay_sites;

/* What bounds a step because of its sites. */
typedef struct sal__step_bounds {
    int arriving_site; /* the site for which the step was shortened; -1: none */
    bool arriving_at_start;
    double step_end;
    double kink;          /* time where a lag changes abruptly, if found; INFINITY: none */
    double shortest_wait; /* shortest lag inside the step, of a signal known only at its end; INFINITY */
} sal__step_bounds;

/* The state that a step changes and a failed step restores: as it was at t. */
typedef struct sal__delay_checkpoint {
    double t;
    sal__delay_site *site;
    int site_count;
    sal__step_bounds bounds;
} sal__delay_checkpoint;

/* discontinuity.c: in the order of time. */
typedef struct sal__discontinuities {
    sal__discontinuity *item;
    int count, cap;
} sal__discontinuities;

/* influence.c: how many integrals are on the way from the delayed value of a past to what another past records, at
 * least. A row for each past that is read. NULL: not known, as if there were none. */
enum { SAL__NO_INFLUENCE = 255 };
typedef struct sal__influence {
    int part_count, past_count;
    int *first; /* by part: the row of its first past; parts + 1 */
    unsigned char *integrals;
} sal__influence;

/* What the right-hand sides of a simulator read during a trial step. */
typedef struct sal__delay_state {
    sal__provisional_step *step;
    int method_order;
    double max_depth;      /* of all histories */
    double time_scale;     /* sal__run_scale of the run */
    double *row;           /* workspace: a row of the widest history */
    bool is_tracking;      /* the integrator evaluates */
    bool is_probing;       /* the engine searches for the time where a site crosses: nothing is recorded */
    bool is_unisolated;    /* witnesses fire at the ends of steps, not where they cross */
    bool has_pending_jump; /* the buffer lacks the last updates because a signal failed */
    sal__delay_sites sites;
    sal__step_bounds bounds;
    sal__delay_checkpoint checkpoint;
    sal__discontinuities discontinuities;
    sal__influence influence;
    sal__past_readers readers;
} sal__delay_state;

/* Whether t is the evaluation at the start of a step, not a stage or a Jacobian there. */
static inline bool sal__is_step_start(const sal__delay_state *m, double t) {
    return t == m->step->t0 && t == m->step->t1 && !m->is_probing;
}

/* Returns the distance below which two discontinuities count as one. */
static inline double sal__discontinuity_tolerance(double t) {
    return 16 * 2.220446049250313e-16 * (t < 0 ? -t : t);
}

/* Returns the number of a history of the context's part, counted from 1 over all parts. */
int64_t sal__history_number(const sal_context *ctx, const sal__history *history);

/* The kind by which a history has discontinuities: a signal that only writes change, such as the output of a relay,
 * jumps where a discrete value does, and has no kinks. Else relays behind several delays of relays would hand on each
 * jump along all paths: 90,000 steps instead of 300. */
sal__history_kind sal__history_kind_in(const sal_context *ctx, const sal__history *history);

/* Returns the index of the first discontinuity after t; with or_at, of the first at or after t. */
int sal__first_discontinuity_after(const sal__delay_state *m, double t, bool or_at);

/* The row of a history in the table, by its number. */
static inline int sal__past_row(const sal__influence *table, int64_t history) {
    return table->first[history >> 32] + (int)(history & INT32_MAX) - 1;
}

/* Whether a number is that of a history. */
static inline bool sal__is_past(const sal__influence *table, int64_t history) {
    const int64_t part = history >> 32, past = history & UINT32_MAX;
    return part >= 0 && part < table->part_count && past > 0 && past <= table->first[part + 1] - table->first[part];
}

/* The order of a discontinuity in a history of this kind; SAL__SMOOTH: the history does not have it. */
static inline int sal__order_in(const sal__delay_state *m, const sal__discontinuity *b, int64_t history, int kind) {
    const sal__influence *table = &m->influence;
    if (b->within != 0)
        return b->within == history ? b->order[kind] : SAL__SMOOTH;
    if (b->handed_on_by == 0 || !table->integrals || b->order[kind] == SAL__SMOOTH)
        return b->order[kind];
    const size_t row = (size_t)sal__past_row(table, b->handed_on_by) * (size_t)table->past_count;
    const int integrals = table->integrals[row + (size_t)sal__past_row(table, history)];
    return integrals == SAL__NO_INFLUENCE ? SAL__SMOOTH : b->order[kind] + integrals;
}

static inline int sal__site_order(const sal__delay_state *m, const sal__delay_site *site, const sal__discontinuity *b) {
    return sal__order_in(m, b, site->history, site->kind);
}

/* Whether a discontinuity affects a step through this site. */
static inline bool sal__site_feels(const sal__delay_state *m, const sal__delay_site *site,
                                   const sal__discontinuity *b) {
    return sal__site_order(m, site, b) + (site->reads_rate ? 0 : 1) <= m->method_order &&
           !(site->ignores_self && b->handed_on_by == site->history);
}

/* Finds the discontinuities around the site that affect a step; they bound its smooth interval. */
void sal__site_place(const sal__delay_state *m, sal__delay_site *site);
/* Returns how far a read at s is outside the site's smooth interval, extended to the point where the site began. */
static inline double sal__site_beyond(const sal__delay_site *site, double s) {
    return sal__max(s - sal__max(site->smooth_to, site->start), sal__min(site->smooth_from, site->start) - s);
}
/* Records a read of a history at absolute time s. Returns NULL if there are more sites than can be tracked. */
sal__delay_site *sal__site_visit(const sal_context *ctx, const sal__history *history, double s, bool rate);

/* Is the read listed for the function that is evaluated now? */
static inline bool sal__is_listed(const sal__past_readers *readers, int64_t history, double s, bool is_rate) {
    const sal__past_read *item = readers->listing->item;
    int k = readers->listing->count - 1;
    for (; k >= 0 && item[k].reader == readers->reader; k--)
        if (item[k].s == s && item[k].history == history && item[k].is_rate == is_rate)
            return true;
    return false;
}

/* Adds a read to the list that is being made, once for each function: a closure may be called twice, to compare it with
 * its program. Those beyond the room of the list are not tracked. */
static inline void sal__list_past_read(sal__delay_state *m, const sal_context *ctx, const sal__history *history,
                                       double s, bool is_rate) {
    sal__past_reads *list = m->readers.listing;
    const int64_t number = sal__history_number(ctx, history);
    if (list->count == SAL__MAX_SITES || sal__is_listed(&m->readers, number, s, is_rate))
        return;
    const sal__past_read *last = list->count > 0 ? &list->item[list->count - 1] : NULL;
    list->item[list->count++] = (sal__past_read){.s = s,
                                                 .reader = m->readers.reader,
                                                 .nth = last && last->reader == m->readers.reader ? last->nth + 1 : 0,
                                                 .history = number,
                                                 .kind = (int)sal__history_kind_in(ctx, history),
                                                 .is_rate = is_rate,
                                                 .ignores_self = history->can_use_current,
                                                 .is_linear = history->linear_only,
                                                 .recorded_by = m->readers.recording};
}

/* One read of a history: the value or derivative at absolute time s. */
typedef struct sal__history_read {
    const sal_context *ctx;
    const sal__history *history;
    sal__history_buffer *buffer;
    double s;
    bool rate;
    double *out; /* `size` numbers */
} sal__history_read;

static inline void sal__read_constant(const sal__history_read *r, const double *value) {
    for (int i = 0; i < r->history->size; i++)
        r->out[i] = r->rate ? 0 : value[i];
}

/* Computes the initial history at t, which is before the start of the run. */
sal_status sal__initial_history_value(const sal_system *sys, sal__history_buffer *buffer, int past, double t,
                                      double *value);

/* Reads linearly between accepted points and beyond them; s is not before the first one. */
sal_status sal__read_history_linear(const sal__history_read *r);

/* Reads between the newest point and the present, whose value is in `out`: linearly if the signal jumped at the
 * newest point, else along the quartic of the two values and slopes of the newest interval and the present value. */
void sal__read_line_to_present(const sal__history_read *r);
void sal__read_history_to_present(const sal__history_read *r);

/* Computes the present value of the recorded variable, `size` numbers. */
sal_status sal__present_value(const sal_context *ctx, const sal__history *history, double *value);

#endif
