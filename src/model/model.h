/* Internal header of the model: what a system declares, the plan that a build makes of it, and the data behind a
 * context. For engine and blocks; not installed. */
#ifndef SAL_MODEL_H
#define SAL_MODEL_H

#include "base/base.h"
#include "feed.h"
#include "misuse.h"
#include "name_table.h"
#include "model/delay/delay_state.h"
#include "model/trouble.h"
#include "saltus/diagram.h"

typedef SAL_LIST(int) sal__ints;

/* For people; each may be NULL. */
typedef struct sal__labels {
    char *unit, *doc;
    bool is_borrowed; /* the texts are static */
} sal__labels;

typedef struct sal__value {
    char *name;
    sal_partition partition;
    int at, size;   /* elements of its partition */
    int mode_count; /* number of words of a mode, whose value is a whole number from 1; 0: not a mode */
    char **mode_words;
    uint64_t mode_hash;
    sal__labels labels;
} sal__value;

typedef struct sal__output {
    char *name;
    int size;
    bool time_invariant; /* declared by sal_system_set_time_invariant */
    bool needs_known;    /* its direct dependencies: */
    sal__ints inputs, outputs;
    bool is_alias; /* a copy of numbers of a partition from `at` on */
    sal_partition partition;
    int at;
    sal__labels labels;
} sal__output;

typedef struct sal__slot {
    char *name;
    const sal_slot_type *type;
} sal__slot;

typedef struct sal__member {
    sal_system *system;
    char *name;
    bool *is_connected; /* by input */
    int input_count;
} sal__member;

typedef struct sal__wire {
    int from, output, to, input;
} sal__wire;

typedef struct sal__plan sal__plan;

/* The columns of a system's histories, their total width, and the slot that holds them. */
typedef struct sal__histories {
    SAL_LIST(sal__history) columns;
    int width, slot;
} sal__histories;

/* Name tables; `values` includes slots. */
typedef struct sal__names {
    sal__name_table values, outputs, members, events;
} sal__names;

typedef struct sal__trouble {
    sal__refusal *refusal;  /* NULL: nothing was refused yet */
    sal__ints loop_outputs; /* outputs of the loop for which the build failed */
} sal__trouble;

/* How many numbers `constraints` and `constraint_rates` write. */
typedef struct sal__constraint_sizes {
    int residuals, rates;
} sal__constraint_sizes;

/* SAL__COPY: most members are borrowed from a prototype. SAL__TAKEN: by somebody to whom the caller gave it. */
typedef enum { SAL__CALLERS, SAL__COPY, SAL__TAKEN } sal__keeping;

struct sal_system {
    sal_allocator mem;
    const sal_system_class *behaviour; /* NULL: a diagram */
    char *name, *doc;
    void *data;
    int size[SAL_PARTITIONS];
    SAL_LIST(double) defaults[SAL_PARTITIONS];
    SAL_LIST(double) weight[3]; /* of q, v, z; */
    SAL_LIST(char) absolute[3];
    SAL_LIST(sal__value) values;
    SAL_LIST(sal__output) outputs;
    SAL_LIST(sal__slot) slots;
    SAL_LIST(sal_event_config) events;
    sal__histories history;
    bool is_lockstep; /* demanded by sal_system_demand_lockstep */
    SAL_LIST(sal__member) members;
    SAL_LIST(sal__wire) wires;
    sal__ints inputs; /* index of the value of each input port */
    sal__names names;
    sal__trouble trouble;
    sal__constraint_sizes constraints;
    double *mass;         /* by rows, over all of x; NULL: the identity */
    sal__keeping keeping; /* who frees it */
    bool is_frozen;       /* built, or a part of a built system: it cannot change */
    sal__plan *plan;      /* NULL until built */
};

typedef struct sal__range {
    int at, size;
} sal__range;

/* The most ranges that updates of a part may write. */
enum { SAL__MAX_RANGES = 5 };

/* A part in the plan: where its numbers, ports, slots and events begin. */
typedef struct sal__part {
    const sal_system *system; /* first, in one cache line: what every update reads */
    sal__range discrete;      /* what discrete updates may write: xd, followed by the part's random draws */
    int at[SAL_PARTITIONS];   /* q, v, z: index in x; others: index in their own partition */
    int input_count, input_at;
    int size[SAL_PARTITIONS];
    sal__range range[SAL__MAX_RANGES]; /* ranges of the block that updates may write, merged */
    int range_count, slot_at, output_at, event_at;
    const char *name;
} sal__part;

/* An output of a part, and where its value is stored. */
typedef struct sal__output_slot {
    const sal_system *system;
    sal_status (*output)(const sal_system *self, const sal_context *ctx, int port, double *value);
    int part, port, at;
    int need_at, need_count; /* sources that must be computed first */
    bool time_invariant;     /* it and all its dependencies: the value is valid until something is written */
    bool time_only;          /* it and all its dependencies change in time, but with no continuous state */
    bool may_be_fed;         /* it or a dependency reads an input that is not connected */
    unsigned char location;  /* where the value is read, at offset `at`: SAL__... */
} sal__output_slot;

/* The location of a computed output is the cache; that of other values is their partition, but q, v and z share one,
 * which each evaluation of the right-hand side sets: with three, Lorenz takes 10 % more time. */
enum { SAL__CONTINUOUS = SAL_Z, SAL__COMPUTED = SAL_PARTITIONS, SAL__LOCATIONS };
static inline int sal__location(int partition) {
    return partition > SAL_Z ? partition : SAL__CONTINUOUS;
}

/* An input: the output that it is connected to, with copies of its often-read members. If not connected: NULL, index
 * -1, the element of its fixed value, and a version that is never current. */
typedef struct sal__input_slot {
    const sal__output_slot *output;
    int source, part, at, size, version_index;
    unsigned char location;
    bool time_invariant;
} sal__input_slot;

/* An event in the plan, with the members of its config that every dispatch reads. */
typedef struct sal__planned_event {
    const sal_event_config *config;
    const sal_system *system;
    int part, index, time_variable;
    unsigned char trigger, kind;
    bool has_guard, on_zeno;
} sal__planned_event;

/* A number of the block that is a mode. */
typedef struct sal__mode {
    int at, count;
    bool may_be_unset; /* an input that may have no value yet */
} sal__mode;

/* The result of a build: one flat list of each kind, in the order of the parts. Events are numbered in declared
 * order inside their part: `rank` is their position in dispatch order (part, trigger, declaration). */
/* update_order.c computes it. */
typedef struct sal__update_order {
    int *level;                       /* of a part that follows its inputs; -1: it does not */
    int deepest_level;                /* -1: no part follows its inputs */
    int *start_level;                 /* the same at the start, of a part with a history too */
    int *start, start_count;          /* the events at the start with upstream_first, by start_level, then by level */
    int *history_part, history_count; /* the parts with a history, by start_level */
} sal__update_order;

struct sal__plan {
    int mode_count;
    sal__mode *mode;
    int part_count, output_count, input_count, slot_count, event_count;
    int size[SAL_PARTITIONS]; /* of the whole */
    int nx, nd, cache_size;   /* nx: q, v, z; nd: xd with the draws */
    sal__part *part;
    sal__output_slot *output_slot;
    sal__input_slot *input_slot;
    sal__planned_event *event;
    int *rank;
    sal__update_order order;
    int *slot_part; /* the part of a slot */
    int *reader;    /* parts that read outputs of part i: reader[reader_at[i]] up to before reader[reader_at[i + 1]] */
    int *reader_at; /* parts + 1 */
    sal__ints need;
    uint64_t layout_hash; /* models with the same layout can load each other's saved runs */
};

/* build.c: also builds a single part when its dependencies must be found. */
sal_status sal__system_build(sal_system *sys);

/* dependencies.c: finds what the outputs of a leaf read by computing them; then the dependencies in the plan. ELOOP:
 * an algebraic loop. */
sal_status sal__trace(sal_system *sys);
sal_status sal__plan_dependencies(sal_system *sys, sal__plan *plan);
/* Does the part, with everything upstream, have no continuous state? And does an input change? A part without inputs is
 * taken to change by itself. */
bool sal__depends_on_time_only(const sal__plan *plan, const sal__part *part);
bool sal__has_varying_inputs(const sal__plan *plan, const sal__part *part);

/* update_order.c: the levels of parts, and lists of their starts and their histories. */
sal_status sal__plan_levels(const sal_allocator *mem, sal__plan *plan);

/* plan.c: a plan with arrays of the sizes in `counts`; NULL: out of memory. */
sal__plan *sal__plan_new(const sal_allocator *mem, const sal__plan *counts);
void sal__plan_free(const sal_allocator *mem, sal__plan *plan);
uint64_t sal__layout_hash(const sal__plan *plan);

/* lockstep.c: refuses a system if lockstep is demanded, and the class of a part does not declare it. */
sal_status sal__check_lockstep(sal_system *sys);

/* Marks the system as taken from its caller; false if it was taken before. */
bool sal__system_take(sal_system *sys);

/* labels.c */
bool sal__is_doc(const char *text); /* NULL, or without control characters but for line ends and tabs */
/* Gives the value that was declared last labels that are static. */
void sal__label_last_value(sal_system *sys, const char *unit, const char *doc);
bool sal__has_value(const sal_system *sys, const char *name);
void sal__labels_free(const sal_allocator *mem, sal__labels *labels);
void sal__modes_free(const sal_allocator *mem, sal__value *value);

/* ---- contexts ---- */

typedef struct sal__context_data sal__context_data;
typedef struct sal__tracer sal__tracer;

/* A source on a walk, and how many of its dependencies were visited. */
typedef struct sal__visit {
    int source, need;
} sal__visit;

/* A part's view of the data. The public context of the whole is the view of part 0. */
struct sal_context {
    sal__context_data *data;
    const sal__part *layout;
    const sal__input_slot *input_slot; /* the part's */
    int part;
};

/* docs/architecture.md has a table of which change increments which version. */
typedef struct sal__versions {
    uint64_t
        stamp[2]; /* of values that are current: [0] increases with every change; [1], of time-invariant values, with */
                  /* changes of parameters, inputs and discrete state */
    uint64_t discrete;  /* counts changes of xd, parameters and draws */
    uint64_t *of_part;  /* by part: changes made by its own updates */
    uint64_t *of_value; /* the stamp of each cached value, followed by 0, which is never current */
    uint64_t external_writes, external_moves; /* counts of changes from outside; of those to continuous state */
} sal__versions;

struct sal__context_data {
    sal_allocator mem;
    const sal_system *system;
    const sal__plan *plan;
    double time;
    double *block; /* x | xd, each part's followed by its draws | params | inputs; one allocation */
    int block_size;
    double *storage[SAL_PARTITIONS]; /* where each partition is written; for q, v, z: x */
    /* Where values are read, by location. Those of q, v and z are in x, which may be an integrator's stage. A staged
     * context may show numbers of another one. */
    const double *source[SAL__LOCATIONS];
    uint64_t seed;
    int64_t draws_made;     /* random numbers that were drawn from this context */
    double *cache;          /* outputs' values */
    sal__visit *path;       /* sources that wait for their dependencies */
    int path_length, depth; /* depth: number of outputs being computed */
    sal__failures failures;
    sal__write_guard *write_guard; /* NULL: everything may be written */
    sal__tracer *tracer;           /* records what outputs read; NULL except during a build */
    sal__versions versions;
    void **slot;
    bool *slot_written;              /* slots written since staging began */
    const sal__context_data *origin; /* of a staged context: slots that were not written are read there */
    sal__delay_state *delay_state;   /* of the simulator that advances this context; else NULL */
    const sal__feed *feeds; /* by input of the plan, while time advances; NULL: inputs have their values in the block */
    sal_context *part_context;
    bool is_owned; /* by a simulator: no other one may take it */
};

/* Shows another x. */
static inline void sal__context_data_show_x(sal__context_data *data, const double *x) {
    data->source[SAL__CONTINUOUS] = x;
}
/* Sets another time and x temporarily; NULL: the x of the block. */
static inline void sal__context_data_look(sal__context_data *data, double t, const double *x) {
    data->time = t;
    sal__context_data_show_x(data, x ? x : data->block);
    data->versions.stamp[false]++;
    if (SAL__RARELY(data->feeds)) /* fed inputs change too, so time-invariant values may change */
        data->versions.stamp[true]++;
}
/* Marks that numbers other than continuous state were written. */
static inline void sal__context_data_touch(sal__context_data *data) {
    data->versions.stamp[false]++;
    data->versions.stamp[true]++;
    data->versions.discrete++;
}

/* Nothing has failed yet. */
static inline void sal__forget_failures(sal__context_data *data) {
    data->failures.read.status = SAL_OK;
    data->failures.part = -1;
}
/* evaluate.c: notes that a function of the model was refused a read. Returns `status`. */
sal_status sal__note_failed_read(const sal_context *ctx, sal_status status, sal__read_kind kind, int index, double at);

/* The stamp of a source whose value is current. */
static inline uint64_t sal__current_version(const sal__context_data *data, const sal__output_slot *s) {
    return data->versions.stamp[s->time_invariant];
}

/* Whether an input's value is available without computing it. */
static inline bool sal__is_in_place(const sal__context_data *data, const sal__input_slot *input) {
    return input->location != SAL__COMPUTED ||
           data->versions.of_value[input->version_index] == data->versions.stamp[input->time_invariant];
}

/* As sal_context_input, for a port that exists: for blocks, which call it often. */
sal_status sal__compute_input(const sal_context *ctx, const sal__input_slot *input, const double **value);
static inline sal_status sal__input(const sal_context *ctx, int port, const double **value) {
    const sal__input_slot *input = &ctx->input_slot[port];
    if (!sal__is_in_place(ctx->data, input))
        return sal__compute_input(ctx, input, value);
    *value = ctx->data->source[input->location] + input->at;
    return SAL_OK;
}

static inline const sal__slot *sal__slot_of(const sal__plan *plan, int slot) {
    const sal__part *part = &plan->part[plan->slot_part[slot]];
    return &part->system->slots.item[slot - part->slot_at];
}

/* As sal_context_discrete_version. */
static inline uint64_t sal__discrete_version(const sal_context *ctx) {
    return ctx->data->versions.discrete + ctx->data->versions.of_part[ctx->part];
}

/* As sal_context_get, of q, v or z. */
static inline const double *sal__continuous_partition(const sal_context *ctx, int partition) {
    return ctx->data->source[SAL__CONTINUOUS] + ctx->layout->at[partition];
}

/* As sal_context_get. */
static inline const double *sal__get(const sal_context *ctx, sal_partition partition) {
    if (partition <= SAL_Z)
        return sal__continuous_partition(ctx, (int)partition);
    return ctx->data->source[partition] + ctx->layout->at[partition];
}

sal_status sal__trace_input(sal__context_data *data, int port);
sal_status sal__trace_output(sal__context_data *data, int port, const double **value);

/* Returns how many q, v and z a leaf has. */
static inline int sal__continuous_size(const sal_system *sys) {
    return sys->size[SAL_Q] + sys->size[SAL_V] + sys->size[SAL_Z];
}

/* equations.c: of the mass matrix, if there is one */
size_t sal__mass_bytes(const sal_system *sys);

/* Copies all numbers and slots between two contexts of the same system. */
sal_status sal__context_data_assign(sal__context_data *to, const sal__context_data *from);

/* As sal_system_new; without behaviour it makes a diagram. */
sal_status sal__system_new(const sal_allocator *allocator, const sal_system_class *behaviour, const char *name,
                           void *data, sal_system **out);

/* prototype.c: makes a leaf with the declarations of `like`, which is frozen and must live as long as the copy is
 * used. Only the name, the data and the numbers (`defaults`, initially those of `like`) are its own. */
sal_status sal__system_from_prototype(sal_system *like, const char *name, void *data, sal_system **out);
void sal__free_copy_of_prototype(sal_system *copy);
/* Adds to such a copy an output that is a copy of numbers of a partition. ENOMEM. */
sal_status sal__copy_add_state_port(sal_system *copy, sal_partition partition, int at, int size, int *port);

/* Returns whether two leaves have the same declarations, except for the defaults of states and parameters. */
bool sal__system_is_like(const sal_system *a, const sal_system *b);

/* completeness.c: refuses a system, or a diagram with a part, whose class lacks a function that a declared state,
 * output or event calls. */
sal_status sal__check_complete(sal_system *sys);

#endif
