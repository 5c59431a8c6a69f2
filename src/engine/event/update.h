/* The updates of an instant: when they are due, their handlers, and what they write. Part of engine/simulator.h,
 * which defines their structs. */
#ifndef SAL_UPDATE_H
#define SAL_UPDATE_H

/* ---- schedule.c ---- */

enum { SAL__PUBLISHES, SAL__UPDATES };
/* Marks these parts and all parts downstream of them as affected. */
void sal__mark_affected(sal_simulator *sim, const int *part, int count);
void sal__mark_unfired_affected(sal_simulator *sim); /* the parts of which no event has fired */
sal_status sal__schedule_new(sal_simulator *sim);
void sal__schedule_free(sal_simulator *sim);
sal_status sal__schedule_start(sal_simulator *sim);
/* Adds the events that are due now to the calls. */
void sal__schedule_collect_due(sal_simulator *sim, int which, sal_kind kind);
static inline void sal__schedule_collect(sal_simulator *sim, int which, sal_kind kind) {
    if (sim->schedule.due_count[which] > 0 || sim->schedule.calendar.heap[which].size > 0)
        sal__schedule_collect_due(sim, which, kind);
}
static inline void sal__schedule_take_due(sal_simulator *sim, int which) {
    sim->schedule.due_count[which] = sal__timer_queue_due(&sim->schedule.queue[which], sim->contexts.current->time,
                                                          sim->schedule.instant_start, sim->schedule.due[which]);
}
/* Sets the pending time that opened this instant. */
static inline void sal__schedule_set_instant(sal_simulator *sim, double time) {
    sim->schedule.instant_start = time;
}
void sal__schedule_remove_due(sal_simulator *sim, int which); /* what was due */
static inline void sal__schedule_complete(sal_simulator *sim, int which, bool ran) {
    if (ran && sim->schedule.due_count[which] > 0)
        sal__timer_queue_advance(&sim->schedule.queue[which], sim->schedule.due[which], sim->schedule.due_count[which]);
    sim->schedule.due_count[which] = 0;
    if (ran && SAL__RARELY(sim->schedule.calendar.heap[which].size > 0))
        sal__schedule_remove_due(sim, which);
}
/* Calls next_time: of all events, or of those whose time has passed and those in parts that the last updates affect. */
sal_status sal__schedule_query(sal_simulator *sim, bool all);
/* The planned event that is due first; -1: none. */
int sal__schedule_first_event(const sal_simulator *sim);
static inline double sal__schedule_next_time(const sal_simulator *sim, int which) {
    const double next = sal__timer_queue_next_time(&sim->schedule.queue[which]);
    return SAL__RARELY(sim->schedule.calendar.heap[which].size > 0)
               ? sal__min(next, sal__calendar_next_time(&sim->schedule.calendar, which))
               : next;
}
/* The size that, besides the time, determines the ulp of an instant. */
double sal__schedule_offset_scale(const sal_simulator *sim, double instant_start);
static inline double sal__schedule_scale(const sal_simulator *sim, double instant_start) {
    return sim->schedule.has_negative_offset ? sal__schedule_offset_scale(sim, instant_start) : 0;
}
/* Is anything in this queue due now? */
static inline bool sal__schedule_is_due(const sal_simulator *sim, int which) {
    const double next = sal__schedule_next_time(sim, which);
    return next <= sim->contexts.current->time ||
           (next < HUGE_VAL && sal__same_instant(next, sim->schedule.instant_start, sal__schedule_scale(sim, next)));
}
/* SAL_ETIME if the period of the next timer is so short at this time that samples would be lost. */
sal_status sal__schedule_report_too_fine(sal_simulator *sim);
static inline sal_status sal__schedule_check_periods(sal_simulator *sim) {
    return fabs(sim->contexts.current->time) < sim->schedule.period_safe_until ? SAL_OK
                                                                               : sal__schedule_report_too_fine(sim);
}
/* Exchanges the events that were scheduled from outside. */
void sal__schedule_swap_calendar(sal_simulator *sim, sal__event_calendar *other);
/* Reserves room for `scheduled` events from outside, and for the calls of all events. */
sal_status sal__schedule_reserve(sal_simulator *sim, int scheduled);
/* Cancels an event from outside. false: it has run, or was cancelled. */
bool sal__schedule_take_back(sal_simulator *sim, int64_t handle);
/* `edited`: next_time is called after loading. *scheduled: the number of events from outside. */
void sal__schedule_archive(sal__archive *a, sal_simulator *sim, bool edited, int *scheduled);
/* As from a snapshot. There is room for the entries of its calendar. */
void sal__schedule_copy(sal_simulator *to, const sal_simulator *from, bool edited);
/* SAL_ETIME for a period or a max_step so short that the run would never arrive. */
sal_status sal__report_endless_call(sal_simulator *sim, double boundary);

/* Returns whether the guard of an event holds, or true if it has none. */
static inline sal_status sal__event_guard(const sal_simulator *sim, int event, bool *holds) {
    const sal__planned_event *e = &sim->plan->event[event];
    const sal_context *ctx = &sim->contexts.current->part_context[e->part];
    *holds = true;
    return e->has_guard ? e->system->behaviour->when(e->system, ctx, e->index, holds) : SAL_OK;
}

/* ---- dispatch.c ---- */

/* Reserves room for the calls of all events, twice, and of those scheduled from outside. */
sal_status sal__dispatch_reserve(sal_simulator *sim);
void sal__dispatch_free(sal_simulator *sim);
static inline void sal__dispatch_clear(sal_simulator *sim) {
    sim->dispatch.call_count = 0;
    sim->dispatch.calls_unordered = false;
}
static inline void sal__dispatch_add(sal_simulator *sim, int event, int64_t count, int witness) {
    const int rank = sim->plan->rank[event], at = sim->dispatch.call_count++;
    sim->dispatch.calls_unordered |= at > 0 && sim->dispatch.call[at - 1].rank > rank;
    sim->dispatch.call[at] = (sal__event_call){event, rank, count, witness, false};
}
/* Adds the events of a timer, which are in order. */
static inline void sal__dispatch_add_timer(sal_simulator *sim, const sal__timer *timer, const int *event) {
    const int *rank = sim->plan->rank;
    sal__event_call *call = sim->dispatch.call + sim->dispatch.call_count;
    sim->dispatch.calls_unordered |= sim->dispatch.call_count > 0 && call[-1].rank > rank[*event];
    for (int i = 0; i < timer->member_count; i++)
        call[i] = (sal__event_call){event[i], rank[event[i]], timer->k, -1, false};
    sim->dispatch.call_count += timer->member_count;
}
static inline void sal__dispatch_add_all(sal_simulator *sim, const sal__events *events) {
    for (int i = 0; i < events->count; i++)
        sal__dispatch_add(sim, events->event[i], 0, -1);
}
void sal__dispatch_publishes(sal_simulator *sim);
/* Calls the updates, whose writes stay staged. stage_more: adds to what is staged already. */
sal_outcome sal__dispatch_stage(sal_simulator *sim, sal_kind kind);
sal_outcome sal__dispatch_stage_more(sal_simulator *sim);
void sal__dispatch_end(sal_simulator *sim, sal_outcome outcome);
void sal__dispatch_updates(sal_simulator *sim, sal_kind kind);
sal_status sal__notify_observers(sal_simulator *sim, sal_observation observation, int part, int event);
sal_status sal__notify_updates(sal_simulator *sim);
static inline void sal__forget_executed(sal_simulator *sim) {
    sim->dispatch.executed_count = 0;
}
/* In an instant, publishes are reported to observers with the updates. */
static inline void sal__dispatch_set_in_instant(sal_simulator *sim, bool in_instant) {
    sim->dispatch.in_instant = in_instant;
}

/* ---- transaction.c and journal.c ---- */

enum { SAL__UNSTAGED, SAL__MIRRORED, SAL__STAGED, SAL__WRITTEN };
sal_status sal__transaction_new(sal_simulator *sim);
enum { SAL__UNTOUCHED, SAL__OLD_IN_NEXT, SAL__OLD_IN_UNDO };
void sal__transaction_drop_mirrors(sal_simulator *sim); /* after a write from outside: no part is mirrored */
void sal__copy_part(const sal_simulator *sim, int part, double *to, const double *from);
static inline void sal__swap_slots(sal__context_data *a, sal__context_data *b, int slot) {
    void *was = a->slot[slot];
    a->slot[slot] = b->slot[slot];
    b->slot[slot] = was;
}
/* The handler of an event of this part runs: it may write there what its kind may. */
static inline void sal__transaction_allow(sal_simulator *sim, int part) {
    sim->transaction.of_next.part = part;
}
static inline void sal__transaction_allow_kind(sal_simulator *sim) {
    enum { DISCRETE = 1 << SAL_XD | 1 << SAL__DRAWS };
    enum { UNRESTRICTED = DISCRETE | 1 << SAL_Q | 1 << SAL_V | 1 << SAL_Z | 1 << SAL_PARAM };
    sal__write_guard *guard = &sim->transaction.of_next;
    guard->allowed = sim->transaction.discrete_only ? DISCRETE : UNRESTRICTED | 1 << SAL__SLOTS;
    guard->is_broken = false;
}
/* While functions of the model run, nobody may write to the run's context. */
static inline void sal__transaction_close_run(sal_simulator *sim, bool is_closed) {
    sim->contexts.current->write_guard = is_closed ? &sim->transaction.of_run : NULL;
}
static inline void sal__transaction_forget_writes(sal_simulator *sim) {
    sim->transaction.of_next.is_broken = sim->transaction.of_run.is_broken = false;
}
/* forbidden_write.c: the update wrote what it may not. Reports it as a failure of its handler. */
sal_outcome sal__report_forbidden_write(sal_simulator *sim, const sal__planned_event *e, sal_note *note);
/* Somebody wrote to the run's context during a call: fails it. */
void sal__report_write_to_run(sal_simulator *sim);
static inline void sal__check_run_writes(sal_simulator *sim) {
    if (sim->transaction.of_run.is_broken)
        sal__report_write_to_run(sim);
}
static inline void sal__transaction_begin(sal_simulator *sim, sal_kind kind) {
    sal__context_data *staged = sim->contexts.next;
    sim->transaction.discrete_only = kind == SAL_DISCRETE;
    sal__transaction_allow_kind(sim);
    staged->time = sim->contexts.current->time;
    staged->seed = sim->contexts.current->seed;
    sal__context_data_show_x(staged, sim->transaction.discrete_only ? sim->contexts.current->block : staged->block);
    staged->source[SAL_PARAM] =
        sim->transaction.discrete_only ? sim->contexts.current->source[SAL_PARAM] : staged->storage[SAL_PARAM];
    if (sim->transaction.mirror_version != sim->contexts.current->versions.discrete)
        sal__transaction_drop_mirrors(sim);
}
void sal__transaction_copy_part(sal_simulator *sim, int part);
static inline void sal__transaction_add_part(sal_simulator *sim, int part) {
    unsigned char *state = &sim->transaction.stage_state[part];
    if (*state >= SAL__STAGED)
        return;
    if (*state != SAL__MIRRORED || !sim->transaction.discrete_only)
        sal__transaction_copy_part(sim, part);
    *state = SAL__STAGED;
    sim->transaction.staged_part[sim->transaction.staged_count++] = part;
}
/* Does an update run, or a publish that is undone with the updates? */
static inline bool sal__is_updating(const sal_simulator *sim) {
    return sim->transaction.staged_count > 0 || sim->dispatch.in_instant;
}
static inline void sal__transaction_mark_written(sal_simulator *sim, int part) {
    sim->transaction.stage_state[part] = SAL__WRITTEN;
}
sal_status sal__transaction_save(sal_simulator *sim, int part);
void sal__transaction_restore(sal_simulator *sim, int part);
void sal__transaction_restore_first(sal_simulator *sim, int part);
void sal__transaction_end(sal_simulator *sim, bool is_kept);
void sal__undo_discard_old(sal_simulator *sim);
static inline void sal__undo_discard(sal_simulator *sim) {
    if (sim->transaction.unrestricted_count > 0 || sim->plan->slot_count > 0)
        sal__undo_discard_old(sim);
    sim->transaction.touched_count = sim->transaction.unrestricted_count = 0;
}
void sal__undo_instant(sal_simulator *sim);
/* Lists the parts of which the updates of this instant changed continuous state, and returns their number. */
int sal__moved_parts(const sal_simulator *sim, int *moved);
/* Did they write this part alone, and change its continuous state? */
bool sal__moved_only(const sal_simulator *sim, int part);

/* journal.c: the numbers and the abstract state of each part before the instant that writes it. */
sal_status sal__journal_new(sal_simulator *sim); /* if an instant may have several rounds */
void sal__journal_free(sal_simulator *sim);
void sal__journal_save(sal_simulator *sim, int part);
void sal__journal_save_slot(sal_simulator *sim, int slot); /* the old value is in the staged slot */
void sal__journal_undo(sal_simulator *sim);
void sal__journal_clear(sal_simulator *sim);
const double *sal__journal_numbers(const sal_simulator *sim); /* of the parts before the instant */
int sal__journal_parts(const sal_simulator *sim, const int **part);
/* The parts that the updates of this instant wrote. */
static inline int sal__written_parts(const sal_simulator *sim, const int **part) {
    *part = sim->transaction.touched_part;
    return SAL__RARELY(sim->journal) ? sal__journal_parts(sim, part) : sim->transaction.touched_count;
}

/* follow.c: of the affected parts, those that follow their inputs do so, upstream first. */
sal_status sal__follow_inputs(sal_simulator *sim);
sal_status sal__followers_new(sal_simulator *sim);
/* The same of all parts, after an edit. */
sal_status sal__follow_edit(sal_simulator *sim);

/* ---- stray_writes.c ---- */

static inline sal_outcome sal__call_update(const sal_simulator *sim, const sal__planned_event *e,
                                           const sal_event *event, sal_note *note) {
    return sal__checked_outcome(e->system->behaviour->update(e->system, &sim->contexts.current->part_context[e->part],
                                                             event, &sim->contexts.next->part_context[e->part], note),
                                note);
}
/* The same; SAL_FAILED, with a note, if the handler wrote numbers beside those of its part, which then are as
 * before. */
sal_outcome sal__call_watched_update(sal_simulator *sim, const sal__planned_event *e, const sal_event *event,
                                     sal_note *note);

#endif
