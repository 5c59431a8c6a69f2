/* The memory of a simulator: each member is a struct that one file owns. simulator.h has the functions. */
#ifndef SAL_SIMULATOR_STATE_H
#define SAL_SIMULATOR_STATE_H

#include "base/archive.h"
#include "base/signal_flag.h"
#include "model/model.h"
#include "engine/event/update_state.h"
#include "engine/frame/frame_state.h"
#include "engine/watch/watch_state.h"
#include "engine/witness/witness_state.h"
#include "saltus/simulator.h"

/* A part with continuous state, and where its derivatives are written. */
typedef struct sal__derivative_part {
    const sal_system *system;
    sal_status (*derivatives)(const sal_system *self, const sal_context *ctx, const sal_rates *dot);
    const sal_context *ctx;
    int q, v, z, part;
} sal__derivative_part;

/* The only one of a run, with the context of the run, and with what it gets. */
typedef struct sal__single_part {
    sal__derivative_part of;
    sal__context_data *context;
    sal_rates dot;
} sal__single_part;

/* An event that changes nothing keeps the step: the flow continues along the same dense output, from theta on. With
 * fixed steps, the next step is a whole one. */
typedef struct sal__interrupted_step {
    bool is_pending;
    double t0, t1, theta; /* the step as it was integrated */
    double max_next_step; /* the ideal step to use if the rest is discarded */
} sal__interrupted_step;

/* feed.c: inputs that the host feeds, of those that are not connected. */
typedef struct sal__feeds {
    sal__feed *feed;   /* by input of the plan */
    int *input, count; /* those that are fed */
} sal__feeds;

typedef struct sal__observer {
    sal_observer function;
    void *user;
    bool hears_events_only;
} sal__observer;

enum { SAL__MAX_OBSERVERS = 64 };

/* lifecycle.c: the contexts that a run needs. */
typedef struct sal__contexts {
    sal__context_data *current;  /* the run's */
    sal__context_data *next;     /* the context that updates write */
    sal__context_data *lookup;   /* for state_at; during initialization, the state to restore */
    sal__context_data *pre_step; /* the start of the step in which witnesses fired */
    bool is_hidden;              /* the current context was released or taken: another one replaces it */
} sal__contexts;

/* derivatives.c: the right-hand side of the whole model. */
typedef struct sal__derivatives {
    sal__derivative_part *part;
    int part_count;
    sal__single_part single; /* if there is one part */
    sal_rhs rhs;             /* of all parts */
    sal_rhs checked_rhs;     /* the same, and checks that all derivatives are set */
    int unset_variable;      /* the variable whose derivative was not set; -1 */
    bool has_mass;           /* derivatives are M x' */
    int failed_part;         /* -1 */
} sal__derivatives;

/* A number that the derivatives of a part wrote or read, and that it does not have. */
typedef struct sal__stray_number {
    enum { SAL__NO_STRAY, SAL__STRAY_WRITE, SAL__STRAY_READ } kind;
    int partition, index; /* of a write */
} sal__stray_number;

/* stray_numbers.c: looks for them. */
typedef struct sal__stray_numbers {
    double *room;     /* for x, and for the derivatives of a part, with marks around them */
    int checks_left;  /* how many evaluations will still look */
    int updates_left; /* how many handlers will still be watched */
    sal__stray_number found;
} sal__stray_numbers;

/* flow.c */
typedef struct sal__flow_state {
    double *scratch, *rate;                 /* nx numbers each, for any file that evaluates */
    sal__interrupted_step interrupted_step; /* the rest of a step that an event interrupted */
    bool has_dense_step;                    /* the integrator's dense output covers the last step */
    double step_start;                      /* the start of the last step, for state_at */
    double time_scale;                      /* sal__run_scale of this call */
    double instant_time;                    /* the time of the last instant, */
    int instant_steps;                      /* and how often in a row */
} sal__flow_state;

/* instant.c: the last event that was isolated. */
typedef struct sal__last_event {
    double time;
    double spacing;         /* the length of its step; infinite before the first event */
    double uncrossed_until; /* the time up to which a reintegrated state had not crossed */
} sal__last_event;

/* simulator.c: the state of the run. */
typedef struct sal__run_state {
    bool initialized, updated; /* updated: at x+, the updates of this instant are done */
    bool running, reading;     /* which calls are allowed now: sal__at_rest, sal__can_read */
    bool is_halted;            /* a callback asked to end the call at the next x+, */
    bool is_halt_of_call;      /* and no call after the one that runs */
    int64_t halt_count;        /* how often one asked, ever */
    bool has_watches;          /* some are armed */
    bool tells_edit;           /* observers are told of an edit, and of what followed it */
    int64_t total_steps;       /* never reset, unlike the statistics */
    int64_t steps_before;      /* those of total_steps that were made before the run was initialized */
    double seen_time;
    uint64_t seen_external_writes, seen_external_moves;
    uint64_t observed_writes; /* external writes that observers have seen */
} sal__run_state;

/* What a language whose functions a model calls needs around the calls of a host: `begin` and `end` of each call that
 * may run functions of the model, and the text of a function's own error, if nobody else has one. `begin` returns
 * whether the call may begin. NULL: nothing. */
typedef struct sal__language {
    bool (*begin)(void *user);
    void (*end)(void *user);
    void (*explain)(void *user, sal_note *note);
    void *user;
} sal__language;

/* simulator_api.c: the host's settings and observers; watch.c: its watches. */
typedef struct sal__host {
    sal__signal_flag interrupt; /* requested and not yet reported; the only field that other threads may write */
    sal_monitor monitor;
    void *monitor_user;
    sal__observer observer[SAL__MAX_OBSERVERS];
    int observer_count;      /* the places in use, up to the last */
    int step_observer_count; /* observers of more than events */
    sal_simulator_stats stats;
    sal__pacing pacing;
    sal__frame frame;
    sal__watches watches;
    sal_note trouble; /* the last call that was refused, in words */
    bool has_stories; /* outside of the engine, something writes to the run, and only its owner can copy it */
    sal__language language;
} sal__host;

/* report.c: what came of this call so far: the worst outcome, and of equal ones the first, which the report names. */
typedef struct sal__result {
    sal_report *report; /* the host's */
    sal_outcome outcome;
    sal_status status; /* of a failure */
} sal__result;

/* warnings.c */
typedef struct sal__warnings {
    sal_warning *item; /* SAL_WARNINGS */
    int count;
} sal__warnings;

/* settings.c */
typedef struct sal__host_jacobian {
    sal_model_jacobian function; /* NULL: none */
    void *user;
} sal__host_jacobian;

struct sal_simulator {
    sal__pool pool; /* memory that is as large as the model and lives as long as the simulator */
    sal_system *system;
    const sal__plan *plan;
    sal_simulator_config config; /* settings.c owns these five */
    sal_integrator *integrator;
    const sal_integrator_config *integrator_config; /* of the integrator: steps with events read it without a call */
    bool has_interior_search; /* crossings are searched for between the ends of a step; saves 0.4 % of ball1000 */
    sal__host_jacobian jacobian;
    sal__contexts contexts;
    sal__run_state run_state;
    sal__result result;
    sal__derivatives derivatives;
    sal__stray_numbers stray_numbers;
    sal__flow_state flow;
    sal__last_event last_event;
    sal__schedule schedule;
    sal__followers followers;
    sal__dispatch dispatch;
    sal__transaction transaction;
    struct sal__journal *journal; /* the state before an instant of several rounds; NULL: it never has */
    sal__witnesses witnesses;
    sal__candidates candidates;
    sal__crossings crossings;
    sal__conditions conditions;
    sal__feeds feeds;
    struct sal__projection *projection; /* NULL: no part is constrained */
    sal__delay_state *delay_state;      /* NULL: no part reads its past */
    sal__host host;
    sal__warnings warnings;
};

#endif
