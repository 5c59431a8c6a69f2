/* Registers the programs that lua/saltus/closure/compiler/ writes. */
#include <string.h>

#include "compiled.h"

/* Before a program runs alone, L_TRIALS shadow runs compare it with its closure. An attached program has passed them
 * in an earlier simulator; its next shadow run comes late, so that short runs need no adapter. */
enum { MOST_FETCHES = 100, ATTACHED_SHADOW = 65536 };

/* Pushes row i, from 0 on, of the list at `list`, and reads its first integers. */
static void push_row(lua_State *L, int list, int i, int *field, int count) {
    lua_rawgeti(L, list, i + 1);
    l_read_integers(L, -1, 1, field, count);
}

/* Reads the list at `index`; its moves follow those before `from`. */
static l_moves read_moves(lua_State *L, int index, l_move *from) {
    l_moves moves = {from, from + luaL_len(L, index)};
    for (int i = 0; from + i < moves.to; i++) {
        int f[5];
        push_row(L, index, i, f, 5);
        from[i] = (l_move){f[0], f[1], f[2], f[3], f[4]};
        lua_pop(L, 1);
    }
    return moves;
}

/* Stores the value among the closures, so that no other object can get its address, by which it is compared. */
static const void *keep_same(lua_State *L, l_simulator *self, int i) {
    lua_rawgeti(L, 3, i);
    const void *pointer = lua_topointer(L, -1);
    l_anchor(L, self);
    return pointer;
}

static void read_fetches(lua_State *L, l_simulator *self, int list, l_compiled *p) {
    if (p->lua_value_count > 0 && self->closures.index_key == 0) {
        lua_pushliteral(L, "__index");
        self->closures.index_key = l_anchor(L, self);
    }
    for (int i = 0; i < p->lua_value_count; i++) {
        int f[5];
        push_row(L, list, i, f, 5);
        l_lua_value *value = &p->lua_value[i];
        *value = (l_lua_value){f[0], f[1], f[2], f[3], f[4], NULL};
        if (!value->upvalue) {
            lua_rawgeti(L, -1, 3);
            value->key = l_anchor(L, self);
        }
        if (value->want == WANT_SAME)
            value->same = keep_same(L, self, i + 1);
        lua_pop(L, 1);
    }
}

static void read_queries(lua_State *L, int list, l_compiled *p) {
    for (int i = 0; i < p->query_count; i++) {
        int f[3];
        push_row(L, list, i, f, 3);
        p->query[i] = (l_delay_query){f[0], f[1], f[2]};
        lua_pop(L, 1);
    }
}

/* Allocates everything in one block, doubles first; moves and shadow results have the same count. */
static l_compiled *push_room(lua_State *L, l_compiled sizes, int instructions) {
    const size_t values = (size_t)(sizes.register_count + sizes.move_count) * sizeof(double);
    const size_t moves = (size_t)sizes.move_count * sizeof(l_move);
    const size_t fetches = (size_t)sizes.lua_value_count * sizeof(l_lua_value);
    const size_t questions = (size_t)sizes.query_count * sizeof(l_delay_query);
    const size_t bytes =
        sizeof(l_compiled) + values + moves + fetches + questions + (size_t)instructions * sizeof(sal__instruction);
    char *block = l_new_object(L, &l_program_class, bytes, 0);
    l_compiled *p = (l_compiled *)(void *)block;
    *p = sizes;
    p->register_value = (double *)(void *)(block + sizeof(l_compiled));
    p->shadow_result = p->register_value + p->register_count;
    p->lua_value = (l_lua_value *)(void *)(p->shadow_result + p->move_count);
    p->move = (l_move *)(void *)(p->lua_value + p->lua_value_count);
    p->query = (l_delay_query *)(void *)(p->move + p->move_count);
    p->code = (sal__instruction *)(void *)(p->query + p->query_count);
    return p;
}

static bool is_plain(const l_compiled *p) {
    bool plain = p->query_count == 0;
    for (int i = 0; i < p->lua_value_count; i++)
        plain = plain && p->lua_value[i].want != WANT_NUMBER && p->lua_value[i].want != WANT_BOOLEAN;
    for (const l_move *m = p->stores.from; m < p->stores.to; m++)
        plain = plain && !m->detail;
    return plain;
}

static bool fits(const l_compiled *p, int instructions) {
    for (int i = 0; i < p->move_count; i++)
        if (p->move[i].reg < 0 || p->move[i].reg + p->move[i].size > p->register_count)
            return false;
    for (int i = 0; i < p->lua_value_count; i++)
        if (p->lua_value[i].reg < 0 || p->lua_value[i].reg >= p->register_count)
            return false;
    for (int i = 0; i < instructions; i++)
        if (p->code[i].op == SAL__OP_ASK && p->code[i].d >= p->query_count)
            return false;
    return p->ports.to - p->ports.from <= L_MAX_PORTS && p->lua_value_count <= MOST_FETCHES &&
           sal__bytecode_is_sound(p->code, instructions, p->register_count);
}

static void read_constants(lua_State *L, int list, l_compiled *p) {
    const int count = (int)luaL_len(L, list);
    for (int i = 0; i < count; i++) {
        int place = 0;
        push_row(L, list, i, &place, 1);
        luaL_argcheck(L, place >= 0 && place < p->register_count, 2, "a constant has no place");
        lua_rawgeti(L, -1, 2);
        p->register_value[place] = lua_tonumber(L, -1);
        lua_pop(L, 2);
    }
}

/* The lists of a program, by their stack indices. */
enum { PORTS = 4, FLOWING, HELD, OTHERS, STORES, FETCHES, CONSTANTS, QUERIES, CODE };
static const char *const lists[] = {"ports",   "flowing",   "held",      "others", "stores",
                                    "fetches", "constants", "questions", "code"};

static l_compiled sizes_of(lua_State *L) {
    l_compiled sizes = {.register_count = l_field_integer(L, 2, "places"),
                        .lua_value_count = (int)luaL_len(L, FETCHES),
                        .query_count = (int)luaL_len(L, QUERIES),
                        .margin_trials = L_TRIALS};
    for (int i = PORTS; i <= STORES; i++)
        sizes.move_count += (int)luaL_len(L, i);
    return sizes;
}

static void read_all_moves(lua_State *L, l_compiled *p) {
    p->ports = read_moves(L, PORTS, p->move);
    p->flowing = read_moves(L, FLOWING, p->ports.to);
    p->discrete = read_moves(L, HELD, p->flowing.to);
    p->others = read_moves(L, OTHERS, p->discrete.to);
    p->stores = read_moves(L, STORES, p->others.to);
}

/* program = self:program(tables of lua/saltus/closure/compiler, functions): functions[i] is the value that fetch i
 * must return; false if the program is too large */
static int l_new_compiled(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_settop(L, 3);
    for (int i = PORTS; i <= CODE; i++)
        lua_getfield(L, 2, lists[i - PORTS]);
    size_t bytes = 0;
    const char *code = lua_tolstring(L, CODE, &bytes);
    const int instructions = (int)(bytes / sizeof(sal__instruction));
    l_compiled *p = push_room(L, sizes_of(L), instructions);
    read_all_moves(L, p);
    read_fetches(L, self, FETCHES, p);
    read_constants(L, CONSTANTS, p);
    read_queries(L, QUERIES, p);
    memcpy(p->code, code, bytes);
    p->instruction_count = instructions;
    p->is_plain = is_plain(p);
    if (!fits(p, instructions))
        lua_pushboolean(L, 0);
    return 1;
}

/* Sets closure c: its program is at stack index `arg`, its function at `arg` + 1. Both stay among the closures. */
static void assign(lua_State *L, l_simulator *self, l_closure *c, int arg) {
    l_compiled *p = luaL_checkudata(L, arg, l_program_class.name);
    luaL_checktype(L, arg + 1, LUA_TFUNCTION);
    lua_settop(L, arg + 1);
    c->function = l_anchor(L, self);
    l_anchor(L, self);
    l_end_free_runs(c);
    c->compiled = p;
}

/* self:run_program(closure, program, function) */
static int l_run_compiled(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    l_closure *c = l_check_closure(L, self);
    assign(L, self, c, 3);
    c->shadow_calls_left = L_TRIALS;
    c->run_count = L_TRIALS;
    c->next_shadow_run = 2 * L_TRIALS;
    c->seen_at = 0;
    return 0;
}

/* self:set_phases(closure, program or false, function): the program computes phases, and never replaces the closure */
static int l_set_phases(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    l_closure *c = l_check_closure(L, self);
    const l_compiled *p = lua_toboolean(L, 3) ? luaL_checkudata(L, 3, l_program_class.name) : NULL;
    c->has_no_phases = !p || p->stores.from == p->stores.to;
    if (c->has_no_phases)
        return 0;
    l_closure *phased = memset(lua_newuserdatauv(L, sizeof *phased, 0), 0, sizeof *phased);
    l_anchor(L, self);
    assign(L, self, phased, 3);
    c->phased = phased;
    return 0;
}

static const l_part *check_part(lua_State *L, const l_simulator *self) {
    const int part = l_check_place(L, 2);
    luaL_argcheck(L, part >= 0 && part < self->part_count, 2, "no such part");
    return &self->part[part];
}

/* self:attach_program(part, i, program, function): closure i of a part, from 0 on, runs as the program from its first
 * call on, without an adapter */
static int l_attach_program(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const l_part *part = check_part(L, self);
    const lua_Integer i = luaL_checkinteger(L, 3);
    luaL_argcheck(
        L, !part->kind && i >= 0 && i < l_closure_number(part, part->event_count, PER_PART) - part->first_closure, 3,
        "no such closure");
    l_closure *c = &self->closures.item[part->first_closure + i - 1];
    assign(L, self, c, 4);
    c->next_shadow_run = ATTACHED_SHADOW;
    return 0;
}

/* self:run_slice(part, n, program, function): sets the n-th finder of a part, whose program is a part of `function` */
static int l_run_slice(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const l_part *p = check_part(L, self);
    const int n = l_check_place(L, 3);
    luaL_argcheck(L, n >= 0 && n < p->finder_count, 3, "no such finder");
    l_closure *c = &self->closures.item[l_closure_number(p, p->event_count, PER_PART + n) - 1];
    assign(L, self, c, 4);
    c->is_slice = true;
    return 0;
}

static const char *state_of(const l_closure *c) {
    if (c->compiled)
        return c->shadow_calls_left > 0 ? "trial" : "program";
    return c->has_differed ? "differed" : c->miss_count > 0 ? "missed" : "lua";
}

/* self:programs(): for each closure, in order: false if it was never called, else how it runs */
static int l_list_compiled(lua_State *L) {
    const l_simulator *self = l_check_simulator(L, 1);
    lua_createtable(L, self->closures.count, 0);
    for (int k = 0; k < self->closures.count; k++) {
        const l_closure *c = &self->closures.item[k];
        if (c->anchor > 0 || c->run_count > 0)
            lua_pushstring(L, state_of(c));
        else
            lua_pushboolean(L, 0);
        lua_rawseti(L, -2, k + 1);
    }
    return 1;
}

int l_compiled_operations(lua_State *L) {
    lua_createtable(L, SAL__OPERATIONS, 0);
    for (int i = 0; i < SAL__OPERATIONS; i++) {
        lua_pushstring(L, sal__operation_names[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

const luaL_Reg l_compiled_methods[] = {
    {"program", l_new_compiled},
    {"run_program", l_run_compiled},
    {"attach_program", l_attach_program},
    {"run_slice", l_run_slice},
    {"set_phases", l_set_phases},
    {"programs", l_list_compiled},
    {NULL, NULL},
};

static const luaL_Reg meta[] = {{"__metatable", NULL}, {NULL, NULL}};

const l_class l_program_class = {"saltus.core.program", meta, {NULL}};
