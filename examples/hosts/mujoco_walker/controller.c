#include "controller.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct controller {
    sal_system *walking;
    sal_simulator *sim;
    sal_report report;
};

/* Discrete state. Modes count from 1. */
enum { PHASE, LIFT_ENDS, STRIKES, STOPPED };
enum { LEFT_LIFTS = 1, LEFT_REACHES, RIGHT_LIFTS, RIGHT_REACHES };

static const char *const phases[] = {"left lifts", "left reaches", "right lifts", "right reaches"};

enum { LIFT_END, STRIKE, FALL }; /* events, in order of declaration */
enum { WANTED, DRIVE };          /* outputs: commands before and after the dead time */
enum { DEAD_TIME };              /* parameters */
enum { PAST_WANTED };

#define LIFT_TIME 0.3     /* s */
#define STRIKE_FORCE 20.0 /* N */
#define FALLEN 0.7        /* m: the hips of a walker are at about 0.95 */

static int phase_of(const sal_context *ctx) {
    return (int)sal_context_get(ctx, SAL_XD)[PHASE];
}

static bool reaches(int phase) {
    return phase == LEFT_REACHES || phase == RIGHT_REACHES;
}

static int swing_side(int phase) {
    return phase == LEFT_LIFTS || phase == LEFT_REACHES ? 0 : 1;
}

/* ---- the commands ---- */

/* Angles in a phase, in rad; the swing thigh's is that from the vertical, and is corrected by the distance and the
 * speed of the body from the foot on the ground. */
typedef struct pose {
    double thigh, by_distance, by_speed;
    double swing_knee, swing_ankle, stance_knee, stance_ankle;
} pose;

static const pose lift = {0.4, 0, 0.2, -1.1, 0.2, -0.05, 0.2};
static const pose reach = {-0.7, 2.2, 0, -0.05, 0.2, -0.1, 0.2};

#define STIFFNESS 300.0 /* N m/rad, of hips and torso */
#define DAMPING 30.0    /* N m s/rad */
#define STRONGEST 400.0 /* N m */

static double towards(double target, double angle, double rate) {
    return STIFFNESS * (target - angle) - DAMPING * rate;
}

static double limited(double torque) {
    return fmax(-STRONGEST, fmin(STRONGEST, torque));
}

/* The swing hip holds its thigh in the world; the other one holds the torso upright against both. */
static void command_hips(const pose *at, const double *s, int swing, double *out) {
    const int stance = 1 - swing;
    const double ahead = s[BODY] - s[FOOT + stance];
    const double thigh = at->thigh + at->by_distance * ahead + at->by_speed * s[BODY_SPEED];
    const double of_swing = towards(thigh, s[PITCH] + s[HIP + swing], s[PITCH_RATE] + s[HIP_RATE + swing]);
    const double of_torso = towards(0, s[PITCH], s[PITCH_RATE]);
    out[HIP_TORQUE + swing] = limited(of_swing);
    out[HIP_TORQUE + stance] = limited(-of_torso - of_swing);
}

static sal_status command(const sal_context *ctx, double *out) {
    const int phase = phase_of(ctx), swing = swing_side(phase), stance = 1 - swing;
    const pose *at = reaches(phase) ? &reach : &lift;
    const double *sensors = NULL;
    const sal_status status = sal_context_input(ctx, 0, &sensors);
    if (status != SAL_OK)
        return status;
    command_hips(at, sensors, swing, out);
    out[KNEE_ANGLE + swing] = at->swing_knee;
    out[KNEE_ANGLE + stance] = at->stance_knee;
    out[ANKLE_ANGLE + swing] = at->swing_ankle;
    out[ANKLE_ANGLE + stance] = at->stance_ankle;
    return SAL_OK;
}

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self;
    if (port == WANTED)
        return command(ctx, value);
    if (sal_context_get(ctx, SAL_XD)[STOPPED] != 0) {
        memset(value, 0, COMMANDS * sizeof *value);
        return SAL_OK;
    }
    return sal_context_past(ctx, PAST_WANTED, sal_context_get(ctx, SAL_PARAM)[DEAD_TIME], value);
}

/* ---- the events ---- */

static double strike_margin(const sal_context *ctx, const double *sensors) {
    return sensors[SOLE + swing_side(phase_of(ctx))] - STRIKE_FORCE;
}

static sal_status witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self;
    const double *sensors = NULL;
    const sal_status status = sal_context_input(ctx, 0, &sensors);
    if (status == SAL_OK)
        *value = event == FALL ? sensors[TORSO_HEIGHT] - FALLEN : strike_margin(ctx, sensors);
    return status;
}

/* The foot may be on the ground already when the leg begins to reach: then it strikes at once. */
static sal_status strikes(const sal_system *self, const sal_context *ctx, int event, bool *holds) {
    (void)self, (void)event;
    const double *sensors = NULL;
    const sal_status status = sal_context_input(ctx, 0, &sensors);
    if (status == SAL_OK)
        *holds = reaches(phase_of(ctx)) && strike_margin(ctx, sensors) >= 0;
    return status;
}

static sal_outcome fall(sal_context *next, sal_note *note) {
    sal_context_edit(next, SAL_XD)[STOPPED] = 1;
    sal_note_set(note, "the walker fell");
    return SAL_TERMINATE;
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    (void)self;
    if (event->index == FALL)
        return fall(next, note);
    double *xd = sal_context_edit(next, SAL_XD);
    xd[PHASE] = xd[PHASE] < RIGHT_REACHES ? xd[PHASE] + 1 : LEFT_LIFTS;
    if (event->index == STRIKE) {
        xd[STRIKES] += 1;
        xd[LIFT_ENDS] = sal_context_time(ctx) + LIFT_TIME;
    }
    return SAL_SUCCEEDED;
}

/* ---- the declaration ---- */

static const sal_system_class walking_class = {
    .name = "walking", .output = output, .witness = witness, .holds = strikes, .update = update};

static sal_status add_event(sal_system *sys, const char *name, sal_trigger trigger) {
    sal_event_config event = sal_event_config_default();
    event.name = name;
    event.trigger = trigger;
    event.kind = SAL_DISCRETE;
    event.time_variable = LIFT_ENDS; /* of SAL_ON_TIME */
    event.direction = SAL_FALLING;   /* of SAL_ON_WITNESS */
    event.finders = 0;               /* of SAL_ON_CHANGE: `witness` finds where it may change */
    return sal_system_add_event(sys, &event, NULL);
}

static sal_status declare(sal_system *sys, double dead_time, const double sensors[SENSORS]) {
    const double first_phase = RIGHT_LIFTS, first_end = LIFT_TIME;
    int drive;
    sal_status status = sal_system_add_values(sys, SAL_XD, "phase", 1, &first_phase);
    if (status == SAL_OK)
        status = sal_system_set_modes(sys, "phase", phases, RIGHT_REACHES);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_XD, "lift_ends", 1, &first_end);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_XD, "strikes", 1, NULL);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_XD, "stopped", 1, NULL);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_PARAM, "dead_time", 1, &dead_time);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_INPUT, "sensors", SENSORS, sensors);
    if (status == SAL_OK)
        status = sal_system_add_output(sys, "wanted", COMMANDS, NULL);
    if (status == SAL_OK)
        status = sal_system_add_output(sys, "drive", COMMANDS, &drive);
    if (status == SAL_OK)
        status = sal_system_add_past(sys, "wanted", LONGEST_DEAD_TIME, NULL);
    return status;
}

static sal_status add_events(sal_system *sys) {
    sal_status status = add_event(sys, "lift_end", SAL_ON_TIME);
    if (status == SAL_OK)
        status = add_event(sys, "strike", SAL_ON_CHANGE);
    return status == SAL_OK ? add_event(sys, "fall", SAL_ON_WITNESS) : status;
}

static sal_status start(controller *c, double dead_time, const double sensors[SENSORS]) {
    sal_status status = sal_system_new(NULL, &walking_class, "walking", NULL, &c->walking);
    if (status == SAL_OK)
        status = declare(c->walking, dead_time, sensors);
    if (status == SAL_OK)
        status = add_events(c->walking);
    if (status == SAL_OK)
        status = sal_simulator_new(NULL, c->walking, NULL, NULL, &c->sim);
    return status == SAL_OK ? sal_simulator_initialize(c->sim, false, &c->report) : status;
}

sal_status controller_new(double dead_time, const double sensors[SENSORS], controller **out) {
    if (!(dead_time >= 0 && dead_time <= LONGEST_DEAD_TIME))
        return SAL_EINVAL;
    controller *c = calloc(1, sizeof *c);
    if (!c)
        return SAL_ENOMEM;
    const sal_status status = start(c, dead_time, sensors);
    if (status == SAL_OK)
        *out = c;
    else
        controller_free(c);
    return status;
}

void controller_free(controller *c) {
    if (!c)
        return;
    sal_simulator_free(c->sim);
    sal_system_free(c->walking);
    free(c);
}

/* ---- with the host ---- */

static bool has_stopped(const controller *c) {
    return sal_context_get(sal_simulator_context(c->sim), SAL_XD)[STOPPED] != 0;
}

static sal_status read_output(const controller *c, int port, double commands[COMMANDS]) {
    const double *value = NULL;
    const sal_status status = sal_context_output(sal_simulator_context(c->sim), port, &value);
    if (status == SAL_OK)
        memcpy(commands, value, COMMANDS * sizeof *commands);
    return status;
}

sal_status controller_sample(controller *c, double t, const double sensors[SENSORS], double commands[COMMANDS]) {
    sal_status status = SAL_OK;
    if (!has_stopped(c) && t > sal_context_time(sal_simulator_context(c->sim))) {
        status = sal_simulator_feed(c->sim, 0, 0, t, sensors);
        if (status == SAL_OK)
            status = sal_simulator_advance_to(c->sim, t, &c->report);
    }
    return status == SAL_OK ? read_output(c, DRIVE, commands) : status;
}

sal_status controller_wanted(const controller *c, double commands[COMMANDS]) {
    return read_output(c, WANTED, commands);
}

controller_status controller_report(const controller *c) {
    const double *xd = sal_context_get(sal_simulator_context(c->sim), SAL_XD);
    return (controller_status){.phase = phases[(int)xd[PHASE] - 1],
                               .strikes = (int)xd[STRIKES],
                               .fell = has_stopped(c),
                               .fell_at = c->report.time,
                               .note = c->report.note.text};
}
