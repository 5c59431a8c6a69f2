/* What the files about delays share. */
#ifndef SAL_DELAY_H
#define SAL_DELAY_H

#include "engine/simulator.h"

static inline bool sal__keeps(const sal_simulator *sim, int part) {
    return sim->plan->part[part].system->kept.count > 0;
}

static inline sal__past *sal__past_in(const sal_simulator *sim, const sal__store *root, int part) {
    const sal__part *place = &sim->plan->part[part];
    return root->slot[place->slot_at + place->system->past_slot];
}

static inline sal__past *sal__past_of(const sal_simulator *sim, int part) {
    return sal__past_in(sim, sim->run, part);
}

/* history.c: values that the widest part keeps; what a part keeps now; to its buffer, from the
 * newest point on to t, or back to t. */
size_t sal__widest_kept(const sal_simulator *sim);
sal_status sal__gather_kept(const sal_simulator *sim, int part, double *value);
sal_status sal__keep(sal_simulator *sim, int part, double t);

/* discontinuity.c: in the order of time, two that are one instant become one; room was made. */
sal_status sal__reserve_break(sal_simulator *sim);
void sal__add_break(sal__moment *m, const sal__break *found);
void sal__forget_breaks(sal__moment *m, double t);
/* Does site i, in the step that ends at t, come to an end of its smooth stretch? 1: to `until`, -1: back to `after`. */
int sal__site_arrives(const sal__moment *m, int i, double t);
/* At t the site is at `until`, or back at `after`: it hands the break on, and goes on beyond it once it is placed. */
void sal__site_meets(sal_simulator *sim, sal__site *site, bool back, double t);
/* The step that ended at t was accepted: its end is the next one's start. */
void sal__settle_sites(sal_simulator *sim, double t);

/* site_exit.c: the first place in the step that was tried where a site was led out of its stretch, at either end. */
typedef struct sal__leaving {
    double t; /* INFINITY: nowhere */
    int site;
    bool back;
} sal__leaving;
/* Before: marks the sites that may have left it between two stages, and be back. */
void sal__suspect_leaving(sal__moment *m);
sal_status sal__first_leaving(sal_simulator *sim, const sal_rhs *rhs, sal__leaving *first);

#endif
