/* The state of witnesses and conditions. Part of engine/simulator.h. */
#ifndef SAL_WITNESS_STATE_H
#define SAL_WITNESS_STATE_H

#include "model/model.h"
#include "saltus/simulator.h"

/* The kind of a watch, which has no event of the plan (`event` is -1) and no handler. */
enum { SAL__WATCH = SAL_UNRESTRICTED + 1 };

/* The constants of a witness. */
typedef struct sal__witness_info {
    sal_status (*value)(const sal_system *self, const sal_context *ctx, int event, double *value);
    const sal_system *system;
    const sal_context *ctx;
    int index; /* of its event in its system */
    bool has_guard;
    bool guard_can_flow; /* flow may change its guard, which is evaluated at crossings only */
    bool time_only;      /* while the run flows, only time moves it: error control does not follow it */
    bool inputs_vary;    /* its inputs move it, or it has no inputs */
    bool is_subdivided;  /* crossings are searched in pieces of steps: */
    double max_interval; /* s; INFINITY */
    double max_share;    /* of a step; 1 */
    sal_direction direction;
    sal_kind kind; /* of its handler; an event without a handler is only reported */
    int event;     /* planned event; -1: none */
    int condition; /* the condition for which it fires; -1: it fires at its own crossings */
    int finder;    /* the number of a condition's finder, which has no `value` */
} sal__witness_info;

/* zeno.c: the last firings of a witness, to find where they accumulate. */
typedef struct sal__firings {
    double times[4];                     /* newest first; NaN: none */
    int64_t steps[5];                    /* step counts then */
    int64_t count;                       /* of all */
    int64_t rapid_count;                 /* in a row, far too close; without isolation, from the surface */
    int64_t shrinking_count;             /* consecutive intervals that were clearly shorter than the previous one */
    double zeno_time;                    /* where firings accumulate; NaN */
    double longest_interval;             /* the first of the present run of shrinking intervals */
    double judged_from, longest_overall; /* the start of the judged firings; the longest interval, also before them */
    bool is_zeno;                        /* the last firing was one more than allowed */
    bool is_rounded;                     /* rounding begins to make the intervals what they are */
} sal__firings;

/* A witness. `surface_level` is its value after its last firing, while it is on its surface; `armed_side` is the
 * sign of the side from which it came then. */
typedef struct sal__witness {
    sal__witness_info info;
    bool is_active;        /* its guard holds */
    bool on_surface;       /* compared with `surface_level` instead of 0 */
    bool needs_rearm;      /* handled: the next arming reads its new value */
    bool flow_changed;     /* updates changed the flow but not its value: flowing back is a crossing */
    bool may_have_turned;  /* until its slope at the start of the step is known: see sal__witness_turn_back */
    bool turned_by_feed;   /* it fired at zero exactly, and there the host fed its input another line */
    bool moved_by_handler; /* its handler changed continuous state: it returns from its surface without crossing it */
    bool end_unread;       /* w1 has to be read in this flow */
    bool has_fired;        /* waits for its handler */
    bool is_ahead;         /* it crosses in this step, behind the event, and reads its near side at the event */
    bool has_jumped;       /* a delayed jump takes it across zero, far beyond it */
    bool may_be_fast;      /* only time moves it, or did; a crossing was missed, or its phases were fast */
    int time_checks;       /* the number of such checks, up to 16 */
    signed char armed_side,
        crossing_side;           /* +1, -1: the side before the last firing; before the crossing in this step */
    double w0, w1;               /* at the step's start and end */
    double s0, s1;               /* slopes there, per second; NaN: unknown */
    double crossing_level;       /* the level that it crosses in this step */
    double crossing_value;       /* its value where it crosses, at zero or beyond */
    double surface_level, theta; /* theta: where it crosses in this step; > 1: nowhere */
    double t0, t1;               /* the step in which it last fired, before it was shortened */
    sal__firings firings;
} sal__witness;

/* An event that fires where a condition turns true. Its firings are those of a witness. */
typedef struct sal__condition {
    const sal__planned_event *event;
    const sal_context *ctx;
    int witness;          /* that represents it */
    bool can_flow;        /* flow may change it: it is evaluated in each step */
    bool lacks_finders;   /* it has no finders, and its value depends on what flows */
    sal__witness *finder; /* functions that cross zero where it may change; they fire nothing */
    int finder_count;
    bool is_true;      /* its value when last evaluated; true once its handler was called */
    bool guard_held;   /* its guard held then */
    double changed_at; /* the time when flow last changed it */
    bool has_changed;  /* it changed in this instant; its values before: */
    bool was_true, guard_held_before;
    int64_t firings_before;
    bool stays;                     /* this step is so short that it shows only rounding: the value stays */
    double turns_at;                /* theta of this step where it was found to turn true; > 1: nowhere */
    bool true_at_end, guard_at_end; /* where the step ends */
} sal__condition;

/* witness.c: the witnesses with crossings, followed by room for watches, and at the end those of conditions. */
typedef struct sal__witnesses {
    sal__witness *item;
    int count, guarded_count, capacity;
    int failed;           /* the witness that failed last */
    int undirected_count; /* witnesses that fire in both directions, which are read before their handlers */
    bool may_have_phases; /* undersampling.c: some part declares phases */
    /* Short lists keep the cost of an event independent of the number of witnesses. active: compared in this flow;
     * fired: waiting for their handlers; handled: handled since the last arming. */
    int *active, active_count, *fired, fired_count, *handled, handled_count;
    unsigned char *list_membership; /* while a snapshot is checked: the lists that contain each */
    bool updated_since_armed;       /* an update wrote something since the last arming */
    int armed_count;                /* those that are ready for the step; they stay ready if it fails */
    int without_slope;              /* the active ones without a slope at the start */
    bool time_check_due;            /* one became active and has to be checked for time dependence */
    bool has_excluded;              /* one was left out of this step, and none may become active in it */
    bool end_values_valid; /* the values and slopes at the end of the last step are those at the start of this one */
    double previous_step_size; /* while the next step is made; NaN: unknown */
    int64_t next_phase_check;  /* undersampling.c: the step of this run */
    double longest_look;       /* the longest step of this run that was searched for missed crossings */
} sal__witnesses;

/* step_ends.c: the active witnesses that may cross in this step. */
typedef struct sal__candidates {
    int *item, count;
} sal__candidates;

/* crossing_list.c: the witnesses that cross in this step, theta <= 1, the first one last. */
typedef struct sal__crossings {
    int *item, count;
} sal__crossings;

/* condition.c: in the order of the parts; those of part i are of_part[i] up to of_part[i + 1]. */
typedef struct sal__conditions {
    sal__condition *item;
    int count, *of_part;
    int *due, due_count;         /* those that the previous round turned true */
    int *changed, changed_count; /* in this instant */
    double rounding_until;       /* a time; before it, a change since the last step may be rounding */
} sal__conditions;

#endif
