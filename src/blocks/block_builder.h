/* A block under construction: its options' values and its system. */
#ifndef SAL_BLOCK_BUILDER_H
#define SAL_BLOCK_BUILDER_H

#include "block.h"

enum { MAX_OPTIONS = 16 };

struct sal__block_builder {
    const sal__block *block;
    sal_system *sys;
    sal_status status;
    sal_note *note;
    int size;
    sal_block_value value[MAX_OPTIONS]; /* in the order of the options */
    bool is_given[MAX_OPTIONS];
};

void sal__fail(sal__block_builder *b, sal_status status);                          /* status of the first failure */
void sal__refuse_option(sal__block_builder *b, const char *name, const char *why); /* "option <name> <why>" */

/* Element i of a value that has one number for all elements, or one for each. */
static inline double sal__value_at(const sal_block_value *v, int i) {
    return v->numbers[v->count > 1 ? i : 0];
}

#endif
