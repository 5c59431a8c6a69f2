/* Texts of the statuses, and notes. */
#include <string.h>

#include "base.h"

const char *sal_status_text(sal_status status) {
    switch (status) {
    case SAL_OK:
        return "ok";
    case SAL_RETRY:
        return "the step was too long";
    case SAL_ENOMEM:
        return "out of memory";
    case SAL_EINVAL:
        return "an argument is out of its range";
    case SAL_ECALLBACK:
        return "a function of the model failed";
    case SAL_ESTEP:
        return "the step size fell below its minimum";
    case SAL_ENAN:
        return "a function of the model answered NaN";
    case SAL_EZENO:
        return "events accumulate";
    case SAL_EHANDLER:
        return "a handler or the monitor reported failure";
    case SAL_ELOOP:
        return "an algebraic loop";
    case SAL_ETIME:
        return "time cannot do that";
    case SAL_ESTATE:
        return "not possible now";
    case SAL_EINPUT:
        return "an input is not connected and has no value";
    case SAL_EOFF:
        return "the constraints cannot be met";
    case SAL_EPAST:
        return "a delay is negative, or longer than its past is kept";
    default:
        return status > 0 ? "try a smaller step" : "unknown failure";
    }
}

static bool continues_a_character(char byte) {
    return ((unsigned char)byte & 0xC0u) == 0x80u;
}

/* As much of `text` as fits, never half a UTF-8 character. The text may lie in `to`. */
static void copy_cut(char *to, size_t room, const char *text) {
    if (!text)
        text = "";
    size_t length = strlen(text);
    if (length >= room) {
        length = room - 1;
        while (length > 0 && continues_a_character(text[length]))
            length--;
    }
    memmove(to, text, length);
    to[length] = '\0';
}

void sal_note_set(sal_note *note, const char *text) {
    if (note)
        copy_cut(note->text, sizeof note->text, text);
}

void sal_note_blame(sal_note *note, const char *path) {
    if (note)
        copy_cut(note->blame, sizeof note->blame, path);
}
