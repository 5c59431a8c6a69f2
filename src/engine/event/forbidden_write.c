/* Writes that a function of the model may not make, in words. */
#include "base/sentence.h"
#include "engine/simulator.h"

static const char *const places[] = {
    "q (SAL_Q)",          "v (SAL_V)", "z (SAL_Z)", "discrete values (SAL_XD)", "parameters (SAL_PARAM)",
    "inputs (SAL_INPUT)", "the time",  "the seed",  "the random stream",        "a slot"};

static const char *place_of(const sal__write_guard *guard) {
    return guard->broken_at >= 0 && guard->broken_at <= SAL__SLOTS ? places[guard->broken_at]
                                                                   : "a partition that does not exist";
}

static const char *path_of(const sal_simulator *sim, int part) {
    const sal__part *p = &sim->plan->part[part];
    return p->name[0] ? p->name : p->system->name;
}

static const char *remedy_of(const sal__write_guard *guard, const sal__planned_event *e) {
    if (guard->broken_part != e->part)
        return "; it may write to its own part only: connect the parts, or let an event of that part write";
    if (guard->broken_at == SAL_INPUT)
        return "; no update may: inputs belong to connections and to the host";
    if (guard->broken_at < SAL_INPUT || guard->broken_at == SAL__SLOTS)
        return "; it may write discrete values (SAL_XD) only: declare the event with SAL_UNRESTRICTED";
    return "; no update may";
}

/* Writes of a publish, or through a const that was cast away. */
static void describe_write_to_run(const sal_simulator *sim, const char *who, sal_note *note) {
    const sal__write_guard *guard = &sim->transaction.of_run;
    sal__write_pieces(note->text, sizeof note->text,
                      SAL__PIECES(who, " writes ", place_of(guard), " of \"", path_of(sim, guard->broken_part),
                                  "\" to the context of the run; only an update may write, and only to the `next` that "
                                  "it gets"));
}

sal_outcome sal__report_forbidden_write(sal_simulator *sim, const sal__planned_event *e, sal_note *note) {
    const sal__write_guard *guard = &sim->transaction.of_next;
    if (sim->transaction.of_run.is_broken)
        describe_write_to_run(sim, "the handler", note);
    else
        sal__write_pieces(note->text, sizeof note->text,
                          SAL__PIECES(e->kind == SAL_DISCRETE ? "a discrete update" : "an unrestricted update",
                                      " writes ", place_of(guard), " of \"", path_of(sim, guard->broken_part), "\"",
                                      remedy_of(guard, e)));
    sal__transaction_forget_writes(sim);
    return SAL_FAILED;
}

void sal__report_write_to_run(sal_simulator *sim) {
    sal_note note;
    describe_write_to_run(sim, "a function of the model, an observer or the monitor", &note);
    sal__report_failure(sim, SAL_EINVAL, sim->transaction.of_run.broken_part, -1, note.text);
    sal__transaction_forget_writes(sim);
}
