/* Inside the engine: the simulator's own memory, and who does what with it.
 *
 *   lifecycle.c       makes and frees a simulator; simulator_api.c: settings and queries between calls
 *   simulator.c       the loop
 *   initialize.c      initialization at the start of a run
 *   flow.c            integrates from x+ to the next x-
 *   feed.c            inputs that the host feeds
 *   mass_matrix.c     the mass matrix of the whole system
 *   snapshot.c        saves, loads and hashes the run
 *   report.c          texts of failures; warnings.c: what a run noticed that is probably not meant
 *   event/
 *     schedule.c      timed events; timer_queue.c: periodic ones; event_calendar.c: those scheduled from outside
 *     dispatch.c      calls the handlers of one instant; sampled_update.c: previews the periodic discrete updates
 *     transaction.c   what updates write, and its rollback; journal.c: the same for an instant of several rounds
 *     witness.c       arming and firing of witnesses; witness_snapshot.c: saves them
 *     guard.c         guards (`when`) of witnesses; zeno.c: accumulating firings
 *     step_ends.c     values and slopes of witnesses at the ends of a step
 *     locate.c        crossings inside a step; turning_point.c: where a witness stops rising;
 *                     step_subdivision.c: witnesses that may cross often in a step; undersampling.c: warns of those
 *     condition.c     events where a condition turns true; condition_search.c: by flow; event_iteration.c: by updates
 *     instant.c       the stored time of an event, and the events that belong to it
 *   constraint/
 *     projection.c    projects the state onto its constraints; constraint.c: one part; velocity_map.c: q' = N(q) v
 *   delay/
 *     delay.c         histories of delayed signals; history.c: appends to them; delay_step.c: steps that read them
 *     discontinuity.c discontinuities that delays propagate; site_exit.c and kink.c: where a step has to end for one
 *     delay_snapshot.c saves them
 *   recorder/         records signals and events */
#ifndef SAL_SIMULATOR_H
#define SAL_SIMULATOR_H

#include <math.h>
#include <stdatomic.h>

#include "base/archive.h"
#include "model/model.h"
#include "numerics/root_finder.h"
#include "engine/event/event_calendar.h"
#include "engine/event/timer_queue.h"
#include "saltus/simulator.h"

/* A witness between steps. `level` is the value that it was left at on its
 * surface after firing; `near` the sign of the side it then came from. */
typedef struct sal__witness {
    /* What every step asks of every witness comes first, in few lines of the cache. */
    sal_status (*value)(const sal_system *self, const sal_context *ctx, int event, double *value);
    const sal_system *system;
    const sal_context *ctx;
    int index;   /* of its event in its system */
    bool active; /* its guard holds */
    bool guarded;
    bool guard_flows;       /* flow may change its guard: that is asked at crossings alone */
    bool timed;             /* time alone moves it while it flows: no error control knows of it */
    bool moved;             /* by what feeds it, or it has no inputs */
    bool fine;              /* its crossings are looked for more closely than steps are long: */
    double max_interval;    /* s; INFINITY */
    double max_share;       /* of a step; 1 */
    bool surface;           /* compared with `level` instead of 0 */
    bool settle;            /* handled: look where it was left */
    bool turned;            /* updates changed how it flows, but not where it is: flowing back is a crossing */
    bool thrown;            /* its own moved what flows: it comes back from its surface without crossing it */
    bool end_unknown;       /* in this flow w1 is still to be read */
    bool fired;             /* waits for its handler */
    bool zeno;              /* the last firing was one too many */
    signed char near, from; /* +1, -1: the side before the last firing; before this step's crossing */
    double w0, w1;          /* at the step's start and end */
    double s0, s1;          /* slopes there, per second; NaN: unknown */
    double aim;             /* the level that it crosses there */
    double level, theta;    /* theta: where it crosses in this step; > 1: nowhere */
    sal_direction direction;
    sal_kind kind;          /* of what handles it; without a handler it is only told */
    int event;              /* planned event */
    double t0, t1;          /* the step in which it last fired, before the cut */
    double times[4];        /* last firings, newest first; NaN: none */
    int64_t steps[5];       /* step counts at the last firings */
    int64_t firings, rapid; /* rapid: in a row, far too close; without isolation, from the surface */
    int64_t shrunk;         /* intervals in a row that were clearly shorter than the one before */
    double limit;           /* where its firings accumulate; NaN */
    double longest;         /* first interval of the present run of intervals that shrink */
    double since, span;     /* judged from there on; the longest interval of all, up to the first firing too */
    int condition;          /* it stands for this condition, which flow or an update turns true; -1: for a crossing */
    int finder;             /* of a condition, without `value`: its number */
} sal__witness;

/* An event that fires where a condition turns true. What fires, and is handled, is a witness that stands for it. */
typedef struct sal__condition {
    const sal__planned_event *event;
    const sal_context *ctx;
    int witness;          /* that stands for it */
    bool flows;           /* flow may change it: it is looked at in each step */
    bool unaided;         /* without finders it should have some */
    sal__witness *finder; /* what crosses zero where it may change; no event of its own */
    int finders;
    bool held;  /* what it was when last asked; true from when its handler runs on */
    bool there; /* its guard held then */
    bool noted; /* this instant changed it: as the instant began, it was this: */
    bool held_before, there_before;
    int64_t firings_before;
    double dip;                /* where in this step it was first seen to be false; > 1: nowhere */
    bool holds_now, there_now; /* where the step ends */
} sal__condition;

/* A witness in the step from t0 to t1, compared with a level. */
typedef struct sal__span {
    struct sal_simulator *sim;
    sal__witness *witness;
    double t0, t1, level;
} sal__span;

/* An event about to be handled, and what caused it. */
typedef struct sal__call {
    int event, rank;
    int64_t count;
    int witness; /* -1: not one */
    bool there;  /* its guard held */
} sal__call;

/* A part with continuous state, and where its derivatives go. */
typedef struct sal__flowing {
    const sal_system *system;
    sal_status (*derivatives)(const sal_system *self, const sal_context *ctx, const sal_rates *dot);
    const sal_context *ctx;
    ptrdiff_t q, v, z;
    int part;
} sal__flowing;

/* An event that changes nothing does not throw its step away: the flow goes on
 * along the same dense output, from theta on. Not with fixed steps, where a step
 * after an event is whole again. */
typedef struct sal__rest {
    bool there;
    double t0, t1, theta; /* the step as it was integrated */
    double cap;           /* for the ideal step, should the rest be thrown away after all */
} sal__rest;

/* What feed.c keeps, of models that have inputs without connection. */
typedef struct sal__feeds {
    sal__feed *of;     /* by input of the plan */
    int *input, count; /* those that are fed */
    double *numbers;
    int elements;
} sal__feeds;

typedef struct sal__observed {
    sal_observer observer;
    void *user;
} sal__observed;

enum { SAL__OBSERVERS = 64 };

/* Planned events of one trigger and kind, by rank. */
typedef struct sal__events {
    int *event;
    int count;
} sal__events;

struct sal_simulator {
    sal_allocator mem;
    sal_system *system;
    const sal__plan *plan;
    sal_simulator_config config;
    sal_integrator *in;

    sal__store *run;    /* the context */
    sal__store *staged; /* what updates write: their `next` */
    sal__store *view;   /* state_at; at initialization, the way back */
    sal__store *before; /* what the fired witnesses' step began from */

    /* Undoing an instant: old numbers of the parts that were written. */
    double *undo, *saved;
    unsigned char *touched; /* where a part's old numbers are, SAL__... */
    bool discrete;          /* what is staged: discrete state alone */
    bool *swapped, *was_edited;
    unsigned char *staging; /* parts in the staged context; SAL__WRITTEN: what is there differs; SAL__MIRRORED: not
                             * staged, but the discrete state there is still the run's, while that has this count: */
    uint64_t mirrored_held;
    struct sal__journal *journal; /* NULL: no conditions, and the discrete updates are the last of an instant */
    int *touched_part, touched_parts, *staged_part, staged_parts;
    int undoable; /* the first touched parts: of unrestricted updates */

    sal__queue queue[2]; /* of publishes, of updates */
    int *timer_of;       /* SAL_ON_TIME events: their timer */
    int *taken[2], takens[2];
    double opener;      /* the pending time that opened this instant */
    bool early;         /* some timer's offset is negative */
    double fine_before; /* this size of the time, no period is too small for it: 16 ulp are less */
    sal__events by[SAL_ON_DEMAND + 1][SAL_UNRESTRICTED + 1];
    sal__events timed;              /* all SAL_ON_TIME events */
    bool any[SAL_UNRESTRICTED + 1]; /* events of a kind, whatever their trigger */
    bool updates_each_step;         /* some of them by their trigger */
    sal__agenda agenda;

    sal__witness *witness; /* those that cross, and behind them those that stand for conditions: all that fire */
    int witnesses, guarded, witness_cap; /* guarded: how many must be asked whether they are there */
    int blank;                           /* the witness that failed last */
    int with_phases;                     /* how many tell theirs, and are looked at as steps show them */
    /* Short lists of witnesses, so that an event costs what it concerns: to look at in
     * this flow; that cross in this step, theta <= 1, the first one last; fired, whose handlers have
     * not run; handled since the last look. Behind those that cross stand, for a while, those that may. */
    int *looking, looks, *crossing, crossings, suspects, *fired, waiting, *left, lefts;
    unsigned char *listed; /* of each witness, while a snapshot is checked: in which of these lists */
    /* Conditions, in the order of the parts; those of part i are condition_at[i] up to condition_at[i + 1]. Due: turned
     * true by the round before. Noted: changed in this instant. */
    sal__condition *condition;
    int conditions, condition_cap, *condition_at, *due, dues, *noted, noteds;
    double step_start;      /* of the last step, for state_at */
    bool step_dense;        /* the integrator's dense output covers it */
    double last_event;      /* time of the last isolated event */
    double short_of;        /* where a state that was integrated once more had not crossed yet */
    double apart;           /* how long its step was; infinite before */
    bool jumped;            /* an update wrote something since they were armed */
    int armed;              /* witnesses that are ready for the step; they stay so when it fails */
    int slopeless;          /* of those to look at: without a slope at the start when they were armed */
    bool left_out;          /* a witness was left out of this step: none wakes in it */
    bool values_hold;       /* the last step's end values and slopes are the next one's start */
    double last_step;       /* how long that step was, while this one is made; NaN: unknown */
    sal__rest rest;         /* what an observed event left of its step */
    double *scratch, *rate; /* nx */
    sal__flowing *flowing;
    int flows;
    sal_rhs rhs;        /* all of them */
    sal_rhs checked;    /* the same, looking whether all derivatives are set */
    int64_t first_step; /* taken_steps when the run began: whether derivatives are set is looked at from */
    int unset;          /* there on; the variable whose derivative was left unset, -1 */
    bool has_mass;      /* what the integrator calls derivatives is M x' */
    struct sal__projection *projection; /* NULL: no part is constrained */

    bool *concerned; /* parts that an update wrote, or whose inputs hang on one of these; and the list of them: */
    int *concerned_part, concerned_parts;
    int functions; /* events that answer their next time */
    bool unasked;  /* asking for times failed: again before going on */
    bool disarmed; /* a time variable was set to infinity in this dispatch */
    sal__call *call, *merged;
    int calls, call_cap;
    bool disordered;         /* the calls are */
    int *ran, rans, ran_cap; /* updates of this instant that ran, told when the instant stands */
    bool in_instant;         /* updates and their rounds: what is published is told with them */

    sal__moment *moment; /* of models that read their past; else NULL */
    double *kept_room;   /* a piece of it */

    int failing_part;
    bool suppress;             /* initialization publishes of this initialize */
    bool away;                 /* the context was released or taken away: a stand-in is there, unseen */
    bool initialized, updated; /* updated: at x+, this instant's updates are done */
    bool running, reading;     /* who may be called then: sal__at_rest, sal__is_still */
    atomic_bool interrupt;     /* asked for, and not yet reported; the only field that others may write */
    double time_seen;
    uint64_t edits_seen, moves_seen;
    double instant_time;
    int instant_steps;

    sal_monitor monitor;
    void *monitor_user;
    sal_model_jacobian jacobian;
    void *jacobian_user;
    sal__observed observed[SAL__OBSERVERS];
    int observers; /* places in use, up to the last */
    sal_simulator_stats stats;
    int64_t taken_steps; /* of all time: statistics may be reset, what counts steps must not */
    double real_origin, time_origin;
    double frame_left; /* of the last frame: less than a step */
    sal__feeds feeds;
    sal_warning *warning; /* SAL_WARNINGS */
    int warnings;
};

#define SAL__SMALL_CORRECTION 1e-3 /* units of the error weights that a start may be off its constraints */

enum { SAL__PUBLISHES, SAL__UPDATES };
enum { SAL__UNSTAGED, SAL__MIRRORED, SAL__STAGED, SAL__WRITTEN };

/* mass_matrix.c: nx x nx by rows; NULL when no part has one. Freed by who asked. */
sal_status sal__mass_new(const sal_simulator *sim, double **out);
static inline size_t sal__mass_bytes(const sal_simulator *sim) {
    return (size_t)sim->plan->nx * (size_t)sim->plan->nx * sizeof(double);
}

/* dispatch.c */
static inline void sal__dispatch_clear(sal_simulator *sim) {
    sim->calls = 0;
    sim->disordered = false;
}
static inline void sal__dispatch_add(sal_simulator *sim, int event, int64_t count, int witness) {
    const int rank = sim->plan->rank[event], at = sim->calls++;
    sim->disordered |= at > 0 && sim->call[at - 1].rank > rank;
    sim->call[at] = (sal__call){event, rank, count, witness, false};
}
static inline void sal__dispatch_add_all(sal_simulator *sim, const sal__events *events) {
    for (int i = 0; i < events->count; i++)
        sal__dispatch_add(sim, events->event[i], 0, -1);
}
sal_outcome sal__dispatch_publishes(sal_simulator *sim, sal_report *report, sal_status *status);
/* Calls the updates, whose writes stay staged; staged: beside what others staged before. */
sal_outcome sal__dispatch_call(sal_simulator *sim, sal_kind kind, sal_report *report, sal_status *status);
sal_outcome sal__dispatch_staged(sal_simulator *sim, sal_report *report, sal_status *status);
void sal__dispatch_end(sal_simulator *sim, sal_outcome outcome);
sal_outcome sal__dispatch_updates(sal_simulator *sim, sal_kind kind, sal_report *report, sal_status *status);
sal_outcome sal__merge(sal_report *report, sal_outcome so_far, sal_outcome outcome, int part, int event,
                       const sal_note *note);
sal_status sal__observe(sal_simulator *sim, sal_sight sight, int part, int event);
sal_status sal__observe_updates(sal_simulator *sim);

/* transaction.c */
enum { SAL__UNTOUCHED, SAL__OLD_STAGED, SAL__OLD_KEPT };
void sal__stage_anew(sal_simulator *sim); /* somebody else wrote: nothing is mirrored */
void sal__copy_part(const sal_simulator *sim, int part, double *to, const double *from);
static inline void sal__stage_begin(sal_simulator *sim, sal_kind kind) {
    sal__store *staged = sim->staged;
    sim->discrete = kind == SAL_DISCRETE;
    staged->time = sim->run->time;
    staged->seed = sim->run->seed;
    staged->from[SAL__IN_X] = sim->discrete ? sim->run->block : staged->block;
    staged->of[SAL_PARAM] = sim->discrete ? sim->run->of[SAL_PARAM] : staged->home[SAL_PARAM];
    if (sim->mirrored_held != sim->run->held)
        sal__stage_anew(sim);
}
void sal__stage_copy(sal_simulator *sim, int part);
static inline void sal__stage(sal_simulator *sim, int part) {
    unsigned char *staging = &sim->staging[part];
    if (*staging >= SAL__STAGED)
        return;
    if (*staging != SAL__MIRRORED || !sim->discrete)
        sal__stage_copy(sim, part);
    *staging = SAL__STAGED;
    sim->staged_part[sim->staged_parts++] = part;
}
sal_status sal__stage_keep(sal_simulator *sim, int part);
void sal__stage_put_back(sal_simulator *sim, int part);
void sal__stage_put_back_first(sal_simulator *sim, int part);
void sal__stage_end(sal_simulator *sim, bool stands);
void sal__undo_forget_old(sal_simulator *sim);
static inline void sal__undo_forget(sal_simulator *sim) {
    if (sim->undoable > 0 || sim->plan->slots > 0)
        sal__undo_forget_old(sim);
    sim->touched_parts = sim->undoable = 0;
}
void sal__undo_instant(sal_simulator *sim);
/* Did the updates of this instant change continuous state? */
bool sal__stage_moved(const sal_simulator *sim);
bool sal__part_moved(const sal_simulator *sim, int part, const double *was);

/* journal.c: of each part that an instant writes, its numbers and abstract state before. */
sal_status sal__journal_new(sal_simulator *sim);
void sal__journal_free(sal_simulator *sim);
void sal__journal_keep(sal_simulator *sim, int part);
void sal__journal_keep_slot(sal_simulator *sim, int slot); /* its old value is the staged one's */
void sal__journal_undo(sal_simulator *sim);
void sal__journal_forget(sal_simulator *sim);
bool sal__journal_moved(const sal_simulator *sim);
int sal__journal_parts(const sal_simulator *sim, const int **part);

/* schedule.c */
/* Marks parts, and all that is downstream of them, as concerned. */
void sal__concern(sal_simulator *sim, const int *part, int count);
sal_status sal__timing_new(sal_simulator *sim);
void sal__timing_free(sal_simulator *sim);
sal_status sal__timing_start(sal_simulator *sim, sal_report *report);
/* Adds to the calls what is due now; done(): counts up, or puts all back as it was. */
void sal__timing_collect(sal_simulator *sim, int which, sal_kind kind);
static inline void sal__timing_take(sal_simulator *sim, int which) {
    sim->takens[which] = sal__queue_due(&sim->queue[which], sim->run->time, sim->opener, sim->taken[which]);
}
int sal__timing_queue_of(sal_kind kind);
void sal__timing_forget_scheduled(sal_simulator *sim, int which); /* what was due */
static inline void sal__timing_done(sal_simulator *sim, int which, bool ran) {
    if (ran)
        sal__queue_advance(&sim->queue[which], sim->taken[which], sim->takens[which]);
    sim->takens[which] = 0;
    if (ran && sim->agenda.size[which] > 0)
        sal__timing_forget_scheduled(sim, which);
}
/* Asks for new times: all, or those whose time went by and those that the last updates concern. */
sal_status sal__timing_ask(sal_simulator *sim, bool all, sal_report *report);
/* The planned event that is due first; -1: none. */
int sal__timing_first(const sal_simulator *sim);
static inline double sal__timing_next(const sal_simulator *sim, int which) {
    const double next = sal__queue_next(&sim->queue[which]);
    return sim->agenda.size[which] > 0 ? sal__min(next, sal__agenda_next(&sim->agenda, which)) : next;
}
/* The size, beside the time, that an instant's ulp is measured by. */
double sal__timing_early_scale(const sal_simulator *sim, double opener);
static inline double sal__timing_scale(const sal_simulator *sim, double opener) {
    return sim->early ? sal__timing_early_scale(sim, opener) : 0;
}
/* Is anything of this queue due now? */
static inline bool sal__timing_due(const sal_simulator *sim, int which) {
    const double next = sal__timing_next(sim, which);
    return next <= sim->run->time ||
           (next < HUGE_VAL && sal__same_instant(next, sim->opener, sal__timing_scale(sim, next)));
}
/* The period of the next timer is too small for the time: samples would be lost. */
bool sal__timing_refuse_too_fine(const sal_simulator *sim, sal_report *report);
static inline bool sal__timing_too_fine(const sal_simulator *sim, sal_report *report) {
    return !(fabs(sim->run->time) < sim->fine_before) && sal__timing_refuse_too_fine(sim, report);
}
/* ETIME for a period, or a max_step, so short that nobody sees the run arrive. */
sal_status sal__refuse_endless(sal_simulator *sim, double boundary, sal_report *report);

/* lifecycle.c */
sal_status sal__make_integrator(sal_simulator *sim, const sal_integrator_config *config);
sal_status sal__clone_store(const sal_simulator *sim, sal__store **out);

/* Who may be called when is decided here alone. What moves, changes or keeps a run needs it at rest: not inside of a
 * function of the model, of the monitor or of an observer. Most of it needs the run's context besides. */
static inline bool sal__at_rest(const sal_simulator *sim) {
    return !sim->running && !sim->reading;
}
static inline sal_status sal__usable(const sal_simulator *sim) {
    return sal__at_rest(sim) && !sim->away ? SAL_OK : SAL_ESTATE;
}
/* Whatever calls functions of the model, or changes what they see, begins with this. */
static inline sal_status sal__begin(sal_simulator *sim) {
    if (sal__usable(sim) != SAL_OK)
        return SAL_ESTATE;
    sim->running = true;
    return SAL_OK;
}
static inline sal_status sal__end(sal_simulator *sim, sal_status status) {
    sim->running = false;
    return status;
}
/* What calls functions of the model only to read may be asked by handlers, the monitor and observers too; not while a
 * trial state is looked at, and not by the functions that it calls. */
static inline bool sal__is_still(const sal_simulator *sim) {
    return !sim->reading && sim->run->from[SAL__IN_X] == sim->run->block;
}
static inline sal_status sal__begin_reading(sal_simulator *sim) {
    if (sim->away || !sal__is_still(sim))
        return SAL_ESTATE;
    sim->reading = true;
    return SAL_OK;
}
static inline sal_status sal__end_reading(sal_simulator *sim, sal_status status) {
    sim->reading = false;
    return status;
}

/* simulator_api.c */
sal_status sal__grow_calls(sal_simulator *sim);

/* feed.c */
sal_status sal__feeds_new(sal_simulator *sim);
void sal__feeds_free(sal_simulator *sim);
void sal__feeds_forget(sal_simulator *sim);
/* Time moves from here on; it has moved, from t0. Only while something is fed. */
void sal__feeds_open(sal_simulator *sim);
void sal__feeds_close(sal_simulator *sim, double t0);
/* Where a step that may go to `next` ends at the latest: where a line does; INFINITY: no line ends. */
double sal__feeds_stop(const sal_simulator *sim, double next);
/* The run is looked at inside of its last step; no more, and inputs are put into `view` as they were at t. */
void sal__feeds_look_back(sal_simulator *sim);
void sal__feeds_look_ahead(sal_simulator *sim, sal__store *view, double t);
uint64_t sal__feeds_hash(const sal_simulator *sim, uint64_t hash);
/* Of a snapshot of the run at t: the lines that go on. */
void sal__feeds_archive(sal__archive *a, sal_simulator *sim, double t);

/* warnings.c: `text` follows the name of the event, else of the variable, else of the part; `key`: one static word. */
void sal__warn(sal_simulator *sim, int part, int event, int variable, const char *key, const char *text);

void sal__warn_of_steps(sal_simulator *sim); /* what the integrator doubts */

/* flow.c */
sal_status sal__flow(sal_simulator *sim, double boundary, sal_report *report);
static inline void sal__flow_to(sal_simulator *sim, double t, const double *x) {
    sal__copy(sim->run->block, x, sim->plan->nx);
    sim->step_start = sim->run->time;
    sal__store_look(sim->run, t, NULL);
}
/* The state or the model changed at an event: what was left of its step does not hold. */
void sal__flow_anew(sal_simulator *sim);
sal_status sal__rhs(void *sim, double t, const double *x, double *dx);
/* What the integrator is to call: anew where something begins or ends to be fed. */
void sal__rhs_choose(sal_simulator *sim);
static inline sal_rhs sal__rhs_of(const sal_simulator *sim) {
    return sim->rhs;
}
/* simulator_api.c: the host's Jacobian to the integrator of now. */
void sal__give_jacobian(sal_simulator *sim);

/* delay.c */
sal_status sal__delays_new(sal_simulator *sim);
void sal__delays_free(sal_simulator *sim);
/* Another integrator, or another context, which are not the simulator's yet. */
sal_status sal__delays_attach(sal_simulator *sim, sal_integrator *in, sal__store *run);
sal_status sal__delays_start(sal_simulator *sim);
sal_status sal__delays_jump(sal_simulator *sim);
sal_status sal__delays_catch_up(sal_simulator *sim); /* after one that failed */
sal_status sal__delays_foresee(sal_simulator *sim, double t1);
sal_status sal__delays_commit(sal_simulator *sim, double t);
/* discontinuity.c: a step begins at t; its start was evaluated, which is then known; it has failed. */
void sal__course_keep(sal__moment *m, double t);
void sal__course_begun(sal__moment *m, double t);
void sal__course_put_back(sal__moment *m);
/* Breaks and sites in a snapshot: reading them takes the room for that many breaks. */
void sal__delays_archive(sal__archive *a, sal_simulator *sim, int *breaks);
sal_status sal__delays_reserve(sal_simulator *sim, int breaks);
/* kink.c */
sal_status sal__find_corner(sal_simulator *sim, const sal_rhs *rhs, double from, double to, double *corner);
void sal__delays_cut(sal_simulator *sim, double t);
sal_status sal__delays_step(sal_simulator *sim, const sal_rhs *rhs, double t, const double *x,
                            const sal_limits *limits);

/* witness_snapshot.c: those that cross in the rest of a step go with it. */
void sal__witnesses_archive(sal__archive *a, sal_simulator *sim, const sal__rest *rest);

/* snapshot.c: a context's numbers, with their rules. */
#define SAL__MOST_OF_A_COUNT (INT64_MAX / 4)
void sal__block_archive(sal__archive *a, sal_simulator *sim, sal__store *store);
/* Tells `list` each field of what would be saved now, and where it stands there; for tests. */
void sal__snapshot_fields(const sal_simulator *sim, void (*list)(void *user, sal__field field, size_t at, size_t bytes),
                          void *user);

/* witness.c */
void sal__witness_start(sal_simulator *sim);
sal_status sal__witness_arm(sal_simulator *sim, sal_report *report);
/* Is one that was on its surface still there, now that it reads `value`? Not where it set out from its level to beyond:
 * then it has been farther in between. */
static inline bool sal__stays_on_surface(const sal__witness *w, double was, double slope, double value) {
    const bool left = was == w->level && slope * w->near < 0;
    return !left && value * w->near <= 0 && (value - w->level) * w->near >= 0;
}
/* step_ends.c: looks at what a short Euler step leads to, from where the flow begins and, back, from the step's end;
 * answers its length, h being what is left of the step. */
double sal__look_beside_start(sal_simulator *sim, double now, double h);
sal_status sal__look_beside_end(sal_simulator *sim, double t1, double h, double *dt);
/* step_ends.c: the slope of one at the end of a step of h, over so long an Euler step that rounding lets it be seen; 0:
 * it does not. */
sal_status sal__slope_at_end(sal_simulator *sim, const sal__witness *w, double t1, double h, double *slope);
/* step_ends.c: is a step of h so short beside those that are taken that its ends may differ by rounding alone? */
bool sal__is_sliver(const sal_simulator *sim, double h);
/* step_ends.c: those that were looked at in the rest of a step alone, of h, take their slopes there anew, where that is
 * much shorter than the step. */
void sal__forget_end_slopes(sal_simulator *sim, double h);
/* No crossing can be between the ends, as seen there. The usual case: one sign, and on its way without turning (a cubic
 * with both slopes along its rise and none above three times it is monotone: Fritsch and Carlson, SIAM J. Numer. Anal.
 * 17, 1980), or turning away from zero, which leaves no room for another extremum. */
static inline bool sal__stays_clear(const sal__witness *w, double h) {
    if (w->surface || !(w->w0 > 0 ? w->w1 > 0 : w->w0 < 0 && w->w1 < 0))
        return false;
    const double rise = w->w1 - w->w0, most = 3 * rise;
    const double sa = w->s0 * h, sb = w->s1 * h;
    if (rise > 0 ? sa >= 0 && sb >= 0 && sa <= most && sb <= most : sa <= 0 && sb <= 0 && sa >= most && sb >= most)
        return true;
    return w->w0 > 0 ? sa >= 0 && sb <= 0 : sa <= 0 && sb >= 0;
}
/* step_ends.c: are crossings looked for between the ends of a step? */
bool sal__searches(const sal_simulator *sim);
/* step_ends.c: reads the ends of the step to t1, and lists as suspects those to look at that may cross in it. */
sal_status sal__witness_ends(sal_simulator *sim, double t1, sal_report *report);
/* locate.c: finds what fires in the step [t0, t1] just integrated: earliest *theta, 2: nothing. */
sal_status sal__witness_locate(sal_simulator *sim, double t0, double t1, double *theta, sal_report *report);
/* Sal_probes of a span: w - level at theta of the step, on its dense output; stored: at the time of an event there. */
sal_status sal__probe_span(void *user, double theta, double *value);
sal_status sal__probe_stored(void *user, double theta, double *value);
/* locate.c: where w crosses in a piece of a step, by its ends and the search for what those cannot show; 2: nowhere. */
sal_status sal__cross_piece(sal__span *s, const sal_piece *piece, double *theta);
/* locate.c: w leaves zero and is there again at the end of a whole step; where it comes back. */
bool sal__is_back_at_zero(const sal__witness *w, const sal_piece *whole);
sal_status sal__cross_back_to_zero(sal__span *s, const sal_piece *whole, double *theta);
/* step_subdivision.c: the same in short pieces, for one that may cross often; nothing is looked for beyond `most`. */
sal_status sal__cross_timed(sal__span *s, const sal_piece *whole, double most, double *theta);
/* turning_point.c: where w stops rising in the step, from `from` on; 2: nowhere. */
sal_status sal__find_turning(sal__span *s, double from, double *theta);
void sal__witness_fire(sal_simulator *sim, double t0, double t1, double t_event, double window);
void sal__witness_unfire(sal_simulator *sim);
/* The k-th of the list of crossings fires. */
static inline void sal__witness_take(sal_simulator *sim, int k) {
    const int i = sim->crossing[k];
    for (sim->crossings--; k < sim->crossings; k++)
        sim->crossing[k] = sim->crossing[k + 1];
    sim->witness[i].fired = true;
    sim->fired[sim->waiting++] = i;
}
/* Theta of the next crossing in this step, 1 when there is none. */
static inline double sal__witness_next_crossing(const sal_simulator *sim) {
    return sim->crossings > 0 ? sim->witness[sim->crossing[sim->crossings - 1]].theta : 1;
}
/* Publishes come now; updates, and what stands in for a handler when firings accumulate, with the next ones. */
static inline sal_kind sal__witness_kind(const sal__witness *w) {
    return w->zeno ? SAL_UNRESTRICTED : w->kind;
}
/* Has one fired whose handler publishes? */
static inline bool sal__witness_publishes(const sal_simulator *sim) {
    int k = 0;
    while (k < sim->waiting && sal__witness_kind(&sim->witness[sim->fired[k]]) > SAL_PUBLISH)
        k++;
    return k < sim->waiting;
}
void sal__witness_collect(sal_simulator *sim, sal_kind kind);
void sal__witness_handled(sal_simulator *sim, bool publishes);
void sal__witness_updated(sal_simulator *sim); /* updates of this instant changed something */
void sal__witness_turned(sal_simulator *sim);  /* the host changed what may turn the flow, but did not move it */
void sal__witness_make(sal_simulator *sim, int event);
void sal__witness_describe(const sal_simulator *sim, int event, sal__witness *w);
sal_status sal__witness_blame(sal_simulator *sim, int witness, sal_status status, sal_report *report);
/* Armed by whatever value it has next. Its firings still count: a guard that shuts between them does not part them. */
void sal__witness_disarm(sal__witness *w);

/* guard.c: whether the guard of one that has one holds at the context as it looks now. */
sal_status sal__guard_ask(const sal__witness *w, bool *holds);
/* Adds those to look at whose guard opened within the step to t1. */
sal_status sal__guards_wake(sal_simulator *sim, double t1, sal_report *report);
/* Both ends of what is left of the step were read: who has no value at one of them, where its guard does not hold, is
 * left out of the step, or fails it as one without a value, when its guard holds at the other. */
sal_status sal__guards_sift(sal_simulator *sim, double now, double t1, sal_report *report);
/* One that has no value in the shortest of steps, which ends at t1: where its guard does not hold at both ends it is
 * not looked at; else it fails. */
sal_status sal__guard_leave_out(sal_simulator *sim, int witness, double t1, sal_report *report);
/* undersampling.c: warns of witnesses that hold what repeats faster than the step from now to t1 is long. */
void sal__witness_watch_phases(sal_simulator *sim, double t1);

/* condition.c */
sal_status sal__conditions_new(sal_simulator *sim, int count);
void sal__conditions_free(sal_simulator *sim);
void sal__condition_attach(sal__condition *c, sal__store *run); /* another context */
/* As after initialize: what holds now has held, or is due. */
sal_status sal__conditions_start(sal_simulator *sim, bool suppress, sal_report *report);
/* Somebody else wrote: what turned true is due, as what flow turned true would be. */
sal_status sal__conditions_edited(sal_simulator *sim, sal_report *report);
/* Whether it holds at the context as it looks now. */
sal_status sal__condition_ask(sal_simulator *sim, const sal__condition *c, bool *there, bool *holds,
                              sal_report *report);
/* Its handler runs. */
void sal__condition_ran(sal_simulator *sim, sal__condition *c);
void sal__conditions_published(sal_simulator *sim); /* the handlers of those that only publish, at the end of a step */
void sal__condition_note(sal_simulator *sim, sal__condition *c); /* before it is changed within an instant */
void sal__conditions_end(sal_simulator *sim, bool stands);       /* of an instant */
/* event_iteration.c: what the updates of an instant turned true, round by round. */
sal_outcome sal__rounds(sal_simulator *sim, sal_outcome so_far, sal_report *report, sal_status *status);
/* The publishes of what an edit turned true, which come before the updates. */
sal_outcome sal__publish_edited(sal_simulator *sim, sal_report *report, sal_status *status);

/* condition_search.c: the first point of the step where flow turns one true, where that is before *theta: that is
 * *theta then, and what fired there has not. */
sal_status sal__conditions_locate(sal_simulator *sim, double t0, double t1, double *theta, sal_report *report);
/* The step ends at theta of it, at (t, x): what turned true there fires with the rest. */
sal_status sal__conditions_arrive(sal_simulator *sim, double theta, double t, const double *x, sal_report *report);
void sal__conditions_passed(sal_simulator *sim); /* the run is there */
sal_status sal__finder_value(sal_simulator *sim, const sal__witness *f, double *value);

/* Of a witness that has an event of its own. */
static inline sal_status sal__event_value(sal_simulator *sim, const sal__witness *w, double *value) {
    sim->stats.witness_evaluations++;
    const sal_status status = w->value(w->system, w->ctx, w->index, value);
    if (status != SAL_OK)
        return status;
    return *value != *value ? SAL_ENAN : SAL_OK;
}
/* Of any, finders too. */
static inline sal_status sal__witness_value(sal_simulator *sim, const sal__witness *w, double *value) {
    return w->value ? sal__event_value(sim, w, value) : sal__finder_value(sim, w, value);
}
/* The same where the context is looked at: that it has no value is no error where its guard does not hold; *value is
 * NaN then. guard.c excuses it. */
sal_status sal__guard_excuse(const sal__witness *w, sal_status status, double *value);
static inline sal_status sal__guarded_value(sal_simulator *sim, const sal__witness *w, double *value) {
    const sal_status status = sal__event_value(sim, w, value);
    return status == SAL_OK || !w->guarded ? status : sal__guard_excuse(w, status, value);
}
static inline bool sal__isolates(const sal_simulator *sim) {
    return sim->config.isolation &&
           !(sal_integrator_config_of(sim->in)->fixed_step && isnan(sim->config.context_accuracy));
}
/* Seconds to which an event is isolated; NaN: it is not. */
double sal__window(const sal_simulator *sim);
static inline bool sal__tells_phases(const sal__witness *w) {
    return w->system->behaviour->phases && !w->fine && !w->timed;
}

/* zeno.c: a witness begins anew; fires at t_event. */
void sal__accumulation_start(sal__witness *w, double now);
void sal__accumulation_note(const sal_simulator *sim, sal__witness *w, double t_event, double window);

/* instant.c: the step from t0 to t1 ends at the event that was located at theta; at_limit: t1 is as far as it may
 * go. */
sal_status sal__end_at_event(sal_simulator *sim, double t0, double t1, double theta, bool at_limit, sal_report *report);
/* An event is stored at a double: the smallest one that is not before theta of the step. */
static inline double sal__time_at(double t0, double t1, double theta) {
    const double t = t0 + theta * (t1 - t0);
    const double short_of = theta * (t1 - t0) - (t - t0); /* 0 where t is as small as subnormal numbers */
    const double up = short_of > 0 ? 0x1.8p-53 : 0; /* of t: to the next double; half of all are short, by chance */
    return sal__min(t + up * fabs(t), t1);
}

/* projection.c */
sal_status sal__projection_new(sal_simulator *sim);
void sal__projection_free(sal_simulator *sim);
/* The integrator or the context is another one. */
void sal__projection_attach(sal_simulator *sim);
/* Names in the note what could not be met: `before`, "constraint 2", `after`. */
void sal__step_blame(const sal_simulator *sim, sal_report *report);
void sal__unset_blame(const sal_simulator *sim, sal_report *report);
void sal__projection_blame(const sal_simulator *sim, const char *before, const char *after, sal_note *note);
/* Where the run begins: is the model as it says? */
sal_status sal__projection_start(sal_simulator *sim, sal_report *report);
/* Puts x, at t, where it belongs; SAL_RETRY: found no place. */
sal_status sal__project(sal_simulator *sim, double t, double *x);
/* The same with the context, when it is at most `most` units of the error weights away. */
sal_status sal__project_context(sal_simulator *sim, double most, sal_report *report);
/* After updates; a part that moves is staged, to be undone with the instant. */
sal_status sal__project_updated(sal_simulator *sim, sal_report *report);

/* initialize.c */
sal_status sal__initialize(sal_simulator *sim, bool suppress, bool consistent, sal_report *report);
static inline bool sal__nothing_to_publish(const sal_simulator *sim) {
    return sim->by[SAL_ON_STEP][SAL_PUBLISH].count == 0 && !sal__witness_publishes(sim) &&
           !sim->config.publish_every_step && !sal__timing_due(sim, SAL__PUBLISHES);
}
sal_outcome sal__publish(sal_simulator *sim, bool start, sal_report *report, sal_status *status);
sal_outcome sal__call_monitor(sal_simulator *sim, sal_outcome outcome, sal_report *report);
/* Publishes, then the monitor; all of them run, even after one fails. */
static inline sal_outcome sal__watch(sal_simulator *sim, sal_report *report, sal_status *status) {
    const bool quiet = sal__nothing_to_publish(sim);
    const sal_outcome outcome = quiet ? SAL_DID_NOTHING : sal__publish(sim, false, report, status);
    return sim->monitor ? sal__call_monitor(sim, outcome, report) : outcome;
}
sal_status sal__blame(sal_simulator *sim, sal_report *report, sal_status status, int event, const char *text);
/* report.c: "event of part: text", cut to fit; say_more appends. */
void sal__say(const sal_simulator *sim, int event, const char *text, sal_note *note);
void sal__say_more(const char *text, sal_note *note);

#endif
