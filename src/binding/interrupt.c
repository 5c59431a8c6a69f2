/* Interrupts all runs of a Lua state, for a host's signal handler: records the running simulator, the kernel whose
 * stories run, whether all must stop, and the file that is being written. There is one record for each state, in its
 * registry; simulators store its address. */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "story/story.h"

enum { MAX_PATH = 4096 };

struct l_runs {
    _Atomic(sal_simulator *) running; /* the innermost; NULL: none */
    atomic_bool interrupted;
    _Atomic(l_kernel *) kernel; /* of the innermost stories that run; NULL: none */
    atomic_bool has_unfinished;
    char unfinished[MAX_PATH]; /* the last file made beside a result, unless it has replaced the result */
};

_Static_assert(ATOMIC_POINTER_LOCK_FREE == 2 && ATOMIC_BOOL_LOCK_FREE == 2, "signal handlers need lock-free atomics");

l_runs *l_runs_of(lua_State *L) {
    static const char key;
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) != LUA_TUSERDATA) {
        lua_pop(L, 1);
        l_runs *runs = lua_newuserdatauv(L, sizeof *runs, 0);
        atomic_init(&runs->running, NULL);
        atomic_init(&runs->interrupted, false);
        atomic_init(&runs->kernel, NULL);
        atomic_init(&runs->has_unfinished, false);
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

l_kernel *l_begin_stories(l_runs *runs, l_kernel *kernel) {
    return atomic_exchange(&runs->kernel, kernel);
}

void l_end_stories(l_runs *runs, l_kernel *outer) {
    atomic_store(&runs->kernel, outer);
}

/* Only for a signal handler on the thread of the Lua state: a coroutine has a hook of its own. */
void l_hook_running_story(void *of, lua_Hook hook, int mask, int count) {
    l_runs *runs = of;
    l_kernel *kernel = atomic_load(&runs->kernel);
    if (kernel)
        l_hook_story(kernel, hook, mask, count);
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

void l_set_unfinished(l_runs *runs, const char *path) {
    atomic_store(&runs->has_unfinished, false);
    const size_t size = strlen(path) + 1;
    if (size > sizeof runs->unfinished)
        return;
    memcpy(runs->unfinished, path, size);
    atomic_store(&runs->has_unfinished, true);
}

/* Safe in a signal handler that ends the program. */
void l_remove_unfinished(void *of) {
    l_runs *runs = of;
    if (atomic_load(&runs->has_unfinished))
        unlink(runs->unfinished);
}

/* From now on runs go on again. */
void l_allow_runs(void *of) {
    l_runs *runs = of;
    atomic_store(&runs->interrupted, false);
}
