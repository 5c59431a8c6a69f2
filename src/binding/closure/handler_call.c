/* Calls of handlers, which return an outcome and write to `next`. */
#include <math.h>

#include "binding/binding.h"

/* Continuous state must stay finite. Other values may be infinite (a time that never comes), but not NaN. */
static int unfit(const l_range *r, const double *values) {
    for (int i = 0; i < r->size; i++)
        if (isnan(values[i]) || (r->partition <= SAL_Z && isinf(values[i])))
            return i + 1;
    return 0;
}

static sal_status write_next(l_simulator *self, int k, int at) {
    const l_adapter *adapter = self->closures.item[k - 1].adapter;
    const int before = at - 1;
    for (int i = 0; i < adapter->result_count; i++) {
        const l_range *r = &l_adapter_results(adapter)[i];
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

/* If names were written for the first time, the rebuilt adapter also returns their values. */
static sal_status collect_writes(l_simulator *self, int k) {
    lua_State *L = self->frame.L;
    const int base = lua_gettop(L);
    lua_getiuservalue(L, self->frame.self, UV_BUILD_ADAPTER);
    lua_pushinteger(L, k);
    lua_pushinteger(L, L_FIT_WRITES);
    sal_status status = l_call(self, 2, 1, k);
    if (status == SAL_OK)
        status = l_call(self, 0, self->closures.item[k - 1].adapter->value_count, k);
    if (status == SAL_OK)
        status = write_next(self, k, base + 1);
    lua_settop(L, base);
    return status;
}

/* Compares what the handler wrote with what its program would have written. */
static sal_status compare_shadow(l_simulator *self, int k, const sal_context *next) {
    const double *written[SAL_PARTITIONS];
    for (int p = 0; p < SAL_PARTITIONS; p++)
        written[p] = sal_context_get(next, (sal_partition)p);
    return l_compare_shadow(self, k, written);
}

/* Calls the handler itself, in Lua. */
static sal_outcome call_lua(l_simulator *self, int k, const sal_context *ctx, const sal_event *event,
                            sal_context *next) {
    lua_State *L = self->frame.L;
    l_closure *c = &self->closures.item[k - 1];
    int base = 0;
    sal_status status = l_complete_adapter(self, k);
    if (status != SAL_OK)
        return SAL_FAILED;
    const l_compiled *tried = next ? l_shadow_run(self, c, ctx, event) : NULL;
    status = l_run(self, k, ctx, event, 1, &base);
    const sal_outcome outcome = status == SAL_OK ? l_outcome_at(L, base + 1) : SAL_FAILED;
    const bool succeeded = outcome == SAL_SUCCEEDED || outcome == SAL_TERMINATE;
    if (status == SAL_OK && c->is_stale)
        status = next && succeeded ? collect_writes(self, k) : l_rebuild_adapter(self, k);
    else if (status == SAL_OK && next && succeeded)
        status = write_next(self, k, base + 2);
    lua_settop(L, base);
    if (status == SAL_OK && tried && tried == c->compiled)
        status = compare_shadow(self, k, next);
    return status == SAL_OK ? outcome : SAL_FAILED;
}

sal_outcome l_handle(l_simulator *self, int k, const sal_context *ctx, const sal_event *event, sal_context *next,
                     sal_note *note) {
    const l_access outer = self->access;
    self->access.next = next;
    self->access.before = event->before;
    self->access.note = note;
    l_closure *c = &self->closures.item[k - 1];
    const sal_outcome outcome =
        next && l_run_update(self, c, ctx, event, next) ? SAL_SUCCEEDED : call_lua(self, k, ctx, event, next);
    self->access = outer;
    return outcome;
}
