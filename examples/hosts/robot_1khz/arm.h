/* The arm of a robot: one joint with a motor, gravity, friction, and a stop at which it bounces. */
#ifndef ARM_H
#define ARM_H

#include <saltus/saltus.h>

/* Makes the arm, which the caller owns, hanging at rest. Its motor's torque is input 0, in N m. */
sal_status arm_new(const sal_allocator *memory, sal_system **out);

/* The torque that moves the joint to `target`, rad, for the measured angle, rad, and rate, rad/s. */
double arm_control(double target, double angle, double rate);

/* How often the arm has hit its stop. */
int arm_bounces(const sal_context *ctx);

#endif
