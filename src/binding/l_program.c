/* Programs in place of closures: what they load before a run and store after it. Nothing here can raise, and no
 * Lua runs: numbers of upvalues and tables are fetched raw. */
#include <math.h>
#include <string.h>

#include "binding.h"
#include "program.h"

enum { MOST_PORTS = 16, MOST_FETCHES = 100, TRIALS = 4, MOST_MISSES = 100 };

/* Numbers between a context and a program's places. */
typedef struct l_move {
    int partition, at, size, place;
    int detail; /* loads: L_NEXT or not; stores: 1: not every path may write them */
} l_move;

enum { WANT_NUMBER, WANT_BOOLEAN, WANT_NIL, WANT_TABLE, WANT_SAME };

/* What stands behind an upvalue or a table's field; each is left on the stack for those that hang on it. */
typedef struct l_fetch {
    int parent; /* the fetch that found it, from 1 on; 0: the closure */
    bool upvalue;
    int key; /* an upvalue's number; where a field's key stands among the closures */
    int want, place;
    const void *same;
} l_fetch;

struct l_program {
    size_t bytes;
    int places, results, loads, stores, fetches;
    double *value, *tried; /* tried: results of a trial, apart */
    l_move *load, *store;
    l_fetch *fetch;
    l_instruction *code;
};

/* ---- from Lua ---- */

/* Field i of the list on top of the stack. */
static int field(lua_State *L, int i) {
    lua_rawgeti(L, -1, i);
    const int value = lua_isboolean(L, -1) ? lua_toboolean(L, -1) : (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return value;
}

static l_move *read_moves(lua_State *L, int list, l_move *to, int count) {
    for (int i = 0; i < count; i++) {
        lua_rawgeti(L, list, i + 1);
        to[i] = (l_move){field(L, 1), field(L, 2), field(L, 3), field(L, 4), field(L, 5)};
        lua_pop(L, 1);
    }
    return to;
}

/* The value stands among the closures from now on: what is compared with it cannot be another at its address. */
static const void *keep_same(lua_State *L, l_simulator *self) {
    lua_rawgeti(L, -1, 6);
    const void *pointer = lua_topointer(L, -1);
    l_keep(L, self);
    return pointer;
}

static void read_fetches(lua_State *L, l_simulator *self, int list, l_program *p) {
    for (int i = 0; i < p->fetches; i++) {
        lua_rawgeti(L, list, i + 1);
        l_fetch *f = &p->fetch[i];
        *f = (l_fetch){field(L, 1), field(L, 2), field(L, 3), field(L, 4), field(L, 5), NULL};
        if (!f->upvalue) {
            lua_rawgeti(L, -1, 3);
            f->key = l_keep(L, self);
        }
        if (f->want == WANT_SAME)
            f->same = keep_same(L, self);
        lua_pop(L, 1);
    }
}

static int list_length(lua_State *L, int spec, const char *name) {
    lua_getfield(L, spec, name);
    return (int)luaL_len(L, -1);
}

/* Room for everything in one piece, doubles first. */
static l_program *allot(lua_State *L, l_simulator *self, l_program sizes, int instructions) {
    const size_t values = (size_t)(sizes.places + sizes.results) * sizeof(double);
    const size_t moves = (size_t)(sizes.loads + sizes.stores) * sizeof(l_move);
    const size_t fetches = (size_t)sizes.fetches * sizeof(l_fetch);
    sizes.bytes = sizeof(l_program) + values + moves + fetches + (size_t)instructions * sizeof(l_instruction);
    char *block = l_new_array(L, self, 1, sizes.bytes);
    l_program *p = (l_program *)(void *)block;
    *p = sizes;
    p->value = (double *)(void *)(block + sizeof(l_program));
    p->tried = p->value + p->places;
    p->fetch = (l_fetch *)(void *)(p->tried + p->results);
    p->load = (l_move *)(void *)(p->fetch + p->fetches);
    p->store = p->load + p->loads;
    p->code = (l_instruction *)(void *)(p->store + p->stores);
    return p;
}

static void make_room(lua_State *L, l_simulator *self) {
    if (self->programs < self->program_cap)
        return;
    const int cap = 2 * self->program_cap + 8;
    l_program **more = l_new_array(L, self, cap, sizeof *more);
    for (int i = 0; i < self->programs; i++)
        more[i] = self->program[i];
    if (self->program)
        self->mem.resize(self->mem.user, self->program, (size_t)self->program_cap * sizeof *more, 0);
    self->program = more;
    self->program_cap = cap;
}

void l_free_programs(l_simulator *self) {
    for (int i = 0; i < self->programs; i++)
        self->mem.resize(self->mem.user, self->program[i], self->program[i]->bytes, 0);
    if (self->program)
        self->mem.resize(self->mem.user, self->program, (size_t)self->program_cap * sizeof *self->program, 0);
    self->program = NULL;
    self->programs = self->program_cap = 0;
}

static bool fits(const l_program *p, int instructions) {
    int ports = 0;
    for (int i = 0; i < p->loads + p->stores; i++) {
        if (p->load[i].place < 0 || p->load[i].place + p->load[i].size > p->places)
            return false;
        ports += p->load[i].partition >= L_INPUT;
    }
    return ports <= MOST_PORTS && p->fetches <= MOST_FETCHES && l_sound(p->code, instructions, p->places);
}

static void read_constants(lua_State *L, int list, l_program *p) {
    const int count = (int)luaL_len(L, list);
    for (int i = 0; i < count; i++) {
        lua_rawgeti(L, list, i + 1);
        const int place = field(L, 1);
        luaL_argcheck(L, place >= 0 && place < p->places, 2, "a constant has no place");
        lua_rawgeti(L, -1, 2);
        p->value[place] = lua_tonumber(L, -1);
        lua_pop(L, 2);
    }
}

static int count_results(lua_State *L, int stores) {
    const int count = (int)luaL_len(L, stores);
    int results = 0;
    for (int i = 0; i < count; i++) {
        lua_rawgeti(L, stores, i + 1);
        results += field(L, 3);
        lua_pop(L, 1);
    }
    return results;
}

/* number = self:program(what lua/saltus/program writes); nil when it is too large */
static int l_new_program(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    make_room(L, self);
    l_program sizes = {.bytes = 0};
    sizes.loads = list_length(L, 2, "loads");       /* stands at 3 */
    sizes.stores = list_length(L, 2, "stores");     /* 4 */
    sizes.fetches = list_length(L, 2, "fetches");   /* 5 */
    (void)list_length(L, 2, "constants");           /* 6 */
    const size_t bytes = (size_t)list_length(L, 2, "code");
    lua_getfield(L, 2, "places");
    sizes.places = (int)lua_tointeger(L, -1);
    sizes.results = count_results(L, 4);
    const int instructions = (int)(bytes / sizeof(l_instruction));
    l_program *p = allot(L, self, sizes, instructions);
    self->program[self->programs++] = p;
    read_moves(L, 3, p->load, p->loads);
    read_moves(L, 4, p->store, p->stores);
    read_fetches(L, self, 5, p);
    read_constants(L, 6, p);
    memcpy(p->code, lua_tostring(L, 7), bytes);
    if (fits(p, instructions))
        lua_pushinteger(L, self->programs);
    else
        lua_pushnil(L);
    return 1;
}

/* self:run_program(closure, number, function): closure k is `function`, which program `number` does */
static int l_run_program(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const lua_Integer k = luaL_checkinteger(L, 2), number = luaL_checkinteger(L, 3);
    luaL_argcheck(L, k >= 1 && k <= self->closures, 2, "no such closure");
    luaL_argcheck(L, number >= 1 && number <= self->programs, 3, "no such program");
    luaL_checktype(L, 4, LUA_TFUNCTION);
    lua_settop(L, 4);
    l_closure *c = &self->closure[k - 1];
    c->function = l_keep(L, self);
    c->program = self->program[number - 1];
    c->trials = TRIALS;
    return 0;
}

/* how many closures run as programs, how many of them were seen to differ from it and no longer do */
static int l_count_programs(lua_State *L) {
    const l_simulator *self = l_check_simulator(L, 1);
    int running = 0;
    for (int k = 0; k < self->closures; k++)
        running += self->closure[k].program != NULL;
    lua_pushinteger(L, running);
    lua_pushinteger(L, self->programs_differed);
    return 2;
}

int l_program_operations(lua_State *L) {
    lua_createtable(L, L_OPERATIONS, 0);
    for (int i = 0; i < L_OPERATIONS; i++) {
        lua_pushstring(L, l_operation_names[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

const luaL_Reg l_program_methods[] = {
    {"program", l_new_program},
    {"run_program", l_run_program},
    {"programs", l_count_programs},
    {NULL, NULL},
};

/* ---- a run ---- */

/* A number that a program never computes, nor anybody else. */
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

static bool take_fetched(lua_State *L, const l_fetch *f, double *value) {
    int number = 0;
    switch (f->want) {
    case WANT_NUMBER:
        if (lua_type(L, -1) != LUA_TNUMBER)
            return false;
        value[f->place] = lua_tonumberx(L, -1, &number);
        return !lua_isinteger(L, -1) || fabs(value[f->place]) < 9007199254740992.0;
    case WANT_BOOLEAN:
        value[f->place] = lua_toboolean(L, -1);
        return lua_isboolean(L, -1);
    case WANT_NIL:
        return lua_isnil(L, -1);
    case WANT_TABLE:
        return lua_istable(L, -1);
    default:
        return lua_topointer(L, -1) == f->same;
    }
}

static bool fetch(const l_simulator *self, const l_closure *c) {
    lua_State *L = self->frame.L;
    const l_program *p = c->program;
    const int base = lua_gettop(L) + 1; /* the closure; fetch i stands at base + i */
    bool all = true;
    lua_rawgeti(L, self->frame.closures, c->function);
    for (int i = 0; all && i < p->fetches; i++) {
        const l_fetch *f = &p->fetch[i];
        if (f->upvalue) {
            all = lua_getupvalue(L, base + f->parent, f->key) != NULL;
        } else {
            lua_rawgeti(L, self->frame.closures, f->key);
            lua_rawget(L, base + f->parent);
        }
        all = all && take_fetched(L, f, p->value);
    }
    lua_settop(L, base - 1);
    return all;
}

/* Inputs and outputs are computed before anything is loaded: other programs may run. */
static bool evaluate_ports(l_simulator *self, const l_program *p, const sal_context *ctx, const double **port) {
    const bool parked = self->parked;
    for (int i = 0; i < p->loads && p->load[i].partition >= L_INPUT; i++) {
        const l_move *m = &p->load[i];
        const sal_status status = m->partition == L_INPUT ? sal_context_input(ctx, m->at, &port[i])
                                                          : sal_context_output(ctx, m->at, &port[i]);
        if (status == SAL_ECALLBACK && !parked)
            l_forget_failure(self);
        if (status != SAL_OK)
            return false;
    }
    return true;
}

static void load(const l_simulator *self, const l_program *p, const double *const *port, const sal_context *ctx,
                 const sal_event *event) {
    for (int i = 0; i < p->loads; i++) {
        const l_move *m = &p->load[i];
        double *to = p->value + m->place;
        if (m->partition == L_TIME) {
            *to = sal_context_time(ctx);
        } else if (m->partition == L_EVENT_COUNT) {
            *to = (double)event->count;
        } else {
            const double *from = m->partition >= L_INPUT
                                     ? port[i]
                                     : sal_context_get(m->detail == L_NEXT ? self->next : ctx, (sal_partition)m->partition)
                                           + m->at;
            for (int k = 0; k < m->size; k++)
                to[k] = from[k];
        }
    }
}

static void mark_doubts(const l_program *p) {
    for (int i = 0; i < p->stores; i++)
        for (int k = 0; p->store[i].detail && k < p->store[i].size; k++)
            p->value[p->store[i].place + k] = unset();
}

static bool all_written(const l_program *p) {
    for (int i = 0; i < p->stores; i++)
        for (int k = 0; p->store[i].detail && k < p->store[i].size; k++)
            if (is_unset(p->value[p->store[i].place + k]))
                return false;
    return true;
}

/* Leaves the results in their places; false: the closure is to be asked. */
static bool run(l_simulator *self, const l_closure *c, const sal_context *ctx, const sal_event *event) {
    const l_program *p = c->program;
    const double *port[MOST_PORTS];
    if (!evaluate_ports(self, p, ctx, port))
        return false;
    if (p->fetches > 0 && !fetch(self, c))
        return false;
    load(self, p, port, ctx, event);
    mark_doubts(p);
    return l_compute(p->code, p->value) && all_written(p);
}

/* Whether closure c runs as a program now: who watches Lua's instructions (a debugger, Ctrl-C) sees them. */
static bool ready(const l_simulator *self, const l_closure *c) {
    return c->program && c->trials == 0 && !c->stale && !lua_gethook(self->frame.L);
}

/* The closure is looked at closely; one that is left to Lua again and again stays there. */
static bool missed(l_closure *c) {
    c->unchecked = 0;
    if (++c->misses >= MOST_MISSES)
        c->program = NULL;
    return false;
}

bool l_computed(l_simulator *self, l_closure *c, const sal_context *ctx, double *const *to) {
    if (!ready(self, c))
        return false;
    const l_program *p = c->program;
    if (!run(self, c, ctx, NULL))
        return missed(c);
    for (int i = 0; i < p->stores; i++) {
        const l_move *m = &p->store[i];
        for (int k = 0; k < m->size; k++)
            to[m->partition][m->at + k] = p->value[m->place + k];
    }
    c->misses = 0;
    return true;
}

/* What flows must stay finite, and NaN stands nowhere: the closure itself finds the words. */
static bool can_be_written(const l_program *p) {
    for (int i = 0; i < p->stores; i++)
        for (int k = 0; k < p->store[i].size; k++) {
            const double value = p->value[p->store[i].place + k];
            if (isnan(value) || (p->store[i].partition <= SAL_Z && isinf(value)))
                return false;
        }
    return true;
}

bool l_updated(l_simulator *self, l_closure *c, const sal_context *ctx, const sal_event *event, sal_context *next) {
    if (!ready(self, c))
        return false;
    const l_program *p = c->program;
    if (!run(self, c, ctx, event) || !can_be_written(p))
        return missed(c);
    for (int i = 0; i < p->stores; i++) {
        const l_move *m = &p->store[i];
        double *to = sal_context_edit(next, (sal_partition)m->partition) + m->at;
        for (int k = 0; k < m->size; k++)
            to[k] = p->value[m->place + k];
    }
    c->misses = 0;
    return true;
}

/* ---- trials: a new program runs beside its closure at first, and must answer the same bits ---- */

bool l_try(l_simulator *self, const l_closure *c, const sal_context *ctx, const sal_event *event) {
    if (!c->program || c->trials == 0 || !run(self, c, ctx, event))
        return false;
    const l_program *p = c->program;
    for (int i = 0, n = 0; i < p->stores; i++)
        for (int k = 0; k < p->store[i].size; k++)
            p->tried[n++] = p->value[p->store[i].place + k];
    return true;
}

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

void l_judge_trial(l_simulator *self, l_closure *c, const double *const *answered) {
    const l_program *p = c->program;
    bool same = true;
    for (int i = 0, n = 0; i < p->stores; i++) {
        const l_move *m = &p->store[i];
        for (int k = 0; k < m->size; k++)
            same = same && same_bits(p->tried[n++], answered[m->partition][m->at + k]);
    }
    c->trials--;
    if (same)
        return;
    c->program = NULL;
    self->programs_differed++;
}
