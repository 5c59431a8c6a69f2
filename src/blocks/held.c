/* What blocks with memory have in common. */
#include "block.h"

const double *sal__no_sample(const char *why, sal_note *note) {
    sal_note_set(note, why);
    return NULL;
}
