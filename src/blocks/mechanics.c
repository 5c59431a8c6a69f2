/* Bodies on a line or an axis, with or without dry friction. Springs and dampers are in spring.c.
 *
 * Friction is Coulomb's with stiction. A body rests (mode 0) until the force on it exceeds static_friction. It then
 * slides in one direction (mode +1 or -1) against kinetic_friction until its speed is zero. There it rests again, or
 * reverses if the force is too great. Each change is an event, so every step has one mode. */
#include "block.h"

enum { MASS, VISCOUS, STATIC, KINETIC };
enum { POSITION, SPEED };

/* A body without dry friction has no mode: it always slides. */
static double mode_of(const sal_system *self, const sal_context *ctx, int i) {
    return self->size[SAL_XD] > 0 ? sal__get(ctx, SAL_XD)[i] : 1;
}

static double acceleration(const sal_system *self, const sal_context *ctx, int i, double force) {
    const double mode = mode_of(self, ctx, i), v = sal__get(ctx, SAL_V)[i];
    double dry = 0;
    if (mode == 0)
        return 0;
    if (self->size[SAL_XD] > 0)
        dry = mode * sal__at(sal__param_each(self, ctx, KINETIC), i);
    return (force - dry - sal__at(sal__param_each(self, ctx, VISCOUS), i) * v) /
           sal__at(sal__param_each(self, ctx, MASS), i);
}

static sal_status flow(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *force = NULL, *v = sal__get(ctx, SAL_V);
    const sal_status status = sal__input(ctx, 0, &force);
    for (int i = 0; status == SAL_OK && i < self->size[SAL_V]; i++) {
        dot->q[i] = mode_of(self, ctx, i) == 0 ? 0 : v[i];
        dot->v[i] = acceleration(self, ctx, i, force[i]);
    }
    return status;
}

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *from = sal__get(ctx, port == POSITION ? SAL_Q : SAL_V);
    memcpy(y, from, sizeof *y * (size_t)self->outputs.item[port].size);
    return SAL_OK;
}

/* Falls through 0 where a resting body starts to slide, and where a sliding one stops. */
static sal_status witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    const double *force = NULL;
    const sal_status status = sal__input(ctx, 0, &force);
    const int i = event - SAL__FIRST_OWN_EVENT;
    const double mode = mode_of(self, ctx, i), hold = sal__at(sal__param_each(self, ctx, STATIC), i);
    if (status == SAL_OK)
        *value = sal__resolve_zero(mode == 0 ? hold - fabs(force[i]) : mode * sal__get(ctx, SAL_V)[i], true);
    return status;
}

/* The mode of a body with this speed and force. */
static double mode_for(const sal_system *self, const sal_context *ctx, int i, double v, double force) {
    if (v != 0)
        return sal__sign(v);
    return fabs(force) > sal__at(sal__param_each(self, ctx, STATIC), i) ? sal__sign(force) : 0;
}

static bool is_settled(const sal_system *self, const sal_context *ctx, int i, double force) {
    const double mode = mode_of(self, ctx, i), v = sal__get(ctx, SAL_V)[i];
    return mode == 0 ? v == 0 && mode_for(self, ctx, i, 0, force) == 0
                     : mode * v > 0 || mode_for(self, ctx, i, v, force) == mode;
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    const double *force = NULL, *before = sal__get(ctx, SAL_XD);
    const sal_status status = sal__input(ctx, 0, &force);
    if (status != SAL_OK)
        return sal__input_failed(status, note);
    double *mode = sal_context_edit(next, SAL_XD), *v = sal_context_edit(next, SAL_V);
    for (int i = 0; i < self->size[SAL_V]; i++) {
        const bool mine = event->index == SAL__FIRST_OWN_EVENT + i;
        if (mine && before[i] == 0) {
            mode[i] = sal__sign(force[i]);
            continue;
        }
        if (mine)
            v[i] = 0;
        if (mine || event->index == SAL__START || !is_settled(self, ctx, i, force[i]))
            mode[i] = mode_for(self, ctx, i, v[i], force[i]);
    }
    return SAL_SUCCEEDED;
}

static void declare(sal__block_builder *b) {
    const bool turns = sal__has_option(b, "angle");
    const char *position = turns ? "angle" : "position", *speed = turns ? "rate" : "speed";
    const int size = sal__size(b);
    sal__add_input(b, "input", size);
    sal__add_state(b, SAL_Q, position, size, sal__value_of(b, position));
    sal__add_state(b, SAL_V, speed, size, sal__value_of(b, speed));
    sal__add_output(b, position, size, false);
    sal__add_output(b, speed, size, false);
    if (!sal__has_option(b, "static_friction"))
        return;
    sal__add_numbers(b, SAL_XD, "mode", size, 0);
    sal__add_settle_events(b, SAL_UNRESTRICTED);
    sal__add_witness(b, "stick_or_slip", SAL_UNRESTRICTED, SAL_FALLING, size);
}

#define BODY_OPTIONS(inertia, inertia_unit, viscous_unit) \
    SAL_OPTION(SIGNAL, inertia, "mass or moment of inertia", .unit = inertia_unit, .required = true, \
               .rules = SAL_IS_POSITIVE), \
        SAL_OPTION(SIGNAL, "viscous", "friction that grows with speed", .unit = viscous_unit, \
                   .rules = SAL_IS_NOT_NEGATIVE)
#define FRICTION_OPTIONS(force_unit) \
    SAL_OPTION(SIGNAL, "static_friction", "largest force or torque without motion", .unit = force_unit, \
               .required = true, .rules = SAL_IS_NOT_NEGATIVE), \
        SAL_OPTION(SIGNAL, "kinetic_friction", "friction during sliding, at most the static friction", \
                   .unit = force_unit, .required = true, .rules = SAL_IS_NOT_NEGATIVE, .not_above = "static_friction")
#define START_OPTIONS(position, position_unit, speed, speed_unit) \
    SAL_OPTION(SIGNAL, position, "position at the start", .unit = position_unit, .fixed = true), \
        SAL_OPTION(SIGNAL, speed, "speed at the start", .unit = speed_unit, .fixed = true)

#define BODY \
    SAL_FUNCTIONS(.derivatives = flow, .output = output, .witness = witness, .update = update, \
                  SAL_SETTLED_IF(is_settled))

SAL_BLOCK(mass,
          SAL_OPTIONS(BODY_OPTIONS("mass", "kg", "N s/m"), START_OPTIONS("position", "m", "speed", "m/s"),
                      SAL_SIZE_OPTION),
          declare, BODY, .doc = "A body on a line; the input is the force on it.",
          .law = "position' = speed, mass speed' = input - viscous speed", .units = "input=N position=m speed=m/s",
          .example = "saltus.blocks.mass { mass = 2, speed = 1 }");

SAL_BLOCK(sliding_mass,
          SAL_OPTIONS(BODY_OPTIONS("mass", "kg", "N s/m"), FRICTION_OPTIONS("N"),
                      START_OPTIONS("position", "m", "speed", "m/s"), SAL_SIZE_OPTION),
          declare, BODY, .doc = "A body on a line with dry friction (stick and slip).",
          .law = "position' = speed, mass speed' = input - viscous speed - kinetic_friction sign(speed),\n"
                 "or at rest while |input| <= static_friction",
          .units = "input=N position=m speed=m/s", .instead_of = "mass",
          .when_given = "static_friction kinetic_friction",
          .example = "saltus.blocks.mass { mass = 2, static_friction = 3, kinetic_friction = 2 }");

SAL_BLOCK(inertia,
          SAL_OPTIONS(BODY_OPTIONS("inertia", "kg m^2", "N m s"), START_OPTIONS("angle", "rad", "rate", "rad/s"),
                      SAL_SIZE_OPTION),
          declare, BODY, .doc = "A body on an axis; the input is the torque on it.",
          .law = "angle' = rate, inertia rate' = input - viscous rate", .units = "input=N_m angle=rad rate=rad/s",
          .example = "saltus.blocks.inertia { inertia = 0.1 }");

SAL_BLOCK(sliding_inertia,
          SAL_OPTIONS(BODY_OPTIONS("inertia", "kg m^2", "N m s"), FRICTION_OPTIONS("N m"),
                      START_OPTIONS("angle", "rad", "rate", "rad/s"), SAL_SIZE_OPTION),
          declare, BODY, .doc = "A body on an axis with dry friction (stick and slip).",
          .law = "angle' = rate, inertia rate' = input - viscous rate - kinetic_friction sign(rate),\n"
                 "or at rest while |input| <= static_friction",
          .units = "input=N_m angle=rad rate=rad/s", .instead_of = "inertia",
          .when_given = "static_friction kinetic_friction",
          .example = "saltus.blocks.inertia { inertia = 0.1, static_friction = 0.3, kinetic_friction = 0.2 }");
