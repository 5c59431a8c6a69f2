/* The past of a part: what its system declared to be kept, in a delay buffer of its own
 * that stands in a slot of the context, and what a step being tried may read of it.
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

typedef enum { SAL__PAST_STATE, SAL__PAST_HELD_VALUE, SAL__PAST_OUTPUT, SAL__PAST_INPUT } sal__past_kind;

typedef struct sal__kept {
    char *name;
    sal__past_kind kind;
    sal_partition partition; /* of a state or held value */
    int at, size;            /* element of its partition, or port */
    int column;              /* in the buffer */
    double depth;            /* s, how far back it is asked */
    bool lines, current;     /* sal_past_config */
    double *before;          /* what stood before the start, `size` numbers, or NULL */
} sal__kept;

/* In a slot of the context. */
typedef struct sal__past {
    const sal_system *system;
    sal_delay_buffer *ring;
    sal_delay_reader reader;
    double room[]; /* of a row of values */
} sal__past;

extern const sal_slot_type sal__past_type;

/* The lowest derivative that jumps there: 0 the value; SAL__SMOOTH: none. Held values jump at
 * events alone; signals may hang on states and on the past at once. */
enum { SAL__SMOOTH = 1000, SAL__SITES = 1024 };
typedef struct sal__break {
    double t;
    int order[4]; /* by sal__past_kind */
    int64_t by;   /* the past that handed it on, sal__past_number; 0: events or the start, -1: several */
} sal__break;

typedef struct sal__site {
    double start, asked, end; /* times: at the step's start, last, at the step's end */
    double lag;               /* at the end */
    double after, until;      /* smooth between */
    double met;               /* where it stands at the step's end: the break it came to, else its own time */
    bool back;                /* that break was come to from its right: the stretch before it is next */
    int kind, order, before;  /* sal__past_kind; of what breaks at `until`, and at `after` */
    int64_t past;             /* sal__past_number of what it reads */
    bool alone;               /* what it reads does not hang on this past: breaks handed on by it are none here */
    bool rate;                /* reads a derivative */
    bool steady;              /* its lag was the same at both ends of the last step */
    int64_t round;            /* the evaluation that read it last */
    double crossed;           /* the end of the step in which it was led beyond `after` or `until` */
    sal_delay_reader reader;
} sal__site;

/* What a site asked for along the attempt that ends at t1, in the order of time; of the first sites alone. */
enum { SAL__TRACKS = 64, SAL__TRACK = 16 };
typedef struct sal__track {
    double t1, t[SAL__TRACK], asked[SAL__TRACK];
    int count;
    bool returns; /* it was beyond its stretch, or may have been, and was back before the end */
} sal__track;

/* What a step changes on its way. */
typedef struct sal__course {
    sal__site *site;
    int sites, arriving;
    double t, stop, corner, waits;
} sal__course;

/* One a simulator: what its right-hand sides read while a step is tried. */
typedef struct sal__moment {
    sal__provisional *step;
    bool tracking;  /* the integrator evaluates */
    bool owes;      /* what the last updates changed is not in the past yet: a signal failed */
    bool blunt;     /* witnesses are taken at the ends of steps, not where they cross */
    bool probing;   /* the engine looks where a site crosses: nothing is remembered */
    double crossed; /* likewise, some site */
    int order;      /* of the method */
    int now, sites;
    int64_t round; /* evaluations so far */
    int arriving;  /* the site that the step was cut short for, at `stop`; -1: none */
    bool arriving_back;
    double stop;
    double corner; /* where a lag turns at once, when that was seen; INFINITY */
    double waits;  /* shortest lag found within a step of what only its end can tell; INFINITY */
    double depth;  /* the largest that is kept */
    sal__site *site;
    sal__track *track;
    sal__course was; /* where this step began, should it fail */
    sal__break *item;
    int count, cap;
} sal__moment;

/* The start of a step is evaluated, not one of its stages, nor a Jacobian there. */
static inline bool sal__moment_begins(const sal__moment *m, double t) {
    return t == m->step->t0 && t == m->step->t1 && !m->probing;
}

/* Where two times are one as far as breaks go. */
static inline double sal__moment_near(double t) {
    return 16 * 2.220446049250313e-16 * (t < 0 ? -t : t);
}

/* Of a past of a context's part, among all; from 1. */
int64_t sal__past_number(const sal_context *ctx, const sal__kept *kept);

/* Can a step feel what breaks there, through this site? */
static inline bool sal__site_feels(const sal__moment *m, const sal__site *site, const sal__break *b) {
    return b->order[site->kind] + (site->rate ? 0 : 1) <= m->order && !(site->alone && b->by == site->past);
}

/* Puts the site between the breaks around where it stands that a step can feel. */
void sal__site_place(const sal__moment *m, sal__site *site);
/* By how much a site that asks for s is beyond its smooth stretch; one that was led a little short of it stands on
 * it. */
static inline double sal__site_beyond(const sal__site *site, double s) {
    return sal__max(s - sal__max(site->until, site->start), sal__min(site->after, site->start) - s);
}
/* What is asked of a past now, at absolute time s; NULL: there are more sites than can be tracked. */
sal__site *sal__site_visit(const sal_context *ctx, const sal__kept *kept, double s, bool rate);

/* What stood at t, before the start. */
sal_status sal__kept_before(const sal_system *sys, sal__past *p, int past, double t, double *value);

/* Lines between accepted points and beyond them, at s not before the first one. */
sal_status sal__past_on_lines(const sal_context *ctx, const sal__past *p, const sal__kept *kept, double s, bool rate,
                              double *out);

/* Between the newest point and the present: the quartic of the newest interval's two values, its slopes
 * there and the present value, which is in `out`; a line where the signal broke there. */
void sal__past_to_present(const sal_context *ctx, const sal__past *p, const sal__kept *kept, double s, bool rate,
                          double *out);

/* What is kept of it now, `size` values. */
sal_status sal__kept_now(const sal_context *ctx, const sal__kept *kept, double *value);

#endif
