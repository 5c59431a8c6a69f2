/* Lockstep: a system that demands it has only parts whose classes declare the same bits on every machine. */
#include "model.h"

sal_status sal_system_demand_lockstep(sal_system *sys) {
    if (!sys || sys->is_frozen)
        return SAL_EINVAL;
    sys->is_lockstep = true;
    return SAL_OK;
}

bool sal_system_is_lockstep(const sal_system *sys) {
    bool demanded = sys->is_lockstep;
    for (int i = 0; !demanded && i < sys->members.count; i++)
        demanded = sys->members.item[i].system->is_lockstep;
    return demanded;
}

sal_status sal__check_lockstep(const sal_system *sys) {
    if (!sal_system_is_lockstep(sys))
        return SAL_OK;
    for (int i = 0; i < sal_diagram_parts(sys); i++)
        if (!sal_diagram_part(sys, i)->behaviour->lockstep)
            return SAL_EINVAL;
    return SAL_OK;
}
