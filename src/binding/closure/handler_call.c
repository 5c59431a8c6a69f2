/* Calls of what returns an outcome: handlers, which write to `next`, and the monitor; and
 * progress callbacks. */
#include <math.h>

#include "binding/binding.h"

/* The shim's first result: 0 did nothing, 1 succeeded, 2 terminate, 3 fail; nil, what most return, succeeded. */
static sal_outcome l_outcome_at(lua_State *L, int index) {
    return lua_isnil(L, index) ? SAL_SUCCEEDED : (sal_outcome)lua_tointeger(L, index);
}

/* What flows must stay finite; infinity may stand elsewhere (a time that never comes), NaN nowhere. */
static int unfit(const l_range *r, const double *values) {
    for (int i = 0; i < r->size; i++)
        if (isnan(values[i]) || (r->partition <= SAL_Z && isinf(values[i])))
            return i + 1;
    return 0;
}

static sal_status write_next(l_simulator *self, int k, int at) {
    const l_adapter *shim = self->closures.item[k - 1].adapter;
    const int before = at - 1;
    for (int i = 0; i < shim->result_count; i++) {
        const l_range *r = &l_adapter_results(shim)[i];
        double *to = sal_context_edit(self->access.next, (sal_partition)r->partition) + r->at;
        const int first = at;
        int bad = l_read_range(self->frame.L, r, true, &at, to);
        if (!bad && unfit(r, to))
            bad = r->table > 0 ? first : first + unfit(r, to) - 1;
        if (bad)
            return l_raise_mismatch(self, k, bad - before, bad);
    }
    return SAL_OK;
}

/* Names written for the first time: fit returns a shim that also hands them over. */
static sal_status harvest(l_simulator *self, int k) {
    lua_State *L = self->frame.L;
    const int base = lua_gettop(L);
    lua_getiuservalue(L, self->frame.self, UV_BUILD_ADAPTER);
    lua_pushinteger(L, k);
    lua_pushinteger(L, L_FIT_WRITES);
    if (l_pcall(self, 2, 1) != LUA_OK) {
        l_store_error(self, k);
        return SAL_ECALLBACK;
    }
    lua_insert(L, base + 1);
    if (l_pcall(self, 0, self->closures.item[k - 1].adapter->value_count) != LUA_OK) {
        l_store_error(self, k);
        return SAL_ECALLBACK;
    }
    const sal_status status = write_next(self, k, base + 1);
    lua_settop(L, base);
    return status;
}

static void judge_trial(l_closure *c, const sal_context *next) {
    const double *answered[SAL_PARTITIONS];
    for (int p = 0; p < SAL_PARTITIONS; p++)
        answered[p] = sal_context_get(next, (sal_partition)p);
    l_compare_shadow(c, answered);
}

/* The handler itself. */
static sal_outcome ask(l_simulator *self, int k, const sal_context *ctx, const sal_event *event, sal_context *next) {
    lua_State *L = self->frame.L;
    l_closure *c = &self->closures.item[k - 1];
    const l_compiled *tried = next ? l_shadow_run(self, c, ctx, event) : NULL;
    int base = 0;
    sal_status status = l_run(self, k, ctx, event, 1, &base);
    const sal_outcome outcome = status == SAL_OK ? l_outcome_at(L, base + 1) : SAL_FAILED;
    const bool succeeded = outcome == SAL_SUCCEEDED || outcome == SAL_TERMINATE;
    if (status == SAL_OK && c->is_stale)
        status = next && succeeded ? harvest(self, k) : l_rebuild_adapter(self, k);
    else if (status == SAL_OK && next && succeeded)
        status = write_next(self, k, base + 2);
    lua_settop(L, base);
    if (status == SAL_OK && tried && tried == c->compiled)
        judge_trial(c, next);
    return status == SAL_OK ? outcome : SAL_FAILED;
}

sal_outcome l_handle(l_simulator *self, int k, const sal_context *ctx, const sal_event *event, sal_context *next,
                     sal_note *note) {
    sal_context *outer_next = self->access.next;
    const sal_context *outer_before = self->access.before;
    sal_note *outer_note = self->access.note;
    self->access.next = next;
    self->access.before = event->before;
    self->access.note = note;
    l_closure *c = &self->closures.item[k - 1];
    const sal_outcome outcome =
        next && l_run_update(self, c, ctx, event, next) ? SAL_SUCCEEDED : ask(self, k, ctx, event, next);
    self->access.next = outer_next;
    self->access.before = outer_before;
    self->access.note = outer_note;
    return outcome;
}

/* ---- the monitor, and progress ---- */

sal_outcome l_monitor(void *user, const sal_context *ctx, sal_note *note) {
    l_simulator *self = user;
    lua_State *L = self->frame.L;
    const sal_context *outer = self->access.current;
    sal_note *outer_note = self->access.note;
    if (!lua_checkstack(L, 20)) {
        sal_note_set(note, "the Lua stack is full");
        return SAL_FAILED;
    }
    self->access.current = ctx;
    self->access.note = note;
    lua_getiuservalue(L, self->frame.self, UV_MONITOR);
    sal_outcome outcome = SAL_FAILED;
    if (l_pcall(self, 0, 1) == LUA_OK) {
        outcome = l_outcome_at(L, -1);
        lua_pop(L, 1);
    } else {
        l_store_error(self, L_IN_MONITOR);
    }
    self->access.current = outer;
    self->access.note = outer_note;
    return outcome;
}

sal_status l_progress(void *user, sal_simulator *sim, sal_observation sight, int part, int event) {
    l_simulator *self = user;
    (void)part;
    (void)event;
    if (sight != SAL_OBSERVE_STEP || --self->progress_left > 0)
        return SAL_OK;
    self->progress_left = self->progress_every;
    lua_State *L = self->frame.L;
    if (!lua_checkstack(L, 20))
        return SAL_ENOMEM;
    if (lua_getiuservalue(L, self->frame.self, UV_PROGRESS) != LUA_TFUNCTION) {
        lua_pop(L, 1);
        return SAL_OK;
    }
    lua_pushnumber(L, sal_context_time(sal_simulator_context(sim)));
    if (l_pcall(self, 1, 0) == LUA_OK)
        return SAL_OK;
    l_store_error(self, L_IN_PROGRESS);
    return SAL_ECALLBACK;
}
