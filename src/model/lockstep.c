/* Lockstep: a system that demands it has only parts whose classes declare the same bits on every machine. */
#include "model.h"

sal_status sal_system_demand_lockstep(sal_system *sys) {
    const sal_status status = sal__check_open(sys, "lockstep");
    if (status == SAL_OK)
        sys->is_lockstep = true;
    return status;
}

bool sal_system_is_lockstep(const sal_system *sys) {
    bool demanded = sys->is_lockstep;
    for (int i = 0; !demanded && i < sys->members.count; i++)
        demanded = sys->members.item[i].system->is_lockstep;
    return demanded;
}

sal_status sal__check_lockstep(sal_system *sys) {
    if (!sal_system_is_lockstep(sys))
        return SAL_OK;
    for (int i = 0; i < sal_diagram_parts(sys); i++) {
        const sal_system_class *c = sal_diagram_part(sys, i)->behaviour;
        const char *path = sal_diagram_part_name(sys, i);
        if (!c->lockstep)
            return sal__refuse_use(sys, SAL_EINVAL,
                                   SAL__PIECES(path, path[0] ? ": " : "", "lockstep is demanded, and the class \"",
                                               c->name ? c->name : "",
                                               "\" does not declare it; set .lockstep, if its functions call "
                                               "saltus/math.h and compute the same bits on every machine"));
    }
    return SAL_OK;
}
