/* Runs programs in place of closures. Nothing here can raise. Lua runs only if a program reads a past that a Lua
 * function computes, or fetches a value that the __index function of a metatable returns. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "compiled.h"

enum { MOST_MISSES = 100, MOST_FREE_RUNS = 63 };

/* SELDOM keeps code that few programs need out of line. */
#define SELDOM __attribute__((noinline)) static

/* A NaN that marks a result as unset; no computation produces it. */
static double unset(void) {
    const uint64_t bits = UINT64_C(0x7ff85a1755a17500);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool is_unset(double value) {
    const double mark = unset();
    return isnan(value) && memcmp(&value, &mark, sizeof value) == 0;
}

static bool take_fetched(lua_State *L, const l_lua_value *f, double *value) {
    int number = 0;
    switch (f->want) {
    case WANT_NUMBER:
        if (lua_type(L, -1) != LUA_TNUMBER)
            return false;
        value[f->reg] = lua_tonumberx(L, -1, &number);
        return !lua_isinteger(L, -1) || fabs(value[f->reg]) < 9007199254740992.0;
    case WANT_BOOLEAN:
        value[f->reg] = lua_toboolean(L, -1);
        return lua_isboolean(L, -1);
    case WANT_NIL:
        return lua_isnil(L, -1);
    case WANT_TABLE:
        return lua_istable(L, -1);
    case WANT_EQUAL:
        return lua_type(L, -1) == LUA_TNUMBER && !lua_isinteger(L, -1) &&
               lua_tonumberx(L, -1, &number) == value[f->reg];
    default:
        return lua_topointer(L, -1) == f->same;
    }
}

static int index_by_lua(lua_State *L) {
    lua_gettable(L, 1);
    return 1;
}

/* Indexes the table on top with the key, through the function in its metatable; if that fails, the closure fails
 * too. */
static bool index_by_function(l_simulator *self) {
    lua_State *L = self->frame.L;
    lua_pushcfunction(L, index_by_lua);
    lua_insert(L, -3);
    return l_pcall(self, 2, 1) == LUA_OK;
}

/* Replaces the table and the key on top by the field, with Lua's rules for metatables. */
static bool find_field(l_simulator *self) {
    lua_State *L = self->frame.L;
    const int table = lua_gettop(L) - 1, key = table + 1;
    for (int i = 0; i < L_MAX_TABLES; i++) {
        lua_pushvalue(L, key);
        bool found = lua_rawget(L, table) != LUA_TNIL || !lua_getmetatable(L, table);
        if (!found) {
            lua_rawgeti(L, self->frame.closures, self->closures.index_key);
            lua_rawget(L, key + 2);
            found = lua_isnil(L, -1);
        }
        if (!found && !lua_istable(L, -1)) {
            lua_settop(L, key);
            return index_by_function(self);
        }
        lua_replace(L, table);
        lua_settop(L, found ? table : key);
        if (found)
            return true;
    }
    return false;
}

SELDOM bool fetch(l_simulator *self, l_closure *c) {
    lua_State *L = self->frame.L;
    const l_compiled *p = c->compiled;
    const int base = lua_gettop(L) + 1; /* the closure; fetch i is at base + i */
    bool all = true;
    if (c->function > 0)
        lua_rawgeti(L, self->frame.closures, c->function);
    else
        l_push_margin_function(self, c);
    for (int i = 0; all && i < p->lua_value_count; i++) {
        const l_lua_value *f = &p->lua_value[i];
        if (f->upvalue) {
            all = lua_getupvalue(L, base + f->parent, f->key) != NULL;
        } else {
            lua_pushvalue(L, base + f->parent);
            lua_rawgeti(L, self->frame.closures, f->key);
            all = find_field(self);
        }
        all = all && take_fetched(L, f, p->register_value);
    }
    lua_settop(L, base - 1);
    c->seen_at = all && self->lua_depth == 0 ? self->lua_call_count : 0;
    return all;
}

/* Only Lua code changes Lua values: if none runs, or ran since the last check, nothing is fetched again. Without this,
 * a sample of spec/bench/cart_pole.lua takes 80 % longer. */
SAL__ALWAYS_INLINE bool is_as_seen(const l_simulator *self, const l_closure *c) {
    return c->seen_at == self->lua_call_count;
}

SAL__ALWAYS_INLINE void copy(double *to, const double *from, int size) {
    while (size-- > 0)
        *to++ = *from++;
}

/* Computes inputs and outputs before anything is loaded, because other programs may run, or this one for another
 * part. */
SELDOM bool compute_ports(l_simulator *self, const l_compiled *p, const sal_context *ctx) {
    const double *port[L_MAX_PORTS], **found = port;
    for (const l_move *m = p->ports.from; m < p->ports.to; m++, found++)
        if (l_evaluate_port(self, ctx, m->partition, m->at, found) != SAL_OK)
            return false;
    found = port;
    for (const l_move *m = p->ports.from; m < p->ports.to; m++)
        copy(p->register_value + m->reg, *found++, m->size);
    return true;
}

/* An input that is up to date is copied without a call: saves 3 % of the instructions of spec/bench/cart_pole.lua. */
SAL__ALWAYS_INLINE bool load_ports(l_simulator *self, const l_compiled *p, const sal_context *ctx) {
    for (const l_move *m = p->ports.from; m < p->ports.to; m++) {
        const sal__input_slot *input = &ctx->input_slot[m->at];
        if (SAL__RARELY(m->partition != L_INPUT || !sal__is_in_place(ctx->data, input)))
            return compute_ports(self, p, ctx);
        const double *value = ctx->data->source[input->location] + input->at;
        if (m->size == 1)
            p->register_value[m->reg] = *value;
        else
            copy(p->register_value + m->reg, value, m->size);
    }
    return true;
}

/* Called only when they changed: saves 6 % of a sample of spec/bench/cart_pole.lua. */
SELDOM void load_held(l_compiled *p, const sal_context *ctx) {
    for (const l_move *m = p->discrete.from; m < p->discrete.to; m++)
        p->register_value[m->reg] = sal_context_get(ctx, (sal_partition)m->partition)[m->at];
    p->read_context = ctx;
    p->read_version = sal__discrete_version(ctx);
}

SELDOM void load_others(const l_simulator *self, const l_compiled *p, const sal_context *ctx, const sal_event *event) {
    for (const l_move *m = p->others.from; m < p->others.to; m++)
        p->register_value[m->reg] = m->partition == L_TIME ? sal_context_time(ctx)
                                    : m->partition == L_EVENT_COUNT
                                        ? (double)event->count
                                        : sal_context_get(self->access.next, (sal_partition)m->partition)[m->at];
}

/* Loads the values that need not be computed. */
SAL__ALWAYS_INLINE void load(const l_simulator *self, l_compiled *p, const sal_context *ctx, const sal_event *event) {
    SAL__UNROLL
    for (const l_move *m = p->flowing.from; m < p->flowing.to; m++)
        p->register_value[m->reg] = sal__continuous_partition(ctx, m->partition)[m->at];
    if (p->discrete.from < p->discrete.to &&
        SAL__RARELY(p->read_context != ctx || p->read_version != sal__discrete_version(ctx)))
        load_held(p, ctx);
    if (SAL__RARELY(p->others.from < p->others.to))
        load_others(self, p, ctx, event);
}

static void mark_doubts(const l_compiled *p) {
    for (const l_move *m = p->stores.from; m < p->stores.to; m++)
        if (m->detail)
            p->register_value[m->reg] = unset();
}

static bool all_written(const l_compiled *p) {
    for (const l_move *m = p->stores.from; m < p->stores.to; m++)
        if (m->detail && is_unset(p->register_value[m->reg]))
            return false;
    return true;
}

/* ---- the past ---- */

typedef struct past_host {
    sal__bytecode_host base;
    const l_compiled *program;
    const sal_context *ctx;
} past_host;

/* If the past cannot be read, the program gives up; the closure reads it again and raises the error. */
static bool read_past(const sal__bytecode_host *self, int query, double time, double *value) {
    const past_host *host = (const past_host *)(const void *)self;
    const l_delay_query *q = &host->program->query[query];
    return l_read_past(host->ctx, q->past, q->rate, q->absolute, time, value) == SAL_OK;
}

/* A program that fetches values, reads the past or may leave results unset. */
SELDOM bool run_with_care(l_simulator *self, l_closure *c, const sal_context *ctx, const sal_event *event) {
    l_compiled *p = c->compiled;
    if (!l_spend(self->limits, p->instruction_count) || p->is_waiting || !load_ports(self, p, ctx) ||
        (p->lua_value_count > 0 && !fetch(self, c)))
        return false;
    load(self, p, ctx, event);
    const past_host past = {{read_past}, p, ctx};
    mark_doubts(p);
    p->is_waiting = true;
    const bool ran = sal__bytecode_run(p->code, p->register_value, &past.base, &self->limits->left);
    p->is_waiting = false;
    return ran && all_written(p);
}

/* Leaves the results in their registers. Returns false if the closure itself must be called. */
SAL__ALWAYS_INLINE bool run_plain(l_simulator *self, l_closure *c, const sal_context *ctx, const sal_event *event) {
    l_compiled *p = c->compiled;
    if (SAL__RARELY(!l_spend(self->limits, p->instruction_count)) || !load_ports(self, p, ctx) ||
        (p->lua_value_count > 0 && SAL__RARELY(!is_as_seen(self, c)) && !fetch(self, c)))
        return false;
    load(self, p, ctx, event);
    return sal__bytecode_run(p->code, p->register_value, NULL, &self->limits->left);
}

SAL__ALWAYS_INLINE bool run(l_simulator *self, l_closure *c, const sal_context *ctx, const sal_event *event) {
    return c->compiled->is_plain ? run_plain(self, c, ctx, event) : run_with_care(self, c, ctx, event);
}

bool l_run_program(l_simulator *self, l_closure *c, const sal_context *ctx) {
    return run(self, c, ctx, NULL);
}

/* Whether a hook (of a debugger, of Ctrl-C) needs the closure itself; programs charge the budget themselves. */
static bool is_watched(const l_simulator *self) {
    const lua_Hook hook = lua_gethook(self->frame.L);
    return SAL__RARELY(hook) && hook != self->limits->hook;
}

void l_look_for_hook(l_simulator *self) {
    if (!self->has_free_runs || !is_watched(self))
        return;
    self->has_free_runs = false;
    for (int i = 0; i < self->closures.count; i++)
        l_end_free_runs(&self->closures.item[i]);
}

/* Whether closure c runs as a program now; at run 2^k a shadow run compares the two again. The next runs are free: they
 * need not ask again. This saves 4 % of a sample of spec/bench/cart_pole.lua. */
SELDOM bool admit(l_simulator *self, l_closure *c) {
    c->free_runs = 0;
    if (!c->compiled || c->shadow_calls_left > 0 || c->is_stale || is_watched(self))
        return false;
    c->shadow_calls_left = ++c->run_count >= c->next_shadow_run;
    if (c->shadow_calls_left > 0)
        return false;
    if (c->compiled->is_plain) {
        const int64_t left = c->next_shadow_run - 1 - c->run_count;
        c->free_runs = left < MOST_FREE_RUNS ? left : MOST_FREE_RUNS;
        c->run_count += c->free_runs;
        self->has_free_runs = true;
    }
    return true;
}

SAL__ALWAYS_INLINE bool ready(l_simulator *self, l_closure *c) {
    return !SAL__RARELY(--c->free_runs < 0) || admit(self, c);
}

/* After a program gave up: the closure's next call is checked, and after MOST_MISSES in a row the closure stays in
 * Lua. */
SELDOM bool missed(l_closure *c) {
    c->calls_until_check = 0;
    l_end_free_runs(c);
    if (++c->miss_count >= MOST_MISSES)
        c->compiled = NULL;
    return false;
}

SAL__ALWAYS_INLINE void store(const l_compiled *p, double *const *to) {
    SAL__UNROLL
    for (const l_move *m = p->stores.from; m < p->stores.to; m++)
        to[m->partition][m->at] = p->register_value[m->reg];
}

SELDOM sal_status compute_with_care(l_simulator *self, int k, const sal_context *ctx, double *const *to) {
    l_closure *c = &self->closures.item[k - 1];
    if (!admit(self, c))
        return l_call_lua(self, k, ctx, to);
    if (!run(self, c, ctx, NULL)) {
        missed(c);
        return l_call_lua(self, k, ctx, to);
    }
    store(c->compiled, to);
    c->miss_count = 0;
    return SAL_OK;
}

/* Free runs follow one that did not miss. */
SAL__ALWAYS_INLINE sal_status compute(l_simulator *self, int k, const sal_context *ctx, double *const *to) {
    l_closure *c = &self->closures.item[k - 1];
    if (SAL__RARELY(--c->free_runs < 0))
        return compute_with_care(self, k, ctx, to);
    if (SAL__RARELY(!run_plain(self, c, ctx, NULL))) {
        missed(c);
        return l_call_lua(self, k, ctx, to);
    }
    store(c->compiled, to);
    return SAL_OK;
}

/* The rates as an array by partition, without a copy: a copy would wait for pointers that the caller has just
 * written. */
static double *const *by_partition(const sal_rates *dot) {
    _Static_assert(offsetof(sal_rates, v) == sizeof(double *) && offsetof(sal_rates, z) == 2 * sizeof(double *),
                   "rates are laid out like an array");
    return (double *const *)(const void *)dot;
}

sal_status l_eval_derivatives(l_simulator *self, int k, const sal_context *ctx, const sal_rates *dot) {
    return compute(self, k, ctx, by_partition(dot));
}

sal_status l_eval_value(l_simulator *self, int k, const sal_context *ctx, double *value) {
    return compute(self, k, ctx, &value);
}

/* A slice has no closure of its own: if its program gives up, the value is NaN. */
sal_status l_eval_slice(l_simulator *self, int k, const sal_context *ctx, double *value) {
    l_closure *c = &self->closures.item[k - 1];
    const bool ran = run(self, c, ctx, NULL);
    *value = ran ? c->compiled->register_value[c->compiled->stores.from->reg] : NAN;
    return SAL_OK;
}

bool l_run_margin(l_simulator *self, l_closure *c, const sal_context *ctx, double *value) {
    const l_compiled *p = c->compiled;
    if (!p || p->margin_trials == L_REFUSED || lua_gethook(self->frame.L))
        return false;
    if (!run(self, c, ctx, NULL))
        return missed(c);
    c->miss_count = 0;
    *value = p->register_value[p->stores.from->reg];
    return true;
}

/* Continuous state must stay finite, and nothing may be NaN: otherwise the closure itself runs and raises the error. */
static bool can_be_written(const l_compiled *p) {
    for (const l_move *m = p->stores.from; m < p->stores.to; m++) {
        const double value = p->register_value[m->reg];
        if (isnan(value) || (m->partition <= SAL_Z && isinf(value)))
            return false;
    }
    return true;
}

bool l_run_update(l_simulator *self, l_closure *c, const sal_context *ctx, const sal_event *event, sal_context *next) {
    if (SAL__RARELY(!ready(self, c)))
        return false;
    const l_compiled *p = c->compiled;
    if (!run(self, c, ctx, event) || !can_be_written(p))
        return missed(c);
    for (const l_move *m = p->stores.from; m < p->stores.to; m++)
        sal_context_edit(next, (sal_partition)m->partition)[m->at] = p->register_value[m->reg];
    c->miss_count = 0;
    return true;
}

/* ---- shadow runs: a new program runs beside its closure at first, and must compute the same bits ---- */

/* Runs the program and returns it, so that l_compare_shadow can compare the results with the closure's; NULL: no
 * shadow run. */
const l_compiled *l_shadow_run(l_simulator *self, l_closure *c, const sal_context *ctx, const sal_event *event) {
    if (!c->compiled || c->shadow_calls_left == 0)
        return NULL;
    const l_compiled *p = c->compiled;
    if (!run(self, c, ctx, event)) {
        missed(c);
        if (c->run_count >= c->next_shadow_run)
            c->shadow_calls_left = 0; /* until the next run */
        return NULL;
    }
    double *tried = p->shadow_result;
    for (const l_move *m = p->stores.from; m < p->stores.to; m++)
        *tried++ = p->register_value[m->reg];
    return p;
}
