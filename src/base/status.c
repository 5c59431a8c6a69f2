/* Texts of the statuses, and notes. */
#include <string.h>

#include "base.h"

/* By -status. */
static const char *const texts[] = {
    [-SAL_OK] = "ok",
    [-SAL_ENOMEM] = "out of memory",
    [-SAL_EINVAL] = "an argument is out of its range",
    [-SAL_ECALLBACK] = "a function of the model failed",
    [-SAL_ESTEP] = "the step size fell below its minimum",
    [-SAL_ENAN] = "a function of the model returned NaN",
    [-SAL_EZENO] = "events accumulate",
    [-SAL_EHANDLER] = "a handler or the monitor reported failure",
    [-SAL_ELOOP] = "an algebraic loop",
    [-SAL_ETIME] = "the time is in the past or NaN, or was changed without initialize",
    [-SAL_ESTATE] = "not possible now",
    [-SAL_EINPUT] = "an input is not connected and has no value",
    [-SAL_EOFF] = "the constraints cannot be met",
    [-SAL_EPAST] = "a delay is negative, or longer than its recorded past",
    [-SAL_EWATCH] = "the run has an armed watch that this simulator does not have",
    [-SAL_ESTORY] = "a run with stories can be copied only by sim:clone() in Lua",
};

const char *sal_status_text(sal_status status) {
    enum { COUNT = sizeof texts / sizeof *texts };
    if (status > 0)
        return status == SAL_RETRY ? "the step was too long" : "try a smaller step";
    return status > -COUNT ? texts[-status] : "unknown failure";
}

static bool continues_a_character(char byte) {
    return ((unsigned char)byte & 0xC0u) == 0x80u;
}

/* Copies as much of `text` as fits, never half a UTF-8 character. `text` may be inside `to`. */
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
