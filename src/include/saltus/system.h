/* Systems: immutable descriptions. A class is a const table of functions. A system is a class with sizes, names,
 * defaults and events; nothing in it changes. Its first context builds it. From then on nothing can be declared, it is
 * only read, and any number of threads may have contexts and simulators of it.
 *
 * Make a system, declare what it has, then simulate it or add it to a diagram:
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

SAL_BEGIN_DECLARATIONS

/* Where the derivatives of a part are written: as many as its q, v and z. The first evaluations of a simulator fail
 * with EINVAL if a number is written beside them. */
typedef struct sal_rates {
    double *q, *v, *z;
} sal_rates;

/* What makes an event fire, in the order of dispatch within one system. Each event states its own. */
typedef enum {
    SAL_NO_TRIGGER, /* not stated: refused */
    SAL_ON_INITIALIZATION,
    SAL_ON_STEP,
    SAL_ON_PERIOD,  /* at offset + k * period */
    SAL_ON_TIME,    /* at the time in a discrete variable, or that next_time returns; in order as SAL_ON_PERIOD */
    SAL_ON_WITNESS, /* a zero crossing of a function of time and state; only continuous integration crosses zero */
    SAL_ON_CHANGE,  /* `holds` and `when` together become true: by flow, an update, or an edit of the context */
    SAL_ON_DEMAND   /* scheduled or demanded from outside */
} sal_trigger;

/* What an event calls. SAL_NO_HANDLER: nothing; it ends a step and is observed. SAL_PUBLISH: `publish`, which writes
 * nothing. SAL_DISCRETE: `update`, which may write xd. SAL_UNRESTRICTED: `update`, which may write q, v, z, xd,
 * parameters and slots. */
typedef enum {
    SAL_NO_KIND, /* not stated: refused */
    SAL_NO_HANDLER,
    SAL_PUBLISH,
    SAL_DISCRETE,
    SAL_UNRESTRICTED
} sal_kind;

/* The direction of the zero crossing for which a witness fires. SAL_TURNING needs no crossing: the witness fires
 * where its value stops rising. It fires at once if the value falls as a step begins, so use it with a `when` that
 * holds only while the value rises, as a mode does that the handler changes; it needs isolated events. */
typedef enum { SAL_CROSSING, SAL_FALLING, SAL_RISING, SAL_NEVER, SAL_TURNING } sal_direction;

typedef struct sal_event_config {
    size_t size; /* of this struct, set by the default call */
    const char *name;
    sal_trigger trigger;
    sal_kind kind;
    double period, offset;   /* SAL_ON_PERIOD, s; period > 0 */
    sal_direction direction; /* SAL_ON_WITNESS */
    double max_interval;     /* SAL_ON_WITNESS, s, and */
    int samples;             /* per step: how densely crossings are searched; 0: only as often as steps show them */
    int time_variable;       /* SAL_ON_TIME: element of xd that holds the time; it becomes infinite before the */
                             /* handler, which may set it anew; -1: call next_time */
    bool guarded;            /* call `when` */
    bool on_zeno;            /* `update` may be called with event->zeno set */
    bool at_start;           /* SAL_ON_CHANGE: also fires if the condition holds when the run is initialized */
    int finders; /* SAL_ON_CHANGE: number of functions in `finder`; 0: `witness` is the only one, if the class has it;
                    -1: none, integration cannot change the condition */
    bool when_flows;      /* `when` may change within a step; see `when` below */
    bool finders_suffice; /* SAL_ON_CHANGE: during integration the condition changes only where a finder crosses zero */
    const char *doc;      /* one line for people, copied; NULL: none */
    bool upstream_first;  /* an update that follows inputs, and runs after those like it upstream: before the other
                             updates at the start (SAL_ON_INITIALIZATION), or, where its next_time is now (SAL_ON_TIME),
                             in the instant in which an input jumped, before conditions are evaluated */
} sal_event_config;

/* Returns the defaults. They have no name, trigger or kind: an event without trigger or kind is refused. */
SAL_API sal_event_config sal_event_config_default(void);

/* What a handler receives about its event. */
typedef struct sal_event {
    int index;     /* of the event in its system */
    int64_t count; /* k of a periodic event, from 0; firings so far of a witness */
    double t0, t1; /* after integration over a witness or a condition: the step before it was cut; NaN: otherwise */
    const sal_context *before; /* likewise: this part at t0; otherwise NULL */
    bool zeno;                 /* called in place of the handler: firings accumulate or chatter */
    double limit;              /* zeno: the time where they accumulate; NaN when they chatter */
    int64_t firings;           /* zeno: how many were seen */
} sal_event;

/* The functions of a class. Any may be NULL if the system declares nothing that needs it. All except `update` only
 * read. sal_system_data(self) is the data. They return SAL_OK, SAL_RETRY to request a smaller step, or a negative
 * status, which ends the step with that status. */
typedef struct sal_system_class {
    const char *name;
    /* Writes all derivatives to `dot`. An element that is not written fails the run, and the report names it. */
    sal_status (*derivatives)(const sal_system *self, const sal_context *ctx, const sal_rates *dot);
    sal_status (*output)(const sal_system *self, const sal_context *ctx, int port, double *value);
    sal_status (*witness)(const sal_system *self, const sal_context *ctx, int event, double *value);
    /* The guard. A crossing counts if this holds at the crossing, or did just before. SAL_ON_WITNESS: the guard is
     * evaluated at both ends of a step; while it holds at neither, the witness is not computed. With when_flows, the
     * witness is always computed, and a guard that opens and closes within one step is found. Where the guard does not
     * hold, a witness that is NaN or fails is no error. SAL_ON_CHANGE with when_flows: finders are evaluated while the
     * guard is false. */
    sal_status (*when)(const sal_system *self, const sal_context *ctx, int event, bool *active);
    sal_status (*next_time)(const sal_system *self, const sal_context *ctx, int event, double *t);
    /* SAL_ON_CHANGE. The event fires where this changes from false to true: at the first stored point of a step
     * where it is true. Finders are functions that cross zero where the condition may change; they only locate the
     * point. A class has `witness`, which is one finder, or `finder`, with as many as the event declares. NaN: the
     * condition cannot change here. Without finders the condition is evaluated at the ends of steps, and a change
     * there and back within one step is missed. */
    sal_status (*holds)(const sal_system *self, const sal_context *ctx, int event, bool *holds);
    sal_status (*finder)(const sal_system *self, const sal_context *ctx, int event, int finder, double *value);
    sal_outcome (*publish)(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_note *note);
    /* Handles discrete events (may write xd) and unrestricted ones (may write q, v, z, xd, parameters, slots). `ctx` is
     * the read-only state before the event; `next` starts as a copy of it, with the writes of earlier handlers of this
     * instant. */
    sal_outcome (*update)(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note);
    /* Constraints of the continuous state. The state is projected onto them after each accepted step and each
     * unrestricted update. `constraints` writes residuals as functions of time and q (of time and all of x if there
     * is no q); a residual is zero where its constraint is met. Their derivatives along q' = N(q) v constrain v;
     * they are computed by differences, or by `constraint_rates`, which may write more (some constraints have no
     * integral). The projection solves weighted least squares; see sal_system_set_constraints. */
    sal_status (*constraints)(const sal_system *self, const sal_context *ctx, double *residual);
    sal_status (*constraint_rates)(const sal_system *self, const sal_context *ctx, double *rate);
    /* Projects instead of `constraints`, or after them. `next` starts as the state; the function writes the
     * projected one. SAL_RETRY: there is no solution nearby, try a smaller step. */
    sal_status (*project)(const sal_system *self, const sal_context *ctx, const sal_rates *next);
    /* Computes q' = N(q) v where q' is not v; NULL: the q of `derivatives`. Errors of q are then weighted as those of
     * v, N W N+; the weights of q do not count. `ctx` shows the same v. */
    sal_status (*velocity_map)(const sal_system *self, const sal_context *ctx, const double *v, double *qdot);
    void (*destroy)(void *data);
    /* Computes the initial history at absolute time t: the value, or its derivative (the other pointer is NULL). A
     * derivative left at NaN is computed by differences. SAL_RETRY: there is no history, the value was constant. */
    sal_status (*history)(const sal_system *self, int past, double t, double *value, double *rate);
    /* Writes how far the sines, remainders and tables in a witness or a condition have advanced, in half periods,
     * periods and intervals, and infinity if one jumps where it repeats: *count numbers, at most SAL_MAX_PHASES. The
     * engine compares them at the ends of many steps. If one advanced by more than 0.5, or is infinite, crossings are
     * searched for in pieces of this step and of all later ones. With interior_search = false it warns once if one
     * advanced by more than 1: crossings are then missed, unless the event sets max_interval or samples. */
    sal_status (*phases)(const sal_system *self, const sal_context *ctx, int event, double *phase, int *count);
    /* Likewise those in an output. If one is fast, so is all that may read the output, in this system and behind it. */
    sal_status (*output_phases)(const sal_system *self, const sal_context *ctx, int port, double *phase, int *count);
    /* Constant data for the functions of the library's own classes; else NULL. */
    const void *data;
    /* Declares that the functions compute the same bits on every machine: only from their arguments, with + - * /, sqrt
     * and saltus/math.h, compiled without fused multiply-add. sal_system_demand_lockstep needs it. */
    bool lockstep;
} sal_system_class;

enum { SAL_MAX_PHASES = 16 };

/* Abstract state: functions that make, copy deeply, assign and free the value of a slot. */
typedef struct sal_slot_type {
    sal_status (*make)(const sal_system *self, int slot, void **out);
    sal_status (*clone)(const void *from, void **out);
    sal_status (*assign)(void *to, const void *from);
    void (*drop)(void *value);
    /* As bytes, for snapshots; all four NULL: the value is not saved. */
    size_t (*size)(const void *value);
    void (*save)(const void *value, void *bytes);
    sal_status (*load)(void *value, const void *bytes, size_t size);
    uint64_t (*hash)(const void *value, uint64_t seed);
    /* The most that `size` can return as long as the value allocates nothing more: for sal_simulator_save_bound. NULL:
     * `size` */
    size_t (*bound)(const void *value);
} sal_slot_type;

/* Makes a system, which the caller owns. `data` is borrowed unless the class has `destroy`. Names are copied here and
 * below. EINVAL for a name with control characters; ENOMEM. Systems must be freed after all contexts and diagrams that
 * use them. */
SAL_API sal_status sal_system_new(const sal_allocator *allocator, const sal_system_class *behaviour, const char *name,
                                  void *data, sal_system **out);
/* Frees a system or a diagram, and calls `destroy` of its class; NULL is fine. */
SAL_API void sal_system_free(sal_system *sys);
/* Return the name, which the system owns, and the `data` of sal_system_new. Callbacks may call these. */
SAL_API const char *sal_system_name(const sal_system *sys);
SAL_API void *sal_system_data(const sal_system *sys);

/* Declares `size` numbers under one name, with their defaults (NULL: zeros; an input with sal_no_value() must be
 * connected or set before it is read). They are in their partition in order of declaration. EINVAL for a name that is
 * used, empty, or has a dot or a bracket, which mean parts and elements in paths; for a size below 1 or more than
 * SAL_MAX_NUMBERS in all, or a system that is built; ENOMEM. */
SAL_API sal_status sal_system_add_values(sal_system *sys, sal_partition partition, const char *name, int size,
                                         const double *defaults);
/* Makes a value of size 1 a mode: one of `count` words, as their number from 1. The words belong to the system: a
 * saved run is refused if its words or their order differ, or if its number belongs to no word. Elsewhere the numbers
 * are not checked. A default of 0 becomes 1, the first word. The words are copied. EINVAL for a name that does not
 * exist, a word that is given twice, and a default that belongs to no word; ENOMEM. */
SAL_API sal_status sal_system_set_modes(sal_system *sys, const char *name, const char *const *words, int count);
/* Set labels for people: the unit of a number, "m/s", and one line of text. Runs do not depend on them. They are
 * copied; NULL: none; a later call replaces both. `describe` is for states, parameters and inputs, `describe_output`
 * for a port. EINVAL for a name or port that does not exist, a label with control characters, and a system that is
 * built; ENOMEM. */
SAL_API sal_status sal_system_describe(sal_system *sys, const char *name, const char *unit, const char *doc);
SAL_API sal_status sal_system_describe_output(sal_system *sys, int port, const char *unit, const char *doc);
/* Sets the line of text about the system or diagram itself. Statuses as above. */
SAL_API sal_status sal_system_set_doc(sal_system *sys, const char *doc);
/* Sets the error weight of a continuous variable (see integrator.h); for q it is always absolute. EINVAL for NaN and a
 * negative weight. */
SAL_API sal_status sal_system_set_weight(sal_system *sys, sal_partition partition, int element, double weight,
                                         bool relative);
/* Declares how many residuals `constraints` writes, and rates `constraint_rates` (0: derived from the residuals).
 * EINVAL for a negative number, a class without these functions, or a system that is built. */
SAL_API sal_status sal_system_set_constraints(sal_system *sys, int constraints, int rates);
/* Sets M of M x' = derivatives, by rows and columns of all declared q, v, z (no more can be declared after it); it is
 * copied. It may be singular of index 1. If a start, or an update, does not satisfy the equations without derivative,
 * the next step fails, moves their variables to a solution, and is tried again; sal_simulator_initialize_consistent
 * moves them at once. The simulator needs a method with sal_method_takes_mass, else EINVAL. */
SAL_API sal_status sal_system_set_mass(sal_system *sys, const double *rows);
/* Declares an output of `size` numbers; *port is its port, from 0 (may be NULL). EINVAL as for values; ENOMEM. */
SAL_API sal_status sal_system_add_output(sal_system *sys, const char *name, int size, int *port);
/* Declares what an output reads directly: input ports of its part and other outputs of it; NULL for none. An output
 * without this declaration is computed once, with the defaults of the part, when a diagram with it is built; its
 * reads are then its dependencies. */
SAL_API sal_status sal_system_set_dependencies(sal_system *sys, int output, const int *inputs, int input_count,
                                               const int *outputs, int output_count);
/* Declares that this output reads only parameters, discrete state and its dependencies, not time or continuous state.
 * If this holds for its dependencies too, it is computed after writes only, not at every stage of a step. */
SAL_API sal_status sal_system_set_time_invariant(sal_system *sys, int output);
/* Declares that this output is a copy of numbers of a partition (not inputs) from element `at` on. Readers then read
 * them directly; nothing is called or copied. EINVAL if fewer are declared. */
SAL_API sal_status sal_system_alias_output(sal_system *sys, int output, sal_partition partition, int at);
/* Declares a slot. `type` must live as long as the system. EINVAL for a type without a required function; ENOMEM. */
SAL_API sal_status sal_system_add_slot(sal_system *sys, const char *name, const sal_slot_type *type, int *slot);
/* Records the history of a state, input or output, `depth` seconds back (INFINITY: all), for sal_context_past. Delays
 * are detected and their discontinuities tracked: where a delayed value or its derivatives jump, a step ends exactly.
 * EINVAL; ENOMEM. */
SAL_API sal_status sal_system_add_past(sal_system *sys, const char *name, double depth, int *past);
/* Returns the number of recorded histories. */
SAL_API int sal_system_pasts(const sal_system *sys);

/* How a history is read. `linear_only`: linearly between the accepted points and beyond them, as Measure::Delay of
 * Simbody does; no discontinuities are tracked. `can_use_current`: for a signal that does not depend on its own
 * history; steps may then be longer than the delay. `history`: the initial history, as many numbers as the value has;
 * NULL: the value at the start. */
typedef struct sal_past_config {
    size_t size; /* of this struct, set by the default call */
    bool linear_only, can_use_current;
    const double *history;
} sal_past_config;

/* Returns the defaults: interpolation by the dense output, no history. */
SAL_API sal_past_config sal_past_config_default(void);
/* Sets how a history is read; `past` is that of sal_system_add_past. The initial history is copied. EINVAL for a
 * history that does not exist, or a system that is built; ENOMEM. */
SAL_API sal_status sal_system_set_past(sal_system *sys, int past, const sal_past_config *config);

/* Demands lockstep, the same bits on every machine: the build of the system, and of each diagram with it, then returns
 * EINVAL unless the class of each part declares `lockstep`, as those of blocks do. Demanding it returns EINVAL for a
 * system that is built. */
SAL_API sal_status sal_system_demand_lockstep(sal_system *sys);
/* Returns whether lockstep is demanded of the system, or of any part of a diagram. */
SAL_API bool sal_system_is_lockstep(const sal_system *sys);

/* Declares an event; *event is its index (may be NULL). EINVAL for a period that is not positive and finite, an offset
 * that is not finite, an event without trigger or kind, a negative max_interval or samples; ENOMEM. */
SAL_API sal_status sal_system_add_event(sal_system *sys, const sal_event_config *config, int *event);

/* Returns a sentence about the first declaration that was refused, or else about the last build or simulator of the
 * system that was refused; "" if nothing was. It names the system, the thing and the remedy, as in "tank: the name
 * "level" is taken already; choose another for a value", and is valid until the next call that changes the system.
 * `sys` may be NULL. */
SAL_API const char *sal_system_trouble(const sal_system *sys);
/* Forgets what was refused, for a program that has dealt with it. */
SAL_API void sal_system_forget_trouble(sal_system *sys);
/* Builds a system or diagram, after which nothing can be declared. EINVAL if any declaration of it or of its parts was
 * refused, so a program need not check a status before this one; if its class lacks a function; and for a diagram
 * without parts. ELOOP; ENOMEM. `note` (may be NULL) receives the sentence. Making a context or a simulator builds too,
 * but without what was refused. */
SAL_API sal_status sal_system_build(sal_system *sys, sal_note *note);

/* Return an index by name, or -1: of the first element of a value in its partition (also for an input;
 * sal_system_find_input returns its port), of a port, of an event. */
SAL_API int sal_system_find_value(const sal_system *sys, sal_partition partition, const char *name);
SAL_API int sal_system_find_input(const sal_system *sys, const char *name);
SAL_API int sal_system_find_output(const sal_system *sys, const char *name);
SAL_API int sal_system_find_event(const sal_system *sys, const char *name);
/* Returns an event by its index, in order of declaration from 0; NULL if there is none. The system owns it. */
SAL_API const sal_event_config *sal_system_event(const sal_system *sys, int event);

/* The same by index, in order of declaration from 0: for hosts that list everything. */
typedef struct sal_declared {
    const char *name; /* owned by the system */
    int at, size;     /* elements at, at + 1 ... of the partition; 0 for an output */
} sal_declared;

/* Write the i-th value of a partition (of SAL_INPUT: input port i), or an output. They return false if there is none.
 * A diagram has none of its own: use its parts (sal_diagram_part). */
SAL_API bool sal_system_value_at(const sal_system *sys, sal_partition partition, int i, sal_declared *out);
SAL_API bool sal_system_output_at(const sal_system *sys, int port, sal_declared *out);
/* Return a label that was declared; NULL if there is none, or no such name or port. The system owns the text. */
SAL_API const char *sal_system_value_unit(const sal_system *sys, const char *name);
SAL_API const char *sal_system_value_doc(const sal_system *sys, const char *name);
SAL_API const char *sal_system_output_unit(const sal_system *sys, int port);
SAL_API const char *sal_system_output_doc(const sal_system *sys, int port);
SAL_API const char *sal_system_doc(const sal_system *sys);
/* Returns the words of a mode, *count of them, which the system owns; NULL and 0 if the name is no mode. */
SAL_API const char *const *sal_system_modes(const sal_system *sys, const char *name, int *count);
/* Return the number of input and output ports. */
SAL_API int sal_system_inputs(const sal_system *sys);
SAL_API int sal_system_outputs(const sal_system *sys);

/* The one timing of all periodic discrete updates of a system or diagram: sample k is at offset + k * period, in s.
 * `first` is the first such event, and `other` one that differs from it; a part of -1: none. */
typedef struct sal_sampled {
    int part, event;
} sal_sampled;

typedef struct sal_sampling {
    double period, offset;
    sal_sampled first, other;
} sal_sampling;

/* Writes the timing. EINVAL if there is no such update, or if two differ: then `first` and `other` name them. */
SAL_API sal_status sal_system_sampling(const sal_system *sys, sal_sampling *out);

SAL_END_DECLARATIONS
#endif
