/* A Lua module in C for the specs of saltus/script.h: systems in C with twins in Lua (spec/script/twins.lua), and calls
 * of a program in C. It contains a copy of the library of its own, as modules of users do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

#include "saltus/saltus.h"
#include "saltus/sandbox.h"
#include "saltus/script.h"

int luaopen_c_systems(lua_State *L);

static int destroyed;

/* The data of a system: each of its copies in Lua's simulators has it. */
static double *new_factor(double factor) {
    double *data = malloc(sizeof *data);
    if (data)
        *data = factor;
    return data;
}

static double factor_of(const sal_system *self) {
    return *(const double *)sal_system_data(self);
}

static void count_destroyed(void *data) {
    destroyed++;
    free(data);
}

/* ---- an oscillator with a stop, a periodic sample with noise, and two outputs ---- */

enum { STIFFNESS, DAMPING };  /* parameters */
enum { HITS, SAMPLE, STATE }; /* discrete */
enum { FREE = 1, HELD = 2 };  /* of state */
enum { ENERGY, REACTION };    /* outputs */
enum { STOP, TICK, HOLD };    /* events */

static sal_status oscillate(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *p = sal_context_get(ctx, SAL_PARAM), *torque = NULL;
    const double angle = *sal_context_get(ctx, SAL_Q), rate = *sal_context_get(ctx, SAL_V);
    const sal_status status = sal_context_input(ctx, 0, &torque);
    (void)self;
    if (status != SAL_OK)
        return status;
    *dot->q = rate;
    *dot->v = sal_context_get(ctx, SAL_XD)[STATE] == HELD ? -rate : *torque - p[STIFFNESS] * angle - p[DAMPING] * rate;
    return SAL_OK;
}

static sal_status oscillator_output(const sal_system *self, const sal_context *ctx, int port, double *value) {
    const double *p = sal_context_get(ctx, SAL_PARAM), *torque = NULL;
    const double angle = *sal_context_get(ctx, SAL_Q), rate = *sal_context_get(ctx, SAL_V);
    (void)self;
    if (port == ENERGY) {
        *value = 0.5 * rate * rate + 0.5 * p[STIFFNESS] * angle * angle;
        return SAL_OK;
    }
    const sal_status status = sal_context_input(ctx, 0, &torque);
    if (status == SAL_OK)
        *value = *torque - p[STIFFNESS] * angle;
    return status;
}

static sal_status oscillator_witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self;
    *value = *sal_context_get(ctx, SAL_Q) + (event == STOP ? 0.5 : 0);
    return SAL_OK;
}

static sal_outcome oscillator_update(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                     sal_context *next, sal_note *note) {
    (void)self;
    (void)note;
    double *xd = sal_context_edit(next, SAL_XD);
    if (event->index == STOP) {
        *sal_context_edit(next, SAL_V) = -0.5 * *sal_context_get(ctx, SAL_V);
        xd[HITS] = sal_context_get(ctx, SAL_XD)[HITS] + 1;
    } else if (event->index == TICK) {
        xd[SAMPLE] = *sal_context_get(ctx, SAL_Q) + factor_of(self) * sal_context_random(next);
    } else {
        xd[STATE] = HELD;
    }
    return SAL_SUCCEEDED;
}

static const sal_system_class oscillator_class = {.name = "oscillator",
                                                  .derivatives = oscillate,
                                                  .output = oscillator_output,
                                                  .witness = oscillator_witness,
                                                  .update = oscillator_update,
                                                  .destroy = count_destroyed};

static void add_oscillator_events(sal_system *sys) {
    sal_event_config stop = sal_event_config_default(), tick = stop, hold = stop;
    stop.name = "stop", stop.trigger = SAL_ON_WITNESS, stop.kind = SAL_UNRESTRICTED, stop.direction = SAL_FALLING;
    tick.name = "tick", tick.trigger = SAL_ON_PERIOD, tick.kind = SAL_DISCRETE, tick.period = 0.1;
    hold.name = "hold", hold.doc = "lets it stop", hold.trigger = SAL_ON_DEMAND, hold.kind = SAL_DISCRETE;
    sal_system_add_event(sys, &stop, NULL);
    sal_system_add_event(sys, &tick, NULL);
    sal_system_add_event(sys, &hold, NULL);
}

static sal_system *new_oscillator(const char *name) {
    const double one = 1, four = 4, tenth = 0.1, none = sal_no_value(), begun = FREE;
    const char *const states[] = {"free", "held"};
    sal_system *sys = NULL;
    sal_system_new(NULL, &oscillator_class, name, new_factor(0.01), &sys);
    sal_system_add_values(sys, SAL_PARAM, "stiffness", 1, &four);
    sal_system_add_values(sys, SAL_PARAM, "damping", 1, &tenth);
    sal_system_add_values(sys, SAL_Q, "angle", 1, &one);
    sal_system_add_values(sys, SAL_V, "rate", 1, NULL);
    sal_system_add_values(sys, SAL_XD, "hits", 1, NULL);
    sal_system_add_values(sys, SAL_XD, "sample", 1, NULL);
    sal_system_add_values(sys, SAL_XD, "state", 1, &begun);
    sal_system_set_modes(sys, "state", states, 2);
    sal_system_set_doc(sys, "an arm on a spring");
    sal_system_describe(sys, "angle", "rad", NULL);
    sal_system_describe(sys, "rate", "rad/s", NULL);
    sal_system_describe(sys, "hits", NULL, "of the stop");
    sal_system_add_values(sys, SAL_INPUT, "torque", 1, &none);
    sal_system_describe(sys, "torque", "N m", NULL);
    sal_system_add_output(sys, "energy", 1, NULL);
    sal_system_describe_output(sys, ENERGY, "J", "kinetic and elastic");
    sal_system_add_output(sys, "reaction", 1, NULL); /* its dependencies are found */
    sal_system_set_dependencies(sys, ENERGY, NULL, 0, NULL, 0);
    add_oscillator_events(sys);
    return sys;
}

/* ---- a sampled controller ---- */

enum { TARGET, RATE_GAIN };

static sal_status servo_output(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self;
    (void)port;
    *value = *sal_context_get(ctx, SAL_XD);
    return SAL_OK;
}

static sal_outcome control(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                           sal_note *note) {
    const double *p = sal_context_get(ctx, SAL_PARAM), *angle = NULL, *rate = NULL;
    (void)self;
    (void)event;
    if (sal_context_input(ctx, 0, &angle) != SAL_OK || sal_context_input(ctx, 1, &rate) != SAL_OK) {
        sal_note_set(note, "no measurement");
        return SAL_FAILED;
    }
    *sal_context_edit(next, SAL_XD) = factor_of(self) * (p[TARGET] - *angle) - p[RATE_GAIN] * *rate;
    return SAL_SUCCEEDED;
}

static const sal_system_class servo_class = {
    .name = "servo", .output = servo_output, .update = control, .destroy = count_destroyed};

static sal_system *new_servo(const char *name) {
    const double target = 0.3, rate_gain = 2, none = sal_no_value();
    sal_event_config sample = sal_event_config_default();
    sal_system *sys = NULL;
    sal_system_new(NULL, &servo_class, name, new_factor(20), &sys);
    sal_system_add_values(sys, SAL_PARAM, "target", 1, &target);
    sal_system_add_values(sys, SAL_PARAM, "rate_gain", 1, &rate_gain);
    sal_system_add_values(sys, SAL_XD, "u", 1, NULL);
    sal_system_add_values(sys, SAL_INPUT, "angle", 1, &none);
    sal_system_add_values(sys, SAL_INPUT, "rate", 1, &none);
    sal_system_add_output(sys, "torque", 1, NULL);
    sal_system_describe_output(sys, 0, "N m", NULL);
    sal_system_set_dependencies(sys, 0, NULL, 0, NULL, 0);
    sample.name = "control", sample.trigger = SAL_ON_PERIOD, sample.kind = SAL_DISCRETE, sample.period = 0.05;
    sal_system_add_event(sys, &sample, NULL);
    return sys;
}

/* ---- systems that fail, and one that calls Lua ---- */

static sal_status fail_late(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    *dot->z = 1;
    return sal_context_time(ctx) > 0.5 ? SAL_ECALLBACK : SAL_OK;
}

static sal_outcome refuse_update(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                 sal_context *next, sal_note *note) {
    (void)self;
    (void)ctx;
    (void)event;
    (void)next;
    sal_note_set(note, "the valve is stuck");
    return SAL_FAILED;
}

static const sal_system_class failing_class = {.name = "failing", .derivatives = fail_late, .update = refuse_update};

static sal_system *new_failing(bool by_update) {
    sal_event_config stick = sal_event_config_default();
    sal_system *sys = NULL;
    sal_system_new(NULL, &failing_class, "failing", NULL, &sys);
    sal_system_add_values(sys, SAL_Z, "x", 1, NULL);
    stick.name = "stick", stick.trigger = SAL_ON_PERIOD, stick.kind = SAL_DISCRETE, stick.period = 1,
    stick.offset = 0.25;
    if (by_update)
        sal_system_add_event(sys, &stick, NULL);
    return sys;
}

/* Its derivative is what the input says: an error of the closure behind it is the run's. */
static sal_status follow_input(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, 0, &u);
    (void)self;
    *dot->z = status == SAL_OK ? *u : 0;
    return status;
}

static const sal_system_class follower_class = {.name = "follower", .derivatives = follow_input};

static sal_system *new_follower(void) {
    const double none = sal_no_value();
    sal_system *sys = NULL;
    sal_system_new(NULL, &follower_class, "follower", NULL, &sys);
    sal_system_add_values(sys, SAL_Z, "x", 1, NULL);
    sal_system_add_values(sys, SAL_INPUT, "u", 1, &none);
    return sys;
}

/* ---- a mass matrix, constraints, a past, a slot, vectors ---- */

static sal_status balance(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *z = sal_context_get(ctx, SAL_Z);
    (void)self;
    dot->z[0] = -z[1];
    dot->z[1] = z[1] - 2 * z[0]; /* an equation: z[1] = 2 z[0] */
    return SAL_OK;
}

static const sal_system_class balance_class = {.name = "balance", .derivatives = balance};

static sal_system *new_balance(void) {
    const double start[] = {1, 2}, mass[] = {1, 0, 0, 0};
    sal_system *sys = NULL;
    sal_system_new(NULL, &balance_class, "balance", NULL, &sys);
    sal_system_add_values(sys, SAL_Z, "x", 2, start);
    sal_system_set_mass(sys, mass);
    return sys;
}

static sal_status turn(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *q = sal_context_get(ctx, SAL_Q), *v = sal_context_get(ctx, SAL_V);
    (void)self;
    dot->q[0] = v[0], dot->q[1] = v[1];
    dot->v[0] = -q[0], dot->v[1] = -q[1];
    return SAL_OK;
}

static sal_status on_circle(const sal_system *self, const sal_context *ctx, double *residual) {
    const double *q = sal_context_get(ctx, SAL_Q);
    (void)self;
    *residual = q[0] * q[0] + q[1] * q[1] - 1;
    return SAL_OK;
}

static const sal_system_class circle_class = {.name = "circle", .derivatives = turn, .constraints = on_circle};

static sal_system *new_circle(void) {
    const double q[] = {1, 0}, v[] = {0, 1};
    sal_system *sys = NULL;
    sal_system_new(NULL, &circle_class, "circle", NULL, &sys);
    sal_system_add_values(sys, SAL_Q, "r", 2, q);
    sal_system_add_values(sys, SAL_V, "u", 2, v);
    sal_system_set_constraints(sys, 1, 0);
    return sys;
}

static sal_status delayed_decay(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    double x = 0;
    const sal_status status = sal_context_past(ctx, 0, 1, &x);
    (void)self;
    *dot->z = -x;
    return status;
}

static const sal_system_class delayed_class = {.name = "delayed", .derivatives = delayed_decay};

static sal_system *new_delayed(void) {
    const double one = 1;
    sal_system *sys = NULL;
    sal_system_new(NULL, &delayed_class, "delayed", NULL, &sys);
    sal_system_add_values(sys, SAL_Z, "x", 1, &one);
    sal_system_add_past(sys, "x", 1, NULL);
    return sys;
}

/* A slot with a text of one letter more each second. */
typedef struct text {
    size_t size;
    char letters[64];
} text;

static sal_status make_text(const sal_system *self, int slot, void **out) {
    (void)self;
    (void)slot;
    *out = calloc(1, sizeof(text));
    return *out ? SAL_OK : SAL_ENOMEM;
}

static sal_status assign_text(void *to, const void *from) {
    memcpy(to, from, sizeof(text));
    return SAL_OK;
}

static sal_status clone_text(const void *from, void **out) {
    *out = malloc(sizeof(text));
    return *out ? assign_text(*out, from) : SAL_ENOMEM;
}

static size_t text_size(const void *value) {
    (void)value;
    return sizeof(text);
}

static void save_text(const void *value, void *bytes) {
    memcpy(bytes, value, sizeof(text));
}

static sal_status load_text(void *value, const void *bytes, size_t size) {
    if (size == sizeof(text))
        memcpy(value, bytes, size);
    return size == sizeof(text) ? SAL_OK : SAL_EINVAL;
}

static uint64_t hash_text(const void *value, uint64_t seed) {
    return sal_hash(value, sizeof(text), seed);
}

static const sal_slot_type text_type = {.make = make_text,
                                        .clone = clone_text,
                                        .assign = assign_text,
                                        .drop = free,
                                        .size = text_size,
                                        .save = save_text,
                                        .load = load_text,
                                        .hash = hash_text};

static sal_outcome write_letter(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                sal_context *next, sal_note *note) {
    void *value = NULL;
    (void)self;
    (void)ctx;
    (void)note;
    if (sal_context_edit_slot(next, 0, &value) != SAL_OK)
        return SAL_FAILED;
    text *t = value;
    t->letters[t->size++] = (char)('a' + event->count);
    return SAL_SUCCEEDED;
}

static sal_status text_length(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self;
    (void)port;
    *value = (double)((const text *)sal_context_slot(ctx, 0))->size;
    return SAL_OK;
}

static const sal_system_class writer_class = {.name = "writer", .output = text_length, .update = write_letter};

static sal_system *new_writer(void) {
    sal_event_config letter = sal_event_config_default();
    sal_system *sys = NULL;
    sal_system_new(NULL, &writer_class, "writer", NULL, &sys);
    sal_system_add_slot(sys, "text", &text_type, NULL);
    sal_system_add_output(sys, "length", 1, NULL);
    letter.name = "letter", letter.trigger = SAL_ON_PERIOD, letter.kind = SAL_UNRESTRICTED, letter.period = 1;
    sal_system_add_event(sys, &letter, NULL);
    return sys;
}

/* ---- functions for Lua ---- */

/* The value of a new system; nil and why. The system is freed if it was refused. */
static int give(lua_State *L, sal_system *sys) {
    if (sal_script_push_system(L, sys) == SAL_OK)
        return 1;
    sal_system_free(sys);
    lua_pushnil(L);
    lua_pushstring(L, sal_script_trouble(L));
    return 2;
}

static int l_oscillator(lua_State *L) {
    return give(L, new_oscillator(luaL_optstring(L, 1, "oscillator")));
}

static int l_servo(lua_State *L) {
    return give(L, new_servo(luaL_optstring(L, 1, "servo")));
}

static int l_failing(lua_State *L) {
    return give(L, new_failing(lua_toboolean(L, 1)));
}

static int l_follower(lua_State *L) {
    return give(L, new_follower());
}

static int l_balance(lua_State *L) {
    return give(L, new_balance());
}

static int l_circle(lua_State *L) {
    return give(L, new_circle());
}

static int l_delayed(lua_State *L) {
    return give(L, new_delayed());
}

static int l_writer(lua_State *L) {
    return give(L, new_writer());
}

static int l_block(lua_State *L) {
    sal_system *sys = NULL;
    sal_block_gain(NULL, "k", 1, luaL_checknumber(L, 1), &sys);
    return give(L, sys);
}

/* The diagram of an oscillator under a servo, of one system twice, or with a part whose name Lua cannot have. */
static int l_loop(lua_State *L) {
    sal_system *diagram = NULL, *plant = new_oscillator("oscillator"), *servo = new_servo("servo");
    const char *second = luaL_optstring(L, 1, "servo");
    sal_diagram_new(NULL, "loop", &diagram);
    sal_diagram_add(diagram, plant, "plant", NULL);
    sal_diagram_add(diagram, servo, second, NULL);
    sal_diagram_add(diagram, servo, "spare", NULL);
    const int energy = sal_system_find_output(plant, "energy");
    for (int part = 1; part <= 2; part++)
        for (int input = 0; input < 2; input++)
            sal_diagram_connect(diagram, 0, energy, part, input);
    sal_diagram_connect(diagram, 1, 0, 0, 0);
    const int results = give(L, diagram);
    if (results == 2) {
        sal_system_free(plant);
        sal_system_free(servo);
    }
    return results;
}

/* The values of one system that is pushed twice, and the statuses. */
static int l_twice(lua_State *L) {
    sal_system *sys = new_oscillator("oscillator");
    const int first = sal_script_push_system(L, sys), second = sal_script_push_system(L, sys);
    lua_pushboolean(L, first == SAL_OK && second == SAL_OK);
    return 3;
}

/* What the library says to systems that it refuses. */
static int l_refused(lua_State *L) {
    const char *what = luaL_checkstring(L, 1);
    const sal_system_class empty = {.name = "empty"};
    sal_system *sys = NULL;
    if (strcmp(what, "nothing") == 0)
        return give(L, NULL);
    sal_system_new(NULL, &empty, strcmp(what, "name") == 0 ? "left wheel" : "wheel", NULL, &sys);
    if (strcmp(what, "value") == 0)
        sal_system_add_values(sys, SAL_PARAM, "spring rate", 1, NULL);
    else if (strcmp(what, "time") == 0)
        sal_system_add_values(sys, SAL_PARAM, "time", 1, NULL);
    else if (strcmp(what, "class") == 0)
        sal_system_add_values(sys, SAL_Z, "x", 1, NULL);
    return give(L, sys);
}

static int l_destroyed(lua_State *L) {
    lua_pushinteger(L, destroyed);
    return 1;
}

/* pointer = lend(value); nil and why */
static int l_lend(lua_State *L) {
    sal_simulator *sim = sal_script_simulator(L, 1);
    if (sim) {
        lua_pushlightuserdata(L, sim);
        return 1;
    }
    lua_pushnil(L);
    lua_pushstring(L, sal_script_trouble(L));
    return 2;
}

/* ok = release(pointer); status and why */
static int l_release(lua_State *L) {
    const sal_status status = sal_script_release(L, lua_touserdata(L, 1));
    lua_pushinteger(L, status);
    lua_pushstring(L, status == SAL_OK ? "" : sal_script_trouble(L));
    return 2;
}

/* status, time, text, part, event = advance(pointer, t), or initialize(pointer) */
static int l_advance(lua_State *L) {
    sal_simulator *sim = lua_touserdata(L, 1);
    sal_report report = {.time = NAN, .part = -1, .event = -1};
    const sal_status status = lua_isnoneornil(L, 2) ? sal_simulator_initialize(sim, false, &report)
                                                    : sal_simulator_advance_to(sim, luaL_checknumber(L, 2), &report);
    lua_pushinteger(L, status);
    lua_pushnumber(L, report.time);
    lua_pushstring(L, report.note.text);
    lua_pushinteger(L, report.part);
    lua_pushinteger(L, report.event);
    return 5;
}

/* steps = advance_often(pointer, t, n): n equal advances; the status */
static int l_advance_often(lua_State *L) {
    sal_simulator *sim = lua_touserdata(L, 1);
    const double from = sal_context_time(sal_simulator_context(sim)), to = luaL_checknumber(L, 2);
    const int n = (int)luaL_checkinteger(L, 3);
    sal_status status = SAL_OK;
    for (int i = 1; status == SAL_OK && i <= n; i++)
        status = sal_simulator_advance_to(sim, i == n ? to : from + (to - from) * i / n, NULL);
    lua_pushinteger(L, status);
    return 1;
}

/* value = output(pointer, part, port), or the status of a failure: nil, status */
static int l_output(lua_State *L) {
    sal_context *ctx = sal_simulator_context(lua_touserdata(L, 1));
    const double *value = NULL;
    const sal_status status =
        sal_context_output(sal_context_part(ctx, (int)luaL_checkinteger(L, 2)), (int)luaL_checkinteger(L, 3), &value);
    if (status == SAL_OK)
        lua_pushnumber(L, *value);
    else
        lua_pushnil(L);
    lua_pushinteger(L, status);
    return 2;
}

/* edit(pointer, part, partition, at, value) */
static int l_edit(lua_State *L) {
    sal_context *ctx = sal_simulator_context(lua_touserdata(L, 1));
    sal_context *part = sal_context_part(ctx, (int)luaL_checkinteger(L, 2));
    sal_context_edit(part, (sal_partition)luaL_checkinteger(L, 3))[luaL_checkinteger(L, 4)] = luaL_checknumber(L, 5);
    return 0;
}

static void stop(lua_State *L, lua_Debug *at) {
    (void)at;
    luaL_error(L, "long enough");
}

/* limit(count): a hook after so many instructions; 0: none */
static int l_limit(lua_State *L) {
    const int count = (int)luaL_checkinteger(L, 1);
    lua_sethook(L, count > 0 ? stop : NULL, count > 0 ? LUA_MASKCOUNT : 0, count);
    return 0;
}

/* left = budget(units): sets a budget, and returns what was left of the last one; 0: none */
static int l_budget(lua_State *L) {
    lua_pushinteger(L, sal_script_budget_left(L));
    sal_script_set_budget(L, luaL_checkinteger(L, 1));
    return 1;
}

/* value, status, why = load(path, ...) */
static int l_load(lua_State *L) {
    const char *path = luaL_checkstring(L, 1);
    const int arguments = lua_gettop(L) - 1;
    const sal_status status = sal_script_load(L, path, arguments);
    if (status != SAL_OK)
        lua_pushnil(L);
    lua_pushinteger(L, status);
    lua_pushstring(L, sal_script_trouble(L));
    return 3;
}

static const luaL_Reg functions[] = {{"oscillator", l_oscillator},
                                     {"servo", l_servo},
                                     {"failing", l_failing},
                                     {"follower", l_follower},
                                     {"balance", l_balance},
                                     {"circle", l_circle},
                                     {"delayed", l_delayed},
                                     {"writer", l_writer},
                                     {"block", l_block},
                                     {"loop", l_loop},
                                     {"twice", l_twice},
                                     {"refused", l_refused},
                                     {"destroyed", l_destroyed},
                                     {"lend", l_lend},
                                     {"release", l_release},
                                     {"advance", l_advance},
                                     {"advance_often", l_advance_often},
                                     {"output", l_output},
                                     {"edit", l_edit},
                                     {"limit", l_limit},
                                     {"budget", l_budget},
                                     {"load", l_load},
                                     {NULL, NULL}};

SAL_API int luaopen_c_systems(lua_State *L) {
    luaL_newlib(L, functions);
    return 1;
}
