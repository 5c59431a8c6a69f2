/* Makes systems and a diagram from the normalised tables of lua/saltus/model/system.lua. */
#include <math.h>
#include <string.h>

#include "binding.h"
#include "model/model.h"

/* Pushes all numbers of the list on top as an array, valid until it is popped. */
static const double *push_numbers(lua_State *L) {
    const int list = lua_gettop(L), count = (int)luaL_len(L, list);
    double *numbers = l_push_room(L, count);
    l_read_numbers(L, list, 1, numbers, count);
    return numbers;
}

void l_read_defaults(lua_State *L, int entry, int numbers, double *to, int size) {
    const int from = l_field_integer(L, entry, "from");
    const int type = lua_getfield(L, entry, "default");
    if (from > 0)
        l_read_numbers(L, numbers, from, to, size);
    else if (type == LUA_TTABLE)
        l_read_numbers(L, -1, 1, to, size);
    else
        for (int i = 0; i < size; i++)
            to[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
}

/* Adds a mode's words: `values` = { "off", "on" }. */
static void add_modes(lua_State *L, sal_system *sys, int entry, const char *name) {
    if (lua_getfield(L, entry, "values") == LUA_TTABLE) {
        const int list = lua_gettop(L), count = (int)luaL_len(L, list);
        const char **words = lua_newuserdatauv(L, (size_t)count * sizeof *words, 0);
        for (int i = 0; i < count; i++) {
            lua_rawgeti(L, list, i + 1);
            words[i] = lua_tostring(L, -1); /* the list references it */
            lua_pop(L, 1);
        }
        l_check_status(L, sal_system_set_modes(sys, name, words, count), name);
    }
}

/* The unit and the description of a table at index `entry`, valid while the table is; false: it has neither. */
static bool labels_of(lua_State *L, int entry, const char **unit, const char **doc) {
    lua_getfield(L, entry, "unit");
    lua_getfield(L, entry, "doc");
    *unit = lua_tostring(L, -2);
    *doc = lua_tostring(L, -1);
    lua_pop(L, 2);
    return *unit || *doc;
}

static void add_entry(lua_State *L, sal_system *sys, sal_partition partition, int entry, int numbers) {
    const int size = l_field_integer(L, entry, "size");
    const int top = lua_gettop(L);
    double *defaults = l_push_room(L, size);
    const bool none = l_field_flag(L, entry, "required", false), abstract = l_field_flag(L, entry, "abstract", false);
    if (!none && !abstract)
        l_read_defaults(L, entry, numbers, defaults, size);
    for (int i = 0; (none || abstract) && i < size; i++)
        defaults[i] = none ? sal_no_value() : 0;
    lua_getfield(L, entry, "name");
    const char *name = lua_tostring(L, -1);
    l_check_status(L, sal_system_add_values(sys, partition, name, size, defaults), name);
    add_modes(L, sys, entry, name);
    const char *unit = NULL, *doc = NULL;
    if (labels_of(L, entry, &unit, &doc))
        l_check_status(L, sal_system_describe(sys, name, unit, doc), name);
    if (partition <= SAL_Z) {
        const double weight = l_field_number(L, entry, "weight", 1);
        static const char *const errors[] = {"absolute", "relative", NULL};
        const bool relative = l_field_option(L, entry, "error", errors) != 0;
        for (int i = 0; i < size; i++)
            sal_system_set_weight(sys, partition, l_field_integer(L, entry, "offset") + i, weight, relative);
    }
    lua_settop(L, top);
}

/* Adds parameters first: a block's behaviour relies on that. */
static void add_entries(lua_State *L, sal_system *sys, int system) {
    static const sal_partition partitions[SAL_PARTITIONS] = {SAL_PARAM, SAL_Q, SAL_V, SAL_Z, SAL_XD, SAL_INPUT};
    lua_getfield(L, system, "numbers");
    const int numbers = lua_gettop(L);
    for (int p = 0; p < SAL_PARTITIONS; p++) {
        lua_getfield(L, system, l_section_names[partitions[p]]);
        for (int i = 1; l_push_item(L, i); i++) {
            add_entry(L, sys, partitions[p], lua_gettop(L), numbers);
            lua_pop(L, 1);
        }
    }
    lua_pop(L, 1);
}

static void add_outputs(lua_State *L, l_part *part, int system) {
    lua_getfield(L, system, "outputs");
    for (int i = 1; l_push_item(L, i); i++) {
        lua_getfield(L, -1, "name");
        const char *name = lua_tostring(L, -1), *unit = NULL, *doc = NULL;
        const int output = lua_gettop(L) - 1, size = l_field_integer(L, output, "size");
        l_check_status(L, sal_system_add_output(part->system, name, size, NULL), name);
        if (labels_of(L, output, &unit, &doc))
            l_check_status(L, sal_system_describe_output(part->system, part->output_count, unit, doc), name);
        part->output_count++;
        lua_pop(L, 2);
    }
}

/* Reads `count` indices, which count from 1 in Lua, of parts, inputs or outputs from item `from` of a list. */
static void read_places(lua_State *L, int list, int from, int *to, int count) {
    l_read_integers(L, list, from, to, count);
    for (int i = 0; i < count; i++)
        to[i]--;
}

static int *push_ports(lua_State *L, int list, int *count) {
    *count = (int)luaL_len(L, list);
    int *ports = lua_newuserdatauv(L, (size_t)*count * sizeof *ports, 0);
    read_places(L, list, 1, ports, *count);
    return ports;
}

/* The lists of a model's description, with one item for each part; those from STATE_PORTS on may have holes. */
enum { PATHS, SYSTEMS, LIKE, NEEDS, STATE_PORTS, BLOBS, SIZES, LISTS };

/* Pushes a part's item of one of these lists; the first list is at stack index `lists`. */
static int push_item(lua_State *L, int lists, int list, const l_part *part) {
    return lua_rawgeti(L, lists + list, part->index + 1);
}

/* Direct dependencies of outputs: `needs`[output] = { inputs, outputs }; nil if unknown. */
static void add_needs(lua_State *L, l_part *part, int lists) {
    push_item(L, lists, NEEDS, part);
    const int list = lua_gettop(L);
    for (int i = 0; i < part->output_count; i++) {
        int inputs = 0, outputs = 0;
        const int *input = NULL, *output = NULL;
        if (lua_rawgeti(L, list, i + 1) == LUA_TTABLE) {
            lua_rawgeti(L, list + 1, 1);
            lua_rawgeti(L, list + 1, 2);
            input = push_ports(L, list + 2, &inputs);
            output = push_ports(L, list + 3, &outputs);
        }
        l_check_status(L, sal_system_set_dependencies(part->system, i, input, inputs, output, outputs), "needs");
        lua_settop(L, list);
    }
    lua_pop(L, 1);
}

/* States connected to inputs: `state_ports` = { { name=, partition=, offset=, size= }, ... }. They are read in
 * place; abstract states are not numbers. */
static void add_state_ports(lua_State *L, l_part *part, int lists) {
    static const char *const partitions[] = {"q", "v", "z", "xd", NULL};
    push_item(L, lists, STATE_PORTS, part);
    for (int i = 1; l_push_item(L, i); i++) {
        const int entry = lua_gettop(L), partition = l_field_option(L, entry, "partition", partitions);
        const char *name = lua_pushfstring(L, "state %d", i); /* an output may have the same name */
        int port = 0;
        l_check_status(L, sal_system_add_output(part->system, name, l_field_integer(L, entry, "size"), &port), "port");
        const sal_status status = partition < 0 ? sal_system_set_dependencies(part->system, port, NULL, 0, NULL, 0)
                                                : sal_system_alias_output(part->system, port, (sal_partition)partition,
                                                                          l_field_integer(L, entry, "offset"));
        l_check_status(L, status, "port");
        lua_pop(L, 2);
    }
}

static void add_slots(lua_State *L, l_simulator *self, l_part *part, int lists) {
    const int count = push_item(L, lists, BLOBS, part) == LUA_TTABLE ? (int)luaL_len(L, -1) : 0;
    part->initial_slot = l_new_array(L, self, count, sizeof *part->initial_slot);
    part->slot_count = count;
    for (int i = 0; i < count; i++) {
        size_t size = 0;
        lua_rawgeti(L, -1, i + 1);
        lua_rawgeti(L, -1, 1);
        lua_rawgeti(L, -2, 2);
        const char *name = lua_tostring(L, -2), *bytes = lua_tolstring(L, -1, &size);
        part->initial_slot[i].mem = self->mem;
        l_check_status(L, l_bytes_set(&part->initial_slot[i], bytes, size), "abstract state");
        l_check_status(L, sal_system_add_slot(part->system, name, &l_slot_type, NULL), "abstract state");
        lua_pop(L, 3);
    }
    lua_pop(L, 1);
}

/* How a history is read; `history` is a list of numbers, or empty. */
static void set_past(lua_State *L, l_part *part, int past, int described) {
    sal_past_config config = sal_past_config_default();
    config.linear_only = l_field_flag(L, described, "linear_only", false);
    config.can_use_current = l_field_flag(L, described, "can_use_current", false);
    if (lua_getfield(L, described, "history") == LUA_TTABLE && luaL_len(L, -1) > 0)
        config.history = push_numbers(L);
    l_check_status(L, sal_system_set_past(part->system, past, &config), "past");
    if (l_field_flag(L, described, "is_only_way", false))
        sal__delay_whole_input(part->system, past);
    lua_settop(L, described);
}

/* The recorded histories: `pasts` = { { name=, depth= }, ... } */
static void add_pasts(lua_State *L, l_part *part, int system) {
    lua_getfield(L, system, "pasts"); /* ready-made blocks declare their own */
    for (int i = 1; l_push_item(L, i); i++) {
        lua_getfield(L, -1, "name");
        const char *name = lua_tostring(L, -1);
        int past = 0;
        l_check_status(
            L, sal_system_add_past(part->system, name, l_field_number(L, lua_gettop(L) - 1, "depth", 0), &past), name);
        lua_pop(L, 1);
        set_past(L, part, past, lua_gettop(L));
        lua_pop(L, 1);
    }
}

/* Sets constraints and related functions; the class has NULL for functions that are absent. */
static void add_constraints(lua_State *L, l_part *part, int system, int lists) {
    sal_system_class *c = &part->behaviour;
    c->constraints = l_field_is(L, system, "constraints", LUA_TFUNCTION) ? c->constraints : NULL;
    c->constraint_rates = l_field_is(L, system, "constraint_rates", LUA_TFUNCTION) ? c->constraint_rates : NULL;
    c->project = l_field_is(L, system, "project", LUA_TFUNCTION) ? c->project : NULL;
    c->velocity_map = l_field_is(L, system, "velocity_map", LUA_TFUNCTION) ? c->velocity_map : NULL;
    if (push_item(L, lists, SIZES, part) == LUA_TTABLE) {
        const int sizes = lua_gettop(L), count = l_field_integer(L, sizes, "constraints");
        l_check_status(L,
                       sal_system_set_constraints(part->system, count, l_field_integer(L, sizes, "constraint_rates")),
                       "constraints");
    }
    lua_pop(L, 1);
}

/* Pushes a list of all elements, by rows. */
static void add_mass(lua_State *L, l_part *part, int system) {
    if (lua_getfield(L, system, "mass") == LUA_TTABLE) {
        l_check_status(L, sal_system_set_mass(part->system, push_numbers(L)), "mass");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void declare(lua_State *L, l_simulator *self, l_part *part, int system, int lists) {
    lua_getfield(L, system, "name");
    part->behaviour = l_closures;
    if (lua_getfield(L, system, "block") == LUA_TSTRING)
        l_init_block_part(L, part, lua_tostring(L, -1));
    l_check_status(L, sal_system_new(&self->mem, &part->behaviour, lua_tostring(L, -2), part, &part->system), "system");
    lua_pop(L, 2);
    const char *unit = NULL, *doc = NULL;
    if (labels_of(L, system, &unit, &doc))
        l_check_status(L, sal_system_set_doc(part->system, doc), "doc");
    add_entries(L, part->system, system);
    add_outputs(L, part, system);
    add_state_ports(L, part, lists);
    add_needs(L, part, lists);
    if (part->kind)
        l_check_status(L, sal_block_mark_outputs(part->kind, part->system, part->output_count), "outputs");
    add_slots(L, self, part, lists);
    add_pasts(L, part, system);
    l_add_events(L, part, system);
    add_constraints(L, part, system, lists);
    add_mass(L, part, system);
    if (l_field_flag(L, system, "lockstep", false))
        l_check_status(L, sal_system_demand_lockstep(part->system), "lockstep");
}

/* like: the number of an earlier part with the same declarations; nil: none. */
static void add_part(lua_State *L, l_simulator *self, int index, int lists) {
    l_part *part = &self->part[index];
    part->owner = self;
    part->index = index;
    push_item(L, lists, SYSTEMS, part);
    const int system = lua_gettop(L);
    const bool in_c = l_field_is(L, system, "c_system", LUA_TUSERDATA);
    const bool is_alike = push_item(L, lists, LIKE, part) == LUA_TNUMBER;
    if (in_c)
        l_copy_c_system(L, part, system, lists + STATE_PORTS);
    else if (is_alike)
        l_check_status(L, l_copy_block(L, part, &self->part[lua_tointeger(L, -1) - 1], system), "system");
    else
        declare(L, self, part, system, lists);
    part->first_closure = self->closures.count + 1;
    if (!part->kind && !in_c) {
        l_lay_out_finders(L, self, part);
        self->closures.count += 1 + part->output_count + PER_EVENT * part->event_count + PER_PART + part->finder_count;
    }
    lua_pop(L, 2);
}

/* wires: part, output, part, input for each wire */
static void connect(lua_State *L, l_simulator *self, int model) {
    lua_getfield(L, model, "wires");
    const int count = (int)luaL_len(L, -1);
    for (int i = 0; i + 4 <= count; i += 4) {
        int end[4];
        read_places(L, lua_gettop(L), i + 1, end, 4);
        l_check_status(L, sal_diagram_connect(self->system, end[0], end[1], end[2], end[3]), "connection");
    }
    lua_pop(L, 1);
}

static void add_to_diagram(lua_State *L, l_simulator *self, const l_part *part, int lists) {
    push_item(L, lists, PATHS, part);
    const char *path = lua_tostring(L, -1);
    l_check_status(L, sal_diagram_add(self->system, part->system, path, NULL), path);
    lua_pop(L, 1);
}

/* Makes a diagram if `diagram` is true, else the system of the only part. */
void l_build_model(lua_State *L, l_simulator *self, int model) {
    static const char *const names[LISTS] = {"paths", "systems", "like", "needs", "state_ports", "blobs", "sizes"};
    const int lists = lua_gettop(L) + 1;
    luaL_checkstack(L, LISTS + 30, "model");
    for (int i = 0; i < LISTS; i++)
        lua_getfield(L, model, names[i]);
    const int parts = (int)luaL_len(L, lists + SYSTEMS);
    self->part = l_new_array(L, self, parts, sizeof *self->part);
    self->part_count = parts;
    const bool diagram = l_field_flag(L, model, "diagram", false);
    if (diagram) {
        lua_getfield(L, model, "name");
        l_check_status(L, sal_diagram_new(&self->mem, lua_tostring(L, -1), &self->system), "diagram");
        lua_pop(L, 1);
    }
    for (int i = 0; i < parts; i++) {
        add_part(L, self, i, lists);
        if (diagram)
            add_to_diagram(L, self, &self->part[i], lists);
    }
    lua_settop(L, lists - 1);
    if (diagram)
        connect(L, self, model);
    else
        self->system = self->part[0].system;
    self->closures.item = l_new_array(L, self, self->closures.count, sizeof *self->closures.item);
}

void l_free_model(l_simulator *self) {
    l_free_array(self, self->closures.item, self->closures.count, sizeof *self->closures.item);
    self->closures.item = NULL;
    l_free_array(self, self->costs, self->closures.count, sizeof *self->costs);
    self->costs = NULL;
    if (self->system && (self->part_count == 0 || self->system != self->part[0].system))
        sal_system_free(self->system);
    for (int i = 0; i < self->part_count; i++) {
        l_part *part = &self->part[i];
        sal_system_free(part->system);
        l_keeper_drop(part->keeper);
        l_free_array(self, part->finder_at, part->finder_at ? part->event_count : 0, sizeof *part->finder_at);
        for (int k = 0; k < part->slot_count; k++)
            l_bytes_clear(&part->initial_slot[k]);
        l_free_array(self, part->initial_slot, part->slot_count, sizeof *part->initial_slot);
    }
    l_free_array(self, self->part, self->part_count, sizeof *self->part);
    self->system = NULL;
    self->part = NULL;
    self->part_count = self->closures.count = 0;
}
