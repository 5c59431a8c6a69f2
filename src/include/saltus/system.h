/* Systems: immutable descriptions. A class is a const table of behaviour; a
 * system is a class with sizes, names, defaults and events; nothing in it moves.
 * Its first context builds it: from then on nothing can be declared, it is only
 * read, and any number of threads may have contexts and simulators of it.
 *
 * Make one, declare what it has, then simulate it or add it to a diagram:
 *
 *   sal_system_new(NULL, &ball_class, "ball", NULL, &ball);
 *   sal_system_add_values(ball, SAL_Q, "height", 1, &ten);
 *   sal_system_add_values(ball, SAL_V, "speed", 1, NULL);
 *   sal_event_config bounce = sal_event_config_default();
 *   bounce.name = "bounce"; bounce.trigger = SAL_ON_WITNESS;
 *   bounce.kind = SAL_UNRESTRICTED; bounce.direction = SAL_FALLING;
 *   sal_system_add_event(ball, &bounce, NULL); */
#ifndef SALTUS_SYSTEM_H
#define SALTUS_SYSTEM_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a part's derivatives go: same sizes as the part's q, v, z. */
typedef struct sal_rates {
    double *q, *v, *z;
} sal_rates;

/* In dispatch order within one system. */
typedef enum {
    SAL_ON_INITIALIZATION,
    SAL_ON_STEP,
    SAL_ON_PERIOD,  /* at offset + k * period */
    SAL_ON_TIME,    /* at the time in a discrete variable, or that next_time answers */
    SAL_ON_WITNESS, /* a zero crossing of a function of time and state: only flow crosses */
    SAL_ON_CHANGE,  /* `holds`, together with `when`, turns true: by flow, by an update, by an edit of the context */
    SAL_ON_DEMAND   /* scheduled or demanded from outside */
} sal_trigger;

typedef enum { SAL_NO_HANDLER, SAL_PUBLISH, SAL_DISCRETE, SAL_UNRESTRICTED } sal_kind;

/* Of a witness's zero crossing. SAL_TURNING: none is looked for, but where its value stops rising: at once where it
 * falls as a step begins, so it belongs with a `when` that holds only while it rises; at isolated events alone. */
typedef enum { SAL_CROSSING, SAL_FALLING, SAL_RISING, SAL_NEVER, SAL_TURNING } sal_direction;

typedef struct sal_event_config {
    size_t size; /* of this struct, set by the default call */
    const char *name;
    sal_trigger trigger;
    sal_kind kind;
    double period, offset;   /* SAL_ON_PERIOD, s; period > 0 */
    sal_direction direction; /* SAL_ON_WITNESS */
    double max_interval;     /* SAL_ON_WITNESS, s, and */
    int samples;             /* in each step: how closely its crossings are looked for; 0: as steps show them */
    int time_variable;       /* SAL_ON_TIME: element of xd that holds the time; -1: ask next_time */
    bool guarded;            /* ask `when` */
    bool on_zeno;            /* `update` may be called with event->zeno set */
    bool at_start;           /* SAL_ON_CHANGE: fires too where it holds when the run is initialized */
    int finders;             /* SAL_ON_CHANGE: how many `finder` answers; -1: it needs none, flow cannot change it */
    bool when_flows;         /* flow may change `when` within a step; see it there */
    bool finders_suffice;    /* SAL_ON_CHANGE: flow changes it only where one of its finders crosses zero */
} sal_event_config;

SAL_API sal_event_config sal_event_config_default(void);

/* What a handler is told about the event that called it. */
typedef struct sal_event {
    int index;                 /* of the event in its system */
    int64_t count;             /* k of a periodic event, from 0; firings so far of a witness */
    double t0, t1;             /* by flow over a witness or a condition: the step, before it was cut; NaN: otherwise */
    const sal_context *before; /* likewise: this part at t0; NULL otherwise */
    bool zeno;                 /* called in place of the handler: firings accumulate or chatter */
    double limit;              /* zeno: the time where they accumulate; NaN when they chatter */
    int64_t firings;           /* zeno: how many were seen */
} sal_event;

/* Behaviour. Any may be NULL when the system declares nothing that needs it.
 * All but `update` only read. `data` is sal_system_data(self). */
typedef struct sal_system_class {
    const char *name;
    /* Sets every element of `dot`; one that it leaves as it is fails the run's first step, or a later one, by name. */
    sal_status (*derivatives)(const sal_system *self, const sal_context *ctx, const sal_rates *dot);
    sal_status (*output)(const sal_system *self, const sal_context *ctx, int port, double *value);
    sal_status (*witness)(const sal_system *self, const sal_context *ctx, int event, double *value);
    /* A crossing counts where this holds at the crossing, or did just before. SAL_ON_WITNESS: it is asked at both ends
     * of a step, and while it holds at neither the witness is not read; with when_flows, it is read always, and one
     * that opens and shuts again within a step is found. No value (NaN, an error) where this does not hold is no error.
     * SAL_ON_CHANGE with when_flows: finders are asked while it is false. */
    sal_status (*when)(const sal_system *self, const sal_context *ctx, int event, bool *active);
    sal_status (*next_time)(const sal_system *self, const sal_context *ctx, int event, double *t);
    /* SAL_ON_CHANGE. The event fires where this turns from false to true, at the first point of a step, as stored,
     * where it answers true. Functions that cross zero where it may change find that point; they only find, this
     * judges. `witness`, in a class without `finder`, is one; `finder` answers as many as an event has. NaN: not here.
     * Without any it is asked at the ends of steps, and what turns true and false again within one is missed. */
    sal_status (*holds)(const sal_system *self, const sal_context *ctx, int event, bool *holds);
    sal_status (*finder)(const sal_system *self, const sal_context *ctx, int event, int finder, double *value);
    sal_outcome (*publish)(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_note *note);
    /* Discrete (writes xd) and unrestricted (writes q v z xd params slots)
     * updates. `ctx` is the state before; `next` begins as that, with what
     * earlier handlers of this instant wrote. */
    sal_outcome (*update)(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note);
    /* Where the continuous state belongs; after each accepted step and each unrestricted update it is
     * brought back there. `constraints`: residuals that are zero, of time and q (of time and all of x
     * where there is no q); their derivatives along q' = N(q) v hold for v likewise, found by
     * differences, or given as `constraint_rates` (those may be more: some constraints have no
     * integral). Both are brought back by weighted least squares; see sal_system_set_constraints. */
    sal_status (*constraints)(const sal_system *self, const sal_context *ctx, double *residual);
    sal_status (*constraint_rates)(const sal_system *self, const sal_context *ctx, double *rate);
    /* In place of these, or after them: `next` begins as the state; what it says then stands. SAL_RETRY: there is
     * none nearby, try a smaller step. */
    sal_status (*project)(const sal_system *self, const sal_context *ctx, const sal_rates *next);
    /* q' = N(q) v, where q is not simply the integral of v; NULL: the q of `derivatives`. Errors of q are
     * then weighed as those of v, N W N+; q's own weights do not count. `ctx` shows the same v. */
    sal_status (*velocity_map)(const sal_system *self, const sal_context *ctx, const double *v, double *qdot);
    void (*destroy)(void *data);
    /* What stood before the start, at absolute time t: a kept value, or its derivative (the
     * other is NULL). A derivative left NaN is found by differences. SAL_RETRY: there is no
     * history, the past is flat. */
    sal_status (*history)(const sal_system *self, int past, double t, double *value, double *rate);
    /* How far the sines, remainders and tables in a witness have gone, in half periods, periods and intervals: *count
     * numbers, SAL_MAX_PHASES at most. Now and then the engine compares them at the ends of a step, and warns once
     * where one went farther than 1: crossings are missed there unless the event names max_interval or samples. */
    sal_status (*phases)(const sal_system *self, const sal_context *ctx, int event, double *phase, int *count);
} sal_system_class;

enum { SAL_MAX_PHASES = 16 };

/* Abstract state: how a slot's value is made, assigned (deep), and dropped. */
typedef struct sal_slot_type {
    sal_status (*make)(const sal_system *self, int slot, void **out);
    sal_status (*clone)(const void *from, void **out);
    sal_status (*assign)(void *to, const void *from);
    void (*drop)(void *value);
    /* As bytes, for snapshots; all four NULL: the value is left out of them. */
    size_t (*size)(const void *value);
    void (*save)(const void *value, void *bytes);
    sal_status (*load)(void *value, const void *bytes, size_t size);
    uint64_t (*hash)(const void *value, uint64_t seed);
} sal_slot_type;

/* `data` is borrowed unless the class destroys it. Names are copied; one with control characters is EINVAL, here and
 * wherever something is named: a terminal would obey them. */
SAL_API sal_status sal_system_new(const sal_allocator *allocator, const sal_system_class *behaviour, const char *name,
                                  void *data, sal_system **out);
SAL_API void sal_system_free(sal_system *sys);
SAL_API const char *sal_system_name(const sal_system *sys);
SAL_API void *sal_system_data(const sal_system *sys);

/* Declares `size` numbers under one name, at `defaults` (NULL: zeros; an input
 * at sal_no_value() must be connected or set before it is read). They
 * stand in their partition in order of declaration. EINVAL for a name that is
 * taken, a size below 1 or with which there are more than SAL_MAX_NUMBERS, or a system that was built. */
SAL_API sal_status sal_system_add_values(sal_system *sys, sal_partition partition, const char *name, int size,
                                         const double *defaults);
/* Makes a value of size 1 a mode: one of `count` words, as the whole number of its place, from 1. The words are a part
 * of what a system is: a run of one that has others, or another order, is not loaded, nor one whose number is none of
 * them. Otherwise numbers are taken as they are. EINVAL for a name that there is not. */
SAL_API sal_status sal_system_set_modes(sal_system *sys, const char *name, const char *const *words, int count);
/* Error weight of a continuous variable (see integrator.h); q is always absolute. EINVAL for NaN; a
 * negative one is refused when the run is initialized. */
SAL_API sal_status sal_system_set_weight(sal_system *sys, sal_partition partition, int element, double weight,
                                         bool relative);
/* How many residuals `constraints` writes, and rates `constraint_rates` (0: derived from the residuals). */
SAL_API sal_status sal_system_set_constraints(sal_system *sys, int constraints, int rates);
/* M of M x' = derivatives, by rows and columns of all q, v, z that were declared (no more can be after
 * it); it is copied. It may be singular, then of index 1, and the start must fulfil the
 * equations without derivative. For integrators that take one (sal_method_takes_mass); a
 * simulator with another one is refused, EINVAL. */
SAL_API sal_status sal_system_set_mass(sal_system *sys, const double *rows);
SAL_API sal_status sal_system_add_output(sal_system *sys, const char *name, int size, int *port);
/* What an output reads at once: input ports of its part, other outputs of it; NULL
 * for none. An output of which nothing is said is asked once, with the part's
 * defaults, when a diagram with it is built: what it reads then counts. */
SAL_API sal_status sal_system_set_dependencies(sal_system *sys, int output, const int *inputs, int input_count,
                                               const int *outputs, int output_count);
/* This output reads parameters, discrete state and its needs alone, neither time nor what flows: where its needs are so
 * too, it is computed anew when something was written, not at every stage of a step. */
SAL_API sal_status sal_system_set_time_invariant(sal_system *sys, int output);
/* This output is numbers that the context holds, those of a partition (inputs excepted) from element `at` on: who reads
 * it reads them where they stand, nothing is called or copied. EINVAL when not so many are declared. */
SAL_API sal_status sal_system_alias_output(sal_system *sys, int output, sal_partition partition, int at);
/* `type` is lent for as long as the system lives. EINVAL for one that lacks a function. */
SAL_API sal_status sal_system_add_slot(sal_system *sys, const char *name, const sal_slot_type *type, int *slot);
/* Keeps the past of a state, input or output, `depth` seconds back (INFINITY: all): what
 * sal_context_past reads. Delays are seen and their break points tracked: where a delayed value
 * jumps, or its derivatives do, a step ends exactly there. */
SAL_API sal_status sal_system_add_past(sal_system *sys, const char *name, double depth, int *past);
SAL_API int sal_system_pasts(const sal_system *sys);

/* How it is read, should that differ. `linear_only`: on lines between the accepted points and beyond
 * them, as Measure::Delay of Simbody does; no breaks are tracked. `can_use_current`: for a signal that
 * does not hang on its own past, steps may then be longer than the delay. `history`: what stood before
 * the start, as many numbers as the value has; NULL: what stood at the start. */
typedef struct sal_past_config {
    size_t size; /* of this struct, set by the default call */
    bool linear_only, can_use_current;
    const double *history;
} sal_past_config;

SAL_API sal_past_config sal_past_config_default(void);
SAL_API sal_status sal_system_set_past(sal_system *sys, int past, const sal_past_config *config);

/* EINVAL for a period that is not positive and finite, an offset that is not finite, an event without trigger, a
 * max_interval or samples that are negative. */
SAL_API sal_status sal_system_add_event(sal_system *sys, const sal_event_config *config, int *event);

/* Looking things up by name, -1 when there is none: the index in its partition of a value's first
 * element (of an input too: its port is what sal_system_find_input answers), a port, an event. */
SAL_API int sal_system_find_value(const sal_system *sys, sal_partition partition, const char *name);
SAL_API int sal_system_find_input(const sal_system *sys, const char *name);
SAL_API int sal_system_find_output(const sal_system *sys, const char *name);
SAL_API int sal_system_find_event(const sal_system *sys, const char *name);
SAL_API const sal_event_config *sal_system_event(const sal_system *sys, int event);
SAL_API int sal_system_events(const sal_system *sys);

/* And by number, in order of declaration from 0: for a host that shows all that there is. */
typedef struct sal_declared {
    const char *name; /* lent by the system */
    int at, size;     /* elements at, at + 1 ... of the partition; of an output at is 0 */
} sal_declared;

/* The i-th value of a partition (of SAL_INPUT: input port i), an output; false: there is none.
 * A diagram has none of its own: ask its parts (sal_diagram_part). */
SAL_API bool sal_system_value_at(const sal_system *sys, sal_partition partition, int i, sal_declared *out);
SAL_API bool sal_system_output_at(const sal_system *sys, int port, sal_declared *out);
SAL_API int sal_system_inputs(const sal_system *sys);
SAL_API int sal_system_outputs(const sal_system *sys);

/* The one timing of all periodic discrete updates of a system or diagram: sample k
 * is at offset + k * period. EINVAL when there is none, `first.part` -1, and when
 * `first` and `other` differ in theirs. */
typedef struct sal_sampled {
    int part, event;
} sal_sampled;

typedef struct sal_sampling {
    double period, offset;
    sal_sampled first, other;
} sal_sampling;

SAL_API sal_status sal_system_sampling(const sal_system *sys, sal_sampling *out);

#ifdef __cplusplus
}
#endif
#endif
