/* Sentences of the engine about a run: why it failed, what limits its steps, how another one differs. */
#include <math.h>

#include "binding.h"
#include "engine/simulator.h"

/* Pushes what `write` writes, which may be longer than a first guess. */
static int push_text(lua_State *L, size_t (*write)(void *user, char *text, size_t room), void *user) {
    char text[1024];
    const size_t length = write(user, text, sizeof text);
    if (length < sizeof text) {
        lua_pushstring(L, text);
        return 1;
    }
    luaL_Buffer buffer;
    write(user, luaL_buffinitsize(L, &buffer, length + 1), length + 1);
    luaL_pushresultsize(&buffer, length);
    return 1;
}

typedef struct failure {
    const l_simulator *self;
    sal_report report;
    const char *source;
} failure;

static size_t write_failure(void *user, char *text, size_t room) {
    const failure *f = user;
    return sal__report_text(f->self->sim, &f->report, f->source, text, room);
}

static size_t write_accuracy(void *user, char *text, size_t room) {
    const failure *f = user;
    return sal__accuracy_text(f->self->sim, f->report.status, text, room);
}

static size_t write_stiffness(void *user, char *text, size_t room) {
    return sal__stiffness_text(((l_simulator *)user)->sim, text, room);
}

/* sentence = self:failure_text(status, time, part, event, note, blame, limit, firings, source): parts and events from
 * 1, or nil; source: "ball.lua:7", or nil */
static int l_failure_text(lua_State *L) {
    failure f = {.self = l_check_simulator(L, 1), .source = luaL_optstring(L, 10, NULL)};
    f.report = (sal_report){.reason = SAL_AT_FAILURE,
                            .time = luaL_checknumber(L, 3),
                            .part = (int)luaL_optinteger(L, 4, 0) - 1,
                            .event = (int)luaL_optinteger(L, 5, 0) - 1,
                            .limit = luaL_optnumber(L, 8, NAN),
                            .firings = luaL_optinteger(L, 9, 0),
                            .status = (sal_status)luaL_checkinteger(L, 2)};
    sal_note_set(&f.report.note, luaL_checkstring(L, 6));
    sal_note_blame(&f.report.note, luaL_checkstring(L, 7));
    return push_text(L, write_failure, &f);
}

/* text = self:accuracy_text(status): what an odd accuracy means for a failure, or "" */
static int l_accuracy_text(lua_State *L) {
    failure f = {.self = l_check_simulator(L, 1), .report = {.status = (sal_status)luaL_checkinteger(L, 2)}};
    return push_text(L, write_accuracy, &f);
}

/* sentence = self:stiffness_text() */
static int l_stiffness_text(lua_State *L) {
    return push_text(L, write_stiffness, l_check_simulator(L, 1));
}

static size_t write_difference(void *user, char *text, size_t room) {
    const l_simulator *const *both = user;
    return sal_simulator_difference(both[0]->sim, both[1]->sim, text, room);
}

/* sentence = self:difference(core of another simulator); "": they have the same hash */
static int l_difference(lua_State *L) {
    const l_simulator *both[] = {l_check_simulator(L, 1), l_check_simulator(L, 2)};
    return push_text(L, write_difference, both);
}

const luaL_Reg l_sentence_methods[] = {{"failure_text", l_failure_text},
                                       {"accuracy_text", l_accuracy_text},
                                       {"stiffness_text", l_stiffness_text},
                                       {"difference", l_difference},
                                       {NULL, NULL}};
