/* Calls closures through their adapters: numbers in, numbers out. Outside of protected calls only API functions that
 * cannot raise are used here. */
#include <math.h>

#include "compiled.h"

/* Calls between checks that a closure wrote nothing read-only, and between checks that it set all results: six steps
 * and two steps of a six-stage method. */
enum { CHECK_EVERY = 36, CLEAR_EVERY = 12 };

static void push_table(lua_State *L, const l_frame *frame, const l_range *range, const double *from) {
    lua_rawgeti(L, frame->closures, range->table);
    for (int i = 0; i < range->size; i++) {
        lua_pushnumber(L, from[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pop(L, 1);
}

/* Computes the inputs and outputs that a closure reads before its arguments are pushed, because other closures may
 * run. */
static void evaluate_ports(l_simulator *self, l_closure *c, const sal_context *ctx) {
    for (int i = 0; i < c->adapter->arg_count; i++) {
        const l_range *r = &c->adapter->range[i];
        if (r->partition < L_INPUT)
            continue;
        c->adapter->port[i] = NULL;
        if (l_evaluate_port(self, ctx, r->partition, r->at, &c->adapter->port[i]) != SAL_OK)
            l_mark_stale(c); /* the rebuilt adapter removes the name from ctx */
    }
}

/* Pushes nil if there is no value, and true for a vector, whose table it fills. */
static void push_port(lua_State *L, const l_frame *frame, const l_range *r, const double *value) {
    if (value && r->table >= 0)
        push_table(L, frame, r, value);
    if (!value)
        lua_pushnil(L);
    else if (r->table >= 0)
        lua_pushboolean(L, true);
    else
        lua_pushnumber(L, *value);
}

/* Pushes a value that is not in a partition: an input, an output, the time, a field of an event. */
static void push_special(lua_State *L, const l_frame *frame, const l_range *r, const double *port,
                         const sal_context *ctx, const sal_event *event) {
    switch (r->partition) {
    case L_TIME:
        lua_pushnumber(L, sal_context_time(ctx));
        break;
    case L_EVENT_COUNT:
        lua_pushinteger(L, (lua_Integer)event->count);
        break;
    case L_EVENT_T0:
        lua_pushnumber(L, event->t0);
        break;
    case L_EVENT_T1:
        lua_pushnumber(L, event->t1);
        break;
    case L_EVENT_LIMIT:
        lua_pushnumber(L, event->limit);
        break;
    default:
        push_port(L, frame, r, port);
    }
}

/* Pushes ranges of numbers. Returns how many values were pushed. */
static int push_args(l_simulator *self, const l_closure *c, const sal_context *ctx, const sal_event *event) {
    lua_State *L = self->frame.L;
    int pushed = 0;
    for (int i = 0; i < c->adapter->arg_count; i++) {
        const l_range *r = &c->adapter->range[i];
        if (r->partition >= L_TIME) {
            push_special(L, &self->frame, r, c->adapter->port ? c->adapter->port[i] : NULL, ctx, event);
            pushed++;
            continue;
        }
        const sal_context *from = r->table == L_NEXT ? self->access.next : ctx;
        const double *numbers = sal_context_get(from, (sal_partition)r->partition) + r->at;
        if (r->table >= 0) {
            push_table(L, &self->frame, r, numbers);
            continue;
        }
        for (int k = 0; k < r->size; k++)
            lua_pushnumber(L, numbers[k]);
        pushed += r->size;
    }
    return pushed;
}

/* The first call after an update is checked. */
static void note_update(l_closure *c, const sal_context *ctx) {
    const uint64_t version = sal_context_discrete_version(ctx);
    if (c->read_context == ctx && c->read_version == version)
        return;
    c->read_context = ctx;
    c->read_version = version;
    c->calls_until_check = 0;
}

/* Returns the index of a table with a vector that the closure has written to, or 0. */
static int written_table(l_simulator *self, const l_closure *c, const sal_context *ctx) {
    lua_State *L = self->frame.L;
    for (int i = 0; i < c->adapter->arg_count; i++) {
        const l_range *r = &c->adapter->range[i];
        const double *numbers = r->partition < L_TIME ? sal_context_get(ctx, (sal_partition)r->partition) + r->at
                                : c->adapter->port    ? c->adapter->port[i]
                                                      : NULL;
        if (r->table < 0 || !numbers)
            continue;
        lua_rawgeti(L, self->frame.closures, r->table);
        bool same = true;
        for (int k = 0; k < r->size && same; k++) {
            same = lua_rawgeti(L, -1, k + 1) == LUA_TNUMBER && (lua_tonumber(L, -1) == numbers[k] || isnan(numbers[k]));
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
        if (!same)
            return r->table;
    }
    return 0;
}

/* Handles the error object on top; `retry`: it only requests a shorter step. */
static sal_status after_failure(l_simulator *self, int k, bool retry) {
    self->closures.item[k - 1].calls_until_check = 0;
    if (!retry)
        l_store_error(self, k);
    else
        lua_pop(self->frame.L, 1);
    return retry ? SAL_RETRY : SAL_ECALLBACK;
}

/* Stale: the last call failed, so its writes to `next` must be cleared. */
sal_status l_complete_adapter(l_simulator *self, int k) {
    const l_closure *c = &self->closures.item[k - 1];
    return c->adapter && !c->is_stale ? SAL_OK : l_call_helper(self, UV_BUILD_ADAPTER, k, L_FIT_ADAPTER);
}

sal_status l_run(l_simulator *self, int k, const sal_context *ctx, const sal_event *event, int extra, int *base) {
    lua_State *L = self->frame.L;
    l_closure *c = &self->closures.item[k - 1];
    *base = lua_gettop(L); /* l_enter reserved stack for arguments and results */
    note_update(c, ctx);
    if (c->adapter->port)
        evaluate_ports(self, c, ctx);
    const bool check = --c->calls_until_check <= 0 || event;
    if (check)
        c->calls_until_check = CHECK_EVERY;
    const sal_context *outer = self->access.current;
    self->access.current = ctx;
    const l_adapter *adapter = c->adapter;
    const int variant = check ? CHECKING : c->calls_until_check % CLEAR_EVERY == 0 ? CLEARING : FAST;
    lua_rawgeti(L, self->frame.closures, c->anchor + variant);
    const int args = push_args(self, c, ctx, event);
    const int failed = l_pcall(self, args, adapter->value_count + extra);
    self->access.current = outer;
    const bool retry = self->wants_retry;
    self->wants_retry = false; /* if a closure caught the request, a later failure is another error */
    if (failed)
        return after_failure(self, k, retry);
    const int written = check && !event ? written_table(self, c, ctx) : 0;
    if (!written && c->calls_until_compiled > 0 && --c->calls_until_compiled == 0)
        return l_call_helper(self, UV_BUILD_ADAPTER, k, L_FIT_COMPILED);
    return written ? l_call_helper(self, UV_RAISE_MISMATCH, k, -written) : SAL_OK;
}

/* Reads one range of results from the stack at *index. Returns 0, or the 1-based position of a value that is not a
 * number. */
int l_read_range(lua_State *L, const l_range *r, bool strict, int *index, double *to) {
    if (r->table > 0) {
        const int at = (*index)++;
        return l_read_numbers(L, at, 1, to, r->size) ? 0 : at;
    }
    int at = *index, number = 0;
    for (int i = 0; i < r->size; i++, at++) {
        to[i] = lua_tonumberx(L, at, &number); /* checking calls refuse strings that look like numbers */
        if (!number || (strict && lua_type(L, at) != LUA_TNUMBER))
            return at;
    }
    *index = at;
    return 0;
}

/* Rebuilds the adapter if the call read new names. */
sal_status l_rebuild_adapter(l_simulator *self, int k) {
    return self->closures.item[k - 1].is_stale ? l_call_helper(self, UV_BUILD_ADAPTER, k, L_FIT_ADAPTER) : SAL_OK;
}

/* The result at stack index `at`, the i-th of all, is not a number: Lua makes the message. */
sal_status l_raise_mismatch(l_simulator *self, int k, int i, int at) {
    lua_State *L = self->frame.L;
    lua_getiuservalue(L, self->frame.self, UV_RAISE_MISMATCH);
    lua_pushinteger(L, k);
    lua_pushinteger(L, i);
    lua_pushvalue(L, at);
    if (l_pcall(self, 3, 0) == LUA_OK)
        lua_pushnil(L);
    l_store_error(self, k);
    return SAL_ECALLBACK;
}

/* Copies the results of closure k, from stack index `base` + 1 on, to to[partition]. */
static sal_status take_results(l_simulator *self, int k, int base, double *const *to) {
    lua_State *L = self->frame.L;
    const l_closure *c = &self->closures.item[k - 1];
    const l_range *result = l_adapter_results(c->adapter);
    sal_status status = SAL_OK;
    int at = base + 1;
    for (int i = 0; status == SAL_OK && i < c->adapter->result_count; i++) {
        const int bad = l_read_range(L, &result[i], c->calls_until_check == CHECK_EVERY, &at,
                                     to[result[i].partition] + result[i].at);
        if (bad)
            status = l_raise_mismatch(self, k, bad - base, bad);
    }
    lua_settop(L, base);
    return status == SAL_OK ? l_rebuild_adapter(self, k) : status;
}

sal_status l_call_lua(l_simulator *self, int k, const sal_context *ctx, double *const *to) {
    l_closure *c = &self->closures.item[k - 1];
    int base = 0;
    sal_status status = l_complete_adapter(self, k);
    if (status != SAL_OK)
        return status;
    const l_compiled *tried = l_shadow_run(self, c, ctx, NULL);
    status = l_run(self, k, ctx, NULL, 0, &base);
    if (status == SAL_OK)
        status = take_results(self, k, base, to);
    else
        lua_settop(self->frame.L, base);
    if (status == SAL_OK && tried && tried == c->compiled)
        status = l_compare_shadow(self, k, (const double *const *)to);
    return status;
}
