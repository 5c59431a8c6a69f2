/* What was refused of a system, in a sentence that names the system, the thing and the remedy. Internal to the
 * model. */
#ifndef SAL_TROUBLE_H
#define SAL_TROUBLE_H

#include "base/sentence.h"
#include "saltus/system.h"

typedef struct sal__refusal {
    sal_note note;
    bool of_declaration; /* false: of a build, or of a simulator */
} sal__refusal;

/* Notes the refusal of a declaration, unless there was one before: later ones often follow from the first. Returns
 * SAL_EINVAL. `sys` may be NULL. */
sal_status sal__refuse_declaration(sal_system *sys, const char *const *pieces);
#define SAL__REFUSE(sys, ...) sal__refuse_declaration((sys), SAL__PIECES(__VA_ARGS__))

/* Notes why a system cannot be built or simulated. The refusal of a declaration, which came first, remains. Returns
 * `status`. */
sal_status sal__refuse_use(sal_system *sys, sal_status status, const char *const *pieces);

/* Refuses what cannot be declared: the system is NULL, a diagram, or built. `what`: "values". */
sal_status sal__check_open(sal_system *sys, const char *what);
sal_status sal__check_open_leaf(sal_system *sys, const char *what);
/* Refuses an output that does not exist, too. */
sal_status sal__check_output(sal_system *sys, const char *what, int output);
/* Refuses a name that is NULL, empty or has control characters, or is among those that are known. `what`: "a value". */
struct sal__name_table;
sal_status sal__check_new_name(sal_system *sys, const char *what, const char *name,
                               const struct sal__name_table *known);
/* Refuses what paths cannot reach, too: parts may be called "arm.hand", nothing in them may. */
sal_status sal__check_new_leaf_name(sal_system *sys, const char *what, const char *name,
                                    const struct sal__name_table *known);
/* "; did you mean "height"?" */
typedef struct sal__hint {
    char text[64];
} sal__hint;
sal__hint sal__hint_of(const struct sal__name_table *known, const char *name);

void sal__trouble_free(const sal_allocator *mem, sal__refusal *refusal);

#endif
