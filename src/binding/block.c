/* Ready-made blocks: made from a table of options, and as parts of a model. Lua gets a block's declarations unless
 * an earlier block has the same ones. */
#include "model/model.h"
#include "binding.h"

/* ---- making one ---- */

enum { MAX_OPTIONS = 16 }; /* of a block, as in src/blocks/block_builder.h */

/* The values of the options, checked by lua/saltus/blocks/init.lua; lists of numbers are userdata on the stack. */
typedef struct l_given {
    sal_block_value value[MAX_OPTIONS];
    double number[MAX_OPTIONS];
    int count;
} l_given;

/* Copies the numbers of the list on top to *numbers, which advances; of a list of lists, the numbers of each. */
static void take_list(lua_State *L, double **numbers) {
    const int count = (int)luaL_len(L, -1);
    for (int i = 1; i <= count; i++) {
        if (lua_geti(L, -1, i) == LUA_TTABLE)
            take_list(L, numbers);
        else
            *(*numbers)++ = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
}

/* Returns how many numbers the list on top has; of a list of lists with rows of one length, in all. */
static int count_numbers(lua_State *L, int *rows) {
    const int count = (int)luaL_len(L, -1);
    const bool nested = lua_geti(L, -1, 1) == LUA_TTABLE;
    const int each = nested ? (int)luaL_len(L, -1) : 1;
    lua_pop(L, 1);
    *rows = nested ? count : 0;
    return count * each;
}

/* Reads the value on top; a userdata with its numbers replaces a list. Returns false for a function or nil. */
static bool read_value(lua_State *L, sal_block_value *value, double *number) {
    *number = lua_isboolean(L, -1) ? lua_toboolean(L, -1) : lua_tonumber(L, -1);
    value->numbers = number;
    value->count = 1;
    value->text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    if (!lua_istable(L, -1))
        return !lua_isnil(L, -1) && !lua_isfunction(L, -1);
    value->count = count_numbers(L, &value->rows);
    double *numbers = l_push_room(L, value->count);
    value->numbers = numbers;
    lua_insert(L, -2);
    take_list(L, &numbers);
    lua_pop(L, 1);
    return true;
}

/* Leaves strings and numbers on the stack for as long as `given` is used. */
static void read_given(lua_State *L, int table, const sal_block_option *options, l_given *given) {
    luaL_checkstack(L, MAX_OPTIONS + 10, "block");
    given->count = 0;
    for (int k = 0; options[k].name && k < MAX_OPTIONS; k++) {
        sal_block_value value = {.option = options[k].name};
        lua_getfield(L, table, options[k].name);
        if (read_value(L, &value, &given->number[given->count]))
            given->value[given->count++] = value;
    }
}

/* Frees the system of a holder now; otherwise Lua's collector does. */
static void clear(sal_system **holder) {
    sal_system_free(*holder);
    *holder = NULL;
}

static int l_gc(lua_State *L) {
    clear(luaL_checkudata(L, 1, l_block_class.name));
    return 0;
}

static bool is_like(lua_State *L, int other, const sal_system *sys) {
    sal_system **known = luaL_testudata(L, other, l_block_class.name);
    return known && *known && sal__system_is_like(sys, *known);
}

/* numbers, description, made = core.block(kind, name, given, like): its initial values, and its declarations unless
 * the block `like` has the same ones. nil, why: the block cannot be made. */
static int l_block(lua_State *L) {
    const char *kind = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    const sal_block_kind *known = sal_block_find(kind);
    luaL_argcheck(L, known, 1, "there is no such block");
    sal_system **held = lua_touserdata(L, lua_upvalueindex(1)); /* frees the system if an error occurs below */
    clear(held);
    l_given given;
    read_given(L, 3, known->options, &given);
    sal_note note = {.text = ""};
    const sal_allocator mem = l_allocator(L);
    const sal_status status = sal_block_new(&mem, kind, name, given.value, given.count, &note, held);
    if (status != SAL_OK) {
        lua_pushnil(L);
        lua_pushstring(L, note.text[0] ? note.text : sal_status_text(status));
        return 2;
    }
    l_push_initial_values(L, *held);
    if (is_like(L, 4, *held)) {
        clear(held);
        return 1;
    }
    l_push_declaration(L, *held);
    *(sal_system **)l_new_object(L, &l_block_class, sizeof *held, 0) = *held;
    *held = NULL;
    return 3;
}

/* ---- as a part of a model ---- */

void l_init_block_part(lua_State *L, l_part *part, const char *kind) {
    part->kind = sal_block_find(kind);
    if (!part->kind)
        luaL_error(L, "there is no block %s", kind);
    part->behaviour = *sal_block_class(kind);
    part->behaviour.history = l_history;
}

sal_status l_copy_block(lua_State *L, l_part *part, const l_part *like, int system) {
    part->kind = like->kind;
    part->output_count = like->output_count;
    part->event_count = like->event_count;
    lua_getfield(L, system, "name");
    const sal_status status = sal__system_from_prototype(like->system, lua_tostring(L, -1), part, &part->system);
    if (lua_getfield(L, system, "numbers") == LUA_TTABLE && status == SAL_OK)
        l_read_initial_values(L, lua_gettop(L), part->system);
    lua_pop(L, 2);
    return status;
}

static const luaL_Reg functions[] = {{"blocks", l_blocks}, {"block", l_block}, {NULL, NULL}};

static const luaL_Reg meta[] = {{"__gc", l_gc}, {NULL, NULL}};

const l_class l_block_class = {"saltus.core.block", meta, {NULL}};

void l_open_blocks(lua_State *L) {
    l_new_object(L, &l_block_class, sizeof(sal_system *), 0);
    luaL_setfuncs(L, functions, 1);
}
