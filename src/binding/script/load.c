/* Files of Lua source, each in an environment of its own. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "script.h"

/* ---- files for a sandbox ---- */

typedef struct l_source {
    FILE *file;
    char piece[BUFSIZ];
} l_source;

static const char *next_piece(lua_State *L, void *user, size_t *size) {
    l_source *source = user;
    (void)L;
    *size = fread(source->piece, 1, sizeof source->piece, source->file);
    return *size > 0 ? source->piece : NULL;
}

/* As luaL_loadfilex does: neither a byte order mark nor a first line that begins with # belongs to the text. */
static void skip_start(FILE *file) {
    static const char mark[] = "\xEF\xBB\xBF";
    char start[sizeof mark - 1];
    if (fread(start, 1, sizeof start, file) != sizeof start || memcmp(start, mark, sizeof start) != 0)
        rewind(file);
    int c = getc(file);
    if (c == '#')
        while ((c = getc(file)) != '\n' && c != EOF) {
        }
    if (c != EOF)
        ungetc(c, file);
}

/* Its name begins with "=": whatever its path is, it is no file of saltus, which guard.c trusts. lua_load raises
 * nothing, so the file is closed. */
static void push_chunk(lua_State *L, const char *path) {
    l_source source = {.file = fopen(path, "rb")};
    if (!source.file)
        luaL_error(L, "cannot open %s: %s", path, strerror(errno));
    skip_start(source.file);
    char name[256];
    snprintf(name, sizeof name, "=%s", path);
    const int failed = lua_load(L, next_piece, &source, name, "t");
    const bool is_read = !ferror(source.file);
    fclose(source.file);
    if (failed)
        lua_error(L);
    if (!is_read)
        luaL_error(L, "cannot read %s", path);
}

/* Sets the environment that is on top. */
static void set_environment(lua_State *L) {
    if (!lua_setupvalue(L, -2, 1))
        lua_pop(L, 1);
}

/* chunk = compile_in_sandbox(path): as the scripts of the sandbox */
static int compile_in_sandbox(lua_State *L, const char *path) {
    l_script_push_function(L, "saltus.sandbox.environment", "for_host");
    push_chunk(L, path);
    l_script_push_function(L, "saltus.sandbox.environment", "new");
    lua_call(L, 0, 1);
    set_environment(L);
    lua_call(L, 1, 1);
    return 1;
}

/* ---- all files ---- */

/* chunk = compile(path) */
static int compile(lua_State *L) {
    const char *path = lua_touserdata(L, 1);
    if (l_limits_of(L)->untrusted)
        return compile_in_sandbox(L, path);
    if (luaL_loadfilex(L, path, "t") != LUA_OK)
        return lua_error(L);
    l_script_push_function(L, "saltus.script.environment", "new");
    lua_pushstring(L, path);
    lua_call(L, 1, 1);
    set_environment(L);
    return 1;
}

/* value = run(chunk, ...). On a thread: saltus.scenario runs a scenario only for an interpreter's main program. */
static int run(lua_State *L) {
    const int arguments = lua_gettop(L) - 1;
    lua_State *thread = lua_newthread(L);
    lua_insert(L, 1);
    luaL_checkstack(thread, arguments + LUA_MINSTACK, "arguments");
    lua_xmove(L, thread, arguments + 1);
    const bool failed = lua_pcall(thread, arguments, 1, 0) != LUA_OK;
    lua_xmove(thread, L, 1);
    if (!failed && l_is_spent(l_limits_of(L)))
        return l_raise_spent(L); /* it has caught the error, and ended */
    return failed ? lua_error(L) : 1;
}

sal_status l_script_load(lua_State *L, const char *path, int arguments) {
    if (arguments < 0 || arguments > lua_gettop(L))
        return l_script_refuse(L, SAL_EINVAL, "sal_script_load: there are not so many arguments on the stack");
    lua_pushcfunction(L, compile);
    lua_pushlightuserdata(L, (void *)(uintptr_t)path);
    const sal_status status = l_script_call(L, 1, 1, SAL_EINVAL);
    if (status != SAL_OK) {
        lua_pop(L, arguments);
        return status;
    }
    lua_insert(L, -arguments - 1);
    lua_pushcfunction(L, run);
    lua_insert(L, -arguments - 2);
    return l_script_call(L, arguments + 1, 1, SAL_ECALLBACK);
}
