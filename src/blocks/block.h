/* A block is one sal__block in a file of its own, with an entry in registry.c. Its options become parameters, in
 * their order, before `declare` is called, except those that are `fixed`. The behaviour uses only the numbers and
 * sizes that were declared, so a block needs no data of its own. */
#ifndef SAL_BLOCK_H
#define SAL_BLOCK_H

#include <math.h>
#include <string.h>

#include "model/model.h"
#include "saltus/blocks.h"

typedef struct sal__block_builder sal__block_builder;

typedef struct sal__block {
    sal_block_kind kind;
    sal_system_class behaviour;
    void (*declare)(sal__block_builder *b);
} sal__block;

/* Defines a block: SAL_OPTIONS(...), its function `declare`, SAL_FUNCTIONS(.output = ..., ...), and its description. */
#define SAL_BLOCK(block_name, option_table, declaring_function, functions, ...) \
    const sal__block sal__block_##block_name = {.kind = {.name = #block_name, .options = option_table, __VA_ARGS__}, \
                                                .behaviour = {.name = #block_name, .lockstep = true, functions}, \
                                                .declare = declaring_function}
#define SAL_FUNCTIONS(...) __VA_ARGS__
#define SAL_OPTIONS(...) ((const sal_block_option[]){__VA_ARGS__, {0}})

/* An option: its type, name and description, then other fields of sal_block_option. */
#define SAL_OPTION(option_type, ...) \
    { __VA_ARGS__, .type = SAL_OPTION_##option_type }

extern const sal__block *const sal__blocks[]; /* registry.c; NULL after the last one */

/* ---- what `declare` reads ---- */

int sal__size(const sal__block_builder *b); /* of the signal */
bool sal__has_option(const sal__block_builder *b, const char *option);
/* The value of an option, or its default. The option must exist. */
const sal_block_value *sal__value_of(const sal__block_builder *b, const char *option);
double sal__number(const sal__block_builder *b, const char *option);
/* The value of an option; NULL if it has none. */
const sal_block_value *sal__given(const sal__block_builder *b, const char *option);

/* ---- what `declare` declares: after a failure, the functions do nothing ---- */

void sal__refuse(sal__block_builder *b, const char *why);

/* Inputs come before outputs. */
void sal__add_input(sal__block_builder *b, const char *name, int size);
void sal__add_inputs(sal__block_builder *b, int count, int size); /* input1, input2, ... */
void sal__add_numbered_input(sal__block_builder *b, int k, int size);
/* A direct output depends on all inputs. */
void sal__add_output(sal__block_builder *b, const char *name, int size, bool direct);
void sal__add_output_of(sal__block_builder *b, const char *name, int size, int input); /* it depends on one of them */
void sal__add_numbered_output(sal__block_builder *b, int k, int size);                 /* direct */
void sal__add_signal(sal__block_builder *b, bool direct);                              /* `input` and `output` */

/* Declare a whole block: `output` only (a source); `input` and a direct `output`; the same with a state z that is
 * the output, or determines it, and has the initial value of option "initial". */
void sal__declare_source(sal__block_builder *b);
void sal__declare_direct(sal__block_builder *b);
void sal__declare_state(sal__block_builder *b);

/* Keeps the past of an input as number 0, 1, ... `config` NULL: the default. `history` NULL: none. */
void sal__add_input_history(sal__block_builder *b, const char *input, double depth, const sal_past_config *config,
                            const sal_block_value *history);
/* Outputs depend on the input of this past through the past alone. */
void sal__declare_whole_delay(sal__block_builder *b, int past);
/* A state that is the integral of input 0, so that error control resolves the input; and its derivative. */
void sal__resolve_input(sal__block_builder *b);
sal_status sal__integrate_input(const sal_system *self, const sal_context *ctx, const sal_rates *dot);

/* `from` has one number for all elements, or one for each; NULL: zeros. */
void sal__add_state(sal__block_builder *b, sal_partition partition, const char *name, int size,
                    const sal_block_value *from);
void sal__add_numbers(sal__block_builder *b, sal_partition partition, const char *name, int size, double each);
/* The last `size` defaults of a partition; NULL after a failure. */
double *sal__last_numbers(sal__block_builder *b, sal_partition partition, int size);

void sal__add_event(sal__block_builder *b, const char *name, sal_trigger trigger, sal_kind kind);
void sal__add_period(sal__block_builder *b, const char *name, sal_kind kind, double period, double offset);
void sal__add_samples(sal__block_builder *b); /* a discrete update "sample", with the timing of SAL_PERIOD_OPTIONS */
void sal__add_start(sal__block_builder *b, sal_kind kind);  /* at initialization */
void sal__add_settle(sal__block_builder *b, sal_kind kind); /* where next_time is now: an input jumped */
void sal__add_timed(sal__block_builder *b, const char *name, sal_kind kind, int variable); /* -1: by next_time */
void sal__add_witness(sal__block_builder *b, const char *name, sal_kind kind, sal_direction direction, int count);
void sal__add_witnesses(sal__block_builder *b, const char *name, sal_event_config config, int count);
/* Events 0 and 1, "start" and "settle", of a discrete state that follows an input. Witnesses detect that a
 * continuous input crosses a border; "settle" handles an input that jumps across. Its next_time is now while state
 * and input disagree. */
void sal__add_settle_events(sal__block_builder *b, sal_kind kind);
enum { SAL__START, SAL__SETTLE, SAL__FIRST_OWN_EVENT };

/* ---- behaviour ---- */

/* One number for all elements, or one for each. */
typedef struct sal__numbers {
    const double *from;
    int step;
} sal__numbers;

static inline double sal__at(sal__numbers n, int i) {
    return n.from[i * n.step];
}

/* Parameters are declared first: parameter k is value k. */
static inline const double *sal__param(const sal_system *self, const sal_context *ctx, int k) {
    return sal__get(ctx, SAL_PARAM) + self->values.item[k].at;
}

static inline int sal__param_size(const sal_system *self, int k) {
    return self->values.item[k].size;
}

static inline sal__numbers sal__param_each(const sal_system *self, const sal_context *ctx, int k) {
    return (sal__numbers){sal__param(self, ctx, k), sal__param_size(self, k) > 1};
}

/* The same for a block with one parameter, without a read of the system: saves 6 % on a chain of 1000 gains. */
static inline sal__numbers sal__only_param(const sal_context *ctx) {
    return (sal__numbers){sal__get(ctx, SAL_PARAM), ctx->layout->size[SAL_PARAM] > 1};
}

static inline double sal__clamp(double x, double lower, double upper) {
    return x < lower ? lower : x > upper ? upper : x;
}

static inline double sal__sign(double x) {
    return (double)((x > 0) - (x < 0));
}

/* A witness whose value is zero has the sign of the discrete state, so that a signal that starts on a border and
 * leaves it crosses. */
static inline double sal__resolve_zero(double by, bool positive) {
    return by != 0 ? by : positive ? 0x1p-1022 : -0x1p-1022;
}

/* Whether this is the end of a step at which a delayed jump arrives, as events read it. */
static inline bool sal__is_behind_jump(const sal_context *ctx) {
    const sal__delay_state *m = ctx->data->delay_state;
    return m && !m->is_tracking && ctx->data->time >= m->readers.arrival;
}

/* Whether this is a stage of a step, or a point inside one. */
static inline bool sal__is_inside_a_step(const sal_context *ctx) {
    return ctx->data->source[SAL__CONTINUOUS] != ctx->data->block && !sal__is_behind_jump(ctx);
}

/* The next_time of "settle". */
static inline double sal__settle_time(const sal_context *ctx, bool settled) {
    return settled ? HUGE_VAL : sal_context_time(ctx);
}

static inline sal_status sal__copy_input(const sal_context *ctx, int port, double *to, int size) {
    const double *u = NULL;
    const sal_status status = sal__input(ctx, port, &u);
    if (status == SAL_OK)
        memcpy(to, u, sizeof *to * (size_t)size);
    return status;
}

/* Writes an output from numbers. */
sal_status sal__spread(sal__numbers from, int size, double *y);
/* Writes an output from one of two, element by element: `state` is 0 or not. */
sal_status sal__spread_either(const double *state, sal__numbers when_set, sal__numbers otherwise, int size, double *y);

/* The next_time of "settle" for a state that follows input 0 element by element: SAL_SETTLED_IF(is_settled) among the
 * SAL_FUNCTIONS, or a class whose data begins with a sal__follower. */
typedef struct sal__follower {
    bool (*is_settled)(const sal_system *self, const sal_context *ctx, int i, double u);
} sal__follower;
sal_status sal__settle(const sal_system *self, const sal_context *ctx, int event, double *t);
#define SAL_SETTLED_IF(function) \
    .next_time = sal__settle, .data = &(const sal__follower) { \
        function \
    }

/* The outcome of an update whose input failed: the engine writes which one, and why, to the note. */
sal_outcome sal__input_failed(sal_status status, sal_note *note);

/* Returns an input for an update to store. If the input fails or is NaN, which is not allowed in a state, it returns
 * NULL and writes the reason to the note. */
const double *sal__reject_sample(const char *why, sal_note *note);
static inline const double *sal__sample_input(const sal_context *ctx, int port, sal_note *note) {
    const double *u = NULL;
    const sal_status status = sal__input(ctx, port, &u);
    if (SAL__RARELY(status != SAL_OK)) {
        sal__input_failed(status, note);
        return NULL;
    }
    for (int i = 0, size = ctx->input_slot[port].size; i < size; i++)
        if (SAL__RARELY(isnan(u[i])))
            return sal__reject_sample("its input is NaN", note);
    return u;
}

/* An update that computes discrete state from input 0, by a function `sample`: SAL_SAMPLED_BY(sample) among the
 * SAL_FUNCTIONS. `to` starts with the previous values. */
typedef struct sal__sampler {
    void (*sample)(const sal_system *self, const sal_context *ctx, const sal_event *event, const double *u, double *to);
} sal__sampler;
sal_outcome sal__sample(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note);
#define SAL_SAMPLED_BY(function) \
    .update = sal__sample, .data = &(const sal__sampler) { \
        function \
    }

/* An update that stores input 0 in a partition, which contains nothing else. */
sal_outcome sal__keep_input(const sal_context *ctx, sal_context *next, sal_partition partition, sal_note *note);

/* ---- options that many blocks have ---- */

/* Minus infinity as a constant; tcc cannot negate infinity in one. */
#ifdef __TINYC__
#define SAL_NO_LOWER_LIMIT (-1 / 0.0)
#else
#define SAL_NO_LOWER_LIMIT (-HUGE_VAL)
#endif

#define SAL_SIZE_OPTION SAL_OPTION(COUNT, "size", "elements of the signal", .fixed = true, .default_value = 1)
#define SAL_PERIOD_OPTIONS \
    SAL_OPTION(NUMBER, "period", "time between samples", .unit = "s", .required = true, .fixed = true, \
               .rules = SAL_IS_POSITIVE), \
        SAL_OPTION(NUMBER, "offset", "time of the first sample", .unit = "s", .fixed = true)
#define SAL_RESOLVE_OPTION \
    SAL_OPTION(FLAG, "resolve", \
               "integrate the input, so that the steps resolve it; false: other states do, or it only jumps", \
               .fixed = true, .default_value = 1)
#define SAL_WATCH_OPTION \
    SAL_OPTION(FLAG, "watch", "steps end at the corners; false: for outputs that are read at samples only", \
               .fixed = true, .default_value = 1)

#endif
