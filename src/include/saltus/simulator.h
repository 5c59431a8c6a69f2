/* The simulator: advances a context through time.
 *
 * One step is: unrestricted updates, discrete updates, the next timed event,
 * integration (which ends early at a witness), publishes, monitor. All that runs
 * on a failure or a termination is undone or stands as a whole; the context is
 * always at a point that can be gone on from:
 *   x-(t), after the publishes and the monitor of a step;
 *   x+(t), after the updates of an instant, when integration then failed or an update terminated.
 * No allocation after initialize. Drake's Simulator (Sherman et al.) is the model.
 *
 * From inside of the run (functions of the model, the monitor, observers, functions of a recorder's channels) a
 * simulator can be looked at: sal_simulator_context, _integrator, _config_of, _initialized, _isolation_window,
 * _step_start, _actual_realtime_rate, _statistics, _warnings, _allocator, _save_size, _hash; by the monitor, handlers
 * and observers, where no trial state stands in the context, also sal_simulator_derivatives, _witness_value and
 * _state_at, which answer SAL_ESTATE elsewhere and to the functions that they call. And it can be told:
 * sal_simulator_interrupt, _set_monitor, _set_publish_every_step, _set_publish_at_initialization,
 * _set_target_realtime_rate, _reset_statistics, _observe, _unobserve; that holds from the next time on that it matters.
 * All else waits for the call to end: SAL_ESTATE, or NULL, and nothing has changed. sal_simulator_free must wait. */
#ifndef SALTUS_SIMULATOR_H
#define SALTUS_SIMULATOR_H

#include "diagram.h"
#include "integrator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sal_simulator sal_simulator;

typedef sal_outcome (*sal_monitor)(void *user, const sal_context *ctx, sal_note *note);

typedef struct sal_simulator_config {
    size_t size;                      /* of this struct, set by the default call */
    sal_integrator_config integrator; /* but for `mass`, which is the system's: sal_system_set_mass */
    double context_accuracy;          /* NaN: none, the integrator's in use serves */
    bool isolation;                   /* default true; false: witnesses fire at the end of their step */
    double isolation_window;          /* s; NaN: 0.01 x accuracy x characteristic time (or max_step) */
    double characteristic_time;       /* s, 1 */
    bool reintegrate_to_event;        /* integrate once more to an isolated event's time, instead of interpolating */
    bool interior_search;             /* search inside the steps for double crossings; default true */
    bool absolute_weights;            /* all error weights absolute, as Drake's arithmetic */
    bool publish_every_step, publish_at_initialization;
    int max_events_per_instant;  /* zero-length steps at one instant, rounds of what turns true there; 1000 */
    int64_t max_steps_per_call;  /* 0: no limit */
    uint64_t seed;               /* of the context's random streams */
    double target_realtime_rate; /* simulated s per real s; 0: as fast as it goes */
    double (*clock)(void *user); /* real seconds; NULL: none, no pacing */
    void (*sleep)(void *user, double seconds);
    void *clock_user;
} sal_simulator_config;

SAL_API sal_simulator_config sal_simulator_config_default(void);
/* EINVAL for settings that cannot be, the integrator's among them; `why` (may be NULL) tells. */
SAL_API sal_status sal_simulator_config_check(const sal_simulator_config *config, sal_note *why);

typedef enum {
    SAL_AT_BOUNDARY,    /* reached_boundary_time */
    SAL_AT_TERMINATION, /* reached_termination */
    SAL_AT_FAILURE,     /* see status and the rest of the report */
    SAL_AT_STEP_LIMIT,  /* reached_step_limit: max_steps_per_call came before the boundary; the next call goes on */
    SAL_AT_INTERRUPT    /* interrupted: sal_simulator_interrupt; the next call goes on */
} sal_reason;

typedef struct sal_report {
    sal_reason reason;
    double time, boundary_time;
    int part, event; /* who asked or failed; -1: nobody, or the monitor */
    double limit;    /* SAL_EZENO: the time where the event's firings accumulate; NaN when they chatter */
    int64_t firings; /* SAL_EZENO: how many there were */
    sal_note note;
} sal_report;

/* Makes its own context unless one is given (then it is owned: freed with the simulator; after a failure
 * it is still the caller's; EINVAL for one of another system). `config` NULL: the defaults. EINVAL for a config that
 * cannot be, for a class that lacks a function which its system's declarations need (a state its derivatives, an event
 * its handler), and for a method that cannot do what the system asks for: a mass matrix, or a past together with one
 * (sal_method_takes_mass, sal_method_takes_past). ELOOP: an algebraic loop (sal_diagram_loop). */
SAL_API sal_status sal_simulator_new(const sal_allocator *allocator, sal_system *system, sal_context *context,
                                     const sal_simulator_config *config, sal_simulator **out);
SAL_API void sal_simulator_free(sal_simulator *sim);

SAL_API sal_status sal_simulator_initialize(sal_simulator *sim, bool suppress_events, sal_report *report);
/* The same from a state that may be far off its constraints (system.h): it is moved to where it meets
 * them, positions, then velocities. Without this a start that is off by more than 0.001 units of the
 * error weights is refused: SAL_EOFF. */
SAL_API sal_status sal_simulator_initialize_consistent(sal_simulator *sim, bool suppress_events, sal_report *report);
/* To exactly t. Initializes first when that was not done. A failure answers a
 * negative status; termination is SAL_OK with that reason. `report`, here and below, may be
 * NULL; else it is always written: of a failure its note says more, where there is more to say,
 * and its part and event who it was: sal_diagram_part_name(system, part), and
 * sal_system_event(sal_diagram_part(system, part), event)->name. */
SAL_API sal_status sal_simulator_advance_to(sal_simulator *sim, double t, sal_report *report);
SAL_API sal_status sal_simulator_advance_pending_events(sal_simulator *sim, sal_report *report);
/* One step towards t: for hosts that look after each. */
SAL_API sal_status sal_simulator_step(sal_simulator *sim, double t, sal_report *report);

/* Ends the advance that is under way after the step that it is in, or the next advance before its first step; a
 * frame ends between its steps of `step` s. That call returns SAL_OK with the reason SAL_AT_INTERRUPT; the call after
 * it goes on, to the same bits as a run that was never interrupted. Any thread and any signal handler may call this,
 * also while the simulator runs, but not while it is freed; it is the only function of which this is true. */
SAL_API void sal_simulator_interrupt(sal_simulator *sim);

/* NULL while there is none. */
SAL_API sal_context *sal_simulator_context(sal_simulator *sim);
/* Another context of the same system, owned from now on; NULL: none, and the simulator cannot
 * be used until it has one. The next advance initializes. */
SAL_API sal_status sal_simulator_reset_context(sal_simulator *sim, sal_context *context);
/* The context, owned by the caller from now on; NULL when there was none. */
SAL_API sal_context *sal_simulator_release_context(sal_simulator *sim);
SAL_API sal_integrator *sal_simulator_integrator(sal_simulator *sim);
SAL_API const sal_simulator_config *sal_simulator_config_of(const sal_simulator *sim);
/* Another integrator: needs initialize, which the next advance does. */
SAL_API sal_status sal_simulator_set_integrator(sal_simulator *sim, const sal_integrator_config *config);
SAL_API sal_status sal_simulator_set_context_accuracy(sal_simulator *sim, double accuracy);
SAL_API void sal_simulator_set_monitor(sal_simulator *sim, sal_monitor monitor, void *user);
/* The model's own Jacobian, for implicit methods: at `ctx`, which is read only, df_i/dx_k of all q, v, z is
 * written to j as sal_integrator_set_jacobian tells. Kept by the integrators that follow; NULL: as their
 * configuration says. ESTATE while the simulator runs. */
typedef sal_status (*sal_model_jacobian)(void *user, const sal_context *ctx, double *j);
SAL_API sal_status sal_simulator_set_jacobian(sal_simulator *sim, sal_model_jacobian jacobian, void *user);
/* The publishes on demand, after every step and at initialization: as the configuration's fields of that name. */
SAL_API void sal_simulator_set_publish_every_step(sal_simulator *sim, bool publish);
SAL_API void sal_simulator_set_publish_at_initialization(sal_simulator *sim, bool publish);
SAL_API void sal_simulator_set_target_realtime_rate(sal_simulator *sim, double rate);
SAL_API double sal_simulator_actual_realtime_rate(const sal_simulator *sim);
SAL_API bool sal_simulator_is_initialized(const sal_simulator *sim);
/* Seconds to which a witness's event is isolated; NaN: it is not. */
SAL_API double sal_simulator_isolation_window(const sal_simulator *sim);

/* A game's frame: `dt` more of simulated time in whole steps of `step` s, at most
 * `max_steps` of them (what is more is dropped, so that a slow frame does not make the
 * next one slower). *alpha in [0, 1): the share of a step left over, for drawing; what is left
 * over counts for the next frame, and is saved with the run. `alpha` may be NULL. */
SAL_API sal_status sal_simulator_advance_frame(sal_simulator *sim, double dt, double step, int max_steps, double *alpha,
                                               sal_report *report);

/* Everything that the next step depends on, as bytes: context, timers, armed witnesses,
 * what is scheduled, step size, random streams. For the same program on the same kind
 * of machine. EINVAL, and nothing changed, for bytes of another system or damaged ones. */
SAL_API size_t sal_simulator_save_size(const sal_simulator *sim);
SAL_API sal_status sal_simulator_save(sal_simulator *sim, void *bytes, size_t size);
SAL_API sal_status sal_simulator_load(sal_simulator *sim, const void *bytes, size_t size);
/* XXH64 of time, numbers and abstract state. */
SAL_API uint64_t sal_simulator_hash(const sal_simulator *sim);

/* Feeds an input that is not connected: from now to t1 it is the straight line from its value now to `value` (as many
 * numbers as it has), from t1 on exactly `value`, until it is fed anew, which begins at the line's value then, or is
 * set. A step ends at t1, where the input has a corner: no event and no jump. Witnesses of the input find their
 * crossings as on a state. Feeds are saved and loaded with the run; sal_simulator_initialize ends them (an advance that
 * initializes does not). Writing another value through sal_context_edit ends the feed of that input, and is a jump.
 * `input` is a port of the part. EINVAL: no such input, a connected one, a value that is not finite; ETIME: t1 is not
 * later than now, or not finite; EINPUT: it has no value to begin from; ESTATE: the simulator runs. */
SAL_API sal_status sal_simulator_feed(sal_simulator *sim, int part, int input, double t1, const double *value);
/* From now on it stays at its value of now. Without effect on an input that is not fed. */
SAL_API sal_status sal_simulator_end_feed(sal_simulator *sim, int part, int input);

/* Has the event (SAL_ON_DEMAND) run at t, or at the current instant. Costs grow with the logarithm of how many are
 * scheduled. `handle` (NULL: not wanted) is a number from 1 on, of this entry alone, for sal_simulator_cancel; it is
 * saved with the run, and a run that was loaded gives the same ones again. ESTATE from inside of a handler. */
SAL_API sal_status sal_simulator_schedule(sal_simulator *sim, int part, int event, double t, int64_t *handle);
SAL_API sal_status sal_simulator_demand(sal_simulator *sim, int part, int event);
/* Takes back what was scheduled. ETIME: it has run or was cancelled before; EINVAL: no such handle was given. */
SAL_API sal_status sal_simulator_cancel(sal_simulator *sim, int64_t handle);

/* The value of the witness of an event (SAL_ON_WITNESS) at the context as it is; its guard is not asked. */
SAL_API sal_status sal_simulator_witness_value(sal_simulator *sim, int part, int event, double *value);
/* Does a witness of that direction fire that goes from w0 to w1? Half open: from 0 nothing does, to 0 it does;
 * SAL_TURNING, which is a matter of slopes, never. */
SAL_API bool sal_witness_should_trigger(sal_direction direction, double w0, double w1);

typedef struct sal_simulator_stats {
    int64_t steps, publishes, discrete_updates, unrestricted_updates; /* dispatches, as Drake counts them */
    int64_t derivative_evaluations, witness_evaluations, isolations, isolation_evaluations;
    int64_t searches;
} sal_simulator_stats;

SAL_API sal_simulator_stats sal_simulator_statistics(const sal_simulator *sim);
SAL_API void sal_simulator_reset_statistics(sal_simulator *sim);

/* What a run noticed that is probably not meant; it is no failure and changes nothing. Each warning (its part, event,
 * variable and key) is kept once in a simulator's life, SAL_WARNINGS of them at most, oldest first. */
enum { SAL_WARNINGS = 32 };

typedef struct sal_warning {
    double time;
    int part, event; /* whom it is about; -1: nobody in particular */
    int variable;    /* element of the whole continuous state; -1: none */
    const char *key; /* one word for its kind, for programs; static */
    sal_note note;   /* its text follows the name of the event, the variable or the part: "fires too often for ..." */
} sal_warning;

/* Returns how many there are; `first` is lent as long as the simulator lives. Callbacks may call it. */
SAL_API int sal_simulator_warnings(const sal_simulator *sim, const sal_warning **first);

/* Watching without touching: called after initialization and each step, and
 * after updates that changed the state (x+), before anything else moves. */
typedef enum {
    SAL_OBSERVE_START,
    SAL_OBSERVE_STEP,
    SAL_OBSERVE_UPDATED,
    SAL_OBSERVE_EVENT,
    SAL_OBSERVE_LOADED
} sal_observation;
typedef sal_status (*sal_observer)(void *user, sal_simulator *sim, sal_observation sight, int part, int event);
SAL_API sal_status sal_simulator_observe(sal_simulator *sim, sal_observer observer, void *user, int *handle);
SAL_API void sal_simulator_unobserve(sal_simulator *sim, int handle);

/* The last step's context at a time within it: read only, lent until the next
 * call. EINVAL for a time outside [step start, now]. */
SAL_API sal_status sal_simulator_state_at(sal_simulator *sim, double t, const sal_context **ctx);
SAL_API double sal_simulator_step_start(const sal_simulator *sim);
/* The continuous state's derivatives at the context as it is; `dx` holds all q, v, z. */
SAL_API sal_status sal_simulator_derivatives(sal_simulator *sim, double *dx);
/* What the periodic discrete updates would write now, when all share one timing
 * (sal_system_sampling; else EINVAL): a context as the run's, with the discrete state
 * after them, lent until the next call. Nothing of the run changes. */
SAL_API sal_status sal_simulator_preview_sampled(sal_simulator *sim, const sal_context **next, sal_report *report);
SAL_API const sal_allocator *sal_simulator_allocator(const sal_simulator *sim);

#ifdef __cplusplus
}
#endif
#endif
