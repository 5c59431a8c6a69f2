/* Watches: functions of the host that end an advance where they reach zero. Part of engine/simulator.h. */
#ifndef SAL_WATCH_H
#define SAL_WATCH_H

/* ---- watch.c ---- */

sal_status sal__watches_new(sal_simulator *sim); /* after all witnesses and conditions */
void sal__watches_free(sal_simulator *sim);
/* The first watch is the witness behind those of the plan. */
static inline int sal__first_watch(const sal_simulator *sim) {
    return sim->witnesses.count - sim->host.watches.armed_count;
}
/* The position of the watch with this handle; -1: there is none. */
int sal__watch_find(const sal_simulator *sim, int64_t handle);
/* When a run is loaded: disarms all, and arms one after the other, in the order of their handles. */
void sal__watches_disarm(sal_simulator *sim);
void sal__watches_arm(sal_simulator *sim, int64_t handle);
static inline void sal__watches_begin_call(sal_simulator *sim) {
    sim->host.watches.fired_count = 0;
}
void sal__watches_clear(sal_simulator *sim); /* none is known */
/* The functions of this simulator's watches belong to it alone: those of Lua do. */
void sal__watches_set_private(sal_simulator *sim);
/* A copy has the watches that are armed in the other run. Those that it knows keep their functions; the others get
 * those of the other one. First: EWATCH if these are private; ENOMEM; nothing changed. */
sal_status sal__watches_reserve_copy(sal_simulator *to, const sal_simulator *from);
void sal__watches_copy(sal_simulator *to, const sal_simulator *from);
/* Something else than flow may have changed their values: they are read at the next x+. */
static inline void sal__watches_set_stale(sal_simulator *sim, bool are_stale) {
    if (sim->run_state.has_watches)
        sim->host.watches.is_stale = are_stale;
}
/* After initialize. */
static inline void sal__watches_start(sal_simulator *sim) {
    sim->host.watches.may_be_fast = false;
    sal__watches_set_stale(sim, true);
}
/* Watches are often renewed where they fire: those that are added later are searched for in pieces of steps. */
static inline void sal__watches_note_fast(sal_simulator *sim) {
    sim->host.watches.may_be_fast = true;
}
/* At x+, and at the end of a step: ends the call if a watch is true there. */
void sal__watches_end_update(sal_simulator *sim);
void sal__watches_end_step(sal_simulator *sim);

/* ---- watch_snapshot.c ---- */

/* Which watches are armed: before the witnesses, and in a run that has not begun. Returns how many. */
int sal__watches_archive(sal__archive *a, sal_simulator *sim);

#endif
