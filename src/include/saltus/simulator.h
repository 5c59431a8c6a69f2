/* The simulator advances a context through time.
 *
 * One step consists of unrestricted updates, discrete updates, integration up to the next timed event (which ends early
 * at a witness), publishes, and the monitor. When an update fails, all updates of that instant are rolled back. So a
 * run can always resume from the context, which holds
 *   x-(t), after the publishes and the monitor of a step, or
 *   x+(t), after the updates of an instant, if integration then failed or an update terminated the run.
 * After initialize it allocates no memory, except for a history that outgrows its memory, a recorder that grows and a
 * recorded dense output. The model is Drake's Simulator (Sherman et al.).
 *
 * Callbacks are functions of the model, the monitor, observers, and functions of a recorder's channels. They may call
 * sal_simulator_context, _integrator, _config_of, _is_initialized, _isolation_window, _step_start,
 * _actual_realtime_rate, _pacing, _statistics, _warnings, _allocator, _save_size, _save_bound, _hash, _difference,
 * _next_time, _fired_watches and _trouble. The monitor, handlers and observers may call sal_simulator_derivatives,
 * _witness_value and _state_at, but not while a step is being tried; then these return SAL_ESTATE. Callbacks may also
 * call sal_simulator_interrupt, _halt, _set_monitor, _set_publish_every_step, _set_publish_at_initialization,
 * _set_target_realtime_rate, _reset_statistics, _observe and _unobserve, which take effect the next time that they
 * matter. All other functions return SAL_ESTATE, or NULL, and change nothing. sal_simulator_free must not be called by
 * a callback.
 *
 * One thread at a time may use a simulator; only sal_simulator_interrupt may be called from others. Where a `report` is
 * an argument, it may be NULL. */
#ifndef SALTUS_SIMULATOR_H
#define SALTUS_SIMULATOR_H

#include "diagram.h"
#include "integrator.h"

SAL_BEGIN_DECLARATIONS

typedef struct sal_simulator sal_simulator;

typedef sal_outcome (*sal_monitor)(void *user, const sal_context *ctx, sal_note *note);

/* The most watches of a simulator. */
enum { SAL_MAX_WATCHES = 1 << 20 };

typedef struct sal_simulator_config {
    size_t size;                      /* of this struct, set by the default call */
    sal_integrator_config integrator; /* except `mass`, which comes from the system: sal_system_set_mass */
    /* NaN: use the accuracy of the integrator. A method without error estimate has none, so set it for such a method:
     * else witnesses fire at the end of the step in which they cross. */
    double context_accuracy;
    bool isolation; /* default true; false: witnesses fire at the end of the step in which they cross */
    /* s; NaN: 0.01 x accuracy x characteristic_time, or x max_step with fixed steps. In an advance to a time below 1 s,
     * that time replaces a longer characteristic_time. */
    double isolation_window;
    double characteristic_time; /* s, 1 */
    bool reintegrate_to_event;  /* integrate once more to an isolated event's time, instead of interpolating */
    bool interior_search;       /* search inside the steps for double crossings; default true */
    bool absolute_weights;      /* all error weights absolute, as Drake's arithmetic */
    bool publish_every_step, publish_at_initialization;
    int max_events_per_instant; /* limit on zero-length steps and rounds of SAL_ON_CHANGE at one time; 1000 */
    int watch_capacity; /* room for watches that is reserved at once; with more, sal_simulator_watch allocates */
    int64_t max_steps_per_call;  /* 0: no limit */
    uint64_t seed;               /* of the context's random streams */
    double target_realtime_rate; /* simulated s per real s; 0: as fast as it goes */
    double (*clock)(void *user); /* real seconds; NULL: no clock and no pacing */
    void (*sleep)(void *user, double seconds);
    void *clock_user;
    double lag_tolerance; /* real s that a step may be late without counting as an overrun; 0 */
    /* Receives, as sentences: warnings when they are noticed, calls that are refused, and failures. It may be called in
     * the middle of a step, and must call no function of the library. NULL: none. */
    void (*log)(void *user, const char *sentence);
    void *log_user;
} sal_simulator_config;

/* Returns the defaults that the comments above name. */
SAL_API sal_simulator_config sal_simulator_config_default(void);
/* Checks a configuration. EINVAL for settings that contradict each other, including those of the integrator; `why`
 * (may be NULL) receives the reason. */
SAL_API sal_status sal_simulator_config_check(const sal_simulator_config *config, sal_note *why);

typedef enum {
    SAL_AT_BOUNDARY,    /* reached_boundary_time */
    SAL_AT_TERMINATION, /* reached_termination */
    SAL_AT_FAILURE,     /* see status and the rest of the report */
    SAL_AT_STEP_LIMIT,  /* reached_step_limit: max_steps_per_call steps were made; the next call continues */
    SAL_AT_INTERRUPT,   /* interrupted: sal_simulator_interrupt; the next call continues */
    SAL_AT_WATCH,       /* reached_watch: sal_simulator_fired_watches are true here; the next call continues */
    SAL_AT_HALT,        /* halted: sal_simulator_halt; the next call continues */
    SAL_AT_BUDGET       /* out_of_budget: the budget of the frame is used up; the next frame continues */
} sal_reason;

typedef struct sal_report {
    sal_reason reason;
    double time, boundary_time;
    int part, event; /* the part and event that terminated or failed; -1: none, or the monitor */
    double limit;    /* SAL_EZENO: the time where the event's firings accumulate; NaN when they chatter */
    int64_t firings; /* SAL_EZENO: how many there were */
    sal_note note;
    sal_status status; /* what the call returned */
} sal_report;

/* Writes the report of a call of this simulator as one sentence, which names the event, the part, the time, the value
 * and the remedy, as the errors in Lua do. The text is cut to `room` bytes at a whole character, and ends with 0.
 * Returns the length of the whole text, as snprintf does; 512 bytes are enough for most. Call it before the next
 * advance, which may overwrite numbers that it reads. Callbacks may call it. */
SAL_API size_t sal_report_text(const sal_simulator *sim, const sal_report *report, char *text, size_t room);
/* Returns one word for a reason: "reached_boundary_time", "failed" ...; never NULL. The text is static. */
SAL_API const char *sal_reason_text(sal_reason reason);

/* Makes a simulator, which the caller owns. On success it owns `context`, after a failure the caller still does; NULL:
 * it makes a context. `config` NULL: the defaults. The system must exist as long as the simulator. EINVAL for a
 * context of another system or simulator, for a config that contradicts itself, for a class without a function that
 * its system needs (a state needs derivatives, an event its handler), and for a method that cannot do what the system
 * needs: a mass matrix, or a history with one (sal_method_takes_mass, sal_method_takes_past). ELOOP for an algebraic
 * loop (sal_diagram_loop); ENOMEM. */
SAL_API sal_status sal_simulator_new(const sal_allocator *allocator, sal_system *system, sal_context *context,
                                     const sal_simulator_config *config, sal_simulator **out);
/* Frees a simulator, with its context and integrator; NULL is fine. Free its recorders first. */
SAL_API void sal_simulator_free(sal_simulator *sim);
/* Makes another simulator at the same point of the same run, with the same settings, watches, random streams and
 * scheduled events; both then continue independently. The monitor, observers and warnings are not copied. The caller
 * owns *out. ENOMEM; ESTATE; what the functions of slots return. */
SAL_API sal_status sal_simulator_clone(sal_simulator *sim, sal_simulator **out);

/* Returns a sentence about the last call that the simulator refused; "" if it refused none. The sentence names the
 * system, the thing and the remedy, and is valid until the next call. For an advance, use sal_report_text instead.
 * ENOMEM, and a status that a function of the model returned, may have no sentence. `sim` may be NULL. Callbacks may
 * call it. */
SAL_API const char *sal_simulator_trouble(const sal_simulator *sim);

/* Starts the run at the present time: events at initialization run, periodic events and witnesses start. With
 * suppress_events, no handler runs. EOFF if the state does not meet its constraints; ESTATE; what a callback
 * returns. */
SAL_API sal_status sal_simulator_initialize(sal_simulator *sim, bool suppress_events, sal_report *report);
/* Starts the run from a state that may be far from its constraints (system.h): it first projects the state onto them,
 * positions first, then velocities. sal_simulator_initialize refuses a start that is off by more than 0.001 units of
 * the error weights: SAL_EOFF. Equations without a derivative (sal_system_set_mass) are solved; SAL_EOFF names one that
 * has no solution. */
SAL_API sal_status sal_simulator_initialize_consistent(sal_simulator *sim, bool suppress_events, sal_report *report);
/* Advances to exactly t. Initializes first if that was not done. A failure returns a negative status; a termination
 * returns SAL_OK with that reason. The report is always written. After a failure, its part and event say which event
 * failed, and its note may give details; the names are sal_diagram_part_name(system, part), and
 * sal_system_event(sal_diagram_part(system, part), event)->name. ETIME for a t in the past or NaN; ESTATE. */
SAL_API sal_status sal_simulator_advance_to(sal_simulator *sim, double t, sal_report *report);
/* Runs the updates that are due now, then the publishes and the monitor; time does not advance. Statuses as above. */
SAL_API sal_status sal_simulator_advance_pending_events(sal_simulator *sim, sal_report *report);
/* Takes one step towards t, for hosts that act after each step. Statuses as above. */
SAL_API sal_status sal_simulator_step(sal_simulator *sim, double t, sal_report *report);

/* Ends the running advance after its present step, or the next advance before its first step;
 * sal_simulator_advance_frame ends between its steps. The call returns SAL_OK with the reason SAL_AT_INTERRUPT; the
 * next one continues, to the same bits as a run without interrupt. Any thread and any signal handler may call this,
 * also while the simulator runs, but not while it is freed. No other function allows this. */
SAL_API void sal_simulator_interrupt(sal_simulator *sim);

/* Ends the running advance after the updates of the present instant, at x+, before integration continues. If the
 * advance ends at its boundary before, the next advance is halted instead. The call returns SAL_OK with the reason
 * SAL_AT_HALT; the next one continues, to the same state as a run without halt. It is for observers, handlers and the
 * monitor: an observer that sees an event can return to the host at its instant. A halt that is due is saved with the
 * run. */
SAL_API void sal_simulator_halt(sal_simulator *sim);

/* Returns the time of the next timed or scheduled event, and INFINITY if there is none; the present time if one is due
 * now, or the run is not initialized. An edit of the context or a handler may bring an earlier event. */
SAL_API double sal_simulator_next_time(const sal_simulator *sim);

/* A watch is a function of the context, its margin, which is negative while the condition is false. An advance ends
 * with SAL_AT_WATCH where the margin reaches zero or more:
 *   at x-, during integration: located inside steps like the crossing of a witness; at the time and state that are
 *     stored, the margin is zero or more; the updates of that instant run in the next call;
 *   at x+, if updates, an edit of the context, or a start made it so.
 * A watch fires once. It ends a step, but it is no event, and a watch that never fires changes nothing. */
typedef struct sal_watch {
    /* Called as the witness of an event is, with sal_simulator_context: at trial states too. NaN fails the call. */
    sal_status (*margin)(void *user, const sal_context *ctx, double *value);
    void *user;
    double max_interval; /* s; 0: none. The longest time between two evaluations of the search within steps */
} sal_watch;

/* Adds a watch and arms it: *handle is a number from 1 on. If its margin is zero or more already, nothing is added, and
 * *handle is 0. It allocates if there are more than config.watch_capacity watches. A watch that fired remains until
 * sal_simulator_unwatch removes it, so that a save in which it is armed can be loaded. EINVAL for a watch without
 * function or with a negative interval; ENAN; ENOMEM, also for more than SAL_MAX_WATCHES; ESTATE; what the function
 * returns. */
SAL_API sal_status sal_simulator_watch(sal_simulator *sim, const sal_watch *watch, int64_t *handle);
/* Adds a watch under a given handle, without arming it, so that a save in which this handle is armed can be loaded. A
 * load returns SAL_EWATCH unless the simulator has a watch for each handle that is armed in the save; afterwards
 * exactly these are armed. EINVAL for a handle that is used or below 1; ENOMEM; ESTATE. */
SAL_API sal_status sal_simulator_know_watch(sal_simulator *sim, const sal_watch *watch, int64_t handle);
/* Removes a watch. ETIME if it was not armed, because it has fired: it is removed all the same; EINVAL for a handle
 * that does not exist; ESTATE. */
SAL_API sal_status sal_simulator_unwatch(sal_simulator *sim, int64_t handle);
/* Returns how many watches ended the last call, and their handles in ascending order, valid until the next call. */
SAL_API int sal_simulator_fired_watches(const sal_simulator *sim, const int64_t **handle);

/* Returns the context, which the simulator owns; NULL if there is none. Hosts may write to it between calls. */
SAL_API sal_context *sal_simulator_context(sal_simulator *sim);
/* Replaces the context by another one of the same system, which the simulator owns from now on, and frees the old one.
 * NULL: none, and the simulator cannot be used until it has one. The next advance initializes. EINVAL, also for the
 * context of another simulator; ENOMEM; ESTATE. */
SAL_API sal_status sal_simulator_reset_context(sal_simulator *sim, sal_context *context);
/* Returns the context, which the caller owns from now on; NULL if there was none. */
SAL_API sal_context *sal_simulator_release_context(sal_simulator *sim);
/* Read and write one number by its path: "level" in a system, "tank.level" in a diagram, "arm.r[2]" for the second of
 * several. It may be a state, a parameter, an input or, to read, an output; a mode is the number of its word, from 1.
 * In loops, find the part, partition and index once, and use the context. EINVAL for a path that does not exist, where
 * sal_simulator_trouble suggests the nearest name, and for a value that is not allowed. ESTATE; what an output
 * returns. */
SAL_API sal_status sal_simulator_value(sal_simulator *sim, const char *path, double *value);
SAL_API sal_status sal_simulator_set_value(sal_simulator *sim, const char *path, double value);
/* Read and write a mode by its word, which the system owns. Statuses as above; EINVAL for a value that is no mode. */
SAL_API sal_status sal_simulator_mode(sal_simulator *sim, const char *path, const char **word);
SAL_API sal_status sal_simulator_set_mode(sal_simulator *sim, const char *path, const char *word);
/* Return the integrator and the present configuration. The simulator owns both; read them only. */
SAL_API sal_integrator *sal_simulator_integrator(sal_simulator *sim);
SAL_API const sal_simulator_config *sal_simulator_config_of(const sal_simulator *sim);
/* Replaces the integrator. The next advance initializes. So events at initialization and those due now run then, even
 * if sal_simulator_advance_pending_events has already run them. EINVAL as in sal_simulator_new; ENOMEM; ESTATE. */
SAL_API sal_status sal_simulator_set_integrator(sal_simulator *sim, const sal_integrator_config *config);
/* Sets the accuracy that determines the isolation window; NaN: that of the integrator. EINVAL if it is not positive;
 * ESTATE. */
SAL_API sal_status sal_simulator_set_context_accuracy(sal_simulator *sim, double accuracy);
/* Sets the function that is called after each step, and its `user`; NULL: none. It may end the run by its outcome. */
SAL_API void sal_simulator_set_monitor(sal_simulator *sim, sal_monitor monitor, void *user);
/* Writes df_i/dx_k of all q, v, z at `ctx`, which is read only, to j, in the layout of sal_integrator_set_jacobian. */
typedef sal_status (*sal_model_jacobian)(void *user, const sal_context *ctx, double *j);
/* Sets the Jacobian of the model for implicit methods, also for later integrators; NULL: as their configuration says.
 * ESTATE while the simulator runs. */
SAL_API sal_status sal_simulator_set_jacobian(sal_simulator *sim, sal_model_jacobian jacobian, void *user);
/* Set the fields of the configuration with these names. */
SAL_API void sal_simulator_set_publish_every_step(sal_simulator *sim, bool publish);
SAL_API void sal_simulator_set_publish_at_initialization(sal_simulator *sim, bool publish);
SAL_API void sal_simulator_set_target_realtime_rate(sal_simulator *sim, double rate);
/* Return the measured simulated seconds per real second (NaN without a clock, or before the run is initialized), and
 * whether the run is initialized. */
SAL_API double sal_simulator_actual_realtime_rate(const sal_simulator *sim);
SAL_API bool sal_simulator_is_initialized(const sal_simulator *sim);
/* Returns the time window in s to which events of witnesses are isolated; NaN: they are not isolated. */
SAL_API double sal_simulator_isolation_window(const sal_simulator *sim);

/* Advances by `dt` in whole steps of `step` s, at most `max_steps` of them; time beyond that is dropped, so that a slow
 * frame does not slow down the next one. *alpha (may be NULL) is the leftover fraction of a step, in [0, 1), for
 * drawing. The leftover counts for the next frame and is saved with the run. Statuses as sal_simulator_advance_to;
 * EINVAL for negative or NaN arguments. */
SAL_API sal_status sal_simulator_advance_frame(sal_simulator *sim, double dt, double step, int max_steps, double *alpha,
                                               sal_report *report);

/* A frame with a budget. It ends after the step of the integrator that uses up the budget, with the reason
 * SAL_AT_BUDGET; it takes at least one step, unless there is no time to advance. max_evaluations counts evaluations of
 * the derivatives: it ends a frame at the same step on every machine. max_seconds is measured by config.clock and
 * depends on the machine and its load, so do not use it where runs must be equal. */
typedef struct sal_frame_config {
    size_t size;             /* of this struct, set by the default call */
    double step;             /* s, of each step of the frame; no default */
    int max_steps;           /* 8; time beyond these is dropped */
    int64_t max_evaluations; /* 0: no limit */
    double max_seconds;      /* 0: no limit */
} sal_frame_config;

/* Returns the defaults that the comments above name. */
SAL_API sal_frame_config sal_frame_config_default(void);

typedef struct sal_frame {
    int steps;      /* whole steps of the frame that were made */
    bool is_whole;  /* all that were due */
    double alpha;   /* if it is whole, the leftover fraction of a step, in [0, 1), for drawing; else NaN */
    double left;    /* s left for the next frame: alpha x step, or more if the frame was cut */
    double dropped; /* s that were due and were dropped */
} sal_frame;

/* Advances by `dt` s as sal_simulator_advance_frame does, within the budget of `config`. *out may be NULL. EINVAL also
 * for a budget that is negative or NaN, and for one in seconds without a clock or of a system in lockstep. */
SAL_API sal_status sal_simulator_run_frame(sal_simulator *sim, double dt, const sal_frame_config *config,
                                           sal_frame *out, sal_report *report);

/* How well the run follows the clock, since it was initialized or its statistics were reset; zeros without a target
 * rate or a clock. Let the run then be at t0 and the clock at c0. A step to t is late if the clock is past
 * c0 + (t - t0) / rate when it is done. */
typedef struct sal_pacing {
    int64_t steps, overruns; /* steps; those that were late by more than config.lag_tolerance */
    double lag, worst_lag;   /* real s: of the last step, negative if it was early; the largest of the overruns */
} sal_pacing;

/* Callbacks may call it. */
SAL_API sal_pacing sal_simulator_pacing(const sal_simulator *sim);

/* Save everything that the next step depends on as bytes: context, timers, armed witnesses, scheduled events, step
 * size, random streams. The same program can load them on the same kind of machine. save: EINVAL if `size` is not
 * sal_simulator_save_size. load: EINVAL for damaged bytes or those of another system; EWATCH if a watch is armed in the
 * save whose handle this simulator does not have (sal_simulator_know_watch); after both nothing has changed. ENOMEM;
 * ESTATE from a callback. */
SAL_API size_t sal_simulator_save_size(const sal_simulator *sim);
SAL_API sal_status sal_simulator_save(sal_simulator *sim, void *bytes, size_t size);
/* For rings of saves. save_bound returns a size that no save of this simulator exceeds, as long as the run allocates
 * nothing more: call it once the run is initialized. A value of your own type (sal_slot_type) counts with the `bound`
 * of its type, or without one with its present size. save_within writes *size bytes, at most `room`. EINVAL if there is
 * too little room; ESTATE. */
SAL_API size_t sal_simulator_save_bound(const sal_simulator *sim);
SAL_API sal_status sal_simulator_save_within(sal_simulator *sim, void *bytes, size_t room, size_t *size);
SAL_API sal_status sal_simulator_load(sal_simulator *sim, const void *bytes, size_t size);
/* Copies the run of `from` to `to`, a simulator of the same system whose integrator has the same configuration: as save
 * and load do, without bytes and their checks. It is for hosts that keep earlier states of a run, or try what comes. It
 * allocates only if a past, a list of scheduled events or a watch needs more memory in `to` than before. Watches that
 * are armed in `from` are then armed in `to`, in the same state. They use the functions that `to` has for their
 * handles, or else those of `from`. EINVAL for another system or integrator; EWATCH for a watch of Lua that `to` does
 * not know; ESTORY if one of the runs has stories; ENOMEM; ESTATE. After any of these nothing has changed. */
SAL_API sal_status sal_simulator_copy(sal_simulator *to, const sal_simulator *from);
/* Returns XXH64 of time, numbers and abstract state. Equal runs have equal hashes. */
SAL_API uint64_t sal_simulator_hash(const sal_simulator *sim);
/* Says where two runs of one system differ, for example if their hashes do. Of time, seed, numbers and abstract state,
 * it writes the first that differs, with both values, to `text`, at most `room` bytes:
 *   "tank.level" is 2.5 in the first, 2.25 in the second
 * Returns the length of the whole text; 0: the runs have the same hash. Numbers are compared by their bits, in the
 * order of the parts, then q, v, z, discrete state, parameters and inputs. A host that has two saves loads them into
 * two simulators. */
SAL_API size_t sal_simulator_difference(const sal_simulator *one, const sal_simulator *other, char *text, size_t room);

/* Feeds an input that is not connected. `value` has as many numbers as the input. From now to t1 the input moves along
 * a straight line to `value`; from t1 on it is exactly `value`. It remains so until it is set or fed again; a new feed
 * starts from the value at that time. A step ends at t1, where the input has a corner; this is no event and no jump.
 * Witnesses locate crossings of the input as those of a state. Feeds are saved and loaded with the run;
 * sal_simulator_initialize ends them (an advance that initializes does not). Writing another value through
 * sal_context_edit ends the feed, and is a jump. `input` is a port of the part. EINVAL for an input that does not exist
 * or is connected, or a value that is not finite; ETIME if t1 is not later than now, or not finite; EINPUT if the input
 * has no value yet; ENOMEM; ESTATE while the simulator runs. */
SAL_API sal_status sal_simulator_feed(sal_simulator *sim, int part, int input, double t1, const double *value);
/* Ends a feed: the input keeps its present value. It has no effect on an input that is not fed. Statuses as above. */
SAL_API sal_status sal_simulator_end_feed(sal_simulator *sim, int part, int input);

/* Schedule an event (SAL_ON_DEMAND) at t, or at the present instant: it runs in the next advance. The cost grows
 * with the logarithm of the number of scheduled events. `handle` (may be NULL) is a number from 1 on, for
 * sal_simulator_cancel; handles are saved with the run, and a loaded run continues the numbering. EINVAL for another
 * event or a t in the past; ENOMEM; ESTATE from a callback. */
SAL_API sal_status sal_simulator_schedule(sal_simulator *sim, int part, int event, double t, int64_t *handle);
SAL_API sal_status sal_simulator_demand(sal_simulator *sim, int part, int event);
/* Cancels a scheduled event. ETIME if it has run or was cancelled; EINVAL for a handle that was never given; ESTATE. */
SAL_API sal_status sal_simulator_cancel(sal_simulator *sim, int64_t handle);

/* Computes the witness of an event (SAL_ON_WITNESS) at the present context, whatever its guard says. EINVAL for another
 * event; ENAN; ESTATE; what the function returns. */
SAL_API sal_status sal_simulator_witness_value(sal_simulator *sim, int part, int event, double *value);
/* Returns whether a witness of that direction fires if its value goes from w0 to w1. The rule is half open: from 0
 * nothing fires, to 0 it does. SAL_TURNING depends on slopes and never fires here. */
SAL_API bool sal_witness_should_trigger(sal_direction direction, double w0, double w1);

typedef struct sal_simulator_stats {
    int64_t steps, publishes, discrete_updates, unrestricted_updates; /* dispatches, as Drake counts them */
    int64_t derivative_evaluations, witness_evaluations, isolations, isolation_evaluations;
    int64_t searches;
} sal_simulator_stats;

/* Return the counts since the simulator was made, or since `reset`, which sets them to 0. */
SAL_API sal_simulator_stats sal_simulator_statistics(const sal_simulator *sim);
SAL_API void sal_simulator_reset_statistics(sal_simulator *sim);

/* Warnings: probable mistakes that a run detected. They are not failures and change nothing. Each combination of part,
 * event, variable and key is listed once for a simulator; at most SAL_WARNINGS, oldest first. */
enum { SAL_WARNINGS = 32 };

typedef struct sal_warning {
    double time;
    int part, event; /* the part and event that the warning is about; -1: none */
    int variable;    /* element of the whole continuous state; -1: none */
    const char *key; /* one word for the kind of warning, for programs; static */
    sal_note note;   /* the text that follows the name of the event, variable or part: "fires too often for ..." */
} sal_warning;

/* Returns the number of warnings. *first is valid as long as the simulator exists. Callbacks may call it. */
SAL_API int sal_simulator_warnings(const sal_simulator *sim, const sal_warning **first);

/* Writes a warning as a sentence, as sal_report_text does. Callbacks may call it. */
SAL_API size_t sal_warning_text(const sal_simulator *sim, const sal_warning *warning, char *text, size_t room);

/* Observers are called after initialization, after each step, and after updates that changed the state (x+), before
 * anything else changes. What the host wrote between two calls counts as an update, at the start of the second one.
 * Observers must not change the run. A negative status ends the call with that status. */
typedef enum {
    SAL_OBSERVE_START,   /* the run was initialized */
    SAL_OBSERVE_STEP,    /* a step ended: x- */
    SAL_OBSERVE_UPDATED, /* updates changed the state: x+ */
    SAL_OBSERVE_EVENT,   /* `event` of `part` was handled, and will not be undone; both are -1 for the others */
    SAL_OBSERVE_LOADED   /* sal_simulator_load or sal_simulator_copy replaced the run: recorders may read it */
} sal_observation;
typedef sal_status (*sal_observer)(void *user, sal_simulator *sim, sal_observation observation, int part, int event);
/* Adds an observer; *handle is for sal_simulator_unobserve. ENOMEM if there are too many. Callbacks may call both. */
SAL_API sal_status sal_simulator_observe(sal_simulator *sim, sal_observer observer, void *user, int *handle);
SAL_API void sal_simulator_unobserve(sal_simulator *sim, int handle);

/* Computes the context at a time inside the last step. It is read only, and valid until the next call. EINVAL for a
 * time outside of [step start, now]; ESTATE. */
SAL_API sal_status sal_simulator_state_at(sal_simulator *sim, double t, const sal_context **ctx);
/* Returns the time at which the last step began, in s. */
SAL_API double sal_simulator_step_start(const sal_simulator *sim);
/* Writes the derivatives of all q, v, z at the present context to dx. ESTATE; what the functions return. */
SAL_API sal_status sal_simulator_derivatives(sal_simulator *sim, double *dx);
/* Computes what the periodic discrete updates would write now, if all share one timing (sal_system_sampling; else
 * EINVAL). *next is a copy of the context with the discrete state after these updates, valid until the next call. The
 * run does not change. ESTATE; a failure of a handler. */
SAL_API sal_status sal_simulator_preview_sampled(sal_simulator *sim, const sal_context **next, sal_report *report);
/* Returns the allocator, which the simulator owns. */
SAL_API const sal_allocator *sal_simulator_allocator(const sal_simulator *sim);

SAL_END_DECLARATIONS
#endif
