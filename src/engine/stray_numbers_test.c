/* A model whose derivatives write or read numbers that it does not have, or whose handlers write those of others: the
 * first evaluations and handlers are watched, and the report says what was written. Nothing else is told. */
#include <math.h>
#include <string.h>

#include "base/test_check.h"
#include "saltus/saltus.h"

/* ---- an arm with two q, two v and three z, one of two parts or alone ---- */

typedef struct stray {
    int q, v, z; /* also written, where it is not 0 */
    int read;    /* of z */
    double from; /* the time */
} stray;

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const stray *s = sal_system_data(self);
    const double *v = sal_context_get(ctx, SAL_V), *z = sal_context_get(ctx, SAL_Z);
    const bool strays = sal_context_time(ctx) >= s->from;
    for (int i = 0; i < 2; i++)
        dot->q[i] = v[i], dot->v[i] = -1;
    for (int i = 0; i < 3; i++)
        dot->z[i] = -z[strays && i == 2 ? s->read : i];
    if (strays && s->q)
        dot->q[s->q] = 1;
    if (strays && s->v)
        dot->v[s->v] = 1;
    if (strays && s->z)
        dot->z[s->z] = 1;
    return SAL_OK;
}

static const sal_system_class class = {.name = "arm", .derivatives = rates};

static sal_system *arm(stray *s) {
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &class, "arm", s, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Q, "angle", 2, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_V, "speed", 2, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Z, "heat", 3, (double[]){1, 2, 3}) == SAL_OK);
    return sys;
}

typedef struct stage {
    sal_system *left, *right, *both;
    sal_simulator *sim;
} stage;

static const stray none = {.read = 2};

/* The arm that strays is the first of two, or alone. */
static stage begin(stray *s, bool is_alone) {
    stage made = {.left = arm(s), .right = arm((stray *)(uintptr_t)&none)};
    CHECK(sal_diagram_new(NULL, "both", &made.both) == SAL_OK);
    CHECK(sal_diagram_add(made.both, made.left, "left", NULL) == SAL_OK);
    CHECK(sal_diagram_add(made.both, made.right, "right", NULL) == SAL_OK);
    CHECK(sal_simulator_new(NULL, is_alone ? made.left : made.both, NULL, NULL, &made.sim) == SAL_OK);
    return made;
}

static void end(stage *made) {
    sal_simulator_free(made->sim);
    sal_system_free(made->both);
    sal_system_free(made->left);
    sal_system_free(made->right);
}

static void says(stray s, bool is_alone, const char *words) {
    char text[400];
    sal_report report;
    stage made = begin(&s, is_alone);
    CHECK(sal_simulator_advance_to(made.sim, 1, &report) == SAL_EINVAL);
    CHECK(report.reason == SAL_AT_FAILURE && report.time == s.from);
    sal_report_text(made.sim, &report, text, sizeof text);
    if (!strstr(text, words))
        printf("%s\n", text);
    CHECK(strstr(text, words) != NULL);
    CHECK(sal_simulator_advance_to(made.sim, 1, &report) == SAL_EINVAL); /* again, as long as it does */
    s = none;
    CHECK(sal_simulator_advance_to(made.sim, 1, &report) == SAL_OK);
    const sal_context *left = sal_context_part_const(sal_simulator_context(made.sim), 0);
    CHECK_NEAR(sal_context_get(left, SAL_Z)[2], 3 * exp(-1), 1e-5);
    end(&made);
}

static void writes_are_named(void) {
    for (int alone = 0; alone < 2; alone++) {
        const char *const place = alone ? "(in arm at t = 0)" : "(in left at t = 0)";
        says((stray){.read = 2, .z = 7}, alone, "its derivatives write z[7], and it has z[0] to z[2]");
        says((stray){.read = 2, .q = 2}, alone, "its derivatives write q[2], and it has q[0] to q[1]");
        says((stray){.read = 2, .v = 4}, alone, place);
        says((stray){.read = 2, .z = 3}, alone, "its derivatives write z[3]");
        says((stray){.read = 2, .q = -1}, alone, "its derivatives write q[-1], and it has q[0] to q[1]");
    }
}

static void reads_behind_the_last_state_are_named(void) {
    says((stray){.read = 7}, true, "its derivatives read a state behind its last one");
    says((stray){.read = 3}, true, "(in arm at t = 0)");
}

/* ---- handlers: two counters with a parameter each ---- */

typedef struct slip {
    sal_partition partition;
    int part, index; /* 0: none */
} slip;

static sal_outcome count_up(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                            sal_note *note) {
    const slip *s = sal_system_data(self);
    (void)event, (void)note;
    sal_context_edit(next, SAL_XD)[0] += sal_context_random(next) > 2 ? 0 : 1;
    if (s->index != 0 && s->part == sal_context_part_index(ctx))
        sal_context_edit(next, s->partition)[s->index] = 77;
    return SAL_SUCCEEDED;
}

static const sal_system_class counter_class = {.name = "counter", .update = count_up};

static sal_system *counter(slip *s, sal_kind kind) {
    sal_system *sys = NULL;
    sal_event_config e = sal_event_config_default();
    CHECK(sal_system_new(NULL, &counter_class, "counter", s, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "count", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_PARAM, "rate", 1, (double[]){3}) == SAL_OK);
    e.name = "tick", e.trigger = SAL_ON_PERIOD, e.period = 1, e.offset = 1, e.kind = kind;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    return sys;
}

static double read_number(sal_simulator *sim, const char *path) {
    double value = NAN;
    CHECK(sal_simulator_value(sim, path, &value) == SAL_OK);
    return value;
}

/* The event fails, nothing was written, and the run continues once the handler is right. */
static void handler_says(slip s, sal_kind kind, const char *words) {
    slip now = s;
    sal_system *one = counter(&now, kind), *both = NULL;
    sal_simulator *sim = NULL;
    sal_report report;
    char text[400];
    CHECK(sal_diagram_new(NULL, "both", &both) == SAL_OK);
    CHECK(sal_diagram_add(both, one, "left", NULL) == SAL_OK && sal_diagram_add(both, one, "right", NULL) == SAL_OK);
    CHECK(sal_simulator_new(NULL, both, NULL, NULL, &sim) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, 5, &report) == SAL_EHANDLER && report.time == 1);
    sal_report_text(sim, &report, text, sizeof text);
    if (!strstr(text, words))
        printf("%s\n", text);
    CHECK(strstr(text, words) != NULL && strstr(text, s.part == 0 ? "(in tick of left" : "(in tick of right"));
    now.index = 0;
    CHECK(sal_simulator_advance_to(sim, 5.5, &report) == SAL_OK);
    CHECK(read_number(sim, "left.count") == 5 && read_number(sim, "right.count") == 5);
    CHECK(read_number(sim, "left.rate") == 3 && read_number(sim, "right.rate") == 3);
    CHECK(sal_context_random_count(sal_simulator_context(sim)) == 10);
    sal_simulator_free(sim);
    sal_system_free(both);
    sal_system_free(one);
}

static void writes_of_handlers_are_named(void) {
    handler_says((slip){SAL_XD, 0, 1}, SAL_DISCRETE, "the handler writes behind the discrete values of \"left\"");
    handler_says((slip){SAL_XD, 0, 2}, SAL_DISCRETE, "the handler writes \"count\" of \"right\", by an index");
    handler_says((slip){SAL_XD, 1, -2}, SAL_DISCRETE, "the handler writes \"count\" of \"left\", by an index");
    handler_says((slip){SAL_XD, 1, -1}, SAL_DISCRETE, "the handler writes what is not its own, by an index");
    handler_says((slip){SAL_XD, 1, 2}, SAL_DISCRETE, "the handler writes \"rate\" of \"left\", by an index");
    handler_says((slip){SAL_PARAM, 0, 1}, SAL_UNRESTRICTED, "the handler writes \"rate\" of \"right\", by an index");
    handler_says((slip){SAL_XD, 1, 1}, SAL_UNRESTRICTED, "the handler writes behind the discrete values of \"right\"");
}

/* A run is the same to the bit whether its first evaluations look for it or are those of a continued run. */
static void nothing_else_changes(void) {
    stray s = none;
    stage one = begin(&s, false), other = begin(&s, false);
    CHECK(sal_simulator_advance_to(other.sim, 3, NULL) == SAL_OK);
    CHECK(sal_simulator_copy(other.sim, one.sim) == SAL_OK);
    CHECK(sal_simulator_advance_to(one.sim, 2, NULL) == SAL_OK &&
          sal_simulator_advance_to(other.sim, 2, NULL) == SAL_OK);
    CHECK(sal_simulator_hash(one.sim) == sal_simulator_hash(other.sim));
    end(&one);
    end(&other);
}

int main(void) {
    writes_are_named();
    reads_behind_the_last_state_are_named();
    writes_of_handlers_are_named();
    nothing_else_changes();
    return check_summary();
}
