/* host.read_line: a line of a terminal, with history and completion where the library readline is installed. It is
 * loaded at run time, as Lua 5.5 does, so the program needs it neither to build nor to start. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

int l_read_line(lua_State *L);

/* readline's interface has no user data: its functions find the Lua state here, while a line is read. */
static struct {
    lua_State *L;
    char *(*readline)(const char *mark);
    void (*add_history)(const char *line);
    char **(*matches)(const char *word, char *(*next)(const char *, int));
    bool was_loaded;
} editor;

static const char *const libraries[] = {"libreadline.so.8", "libreadline.so.7", "libreadline.so", "libreadline.dylib"};

/* The candidates are the list at index 3; `state` is 0 for the first of a word. */
static char *next_match(const char *word, int state) {
    static int at;
    at = state == 0 ? 1 : at + 1;
    (void)word;
    char *copy = NULL;
    if (lua_rawgeti(editor.L, 3, at) == LUA_TSTRING)
        copy = strdup(lua_tostring(editor.L, -1));
    lua_pop(editor.L, 1);
    return copy;
}

/* Calls complete(word), the function at index 2. */
static char **complete(const char *word, int start, int end) {
    lua_State *L = editor.L;
    (void)start, (void)end;
    lua_pushvalue(L, 2);
    lua_pushstring(L, word);
    if (lua_pcall(L, 1, 1, 0) != LUA_OK || !lua_istable(L, -1)) {
        lua_pop(L, 1);
        return NULL;
    }
    lua_replace(L, 3);
    return editor.matches(word, next_match);
}

static void *symbol(void *library, const char *name, void *to, size_t size) {
    void *found = dlsym(library, name);
    if (found)
        memcpy(to, &found, size);
    return found;
}

static void load(void) {
    editor.was_loaded = true;
    void *library = NULL;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !library; i++)
        library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    char ***(*completion) = NULL;
    const char **breaks = dlsym(library, "rl_completer_word_break_characters");
    int *append = dlsym(library, "rl_completion_append_character");
    completion = dlsym(library, "rl_attempted_completion_function");
    if (!symbol(library, "rl_completion_matches", &editor.matches, sizeof editor.matches) || !completion || !breaks ||
        !symbol(library, "add_history", &editor.add_history, sizeof editor.add_history) ||
        !symbol(library, "readline", &editor.readline, sizeof editor.readline))
        return;
    char **(*function)(const char *, int, int) = complete;
    memcpy(completion, &function, sizeof function);
    *breaks = " \t\n\"'`@$><=;|&{}()[]+-*/%^#~,";
    if (append)
        *append = '\0';
}

static int plain_line(lua_State *L, const char *mark) {
    fputs(mark, stdout);
    fflush(stdout);
    char *line = NULL;
    size_t room = 0;
    const ssize_t length = getline(&line, &room, stdin);
    if (length < 0)
        lua_pushnil(L);
    else
        lua_pushlstring(L, line, (size_t)length - (line[length - 1] == '\n'));
    free(line);
    return 1;
}

/* line = host.read_line(mark, complete); nil at the end. complete(word) returns a list of whole words. */
int l_read_line(lua_State *L) {
    const char *mark = luaL_checkstring(L, 1);
    lua_settop(L, 2);
    lua_newtable(L);
    if (!editor.was_loaded)
        load();
    if (!editor.readline)
        return plain_line(L, mark);
    editor.L = L;
    char *line = editor.readline(mark);
    editor.L = NULL;
    if (line && *line)
        editor.add_history(line);
    lua_pushstring(L, line);
    free(line);
    return 1;
}
