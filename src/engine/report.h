/* What came of a call. Part of engine/simulator.h, which defines the structs. */
#ifndef SAL_REPORT_H
#define SAL_REPORT_H

/* ---- report.c ---- */

/* Whoever finds a failure reports it with where it was, and returns its status; whoever gets a status from elsewhere
 * reports it too, in case nobody has. A report that is not the first of the call changes nothing. */
/* Of the notes, which are 384 bytes, only the first of each text is written. */
static inline void sal__report_clear(sal_report *report, double t, double boundary) {
    report->reason = SAL_AT_BOUNDARY;
    report->time = t;
    report->boundary_time = boundary;
    report->part = report->event = -1;
    report->limit = NAN;
    report->firings = 0;
    report->note.text[0] = report->note.blame[0] = 0;
}
void sal__result_begin(sal_simulator *sim, sal_report *report); /* of a call */
void sal__result_begin_step(sal_simulator *sim);
void sal__result_clear(sal_simulator *sim); /* the step that failed is tried again in another way */
static inline bool sal__has_failed(const sal_simulator *sim) {
    return sim->result.outcome == SAL_FAILED;
}
/* The outcome of a handler, or of the monitor: event and part -1. Returns it. */
void sal__result_raise(sal_simulator *sim, sal_outcome outcome, int part, int event, const sal_note *note);
static inline sal_outcome sal__report_outcome(sal_simulator *sim, sal_outcome outcome, int part, int event,
                                              const sal_note *note) {
    if (outcome > sim->result.outcome)
        sal__result_raise(sim, outcome, part, event, note);
    return outcome;
}
sal_status sal__report_error(sal_simulator *sim, sal_status status, int part, int event, const char *text);
/* part and event -1: not known. SAL_OK: nothing. text NULL: none. */
static inline sal_status sal__report_failure(sal_simulator *sim, sal_status status, int part, int event,
                                             const char *text) {
    return status == SAL_OK ? status : sal__report_error(sim, status, part, event, text);
}
/* The same of a planned event; -1: none. */
sal_status sal__report_at(sal_simulator *sim, sal_status status, int event, const char *text);
/* Reports a failure, and returns the note for its text; NULL: it is not the first. */
sal_note *sal__failure_note(sal_simulator *sim, sal_status status, int part, int event);
void sal__report_step_failure(sal_simulator *sim, sal_status status, int part);
void sal__report_unset_derivative(sal_simulator *sim, sal_status status);
/* Writes "event of part: text", cut to fit. sal__append_text appends. */
void sal__describe_event(const sal_simulator *sim, int event, const char *text, sal_note *note);
void sal__append_text(const char *text, sal_note *note);

#endif
