/* States are brought back to where they belong: constraints, invariants, unit quaternions; part by part.
 *
 * Eich's coordinate projection at both levels (SIAM J. Numer. Anal. 30, 1993; Ascher, Chin, Reich,
 * Numer. Math. 67, 1994; Hairer, Wanner, Solving ODEs II, VII.2). The estimated error loses what
 * led off the manifold. */
#include <math.h>
#include <string.h>

#include "projection.h"

typedef sal__bound bound;

static void measure(const sal_simulator *sim) {
    struct sal__projection *p = sim->projection;
    for (int k = 0; k < p->bounds; k++)
        for (int s = SAL_Q; s <= SAL_Z; s++) {
            const int first = sal__place(&p->bound[k])->at[s], n = p->bound[k].system->size[s];
            for (int i = first; i < first + n; i++) {
                const double distance = fabs(p->x[i] - p->kept[i]) / sal__unit(sim, i, p->kept[i]);
                if (distance > p->distance)
                    p->furthest = p->bound[k].part;
                p->distance = sal__max(p->distance, distance);
            }
        }
}

/* x changes only when all parts found their place. */
static sal_status correct(void *user, double t, double *x, double *err, bool *moved) {
    sal_simulator *sim = user;
    struct sal__projection *p = sim->projection;
    const size_t bytes = (size_t)sim->plan->nx * sizeof *x;
    sal_status status = SAL_OK;
    bool any = false;
    const int blamed = sim->failing_part;
    p->t = t;
    p->distance = 0;
    memcpy(p->x, x, bytes);
    memcpy(p->kept, x, bytes);
    for (int i = 0; status == SAL_OK && i < p->bounds; i++) {
        sim->failing_part = p->bound[i].part;
        status = sal__bring_back(&p->bound[i], err, &any);
    }
    sal__store_look(sim->run, t, x);
    if (status != SAL_OK)
        return status;
    sim->failing_part = blamed;
    measure(sim);
    memcpy(x, p->x, bytes);
    *moved = *moved || any;
    return SAL_OK;
}

sal_status sal__project(sal_simulator *sim, double t, double *x) {
    bool moved = false;
    return sim->projection ? correct(sim, t, x, NULL, &moved) : SAL_OK;
}

void sal__projection_attach(sal_simulator *sim) {
    const sal_correction correction = {correct, sim};
    struct sal__projection *p = sim->projection;
    if (!p)
        return;
    for (int i = 0; i < p->bounds; i++)
        p->bound[i].ctx = &sim->run->window[p->bound[i].part];
    sal_integrator_set_correction(sim->in, &correction);
}

/* ---- the state as a whole: at the start, after updates, after changes from outside ---- */

/* "constraint 12", without stdio. */
static void name_constraint(char *text, const char *what, int number) {
    char digits[12];
    int n = 0;
    for (int rest = number; rest > 0; rest /= 10)
        digits[n++] = (char)('0' + rest % 10);
    size_t at = strlen(what);
    memcpy(text, what, at);
    while (n > 0)
        text[at++] = digits[--n];
    text[at] = '\0';
}

void sal__projection_blame(const sal_simulator *sim, const char *before, const char *after, sal_note *note) {
    const struct sal__projection *p = sim->projection;
    char which[64] = "what project wants", text[256];
    if (!p)
        return;
    for (int i = 0; i < p->bounds; i++) {
        const bound *b = &p->bound[i];
        if (b->part == sim->failing_part && b->position.m > 0 && b->position.worst >= 0)
            name_constraint(which, "constraint ", b->position.worst + 1);
        else if (b->part == sim->failing_part && b->velocity.m > 0 && b->velocity.worst >= 0)
            name_constraint(which, "the rate of constraint ", b->velocity.worst + 1);
    }
    const size_t first = strlen(before), middle = strlen(which), last = strlen(after);
    memcpy(text, before, first);
    memcpy(text + first, which, middle);
    memcpy(text + first + middle, after, last + 1);
    sal_note_set(note, text);
}

/* `text` NULL: no place was found from where it stood `before`. */
static sal_status complain(sal_simulator *sim, sal_status status, sal_report *report, const char *text,
                           const char *before) {
    report->part = sim->failing_part;
    if (status == SAL_RETRY)
        sal__projection_blame(sim, before, "", &report->note);
    else
        sal_note_set(&report->note, text);
    return status == SAL_RETRY ? SAL_EOFF : status;
}

/* Where the run's state belongs, in `scratch`. */
static sal_status correct_run(sal_simulator *sim, bool *moved) {
    const double t = sim->run->time;
    memcpy(sim->scratch, sim->run->block, (size_t)sim->plan->nx * sizeof *sim->scratch);
    const sal_status status = correct(sim, t, sim->scratch, NULL, moved);
    sal__store_look(sim->run, t, NULL);
    return status;
}

/* Brings the context back, when that takes no more than `most` units. */
sal_status sal__project_context(sal_simulator *sim, double most, sal_report *report) {
    struct sal__projection *p = sim->projection;
    if (!p)
        return SAL_OK;
    bool moved = false;
    const sal_status status = correct_run(sim, &moved);
    if (status != SAL_OK)
        return complain(sim, status, report, "", "no state near this one meets ");
    sim->failing_part = p->distance > most ? p->furthest : sim->failing_part;
    if (!(p->distance <= most))
        return complain(sim, SAL_EOFF, report,
                        "the state does not meet the constraints; initialize{ consistent = true } moves it there", "");
    memcpy(sim->run->block, sim->scratch, (size_t)sim->plan->nx * sizeof *sim->scratch);
    return SAL_OK;
}

/* After unrestricted updates: parts that have to move join those that were written, so that a failure undoes them. */
sal_status sal__project_updated(sal_simulator *sim, sal_report *report) {
    struct sal__projection *p = sim->projection;
    if (!p)
        return SAL_OK;
    bool moved = false;
    const sal_status status = correct_run(sim, &moved);
    if (status != SAL_OK)
        return complain(sim, status, report, "", "after the update no state nearby meets ");
    sal__stage_begin(sim, SAL_UNRESTRICTED);
    for (int i = 0; moved && i < p->bounds; i++) {
        const int part = p->bound[i].part, *at = sim->plan->part[part].at;
        sal__stage(sim, part);
        sim->staging[part] = SAL__WRITTEN;
        for (int k = SAL_Q; k <= SAL_Z; k++)
            memcpy(sim->staged->block + at[k], sim->scratch + at[k],
                   (size_t)p->bound[i].system->size[k] * sizeof(double));
    }
    if (moved)
        sal__stage_end(sim, true);
    return SAL_OK;
}

sal_status sal__projection_start(sal_simulator *sim, sal_report *report) {
    struct sal__projection *p = sim->projection;
    if (!p)
        return SAL_OK;
    sal_status status = SAL_OK;
    p->t = sim->run->time;
    memcpy(p->x, sim->run->block, (size_t)sim->plan->nx * sizeof *p->x);
    for (int i = 0; status == SAL_OK && i < p->bounds; i++) {
        report->part = p->bound[i].part;
        status = sal__examine(&p->bound[i], &report->note);
    }
    sal__store_look(sim->run, p->t, NULL);
    if (status == SAL_OK)
        report->part = -1;
    return status;
}

/* ---- life ---- */

static sal_status make_room(sal_simulator *sim) {
    const size_t nx = (size_t)sim->plan->nx;
    struct sal__projection *p = sim->projection = sal__alloc(&sim->mem, sizeof *p);
    if (!p)
        return SAL_ENOMEM;
    p->bound = sal__alloc(&sim->mem, (size_t)sim->plan->parts * sizeof *p->bound);
    p->x = sal__alloc(&sim->mem, 4 * nx * sizeof *p->x);
    if (!p->bound || !p->x)
        return SAL_ENOMEM;
    p->kept = p->x + nx;
    p->far = p->kept + nx;
    p->dot = p->far + nx;
    return SAL_OK;
}

sal_status sal__projection_new(sal_simulator *sim) {
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && i < sim->plan->parts; i++) {
        if (!sal__is_bound(sim->plan->part[i].system))
            continue;
        status = sim->projection ? SAL_OK : make_room(sim);
        if (status == SAL_OK)
            status = sal__bound_new(sim, i, &sim->projection->bound[sim->projection->bounds++]);
    }
    return status;
}

void sal__projection_free(sal_simulator *sim) {
    struct sal__projection *p = sim->projection;
    if (!p)
        return;
    const sal_allocator *mem = &sim->mem;
    for (int i = 0; i < p->bounds; i++)
        sal__bound_free(&p->bound[i]);
    sal__free(mem, p->bound, (size_t)sim->plan->parts * sizeof *p->bound);
    sal__free(mem, p->x, 4 * (size_t)sim->plan->nx * sizeof *p->x);
    sal__free(mem, p, sizeof *p);
}
