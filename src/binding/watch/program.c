/* Watches whose margins are programs: those of words, as lua/saltus/formula/program.lua writes them, { code, registers,
 * constants, loads }; and those of functions, as lua/saltus/closure/compiler/ writes them. */
#include <math.h>
#include <string.h>

#include "model/model.h"
#include "watch.h"

static sal_status load_port(const l_load *load, const sal_context *whole, double *to) {
    const sal_context *ctx = sal_context_part_const(whole, load->part);
    const double *value = NULL;
    sal_status status = SAL_OK;
    if (load->kind == OF_TIME)
        *to = sal_context_time(whole);
    else if (load->kind == OF_INPUT)
        status = sal_context_input(ctx, load->at, &value);
    else
        status = sal_context_output(ctx, load->at, &value);
    if (status == SAL_OK && value)
        *to = value[load->offset];
    return status;
}

sal_status l_program_margin(void *user, const sal_context *ctx, double *value) {
    const l_watch *watch = user;
    for (const l_load *load = watch->load, *end = load + watch->load_count; load < end; load++) {
        if (load->kind == OF_STATE) {
            const sal_context *part = &ctx->data->part_context[load->part];
            watch->reg[load->reg] = sal__get(part, (sal_partition)load->offset)[load->at];
            continue;
        }
        const sal_status status = load_port(load, ctx, &watch->reg[load->reg]);
        if (status != SAL_OK)
            return status;
    }
    if (!sal__bytecode_run(watch->code, watch->reg, NULL, NULL))
        return l_watch_margin(user, ctx, value);
    *value = watch->reg[0];
    return SAL_OK;
}

/* In its first runs a program is compared with its function, whose value counts. */
static sal_status try_program(l_watch *watch, const sal_context *ctx, double *value) {
    const double found = *value;
    const sal_status status = l_watch_margin(watch, ctx, value);
    l_compiled *p = watch->closure.compiled;
    const bool same = memcmp(&found, value, sizeof found) == 0 || (isnan(found) && isnan(*value));
    if (status == SAL_OK)
        p->margin_trials = same ? p->margin_trials - 1 : L_REFUSED;
    return status;
}

/* The context is that of the only part. */
sal_status l_compiled_margin(void *user, const sal_context *ctx, double *value) {
    l_watch *watch = user;
    if (!l_run_margin(watch->owner, &watch->closure, ctx, value))
        return l_watch_margin(user, ctx, value);
    return watch->closure.compiled->margin_trials > 0 ? try_program(watch, ctx, value) : SAL_OK;
}

static void read_constants(lua_State *L, int program, l_watch *watch, int registers) {
    lua_getfield(L, program, "constants");
    for (int i = 1; l_push_item(L, i); i++) {
        int reg = 0;
        l_read_integers(L, -1, 1, &reg, 1);
        luaL_argcheck(L, reg >= 0 && reg < registers, program, "a constant has no register");
        lua_rawgeti(L, -1, 2);
        watch->reg[reg] = lua_tonumber(L, -1);
        lua_pop(L, 2);
    }
}

static bool is_element(const sal_context *ctx, const l_load *load) {
    return load->offset >= 0 && load->offset < SAL_PARTITIONS && load->at >= 0 &&
           load->at < sal_context_size(ctx, (sal_partition)load->offset);
}

static void read_loads(lua_State *L, int program, l_watch *watch, int registers) {
    const sal_context *whole = sal_simulator_context(watch->owner->sim);
    lua_getfield(L, program, "loads");
    for (int i = 0; i < watch->load_count; i++) {
        int f[5];
        lua_rawgeti(L, -1, i + 1);
        l_read_integers(L, -1, 1, f, 5);
        l_load *load = &watch->load[i];
        *load = (l_load){f[0], f[1], f[2] - 1, f[3], f[1] == OF_STATE ? f[4] : f[4] - 1};
        const sal_context *ctx = sal_context_part_const(whole, load->part);
        const bool there = ctx && (load->kind != OF_STATE || is_element(ctx, load));
        luaL_argcheck(L, there && load->reg >= 0 && load->reg < registers, program, "a load has no place");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static bool is_sound(const sal__instruction *code, int count, int registers) {
    for (int i = 0; i < count; i++)
        if (code[i].op == SAL__OP_ASK)
            return false;
    return sal__bytecode_is_sound(code, count, registers);
}

l_watch *l_push_watch(lua_State *L, l_simulator *self, int program) {
    if (!lua_istable(L, program)) {
        l_watch *watch = lua_newuserdatauv(L, sizeof *watch, 2);
        *watch = (l_watch){.owner = self};
        if (lua_isuserdata(L, program)) {
            watch->closure.compiled = luaL_checkudata(L, program, l_program_class.name);
            l_hold(L, program, 2);
        }
        return watch;
    }
    size_t bytes = 0;
    lua_getfield(L, program, "code");
    const char *code = luaL_checklstring(L, -1, &bytes);
    const int registers = l_field_integer(L, program, "registers"), loads = l_field_length(L, program, "loads");
    const size_t numbers = (size_t)registers * sizeof(double), moves = (size_t)loads * sizeof(l_load);
    char *block = lua_newuserdatauv(L, sizeof(l_watch) + numbers + moves + bytes, 2);
    memset(block, 0, sizeof(l_watch) + numbers);
    l_watch *watch = (l_watch *)(void *)block;
    watch->owner = self;
    watch->load_count = loads;
    watch->reg = (double *)(void *)(block + sizeof *watch);
    watch->load = (l_load *)(void *)(block + sizeof *watch + numbers);
    watch->code = (sal__instruction *)(void *)(block + sizeof *watch + numbers + moves);
    memcpy(watch->code, code, bytes);
    read_constants(L, program, watch, registers);
    read_loads(L, program, watch, registers);
    luaL_argcheck(L, is_sound(watch->code, (int)(bytes / sizeof *watch->code), registers), program, "it is not sound");
    lua_remove(L, -2);
    return watch;
}
