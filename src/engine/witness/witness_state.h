/* The witnesses and conditions of a run: what is kept of them. Part of engine/simulator.h. */
#ifndef SAL_WITNESS_STATE_H
#define SAL_WITNESS_STATE_H

#include "model/model.h"
#include "saltus/simulator.h"

/* The constants of a witness. */
typedef struct sal__witness_info {
    sal_status (*value)(const sal_system *self, const sal_context *ctx, int event, double *value);
    const sal_system *system;
    const sal_context *ctx;
    int index; /* of its event in its system */
    bool has_guard;
    bool guard_can_flow; /* flow may change its guard: the guard is called at crossings only */
    bool time_only;      /* only time moves it while it flows: no error control knows of it */
    bool inputs_vary;    /* what feeds it moves it, or it has no inputs */
    bool is_subdivided;  /* its crossings are searched more closely than steps are long: */
    double max_interval; /* s; INFINITY */
    double max_share;    /* of a step; 1 */
    sal_direction direction;
    sal_kind kind; /* of its handler; without a handler it is only reported */
    int event;     /* planned event */
    int condition; /* it represents this condition, which flow or an update turns true; -1: for a crossing */
    int finder;    /* the number of a condition's finder, which has no `value` */
} sal__witness_info;

/* zeno.c: the last firings of a witness, by which it finds where they accumulate. */
typedef struct sal__firings {
    double times[4];         /* newest first; NaN: none */
    int64_t steps[5];        /* step counts then */
    int64_t count;           /* of all */
    int64_t rapid_count;     /* in a row, far too close; without isolation, from the surface */
    int64_t shrinking_count; /* intervals in a row that were clearly shorter than the one before */
    double zeno_time;        /* where firings accumulate; NaN */
    double longest_interval; /* the first of the present run of intervals that shrink */
    double judged_from,
        longest_overall; /* judged from there on; the longest interval of all, up to the first firing too */
    bool is_zeno;        /* the last firing was one too many */
} sal__firings;

/* A witness. `surface_level` is the value that it was left at on its surface after firing; `armed_side` the sign of the
 * side that it then came from. */
typedef struct sal__witness {
    sal__witness_info info;
    bool is_active;        /* its guard holds */
    bool on_surface;       /* compared with `surface_level` instead of 0 */
    bool needs_rearm;      /* handled: look where it was left */
    bool flow_changed;     /* updates changed how it flows, but not where it is: flowing back is a crossing */
    bool moved_by_handler; /* its own moved what flows: it comes back from its surface without crossing it */
    bool end_unread;       /* in this flow w1 is still to be read */
    bool has_fired;        /* waits for its handler */
    bool varies_with_time; /* only time moves it, or it changed where only the time moved */
    int time_checks;       /* how often that was checked, up to 16 */
    signed char armed_side, crossing_side; /* +1, -1: the side before the last firing; before this step's crossing */
    double w0, w1;                         /* at the step's start and end */
    double s0, s1;                         /* slopes there, per second; NaN: unknown */
    double crossing_level;                 /* the level that it crosses there */
    double surface_level, theta;           /* theta: where it crosses in this step; > 1: nowhere */
    double t0, t1;                         /* the step in which it last fired, before the cut */
    sal__firings firings;
} sal__witness;

/* An event that fires where a condition turns true. What fires, and is handled, is a witness that represents it. */
typedef struct sal__condition {
    const sal__planned_event *event;
    const sal_context *ctx;
    int witness;          /* that represents it */
    bool can_flow;        /* flow may change it: it is looked at in each step */
    bool lacks_finders;   /* without finders it should have some */
    sal__witness *finder; /* what crosses zero where it may change; no event of its own */
    int finder_count;
    bool is_true;     /* its value when last evaluated; true from its handler on */
    bool guard_held;  /* its guard held then */
    bool has_changed; /* this instant changed it: as the instant began, it was this: */
    bool was_true, guard_held_before;
    int64_t firings_before;
    double false_at;                /* where in this step it was first seen to be false; > 1: nowhere */
    bool true_at_end, guard_at_end; /* where the step ends */
} sal__condition;

/* witness.c: those that cross, and behind them those that stand for conditions. */
typedef struct sal__witnesses {
    sal__witness *item;
    int count, guarded_count, capacity;
    int failed;       /* the witness that failed last */
    int phased_count; /* witnesses that tell their phases, and are checked for undersampling */
    /* Short lists, so that an event costs what it concerns: active are looked at in this flow; fired wait for their
     * handlers; handled ran since the last arming. */
    int *active, active_count, *fired, fired_count, *handled, handled_count;
    unsigned char *list_membership; /* of each, while a snapshot is checked: the lists that it is in */
    bool updated_since_armed;       /* an update wrote something since they were armed */
    int armed_count;                /* ready for the step; they stay so when it fails */
    int without_slope;              /* of the active: those without a slope at the start */
    bool time_check_due;            /* one became active: does it vary with time? */
    bool has_excluded;              /* one was left out of this step: none wakes in it */
    bool end_values_valid;          /* the last step's values and slopes at its end are those at this one's start */
    double previous_step_size;      /* while the next step is made; NaN: unknown */
} sal__witnesses;

/* step_ends.c: those of the active that may cross in this step. */
typedef struct sal__candidates {
    int *item, count;
} sal__candidates;

/* crossing_list.c: those that cross in this step, theta <= 1; the first one last. */
typedef struct sal__crossings {
    int *item, count;
} sal__crossings;

/* condition.c: in the order of the parts; those of part i are of_part[i] up to of_part[i + 1]. */
typedef struct sal__conditions {
    sal__condition *item;
    int count, *of_part;
    int *due, due_count;         /* the round before turned them true */
    int *changed, changed_count; /* in this instant */
} sal__conditions;

#endif
