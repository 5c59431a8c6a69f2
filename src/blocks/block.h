/* What a block's file is made of: one sal__block, listed in registry.c. Its
 * options become parameters, in their order, before `declare` is called, except
 * the fixed ones; behaviour finds everything by those numbers and by the sizes
 * that were declared, so a block needs no data of its own. */
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

/* Defines a block: its table of options, its function `declare`, SAL_FUNCTIONS(.output = ..., ...), and what describes
 * it. */
#define SAL_BLOCK(block_name, option_table, declaring_function, functions, ...) \
    const sal__block sal__block_##block_name = {.kind = {.name = #block_name, .options = option_table, __VA_ARGS__}, \
                                                .behaviour = {.name = #block_name, functions}, \
                                                .declare = declaring_function}
#define SAL_FUNCTIONS(...) __VA_ARGS__

/* A row of the table of options: type, name, description, then what else holds. */
#define SAL_OPTION(option_type, ...) \
    { __VA_ARGS__, .type = SAL_OPTION_##option_type }

extern const sal__block *const sal__blocks[]; /* registry.c; NULL behind the last */

/* ---- declaring: what fails is remembered, the rest is then skipped ---- */

int sal__size(const sal__block_builder *b); /* of the signal */
void sal__refuse(sal__block_builder *b, const char *why);
/* The value that the user gave; NULL: none. */
const sal_block_value *sal__given(const sal__block_builder *b, const char *option);
bool sal__has_option(const sal__block_builder *b, const char *option);
/* The value of an option of the kind, given or not. */
const sal_block_value *sal__value_of(const sal__block_builder *b, const char *option);
double sal__number(const sal__block_builder *b, const char *option);

void sal__add_input(sal__block_builder *b, const char *name, int size); /* inputs before outputs */
/* `input` and `output`, of the signal's size. */
void sal__add_signal(sal__block_builder *b, bool direct);
void sal__add_inputs(sal__block_builder *b, int count, int size); /* input1, input2, ... */
void sal__add_numbered_input(sal__block_builder *b, int k, int size);
void sal__add_numbered_output(sal__block_builder *b, int k, int size);                /* direct */
void sal__add_output(sal__block_builder *b, const char *name, int size, bool direct); /* direct: it reads the inputs */
/* An output that reads one input port at once. */
void sal__add_output_of(sal__block_builder *b, const char *name, int size, int input);
/* Keeps the past of an input of that size as number 0, 1, ...; see sal_past_config, of which `config` may be NULL: the
 * default. `history` may have one number for all elements; NULL: none. */
void sal__add_input_history(sal__block_builder *b, const char *input, double depth, const sal_past_config *config,
                            const sal_block_value *history);
/* A state that is the integral of input 0: what it is for is that steps resolve the input. */
void sal__resolve_input(sal__block_builder *b);
sal_status sal__integrate_input(const sal_system *self, const sal_context *ctx, const sal_rates *dot);

/* A state; `from` may have one number for all of them, NULL: zeros. */
void sal__add_state(sal__block_builder *b, sal_partition partition, const char *name, int size,
                    const sal_block_value *from);
/* The defaults of what was declared last in a partition; NULL after a failure. */
double *sal__last_numbers(sal__block_builder *b, sal_partition partition, int size);
void sal__add_numbers(sal__block_builder *b, sal_partition partition, const char *name, int size, double each);

/* Each step, on demand. */
void sal__add_event(sal__block_builder *b, const char *name, sal_trigger trigger, sal_kind kind);
void sal__add_period(sal__block_builder *b, const char *name, sal_kind kind, double period, double offset);
void sal__add_samples(sal__block_builder *b);              /* a discrete update "sample", by SAL_PERIOD_OPTIONS */
void sal__add_start(sal__block_builder *b, sal_kind kind); /* at initialization */
void sal__add_timed(sal__block_builder *b, const char *name, sal_kind kind, int variable); /* -1: by next_time */
void sal__add_witness(sal__block_builder *b, const char *name, sal_kind kind, sal_direction direction, int count);
/* Of more than kind and direction. */
void sal__add_witnesses(sal__block_builder *b, const char *name, sal_event_config config, int count);
/* For memory that follows an input: "start" and "settle", events 0 and 1. Witnesses see what flows across a border;
 * `settle` answers what jumps across: its next_time is now while memory and input disagree, else never. */
void sal__add_settle_events(sal__block_builder *b, sal_kind kind);
enum { SAL__START, SAL__SETTLE, SAL__FIRST_OWN_EVENT };

/* ---- behaviour ---- */

/* As sal_context_get: blocks are evaluated often, so no call is made. */
static inline const double *sal__get(const sal_context *ctx, sal_partition partition) {
    const sal__context_data *data = ctx->data;
    return (partition <= SAL_Z ? data->x_source[SAL__IN_X] : data->partition_source[partition]) +
           ctx->layout->at[partition];
}

/* As sal_context_edit. */
static inline double *sal__edit(sal_context *next, sal_partition partition) {
    sal__context_data *data = next->data;
    sal__context_data_touch(data);
    data->versions.external_writes++;
    return data->storage[partition] + next->layout->at[partition];
}

/* Numbers of which there is one for all elements, or one for each. */
typedef struct sal__numbers {
    const double *from;
    int step;
} sal__numbers;

static inline double sal__at(sal__numbers n, int i) {
    return n.from[i * n.step];
}

/* Parameters are declared first: number k is value k. */
static inline const double *sal__param(const sal_system *self, const sal_context *ctx, int k) {
    return sal__get(ctx, SAL_PARAM) + self->values.item[k].at;
}

static inline int sal__param_size(const sal_system *self, int k) {
    return self->values.item[k].size;
}

static inline sal__numbers sal__param_each(const sal_system *self, const sal_context *ctx, int k) {
    return (sal__numbers){sal__param(self, ctx, k), sal__param_size(self, k) > 1};
}

/* The same for a block with one parameter: a chain of them touches no declarations. */
static inline sal__numbers sal__only_param(const sal_context *ctx) {
    return (sal__numbers){sal__get(ctx, SAL_PARAM), ctx->layout->size[SAL_PARAM] > 1};
}

static inline double sal__clamp(double x, double lower, double upper) {
    return x < lower ? lower : x > upper ? upper : x;
}

static inline double sal__sign(double x) {
    return (double)((x > 0) - (x < 0));
}

/* Zero belongs to the side that a memory is on: who begins exactly on a border and leaves it is then seen to cross. */
static inline double sal__resolve_zero(double by, bool positive) {
    return by != 0 ? by : positive ? 0x1p-1022 : -0x1p-1022;
}

/* A stage of a step, or what lies in one: not where a context stands. */
static inline bool sal__is_inside_a_step(const sal_context *ctx) {
    return ctx->data->x_source[SAL__IN_X] != ctx->data->block;
}

/* Infinity for a settled memory, now for one that is not. */
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

/* Writes an output from numbers: all of them, or one for each element. */
sal_status sal__spread(sal__numbers from, int size, double *y);
/* Writes an output of one of two: by element, as a state is not 0 or 0. */
sal_status sal__spread_either(const double *state, sal__numbers when_set, sal__numbers otherwise, int size, double *y);

/* The next_time of a memory that follows input 0, element by element. */
typedef bool (*sal__is_settled)(const sal_system *self, const sal_context *ctx, int i, double u);
sal_status sal__settle_each(const sal_system *self, const sal_context *ctx, int size, sal__is_settled is_settled,
                            double *t);

/* What an update returns when its input failed, with the reason in the note. */
sal_outcome sal__input_failed(sal_status status, sal_note *note);

/* An input for an update to keep; NULL, with the reason in the note, if it fails or is NaN: a memory must not become
 * NaN. */
const double *sal__reject_sample(const char *why, sal_note *note);
static inline const double *sal__sample_input(const sal_context *ctx, int port, sal_note *note) {
    const double *u = NULL;
    const sal_status status = sal__input(ctx, port, &u);
    if (status != SAL_OK) {
        sal__input_failed(status, note);
        return NULL;
    }
    int left = ctx->input_slot[port].size;
    do {
        left--;
        if (isnan(u[left]))
            return sal__reject_sample("its input is NaN", note);
    } while (left > 0);
    return u;
}

/* An update that keeps input 0 in a partition, which has nothing else. */
sal_outcome sal__keep_input(const sal_context *ctx, sal_context *next, sal_partition partition, sal_note *note);

/* The option that nearly all of them have. */
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
