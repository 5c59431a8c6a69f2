/* Mistakes that a C programmer makes while setting up a run. Each is refused, and a sentence names the system, the
 * thing and the remedy. Only public headers are used. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_check.h"
#include "saltus/saltus.h"

/* ---- a tank, and what is made of it ---- */

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    dot->z[0] = -sal_context_get(ctx, SAL_Z)[0];
    return SAL_OK;
}

static sal_status flow(const sal_system *self, const sal_context *ctx, int port, double *value) {
    const double *u = NULL;
    (void)self, (void)port;
    const sal_status status = sal_context_input(ctx, 0, &u);
    *value = status == SAL_OK ? 2 * *u : 0;
    return status;
}

static const sal_system_class tank_class = {.name = "tank", .derivatives = rates, .output = flow};
static const sal_system_class empty_class = {.name = "empty"};

static sal_system *made[8];
static int made_count;
static sal_simulator *sim;
static sal_report report;
static sal_note note;
static char text[512];

static sal_system *keep(sal_system *sys) {
    return made[made_count++] = sys;
}

static sal_system *system_of(const sal_system_class *class) {
    sal_system *sys = NULL;
    sal_system_new(NULL, class, "tank", NULL, &sys);
    return keep(sys);
}

static sal_system *tank(void) {
    sal_system *sys = system_of(&tank_class);
    sal_system_add_values(sys, SAL_Z, "level", 1, (double[]){1});
    sal_system_add_values(sys, SAL_INPUT, "inflow", 1, NULL);
    sal_system_add_output(sys, "flow", 1, NULL);
    return sys;
}

static sal_system *plant(void) {
    sal_system *d = NULL, *gain = NULL;
    sal_diagram_new(NULL, "plant", &d);
    sal_block_gain(NULL, "gain", 2, 3, &gain);
    keep(d);
    sal_diagram_add(d, tank(), "tank", NULL);
    sal_diagram_add(d, keep(gain), "gain", NULL);
    return d;
}

static const char *said(const sal_system *sys) {
    return sal_system_trouble(sys);
}

static void clear(void) {
    sal_simulator_free(sim);
    sim = NULL;
    for (int i = 0; i < made_count; i++) /* diagrams were made before their parts, and end first */
        sal_system_free(made[i]);
    made_count = 0;
    note = (sal_note){.text = ""};
}

static sal_simulator *running(sal_system *sys) {
    CHECK(sal_simulator_new(NULL, sys, NULL, NULL, &sim) == SAL_OK);
    return sim;
}

static const char *failure(double t) {
    CHECK(sal_simulator_advance_to(sim, t, &report) < 0);
    sal_report_text(sim, &report, text, sizeof text);
    return text;
}

/* ---- mistakes: each returns the sentence, and *status what the call returned ---- */

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

static const char *part_name_empty(sal_status *status) {
    sal_system *d = plant();
    *status = sal_diagram_add(d, made[1], "", NULL);
    return said(d);
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

static sal_event_config event(const char *name, sal_trigger trigger, sal_kind kind) {
    sal_event_config e = sal_event_config_default();
    e.name = name;
    e.trigger = trigger;
    e.kind = kind;
    return e;
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

/* A program that looks at no status before the build is told of the first refusal. */
static const char *statuses_ignored(sal_status *status) {
    sal_system *d = plant(), *sys = made[1];
    sal_system_add_values(sys, SAL_PARAM, "area", -1, NULL);
    sal_system_add_values(sys, SAL_PARAM, "level", 1, NULL);
    *status = sal_system_build(d, &note);
    return note.text;
}

static const char *part_refused(sal_status *status) {
    sal_system *d = plant();
    sal_system_add_values(made[1], SAL_PARAM, "area", -1, NULL);
    *status = sal_system_build(d, NULL);
    return said(d);
}

static const char *dependencies_not_given(sal_status *status) {
    sal_system *sys = tank();
    CHECK(sal_system_set_dependencies(sys, 0, NULL, 2, NULL, 0) == SAL_EINVAL);
    sal_system_forget_trouble(sys);
    *status = sal_system_set_dependencies(sys, 0, NULL, 0, NULL, -1);
    return said(sys);
}

static const char *context_of_a_simulator(sal_status *status) {
    sal_system *sys = tank();
    sal_simulator *other = NULL;
    *status = sal_simulator_new(NULL, sys, sal_simulator_context(running(sys)), NULL, &other);
    return said(sys);
}

static const char *part_of_a_system(sal_status *status) {
    sal_system *sys = tank();
    *status = sal_diagram_add(sys, system_of(&empty_class), "pump", NULL);
    return said(sys);
}

static const char *value_of_a_diagram(sal_status *status) {
    sal_system *d = plant();
    *status = sal_system_add_values(d, SAL_PARAM, "area", 1, NULL);
    return said(d);
}

static const char *part_null(sal_status *status) {
    sal_system *d = plant();
    *status = sal_diagram_add(d, NULL, "pump", NULL);
    return said(d);
}

static const char *part_name_taken(sal_status *status) {
    sal_system *d = plant();
    *status = sal_diagram_add(d, made[1], "tank", NULL);
    return said(d);
}

static const char *sizes_differ(sal_status *status) {
    sal_system *d = plant();
    *status = sal_diagram_connect(d, 1, 0, 0, 0);
    return said(d);
}

static const char *port_misspelt(sal_status *status) {
    sal_system *d = plant();
    *status = sal_diagram_connect(d, 0, sal_system_find_output(made[1], "flwo"), 1, 0);
    return said(d);
}

static const char *no_such_part(sal_status *status) {
    sal_system *d = plant();
    *status = sal_diagram_connect(d, 0, 0, sal_diagram_find_part(d, "pump"), 0);
    return said(d);
}

static sal_system *two_tanks(void) {
    sal_system *d = plant();
    sal_diagram_add(d, made[1], "other", NULL);
    return d;
}

static const char *connected_twice(sal_status *status) {
    sal_system *d = two_tanks();
    CHECK(sal_diagram_connect(d, 0, 0, 2, 0) == SAL_OK);
    *status = sal_diagram_connect(d, 2, 0, 2, 0);
    return said(d);
}

static const char *loop(sal_status *status) {
    sal_system *d = two_tanks();
    CHECK(sal_diagram_connect(d, 0, 0, 2, 0) == SAL_OK && sal_diagram_connect(d, 2, 0, 0, 0) == SAL_OK);
    *status = sal_simulator_new(NULL, d, NULL, NULL, &sim);
    return said(d);
}

static const char *no_parts(sal_status *status) {
    sal_system *d = NULL;
    sal_diagram_new(NULL, "plant", &d);
    *status = sal_system_build(keep(d), &note);
    return note.text;
}

static const char *method_misspelt(sal_status *status) {
    sal_system *sys = tank();
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_find("rk45");
    *status = sal_simulator_new(NULL, sys, NULL, &config, &sim);
    return said(sys);
}

static const char *config_from_zeros(sal_status *status) {
    sal_system *sys = tank();
    const sal_simulator_config config = {.seed = 1};
    *status = sal_simulator_new(NULL, sys, NULL, &config, &sim);
    return said(sys);
}

static const char *fixed_without_size(sal_status *status) {
    sal_system *sys = tank();
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.fixed_step = true;
    *status = sal_simulator_new(NULL, sys, NULL, &config, &sim);
    return said(sys);
}

static const char *context_of_another(sal_status *status) {
    sal_system *sys = tank(), *other = tank();
    sal_context *ctx = NULL;
    CHECK(sal_context_new(NULL, other, &ctx) == SAL_OK);
    *status = sal_simulator_new(NULL, sys, ctx, NULL, &sim);
    sal_context_free(ctx);
    return said(sys);
}

static const char *system_null(sal_status *status) {
    *status = sal_simulator_new(NULL, NULL, NULL, NULL, &sim);
    return said(NULL);
}

static const char *method_without_mass(sal_status *status) {
    sal_system *sys = tank();
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_find("tsitouras5");
    sal_system_set_mass(sys, (double[]){2});
    *status = sal_simulator_new(NULL, sys, NULL, &config, &sim);
    return said(sys);
}

static const char *past_with_mass(sal_status *status) {
    sal_system *sys = tank();
    sal_system_set_mass(sys, (double[]){2});
    sal_system_add_past(sys, "level", 1, NULL);
    *status = sal_simulator_new(NULL, sys, NULL, NULL, &sim);
    return said(sys);
}

static const char *band_too_wide(sal_status *status) {
    sal_integrator_config config = sal_integrator_config_default();
    config.lower = config.upper = 3;
    *status = sal_simulator_set_integrator(running(tank()), &config);
    return sal_simulator_trouble(sim);
}

static const char *frame_backwards(sal_status *status) {
    *status = sal_simulator_advance_frame(running(tank()), -1, 0.01, 4, NULL, &report);
    sal_report_text(sim, &report, text, sizeof text);
    return text;
}

static const char *nothing_sampled(sal_status *status) {
    const sal_context *next = NULL;
    *status = sal_simulator_preview_sampled(running(tank()), &next, &report);
    sal_report_text(sim, &report, text, sizeof text);
    return text;
}

static const char *option_misspelt(sal_status *status) {
    sal_system *sys = NULL;
    const sal_block_value values[] = {{.option = "gian", .numbers = (double[]){2}, .count = 1}};
    *status = sal_block_new(NULL, "gain", "tank", values, 1, &note, &sys);
    return note.text;
}

static const char *kind_misspelt(sal_status *status) {
    sal_system *sys = NULL;
    *status = sal_block_new(NULL, "intergal", "tank", NULL, 0, &note, &sys);
    return note.text;
}

static const char *channel_of_nothing(sal_status *status) {
    sal_recorder *rec = NULL;
    const sal_channel channel = {.part = 0, .size = 3, .partition = SAL_Z, .output = -1};
    *status = sal_recorder_new(running(tank()), &channel, 1, 0.1, &rec);
    return sal_simulator_trouble(sim);
}

static sal_recorder *recorder(void) {
    sal_recorder *rec = NULL;
    const sal_channel channel = {.part = 0, .size = 1, .partition = SAL_Z, .output = -1};
    CHECK(sal_recorder_new(running(tank()), &channel, 1, 0.1, &rec) == SAL_OK);
    return rec;
}

static const char *end_recorder(sal_recorder *rec) {
    sal_recorder_free(rec);
    return sal_simulator_trouble(sim);
}

static const char *few_rows(sal_status *status) {
    sal_recorder *rec = recorder();
    *status = sal_recorder_set_max_rows(rec, 3);
    return end_recorder(rec);
}

static const char *rows_of_no_save(sal_status *status) {
    sal_recorder *rec = recorder();
    *status = sal_recorder_load(rec, text, 10);
    return end_recorder(rec);
}

/* ---- groups ---- */

static sal_group *swarm;

static sal_group *group_of_tanks(void) {
    sal_member first = 0;
    CHECK(sal_group_new(NULL, tank(), NULL, &swarm) == SAL_OK && sal_group_add(swarm, &first) == SAL_OK);
    return swarm;
}

static const char *end_group(void) {
    snprintf(text, sizeof text, "%s", sal_group_trouble(swarm));
    sal_group_free(swarm);
    swarm = NULL;
    return text;
}

static const char *group_without_capacity(sal_status *status) {
    sal_system *sys = tank();
    sal_group_config config = sal_group_config_default();
    config.member_capacity = -1;
    *status = sal_group_new(NULL, sys, &config, &swarm);
    CHECK(strstr(sal_group_trouble(swarm), "sal_system_trouble"));
    return said(sys);
}

static const char *member_that_is_gone(sal_status *status) {
    *status = sal_group_remove(group_of_tanks(), 77);
    return end_group();
}

static const char *input_of_no_member(sal_status *status) {
    const double one = 1;
    *status = sal_group_set_input(group_of_tanks(), 0, 5, &one);
    return end_group();
}

static const char *group_fed_with_nan(sal_status *status) {
    const double odd = NAN;
    *status = sal_group_feed(group_of_tanks(), 0, 0, 1, &odd);
    return end_group();
}

static const char *group_fed_backwards(sal_status *status) {
    const double one = 1;
    *status = sal_group_feed(group_of_tanks(), 0, 0, -1, &one);
    return end_group();
}

static const char *link_of_no_output(sal_status *status) {
    const sal_member first = sal_group_next(group_of_tanks(), 0);
    *status = sal_group_link(swarm, first, 0, 3, first, 0, 0);
    return end_group();
}

static const char *link_from_nobody(sal_status *status) {
    const sal_member first = sal_group_next(group_of_tanks(), 0);
    *status = sal_group_link(swarm, 44, 0, 0, first, 0, 0);
    return end_group();
}

static sal_status fail_output(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self, (void)ctx, (void)port, (void)value;
    return -77;
}

/* The output of a member fails at the end of a frame, where the link carries it. */
static const char *link_fails(sal_status *status) {
    static const sal_system_class class = {.name = "tank", .derivatives = rates, .output = fail_output};
    sal_group_report frame;
    sal_member first = 0, second = 0;
    sal_system *sys = system_of(&class);
    sal_system_add_values(sys, SAL_Z, "level", 1, NULL);
    sal_system_add_values(sys, SAL_INPUT, "inflow", 1, NULL);
    sal_system_add_output(sys, "flow", 1, NULL);
    CHECK(sal_group_new(NULL, sys, NULL, &swarm) == SAL_OK);
    CHECK(sal_group_add(swarm, &first) == SAL_OK && sal_group_add(swarm, &second) == SAL_OK);
    CHECK(sal_group_link(swarm, second, 0, 0, first, 0, 0) == SAL_OK);
    *status = sal_group_advance_to(swarm, 1, &frame);
    CHECK(frame.first == second && frame.behind == 0 && frame.run.part == 0 && frame.run.status == *status);
    sal_report_text(sal_group_simulator(swarm, second), &frame.run, text, sizeof text);
    sal_group_free(swarm);
    swarm = NULL;
    return text;
}

static const char *message_from_outside(sal_status *status) {
    *status = sal_group_send(group_of_tanks(), 1, 0, 0, NULL, 0);
    return end_group();
}

static const char *group_from_damage(sal_status *status) {
    *status = sal_group_load(group_of_tanks(), "damage", 6);
    return end_group();
}

static const char *group_to_a_small_place(sal_status *status) {
    size_t size = 0;
    char room[4];
    *status = sal_group_save(group_of_tanks(), room, sizeof room, &size);
    return end_group();
}

static const char *path_misspelt(sal_status *status) {
    double level = 0;
    *status = sal_simulator_value(running(plant()), "tank.levle", &level);
    return sal_simulator_trouble(sim);
}

static const char *fed_with_nan(sal_status *status) {
    *status = sal_simulator_feed(running(tank()), 0, 0, 1, (double[]){NAN});
    return sal_simulator_trouble(sim);
}

static const char *scheduled_by_a_wrong_name(sal_status *status) {
    sal_system *sys = tank();
    *status = sal_simulator_schedule(running(sys), 0, sal_system_find_event(sys, "drip"), 1, NULL);
    return sal_simulator_trouble(sim);
}

static const char *foreign_save(sal_status *status) {
    static const char bytes[100] = "not a save";
    *status = sal_simulator_load(running(tank()), bytes, sizeof bytes);
    return sal_simulator_trouble(sim);
}

static const char *back_in_time(sal_status *status) {
    CHECK(sal_simulator_advance_to(running(tank()), 1, NULL) == SAL_OK);
    const char *sentence = failure(0.5);
    *status = report.status;
    return sentence;
}

static const char *time_nan(sal_status *status) {
    running(tank());
    const char *sentence = failure(NAN);
    *status = report.status;
    return sentence;
}

static const char *input_without_value(sal_status *status) {
    sal_system *sys = system_of(&tank_class);
    const sal_channel channel = {.size = 1, .output = 0};
    sal_recorder *rec = NULL;
    sal_system_add_values(sys, SAL_Z, "level", 1, NULL);
    sal_system_add_values(sys, SAL_INPUT, "inflow", 1, (double[]){sal_no_value()});
    sal_system_add_output(sys, "flow", 1, NULL);
    CHECK(sal_recorder_new(running(sys), &channel, 1, NAN, &rec) == SAL_OK);
    const char *sentence = failure(1);
    *status = report.status;
    sal_recorder_free(rec);
    return sentence;
}

static sal_status no_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self, (void)ctx, (void)dot;
    return SAL_OK;
}

static sal_status nan_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    dot->z[0] = sal_context_time(ctx) > 0.5 ? NAN : 1;
    return SAL_OK;
}

static sal_status odd_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    rates(self, ctx, dot);
    return -77;
}

/* Advances its own run. */
static sal_outcome reenter(const sal_system *self, const sal_context *ctx, const sal_event *e, sal_note *why) {
    sal_report inner;
    (void)self, (void)ctx, (void)e;
    if (sal_simulator_advance_to(sim, 5, &inner) == SAL_OK)
        return SAL_SUCCEEDED;
    sal_note_set(why, inner.note.text);
    return SAL_FAILED;
}

static const char *run_of(const sal_system_class *class, sal_status *status) {
    sal_system *sys = system_of(class);
    const sal_event_config e = event("tick", SAL_ON_STEP, class->publish ? SAL_PUBLISH : SAL_NO_HANDLER);
    sal_system_add_values(sys, SAL_Z, "level", 1, NULL);
    sal_system_add_event(sys, &e, NULL);
    running(sys);
    const char *sentence = failure(1);
    *status = report.status;
    return sentence;
}

static const char *derivative_unset(sal_status *status) {
    static const sal_system_class class = {.name = "tank", .derivatives = no_rates};
    return run_of(&class, status);
}

static const char *derivative_nan(sal_status *status) {
    static const sal_system_class class = {.name = "tank", .derivatives = nan_rates};
    return run_of(&class, status);
}

/* The host writes NaN between two calls. */
static const char *state_edited_to_nan(sal_status *status) {
    CHECK(sal_simulator_advance_to(running(tank()), 1, NULL) == SAL_OK);
    *sal_context_edit(sal_simulator_context(sim), SAL_Z) = NAN;
    const char *sentence = failure(2);
    *status = report.status;
    return sentence;
}

static const char *odd_status(sal_status *status) {
    static const sal_system_class class = {.name = "tank", .derivatives = odd_rates};
    return run_of(&class, status);
}

static const char *advanced_from_inside(sal_status *status) {
    static const sal_system_class class = {.name = "tank", .derivatives = rates, .publish = reenter};
    return run_of(&class, status);
}

/* ---- what each sentence must name ---- */

typedef struct mistake {
    const char *(*make)(sal_status *status);
    sal_status status;
    const char *system, *thing, *remedy;
} mistake;

static const mistake mistakes[] = {
    {no_class, SAL_EINVAL, "sal_system_new", "class", "look at their status"},
    {name_taken, SAL_EINVAL, "tank: ", "\"level\"", "choose another"},
    {name_null, SAL_EINVAL, "tank: ", "the name of a value is NULL", "give it one"},
    {name_with_escape, SAL_EINVAL, "tank: ", "the name of an output", "printable"},
    {name_empty, SAL_EINVAL, "tank: ", "the name of a value is empty", "give it one"},
    {value_with_dot, SAL_EINVAL, "tank: ", "\"a.b\" of a value has a dot", "leave them out"},
    {output_with_bracket, SAL_EINVAL, "tank: ", "\"a[2]\" of an output", "leave them out"},
    {part_name_empty, SAL_EINVAL, "plant: ", "the name of a part is empty", "give it one"},
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
    {statuses_ignored, SAL_EINVAL, "tank: ", "\"area\" has the size -1", "at least 1"},
    {part_of_a_system, SAL_EINVAL, "tank: ", "parts", "sal_diagram_new"},
    {value_of_a_diagram, SAL_EINVAL, "plant: ", "values", "sal_system_new"},
    {part_null, SAL_EINVAL, "plant: ", "part \"pump\" is NULL", "status of the call"},
    {part_name_taken, SAL_EINVAL, "plant: ", "\"tank\"", "choose another"},
    {sizes_differ, SAL_EINVAL, "plant: ", "\"gain.output\" has 2 numbers", "of one size"},
    {port_misspelt, SAL_EINVAL, "plant: ", "\"tank\" has no output -1", "sal_system_find_output"},
    {no_such_part, SAL_EINVAL, "plant: ", "no part -1", "sal_diagram_find_part"},
    {connected_twice, SAL_EINVAL, "plant: ", "\"other.inflow\"", "sum block"},
    {loop, SAL_ELOOP, "plant: ", "tank.flow", "put a state"},
    {no_parts, SAL_EINVAL, "plant: ", "no parts", "sal_diagram_add"},
    {method_misspelt, SAL_EINVAL, "tank: ", "method", "\"auto\" is the default"},
    {config_from_zeros, SAL_EINVAL, "tank: ", "config", "sal_simulator_config_default"},
    {fixed_without_size, SAL_EINVAL, "tank: ", "fixed_step", "a finite max_step"},
    {part_refused, SAL_EINVAL, "plant: tank: ", "\"area\" has the size -1", "at least 1 number"},
    {dependencies_not_given, SAL_EINVAL, "tank: ", "an output depends on -1 outputs", "NULL and 0 for none"},
    {context_of_a_simulator, SAL_EINVAL, "tank: ", "belongs to a simulator already", "sal_context_clone"},
    {context_of_another, SAL_EINVAL, "tank: ", "context", "sal_context_new"},
    {system_null, SAL_EINVAL, "no system", "NULL", "look at their status"},
    {method_without_mass, SAL_EINVAL, "tank: ", "mass matrix", "radau5"},
    {past_with_mass, SAL_EINVAL, "tank: ", "mass matrix and records a past", "one of the two"},
    {band_too_wide, SAL_EINVAL, "tank: ", "half-bandwidths", "set lower and upper"},
    {frame_backwards, SAL_EINVAL, "tank: ", "a frame's dt", "seconds since the last frame"},
    {nothing_sampled, SAL_EINVAL, "tank: ", "periodic discrete updates", "sal_system_sampling"},
    {option_misspelt, SAL_EINVAL, "", "option gian", "did you mean \"gain\"?"},
    {kind_misspelt, SAL_EINVAL, "", "\"intergal\"", "did you mean \"integral\"?"},
    {channel_of_nothing, SAL_EINVAL, "tank: ", "channel 0", "set its part, size and place"},
    {few_rows, SAL_EINVAL, "tank: ", "at most 3 rows", "give 16 or more"},
    {rows_of_no_save, SAL_EINVAL, "tank: ", "not a save of a recorder", "what sal_recorder_save wrote"},
    {group_without_capacity, SAL_EINVAL, "tank: ", "its group cannot be made", "capacities are 0 to SAL_MAX_MEMBERS"},
    {member_that_is_gone, SAL_EINVAL, "tank: ", "no member 77", "sal_group_add"},
    {input_of_no_member, SAL_EINVAL, "tank: ", "input 5 of part 0", "sal_system_find_input"},
    {group_fed_with_nan, SAL_EINVAL, "tank: ", "input 0 of part 0 is NULL or not finite", "give its numbers"},
    {group_fed_backwards, SAL_ETIME, "tank: ", "a feed until t = -1", "in the future"},
    {link_of_no_output, SAL_EINVAL, "tank: ", "output 3 of part 0", "sal_system_find_output"},
    {link_from_nobody, SAL_EINVAL, "tank: ", "no member 44", "sal_group_add"},
    {link_fails, -77, "\"tank\"", "output \"flow\" of \"tank\" failed", "a link has no value"},
    {message_from_outside, SAL_ESTATE, "tank: ", "a handler of a member", "from there"},
    {group_from_damage, SAL_EINVAL, "tank: ", "the bytes are not a save of a group", "what sal_group_save wrote"},
    {group_to_a_small_place, SAL_EINVAL, "tank: ", "a save of this group needs", "sal_group_save_size"},
    {path_misspelt, SAL_EINVAL, "plant: ", "\"levle\" in \"tank\"", "did you mean \"level\"?"},
    {fed_with_nan, SAL_EINVAL, "tank: ", "fed with NaN", "finite"},
    {scheduled_by_a_wrong_name, SAL_EINVAL, "tank: ", "event -1", "sal_system_find_event"},
    {foreign_save, SAL_EINVAL, "tank: ", "bytes", "sal_simulator_save"},
    {back_in_time, SAL_ETIME, "tank", "time to advance to is 0.5, and the present is 1", "load an earlier save"},
    {time_nan, SAL_ETIME, "tank", "time to advance to is NaN", "give a time"},
    {input_without_value, SAL_EINPUT, "\"tank\"", "input \"inflow\"", "connect it"},
    {derivative_unset, SAL_ENAN, "tank", "\"level\"", "write it in every branch"},
    {derivative_nan, SAL_ESTEP, "\"tank\"", "\"level\" of \"tank\" is NaN", "look at what derivatives computes"},
    {state_edited_to_nan, SAL_ESTEP, "\"tank\"", "before the step the value of \"level\" of \"tank\" is NaN",
     "an edit of the context"},
    {odd_status, -77, "tank", "-77", "return SAL_OK"},
    {advanced_from_inside, SAL_EHANDLER, "tick of tank", "called from inside of the run", "after that has ended"},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

static void each_is_named_in_words(void) {
    for (int i = 0; i < MISTAKES; i++) {
        const mistake *m = &mistakes[i];
        sal_status status = SAL_OK;
        const char *sentence = m->make(&status);
        const bool names_all = strstr(sentence, m->system) && strstr(sentence, m->thing) && strstr(sentence, m->remedy);
        if (!names_all || status != m->status)
            printf("%d (%d): %s\n", i, status, sentence);
        CHECK(names_all && status == m->status && strlen(sentence) < 250);
        CHECK(m->system[0] || strcmp(note.blame, "tank") == 0);
        if (getenv("SALTUS_SHOW"))
            printf("%s\n", sentence);
        clear();
    }
}

int main(void) {
    each_is_named_in_words();
    return check_summary();
}
