/* Refusals in words. */
#include "model.h"

#include <string.h>

#include "base/near_name.h"

static const char *const no_system =
    "there is no system: the pointer is NULL. sal_system_new and sal_diagram_new refuse a class or name that is NULL, "
    "and a name with control characters; look at their status";

/* Without memory for it the sentence is lost, and the status remains. */
static void note_refusal(sal_system *sys, bool of_declaration, const char *const *pieces) {
    if (!sys->trouble.refusal)
        sys->trouble.refusal = sal__alloc(&sys->mem, sizeof *sys->trouble.refusal);
    sal__refusal *refusal = sys->trouble.refusal;
    if (!refusal || (refusal->of_declaration && refusal->note.text[0]))
        return;
    sal_note *note = &refusal->note;
    const bool named = sys->name[0] != '\0';
    size_t at = sal__write_pieces(note->text, sizeof note->text, SAL__PIECES(sys->name, named ? ": " : ""));
    at = at < sizeof note->text ? at : sizeof note->text - 1;
    sal__write_pieces(note->text + at, sizeof note->text - at, pieces);
    sal_note_blame(note, sys->name);
    refusal->of_declaration = of_declaration;
}

sal_status sal__refuse_declaration(sal_system *sys, const char *const *pieces) {
    if (sys)
        note_refusal(sys, true, pieces);
    return SAL_EINVAL;
}

sal_status sal__refuse_use(sal_system *sys, sal_status status, const char *const *pieces) {
    note_refusal(sys, false, pieces);
    return status;
}

const char *sal_system_trouble(const sal_system *sys) {
    if (!sys)
        return no_system;
    return sys->trouble.refusal ? sys->trouble.refusal->note.text : "";
}

void sal_system_forget_trouble(sal_system *sys) {
    if (sys && sys->trouble.refusal)
        *sys->trouble.refusal = (sal__refusal){.of_declaration = false};
}

void sal__trouble_free(const sal_allocator *mem, sal__refusal *refusal) {
    sal__free(mem, refusal, sizeof *refusal);
}

/* ---- checks of many declarations ---- */

sal_status sal__check_open(sal_system *sys, const char *what) {
    if (!sys)
        return SAL_EINVAL;
    if (sys->is_frozen)
        return SAL__REFUSE(sys, what,
                           " cannot be declared any more: the system is built, or a part of a diagram that "
                           "is; declare everything before the first context, simulator or build");
    return SAL_OK;
}

sal_status sal__check_open_leaf(sal_system *sys, const char *what) {
    if (sys && !sys->behaviour)
        return SAL__REFUSE(sys, "a diagram has no ", what,
                           " of its own; declare them in a system made by "
                           "sal_system_new, and add it as a part");
    return sal__check_open(sys, what);
}

sal_status sal__check_output(sal_system *sys, const char *what, int output) {
    const sal_status status = sal__check_open_leaf(sys, what);
    if (status != SAL_OK || (output >= 0 && output < sys->outputs.count))
        return status;
    return SAL__REFUSE(sys, "there is no output ", sal__whole_number(output).text, " to have ", what, ": there are ",
                       sal__whole_number(sys->outputs.count).text,
                       ", numbered from 0; use the port of sal_system_add_output");
}

sal_status sal__check_new_name(sal_system *sys, const char *what, const char *name, const sal__name_table *known) {
    if (!name)
        return SAL__REFUSE(sys, "the name of ", what, " is NULL; give it one");
    if (!name[0])
        return SAL__REFUSE(sys, "the name of ", what, " is empty; give it one");
    if (!sal__is_name(name))
        return SAL__REFUSE(sys, "the name of ", what, " has a control character; use printable ones");
    if (sal__name_table_find(known, name) >= 0)
        return SAL__REFUSE(sys, "the name \"", name, "\" is taken already; choose another for ", what);
    return SAL_OK;
}

sal_status sal__check_new_leaf_name(sal_system *sys, const char *what, const char *name, const sal__name_table *known) {
    const sal_status status = sal__check_new_name(sys, what, name, known);
    if (status == SAL_OK && strpbrk(name, ".[]"))
        return SAL__REFUSE(sys, "the name \"", name, "\" of ", what,
                           " has a dot or a bracket, which mean parts and elements in paths; leave them out");
    return status;
}

static const char *entry(const void *user, int i) {
    const sal__name_table *known = user;
    for (int k = 0; k < known->cap; k++)
        if (known->at[k].text && i-- == 0)
            return known->at[k].text;
    return NULL;
}

sal__hint sal__hint_of(const sal__name_table *known, const char *name) {
    const char *near = known->count <= 1000 ? sal__near_name(name, entry, known) : NULL; /* quadratic */
    sal__hint hint = {""};
    if (near)
        sal__write_pieces(hint.text, sizeof hint.text, SAL__PIECES("; did you mean \"", near, "\"?"));
    return hint;
}
