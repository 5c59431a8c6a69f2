/* The arm computes with + - * / and sal_sin alone, which have the same bits on every machine. */
#include "arm.h"

enum { BOUNCES }; /* of the discrete state */

static const double length = 0.5, mass = 1, gravity = 9.81, friction = 0.1; /* m, kg, m/s^2, N m s */
static const double stop = 1.4, restitution = 0.8;                          /* rad, 1 */

static sal_status derivatives(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double angle = *sal_context_get(ctx, SAL_Q), rate = *sal_context_get(ctx, SAL_V);
    const double *torque = NULL;
    const sal_status status = sal_context_input(ctx, 0, &torque);
    (void)self;
    if (status != SAL_OK)
        return status;
    *dot->q = rate;
    *dot->v = (*torque - friction * rate) / (mass * length * length) - gravity / length * sal_sin(angle);
    return SAL_OK;
}

static sal_status below_stop(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    *value = stop - *sal_context_get(ctx, SAL_Q);
    return SAL_OK;
}

static sal_outcome bounce(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    (void)self, (void)event, (void)note;
    *sal_context_edit(next, SAL_V) = -restitution * *sal_context_get(ctx, SAL_V);
    sal_context_edit(next, SAL_XD)[BOUNCES] += 1;
    return SAL_SUCCEEDED;
}

static const sal_system_class arm_class = {
    .name = "arm", .derivatives = derivatives, .witness = below_stop, .update = bounce};

sal_status arm_new(const sal_allocator *memory, sal_system **out) {
    sal_event_config hit = sal_event_config_default();
    sal_status status = sal_system_new(memory, &arm_class, "arm", NULL, out);
    if (status == SAL_OK)
        status = sal_system_add_values(*out, SAL_Q, "angle", 1, NULL);
    if (status == SAL_OK)
        status = sal_system_add_values(*out, SAL_V, "rate", 1, NULL);
    if (status == SAL_OK)
        status = sal_system_add_values(*out, SAL_XD, "bounces", 1, NULL);
    if (status == SAL_OK)
        status = sal_system_add_values(*out, SAL_INPUT, "torque", 1, NULL);
    hit.name = "hit";
    hit.trigger = SAL_ON_WITNESS;
    hit.kind = SAL_UNRESTRICTED;
    hit.direction = SAL_FALLING;
    return status == SAL_OK ? sal_system_add_event(*out, &hit, NULL) : status;
}

double arm_control(double target, double angle, double rate) {
    return 20 * (target - angle) - 0.8 * rate + gravity * length * mass * sal_sin(target);
}

int arm_bounces(const sal_context *ctx) {
    return (int)sal_context_get(ctx, SAL_XD)[BOUNCES];
}
