/* Interrupts all runs of a Lua state, for a host's signal handler: records the running simulator, the coroutine of the
 * story that runs, and whether all must stop. There is one record for each state, in its registry; simulators store its address. */
#include <stdatomic.h>

#include "binding.h"

struct l_runs {
    _Atomic(sal_simulator *) running; /* the innermost; NULL: none */
    atomic_bool interrupted;
    _Atomic(lua_State *) story; /* the coroutine of the innermost story that runs; NULL: none */
};

_Static_assert(ATOMIC_POINTER_LOCK_FREE == 2 && ATOMIC_BOOL_LOCK_FREE == 2, "signal handlers need lock-free atomics");

l_runs *l_runs_of(lua_State *L) {
    static const char key;
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) != LUA_TUSERDATA) {
        lua_pop(L, 1);
        l_runs *runs = lua_newuserdatauv(L, sizeof *runs, 0);
        atomic_init(&runs->running, NULL);
        atomic_init(&runs->interrupted, false);
        atomic_init(&runs->story, NULL);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
    }
    l_runs *runs = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return runs;
}

/* runs = core.runs(): the argument of l_interrupt_runs, valid as long as the Lua state */
int l_push_runs(lua_State *L) {
    lua_pushlightuserdata(L, l_runs_of(L));
    return 1;
}

/* yes = core.interrupted(): whether all runs of this state must stop */
int l_are_interrupted(lua_State *L) {
    lua_pushboolean(L, atomic_load(&l_runs_of(L)->interrupted));
    return 1;
}

/* A run that begins after the request ends too: the handler writes `interrupted` first, and this reads it last. */
sal_simulator *l_begin_run(l_runs *runs, sal_simulator *sim) {
    sal_simulator *outer = atomic_exchange(&runs->running, sim);
    if (atomic_load(&runs->interrupted))
        sal_simulator_interrupt(sim);
    return outer;
}

void l_end_run(l_runs *runs, sal_simulator *outer) {
    atomic_store(&runs->running, outer);
    if (outer && atomic_load(&runs->interrupted))
        sal_simulator_interrupt(outer);
}

/* A coroutine has a hook of its own. One that is resumed after a signal gets that of L here; one that runs when the
 * signal comes gets it in the handler, which runs on the same thread: so no order between threads is needed. */
lua_State *l_begin_story(l_runs *runs, lua_State *L, lua_State *story) {
    lua_State *outer = atomic_load_explicit(&runs->story, memory_order_relaxed);
    atomic_store_explicit(&runs->story, story, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&runs->interrupted, memory_order_relaxed))
        lua_sethook(story, lua_gethook(L), lua_gethookmask(L), lua_gethookcount(L));
    return outer;
}

void l_end_story(l_runs *runs, lua_State *outer) {
    atomic_store_explicit(&runs->story, outer, memory_order_relaxed);
}

/* Only for a signal handler that runs on the thread of the Lua state, which may set a hook there. */
lua_State *l_running_story(void *of) {
    l_runs *runs = of;
    return atomic_load_explicit(&runs->story, memory_order_relaxed);
}

bool l_must_stop(const l_runs *runs) {
    return atomic_load(&runs->interrupted);
}

/* Safe in a signal handler and from another thread: the running simulator stops at its next step, and so do the runs
 * around it and all later ones. */
void l_interrupt_runs(void *of) {
    l_runs *runs = of;
    atomic_store(&runs->interrupted, true);
    sal_simulator *sim = atomic_load(&runs->running);
    if (sim)
        sal_simulator_interrupt(sim);
}

/* From now on runs go on again. */
void l_allow_runs(void *of) {
    l_runs *runs = of;
    atomic_store(&runs->interrupted, false);
}
