/* PID control, continuous and sampled, after Astrom and Wittenmark, Computer-Controlled Systems, 3rd ed. (1997),
 * section 8.5: the derivative is filtered, and the integral follows the limited output (tracking). */
#include "piecewise.h"

enum { KP, KI, KD, LOWER, UPPER, FILTER, TRACKING, GAINS };
enum { TARGET, MEASURED };

/* Returns the gains of element i; `own` is storage for them. */
static inline const double *gains_of(const sal_system *self, const sal_context *ctx, int i, double own[GAINS]) {
    if (self->size[SAL_PARAM] == GAINS) /* 5 % of pid_loop */
        return sal__get(ctx, SAL_PARAM);
    for (int k = KP; k < GAINS; k++) /* some gains have a number for each element */
        own[k] = sal__at(sal__param_each(self, ctx, k), i);
    return own;
}

/* The rate at which the integral follows the amount cut off by the limits. The tracking time is at least `least`;
 * its default is kp / ki. */
static double follow(const double *g, double cut, double least) {
    if (cut == 0)
        return 0;
    const double time = g[TRACKING] > 0 ? g[TRACKING] : g[KP] * g[KI] > 0 ? g[KP] / g[KI] : 1;
    return cut / (time > least ? time : least);
}

static sal_status errors(const sal_context *ctx, const double **target, const double **measured) {
    const sal_status status = sal__input(ctx, TARGET, target);
    return status == SAL_OK ? sal__input(ctx, MEASURED, measured) : status;
}

/* ---- continuous. State: the integrals, the filtered errors ---- */

static double filter_rate(const double *g, double error, double filtered) {
    return g[KD] != 0 ? (error - filtered) / g[FILTER] : 0;
}

static double wanted(const double *g, double error, double integral, double filtered) {
    return g[KP] * error + integral + g[KD] * filter_rate(g, error, filtered);
}

/* Computes element i of the output without limits. */
static sal_status variable(const sal_system *self, const sal_context *ctx, int i, double *u) {
    const double *r = NULL, *m = NULL, *z = sal__get(ctx, SAL_Z);
    const sal_status status = errors(ctx, &r, &m);
    double own[GAINS];
    const double *g = gains_of(self, ctx, i, own);
    if (status == SAL_OK)
        *u = wanted(g, r[i] - m[i], z[i], z[self->size[SAL_Z] / 2 + i]);
    return status;
}

static double limit_of(const sal_system *self, const sal_context *ctx, int i, int k) {
    return sal__at(sal__param_each(self, ctx, k), i);
}

static double border(const sal_system *self, const sal_context *ctx, int i, double k) {
    return sal__border_of_three(limit_of(self, ctx, i, LOWER), limit_of(self, ctx, i, UPPER), k);
}

static double guess(const sal_system *self, const sal_context *ctx, int i, double u) {
    return sal__piece_of_three(limit_of(self, ctx, i, LOWER), limit_of(self, ctx, i, UPPER), u);
}

static const sal__pieces limits = {variable, border, guess};

static double limited(const sal_system *self, const sal_context *ctx, int i, double u) {
    const double k = sal__piece(self, ctx, i, u);
    return k == 0 ? u : limit_of(self, ctx, i, k < 0 ? LOWER : UPPER);
}

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && i < self->outputs.item[port].size; i++) {
        status = variable(self, ctx, i, &y[i]);
        if (status == SAL_OK)
            y[i] = limited(self, ctx, i, y[i]);
    }
    return status;
}

static sal_status flow(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *r = NULL, *m = NULL, *z = sal__get(ctx, SAL_Z);
    const sal_status status = errors(ctx, &r, &m);
    const int size = self->size[SAL_Z] / 2;
    double own[GAINS];
    for (int i = 0; status == SAL_OK && i < size; i++) {
        const double *g = gains_of(self, ctx, i, own);
        const double error = r[i] - m[i], u = wanted(g, error, z[i], z[size + i]);
        dot->z[i] = g[KI] * error + follow(g, limited(self, ctx, i, u) - u, 0);
        dot->z[size + i] = filter_rate(g, error, z[size + i]);
    }
    return status;
}

/* The filter starts at the error, so that the first derivative is 0. */
static sal_outcome begin(const sal_system *self, const sal_context *ctx, sal_context *next, sal_note *note) {
    const double *r = NULL, *m = NULL;
    const sal_status status = errors(ctx, &r, &m);
    if (status != SAL_OK)
        return sal__input_failed(status, note);
    const int size = self->size[SAL_Z] / 2;
    double *z = sal_context_edit(next, SAL_Z);
    for (int i = 0; i < size; i++)
        z[size + i] = r[i] - m[i];
    return SAL_SUCCEEDED;
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    const sal_outcome begun = event->index == SAL__START ? begin(self, ctx, next, note) : SAL_SUCCEEDED;
    const bool has_limits = self->size[SAL_XD] > 0;
    return begun == SAL_SUCCEEDED && has_limits ? sal__pieces_update(self, ctx, event, next, note) : begun;
}

static void declare_ports(sal__block_builder *b, bool direct) {
    sal__add_input(b, "target", sal__size(b));
    sal__add_input(b, "measured", sal__size(b));
    sal__add_output(b, "output", sal__size(b), direct);
}

static void declare(sal__block_builder *b) {
    const int size = sal__size(b);
    sal__add_numbers(b, SAL_Z, "integral", size, 0);
    sal__add_numbers(b, SAL_Z, "filtered", size, 0);
    declare_ports(b, true);
    if (sal__given(b, "lower") || sal__given(b, "upper"))
        sal__add_pieces(b, size, SAL_UNRESTRICTED);
    else
        sal__add_start(b, SAL_UNRESTRICTED);
}

#define GAIN_OPTIONS \
    SAL_OPTION(SIGNAL, "kp", "proportional gain"), SAL_OPTION(SIGNAL, "ki", "integral gain"), \
        SAL_OPTION(SIGNAL, "kd", "derivative gain"), \
        SAL_OPTION(SIGNAL, "lower", "least output", .rules = SAL_MAY_BE_INFINITE, .not_above = "upper", \
                   .default_value = SAL_NO_LOWER_LIMIT), \
        SAL_OPTION(SIGNAL, "upper", "greatest output", .rules = SAL_MAY_BE_INFINITE, .default_value = HUGE_VAL)
#define TRACKING_OPTION \
    SAL_OPTION(SIGNAL, "tracking_time", "time constant in which the integral follows a limited output; 0: kp / ki", \
               .unit = "s", .rules = SAL_IS_NOT_NEGATIVE)

SAL_BLOCK(pid,
          SAL_OPTIONS(GAIN_OPTIONS,
                      SAL_OPTION(SIGNAL, "filter_time", "time constant of the derivative's pole", .unit = "s",
                                 .rules = SAL_IS_POSITIVE, .default_value = 0.01),
                      TRACKING_OPTION, SAL_SIZE_OPTION),
          declare,
          SAL_FUNCTIONS(.derivatives = flow, .output = output, .witness = sal__pieces_witness,
                        .next_time = sal__pieces_settle, .update = update, .data = &limits),
          .doc = "Continuous PID control with filtered derivative, limits and anti-windup.",
          .law = "e = target - measured, u = kp e + integral + kd s / (1 + filter_time s) e, "
                 "output = u between lower and upper,\n"
                 "integral' = ki e + (output - u) / tracking_time",
          .drake = "PidController (systems/controllers)",
          .example = "saltus.blocks.pid { kp = 2, ki = 1, kd = 0.1, lower = -1, upper = 1 }");

/* ---- sampled. Discrete state: outputs, integrals, last errors, filtered derivatives, 1 after the first sample ---- */

enum { INTEGRAL = 1, LAST, SLOPE, LISTS };

/* Advances one element from its numbers `from` to `to`; numbers of one element are `size` apart. */
static inline void sample_one(const double *g, double error, double h, const double *from, double *to, int size,
                              bool begun) {
    const double last = begun ? from[LAST * size] : error;
    const double slope = (g[FILTER] * from[SLOPE * size] + error - last) / (g[FILTER] + h);
    const double u = g[KP] * error + from[INTEGRAL * size] + g[KD] * slope;
    const double held = sal__clamp(u, g[LOWER], g[UPPER]);
    to[0] = held;
    to[INTEGRAL * size] += h * (g[KI] * error + follow(g, held - u, h));
    to[LAST * size] = error;
    to[SLOPE * size] = slope;
}

static sal_outcome sample(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    const double *r = sal__sample_input(ctx, TARGET, note), *m = r ? sal__sample_input(ctx, MEASURED, note) : NULL;
    if (!m)
        return SAL_FAILED;
    const double *from = sal__get(ctx, SAL_XD), h = self->events.item[event->index].period;
    double *to = sal_context_edit(next, SAL_XD), own[GAINS];
    const int size = ctx->input_slot[TARGET].size;
    const bool begun = from[LISTS * size] != 0;
    to[LISTS * size] = 1;
    if (size == 1) /* saves 2 % of pid_loop */
        sample_one(sal__get(ctx, SAL_PARAM), r[0] - m[0], h, from, to, 1, begun);
    else
        for (int i = 0; i < size; i++)
            sample_one(gains_of(self, ctx, i, own), r[i] - m[i], h, from + i, to + i, size, begun);
    return SAL_SUCCEEDED;
}

static void declare_sampled(sal__block_builder *b) {
    static const char *const lists[LISTS] = {"held", "integral", "last_error", "slope"};
    for (int k = 0; k < LISTS; k++)
        sal__add_numbers(b, SAL_XD, lists[k], sal__size(b), 0);
    sal__add_numbers(b, SAL_XD, "begun", 1, 0);
    declare_ports(b, false);
    sal__add_samples(b);
}

SAL_BLOCK(
    sampled_pid,
    SAL_OPTIONS(GAIN_OPTIONS,
                SAL_OPTION(SIGNAL, "filter_time", "time constant of the derivative's pole; 0: none", .unit = "s",
                           .rules = SAL_IS_NOT_NEGATIVE),
                TRACKING_OPTION, SAL_PERIOD_OPTIONS, SAL_SIZE_OPTION),
    declare_sampled, SAL_FUNCTIONS(.update = sample),
    .doc = "Sampled PID control with filtered derivative, limits and anti-windup; the output is held between samples.",
    .law = "e = target - measured, slope = (filter_time slope + e - last e) / (filter_time + period),\n"
           "u = kp e + integral + kd slope, output = u between lower and upper,\n"
           "then integral grows by period (ki e + (output - u) / tracking_time)",
    .drake = "PidController (systems/controllers), sampled", .alias_partition = 1 + SAL_XD, .instead_of = "pid",
    .when_given = "period", .example = "saltus.blocks.pid { kp = 2, ki = 1, kd = 0.1, period = 0.001 }");
