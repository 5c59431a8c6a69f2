/* Do all periodic discrete updates share one timing? */
#include "model.h"

static bool is_sampled(const sal_event_config *e) {
    return e->trigger == SAL_ON_PERIOD && e->kind == SAL_DISCRETE;
}

/* Looks at one leaf's events; false when one has another timing than those before. */
static bool look(const sal_system *leaf, int part, sal_sampling *s) {
    for (int i = 0; i < leaf->events.count; i++) {
        const sal_event_config *e = &leaf->events.item[i];
        if (!is_sampled(e))
            continue;
        if (s->first.part < 0)
            *s = (sal_sampling){e->period, e->offset, {part, i}, {-1, -1}};
        if (e->period == s->period && e->offset == s->offset)
            continue;
        s->other = (sal_sampled){part, i};
        return false;
    }
    return true;
}

sal_status sal_system_sampling(const sal_system *sys, sal_sampling *out) {
    *out = (sal_sampling){0, 0, {-1, -1}, {-1, -1}};
    bool same = sys->behaviour ? look(sys, 0, out) : true;
    for (int i = 0; i < sys->members.count && same; i++)
        same = look(sys->members.item[i].system, i, out);
    return same && out->first.part >= 0 ? SAL_OK : SAL_EINVAL;
}
