/* Inside the model: what a system declares, the plan that a build makes of it,
 * and the store that a context's windows look at. Engine and blocks may look;
 * nobody outside of the library can. */
#ifndef SAL_MODEL_H
#define SAL_MODEL_H

#include "base/base.h"
#include "feed.h"
#include "name_table.h"
#include "model/delay/delay_state.h"
#include "saltus/diagram.h"

typedef SAL_LIST(int) sal__ints;

typedef struct sal__value {
    char *name;
    sal_partition partition;
    int at, size;   /* elements of its partition */
    int mode_count; /* how many words it may be, a whole number from 1; 0: it is any number */
    uint64_t mode_hash;
} sal__value;

typedef struct sal__output {
    char *name;
    int size;
    bool time_invariant; /* declared so: see sal_system_set_time_invariant */
    bool needs_known;    /* what it reads at once: */
    sal__ints inputs, outputs;
    bool is_alias; /* numbers of a partition, from there on */
    sal_partition partition;
    int at;
} sal__output;

typedef struct sal__slot {
    char *name;
    const sal_slot_type *type;
} sal__slot;

typedef struct sal__member {
    sal_system *system;
    char *name;
    bool *is_connected; /* which inputs have a wire */
    int input_count;
} sal__member;

typedef struct sal__wire {
    int from, output, to, input;
} sal__wire;

typedef struct sal__plan sal__plan;

/* The columns of a system's past, how wide they are together, and the slot that holds them. */
typedef struct sal__histories {
    SAL_LIST(sal__history) columns;
    int width, slot;
} sal__histories;

/* Tables of names; among the values are slots too. */
typedef struct sal__names {
    sal__name_table values, outputs, members, events;
} sal__names;

struct sal_system {
    sal_allocator mem;
    const sal_system_class *behaviour; /* NULL: a diagram */
    char *name;
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
    SAL_LIST(sal__member) members;
    SAL_LIST(sal__wire) wires;
    sal__ints inputs; /* the values that are inputs, by port */
    sal__names names;
    sal__ints loop_outputs;                      /* sources for which the build failed */
    int constraint_count, constraint_rate_count; /* how many of each */
    double *mass;                                /* of all of x, by rows; NULL: the identity */
    bool has_prototype;                          /* most of it is borrowed: prototype.c */
    bool is_frozen;                              /* built, or a part of what is built: it changes no more */
    sal__plan *plan;                             /* NULL until built */
};

typedef struct sal__range {
    int at, size;
} sal__range;

/* A part in the plan: where its numbers, ports, slots and events begin. */
typedef struct sal__part {
    const sal_system *system; /* first, in a cache line, what every update of it looks at */
    sal__range discrete;      /* what discrete updates may write: xd, and behind it the part's draws */
    int at[SAL_PARTITIONS];   /* q, v, z: in the whole x; the others in their own partition */
    int input_count, input_at;
    int size[SAL_PARTITIONS];
    sal__range range[5]; /* of the block: what updates may write, from end to end */
    int range_count, slot_at, output_at, event_at;
    const char *name;
} sal__part;

/* An output of some part, and where its value is kept. */
typedef struct sal__output_slot {
    const sal_system *system;
    sal_status (*output)(const sal_system *self, const sal_context *ctx, int port, double *value);
    int part, port, size, at;
    int need_at, need_count; /* sources to be computed before it */
    bool time_invariant;     /* it and all that it needs: its value holds until something is written */
    bool time_only;          /* likewise: nothing that flows moves it, but for the time */
    unsigned char location;  /* where it is read, `at` numbers behind: SAL__... */
} sal__output_slot;

/* The location of an output that is computed, into the cache; that of others is a partition. */
enum { SAL__COMPUTED = SAL_PARTITIONS, SAL__LOCATIONS };

/* An input: the output that it is connected to, with what is read often of it; or none (NULL, and -1 as its index), the
 * element of its fixed value, and a version that is never current. */
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

/* A number of the block that is one of several words. */
typedef struct sal__mode {
    int at, count;
    bool may_be_unset; /* an input that has no value yet */
} sal__mode;

/* What build makes: one flat list of each kind, in the order of the parts.
 * Events are numbered in declared order inside their part: `rank` is their
 * place in a dispatch (part, trigger, declaration). */
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
    int *slot_part; /* whose a slot is */
    int *reader;    /* parts that read outputs of part i: reader[reader_at[i]] up to reader[reader_at[i + 1]] */
    int *reader_at; /* parts + 1 */
    sal__ints need;
    uint64_t layout_hash; /* models of one layout can load each other's saved runs */
};

/* build.c: also builds a part for itself, when its dependencies must be found. */
sal_status sal__system_build(sal_system *sys);

/* dependencies.c: finds what the outputs of a leaf read by computing them; then those of the plan. ELOOP: they need each
 * other in a circle. */
sal_status sal__trace(sal_system *sys);
sal_status sal__plan_dependencies(sal_system *sys, sal__plan *plan);

/* plan.c: a plan with arrays of as many elements as `counts` says; NULL: there is no memory. */
sal__plan *sal__plan_new(const sal_allocator *mem, const sal__plan *counts);
void sal__plan_free(const sal_allocator *mem, sal__plan *plan);
uint64_t sal__layout_hash(const sal__plan *plan);

bool sal__is_name(const char *name); /* not NULL, and without control characters */

/* ---- contexts ---- */

typedef struct sal__context_data sal__context_data;
typedef struct sal__tracer sal__tracer;

/* A source on a walk, and how many of its needs were looked at. */
typedef struct sal__visit {
    int source, need;
} sal__visit;

/* A part's window onto the root. The public whole context is the window of part 0. */
struct sal_context {
    sal__context_data *data;
    const sal__part *layout;
    const sal__input_slot *input_slot; /* the part's */
    int part;
};

/* Who bumps what: docs/architecture.md has the table. */
typedef struct sal__versions {
    uint64_t
        stamp[2]; /* of values that are up to date: [0] new with every change; [1], of time-invariant values, with */
                  /* changes of what does not flow */
    uint64_t discrete;  /* counts changes of what does not flow: xd, params; */
    uint64_t *of_part;  /* and, by part, those that its updates made */
    uint64_t *of_value; /* the stamp of each cached value; behind them 0, which is never up to date */
    uint64_t external_writes, external_moves; /* count changes from outside; those of what flows */
} sal__versions;

struct sal__context_data {
    sal_allocator mem;
    const sal_system *system;
    const sal__plan *plan;
    double time;
    double *block; /* x | xd, each part's with its draws behind | params | inputs; one allocation */
    int block_size;
    double *storage[SAL_PARTITIONS]; /* where each partition is written; q v z: x */
    /* Where values are read, by location. Those of q, v and z are the same: all of x, which may be an integrator's stage.
     * A staged context may show numbers of another one. */
    const double *source[SAL__LOCATIONS];
    uint64_t seed;
    double *cache;          /* outputs' values */
    sal__visit *path;       /* sources that wait for their needs */
    int path_length, depth; /* depth: outputs that are being computed */
    int failed_part;        /* the part whose output failed first since this was -1 */
    sal__tracer *tracer;    /* notes what outputs read; NULL except during a build */
    sal__versions versions;
    void **slot;
    bool *slot_written;              /* slots written since staging began */
    const sal__context_data *origin; /* of a staged context: unedited slots are read there */
    sal__delay_state *delay_state;   /* of the simulator that advances it; NULL: none, or another context of its */
    const sal__feed *feeds; /* by input of the plan, while time moves; NULL: inputs stand as they are in the block */
    sal_context *part_context;
};

/* Shows another x. */
static inline void sal__context_data_show_x(sal__context_data *data, const double *x) {
    data->source[SAL_Q] = data->source[SAL_V] = data->source[SAL_Z] = x;
}
/* Shows another time and x for a while; NULL: the x of the block. */
static inline void sal__context_data_look(sal__context_data *data, double t, const double *x) {
    data->time = t;
    sal__context_data_show_x(data, x ? x : data->block);
    data->versions.stamp[false]++;
    if (data->feeds) /* what reads parameters and inputs alone moves too */
        data->versions.stamp[true]++;
}
/* Numbers were written that do not flow. */
static inline void sal__context_data_touch(sal__context_data *data) {
    data->versions.stamp[false]++;
    data->versions.stamp[true]++;
    data->versions.discrete++;
}

/* The stamp that a source has while its value is that of the context as it is. */
static inline uint64_t sal__current_version(const sal__context_data *data, const sal__output_slot *s) {
    return data->versions.stamp[s->time_invariant];
}

/* Whether an input's value need not be computed. */
static inline bool sal__is_in_place(const sal__context_data *data, const sal__input_slot *input) {
    return input->location != SAL__COMPUTED ||
           data->versions.of_value[input->version_index] == data->versions.stamp[input->time_invariant];
}

/* An input's value where it need not be computed; NULL: it does, or nothing feeds it. */
static inline const double *sal__value_in_place(const sal_context *ctx, int port) {
    const sal__input_slot *input = &ctx->input_slot[port];
    return sal__is_in_place(ctx->data, input) ? ctx->data->source[input->location] + input->at : NULL;
}

/* As sal_context_input, of a port that there is: for blocks, which ask often. */
sal_status sal__compute_input(const sal_context *ctx, const sal__input_slot *input, const double **value);
static inline sal_status sal__input(const sal_context *ctx, int port, const double **value) {
    const sal__input_slot *input = &ctx->input_slot[port];
    if (!sal__is_in_place(ctx->data, input))
        return sal__compute_input(ctx, input, value);
    *value = ctx->data->source[input->location] + input->at;
    return SAL_OK;
}

/* As sal_context_discrete_version. */
static inline uint64_t sal__discrete_version(const sal_context *ctx) {
    return ctx->data->versions.discrete + ctx->data->versions.of_part[ctx->part];
}

/* As sal_context_get, of q, v or z. */
static inline const double *sal__continuous_partition(const sal_context *ctx, int partition) {
    return ctx->data->source[SAL_Q] + ctx->layout->at[partition];
}

/* As sal_context_get. */
static inline const double *sal__get(const sal_context *ctx, sal_partition partition) {
    return ctx->data->source[partition] + ctx->layout->at[partition];
}

sal_status sal__trace_input(sal__context_data *data, int port);
sal_status sal__trace_output(sal__context_data *data, int port, const double **value);

static inline bool sal__is_open_leaf(const sal_system *sys) {
    return sys && sys->behaviour && !sys->is_frozen;
}

/* Returns how many q, v and z a leaf has. */
static inline int sal__continuous_size(const sal_system *sys) {
    return sys->size[SAL_Q] + sys->size[SAL_V] + sys->size[SAL_Z];
}

/* Copies all numbers and slots of one context of the same system to another. */
sal_status sal__context_data_assign(sal__context_data *to, const sal__context_data *from);

/* As sal_system_new; without behaviour it is a diagram. */
sal_status sal__system_new(const sal_allocator *allocator, const sal_system_class *behaviour, const char *name,
                           void *data, sal_system **out);

/* prototype.c: makes a leaf with the declarations of `like`, which is frozen and must live as long as the copy is used.
 * Only the name, the data and the numbers (`defaults`, at first those of `like`) are its own. */
sal_status sal__system_from_prototype(sal_system *like, const char *name, void *data, sal_system **out);
void sal__free_copy_of_prototype(sal_system *copy);

/* Returns whether two leaves declare the same, but for the defaults of states and parameters. */
bool sal__system_is_like(const sal_system *a, const sal_system *b);

/* system_query.c: returns whether the class has all functions that the declared states, outputs and events call. */
bool sal__system_is_complete(const sal_system *sys);

#endif
