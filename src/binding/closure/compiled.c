/* Programs as lua/saltus/closure/compiler/ hands them over. */
#include <string.h>

#include "compiled.h"

enum { MOST_FETCHES = 100, TRIALS = 4 };

/* Field i of the list on top of the stack. */
static int field(lua_State *L, int i) {
    lua_rawgeti(L, -1, i);
    const int value = lua_isboolean(L, -1) ? lua_toboolean(L, -1) : (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return value;
}

/* The list at `index`, whose moves follow those before `from`. */
static l_moves read_moves(lua_State *L, int index, l_move *from) {
    l_moves moves = {from, from + luaL_len(L, index)};
    for (int i = 0; from + i < moves.to; i++) {
        lua_rawgeti(L, index, i + 1);
        from[i] = (l_move){field(L, 1), field(L, 2), field(L, 3), field(L, 4), field(L, 5)};
        lua_pop(L, 1);
    }
    return moves;
}

/* The value stands among the closures from now on: what is compared with it cannot be another at its address. */
static const void *keep_same(lua_State *L, l_simulator *self, int i) {
    lua_rawgeti(L, 3, i);
    const void *pointer = lua_topointer(L, -1);
    l_keep(L, self);
    return pointer;
}

static void read_fetches(lua_State *L, l_simulator *self, int list, l_program *p) {
    if (p->fetches > 0 && self->index_key == 0) {
        lua_pushliteral(L, "__index");
        self->index_key = l_keep(L, self);
    }
    for (int i = 0; i < p->fetches; i++) {
        lua_rawgeti(L, list, i + 1);
        l_fetch *f = &p->fetch[i];
        *f = (l_fetch){field(L, 1), field(L, 2), field(L, 3), field(L, 4), field(L, 5), NULL};
        if (!f->upvalue) {
            lua_rawgeti(L, -1, 3);
            f->key = l_keep(L, self);
        }
        if (f->want == WANT_SAME)
            f->same = keep_same(L, self, i + 1);
        lua_pop(L, 1);
    }
}

static void read_questions(lua_State *L, int list, l_program *p) {
    for (int i = 0; i < p->questions; i++) {
        lua_rawgeti(L, list, i + 1);
        p->question[i] = (l_question){field(L, 1), field(L, 2), field(L, 3)};
        lua_pop(L, 1);
    }
}

static int list_length(lua_State *L, int spec, const char *name) {
    lua_getfield(L, spec, name);
    return (int)luaL_len(L, -1);
}

/* Room for everything in one piece, doubles first; for moves and results of a trial alike. */
static l_program *allot(lua_State *L, l_simulator *self, l_program sizes, int instructions) {
    const size_t values = (size_t)(sizes.places + sizes.moves) * sizeof(double);
    const size_t moves = (size_t)sizes.moves * sizeof(l_move);
    const size_t fetches = (size_t)sizes.fetches * sizeof(l_fetch);
    const size_t questions = (size_t)sizes.questions * sizeof(l_question);
    sizes.bytes =
        sizeof(l_program) + values + moves + fetches + questions + (size_t)instructions * sizeof(sal__instruction);
    char *block = l_new_array(L, self, 1, sizes.bytes);
    l_program *p = (l_program *)(void *)block;
    *p = sizes;
    p->value = (double *)(void *)(block + sizeof(l_program));
    p->tried = p->value + p->places;
    p->fetch = (l_fetch *)(void *)(p->tried + p->moves);
    p->move = (l_move *)(void *)(p->fetch + p->fetches);
    p->question = (l_question *)(void *)(p->move + p->moves);
    p->code = (sal__instruction *)(void *)(p->question + p->questions);
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

static bool is_plain(const l_program *p) {
    bool plain = p->questions == 0;
    for (int i = 0; i < p->fetches; i++)
        plain = plain && p->fetch[i].want != WANT_NUMBER && p->fetch[i].want != WANT_BOOLEAN;
    for (const l_move *m = p->stores.from; m < p->stores.to; m++)
        plain = plain && !m->detail;
    return plain;
}

static bool fits(const l_program *p, int instructions) {
    for (int i = 0; i < p->moves; i++)
        if (p->move[i].place < 0 || p->move[i].place + p->move[i].size > p->places)
            return false;
    for (int i = 0; i < p->fetches; i++)
        if (p->fetch[i].place < 0 || p->fetch[i].place >= p->places)
            return false;
    for (int i = 0; i < instructions; i++)
        if (p->code[i].op == SAL__OP_ASK && p->code[i].d >= p->questions)
            return false;
    return p->ports.to - p->ports.from <= L_MOST_PORTS && p->fetches <= MOST_FETCHES &&
           sal__program_is_sound(p->code, instructions, p->places);
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

/* The lists of moves stand from index 4 on. */
enum { PORTS = 4, FLOWING, HELD, OTHERS, STORES };

static int list_moves(lua_State *L) {
    static const char *const names[] = {"ports", "flowing", "held", "others", "stores"};
    int count = 0;
    for (int i = 0; i <= STORES - PORTS; i++)
        count += list_length(L, 2, names[i]);
    return count;
}

static void read_all_moves(lua_State *L, l_program *p) {
    p->ports = read_moves(L, PORTS, p->move);
    p->flowing = read_moves(L, FLOWING, p->ports.to);
    p->held = read_moves(L, HELD, p->flowing.to);
    p->others = read_moves(L, OTHERS, p->held.to);
    p->stores = read_moves(L, STORES, p->others.to);
}

/* number = self:program(what lua/saltus/closure/compiler writes, functions): by the fetches that want them; false when it
 * is too large */
static int l_new_program(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_settop(L, 3);
    make_room(L, self);
    l_program sizes = {.bytes = 0};
    sizes.moves = list_moves(L);
    sizes.fetches = list_length(L, 2, "fetches");           /* stands at 9 */
    (void)list_length(L, 2, "constants");                   /* 10 */
    sizes.questions = list_length(L, 2, "questions");       /* 11 */
    const size_t bytes = (size_t)list_length(L, 2, "code"); /* 12 */
    lua_getfield(L, 2, "places");
    sizes.places = (int)lua_tointeger(L, -1);
    const int instructions = (int)(bytes / sizeof(sal__instruction));
    l_program *p = allot(L, self, sizes, instructions);
    self->program[self->programs++] = p;
    read_all_moves(L, p);
    read_fetches(L, self, 9, p);
    read_constants(L, 10, p);
    read_questions(L, 11, p);
    memcpy(p->code, lua_tostring(L, 12), bytes);
    p->plain = is_plain(p);
    if (fits(p, instructions))
        lua_pushinteger(L, self->programs);
    else
        lua_pushboolean(L, 0);
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
    c->runs = TRIALS;
    c->next_trial = 2 * TRIALS;
    c->seen_at = 0;
    return 0;
}

/* self:run_slice(part, n, number, function): the n-th finder of a part, from 1 on, is program `number`, a part of
 * `function` */
static int l_run_slice(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const lua_Integer part = luaL_checkinteger(L, 2), n = luaL_checkinteger(L, 3), number = luaL_checkinteger(L, 4);
    luaL_argcheck(L, part >= 1 && part <= self->parts, 2, "no such part");
    const l_part *p = &self->part[part - 1];
    luaL_argcheck(L, n >= 1 && n <= p->finders, 3, "no such finder");
    luaL_argcheck(L, number >= 1 && number <= self->programs, 4, "no such program");
    luaL_checktype(L, 5, LUA_TFUNCTION);
    lua_settop(L, 5);
    l_closure *c = &self->closure[p->first + p->outputs + PER_EVENT * p->events + PER_PART + n - 1];
    c->function = l_keep(L, self);
    c->program = self->program[number - 1];
    c->slice = true;
    return 0;
}

static const char *state_of(const l_closure *c) {
    if (c->program)
        return c->trials > 0 ? "trial" : "program";
    return c->differed ? "differed" : c->misses > 0 ? "missed" : "lua";
}

/* self:programs(): of each closure, in order: false when it was never called, or how it runs */
static int l_programs(lua_State *L) {
    const l_simulator *self = l_check_simulator(L, 1);
    lua_createtable(L, self->closures, 0);
    for (int k = 0; k < self->closures; k++) {
        if (self->closure[k].place > 0)
            lua_pushstring(L, state_of(&self->closure[k]));
        else
            lua_pushboolean(L, 0);
        lua_rawseti(L, -2, k + 1);
    }
    return 1;
}

int l_program_operations(lua_State *L) {
    lua_createtable(L, SAL__OPERATIONS, 0);
    for (int i = 0; i < SAL__OPERATIONS; i++) {
        lua_pushstring(L, sal__operation_names[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

const luaL_Reg l_program_methods[] = {
    {"program", l_new_program},
    {"run_program", l_run_program},
    {"run_slice", l_run_slice},
    {"programs", l_programs},
    {NULL, NULL},
};
