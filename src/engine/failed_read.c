/* A callback that fails, in words: what it read and was refused, and which output failed. */
#include <math.h>
#include <string.h>

#include "base/sentence.h"
#include "simulator.h"

/* What a sentence is made of. */
typedef struct account {
    const sal_simulator *sim;
    const sal__failures *failures;
    const char *callback; /* that failed */
    sal_status status;
} account;

static void write(sal_note *note, const char *const *pieces) {
    const size_t length = strlen(note->text);
    sal__write_pieces(note->text + length, sizeof note->text - length, pieces);
}
#define WRITE(note, ...) write((note), SAL__PIECES(__VA_ARGS__))

static const char *path_of(const account *a, int part) {
    const sal__part *p = &a->sim->plan->part[part];
    return p->name[0] ? p->name : p->system->name; /* a single system has no path */
}

static const sal_system *system_of(const account *a, int part) {
    return a->sim->plan->part[part].system;
}

/* "output "flow" of "tank"", or "derivatives of "tank"". */
static void write_reader(sal_note *note, const account *a, int part) {
    const sal__failures *f = a->failures;
    if (f->part == part && f->status == f->read.status)
        WRITE(note, "output \"", system_of(a, part)->outputs.item[f->port].name, "\" of \"", path_of(a, part), "\"");
    else
        WRITE(note, a->callback, " of \"", path_of(a, part), "\"");
}

static void write_port(sal_note *note, const account *a, const char *what, int count, const char *remedy) {
    const sal__failed_read *r = &a->failures->read;
    WRITE(note, " reads ", what, " ", sal__whole_number(r->index).text, ", and \"", path_of(a, r->part), "\" has ",
          sal__whole_number(count).text, ", from 0 on; ", remedy);
}

static void write_past(sal_note *note, const account *a) {
    const sal__failed_read *r = &a->failures->read;
    const sal__history *history = &system_of(a, r->part)->history.columns.item[r->index];
    const double lag = r->time - r->at;
    WRITE(note, " reads \"", history->name, "\" at t = ", sal__time_text(r->at).text, ", ");
    if (isnan(lag))
        WRITE(note, "which is not a time; look at the lag that it computes");
    else if (lag < 0)
        WRITE(note, sal__real_number(-lag, 6).text, " s in the future; give a lag of 0 or more");
    else
        WRITE(note, sal__real_number(lag, 6).text, " s ago, but its past is ", sal__real_number(history->depth, 6).text,
              " s deep; declare a greater depth by sal_system_add_past, or a shorter lag");
}

static void write_missing_input(sal_note *note, const account *a) {
    const sal__failed_read *r = &a->failures->read;
    const sal_system *sys = system_of(a, r->part);
    WRITE(note, "the input \"", sys->values.item[sys->inputs.item[r->index]].name, "\" of \"", path_of(a, r->part),
          "\", which ");
    if (a->failures->part == r->part && a->failures->status == r->status)
        WRITE(note, "output \"", sys->outputs.item[a->failures->port].name, "\"");
    else
        WRITE(note, a->callback);
    WRITE(note, " reads, is not connected and has no value; connect it, set it before the run, or declare a default");
}

static void write_read(sal_note *note, const account *a) {
    const sal__failed_read *r = &a->failures->read;
    const sal_system *sys = system_of(a, r->part);
    if (r->status == SAL_EINPUT) {
        write_missing_input(note, a);
        return;
    }
    if (r->status == SAL_ELOOP) {
        WRITE(note, "output \"", sys->outputs.item[r->index].name, "\" of \"", path_of(a, r->part),
              "\" needs itself, which the build could not find; put a state, a delay or a sample between");
        return;
    }
    write_reader(note, a, r->part);
    if (r->kind == SAL__READ_INPUT)
        write_port(note, a, "input", sys->inputs.count, "use the port that sal_system_find_input returns");
    else if (r->kind == SAL__READ_OUTPUT)
        write_port(note, a, "output", sys->outputs.count, "use the port that sal_system_find_output returns");
    else if (r->status == SAL_EINVAL)
        write_port(note, a, "past", sys->history.columns.count, "use the number of sal_system_add_past");
    else
        write_past(note, a);
}

static void write_output(sal_note *note, const account *a) {
    const sal__failures *f = a->failures;
    WRITE(note, "output \"", system_of(a, f->part)->outputs.item[f->port].name, "\" of \"", path_of(a, f->part),
          "\" failed: ", f->status < SAL_ESTORY ? "it returned " : sal_status_text(f->status),
          f->status < SAL_ESTORY ? sal__whole_number(f->status).text : "");
}

/* A handler returns an outcome, not the status that it got. */
static bool is_told(const account *a, sal_status status) {
    return status < 0 && (a->status == SAL_EHANDLER || a->status == status);
}

/* An update reads the run's context, and the one that it writes. */
static const sal__failures *failures_of(const sal_simulator *sim) {
    const sal__failures *next = &sim->contexts.next->failures;
    return next->read.status < 0 || next->part >= 0 ? next : &sim->contexts.current->failures;
}

void sal__explain_read(const sal_simulator *sim, sal_status status, const char *callback, sal_note *note) {
    const account a = {sim, failures_of(sim), callback, status};
    const bool of_read = is_told(&a, a.failures->read.status);
    if (!of_read && !(a.failures->part >= 0 && is_told(&a, a.failures->status)))
        return;
    if (note->text[0])
        WRITE(note, "; ");
    (of_read ? write_read : write_output)(note, &a);
}
