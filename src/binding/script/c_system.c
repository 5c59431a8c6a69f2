/* Systems and diagrams of a program in C become values of Lua, and parts of Lua's simulators. */
#include "base/base.h"
#include "model/model.h"
#include "script.h"

/* ---- keepers: each frees a system when nothing in Lua needs it any more ---- */

void l_keeper_drop(l_keeper *keeper) {
    if (!keeper || --keeper->use_count > 0)
        return;
    const sal_allocator mem = keeper->mem;
    sal_system_free(keeper->system);
    sal__free(&mem, keeper, sizeof *keeper);
}

static int l_gc(lua_State *L) {
    l_keeper **held = luaL_checkudata(L, 1, l_keeper_class.name);
    l_keeper_drop(*held);
    *held = NULL;
    return 0;
}

static const luaL_Reg meta[] = {{"__gc", l_gc}, {NULL, NULL}};

const l_class l_keeper_class = {"saltus.core.keeper", meta, {NULL}};

static l_keeper *push_keeper(lua_State *L, const sal_system *sys) {
    l_keeper **held = l_new_object(L, &l_keeper_class, sizeof *held, 0);
    *held = sal__alloc(&sys->mem, sizeof **held);
    if (!*held)
        luaL_error(L, "not enough memory");
    **held = (l_keeper){sys->mem, NULL, 1};
    return *held;
}

/* ---- values: two tables in the registry with weak values, by system: its Lua value, and its keeper ---- */

enum { AT_MADE = 2 }; /* on the stack of a push: what it has made, by system */

#define VALUES "saltus.script.values"
#define KEEPERS "saltus.script.keepers"

static void push_known(lua_State *L, const char *which) {
    if (luaL_getsubtable(L, LUA_REGISTRYINDEX, which))
        return;
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
}

/* Pushes the keeper of a system, or nil. */
static l_keeper *get_keeper(lua_State *L, const sal_system *sys) {
    push_known(L, KEEPERS);
    l_keeper **held = lua_rawgetp(L, -1, sys) != LUA_TNIL ? lua_touserdata(L, -1) : NULL;
    lua_remove(L, -2);
    return held ? *held : NULL;
}

/* Pushes the value of a system that Lua has, or that this call has made; else returns false. What a failed push has
 * made for a system does not count: its address may be that of another one. */
static bool get_value(lua_State *L, const sal_system *sys) {
    const l_keeper *keeper = get_keeper(L, sys);
    lua_pop(L, 1);
    if (lua_rawgetp(L, AT_MADE, sys) != LUA_TNIL)
        return true;
    if (keeper && keeper->system == sys) {
        push_known(L, VALUES);
        if (lua_rawgetp(L, -1, sys) != LUA_TNIL)
            return true;
        lua_pop(L, 2);
    }
    lua_pop(L, 1);
    return false;
}

/* The value on top, which stays there. */
static void set_known(lua_State *L, const char *which, const sal_system *sys) {
    push_known(L, which);
    lua_pushvalue(L, -2);
    lua_rawsetp(L, -2, sys);
    lua_pop(L, 1);
}

static void set_made(lua_State *L, const sal_system *sys) {
    set_known(L, VALUES, sys);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, AT_MADE, sys);
}

/* ---- pushing ---- */

static void check_system(lua_State *L, sal_system *sys) {
    if (sys->keeping != SAL__CALLERS)
        luaL_error(
            L,
            "sal_script_push_system: the system \"%s\" was pushed before, to another Lua state, or its value is gone",
            sys->name);
    if (sys->behaviour && sal__check_complete(sys) != SAL_OK)
        luaL_error(L, "sal_script_push_system: %s", sal_system_trouble(sys));
}

static void push_mass(lua_State *L, const sal_system *sys) {
    const int n = sal__continuous_size(sys);
    l_push_list(L, n * n, sys->mass);
    lua_setfield(L, -2, "mass");
}

/* Finds what its outputs need; from then on it cannot change. */
static void complete(lua_State *L, sal_system *sys) {
    sal_status status = sal__trace(sys);
    if (status == SAL_OK)
        status = sal__system_build(sys);
    if (status != SAL_OK)
        luaL_error(L, "sal_script_push_system: the system \"%s\" cannot be built: %s", sys->name,
                   *sal_system_trouble(sys) ? sal_system_trouble(sys) : sal_status_text(status));
}

/* Pushes the value of a system that has none yet, and makes both known. */
static void make_value(lua_State *L, sal_system *sys) {
    l_script_push_function(L, "saltus.script.c_system", "check");
    lua_pushstring(L, sys->name);
    l_push_declaration(L, sys);
    lua_call(L, 2, 0);
    complete(L, sys);
    l_script_push_function(L, "saltus.script.c_system", "new");
    push_keeper(L, sys);
    set_known(L, KEEPERS, sys);
    lua_pushstring(L, sys->name);
    l_push_initial_values(L, sys);
    l_push_declaration(L, sys);
    l_set_string(L, "doc", sys->doc);
    if (sys->mass)
        push_mass(L, sys);
    lua_call(L, 4, 1);
    set_made(L, sys);
}

static void push_leaf(lua_State *L, sal_system *sys) {
    luaL_checkstack(L, 30, "system");
    if (get_value(L, sys))
        return;
    check_system(L, sys);
    make_value(L, sys);
}

static void push_wires(lua_State *L, const sal_system *diagram) {
    lua_createtable(L, 4 * diagram->wires.count, 0);
    for (int i = 0, n = 0; i < diagram->wires.count; i++) {
        const sal__wire *w = &diagram->wires.item[i];
        const int ends[4] = {w->from, w->output, w->to, w->input};
        for (int k = 0; k < 4; k++) {
            lua_pushinteger(L, ends[k] + 1);
            lua_rawseti(L, -2, ++n);
        }
    }
}

static void push_diagram(lua_State *L, sal_system *diagram) {
    luaL_checkstack(L, 30, "diagram");
    if (get_value(L, diagram))
        return;
    check_system(L, diagram);
    l_script_push_function(L, "saltus.script.c_system", "diagram");
    push_keeper(L, diagram);
    set_known(L, KEEPERS, diagram);
    lua_pushstring(L, diagram->name);
    lua_createtable(L, diagram->members.count, 0);
    lua_createtable(L, diagram->members.count, 0);
    for (int i = 0; i < diagram->members.count; i++) {
        lua_pushstring(L, diagram->members.item[i].name);
        lua_rawseti(L, -3, i + 1);
        push_leaf(L, diagram->members.item[i].system);
        lua_rawseti(L, -2, i + 1);
    }
    push_wires(L, diagram);
    lua_call(L, 5, 1);
    complete(L, diagram);
    set_made(L, diagram);
}

/* Gives the system to its keeper; raises nothing. */
static void take(lua_State *L, sal_system *sys) {
    l_keeper *keeper = get_keeper(L, sys);
    if (keeper && !keeper->system && sal__system_take(sys))
        keeper->system = sys;
    lua_pop(L, 1);
}

/* value = push(system) */
static int push(lua_State *L) {
    sal_system *sys = lua_touserdata(L, 1);
    if (!sys)
        return luaL_error(L, "sal_script_push_system: the system is NULL");
    lua_newtable(L);
    if (sys->behaviour)
        push_leaf(L, sys);
    else
        push_diagram(L, sys);
    for (int i = 0; i < sys->members.count; i++)
        take(L, sys->members.item[i].system);
    take(L, sys);
    return 1;
}

sal_status l_script_push_system(lua_State *L, sal_system *sys) {
    lua_pushcfunction(L, push);
    lua_pushlightuserdata(L, sys);
    return l_script_call(L, 1, 1, SAL_EINVAL);
}

/* ---- as a part of a model ---- */

/* The initial values of Lua's variables; sections whose numbers are another's are not there. */
static void read_initial_values(lua_State *L, const sal_system *sys, int system) {
    lua_getfield(L, system, "numbers");
    const int numbers = lua_gettop(L);
    for (int p = 0; p < SAL_PARTITIONS; p++) {
        lua_getfield(L, system, l_section_names[p]);
        for (int i = 1; l_push_item(L, i); i++) {
            const int entry = lua_gettop(L);
            double *to = sys->defaults[p].item + l_field_integer(L, entry, "offset");
            if (!l_field_flag(L, entry, "required", false))
                l_read_defaults(L, entry, numbers, to, l_field_integer(L, entry, "size"));
            lua_pop(L, 1);
        }
    }
    lua_pop(L, 1);
}

/* The list on top is popped; none is fine. */
static void add_state_ports(lua_State *L, sal_system *sys) {
    static const char *const partitions[] = {"q", "v", "z", "xd", NULL};
    for (int i = 1; l_push_item(L, i); i++) {
        const int entry = lua_gettop(L);
        int port = 0;
        l_check_status(L,
                       sal__copy_add_state_port(sys, (sal_partition)l_field_option(L, entry, "partition", partitions),
                                                l_field_integer(L, entry, "offset"), l_field_integer(L, entry, "size"),
                                                &port),
                       "port");
        lua_pop(L, 1);
    }
}

void l_copy_c_system(lua_State *L, l_part *part, int system, int ports) {
    lua_getfield(L, system, "c_system");
    l_keeper **held = luaL_checkudata(L, -1, l_keeper_class.name);
    l_keeper *keeper = *held;
    lua_pop(L, 1);
    if (!keeper || !keeper->system)
        luaL_error(L, "the system in C was not pushed completely");
    lua_getfield(L, system, "name");
    l_check_status(L,
                   sal__system_from_prototype(keeper->system, lua_tostring(L, -1), keeper->system->data, &part->system),
                   "system");
    lua_pop(L, 1);
    part->keeper = keeper;
    keeper->use_count++;
    read_initial_values(L, part->system, system);
    lua_rawgeti(L, ports, part->index + 1);
    add_state_ports(L, part->system);
}
