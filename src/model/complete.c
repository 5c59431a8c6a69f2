/* Whether a class has the functions that its system's declarations call. */
#include "model.h"

static bool has_handler(const sal_system_class *c, sal_kind kind) {
    return kind == SAL_NO_HANDLER || (kind == SAL_PUBLISH ? c->publish != NULL : c->update != NULL);
}

static bool serves(const sal_system_class *c, const sal_event_config *e) {
    return has_handler(c, e->kind) && (e->trigger != SAL_ON_WITNESS || c->witness) && (!e->guarded || c->when) &&
           (e->trigger != SAL_ON_CHANGE || (c->holds && (e->finders <= 0 || c->finder))) &&
           (e->trigger != SAL_ON_TIME || e->time_variable >= 0 || c->next_time) && (!e->on_zeno || c->update);
}

bool sal__system_is_complete(const sal_system *sys) {
    const sal_system_class *c = sys->behaviour;
    if (sys->size[SAL_Q] + sys->size[SAL_V] + sys->size[SAL_Z] > 0 && !c->derivatives)
        return false;
    for (int i = 0; i < sys->outputs.count; i++)
        if (!sys->outputs.item[i].is_alias && !c->output)
            return false;
    for (int i = 0; i < sys->events.count; i++)
        if (!serves(c, &sys->events.item[i]))
            return false;
    return true;
}
