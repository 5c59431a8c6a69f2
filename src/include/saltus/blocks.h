/* Blocks: systems ready made, to be added to a diagram. Inputs are `input` (or
 * `input1`, `input2`, ...), the output is `output`. What a block is told here is
 * a parameter of its context afterwards, so that it can be changed there. */
#ifndef SALTUS_BLOCKS_H
#define SALTUS_BLOCKS_H

#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* output = value, `size` numbers. Parameter `value`. */
SAL_API sal_status sal_block_constant(const sal_allocator *allocator, const char *name, int size, const double *value,
                                      sal_system **out);

/* output = gain * input, element by element. Parameter `gain`. */
SAL_API sal_status sal_block_gain(const sal_allocator *allocator, const char *name, int size, double gain,
                                  sal_system **out);

/* output = the inputs, added or subtracted as `signs` says: "+-" is input1 - input2. Parameter `signs`. */
SAL_API sal_status sal_block_sum(const sal_allocator *allocator, const char *name, int size, const char *signs,
                                 sal_system **out);

/* output = amplitude sin(frequency t + phase), rad/s and rad. Parameters by these names. */
SAL_API sal_status sal_block_sine(const sal_allocator *allocator, const char *name, double amplitude, double frequency,
                                  double phase, sal_system **out);

#ifdef __cplusplus
}
#endif
#endif
