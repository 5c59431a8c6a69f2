/* Witnesses and conditions: arming and firing, and where they cross in a step. Part of engine/simulator.h,
 * which defines their structs. */
#ifndef SAL_WITNESS_H
#define SAL_WITNESS_H

/* ---- condition.c, condition_search.c and event_iteration.c ---- */

sal_status sal__conditions_new(sal_simulator *sim);     /* after the witnesses */
void sal__conditions_attach(sal_simulator *sim);        /* to another context */
void sal__conditions_shift(sal_simulator *sim, int by); /* their witnesses moved */
void sal__conditions_archive(sal__archive *a, sal_simulator *sim);
void sal__conditions_copy(sal_simulator *to, const sal_simulator *from);
static inline void sal__condition_set(sal__condition *c, bool is_true, bool guard_held) {
    c->is_true = is_true;
    c->guard_held = guard_held;
}
static inline void sal__conditions_clear_due(sal_simulator *sim) {
    sim->conditions.due_count = 0;
}
static inline void sal__conditions_add_due(sal_simulator *sim, int condition) {
    sim->conditions.due[sim->conditions.due_count++] = condition;
}
/* After initialize: a condition that is true now counts as handled, unless it has at_start. */
sal_status sal__conditions_start(sal_simulator *sim, bool suppress);
/* After an edit from outside: conditions that it turned true are due. */
sal_status sal__conditions_note_edit(sal_simulator *sim);
/* Evaluates its guard (*there) and its value at the context's present time and state. */
sal_status sal__condition_eval(sal_simulator *sim, const sal__condition *c, bool *there, bool *holds);
/* Its handler runs. */
void sal__condition_mark_handled(sal_simulator *sim, sal__condition *c);
void sal__conditions_mark_published(sal_simulator *sim);         /* of events that only publish, at the end of a step */
void sal__condition_save(sal_simulator *sim, sal__condition *c); /* before it changes within an instant */
void sal__conditions_end_instant(sal_simulator *sim, bool is_kept); /* of an instant */
/* event_iteration.c: handles the conditions that the updates of an instant turned true, round by round. */
void sal__iterate_events(sal_simulator *sim);
/* The publishes of conditions that an edit turned true, which come before the updates. */
void sal__publish_after_edit(sal_simulator *sim);

/* condition_search.c: finds the first point of the step where flow turns a condition true. If it is before *theta,
 * sets *theta and cancels the witnesses that fired there. */
sal_status sal__conditions_locate(sal_simulator *sim, double t0, double t1, double *theta);
/* The step from now ends at theta, at (t, x), which is at `integrated_to` of the integrator's last step: conditions
 * that turned true there fire with the witnesses. */
sal_status sal__conditions_fire_at_end(sal_simulator *sim, double now, double t, const double *x, double theta,
                                       double integrated_to);
void sal__conditions_accept_step(sal_simulator *sim); /* the run is there */

/* ---- zeno.c ---- */

/* Sets the count; archives; starts anew; records a firing at t_event. */
void sal__zeno_set_count(sal__witness *w, int64_t count);
void sal__zeno_archive(sal__archive *a, sal__witness *w);
void sal__zeno_reset(sal__witness *w, double now);
void sal__zeno_record_firing(const sal_simulator *sim, sal__witness *w, double t_event, double window);
/* Before a firing is recorded: where intervals shrink, finds whether rounding loses them. May read the witness. */
sal_status sal__zeno_look(sal_simulator *sim, sal__witness *w, double t_event);

/* ---- witness.c, witness_info.c, witness_array.c, guard.c, undersampling.c and witness_snapshot.c ---- */

/* witness_snapshot.c: in the rest of a step, the crossings that lie ahead are saved too. `watches`: that many are
 * armed, as sal__watches_archive returned. */
void sal__witness_archive_time(sal__archive *a, sal__witness *w);
void sal__witnesses_archive(sal__archive *a, sal_simulator *sim, int watches, const sal__interrupted_step *rest);
/* As from a snapshot: the watches of both are the same. */
void sal__witness_copy_time(sal__witness *to, const sal__witness *from);
void sal__witnesses_copy(sal_simulator *to, const sal_simulator *from);
sal_status sal__witnesses_new(sal_simulator *sim);
void sal__witness_start(sal_simulator *sim);
sal_status sal__witness_arm(sal_simulator *sim);
/* Before and after each step. */
static inline void sal__witness_begin_step(sal_simulator *sim) {
    sim->witnesses.has_excluded = false;
}
static inline void sal__witness_end_step(sal_simulator *sim) {
    sim->witnesses.armed_count = 0;
}
/* Are the values at the end of the last step those at the start of the next one? */
static inline void sal__witness_set_ends_valid(sal_simulator *sim, bool are_valid) {
    sim->witnesses.end_values_valid = are_valid;
}
static inline void sal__witness_forget_ends(sal_simulator *sim) {
    sim->witnesses.armed_count = 0;
    sim->witnesses.end_values_valid = false;
    sal__watches_set_stale(sim, true);
}
/* witness_array.c: makes room for that many more watches. */
sal_status sal__witnesses_make_room(sal_simulator *sim, int more);
void sal__witnesses_free(sal_simulator *sim);
/* The place of a new watch, which is the last one. */
sal__witness *sal__witness_append(sal_simulator *sim);
/* Reads it in the rest of the present step too. `value`: its present one. */
void sal__witness_join_step(sal_simulator *sim, double value);
void sal__witness_remove(sal_simulator *sim, int witness);
void sal__witness_truncate(sal_simulator *sim, int count);
void sal__witness_attach(sal_simulator *sim); /* to another context */
/* Is a witness that was on its surface still there, now that its value is `value`? Not if it started from its level
 * to the far side: then it was farther in between. */
static inline bool sal__stays_on_surface(const sal__witness *w, double was, double slope, double value) {
    const bool left = was == w->surface_level && slope * w->armed_side < 0;
    return !left && value * w->armed_side <= 0 && (value - w->surface_level) * w->armed_side >= 0;
}
sal_status sal__witness_fire(sal_simulator *sim, double t0, double t1, double t_event, double window);
void sal__witness_cancel(sal_simulator *sim);
static inline void sal__witness_add_fired(sal_simulator *sim, int i) {
    sim->witnesses.item[i].has_fired = true;
    sim->witnesses.fired[sim->witnesses.fired_count++] = i;
}
static inline void sal__witness_set_ahead(sal__witness *w, bool is_ahead) {
    w->is_ahead = is_ahead;
}
/* Keeps those of the fired witnesses for which `stays` is true. The others have not fired; `disarms`: they are armed
 * anew. */
typedef sal_status (*sal__fired_filter)(sal_simulator *sim, const void *user, const sal__witness *w, bool *stays);
sal_status sal__witness_filter_fired(sal_simulator *sim, sal__fired_filter stays, const void *user, bool disarms);
/* Publishes are called at once. Updates, and on_zeno, are called with the next updates. */
static inline sal_kind sal__witness_kind(const sal__witness *w) {
    return w->firings.is_zeno ? SAL_UNRESTRICTED : w->info.kind;
}
/* Has a witness fired whose handler publishes? */
static inline bool sal__has_fired_publish(const sal_simulator *sim) {
    int k = 0;
    while (k < sim->witnesses.fired_count &&
           sal__witness_kind(&sim->witnesses.item[sim->witnesses.fired[k]]) > SAL_PUBLISH)
        k++;
    return k < sim->witnesses.fired_count;
}
/* Before updates: the values of those that fired become their surface levels. */
sal_status sal__witness_record_values(sal_simulator *sim);
void sal__witness_collect(sal_simulator *sim, sal_kind kind);
void sal__witness_rearm(sal_simulator *sim, bool publishes);
void sal__witness_note_update(sal_simulator *sim); /* updates of this instant changed something */
/* The host changed the flow, but no state. by_feed: a line that it feeds turns. The line may be at a level exactly;
 * then it leaves zero, and has not crossed. */
void sal__witness_note_flow_change(sal_simulator *sim, bool by_feed);
/* The witness that fires for a condition, and a finder of a condition. */
int sal__witness_init_condition(sal_simulator *sim, int event, int condition);
void sal__witness_init_finder(const sal_simulator *sim, int event, int finder, sal__witness *f);
static inline void sal__witness_set_context(sal__witness *w, const sal_context *ctx) {
    w->info.ctx = ctx;
}
/* The witness of a watch: its function, and the system with which it is called. max_interval 0: none. */
typedef sal_status (*sal__watch_value)(const sal_system *self, const sal_context *ctx, int event, double *value);
void sal__witness_init_watch(const sal_simulator *sim, sal__witness *w, sal__watch_value value, double max_interval);
static inline void sal__witness_set_system(sal__witness *w, const sal_system *system) {
    w->info.system = system;
}
/* Inserts it among the active ones in their declared order; `w0`: its present value. */
void sal__witness_activate(sal_simulator *sim, int witness, double w0);
void sal__witness_deactivate(sal_simulator *sim, int witness);
/* Leaves it out of this step, in which none may become active then. */
static inline void sal__witness_exclude(sal_simulator *sim, int witness) {
    sal__witness_deactivate(sim, witness);
    sim->witnesses.has_excluded = true;
}
/* No active witness has a slope at the start. */
void sal__witness_discard_slopes(sal_simulator *sim);
static inline void sal__witness_set_on_surface(sal__witness *w, bool on_surface) {
    w->on_surface = on_surface;
}
/* Its slope at the start is known. If updates turned the flow there, the way back is a crossing. */
static inline void sal__witness_turn_back(sal__witness *w) {
    if (w->may_have_turned && w->s0 * w->armed_side < 0)
        w->armed_side = (signed char)-w->armed_side;
    w->may_have_turned = false;
}
/* At the end of the step it has not left its level, and goes on as it set out. */
static inline void sal__witness_stay_at_level(sal__witness *w) {
    w->w1 = w->surface_level;
    w->s1 = w->s0;
}
/* An update made it fire, outside of any step. */
static inline void sal__witness_fire_by_update(sal__witness *w) {
    w->t0 = w->t1 = NAN;
    sal__zeno_set_count(w, w->firings.count + 1);
}
sal_status sal__witness_report(sal_simulator *sim, int witness, sal_status status);
/* Whether time moves it besides the state is checked when it becomes active, at most SAL__MAX_TIME_CHECKS times, and
 * in the steps 1, 2, 4, 8 ... */
enum { SAL__MAX_TIME_CHECKS = 16 };
static inline void sal__witness_forget_time(sal__witness *w) {
    w->may_be_fast = w->info.time_only;
    w->time_checks = 0;
}
static inline void sal__witness_note_time_check(sal__witness *w, bool varies) {
    w->may_be_fast = varies;
    w->time_checks += w->time_checks < SAL__MAX_TIME_CHECKS;
}
/* A step showed that a crossing was missed, or how fast it repeats. */
static inline void sal__witness_note_fast(sal__witness *w) {
    w->may_be_fast = true;
}
static inline void sal__witness_set_next_phase_check(sal_simulator *sim, int64_t step) {
    sim->witnesses.next_phase_check = step;
}
/* A step of length h was searched for missed crossings. */
static inline void sal__witness_note_look(sal_simulator *sim, double h) {
    sim->witnesses.longest_look = sal__max(sim->witnesses.longest_look, h);
}
static inline void sal__witness_request_time_check(sal_simulator *sim, const sal__witness *w) {
    sim->witnesses.time_check_due |= w->time_checks < SAL__MAX_TIME_CHECKS;
}

/* undersampling.c: before the step from `now` to t1 is searched. Finds the witnesses and the conditions that repeat in
 * it, and all that may read an output that does: from this step on they are searched in pieces. Warns of them where the
 * run searches no pieces. */
void sal__find_undersampled(sal_simulator *sim, double now, double t1);

/* guard.c: a witness has no value in the shortest step, to t1. If its guard holds at both ends of the step, this is
 * an error. Otherwise the witness is left out of the step. */
sal_status sal__guard_exclude(sal_simulator *sim, int witness, double t1);

/* Does the event fire where the witness stops rising? */
static inline bool sal__finds_turning(const sal__witness *w) {
#ifdef SAL_MINIMAL
    (void)w;
    return false;
#else
    return w->info.direction == SAL_TURNING;
#endif
}

/* The value of a witness that has an event of its own. */
static inline sal_status sal__event_value(sal_simulator *sim, const sal__witness *w, double *value) {
    SAL__COUNT_ONE(sim, witness_evaluations);
    const sal_status status = w->info.value(w->info.system, w->info.ctx, w->info.index, value);
    if (status != SAL_OK)
        return status;
    return *value != *value ? SAL_ENAN : SAL_OK;
}
/* The same for a witness that may have a guard: where the guard is false, *value is NaN instead of an error. */
sal_status sal__excuse_by_guard(const sal_simulator *sim, const sal__witness *w, sal_status status, double *value);
static inline sal_status sal__guarded_value(sal_simulator *sim, const sal__witness *w, double *value) {
    const sal_status status = sal__event_value(sim, w, value);
    return status == SAL_OK || !w->info.has_guard ? status : sal__excuse_by_guard(sim, w, status, value);
}
static inline bool sal__has_phases(const sal__witness *w) {
    return w->info.system->behaviour->phases && !w->info.is_subdivided && !w->info.time_only;
}

/* ---- crossing_list.c, step_ends.c, locate.c and instant.c ---- */

sal_status sal__crossings_new(sal_simulator *sim);
/* Inserts a crossing in front of those that cross later. */
static inline void sal__crossing_insert(sal_simulator *sim, int witness) {
    int at = sim->crossings.count++;
    int *const list = sim->crossings.item;
    for (; at > 0 && sim->witnesses.item[list[at - 1]].theta < sim->witnesses.item[witness].theta; at--)
        list[at] = list[at - 1];
    list[at] = witness;
}
/* Sorts the first `count` by theta, and removes those that are not active. */
void sal__crossings_sort(sal_simulator *sim, int count);
/* Before a step: removes all crossings, but keeps those ahead in the rest of a step. */
void sal__crossings_clear(sal_simulator *sim);
/* The k-th of the crossings fires. */
static inline void sal__crossing_set_value(sal_simulator *sim, int witness, double value) {
    sim->witnesses.item[witness].crossing_value = value;
}
static inline void sal__crossing_fire(sal_simulator *sim, int k) {
    const int i = sim->crossings.item[k];
    for (sim->crossings.count--; k < sim->crossings.count; k++)
        sim->crossings.item[k] = sim->crossings.item[k + 1];
    sal__witness_add_fired(sim, i);
}
/* Theta of the next crossing in this step; 1 if there is none. */
static inline double sal__next_crossing(const sal_simulator *sim) {
    return sim->crossings.count > 0 ? sim->witnesses.item[sim->crossings.item[sim->crossings.count - 1]].theta : 1;
}
sal_status sal__candidates_new(sal_simulator *sim);
/* Finds which witnesses fire in the step [t0, t1] that was just integrated, at *theta; 2: none. */
sal_status sal__witness_locate(sal_simulator *sim, double t0, double t1, double *theta);
static inline bool sal__is_isolating(const sal_simulator *sim) {
    return sim->config.isolation && !(sim->integrator_config->fixed_step && isnan(sim->config.context_accuracy));
}
/* The window to which an event is isolated, in seconds; NaN: events are not isolated. */
double sal__isolation_window(const sal_simulator *sim);
/* characteristic_time; in a run that ends before 1 s, the end time if that is less. */
static inline double sal__characteristic_time(const sal_simulator *sim) {
    const double run = sim->flow.time_scale;
    return run < 1 ? sal__min(run, sim->config.characteristic_time) : sim->config.characteristic_time;
}
/* instant.c: ends the step from t0 to t1 at the event that was located at theta. at_limit: t1 is the end that was
 * aimed at. */
sal_status sal__end_at_event(sal_simulator *sim, double t0, double t1, double theta, bool at_limit);
void sal__last_event_reset(sal_simulator *sim);
void sal__last_event_archive(sal__archive *a, sal_simulator *sim);
void sal__last_event_copy(sal_simulator *to, const sal_simulator *from);

#endif
