/* saltus.core: Lua closures become systems.
 *
 * No Lua error crosses an engine frame. When a closure fails, the binding stores its error object in the simulator's
 * user values, the engine returns a status, and the Lua layer raises the same object again. Closures are stored in user
 * values too, so a simulator that is reachable from its own closures can be collected.
 *
 * Between Lua and C are *adapters*: small Lua functions that lua/saltus/closure/adapter.lua writes, one for each
 * closure. An adapter takes numbers, fills the closure's `ctx`, calls the closure, and returns numbers. It contains
 * only the names that the closure has read so far; when the closure reads a new name, its adapter is rebuilt. */
#ifndef SAL_BINDING_H
#define SAL_BINDING_H

#include "saltus/blocks.h"
#include "saltus/delay_buffer.h"
#include "saltus/simulator.h"
#include "sandbox/limits.h"
#include "values.h"

/* User values of the simulator's userdata. */
enum {
    UV_CLOSURES = 1,
    UV_BUILD_ADAPTER,
    UV_RAISE_MISMATCH,
    UV_HANDLER,
    UV_ERROR,
    UV_TRACEBACK,
    UV_PASSING_ERROR, /* the error of a closure, which the closure that called it raises */
    UV_MONITOR,
    UV_PROGRESS,
    UV_JACOBIAN,
    UV_HISTORY,
    UV_CASE,    /* the saved run from which cases of a sweep begin, once it was loaded */
    UV_WATCHES, /* watch.c */
    UV_HOME,    /* script/lend.c */
    UV_COUNT
};

/* The contexts that Lua can read, by number. */
enum { L_OF_RUN, L_OF_NEXT, L_OF_BEFORE, L_OF_VIEW };

/* Arguments or results: consecutive numbers of one partition. */
typedef struct l_range {
    int partition; /* sal_partition, or L_TIME, L_EVENT_COUNT, ... for other values */
    int at, size;
    int table; /* >= 0: passed in the Lua table at that index of the closures; results: 1 */
} l_range;

enum { L_TIME = 100, L_EVENT_COUNT, L_EVENT_T0, L_EVENT_T1, L_EVENT_LIMIT, L_INPUT = 110, L_OUTPUT };

enum { L_NEXT = -2 }; /* instead of a table: read from the context that the update writes */

/* The anchors of each closure; a handler has the checking one only (see lua/saltus/closure/adapter.lua). */
enum { FAST, CLEARING, CHECKING, ADAPTER, ANCHORS };

/* The arguments and results of an adapter: a userdata. */
typedef struct l_adapter {
    int arg_count, result_count;
    int value_count;     /* values returned */
    const double **port; /* by argument that is an input or output: its value; NULL: no argument is one */
    l_range range[];     /* args, results */
} l_adapter;

typedef struct l_compiled l_compiled; /* closure/compiled.h */

typedef struct l_closure l_closure;
struct l_closure {
    l_adapter *adapter;
    bool is_stale;
    int calls_until_check;              /* calls until the checking adapter runs next */
    int anchor;                         /* index of the first of ANCHORS among the closures; 0: never called yet */
    const sal_context *read_context;    /* the context whose discrete numbers it read last, */
    uint64_t read_version;              /* and their version */
    int calls_until_compiled;           /* calls until the closure may be compiled */
    l_compiled *compiled;               /* the program that runs instead; NULL: none */
    int function;                       /* index among the closures of the function with the program's upvalues */
    uint64_t seen_at;                   /* self->lua_call_count when the fetched values were last verified */
    int shadow_calls_left, miss_count;  /* shadow runs to do before the program runs alone; consecutive misses */
    int64_t run_count, next_shadow_run; /* runs of the program alone; the next shadow run is at 2^k */
    int64_t free_runs;                  /* runs, counted already, that come before anything is checked again */
    bool has_differed;                  /* its results differed from the closure's: it runs no more */
    bool is_slice;                      /* no closure, but a part of a compiled closure: one comparison of it */
    l_closure *phased;                  /* with the program that tells its phases; NULL: none, or not asked for yet */
    bool has_no_phases;                 /* they were asked for */
};

static inline void l_end_free_runs(l_closure *c) {
    c->run_count -= c->free_runs > 0 ? c->free_runs : 0;
    c->free_runs = 0;
}

static inline void l_mark_stale(l_closure *c) {
    l_end_free_runs(c);
    c->is_stale = true;
}

/* What a closure costs, if it is measured (closure/meter.c). */
typedef struct l_cost {
    int64_t calls;
    double seconds;
} l_cost;

typedef struct l_simulator l_simulator;

/* Abstract state: serialized data as bytes, so that clones and rollbacks need no Lua. */
typedef struct l_bytes {
    char *bytes;
    size_t size, cap;
    sal_allocator mem;
} l_bytes;

/* A system that a program in C has pushed, for as long as its Lua value or a part of a simulator uses it. */
typedef struct l_keeper {
    sal_allocator mem;
    sal_system *system; /* NULL: not given to Lua yet */
    int use_count;
} l_keeper;

/* The data of a sal_system, except where `keeper` has another. */
typedef struct l_part {
    l_simulator *owner;
    sal_system *system;
    int index;
    sal_system_class behaviour; /* l_closures, without functions that this part lacks; or a block's */
    const sal_block_kind *kind; /* of this one; NULL: closures, or */
    l_keeper *keeper;           /* a copy of a system in C */
    int first_closure, output_count,
        event_count;              /* closures: derivatives, outputs, then PER_EVENT for each event, then PER_PART; */
    int finder_count, *finder_at; /* then the finders of each event's condition, from finder_at on */
    bool has_history;             /* a function in UV_HISTORY */
    int slot_count;
    l_bytes *initial_slot; /* initial values of the slots */
} l_part;

enum { OF_WITNESS, OF_CONDITION = OF_WITNESS, OF_WHEN, OF_NEXT_TIME, OF_HANDLER, OF_ZENO, PER_EVENT };
enum { OF_CONSTRAINTS, OF_CONSTRAINT_RATES, OF_PROJECT, OF_VELOCITY_MAP, PER_PART };

/* The Lua frame in which callbacks run: the Lua stack and positions on it. */
typedef struct l_frame {
    lua_State *L;
    int self, closures, handler;
    sal_simulator *outer; /* the simulator that ran before */
} l_frame;

typedef struct l_runs l_runs; /* interrupt.c */

/* What steps have been charged to the budget of the Lua state (sandbox/step_charges.c). */
typedef struct l_step_charges {
    bool begun;
    int steps_left; /* until the next charge */
    int64_t evaluations, factorizations;
} l_step_charges;

/* The Lua functions that a simulator calls, by number, with their adapters and programs. */
typedef struct l_closure_set {
    l_closure *item;
    int count;
    int anchor_count; /* places in use */
    int index_key;    /* index of the string "__index" among the closures; 0: none yet */
} l_closure_set;

/* The contexts that closures may read and write at present. */
typedef struct l_access {
    const sal_context *current;
    sal_context *next; /* the context that updates write */
    const sal_context *before;
    const sal_context *view; /* of the last state_at */
    sal_note *note;
} l_access;

struct l_simulator {
    const l_class *class;
    sal_allocator mem; /* Lua's own */
    sal_simulator *sim;
    sal_system *system; /* a diagram, or the system of the only part */
    l_part *part;
    int part_count;
    l_closure_set closures;
    l_cost *costs; /* by closure; NULL: not measured */
    l_access access;
    l_frame frame;    /* L NULL, or `home`: nothing is running; see l_is_busy */
    lua_State *home;  /* a thread for callbacks in calls of a C program; NULL: it was never lent to one */
    int lent_count;   /* how often it is lent */
    l_runs *runs;     /* of its Lua state */
    l_limits *limits; /* of its Lua state */
    int lua_depth; /* Lua calls that have not returned; one more between calls if it was lent, for then a C program may
                      run Lua unseen */
    uint64_t lua_call_count; /* Lua calls that have begun or returned, plus frames entered */
    bool has_free_runs;      /* some closures may have some */
    bool wants_retry;        /* the present error requests a shorter step */
    bool has_stored_error;   /* an error object is stored and not raised yet */
    int failed_closure;      /* the closure of that error */
    int progress_every, progress_left;
    int warnings_shown;
    l_step_charges charges;
};

static inline void l_begin_lua(l_simulator *self) {
    self->lua_depth++;
    self->lua_call_count++;
}

/* An integrator without a simulator, for a Lua function f(t, x, dx); x follows the struct. */
typedef struct l_standalone {
    sal_integrator *integrator;
    sal_rhs rhs;
    double t, *x;
    lua_State *L;          /* NULL: nothing is running */
    bool has_stored_error; /* an error object is stored in the user values */
    int unset;             /* the element for which f wrote no number; 0: none */
    l_limits *limits;      /* of its Lua state */
    l_step_charges charges;
} l_standalone;

/* Classes of userdata; core.c registers them in Lua. */
#define L_SIMULATOR "saltus.core.simulator"
#define L_STANDALONE "saltus.core.integrator"
extern const l_class l_simulator_class, l_standalone_class, l_recorder_class, l_column_class, l_past_class,
    l_block_class, l_keeper_class, l_delay_buffer_class, l_polynomial_class, l_program_class, l_event_halt_class;

/* Methods of a simulator; those of the integrator and of dense output are also methods of a standalone integrator. */
extern const luaL_Reg l_context_methods[], l_settings_methods[], l_integrator_methods[], l_dense_methods[],
    l_adapter_methods[], l_compiled_methods[], l_meter_methods[], l_watch_methods[], l_sentence_methods[],
    l_saved_run_methods[];

/* Lua functions defined in another file than the table that names them. */
int l_new_simulator(lua_State *L);
/* Pushes the result of a run: status, reason, time, boundary, part, event, text, blame, limit, firings. */
int l_push_report(lua_State *L, sal_status status, const sal_report *report);
int l_new_standalone(lua_State *L);
int l_new_recorder(lua_State *L);
int l_new_delay_buffer(lua_State *L);
/* Pushes a delay buffer of that width without points or capacity, for the caller to set. */
sal_delay_buffer **l_push_delay_buffer(lua_State *L, int width);
int l_delay_reader_new(lua_State *L);
int l_set_history(lua_State *L);
int l_blocks(lua_State *L);
int l_compiled_operations(lua_State *L);
int l_neutral_number(lua_State *L);
int l_csv_line(lua_State *L);
int l_csv_write(lua_State *L);
int l_put_numbers(lua_State *L);
int l_push_runs(lua_State *L);
int l_getinfo(lua_State *L); /* sandbox/introspection.c */
int l_getupvalue(lua_State *L);
int l_getmetatable(lua_State *L);
int l_dump(lua_State *L);
int l_are_files_allowed(lua_State *L); /* sandbox/limits.c */
int l_are_interrupted(lua_State *L);
int l_stored_error(lua_State *L);
int l_traceback(lua_State *L);    /* a message handler; its upvalue is the simulator */
void l_open_blocks(lua_State *L); /* into the table on top */
void l_open_process(lua_State *L);
void l_open_math(lua_State *L);

/* saved_run.c: the saved run at index 2, from which a case of a sweep begins; raises an error if it does not fit. */
void l_load_case(lua_State *L, l_simulator *self);

/* frame.c: checks of arguments; a simulator is the first one. Each raises an error if the check fails. */
l_simulator *l_check_simulator(lua_State *L, int index);
l_simulator *l_check_between_calls(lua_State *L, const char *otherwise); /* raises `otherwise` while a closure runs */
l_simulator *l_check_idle(lua_State *L);
l_simulator *l_check_ready(lua_State *L);                    /* raises while it is already advancing */
l_simulator *l_check_writable(lua_State *L);                 /* raises while its context cannot be written */
l_closure *l_check_closure(lua_State *L, l_simulator *self); /* the second argument is its number */
sal_integrator *l_check_integrator(lua_State *L);            /* of a simulator or alone */
sal_integrator *l_check_idle_integrator(lua_State *L);

/* frame.c: whether one of its closures runs, or could: then it cannot be changed. */
bool l_is_busy(const l_simulator *self);

/* frame.c: l_enter pushes what callbacks need and records its position; l_leave restores the outer frame. */
l_frame l_enter(lua_State *L, l_simulator *self, int self_index);
void l_leave(l_simulator *self, l_frame outer);

/* frame.c: calls of Lua in the frame. If a call fails, its error is stored, and the Lua layer raises it. `closure`
 * is the number of the closure that failed, or one of these; L_IN_HISTORY - k is the history of part k. */
enum { L_IN_MONITOR = -1, L_IN_PROGRESS = -2, L_IN_LOG = -3, L_IN_JACOBIAN = -4, L_IN_WATCH = -5, L_IN_HISTORY = -6 };
int l_pcall(l_simulator *self, int args, int results); /* lua_pcall; stores nothing */
sal_status l_call(l_simulator *self, int args, int results, int closure);
sal_status l_call_at(l_simulator *self, const sal_context *ctx, int results, int closure); /* reading from ctx */
sal_status l_call_helper(l_simulator *self, int helper, int closure, int detail);          /* calls a user value */
/* Details of UV_BUILD_ADAPTER. */
enum { L_FIT_ADAPTER, L_FIT_WRITES, L_FIT_COMPILED, L_FIT_PHASES, L_FIT_AGREED, L_FIT_DIFFERED };
void l_store_error(l_simulator *self, int closure); /* takes the error object on top of the stack */
void l_clear_failure(l_simulator *self);
void l_raise_stored(lua_State *L, l_simulator *self); /* raises the stored error, if there is one */
int l_raise(lua_State *L, l_simulator *self);         /* raises the value on top, which is a closure's error */

/* sandbox/step_charges.c: from now on each step is charged, if scripts of the state have limits. */
void l_charge_steps(l_simulator *self);
int64_t l_price_of_operations(l_step_charges *c, const sal_integrator *in); /* since the last call */

/* memory.c */
sal_allocator l_allocator(lua_State *L);                                    /* Lua's own */
void *l_new_array(lua_State *L, l_simulator *self, int count, size_t size); /* zeroed; raises if out of memory */
void l_free_array(l_simulator *self, void *array, int count, size_t size);

/* closure/closure.c: the system class whose behaviour is closures, and their numbers. */
extern const sal_system_class l_closures;
int l_closure_number(const l_part *part, int event, int what);
void l_measure_closures(lua_State *L, l_simulator *self); /* meter.c: before the engine is made */

/* closure/closure_call.c: calls of closures by number. l_complete_adapter builds the adapter if it is missing or stale;
 * it precedes l_run, which leaves `extra` values, then the results, on the stack from
 * *base + 1 on; the caller pops to *base. */
sal_status l_complete_adapter(l_simulator *self, int k);
sal_status l_run(l_simulator *self, int k, const sal_context *ctx, const sal_event *event, int extra, int *base);
sal_status l_call_lua(l_simulator *self, int k, const sal_context *ctx, double *const *to); /* in Lua; to[partition] */
int l_read_range(lua_State *L, const l_range *r, bool strict, int *index, double *to);
sal_status l_rebuild_adapter(l_simulator *self, int k);
sal_status l_raise_mismatch(l_simulator *self, int k, int i, int at);
static inline const l_range *l_adapter_results(const l_adapter *adapter) {
    return adapter->range + adapter->arg_count;
}

/* closure/handler_call.c */
sal_outcome l_handle(l_simulator *self, int k, const sal_context *ctx, const sal_event *event, sal_context *next,
                     sal_note *note);

/* closure/adapter.c: adapters between the engine and closures. */
int l_anchor(lua_State *L, l_simulator *self); /* pops a value and stores it among the closures; returns its index */

/* closure/compiled.c, compiled_run.c, phases.c: runs compiled closures without Lua, and calls the others in Lua. */
/* Called after somebody else ran, who may have set a hook: no runs are free then. */
void l_look_for_hook(l_simulator *self);
sal_status l_eval_derivatives(l_simulator *self, int k, const sal_context *ctx, const sal_rates *dot);
sal_status l_eval_value(l_simulator *self, int k, const sal_context *ctx, double *value);
/* As sal_system_class.phases, for closure k if it is compiled. */
void l_phases(l_simulator *self, int k, const sal_context *ctx, double *phase, int *count);
/* Of the function of a watch, which is not among the closures; false: the function itself must be called. */
bool l_run_margin(l_simulator *self, l_closure *c, const sal_context *ctx, double *value);
sal_status l_eval_slice(l_simulator *self, int k, const sal_context *ctx, double *value);
bool l_run_update(l_simulator *self, l_closure *c, const sal_context *ctx, const sal_event *event, sal_context *next);
const l_compiled *l_shadow_run(l_simulator *self, l_closure *c, const sal_context *ctx, const sal_event *event);
/* shadow_comparison.c: compares the results of a shadow run with those of closure k. Reports the first shadow runs to
 * Lua, which attaches the program to later simulators of the system. */
sal_status l_compare_shadow(l_simulator *self, int k, const double *const *computed);

/* callbacks.c */
sal_outcome l_monitor(void *user, const sal_context *ctx, sal_note *note);
sal_status l_progress(void *user, sal_simulator *sim, sal_observation observation, int part, int event);
sal_status l_jacobian(void *user, const sal_context *ctx, double *j);
int l_jacobian_size(const sal_integrator *in); /* number of elements of a Jacobian; for a band, of its rows */
/* Converts a result: 0 did nothing, 1 succeeded, 2 terminate, 3 fail; nil, the usual result, succeeded. */
sal_outcome l_outcome_at(lua_State *L, int index);

/* watch/watch.c: pushes the function of the watch that begins with this closure; raises nothing. */
void l_push_margin_function(l_simulator *self, const l_closure *closure);
/* Pushes the list of the handles that ended the last call; returns 1. */
int l_push_fired_watches(lua_State *L, const l_simulator *self);

/* abstract_state.c: abstract state as bytes. */
extern const sal_slot_type l_slot_type;
sal_status l_bytes_set(l_bytes *blob, const char *bytes, size_t size);
void l_bytes_clear(l_bytes *blob);
enum { L_MAX_NESTING = 1000 }; /* of tables in abstract state */
/* serialized.c: EINVAL unless the bytes are exactly one value as written by serialize.lua. */
sal_status l_check_serialized(const char *bytes, size_t size);

/* delay_access.c: the past of a state or signal, values or derivatives, and the initial history. */
sal_status l_read_past(const sal_context *ctx, int past, bool rate, bool absolute, double time, double *value);
sal_status l_history(const sal_system *sys, int past, double t, double *value, double *rate);
int l_request_shorter_step(lua_State *L, l_simulator *self); /* in a closure: unwinds to the engine */

/* block_declaration.c: what a block declares, and the list of initial values of its states and parameters. */
extern const char *const l_section_names[SAL_PARTITIONS]; /* by partition: its field name in a declaration */
void l_push_declaration(lua_State *L, const sal_system *sys);
void l_push_initial_values(lua_State *L, const sal_system *sys);
void l_read_initial_values(lua_State *L, int numbers, const sal_system *sys);

/* block.c: ready-made blocks as parts of a model. */
void l_init_block_part(lua_State *L, l_part *part, const char *kind);
sal_status l_copy_block(lua_State *L, l_part *part, const l_part *like,
                        int system); /* of a part with the same declarations */

/* script/c_system.c: a copy of a system in C as a part of a model; `ports`: index of the list of its state ports. */
void l_copy_c_system(lua_State *L, l_part *part, int system, int ports);
void l_keeper_drop(l_keeper *keeper); /* NULL: nothing */

/* model.c: reads the initial values of an entry: its own default, or from the list at index `numbers`. */
void l_read_defaults(lua_State *L, int entry, int numbers, double *to, int size);

/* model.c: makes systems from normalised Lua tables. */
void l_build_model(lua_State *L, l_simulator *self, int model);
void l_free_model(l_simulator *self);

/* events.c */
/* Names, in the order of the numbers from SAL_ON_INITIALIZATION, SAL_NO_HANDLER and SAL_CROSSING on. */
extern const char *const l_triggers[], *const l_kinds[], *const l_directions[];
void l_add_events(lua_State *L, l_part *part, int system);
void l_lay_out_finders(lua_State *L, l_simulator *self, l_part *part); /* of its conditions */

/* options.c */
void l_read_integrator(lua_State *L, int options, sal_integrator_config *config);
void l_read_config(lua_State *L, int options, sal_simulator_config *config);

/* interrupt.c: interrupts runs, for a host's signal handler. */
l_runs *l_runs_of(lua_State *L);
void l_set_unfinished(l_runs *runs, const char *path);        /* the file that a second signal removes */
sal_simulator *l_begin_run(l_runs *runs, sal_simulator *sim); /* the simulator that ran before */
void l_end_run(l_runs *runs, sal_simulator *outer);
bool l_must_stop(const l_runs *runs);
struct l_kernel *l_begin_stories(l_runs *runs, struct l_kernel *kernel); /* the kernel that ran before */
void l_end_stories(l_runs *runs, struct l_kernel *outer);
void l_hook_running_story(void *runs, lua_Hook hook, int mask, int count);
void l_interrupt_runs(void *runs);
void l_allow_runs(void *runs);

#endif
