/* The past of a part: what its system declared to be kept, in a delay buffer of its own
 * that is in a slot of the context, and what a step being tried may read of it.
 *
 * A right-hand side's reads are counted: the k-th read of one past in each evaluation is one *site*. A
 * site moves through a past that is smooth between *breaks*: where the history met the start,
 * where events were, and where sites passed earlier breaks. Within a step a site stays on the
 * side of the breaks on which it began; what lies beyond is extended, so that no stage sees a
 * kink. A site that was led across says so, and the step is taken anew up to there. */
#ifndef SAL_DELAY_STATE_H
#define SAL_DELAY_STATE_H

#include "numerics/delay/delay_buffer_impl.h"
#include "numerics/integrator/step_iteration.h"
#include "saltus/system.h"

typedef enum { SAL__HISTORY_STATE, SAL__HISTORY_DISCRETE, SAL__HISTORY_OUTPUT, SAL__HISTORY_INPUT } sal__history_kind;

typedef struct sal__history {
    char *name;
    sal__history_kind kind;
    sal_partition partition;           /* of a state or held value */
    int at, size;                      /* element of its partition, or port */
    int column;                        /* in the buffer */
    double depth;                      /* s, the largest lag */
    bool linear_only, can_use_current; /* sal_past_config */
    double *initial_history;           /* what stood before the start, `size` numbers, or NULL */
} sal__history;

/* In a slot of the context. */
typedef struct sal__history_buffer {
    const sal_system *system;
    sal_delay_buffer *ring;
    sal_delay_reader reader;
    double row[]; /* of a row of values */
} sal__history_buffer;

extern const sal_slot_type sal__history_slot_type;

/* The lowest derivative that jumps there: 0 the value; SAL__SMOOTH: none. Held values jump at
 * events alone; signals may hang on states and on the past at once. */
enum { SAL__SMOOTH = 1000, SAL__MAX_SITES = 1024 };
typedef struct sal__discontinuity {
    double t;
    int order[4];         /* by sal__history_kind */
    int64_t handed_on_by; /* the past that handed it on, sal__history_number; 0: events or the start, -1: several */
} sal__discontinuity;

typedef struct sal__delay_site {
    double start, asked, end;      /* times: at the step's start, last, at the step's end */
    double lag;                    /* at the end */
    double smooth_from, smooth_to; /* smooth between */
    double at_break;               /* where it is at the step's end: the break it came to, else its own time */
    bool at_right_of_break;        /* that break was come to from its right: the stretch before it is next */
    int kind, order, order_before; /* sal__history_kind; of what breaks at `until`, and at `after` */
    int64_t history;               /* sal__history_number of what it reads */
    bool ignores_self;             /* what it reads does not hang on this past: breaks handed on by it are none here */
    bool reads_rate;               /* reads a derivative */
    bool has_constant_lag;         /* its lag was the same at both ends of the last step */
    int64_t last_evaluation;       /* the evaluation that read it last */
    double exit_end;               /* the end of the step in which it was led beyond `after` or `until` */
    sal_delay_reader reader;
} sal__delay_site;

/* The times that a site read along the attempt that ends at t1, in order; for the first sites only. */
enum { SAL__MAX_TRACKS = 64, SAL__MAX_TRACK_POINTS = 16 };
typedef struct sal__site_track {
    double t1, t[SAL__MAX_TRACK_POINTS], asked[SAL__MAX_TRACK_POINTS];
    int point_count;
    bool may_have_returned; /* it was beyond its stretch, or may have been, and was back before the end */
} sal__site_track;

/* What a step changes on its way. */
typedef struct sal__delay_checkpoint {
    sal__delay_site *site;
    int site_count, arriving_site;
    double t, step_end, kink, shortest_wait;
} sal__delay_checkpoint;

/* One a simulator: what its right-hand sides read while a step is tried. */
typedef struct sal__delay_state {
    sal__provisional_step *step;
    bool is_tracking;      /* the integrator evaluates */
    bool has_pending_jump; /* what the last updates changed is not in the past yet: a signal failed */
    bool is_unisolated;    /* witnesses are taken at the ends of steps, not where they cross */
    bool is_probing;       /* the engine looks where a site crosses: nothing is remembered */
    double exit_end;       /* likewise, some site */
    int method_order;      /* of the method */
    int next_site, site_count;
    int64_t evaluation; /* evaluations so far */
    int arriving_site;  /* the site that the step was cut short for, at `stop`; -1: none */
    bool arriving_at_start;
    double step_end;
    double kink;          /* where a lag turns at once, when that was seen; INFINITY */
    double shortest_wait; /* shortest lag found within a step of what only its end can tell; INFINITY */
    double max_depth;     /* the largest that is kept */
    sal__delay_site *site;
    sal__site_track *track;
    sal__delay_checkpoint checkpoint; /* where this step began, should it fail */
    sal__discontinuity *discontinuity;
    int discontinuity_count, discontinuity_capacity;
} sal__delay_state;

/* The start of a step is evaluated, not one of its stages, nor a Jacobian there. */
static inline bool sal__is_step_start(const sal__delay_state *m, double t) {
    return t == m->step->t0 && t == m->step->t1 && !m->is_probing;
}

/* Where two times are one as far as breaks go. */
static inline double sal__discontinuity_tolerance(double t) {
    return 16 * 2.220446049250313e-16 * (t < 0 ? -t : t);
}

/* Of a past of a context's part, among all; from 1. */
int64_t sal__history_number(const sal_context *ctx, const sal__history *history);

/* Can a step feel what breaks there, through this site? */
static inline bool sal__site_feels(const sal__delay_state *m, const sal__delay_site *site,
                                   const sal__discontinuity *b) {
    return b->order[site->kind] + (site->reads_rate ? 0 : 1) <= m->method_order &&
           !(site->ignores_self && b->handed_on_by == site->history);
}

/* Puts the site between the breaks around where it is that a step can feel. */
void sal__site_place(const sal__delay_state *m, sal__delay_site *site);
/* By how much a site that reads s is beyond its smooth stretch; one that was led a little short of it is on
 * it. */
static inline double sal__site_beyond(const sal__delay_site *site, double s) {
    return sal__max(s - sal__max(site->smooth_to, site->start), sal__min(site->smooth_from, site->start) - s);
}
/* Records a read of a history at absolute time s; NULL: there are more sites than can be tracked. */
sal__delay_site *sal__site_visit(const sal_context *ctx, const sal__history *history, double s, bool rate);

/* What stood at t, before the start. */
sal_status sal__initial_history_value(const sal_system *sys, sal__history_buffer *p, int past, double t, double *value);

/* Lines between accepted points and beyond them, at s not before the first one. */
sal_status sal__read_history_linear(const sal_context *ctx, const sal__history_buffer *p, const sal__history *history,
                                    double s, bool rate, double *out);

/* Between the newest point and the present: the quartic of the newest interval's two values, its slopes
 * there and the present value, which is in `out`; a line where the signal broke there. */
void sal__read_history_to_present(const sal_context *ctx, const sal__history_buffer *p, const sal__history *history,
                                  double s, bool rate, double *out);

/* What is kept of it now, `size` values. */
sal_status sal__present_value(const sal_context *ctx, const sal__history *history, double *value);

#endif
