/* What the files about delays share. */
#ifndef SAL_DELAY_H
#define SAL_DELAY_H

#include "engine/simulator.h"

static inline bool sal__has_history(const sal_simulator *sim, int part) {
    return sim->plan->part[part].system->history.columns.count > 0;
}

static inline sal__history_buffer *sal__history_buffer_in(const sal_simulator *sim, const sal__context_data *data,
                                                          int part) {
    const sal__part *place = &sim->plan->part[part];
    return data->slot[place->slot_at + place->system->history.slot];
}

static inline sal__history_buffer *sal__history_buffer_of(const sal_simulator *sim, int part) {
    return sal__history_buffer_in(sim, sim->contexts.current, part);
}

/* The state at t of the attempted step, on its interpolant. */
static inline void sal__attempted_state(const sal_simulator *sim, double t, double *x) {
    for (int i = 0; i < sim->plan->nx; i++)
        x[i] = sal__provisional_value(sim->delay_state->step, sim->plan->nx, i, t);
}

/* history.c: the number of values of the widest part; the values of a part now; appending to its buffer from the
 * newest point to t, or truncating back to t. */
size_t sal__widest_history_row(const sal_simulator *sim);
sal_status sal__read_history_row(const sal_simulator *sim, int part, double *value);
sal_status sal__append_history(sal_simulator *sim, int part, double t);

/* influence.c: which pasts a delayed value influences. */
sal_status sal__influence_new(sal_simulator *sim);

/* discontinuity.c: inserts in the order of time; two equal ones become one. The caller has reserved room. */
sal_status sal__reserve_discontinuity(sal_simulator *sim);
void sal__add_discontinuity(sal__delay_state *m, const sal__discontinuity *found);
void sal__drop_discontinuities(sal__delay_state *m, double t); /* those that no delay reaches from t on */
void sal__drop_discontinuities_after(sal__delay_state *m, double t);
void sal__discontinuities_copy(sal__delay_state *m, const sal__delay_state *from); /* there is room for them */
void sal__discontinuities_archive(sal__archive *a, sal__delay_state *m, int *count);
/* Does site i reach an end of its smooth interval in the step that ends at t? 1: smooth_to, -1: smooth_from, 0: no. */
int sal__site_reaches_end(const sal__delay_state *m, int i, double t);
/* At t the site reached smooth_to, or returned to smooth_from: propagates that discontinuity, and moves the site to
 * the next interval once it is placed. */
void sal__cross_discontinuity(sal_simulator *sim, sal__delay_site *site, bool back, double t);
/* The step that ended at t was accepted: its end is the start of the next one. */
void sal__advance_sites(sal_simulator *sim, double t);

/* past_readers.c: forget: what they read at the ends of the last step no longer counts. begin_step: none has failed. */
void sal__past_readers_new(sal_simulator *sim);
void sal__past_readers_forget(sal__delay_state *m);
void sal__past_readers_begin_step(sal__delay_state *m);
/* Where events or recorded signals meet a jump or a corner of what they read, in the step from t0 to t1
 * that was tried, which ends at the state `end`. INFINITY: not before t1. */
sal_status sal__past_readers_limit(sal_simulator *sim, double t0, double t1, const double *end, double *stop);
/* Does a recorded signal meet one at t, the end of a step? The step was accepted: it hands it on. */
bool sal__past_readers_meet(const sal__delay_state *m, double t);
/* The step ends at t: notes whether a jump arrives there. */
void sal__past_readers_note_arrival(sal__delay_state *m, double t);
sal_status sal__past_readers_advance(sal_simulator *sim, double t);

/* kink.c: the first kink of a lag between the times; INFINITY: none. */
sal_status sal__find_kink(sal_simulator *sim, const sal_rhs *rhs, double from, double to, double *corner);

/* site_exit.c: the earliest time in the attempted step at which a site leaves its smooth interval, at either end. */
typedef struct sal__site_exit {
    double t; /* INFINITY: nowhere */
    int site;
    bool at_start;
} sal__site_exit;
/* Call it before: marks the sites that may have left their interval between two stages and returned. */
void sal__mark_possible_exits(sal__delay_state *m);
/* Evaluates the derivatives at t of the attempted step, so that each site has `read_at`. */
sal_status sal__probe_sites(sal_simulator *sim, const sal_rhs *rhs, double t);
sal_status sal__first_exit(sal_simulator *sim, const sal_rhs *rhs, sal__site_exit *first);

#endif
