/* Witnesses and conditions in a snapshot of the run. */
#include <string.h>

#include "engine/simulator.h"

enum { IN_NO_LIST, IN_CROSSING, IN_FIRED, IN_LEFT };

/* A list of witnesses. None is in two, nor twice in one. */
static int archive_list(sal__archive *a, sal_simulator *sim, int *list, int *count, unsigned char in) {
    const int most = in == IN_FIRED ? sim->witness_cap : sim->witnesses; /* conditions fire, and never cross */
    const int size = sal__count(a, count, most, sizeof(int32_t));
    for (int k = 0; k < size && !a->bad; k++) {
        const int i = sal__int(a, &list[k], 0, most - 1);
        if (a->mode != SAL__CHECK)
            continue;
        sal__rule(a, sim->listed[i] == IN_NO_LIST);
        sim->listed[i] = in;
    }
    return size;
}

static void archive_witness(sal__archive *a, sal__witness *w, int listed, const sal__rest *rest) {
    sal__flag(a, &w->active);
    sal__flag(a, &w->surface);
    sal__flag(a, &w->turned);
    sal__flag(a, &w->thrown);
    const bool settle = sal__flag(a, &w->settle), fired = sal__flag(a, &w->fired);
    sal__flag(a, &w->zeno);
    sal__flag(a, &w->end_unknown);
    sal__side(a, &w->near);
    sal__side(a, &w->from);
    const double theta = sal__real(a, &w->theta);
    double *const values[] = {&w->w0, &w->w1,    &w->s0,      &w->s1,  &w->level, &w->t0,
                              &w->t1, &w->limit, &w->longest, &w->aim, &w->since, &w->span};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        sal__real(a, values[i]);
    for (int i = 0; i < 4; i++)
        sal__real(a, &w->times[i]);
    for (int i = 0; i < 5; i++)
        sal__whole(a, &w->steps[i], 0, SAL__MOST_OF_A_COUNT);
    sal__whole(a, &w->firings, 0, SAL__MOST_OF_A_COUNT);
    sal__whole(a, &w->rapid, 0, SAL__MOST_OF_A_COUNT);
    sal__whole(a, &w->shrunk, 0, SAL__MOST_OF_A_COUNT);
    if (a->mode != SAL__CHECK)
        return;
    sal__rule(a, fired == (listed == IN_FIRED));
    sal__rule(a, listed != IN_CROSSING || (rest->there && !settle && theta >= rest->theta && theta <= 1));
}

/* As they cross: the first one last. One that is not active is out of it. */
static void order_crossings(sal_simulator *sim, int count) {
    int kept = 0;
    for (int k = 0; k < count; k++) {
        const int i = sim->crossing[k];
        const sal__witness *w = &sim->witness[i];
        int at = kept;
        if (!w->active)
            continue;
        for (; at > 0 && sim->witness[sim->crossing[at - 1]].theta < w->theta; at--)
            sim->crossing[at] = sim->crossing[at - 1];
        sim->crossing[at] = i;
        kept++;
    }
    sim->crossings = kept;
}

/* Handlers of those that fired may ask for the state before. */
static void archive_before(sal__archive *a, sal_simulator *sim) {
    double time = sim->before->time;
    sal__real(a, &time);
    sal__block_archive(a, sim, sim->before);
    if (a->mode != SAL__READ)
        return;
    sal__store_touch(sim->before);
    sal__store_look(sim->before, time, NULL);
}

void sal__witnesses_archive(sal__archive *a, sal_simulator *sim, const sal__rest *rest) {
    int crossings = rest->there ? sim->crossings : 0;
    if (a->mode == SAL__CHECK)
        memset(sim->listed, IN_NO_LIST, (size_t)sim->witness_cap);
    archive_list(a, sim, sim->crossing, &crossings, IN_CROSSING);
    const int fired = archive_list(a, sim, sim->fired, &sim->waiting, IN_FIRED);
    archive_list(a, sim, sim->left, &sim->lefts, IN_LEFT);
    for (int i = 0; i < sim->witness_cap && !a->bad; i++)
        archive_witness(a, &sim->witness[i], sim->listed[i], rest);
    if (a->mode == SAL__READ)
        order_crossings(sim, crossings);
    if (fired > 0)
        archive_before(a, sim);
    for (int i = 0; i < sim->conditions && !a->bad; i++) {
        sal__flag(a, &sim->condition[i].held);
        sal__flag(a, &sim->condition[i].there);
    }
}
