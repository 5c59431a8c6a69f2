/* Mistakes in the declaration of a system: its names, values, functions and events. */
#include <math.h>

#include "test_tank.h"

static const sal_system_class empty_class = {.name = "empty"};

static sal_event_config event(const char *name, sal_trigger trigger, sal_kind kind) {
    sal_event_config e = sal_event_config_default();
    e.name = name;
    e.trigger = trigger;
    e.kind = kind;
    return e;
}

static const char *no_class(sal_status *status) {
    sal_system *sys = NULL;
    *status = sal_system_new(NULL, NULL, "tank", NULL, &sys);
    return said(sys);
}

static const char *name_taken(sal_status *status) {
    sal_system *sys = tank();
    *status = sal_system_add_values(sys, SAL_Z, "level", 1, NULL);
    return said(sys);
}

static const char *name_null(sal_status *status) {
    sal_system *sys = tank();
    *status = sal_system_add_values(sys, SAL_Z, NULL, 1, NULL);
    return said(sys);
}

static const char *name_with_escape(sal_status *status) {
    sal_system *sys = tank();
    *status = sal_system_add_output(sys, "clear\033[2J", 1, NULL);
    return said(sys);
}

static const char *name_empty(sal_status *status) {
    sal_system *sys = tank();
    *status = sal_system_add_values(sys, SAL_Z, "", 1, NULL);
    return said(sys);
}

static const char *value_with_dot(sal_status *status) {
    sal_system *sys = tank();
    *status = sal_system_add_values(sys, SAL_INPUT, "a.b", 1, NULL);
    return said(sys);
}

static const char *output_with_bracket(sal_status *status) {
    sal_system *sys = tank();
    *status = sal_system_add_output(sys, "a[2]", 1, NULL);
    return said(sys);
}

static const char *weight_negative(sal_status *status) {
    sal_system *sys = tank();
    *status = sal_system_set_weight(sys, SAL_Z, 0, -1, true);
    return said(sys);
}

static const char *size_zero(sal_status *status) {
    sal_system *sys = tank();
    *status = sal_system_add_values(sys, SAL_PARAM, "area", 0, NULL);
    return said(sys);
}

static const char *default_nan(sal_status *status) {
    sal_system *sys = tank();
    *status = sal_system_add_values(sys, SAL_Z, "heat", 1, (double[]){NAN});
    return said(sys);
}

static const char *no_derivatives(sal_status *status) {
    sal_system *sys = system_of(&empty_class);
    sal_system_add_values(sys, SAL_Q, "height", 1, NULL);
    *status = sal_simulator_new(NULL, sys, NULL, NULL, &sim);
    return said(sys);
}

static const char *no_output_function(sal_status *status) {
    sal_system *sys = system_of(&empty_class);
    sal_system_add_output(sys, "flow", 1, NULL);
    *status = sal_system_build(sys, &note);
    return note.text;
}

static const char *no_handler(sal_status *status) {
    sal_system *sys = tank();
    const sal_event_config e = event("drip", SAL_ON_DEMAND, SAL_DISCRETE);
    sal_system_add_event(sys, &e, NULL);
    *status = sal_simulator_new(NULL, sys, NULL, NULL, &sim);
    return said(sys);
}

static const char *no_witness(sal_status *status) {
    sal_system *sys = tank();
    const sal_event_config e = event("full", SAL_ON_WITNESS, SAL_NO_HANDLER);
    sal_system_add_event(sys, &e, NULL);
    *status = sal_system_build(sys, &note);
    return note.text;
}

static const char *no_period(sal_status *status) {
    sal_system *sys = tank();
    const sal_event_config e = event("tick", SAL_ON_PERIOD, SAL_NO_HANDLER);
    *status = sal_system_add_event(sys, &e, NULL);
    return said(sys);
}

static const char *event_with_dot(sal_status *status) {
    sal_system *sys = tank();
    const sal_event_config e = event("valve.open", SAL_ON_DEMAND, SAL_NO_HANDLER);
    *status = sal_system_add_event(sys, &e, NULL);
    return said(sys);
}

static const char *zeno_of_a_clock(sal_status *status) {
    sal_system *sys = tank();
    sal_event_config e = event("tick", SAL_ON_PERIOD, SAL_NO_HANDLER);
    e.period = 0.1;
    e.on_zeno = true;
    *status = sal_system_add_event(sys, &e, NULL);
    return said(sys);
}

static const char *clock_that_follows(sal_status *status) {
    sal_system *sys = tank();
    sal_event_config e = event("tick", SAL_ON_PERIOD, SAL_NO_HANDLER);
    e.period = 0.1;
    e.upstream_first = true;
    *status = sal_system_add_event(sys, &e, NULL);
    return said(sys);
}

static const char *event_from_zeros(sal_status *status) {
    sal_system *sys = tank();
    const sal_event_config e = {.name = "tick"};
    *status = sal_system_add_event(sys, &e, NULL);
    return said(sys);
}

static const char *trigger_forgotten(sal_status *status) {
    sal_system *sys = tank();
    sal_event_config e = sal_event_config_default();
    e.name = "tick";
    e.kind = SAL_DISCRETE;
    e.period = 0.1;
    sal_system_add_event(sys, &e, NULL);
    *status = sal_system_build(sys, &note);
    return note.text;
}

static const char *kind_forgotten(sal_status *status) {
    sal_system *sys = tank();
    sal_event_config e = sal_event_config_default();
    e.name = "tick";
    e.trigger = SAL_ON_PERIOD;
    e.period = 0.1;
    sal_system_add_event(sys, &e, NULL);
    *status = sal_system_build(sys, &note);
    return note.text;
}

static const char *trigger_unknown(sal_status *status) {
    sal_system *sys = tank();
    const sal_event_config e = event("tick", (sal_trigger)-1, SAL_NO_HANDLER);
    *status = sal_system_add_event(sys, &e, NULL);
    return said(sys);
}

static const char *kind_unknown(sal_status *status) {
    sal_system *sys = tank();
    const sal_event_config e = event("tick", SAL_ON_STEP, (sal_kind)99);
    *status = sal_system_add_event(sys, &e, NULL);
    return said(sys);
}

static const char *time_variable_undeclared(sal_status *status) {
    sal_system *sys = tank();
    sal_event_config e = event("wake", SAL_ON_TIME, SAL_NO_HANDLER);
    e.time_variable = 0;
    *status = sal_system_add_event(sys, &e, NULL);
    return said(sys);
}

static const char *mode_misspelt(sal_status *status) {
    sal_system *sys = tank();
    const char *const words[] = {"off", "on"};
    sal_system_add_values(sys, SAL_XD, "valve", 1, NULL);
    *status = sal_system_set_modes(sys, "vavle", words, 2);
    return said(sys);
}

static const char *mode_out_of_range(sal_status *status) {
    sal_system *sys = tank();
    const char *const words[] = {"off", "on"};
    sal_system_add_values(sys, SAL_XD, "valve", 1, (double[]){3});
    *status = sal_system_set_modes(sys, "valve", words, 2);
    return said(sys);
}

static const char *mass_too_early(sal_status *status) {
    sal_system *sys = system_of(&tank_class);
    *status = sal_system_set_mass(sys, (double[]){1});
    return said(sys);
}

static const char *slot_half_done(sal_status *status) {
    sal_system *sys = tank();
    static const sal_slot_type type = {.make = NULL};
    *status = sal_system_add_slot(sys, "pile", &type, NULL);
    return said(sys);
}

static const char *past_of_nothing(sal_status *status) {
    sal_system *sys = tank();
    *status = sal_system_add_past(sys, "lvel", 1, NULL);
    return said(sys);
}

static const char *too_late(sal_status *status) {
    sal_system *sys = tank();
    CHECK(sal_system_build(sys, &note) == SAL_OK);
    *status = sal_system_add_values(sys, SAL_Z, "heat", 1, NULL);
    return said(sys);
}

static const char *dependencies_not_given(sal_status *status) {
    sal_system *sys = tank();
    CHECK(sal_system_set_dependencies(sys, 0, NULL, 2, NULL, 0) == SAL_EINVAL);
    sal_system_forget_trouble(sys);
    *status = sal_system_set_dependencies(sys, 0, NULL, 0, NULL, -1);
    return said(sys);
}

static const mistake mistakes[] = {
    {no_class, SAL_EINVAL, "sal_system_new", "class", "look at their status"},
    {name_taken, SAL_EINVAL, "tank: ", "\"level\"", "choose another"},
    {name_null, SAL_EINVAL, "tank: ", "the name of a value is NULL", "give it one"},
    {name_with_escape, SAL_EINVAL, "tank: ", "the name of an output", "printable"},
    {name_empty, SAL_EINVAL, "tank: ", "the name of a value is empty", "give it one"},
    {value_with_dot, SAL_EINVAL, "tank: ", "\"a.b\" of a value has a dot", "leave them out"},
    {output_with_bracket, SAL_EINVAL, "tank: ", "\"a[2]\" of an output", "leave them out"},
    {weight_negative, SAL_EINVAL, "tank: ", "element 0 of z is -1", "0 where errors do not count"},
    {size_zero, SAL_EINVAL, "tank: ", "\"area\" has the size 0", "at least 1"},
    {default_nan, SAL_EINVAL, "tank: ", "\"heat\" is NaN", "finite"},
    {no_derivatives, SAL_EINVAL, "tank: ", "state \"height\"", "set .derivatives"},
    {no_output_function, SAL_EINVAL, "tank: ", "output \"flow\"", "set .output"},
    {no_handler, SAL_EINVAL, "tank: ", "event \"drip\"", "set .update"},
    {no_witness, SAL_EINVAL, "tank: ", "event \"full\"", "set .witness"},
    {no_period, SAL_EINVAL, "tank: ", "event \"tick\": its period is 0", "greater than 0"},
    {event_with_dot, SAL_EINVAL, "tank: ", "\"valve.open\" of an event", "leave them out"},
    {zeno_of_a_clock, SAL_EINVAL, "tank: ", "event \"tick\": its on_zeno is set", "SAL_ON_WITNESS"},
    {clock_that_follows, SAL_EINVAL, "tank: ", "event \"tick\": its upstream_first is set", "SAL_ON_INITIALIZATION"},
    {event_from_zeros, SAL_EINVAL, "tank: ", "config of an event", "sal_event_config_default()"},
    {trigger_forgotten, SAL_EINVAL, "tank: ", "event \"tick\": nothing makes it fire", "SAL_ON_..."},
    {kind_forgotten, SAL_EINVAL, "tank: ", "event \"tick\": its kind is not set",
     "SAL_NO_HANDLER for one that calls nothing"},
    {trigger_unknown, SAL_EINVAL, "tank: ", "event \"tick\": its trigger is -1", "SAL_ON_..."},
    {kind_unknown, SAL_EINVAL, "tank: ", "event \"tick\": its kind is 99", "SAL_UNRESTRICTED"},
    {time_variable_undeclared, SAL_EINVAL, "tank: ", "event \"wake\": its time_variable is 0", "SAL_XD"},
    {mode_misspelt, SAL_EINVAL, "tank: ", "\"vavle\"", "did you mean \"valve\"?"},
    {mode_out_of_range, SAL_EINVAL, "tank: ", "\"valve\" starts at 3", "from 1 to 2"},
    {mass_too_early, SAL_EINVAL, "tank: ", "mass matrix", "declare all q, v and z first"},
    {slot_half_done, SAL_EINVAL, "tank: ", "slot \"pile\"", "set all four"},
    {past_of_nothing, SAL_EINVAL, "tank: ", "\"lvel\"", "did you mean \"level\"?"},
    {too_late, SAL_EINVAL, "tank: ", "values", "before the first context"},
    {dependencies_not_given, SAL_EINVAL, "tank: ", "an output depends on -1 outputs", "NULL and 0 for none"},
};

int main(void) {
    each_is_named_in_words(sizeof mistakes / sizeof *mistakes, mistakes);
    return check_summary();
}
