/* What blocks with memory have in common. */
#include "block.h"

sal_outcome sal__input_failed(sal_status status, sal_note *note) {
    char text[sizeof note->text] = "its input failed: ";
    strncat(text, sal_status_text(status), sizeof text - 1 - strlen(text));
    sal_note_set(note, text);
    return SAL_FAILED;
}

const double *sal__reject_sample(const char *why, sal_note *note) {
    sal_note_set(note, why);
    return NULL;
}
