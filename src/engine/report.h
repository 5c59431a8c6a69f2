/* What came of a call. Part of engine/simulator.h, which defines the structs. */
#ifndef SAL_REPORT_H
#define SAL_REPORT_H

/* ---- report.c ---- */

/* Whoever finds a failure reports it with where it was, and returns its status; whoever gets a status from elsewhere
 * reports it too, in case nobody has. A report that is not the first of the call changes nothing. */
/* Of the notes, which are 384 bytes, only the first of each text is written. */
static inline void sal__report_clear(sal_report *report, double t, double boundary) {
    report->reason = SAL_AT_BOUNDARY;
    report->status = SAL_OK;
    report->time = t;
    report->boundary_time = boundary;
    report->part = report->event = -1;
    report->limit = NAN;
    report->firings = 0;
    report->note.text[0] = report->note.blame[0] = 0;
}
void sal__result_begin(sal_simulator *sim, sal_report *report); /* of a call */
/* simulator.c: reports why a call is refused before it begins. Returns `status`. */
sal_status sal__report_refusal(const sal_simulator *sim, sal_report *report, sal_status status, const char *why);
void sal__result_begin_step(sal_simulator *sim);
void sal__result_clear(sal_simulator *sim); /* the step that failed is tried again in another way */
static inline bool sal__has_failed(const sal_simulator *sim) {
    return sim->result.outcome == SAL_FAILED;
}
/* The outcome of a handler, or of the monitor: event and part -1. Returns it. */
void sal__result_raise(sal_simulator *sim, sal_outcome outcome, int part, int event, const sal_note *note);
/* What a handler returned, or SAL_FAILED, in words, for what is no outcome. */
sal_outcome sal__refuse_outcome(sal_outcome outcome, sal_note *note);
static inline sal_outcome sal__checked_outcome(sal_outcome outcome, sal_note *note) {
    return (unsigned)outcome <= SAL_FAILED ? outcome : sal__refuse_outcome(outcome, note);
}
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
/* The same of one of its functions, "witness", in the words of failed_read.c. */
sal_status sal__report_failed_callback(sal_simulator *sim, sal_status status, int event, const char *callback);
static inline sal_status sal__report_callback(sal_simulator *sim, sal_status status, int event, const char *callback) {
    return status == SAL_OK ? SAL_OK : sal__report_failed_callback(sim, status, event, callback);
}
/* Reports a failure, and returns the note for its text; NULL: it is not the first. */
sal_note *sal__failure_note(sal_simulator *sim, sal_status status, int part, int event);
void sal__report_step_failure(sal_simulator *sim, sal_status status, int part);
void sal__report_unset_derivative(sal_simulator *sim, sal_status status);
void sal__report_stray_number(sal_simulator *sim, sal_status status);
/* Writes "event of part: text", cut to fit. sal__append_text appends. */
void sal__describe_event(const sal_simulator *sim, int event, const char *text, sal_note *note);
void sal__append_text(const char *text, sal_note *note);
/* The value of variable i of the whole state, its part, and the element of the value; NULL: there is none. */
const sal__value *sal__find_variable(const sal_simulator *sim, int variable, int *part, int *element);

/* ---- failed_read.c ---- */

/* Appends to the note what the callback, "derivatives", read and was refused, or which output failed, if that is known
 * and explains this status; SAL_EHANDLER: whatever failed. */
void sal__explain_read(const sal_simulator *sim, sal_status status, const char *callback, sal_note *note);
static inline void sal__forget_reads(sal_simulator *sim) {
    sal__forget_failures(sim->contexts.current);
    sal__forget_failures(sim->contexts.next);
}

/* ---- report_text.c: texts are cut to `room`; they return the length of the whole ---- */

/* As sal_report_text, with the place in a source file where the failure is, "ball.lua:7"; NULL: not known. */
size_t sal__report_text(const sal_simulator *sim, const sal_report *report, const char *source, char *text,
                        size_t room);
/* Tells the log. */
void sal__log_failure(const sal_simulator *sim, const sal_report *report);
/* What an accuracy that was set so loose, or so fine, means for a failure; "" if it was not. */
size_t sal__accuracy_text(const sal_simulator *sim, sal_status status, char *text, size_t room);
/* The warning of an explicit method about stiffness, which was found. */
size_t sal__stiffness_text(const sal_simulator *sim, char *text, size_t room);

#endif
