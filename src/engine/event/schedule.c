/* What is due when: the two queues, the times that systems choose themselves,
 * and what was scheduled from outside.
 *
 * What is taken for an instant stays as it is when the instant is undone,
 * and counts up when it ran: pending is simply "still due". */
#include <math.h>
#include <string.h>

#include "engine/simulator.h"

#define TOO_FINE "its period is below 16 ulp of the time: samples would be lost or doubled"

/* An event without a handler ends the step as a publish does. */
static sal_kind watching(sal_kind kind) {
    return kind == SAL_NO_HANDLER ? SAL_PUBLISH : kind;
}

int sal__timing_queue_of(sal_kind kind) {
    return watching(kind) == SAL_PUBLISH ? SAL__PUBLISHES : SAL__UPDATES;
}

static sal__queue *queue_of_event(sal_simulator *sim, int event) {
    return &sim->queue[sal__timing_queue_of(sim->plan->event[event].kind)];
}

static sal_status list_events(sal_simulator *sim) {
    const sal__plan *plan = sim->plan;
    const size_t bytes = (size_t)plan->events * sizeof(int);
    for (int trigger = 0; trigger <= SAL_ON_DEMAND; trigger++)
        for (int kind = 0; kind <= SAL_UNRESTRICTED; kind++)
            if (!(sim->by[trigger][kind].event = sal__alloc(&sim->mem, bytes)))
                return SAL_ENOMEM;
    for (int i = 0; i < plan->events; i++) {
        const sal_event_config *config = plan->event[i].config;
        sal__events *list = &sim->by[config->trigger][config->kind];
        list->event[list->count++] = i;
        sim->any[config->kind] = true;
        if (config->trigger == SAL_ON_STEP && config->kind >= SAL_DISCRETE)
            sim->updates_each_step = true;
        if (config->trigger == SAL_ON_WITNESS ||
            config->trigger == SAL_ON_CHANGE) /* firings too many are settled, or refused, as such an update */
            sim->any[SAL_UNRESTRICTED] = true;
        if (config->trigger == SAL_ON_TIME)
            sim->timed.event[sim->timed.count++] = i;
    }
    return SAL_OK;
}

sal_status sal__timing_new(sal_simulator *sim) {
    const sal__plan *plan = sim->plan;
    const size_t bytes = (size_t)plan->events * sizeof(int);
    sim->timer_of = sal__alloc(&sim->mem, bytes);
    sim->timed.event = sal__alloc(&sim->mem, bytes);
    sim->concerned = sal__alloc(&sim->mem, (size_t)plan->parts * sizeof(bool));
    sim->concerned_part = sal__alloc(&sim->mem, (size_t)plan->parts * sizeof(int));
    if (!sim->timer_of || !sim->timed.event || !sim->concerned || !sim->concerned_part || list_events(sim) != SAL_OK)
        return SAL_ENOMEM;
    for (int which = 0; which < 2; which++) {
        sim->taken[which] = sal__alloc(&sim->mem, bytes);
        if (!sim->taken[which] || sal__queue_new(&sim->mem, &sim->queue[which], plan->events) != SAL_OK)
            return SAL_ENOMEM;
    }
    for (int i = 0; i < plan->events; i++) {
        const sal_event_config *config = plan->event[i].config;
        const int kind = (int)watching(config->kind);
        if (config->trigger == SAL_ON_PERIOD)
            sim->timer_of[i] = sal__queue_add(queue_of_event(sim, i), i, kind, config->period, config->offset);
        if (config->trigger == SAL_ON_TIME)
            sim->timer_of[i] = sal__queue_add(queue_of_event(sim, i), i, kind, 0, 0);
        sim->functions += config->trigger == SAL_ON_TIME && config->time_variable < 0;
    }
    for (int which = 0; which < 2; which++)
        sal__queue_close(&sim->mem, &sim->queue[which], plan->events);
    sim->early = sim->queue[0].earliest + sim->queue[1].earliest < 0;
    sim->fine_before = 0x1p48 * sal__min(sim->queue[0].shortest, sim->queue[1].shortest);
    return SAL_OK;
}

void sal__timing_free(sal_simulator *sim) {
    const size_t bytes = (size_t)sim->plan->events * sizeof(int);
    for (int trigger = 0; trigger <= SAL_ON_DEMAND; trigger++)
        for (int kind = 0; kind <= SAL_UNRESTRICTED; kind++)
            sal__free(&sim->mem, sim->by[trigger][kind].event, bytes);
    sal__free(&sim->mem, sim->timer_of, bytes);
    sal__free(&sim->mem, sim->timed.event, bytes);
    sal__free(&sim->mem, sim->concerned, (size_t)sim->plan->parts * sizeof(bool));
    sal__free(&sim->mem, sim->concerned_part, (size_t)sim->plan->parts * sizeof(int));
    for (int which = 0; which < 2; which++) {
        sal__free(&sim->mem, sim->taken[which], bytes);
        sal__queue_free(&sim->mem, &sim->queue[which], sim->plan->events);
    }
    sal__agenda_free(&sim->mem, &sim->agenda);
}

sal_status sal__timing_start(sal_simulator *sim, sal_report *report) {
    const double now = sim->run->time;
    for (int which = 0, bad = 0; which < 2; which++)
        if (sal__queue_start(&sim->queue[which], now, &bad) != SAL_OK)
            return sal__blame(sim, report, SAL_ETIME, bad, TOO_FINE);
    sim->opener = now;
    for (int i = 0; i < sim->timed.count; i++) /* what was due in an earlier run is not */
        sal__queue_set(queue_of_event(sim, sim->timed.event[i]), sim->timer_of[sim->timed.event[i]], INFINITY);
    return sal__timing_ask(sim, true, report);
}

/* While its guard is false a timed event is not there, not even when its time has come. */
static sal_status heed_guard(sal_simulator *sim, const sal__planned_event *e, double *time) {
    const double now = sim->run->time;
    if (!e->guarded || !(*time <= now || sal__same_instant(*time, now, 0)))
        return SAL_OK;
    const sal_system *sys = sim->plan->part[e->part].system;
    bool active = true;
    const sal_status status = sys->behaviour->when(sys, &sim->run->window[e->part], e->index, &active);
    if (status == SAL_OK && !active)
        *time = INFINITY;
    return status;
}

static sal_status ask_one(sal_simulator *sim, int event, bool all, sal_report *report) {
    const sal__planned_event *e = &sim->plan->event[event];
    const sal__part *part = &sim->plan->part[e->part];
    sal__queue *queue = queue_of_event(sim, event);
    sal__timer *timer = &queue->timer[sim->timer_of[event]];
    const double known = timer->time;
    const bool due = known <= sim->run->time || sal__same_instant(known, sim->opener, 0);
    const bool variable = e->time_variable >= 0;
    double time = variable ? sim->run->of[SAL_XD][part->at[SAL_XD] + e->time_variable] : known;
    if (due && time == known)
        return SAL_OK; /* it stays so until it was handled */
    if (!variable && !all && !timer->used && !sim->concerned[e->part])
        return SAL_OK;
    if (!variable) {
        const sal_status status =
            part->system->behaviour->next_time(part->system, &sim->run->window[e->part], e->index, &time);
        if (status != SAL_OK)
            return sal__blame(sim, report, status, event, NULL);
    }
    if (isnan(time))
        return sal__blame(sim, report, SAL_ENAN, event, "its next_time is NaN; infinity means never");
    const sal_status status = heed_guard(sim, e, &time);
    if (status != SAL_OK)
        return sal__blame(sim, report, status, event, NULL);
    timer->used = false;
    if (time != known)
        sal__queue_set(queue, sim->timer_of[event], time);
    return SAL_OK;
}

static void concern(sal_simulator *sim, int part) {
    if (sim->concerned[part])
        return;
    sim->concerned[part] = true;
    sim->concerned_part[sim->concerned_parts++] = part;
}

void sal__concern(sal_simulator *sim, const int *part, int count) {
    const sal__plan *plan = sim->plan;
    for (int i = 0; i < sim->concerned_parts; i++)
        sim->concerned[sim->concerned_part[i]] = false;
    sim->concerned_parts = 0;
    for (int i = 0; i < count; i++)
        concern(sim, part[i]);
    for (int i = 0; i < sim->concerned_parts; i++) /* the list grows as it is read */
        for (int k = plan->reader_at[sim->concerned_part[i]]; k < plan->reader_at[sim->concerned_part[i] + 1]; k++)
            concern(sim, plan->reader[k]);
}

/* Of the whole instant. */
static void mark_concerned(sal_simulator *sim) {
    const int *part = sim->touched_part;
    const int count = sim->journal ? sal__journal_parts(sim, &part) : sim->touched_parts;
    sal__concern(sim, part, count);
}

/* Systems choose these times anew after initialize, after their own event, after an update that wrote them or what
 * they hang on, and after an edit from outside. */
sal_status sal__timing_ask(sal_simulator *sim, bool all, sal_report *report) {
    if (sim->functions > 0 && !all)
        mark_concerned(sim);
    sim->unasked = true;
    for (int i = 0; i < sim->timed.count; i++) {
        const sal_status status = ask_one(sim, sim->timed.event[i], all, report);
        if (status != SAL_OK)
            return status;
    }
    sim->unasked = false;
    return SAL_OK;
}

/* Scheduled for now; so is then what was scheduled for before. */
static bool is_now(const sal_simulator *sim, double time) {
    return time <= sim->run->time || sal__same_instant(time, sim->opener, 0);
}

static const sal__timer *first_timer(const sal__queue *queue) {
    return queue->size ? &queue->timer[queue->heap[0].timer] : NULL;
}

int sal__timing_first(const sal_simulator *sim) {
    const int which = sal__queue_next(&sim->queue[0]) <= sal__queue_next(&sim->queue[1]) ? 0 : 1;
    const sal__timer *timer = first_timer(&sim->queue[which]);
    return timer ? sim->queue[which].member[timer->first] : -1;
}

double sal__timing_early_scale(const sal_simulator *sim, double opener) {
    double scale = 0;
    for (int which = 0; which < 2; which++) {
        const sal__timer *timer = first_timer(&sim->queue[which]);
        if (timer && timer->time == opener)
            scale = sal__max(scale, sal__timer_scale(timer));
    }
    return scale;
}

bool sal__timing_refuse_too_fine(const sal_simulator *sim, sal_report *report) {
    for (int which = 0; which < 2; which++) {
        const sal__timer *timer = first_timer(&sim->queue[which]);
        if (!timer || timer->period <= 0 || timer->period > 16 * sal__ulp(sim->run->time))
            continue;
        const sal__planned_event *e = &sim->plan->event[sim->queue[which].member[timer->first]];
        report->part = e->part;
        report->event = e->index;
        sal_note_set(&report->note, TOO_FINE);
        return true;
    }
    return false;
}

static int event_of_period(const sal_simulator *sim, double period) {
    for (int which = 0; which < 2; which++)
        for (int i = 0; i < sim->queue[which].timers; i++)
            if (sim->queue[which].timer[i].period == period)
                return sim->queue[which].member[sim->queue[which].timer[i].first];
    return -1;
}

/* What lies so far ahead (31 million years) is no aim but a run without end. Of 1e18 in shorter spans, at 10 ns each,
 * nobody sees the last: that is a slip in a number. */
static bool are_endless(double span, double each) {
    return span < 1e15 && span > 1e18 * each;
}

sal_status sal__refuse_endless(sal_simulator *sim, double boundary, sal_report *report) {
    const double span = boundary - sim->run->time;
    const double period = sal__min(sim->queue[0].shortest, sim->queue[1].shortest);
    if (are_endless(span, period))
        return sal__blame(sim, report, SAL_ETIME, event_of_period(sim, period),
                          "its period is so short that it would fire more than 1e18 times until the time to go to; "
                          "give it a longer one");
    if (sim->plan->nx == 0 || !are_endless(span, sal_integrator_config_of(sim->in)->max_step))
        return SAL_OK;
    sal_note_set(&report->note, "max_step is so short that it would take more than 1e18 steps to the time to go to; "
                                "give a longer one");
    return SAL_ETIME;
}

/* From a place in the heap downwards. */
static void collect_scheduled(sal_simulator *sim, int which, sal_kind kind, int place) {
    const sal__agenda *agenda = &sim->agenda;
    const sal__scheduled *s = &agenda->item[agenda->heap[which][place]];
    if (!is_now(sim, s->time))
        return;
    if (sim->plan->event[s->event].kind == kind)
        sal__dispatch_add(sim, s->event, 0, -1);
    for (int child = 4 * place + 1; child <= 4 * place + 4 && child < agenda->size[which]; child++)
        collect_scheduled(sim, which, kind, child);
}

/* Its events, which are in order. */
static inline void collect_timer(sal_simulator *sim, const sal__timer *timer, const int *event) {
    const int *rank = sim->plan->rank;
    sal__call *call = sim->call + sim->calls;
    sim->disordered |= sim->calls > 0 && call[-1].rank > rank[*event];
    for (int i = 0; i < timer->count; i++)
        call[i] = (sal__call){event[i], rank[event[i]], timer->k, -1, false};
    sim->calls += timer->count;
}

void sal__timing_collect(sal_simulator *sim, int which, sal_kind kind) {
    const sal__queue *queue = &sim->queue[which];
    for (int i = 0; i < sim->takens[which]; i++) {
        const sal__timer *timer = &queue->timer[sim->taken[which][i]];
        if (timer->kind == (int)kind)
            collect_timer(sim, timer, queue->member + timer->first);
    }
    if (sim->agenda.size[which] > 0)
        collect_scheduled(sim, which, kind, 0);
}

void sal__timing_forget_scheduled(sal_simulator *sim, int which) {
    while (is_now(sim, sal__agenda_next(&sim->agenda, which)))
        sal__agenda_remove(&sim->agenda, &sim->agenda.item[sim->agenda.heap[which][0]]);
}
