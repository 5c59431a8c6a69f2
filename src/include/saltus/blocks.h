/* Blocks: ready-made systems for diagrams. Their inputs are called `input` (or `input1`, `input2`, ...). Some have
 * other names, such as `target` and `measured` of pid. sal_system_find_input finds an input by its name. The output is
 * called `output`. `saltus help blocks` lists the kinds, and `saltus help pid` the options of pid. Options become
 * parameters of the context, which can be changed there. A `fixed` option does not become a parameter: it is used only
 * when the block is made.
 *
 *   sal_system *gain = NULL;
 *   sal_note note;
 *   const double two = 2;
 *   const sal_block_value values[] = {{.option = "gain", .numbers = &two, .count = 1}};
 *   sal_block_new(NULL, "gain", "k", values, 1, &note, &gain);
 *
 * One table describes each kind. The checks here, the Lua constructors, their help and the reference pages read it. */
#ifndef SALTUS_BLOCKS_H
#define SALTUS_BLOCKS_H

#include "system.h"

SAL_BEGIN_DECLARATIONS

typedef enum sal_option_type {
    SAL_OPTION_NUMBER,
    SAL_OPTION_COUNT,  /* a whole number, at least 1; with SAL_IS_NOT_NEGATIVE at least 0 */
    SAL_OPTION_FLAG,   /* 0 or 1 */
    SAL_OPTION_SIGNAL, /* one number for all elements of the signal, or one for each */
    SAL_OPTION_LIST,   /* numbers */
    SAL_OPTION_MATRIX, /* numbers, row by row */
    SAL_OPTION_CHOICE, /* one of the words in `words`; the parameter is the word's number, from 1 */
    SAL_OPTION_TEXT    /* characters out of `words` */
} sal_option_type;

/* Rules for numbers; without these they must be finite. */
enum {
    SAL_IS_POSITIVE = 1,
    SAL_IS_NOT_NEGATIVE = 2,
    SAL_MAY_BE_INFINITE = 4,
    SAL_IS_INCREASING = 8,
    SAL_MAY_BE_FUNCTION = 16, /* of time, in Lua */
    SAL_IS_LESS = 32          /* strictly less than the option that `not_above` names */
};

typedef struct sal_block_option {
    const char *name, *doc, *unit;
    sal_option_type type;
    int rules;
    bool required, fixed;
    double default_value;   /* the default; for a choice, the number of its word */
    const char *words;      /* choices with spaces between them, or characters */
    const char *characters; /* the default of a text */
    const char *not_above;  /* the option that it must not be greater than, element by element, or NULL */
} sal_block_option;

typedef struct sal_block_kind {
    const char *name, *doc;
    const char *law;     /* its equations as text */
    const char *drake;   /* the counterpart in Drake's systems/primitives, or NULL */
    const char *simbody; /* the corresponding measure of Simbody, or NULL */
    const char *units;   /* "position=m speed=m/s", or NULL */
    const char *example; /* in Lua, an expression */
    bool time_invariant; /* its outputs depend on time only through discrete state: sal_system_set_time_invariant */
    int alias_partition; /* 1 + the partition whose first numbers are the output; 0: the output is computed */
    const char *instead_of, *when_given; /* a variant of `instead_of`, used when option `when_given` is set */
    const sal_block_option *options;     /* ends with an entry whose name is NULL */
} sal_block_kind;

/* The value of an option. `rows`: those of a matrix; 0: as many as the block needs. */
typedef struct sal_block_value {
    const char *option;
    const double *numbers;
    int count, rows;
    const char *text;
} sal_block_value;

/* Return a kind by index from 0, or by name; NULL if there is none. Kinds are static. */
SAL_API const sal_block_kind *sal_block_at(int i);
SAL_API const sal_block_kind *sal_block_find(const char *kind);

/* Makes a block, which the caller frees with sal_system_free. EINVAL for a kind or an option that does not exist, or a
 * value that does not fit: `note` (may be NULL) says which, and blames `name`. ENOMEM. */
SAL_API sal_status sal_block_new(const sal_allocator *allocator, const char *kind, const char *name,
                                 const sal_block_value *values, int count, sal_note *note, sal_system **out);

/* For hosts that declare a block's values, outputs and events themselves. sal_block_class returns the class of a kind,
 * NULL if there is none. sal_block_mark_outputs marks the first `outputs` outputs as time-invariant or as aliases. */
SAL_API const sal_system_class *sal_block_class(const char *kind);
SAL_API sal_status sal_block_mark_outputs(const sal_block_kind *kind, sal_system *sys, int outputs);

/* ---- the most common blocks have functions of their own ---- */

/* output = value, `size` numbers. Parameter `value`. */
SAL_API sal_status sal_block_constant(const sal_allocator *allocator, const char *name, int size, const double *value,
                                      sal_system **out);

/* output = gain * input, element by element. Parameter `gain`. */
SAL_API sal_status sal_block_gain(const sal_allocator *allocator, const char *name, int size, double gain,
                                  sal_system **out);

/* output = the inputs, added or subtracted as `signs` says: "+-" is input1 - input2. */
SAL_API sal_status sal_block_sum(const sal_allocator *allocator, const char *name, int size, const char *signs,
                                 sal_system **out);

/* output = amplitude sin(frequency t + phase), rad/s and rad. Parameters by these names. */
SAL_API sal_status sal_block_sine(const sal_allocator *allocator, const char *name, double amplitude, double frequency,
                                  double phase, sal_system **out);

SAL_END_DECLARATIONS
#endif
