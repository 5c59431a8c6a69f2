/* A sandbox as a value of Lua: a state inside of a state, for hosts that are programs of Lua. Plain values cross. */
#include "sandbox.h"

#define L_SANDBOX "saltus.core.sandbox"

enum { UV_PRINT = 1, UV_SANDBOX_COUNT = UV_PRINT };

typedef struct l_sandbox_object {
    lua_State *inside;  /* NULL: closed */
    lua_State *outside; /* NULL: nothing is running */
} l_sandbox_object;

static l_sandbox_object *check(lua_State *L) {
    l_sandbox_object *self = luaL_checkudata(L, 1, L_SANDBOX);
    if (!self->inside)
        luaL_error(L, "the sandbox is closed");
    return self;
}

/* The object of a running sandbox is at index 1 of its stack. Errors of the host's function are dropped: they are not
 * the script's. */
static void print_outside(void *user, const char *text, size_t size) {
    const l_sandbox_object *self = user;
    lua_State *L = self->outside;
    if (!L || !lua_checkstack(L, 4))
        return;
    if (lua_getiuservalue(L, 1, UV_PRINT) == LUA_TFUNCTION) {
        lua_pushlstring(L, text, size);
        lua_pcall(L, 1, 0, 0);
    } else {
        lua_pop(L, 1);
    }
}

static void read_config(lua_State *L, int options, sal_script_sandbox_config *config) {
    config->memory = (size_t)l_field_number(L, options, "memory", (double)config->memory);
    config->budget = (int64_t)l_field_number(L, options, "budget", (double)config->budget);
    config->seconds = l_field_number(L, options, "seconds", config->seconds);
}

/* sandbox = core.sandbox(options, path, print) */
int l_new_sandbox(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    const char *path = luaL_checkstring(L, 2);
    lua_settop(L, 3);
    l_sandbox_object *self = l_new_object(L, &l_sandbox_class, sizeof *self, UV_SANDBOX_COUNT);
    lua_pushvalue(L, 3);
    lua_setiuservalue(L, 4, UV_PRINT);
    sal_script_sandbox_config config = l_sandbox_config();
    read_config(L, 1, &config);
    config.path = path;
    config.print = print_outside;
    config.print_user = self;
    sal_note why = {.text = ""};
    const sal_status status = l_open_sandbox(&config, &self->inside, &why);
    if (status != SAL_OK)
        return luaL_error(L, "saltus.sandbox: %s", why.text[0] ? why.text : sal_status_text(status));
    return 1;
}

static int l_gc(lua_State *L) {
    l_sandbox_object *self = luaL_checkudata(L, 1, L_SANDBOX);
    lua_State *inside = self->inside;
    self->inside = NULL;
    l_close_sandbox(inside);
    return 0;
}

/* Pushes a copy of the value on top of the other stack; nil for what is neither a text, a number nor a boolean. */
static void push_copy(lua_State *L, lua_State *from) {
    size_t size = 0;
    const char *text = NULL;
    switch (lua_type(from, -1)) {
    case LUA_TBOOLEAN:
        lua_pushboolean(L, lua_toboolean(from, -1));
        break;
    case LUA_TNUMBER:
        if (lua_isinteger(from, -1))
            lua_pushinteger(L, lua_tointeger(from, -1));
        else
            lua_pushnumber(L, lua_tonumber(from, -1));
        break;
    case LUA_TSTRING:
        text = lua_tolstring(from, -1, &size);
        lua_pushlstring(L, text, size);
        break;
    default:
        lua_pushnil(L);
    }
}

/* ok, result or message = sandbox:run(text, name, budget) */
static int run(lua_State *L) {
    l_sandbox_object *self = check(L);
    size_t size = 0;
    const char *text = luaL_checklstring(L, 2, &size), *name = luaL_checkstring(L, 3);
    if (self->outside)
        return luaL_error(L, "the sandbox is running");
    lua_settop(L, 4);
    if (!lua_isnil(L, 4))
        l_set_budget(self->inside, luaL_checkinteger(L, 4));
    self->outside = L;
    const sal_status status = l_run_script(self->inside, text, size, name);
    self->outside = NULL;
    lua_pushboolean(L, status == SAL_OK);
    push_copy(L, self->inside);
    lua_settop(self->inside, 0);
    return 2;
}

/* instructions, bytes = sandbox:left(): what is left of the budget, and the memory in use */
static int l_left(lua_State *L) {
    const l_sandbox_object *self = check(L);
    lua_pushinteger(L, l_limits_of(self->inside)->left);
    lua_pushinteger(L, (lua_Integer)l_sandbox_of(self->inside)->used);
    return 2;
}

/* sandbox:close() */
static int l_close(lua_State *L) {
    if (check(L)->outside)
        return luaL_error(L, "the sandbox is running");
    return l_gc(L);
}

static const luaL_Reg methods[] = {{"run", run}, {"left", l_left}, {"close", l_close}, {NULL, NULL}};

static const luaL_Reg meta[] = {{"__gc", l_gc}, {NULL, NULL}};

const l_class l_sandbox_class = {L_SANDBOX, meta, {methods}};
