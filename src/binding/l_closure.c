/* Calling closures through their shims. Outside of protected calls only API
 * functions that cannot raise are used here. */
#include <math.h>

#include "binding.h"

/* Calls between checks of what a closure may only read, and between those of what it must set:
 * six steps and two of a six-stage method. */
enum { CHECK_EVERY = 36, CLEAR_EVERY = 12 };

/* Of simultaneous failures the first one counts. */
void l_park(l_simulator *self, int closure) {
    if (self->parked) {
        lua_pop(self->frame.L, 1);
        return;
    }
    lua_setiuservalue(self->frame.L, self->frame.self, UV_ERROR);
    self->failed_closure = closure;
    self->parked = true;
}

/* Calls a Lua function kept as a user value with (closure, detail); its error is parked. */
static sal_status call_helper(l_simulator *self, int helper, int closure, int detail) {
    lua_State *L = self->frame.L;
    lua_getiuservalue(L, self->frame.self, helper);
    lua_pushinteger(L, closure);
    lua_pushinteger(L, detail);
    if (lua_pcall(L, 2, 0, self->frame.handler) == LUA_OK)
        return SAL_OK;
    l_park(self, closure);
    return SAL_ECALLBACK;
}

static void push_table(lua_State *L, const l_frame *frame, const l_range *range, const double *from) {
    lua_rawgeti(L, frame->closures, range->table);
    for (int i = 0; i < range->size; i++) {
        lua_pushnumber(L, from[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pop(L, 1);
}

/* A closure that reads what cannot be had fetches it itself and meets the error there. */
static void forget_failure(l_simulator *self) {
    lua_State *L = self->frame.L;
    lua_pushnil(L);
    lua_setiuservalue(L, self->frame.self, UV_ERROR);
    self->parked = false;
}

/* Inputs and outputs that a closure reads, computed before anything is pushed for it: other closures may run. */
static void evaluate_ports(l_simulator *self, l_closure *c, const sal_context *ctx) {
    const bool parked = self->parked;
    for (int i = 0; i < c->shim->args; i++) {
        const l_range *r = &c->shim->range[i];
        if (r->partition < L_INPUT)
            continue;
        c->port[i] = NULL;
        const sal_status status = r->partition == L_INPUT ? sal_context_input(ctx, r->at, &c->port[i])
                                                          : sal_context_output(ctx, r->at, &c->port[i]);
        c->stale = c->stale || status != SAL_OK; /* its shim takes the name away from ctx */
        if (status == SAL_ECALLBACK && !parked)
            forget_failure(self);
    }
}

static int push_port(lua_State *L, const double *value, int size) {
    for (int k = 0; k < size; k++)
        if (value)
            lua_pushnumber(L, value[k]);
        else
            lua_pushnil(L);
    return size;
}

/* What is no number of a context: an input's or output's value, the time, what an event tells. */
static int push_special(lua_State *L, const l_range *r, const double *port, const sal_context *ctx,
                        const sal_event *event) {
    switch (r->partition) {
    case L_TIME:
        lua_pushnumber(L, sal_context_time(ctx));
        return 1;
    case L_EVENT_COUNT:
        lua_pushinteger(L, (lua_Integer)event->count);
        return 1;
    case L_EVENT_T0:
        lua_pushnumber(L, event->t0);
        return 1;
    case L_EVENT_T1:
        lua_pushnumber(L, event->t1);
        return 1;
    case L_EVENT_LIMIT:
        lua_pushnumber(L, event->limit);
        return 1;
    default:
        return push_port(L, port, r->size);
    }
}

/* Answers how many values were pushed. */
static int push_ranges(l_simulator *self, const l_range *ranges, int count, const double *const *ports,
                       const sal_context *ctx, const sal_event *event) {
    lua_State *L = self->frame.L;
    int pushed = 0;
    for (int i = 0; i < count; i++) {
        const l_range *r = &ranges[i];
        if (r->partition >= L_TIME) {
            pushed += push_special(L, r, ports ? ports[i] : NULL, ctx, event);
            continue;
        }
        const sal_context *from = r->table == -2 ? self->next : ctx;
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

static const l_range *results_of(const l_shim *shim) {
    return shim->range + shim->args;
}

/* Discrete state and parameters stay in the closure's ctx until they change. */
static sal_status set_held(l_simulator *self, int k, l_closure *c, const sal_context *ctx) {
    lua_State *L = self->frame.L;
    c->held_of = ctx;
    c->held = sal_context_held(ctx);
    const l_shim *shim = c->shim;
    if (shim->holds == 0)
        return SAL_OK;
    lua_rawgeti(L, self->frame.closures, c->place + PLACES - 1);
    const int args = push_ranges(self, results_of(shim) + shim->results, shim->holds, NULL, ctx, NULL);
    if (lua_pcall(L, args, 0, self->frame.handler) != LUA_OK) {
        l_park(self, k);
        c->held_of = NULL;
        return SAL_ECALLBACK;
    }
    return SAL_OK;
}

/* Long vectors are lent as tables; did the closure write to one? Its place among the closures, or 0. */
static int written_table(l_simulator *self, const l_closure *c, const sal_context *ctx) {
    lua_State *L = self->frame.L;
    for (int i = 0; i < c->shim->args; i++) {
        const l_range *r = &c->shim->range[i];
        if (r->table < 0 || r->partition >= L_TIME)
            continue;
        const double *numbers = sal_context_get(ctx, (sal_partition)r->partition) + r->at;
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

/* Puts the function to call on the stack; a shared shim wants whose call it is. Answers how many values that are. */
static int push_shim(lua_State *L, const l_frame *frame, const l_closure *c, bool check) {
    if (!c->shim->at) {
        lua_rawgeti(L, frame->closures, c->place + (check ? 2 : c->unchecked % CLEAR_EVERY == 0 ? 1 : 0));
        return 0;
    }
    lua_rawgeti(L, frame->closures, c->shim->at);
    for (int i = 0; i < c->shim->given; i++)
        lua_rawgeti(L, frame->closures, c->place + i);
    return c->shim->given;
}

/* Runs closure k; its results stand on the stack from *first on. The caller pops to *base. */
static sal_status run(l_simulator *self, int k, const sal_context *ctx, const sal_event *event, int extra, int *base) {
    lua_State *L = self->frame.L;
    l_closure *c = &self->closure[k - 1];
    *base = lua_gettop(L);        /* l_enter made room for what a shim takes and answers */
    if (!c->fitted || c->stale) { /* stale: the last call failed, what it left in `next` must go */
        const sal_status status = call_helper(self, UV_FIT, k, 0);
        if (status != SAL_OK)
            return status;
    }
    if (c->held_of != ctx || c->held != sal_context_held(ctx)) {
        const sal_status status = set_held(self, k, c, ctx);
        if (status != SAL_OK)
            return status;
        c->unchecked = 0;
    }
    if (c->port)
        evaluate_ports(self, c, ctx);
    const bool check = --c->unchecked <= 0 || event;
    if (check)
        c->unchecked = CHECK_EVERY;
    const sal_context *outer = self->current;
    self->current = ctx;
    const l_shim *shim = c->shim;
    int args = push_shim(L, &self->frame, c, check);
    args += push_ranges(self, shim->range, shim->args, c->port, ctx, event);
    const int failed = lua_pcall(L, args, shim->values + extra, self->frame.handler);
    if (failed) {
        const bool retry = self->retry;
        self->retry = false;
        if (retry)
            lua_pop(L, 1);
        else
            l_park(self, k);
        c->held_of = NULL; /* it may have written what is held */
        self->current = outer;
        return retry ? SAL_RETRY : SAL_ECALLBACK;
    }
    self->current = outer;
    const int written = check && !event ? written_table(self, c, ctx) : 0;
    return written ? call_helper(self, UV_COMPLAIN, k, -written) : SAL_OK;
}

/* Reads one range of results from the stack at *index; 0 or the 1-based place of what is no number. */
static int read_range(lua_State *L, const l_range *r, bool strict, int *index, double *to) {
    if (r->table > 0) {
        const int at = (*index)++;
        if (lua_type(L, at) != LUA_TTABLE)
            return at;
        for (int i = 0; i < r->size; i++) {
            const bool number = lua_rawgeti(L, at, i + 1) == LUA_TNUMBER;
            to[i] = lua_tonumber(L, -1);
            lua_pop(L, 1);
            if (!number)
                return at;
        }
        return 0;
    }
    int at = *index, number = 0;
    for (int i = 0; i < r->size; i++, at++) {
        to[i] = lua_tonumberx(L, at, &number); /* a string that looks like a number is caught when checking */
        if (!number || (strict && lua_type(L, at) != LUA_TNUMBER))
            return at;
    }
    *index = at;
    return 0;
}

/* After the call: names read for the first time want a new shim. */
static sal_status refit(l_simulator *self, int k) {
    return self->closure[k - 1].stale ? call_helper(self, UV_FIT, k, 0) : SAL_OK;
}

/* The result at stack index `at`, the i-th of all, is no number: Lua finds the words. */
static sal_status complain(l_simulator *self, int k, int i, int at) {
    lua_State *L = self->frame.L;
    lua_getiuservalue(L, self->frame.self, UV_COMPLAIN);
    lua_pushinteger(L, k);
    lua_pushinteger(L, i);
    lua_pushvalue(L, at);
    if (lua_pcall(L, 3, 0, self->frame.handler) == LUA_OK)
        lua_pushnil(L);
    l_park(self, k);
    return SAL_ECALLBACK;
}

/* ---- derivatives, outputs, witnesses, guards, times ---- */

/* What closure k answered, from stack index `base` + 1 on, goes where its results belong in to[partition]. */
static sal_status take_results(l_simulator *self, int k, int base, double *const *to) {
    lua_State *L = self->frame.L;
    const l_closure *c = &self->closure[k - 1];
    const l_range *result = results_of(c->shim);
    sal_status status = SAL_OK;
    int at = base + 1;
    for (int i = 0; status == SAL_OK && i < c->shim->results; i++) {
        const int bad =
            read_range(L, &result[i], c->unchecked == CHECK_EVERY, &at, to[result[i].partition] + result[i].at);
        if (bad)
            status = complain(self, k, bad - base, bad);
    }
    lua_settop(L, base);
    return status == SAL_OK ? refit(self, k) : status;
}

static sal_status flowing(l_simulator *self, int k, const sal_context *ctx, const sal_rates *dot) {
    double *const to[3] = {dot->q, dot->v, dot->z};
    int base = 0;
    const sal_status status = run(self, k, ctx, NULL, 0, &base);
    if (status == SAL_OK)
        return take_results(self, k, base, to);
    lua_settop(self->frame.L, base);
    return status;
}

static sal_status derivatives(const sal_system *sys, const sal_context *ctx, const sal_rates *dot) {
    const l_part *part = sal_system_data(sys);
    return flowing(part->owner, part->first, ctx, dot);
}

static sal_status numbers(l_simulator *self, int k, const sal_context *ctx, double *value) {
    int base = 0;
    const sal_status status = run(self, k, ctx, NULL, 0, &base);
    if (status == SAL_OK)
        return take_results(self, k, base, &value);
    lua_settop(self->frame.L, base);
    return status;
}

static sal_status output(const sal_system *sys, const sal_context *ctx, int port, double *value) {
    const l_part *part = sal_system_data(sys);
    if (port < part->outputs)
        return numbers(part->owner, part->first + 1 + port, ctx, value);
    const l_range *state = &part->pass[port - part->outputs];
    if (state->partition < 0) { /* abstract: who reads it finds it where it stands */
        *value = 0;
        return SAL_OK;
    }
    const double *from = sal_context_get(ctx, (sal_partition)state->partition) + state->at;
    for (int i = 0; i < state->size; i++)
        value[i] = from[i];
    return SAL_OK;
}

static int closure_of(const l_part *part, int event, int what) {
    return part->first + 1 + part->outputs + PER_EVENT * event + what;
}

static sal_status witness(const sal_system *sys, const sal_context *ctx, int event, double *value) {
    const l_part *part = sal_system_data(sys);
    return numbers(part->owner, closure_of(part, event, OF_WITNESS), ctx, value);
}

static sal_status when(const sal_system *sys, const sal_context *ctx, int event, bool *active) {
    const l_part *part = sal_system_data(sys);
    double value = 0;
    const sal_status status = numbers(part->owner, closure_of(part, event, OF_WHEN), ctx, &value);
    *active = value != 0;
    return status;
}

static sal_status next_time(const sal_system *sys, const sal_context *ctx, int event, double *t) {
    const l_part *part = sal_system_data(sys);
    return numbers(part->owner, closure_of(part, event, OF_NEXT_TIME), ctx, t);
}

/* ---- constraints ---- */

static int closure_of_part(const l_part *part, int what) {
    return closure_of(part, part->events, 0) + what;
}

static sal_status constraints(const sal_system *sys, const sal_context *ctx, double *residual) {
    const l_part *part = sal_system_data(sys);
    return numbers(part->owner, closure_of_part(part, OF_CONSTRAINTS), ctx, residual);
}

static sal_status constraint_rates(const sal_system *sys, const sal_context *ctx, double *rate) {
    const l_part *part = sal_system_data(sys);
    return numbers(part->owner, closure_of_part(part, OF_CONSTRAINT_RATES), ctx, rate);
}

static sal_status project(const sal_system *sys, const sal_context *ctx, const sal_rates *next) {
    const l_part *part = sal_system_data(sys);
    return flowing(part->owner, closure_of_part(part, OF_PROJECT), ctx, next);
}

/* The engine shows the same v in ctx; the shim takes it from there. */
static sal_status velocity_map(const sal_system *sys, const sal_context *ctx, const double *v, double *qdot) {
    const l_part *part = sal_system_data(sys);
    (void)v;
    return flowing(part->owner, closure_of_part(part, OF_VELOCITY_MAP), ctx, &(sal_rates){qdot, NULL, NULL});
}

/* ---- handlers ---- */

/* The shim's first result: 0 did nothing, 1 succeeded, 2 terminate, 3 fail; nil, what most return, succeeded. */
static sal_outcome outcome_at(lua_State *L, int index) {
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
    const l_shim *shim = self->closure[k - 1].shim;
    const int before = at - 1;
    for (int i = 0; i < shim->results; i++) {
        const l_range *r = &results_of(shim)[i];
        double *to = sal_context_edit(self->next, (sal_partition)r->partition) + r->at;
        const int first = at;
        int bad = read_range(self->frame.L, r, true, &at, to);
        if (!bad && unfit(r, to))
            bad = r->table > 0 ? first : first + unfit(r, to) - 1;
        if (bad)
            return complain(self, k, bad - before, bad);
    }
    return SAL_OK;
}

/* Names written for the first time: fit answers a shim that also hands them over. */
static sal_status harvest(l_simulator *self, int k) {
    lua_State *L = self->frame.L;
    const int base = lua_gettop(L);
    lua_getiuservalue(L, self->frame.self, UV_FIT);
    lua_pushinteger(L, k);
    lua_pushinteger(L, 1);
    if (lua_pcall(L, 2, 1, self->frame.handler) != LUA_OK) {
        l_park(self, k);
        return SAL_ECALLBACK;
    }
    lua_insert(L, base + 1);
    if (lua_pcall(L, 0, self->closure[k - 1].shim->values, self->frame.handler) != LUA_OK) {
        l_park(self, k);
        return SAL_ECALLBACK;
    }
    const sal_status status = write_next(self, k, base + 1);
    lua_settop(L, base);
    return status;
}

static sal_outcome handle(l_simulator *self, int k, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    sal_context *outer_next = self->next;
    const sal_context *outer_before = self->before;
    sal_note *outer_note = self->note;
    self->next = next;
    self->before = event->before;
    self->note = note;
    int base = 0;
    sal_status status = run(self, k, ctx, event, 1, &base);
    lua_State *L = self->frame.L;
    sal_outcome outcome = status == SAL_OK ? outcome_at(L, base + 1) : SAL_FAILED;
    const bool stands = outcome == SAL_SUCCEEDED || outcome == SAL_TERMINATE;
    if (status == SAL_OK && self->closure[k - 1].stale)
        status = next && stands ? harvest(self, k) : refit(self, k);
    else if (status == SAL_OK && next && stands)
        status = write_next(self, k, base + 2);
    lua_settop(L, base);
    self->next = outer_next;
    self->before = outer_before;
    self->note = outer_note;
    return status == SAL_OK ? outcome : SAL_FAILED;
}

static sal_outcome publish(const sal_system *sys, const sal_context *ctx, const sal_event *event, sal_note *note) {
    const l_part *part = sal_system_data(sys);
    return handle(part->owner, closure_of(part, event->index, OF_HANDLER), ctx, event, NULL, note);
}

static sal_outcome update(const sal_system *sys, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    const l_part *part = sal_system_data(sys);
    const int what = event->zeno ? OF_ZENO : OF_HANDLER;
    return handle(part->owner, closure_of(part, event->index, what), ctx, event, next, note);
}

const sal_system_class l_closures = {
    .name = "closures",
    .derivatives = derivatives,
    .output = output,
    .witness = witness,
    .when = when,
    .next_time = next_time,
    .publish = publish,
    .update = update,
    .constraints = constraints,
    .constraint_rates = constraint_rates,
    .project = project,
    .velocity_map = velocity_map,
    .history = l_history,
};

/* ---- the monitor, and progress ---- */

sal_outcome l_monitor(void *user, const sal_context *ctx, sal_note *note) {
    l_simulator *self = user;
    lua_State *L = self->frame.L;
    const sal_context *outer = self->current;
    sal_note *outer_note = self->note;
    if (!lua_checkstack(L, 20)) {
        sal_note_set(note, "the Lua stack is full");
        return SAL_FAILED;
    }
    self->current = ctx;
    self->note = note;
    lua_getiuservalue(L, self->frame.self, UV_MONITOR);
    sal_outcome outcome = SAL_FAILED;
    if (lua_pcall(L, 0, 1, self->frame.handler) == LUA_OK) {
        outcome = outcome_at(L, -1);
        lua_pop(L, 1);
    } else {
        l_park(self, -1);
    }
    self->current = outer;
    self->note = outer_note;
    return outcome;
}

sal_status l_progress(void *user, sal_simulator *sim, sal_sight sight, int part, int event) {
    l_simulator *self = user;
    (void)part;
    (void)event;
    if (sight != SAL_SEE_STEP || --self->progress_left > 0)
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
    if (lua_pcall(L, 1, 0, self->frame.handler) == LUA_OK)
        return SAL_OK;
    l_park(self, -2);
    return SAL_ECALLBACK;
}
