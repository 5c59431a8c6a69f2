/* When timed events are due: the two timer queues, the times that systems choose themselves, and the events that were
 * scheduled from outside.
 *
 * Timers advance only after their events ran. If the instant is undone, they are unchanged, so their events are
 * still due. */
#include <math.h>
#include <string.h>

#include "engine/simulator.h"

#define TOO_FINE "its period is below 16 ulp of the time: samples would be lost or doubled"

/* An event without a handler ends the step, as a publish does. */
static sal_kind effective_kind(sal_kind kind) {
    return kind == SAL_NO_HANDLER ? SAL_PUBLISH : kind;
}

static int queue_of_kind(sal_kind kind) {
    return kind >= SAL_DISCRETE ? SAL__UPDATES : SAL__PUBLISHES;
}

static sal__timer_queue *queue_of_event(sal_simulator *sim, int event) {
    return &sim->schedule.queue[queue_of_kind(sim->plan->event[event].kind)];
}

static sal_status list_events(sal_simulator *sim) {
    enum { LISTS = sizeof sim->schedule.events_by / sizeof(sal__events) };
    const sal__plan *plan = sim->plan;
    int *room = sal__pool_alloc(&sim->pool, plan->event_count, LISTS * sizeof *room);
    if (!room)
        return SAL_ENOMEM;
    for (int trigger = SAL_ON_INITIALIZATION; trigger <= SAL_ON_DEMAND; trigger++)
        for (int kind = SAL_NO_HANDLER; kind <= SAL_UNRESTRICTED; kind++, room += plan->event_count)
            sim->schedule.events_by[trigger][kind].event = room;
    for (int i = 0; i < plan->event_count; i++) {
        const sal_event_config *config = plan->event[i].config;
        sal__events *list = &sim->schedule.events_by[config->trigger][config->kind];
        if (!config->upstream_first)
            list->event[list->count++] = i;
        sim->schedule.has_kind[config->kind] = true;
        if (config->trigger == SAL_ON_STEP && config->kind >= SAL_DISCRETE)
            sim->schedule.has_step_updates = true;
        if (config->trigger == SAL_ON_WITNESS ||
            config->trigger ==
                SAL_ON_CHANGE) /* firings beyond the limit are handled by on_zeno, or fail, as an update of that kind */
            sim->schedule.has_kind[SAL_UNRESTRICTED] = true;
        if (config->trigger == SAL_ON_TIME)
            sim->schedule.timed_events.event[sim->schedule.timed_events.count++] = i;
    }
    return SAL_OK;
}

sal_status sal__schedule_new(sal_simulator *sim) {
    const sal__plan *plan = sim->plan;
    sim->schedule.timer_of = sal__pool_alloc(&sim->pool, plan->event_count, sizeof(int));
    sim->schedule.timed_events.event = sal__pool_alloc(&sim->pool, plan->event_count, sizeof(int));
    sim->schedule.is_affected = sal__pool_alloc(&sim->pool, plan->part_count, sizeof(bool));
    sim->schedule.affected_part = sal__pool_alloc(&sim->pool, plan->part_count, sizeof(int));
    for (int which = 0; which < 2; which++) {
        sim->schedule.due[which] = sal__pool_alloc(&sim->pool, plan->event_count, sizeof(int));
        sal__timer_queue_new(&sim->pool, &sim->schedule.queue[which], plan->event_count);
    }
    if (list_events(sim) != SAL_OK)
        return SAL_ENOMEM;
    for (int i = 0; i < plan->event_count; i++) {
        const sal_event_config *config = plan->event[i].config;
        const int kind = (int)effective_kind(config->kind);
        if (config->trigger == SAL_ON_PERIOD)
            sim->schedule.timer_of[i] =
                sal__timer_queue_add(queue_of_event(sim, i), i, kind, config->period, config->offset);
        if (config->trigger == SAL_ON_TIME)
            sim->schedule.timer_of[i] = sal__timer_queue_add(queue_of_event(sim, i), i, kind, 0, 0);
        sim->schedule.next_time_count += config->trigger == SAL_ON_TIME && config->time_variable < 0;
    }
    for (int which = 0; which < 2; which++)
        sal__timer_queue_finish(&sim->schedule.queue[which]);
    sim->schedule.has_negative_offset =
        sim->schedule.queue[0].earliest_offset + sim->schedule.queue[1].earliest_offset < 0;
    sim->schedule.period_safe_until =
        0x1p48 * sal__min(sim->schedule.queue[0].shortest_period, sim->schedule.queue[1].shortest_period);
    return SAL_OK;
}

sal_status sal__schedule_start(sal_simulator *sim) {
    const double now = sim->contexts.current->time;
    for (int which = 0, bad = 0; which < 2; which++)
        if (sal__timer_queue_start(&sim->schedule.queue[which], now, &bad) != SAL_OK)
            return sal__report_at(sim, SAL_ETIME, bad, TOO_FINE);
    sim->schedule.instant_start = now;
    for (int i = 0; i < sim->schedule.timed_events.count;
         i++) /* events that were due in an earlier run are not due now */
        sal__timer_queue_set_time(queue_of_event(sim, sim->schedule.timed_events.event[i]),
                                  sim->schedule.timer_of[sim->schedule.timed_events.event[i]], INFINITY);
    return sal__schedule_query(sim, true);
}

/* A timed event whose guard is false does not exist, even when its time has come. */
static sal_status apply_guard(sal_simulator *sim, int event, double *time) {
    const double now = sim->contexts.current->time;
    bool active = true;
    if (!(*time <= now || sal__same_instant(*time, now, 0)))
        return SAL_OK;
    const sal_status status = sal__event_guard(sim, event, &active);
    if (status == SAL_OK && !active)
        *time = INFINITY;
    return status;
}

static sal_status call_next_time(const sal_simulator *sim, const sal__planned_event *e, double *time) {
    const sal_system *sys = sim->plan->part[e->part].system;
    return sys->behaviour->next_time(sys, &sim->contexts.current->part_context[e->part], e->index, time);
}

/* An event that just ran may return its own time again, if that time is a few ulp after the instant. Then next_time
 * is called again as of that time. */
static sal_status next_time_of(sal_simulator *sim, const sal__planned_event *e, bool has_run, double *time) {
    const double now = sim->contexts.current->time;
    const sal_status status = call_next_time(sim, e, time);
    if (status != SAL_OK || !has_run || !(*time > now) || !sal__same_instant(*time, now, 0))
        return status;
    sal__context_data_look(sim->contexts.current, *time, NULL);
    const sal_status second = call_next_time(sim, e, time);
    sal__context_data_look(sim->contexts.current, now, NULL);
    return second;
}

static sal_status query_event(sal_simulator *sim, int event, bool all) {
    const sal__planned_event *e = &sim->plan->event[event];
    const sal__part *part = &sim->plan->part[e->part];
    sal__timer_queue *queue = queue_of_event(sim, event);
    const sal__timer *timer = &queue->timer[sim->schedule.timer_of[event]];
    const double known = timer->time;
    const bool due = known <= sim->contexts.current->time || sal__same_instant(known, sim->schedule.instant_start, 0);
    const bool variable = e->time_variable >= 0;
    double time = variable ? sim->contexts.current->source[SAL_XD][part->at[SAL_XD] + e->time_variable] : known;
    if (due && time == known)
        return SAL_OK; /* it stays due until it is handled */
    if (!variable && !all && !timer->is_spent && !sim->schedule.is_affected[e->part])
        return SAL_OK;
    if (!variable) {
        const sal_status status = next_time_of(sim, e, timer->is_spent, &time);
        if (status != SAL_OK)
            return sal__report_callback(sim, status, event, "next_time");
    }
    if (isnan(time))
        return sal__report_at(sim, SAL_ENAN, event, "its next_time is NaN; infinity means never");
    const sal_status status = apply_guard(sim, event, &time);
    if (status == SAL_OK)
        sal__timer_queue_set_time(queue, sim->schedule.timer_of[event], time);
    return sal__report_callback(sim, status, event, "when");
}

static void mark_part_affected(sal_simulator *sim, int part) {
    if (sim->schedule.is_affected[part])
        return;
    sim->schedule.is_affected[part] = true;
    sim->schedule.affected_part[sim->schedule.affected_count++] = part;
}

void sal__mark_affected(sal_simulator *sim, const int *part, int count) {
    const sal__plan *plan = sim->plan;
    for (int i = 0; i < sim->schedule.affected_count; i++)
        sim->schedule.is_affected[sim->schedule.affected_part[i]] = false;
    sim->schedule.affected_count = 0;
    for (int i = 0; i < count; i++)
        mark_part_affected(sim, part[i]);
    for (int i = 0; i < sim->schedule.affected_count; i++) /* the list grows while it is read */
        for (int k = plan->reader_at[sim->schedule.affected_part[i]];
             k < plan->reader_at[sim->schedule.affected_part[i] + 1]; k++)
            mark_part_affected(sim, plan->reader[k]);
}

static void set_fired_affected(sal_simulator *sim, bool to) {
    for (int k = 0; k < sim->witnesses.fired_count; k++) {
        const int event = sim->witnesses.item[sim->witnesses.fired[k]].info.event;
        if (event >= 0) /* a watch belongs to no part */
            sim->schedule.is_affected[sim->plan->event[event].part] = to;
    }
}

void sal__mark_unfired_affected(sal_simulator *sim) {
    sal__mark_affected(sim, NULL, 0);
    set_fired_affected(sim, true); /* so they are not listed */
    for (int i = 0; i < sim->plan->part_count; i++)
        mark_part_affected(sim, i);
    set_fired_affected(sim, false);
}

/* Of the whole instant. */
static void mark_instant_affected(sal_simulator *sim) {
    const int *part = NULL;
    const int count = sal__written_parts(sim, &part);
    sal__mark_affected(sim, part, count);
}

/* next_time is called after initialize, after the event itself, after an update that wrote the part or its inputs,
 * and after an edit from outside. */
sal_status sal__schedule_query(sal_simulator *sim, bool all) {
    if (sim->schedule.next_time_count > 0 && !all)
        mark_instant_affected(sim);
    sim->schedule.next_times_stale = true;
    for (int i = 0; i < sim->schedule.timed_events.count; i++) {
        const sal_status status = query_event(sim, sim->schedule.timed_events.event[i], all);
        if (status != SAL_OK)
            return status;
    }
    sim->schedule.next_times_stale = false;
    return SAL_OK;
}

/* Is this time now? Then earlier times are due too. */
static bool is_now(const sal_simulator *sim, double time) {
    return time <= sim->contexts.current->time || sal__same_instant(time, sim->schedule.instant_start, 0);
}

static const sal__timer *first_timer(const sal__timer_queue *queue) {
    return queue->heap.size ? &queue->timer[queue->heap.entry[0].item] : NULL;
}

int sal__schedule_first_event(const sal_simulator *sim) {
    const int which =
        sal__timer_queue_next_time(&sim->schedule.queue[0]) <= sal__timer_queue_next_time(&sim->schedule.queue[1]) ? 0
                                                                                                                   : 1;
    const sal__timer *timer = first_timer(&sim->schedule.queue[which]);
    return timer ? sim->schedule.queue[which].member[timer->first_member] : -1;
}

double sal__schedule_offset_scale(const sal_simulator *sim, double instant_start) {
    double scale = 0;
    for (int which = 0; which < 2; which++) {
        const sal__timer *timer = first_timer(&sim->schedule.queue[which]);
        if (timer && timer->time == instant_start)
            scale = sal__max(scale, sal__timer_scale(timer));
    }
    return scale;
}

sal_status sal__schedule_report_too_fine(sal_simulator *sim) {
    for (int which = 0; which < 2; which++) {
        const sal__timer *timer = first_timer(&sim->schedule.queue[which]);
        if (!timer || timer->period <= 0 || timer->period > 16 * sal__ulp(sim->contexts.current->time))
            continue;
        return sal__report_at(sim, SAL_ETIME, sim->schedule.queue[which].member[timer->first_member], TOO_FINE);
    }
    return SAL_OK;
}

static int event_of_period(const sal_simulator *sim, double period) {
    for (int which = 0; which < 2; which++)
        for (int i = 0; i < sim->schedule.queue[which].timer_count; i++)
            if (sim->schedule.queue[which].timer[i].period == period)
                return sim->schedule.queue[which].member[sim->schedule.queue[which].timer[i].first_member];
    return -1;
}

/* A time 31 million years ahead means a run without end. More than 1e18 periods or steps before a nearer time is a
 * mistake: at 10 ns each, nobody sees the last one. */
static bool are_endless(double span, double each) {
    return span < 1e15 && span > 1e18 * each;
}

sal_status sal__report_endless_call(sal_simulator *sim, double boundary) {
    const double span = boundary - sim->contexts.current->time;
    const double period = sal__min(sim->schedule.queue[0].shortest_period, sim->schedule.queue[1].shortest_period);
    if (are_endless(span, period))
        return sal__report_at(sim, SAL_ETIME, event_of_period(sim, period),
                              "its period is so short that it would fire more than 1e18 times before the time to "
                              "advance to; give it a longer one");
    if (sim->plan->nx == 0 || !are_endless(span, sim->integrator_config->max_step))
        return SAL_OK;
    return sal__report_failure(sim, SAL_ETIME, -1, -1,
                               "max_step is so short that the run would take more than 1e18 steps to the time to "
                               "advance to; give a longer one");
}

/* Collects from an entry of the heap downwards. */
static void collect_scheduled(sal_simulator *sim, int which, sal_kind kind, int place) {
    const sal__event_calendar *calendar = &sim->schedule.calendar;
    const sal__scheduled_event *s = &calendar->item[calendar->heap[which].entry[place].item];
    if (!is_now(sim, s->time))
        return;
    if (effective_kind(sim->plan->event[s->event].kind) == kind)
        sal__dispatch_add(sim, s->event, 0, -1);
    for (int child = 4 * place + 1; child <= 4 * place + 4 && child < calendar->heap[which].size; child++)
        collect_scheduled(sim, which, kind, child);
}

void sal__schedule_collect_due(sal_simulator *sim, int which, sal_kind kind) {
    const sal__timer_queue *queue = &sim->schedule.queue[which];
    for (int i = 0; i < sim->schedule.due_count[which]; i++) {
        const sal__timer *timer = &queue->timer[sim->schedule.due[which][i]];
        if (timer->kind == (int)kind)
            sal__dispatch_add_timer(sim, timer, queue->member + timer->first_member);
    }
    if (sim->schedule.calendar.heap[which].size > 0)
        collect_scheduled(sim, which, kind, 0);
}

void sal__schedule_remove_due(sal_simulator *sim, int which) {
    while (is_now(sim, sal__calendar_next_time(&sim->schedule.calendar, which)))
        sal__calendar_remove_first(&sim->schedule.calendar, which);
}

/* ---- events from outside ---- */

void sal__schedule_free(sal_simulator *sim) {
    sal__calendar_free(&sim->pool.mem, &sim->schedule.calendar);
}

void sal__schedule_swap_calendar(sal_simulator *sim, sal__event_calendar *other) {
    const sal__event_calendar was = sim->schedule.calendar;
    sim->schedule.calendar = *other;
    *other = was;
}

sal_status sal__schedule_reserve(sal_simulator *sim, int scheduled) {
    const sal_status status = sal__calendar_reserve(&sim->pool.mem, &sim->schedule.calendar, scheduled);
    return status == SAL_OK ? sal__dispatch_reserve(sim) : status;
}

/* Refuses an event that cannot be scheduled, or a time. */
static sal_status check_request(sal_simulator *sim, int part, int event, double t) {
    if (sal__check_usable(sim) != SAL_OK)
        return sal__refuse_state(sim);
    if (!sal__has_event(sim, part, event))
        return SAL__REFUSE_CALL(sim, SAL_EINVAL, "part ", sal__whole_number(part).text, " has no event ",
                                sal__whole_number(event).text,
                                "; sal_diagram_find_part and sal_system_find_event return their numbers, -1 for a name "
                                "that is unknown");
    const sal_event_config *config = sal_system_event(sim->plan->part[part].system, event);
    if (config->trigger != SAL_ON_DEMAND)
        return SAL__REFUSE_CALL(sim, SAL_EINVAL, "the event \"", config->name,
                                "\" has a trigger of its own; only one with SAL_ON_DEMAND can be scheduled");
    if (!(t >= sim->contexts.current->time))
        return SAL__REFUSE_CALL(sim, SAL_EINVAL, "the event \"", config->name,
                                "\" is scheduled for t = ", sal__time_text(t).text, ", before the present, ",
                                sal__time_text(sim->contexts.current->time).text, "; give a time that is not past");
    return SAL_OK;
}

sal_status sal_simulator_schedule(sal_simulator *sim, int part, int event, double t, int64_t *handle) {
    const sal_status status = check_request(sim, part, event, t);
    if (status != SAL_OK)
        return status;
    const int planned = sim->plan->part[part].event_at + event;
    sal__event_calendar *calendar = &sim->schedule.calendar;
    if (sal__schedule_reserve(sim, sal__calendar_count(calendar) + 1) != SAL_OK)
        return SAL_ENOMEM;
    const int64_t number = sal__calendar_add(calendar, queue_of_kind(sim->plan->event[planned].kind), planned, t);
    if (handle)
        *handle = number;
    return SAL_OK;
}

bool sal__schedule_take_back(sal_simulator *sim, int64_t handle) {
    sal__scheduled_event *entry = sal__calendar_find(&sim->schedule.calendar, handle);
    if (entry)
        sal__calendar_remove(&sim->schedule.calendar, entry);
    return entry != NULL;
}

sal_status sal_simulator_cancel(sal_simulator *sim, int64_t handle) {
    if (sal__check_usable(sim) != SAL_OK)
        return sal__refuse_state(sim);
    if (handle < 1 || handle > sim->schedule.calendar.last_number)
        return SAL__REFUSE_CALL(sim, SAL_EINVAL, "no event was scheduled with the handle ",
                                sal__whole_number(handle).text, "; use one that sal_simulator_schedule wrote");
    if (!sal__schedule_take_back(sim, handle))
        return SAL__REFUSE_CALL(
            sim, SAL_ETIME, "the event with the handle ", sal__whole_number(handle).text,
            " is scheduled no more: it has run or was cancelled; cancel an event once, before its time");
    return SAL_OK;
}

sal_status sal_simulator_demand(sal_simulator *sim, int part, int event) {
    return sal_simulator_schedule(sim, part, event, sim->contexts.current->time, NULL);
}

/* ---- in a snapshot ---- */

void sal__schedule_archive(sal__archive *a, sal_simulator *sim, bool edited, int *scheduled) {
    bool is_stale = sim->schedule.next_times_stale || edited;
    is_stale = sal__flag(a, &is_stale);
    if (a->mode == SAL__READ)
        sim->schedule.next_times_stale = is_stale;
    sal__real_not_nan(a, &sim->schedule.instant_start);
    for (int which = 0; which < 2; which++)
        sal__timer_queue_archive(a, &sim->schedule.queue[which]);
    sal__calendar_archive(a, &sim->schedule.calendar, sim->plan, scheduled);
}

void sal__schedule_copy(sal_simulator *to, const sal_simulator *from, bool edited) {
    to->schedule.next_times_stale = from->schedule.next_times_stale || edited;
    to->schedule.instant_start = from->schedule.instant_start;
    for (int which = 0; which < 2; which++)
        sal__timer_queue_copy(&to->schedule.queue[which], &from->schedule.queue[which]);
    sal__calendar_copy(&to->schedule.calendar, &from->schedule.calendar);
}
