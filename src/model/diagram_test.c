/* Diagrams: loops, chains of any length, inputs without value, diagrams in diagrams, one period for all. */
#include <math.h>

#include "test_part.h"

/* y = 2 u + q, z = y + 1 in two parts: a.z feeds b.u, b.y feeds a.u. */
static void loops(void) {
    tally t = {0};
    sal_system *a = new_part(NULL, &t, 1), *b = new_part(NULL, &t, 1), *d = NULL;
    slots = &t;
    sal_context *ctx = NULL;
    CHECK(sal_diagram_new(NULL, "d", &d) == SAL_OK && sal_diagram_add(d, a, "a", NULL) == SAL_OK);
    CHECK(sal_diagram_add(d, b, "b", NULL) == SAL_OK);
    CHECK(sal_diagram_connect(d, 0, 1, 1, 0) == SAL_OK && sal_diagram_connect(d, 1, 0, 0, 0) == SAL_OK);
    sal_port path[4];
    CHECK(sal_diagram_loop(d, path, 4) == 0);
    for (int twice = 0; twice < 2; twice++) { /* nothing is left half done */
        CHECK(sal_context_new(NULL, d, &ctx) == SAL_ELOOP && !ctx);
        CHECK(sal_diagram_loop(d, path, 4) == 3);
        for (int i = 0; i < 3; i++) { /* each depends on the next: a.y, a.z, b.y, wherever the search begins */
            const sal_port from = path[i], to = path[(i + 1) % 3];
            CHECK(from.part == 1 ? to.part == 0 && to.port == 0
                                 : to.part == (from.port == 1) && to.port == !(from.port == 1));
        }
    }
    sal_system_free(d);
    sal_system_free(b);
    sal_system_free(a);
}

/* Declared dependencies that are incomplete: the loop is found when an output is read, each time. */
static void hidden_loops(void) {
    tally t = {0};
    sal_system *a = new_part(NULL, &t, 1), *d = NULL;
    slots = &t;
    const int first = 0, beyond = 2;
    CHECK(sal_system_set_dependencies(a, 0, &beyond, 1, NULL, 0) == SAL_EINVAL);
    CHECK(sal_system_set_dependencies(a, 2, NULL, 0, NULL, 0) == SAL_EINVAL);
    CHECK(sal_system_set_dependencies(a, 0, NULL, 0, NULL, 0) == SAL_OK);
    CHECK(sal_system_set_dependencies(a, 1, NULL, 0, &first, 1) == SAL_OK);
    sal_context *ctx = NULL;
    const double *value = NULL;
    CHECK(sal_diagram_new(NULL, "d", &d) == SAL_OK && sal_diagram_add(d, a, "a", NULL) == SAL_OK);
    CHECK(sal_diagram_connect(d, 0, 1, 0, 0) == SAL_OK);
    CHECK(sal_context_new(NULL, d, &ctx) == SAL_OK && t.outputs == 0);
    CHECK(sal_context_output(ctx, 0, &value) == SAL_ELOOP);
    CHECK(sal_context_output(ctx, 0, &value) == SAL_ELOOP);
    sal_context_free(ctx);
    sal_system_free(d);
    sal_system_free(a);
}

static void inputs_without_value(void) {
    tally t = {0};
    sal_system *sys = NULL;
    const double none = sal_no_value();
    const double *value = NULL;
    sal_context *ctx = NULL;
    CHECK(isnan(none) && sal_system_new(NULL, &class, "s", &t, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_INPUT, "u", 1, &none) == SAL_OK);
    CHECK(sal_context_new(NULL, sys, &ctx) == SAL_OK);
    CHECK(sal_context_input(ctx, 0, &value) == SAL_EINPUT && !value);
    CHECK(sal_context_input(ctx, 1, &value) == SAL_EINVAL);
    sal_context_edit(ctx, SAL_INPUT)[0] = NAN; /* another NaN is a value */
    CHECK(sal_context_input(ctx, 0, &value) == SAL_OK && isnan(*value));
    sal_context_free(ctx);
    sal_system_free(sys);
}

/* Diagrams in diagrams: parts and wires are added under joined names. */
static void nesting(void) {
    tally t = {0};
    slots = &t;
    sal_system *a = new_part(NULL, &t, 1), *inner = NULL, *middle = NULL, *d = NULL;
    int at = -1;
    CHECK(sal_diagram_new(NULL, "inner", &inner) == SAL_OK && sal_diagram_new(NULL, "middle", &middle) == SAL_OK);
    CHECK(sal_diagram_new(NULL, "d", &d) == SAL_OK);
    CHECK(sal_diagram_add(d, inner, "empty", NULL) == SAL_EINVAL && sal_diagram_add(d, d, "self", NULL) == SAL_EINVAL);
    CHECK(sal_diagram_add(inner, a, "x", NULL) == SAL_OK && sal_diagram_add(inner, a, "y", NULL) == SAL_OK);
    CHECK(sal_diagram_connect(inner, 0, 1, 1, 0) == SAL_OK);
    CHECK(sal_diagram_add(middle, a, "first", NULL) == SAL_OK);
    CHECK(sal_diagram_add(middle, inner, "in", &at) == SAL_OK && at == 1);
    CHECK(sal_diagram_add(d, middle, "left", &at) == SAL_OK && at == 0);
    CHECK(sal_diagram_add(d, middle, "right", &at) == SAL_OK && at == 3);
    CHECK(sal_diagram_add(d, middle, "right", &at) == SAL_EINVAL && sal_diagram_parts(d) == 6);
    CHECK(sal_diagram_find_part(d, "right.in.y") == 5 && sal_diagram_find_part(d, "right.in") == -1);
    CHECK(strcmp(sal_diagram_part_name(d, 2), "left.in.y") == 0);
    const int x = sal_diagram_find_part(d, "left.in.x"), y = sal_diagram_find_part(d, "left.in.y");
    CHECK(sal_diagram_connect(d, 0, 0, y, 0) == SAL_EINVAL); /* fed inside */
    CHECK(sal_diagram_connect(d, 0, 0, x, 0) == SAL_OK);
    sal_context *ctx = NULL;
    CHECK(sal_context_new(NULL, d, &ctx) == SAL_OK && sal_context_parts(ctx) == 6);
    const double *value = NULL; /* first.y = 1, x.z = (2 + 1) + 1, y.y = 2 * 4 + 1 */
    CHECK(sal_context_output(sal_context_part_const(ctx, y), 0, &value) == SAL_OK && *value == 9);
    CHECK(sal_context_output(sal_context_part_const(ctx, 5), 0, &value) == SAL_OK && *value == 5); /* x.z = 2 */
    sal_context_free(ctx);
    sal_system_free(d);
    sal_system_free(middle);
    sal_system_free(inner);
    sal_system_free(a);
}

/* Each adds one to its input; `deepest` is the largest distance between their frames on the C stack. */
typedef struct ladder {
    const char *top;
    long deepest, calls;
} ladder;

static sal_status add_one(const sal_system *self, const sal_context *ctx, int port, double *value) {
    ladder *l = sal_system_data(self);
    const char here = 0;
    const long depth = (long)labs((long)(l->top - &here));
    l->deepest = depth > l->deepest ? depth : l->deepest;
    l->calls++;
    (void)port;
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, 0, &u);
    if (status == SAL_OK)
        *value = *u + 1;
    return status;
}

static const sal_system_class rung = {.name = "rung", .output = add_one};

/* A chain of 100,000 needs no more C stack than one of 20, and each output is computed once. */
static void long_chains(void) {
    const char here = 0;
    ladder l = {&here, 0, 0};
    long deepest[2];
    const int length[2] = {20, 100000};
    for (int k = 0; k < 2; k++) {
        sal_system *one = NULL, *d = NULL;
        sal_context *ctx = NULL;
        CHECK(sal_system_new(NULL, &rung, "rung", &l, &one) == SAL_OK);
        CHECK(sal_system_add_values(one, SAL_INPUT, "u", 1, NULL) == SAL_OK);
        CHECK(sal_system_add_output(one, "y", 1, NULL) == SAL_OK);
        CHECK(sal_diagram_new(NULL, "d", &d) == SAL_OK);
        for (int i = 0; i < length[k]; i++) {
            const char name[] = {'n',
                                 (char)('a' + i % 26),
                                 (char)('a' + i / 26 % 26),
                                 (char)('a' + i / 676 % 26),
                                 (char)('a' + i / 17576),
                                 0};
            CHECK(sal_diagram_add(d, one, name, NULL) == SAL_OK);
            CHECK(i == 0 || sal_diagram_connect(d, i - 1, 0, i, 0) == SAL_OK);
        }
        CHECK(sal_context_new(NULL, d, &ctx) == SAL_OK && l.calls == 1); /* computed once, to find its dependencies */
        l = (ladder){&here, 0, 0};
        const double *value = NULL;
        for (int again = 0; again < 2; again++)
            CHECK(sal_context_output(sal_context_part_const(ctx, length[k] - 1), 0, &value) == SAL_OK &&
                  *value == length[k]);
        CHECK(l.calls == length[k]);
        deepest[k] = l.deepest;
        l = (ladder){&here, 0, 0};
        sal_context_free(ctx);
        sal_system_free(d);
        sal_system_free(one);
    }
    CHECK(deepest[1] == deepest[0]);
}

/* A periodic discrete update, or a publish, which does not count. */
static sal_system *new_clock(double period, double offset, sal_kind kind) {
    sal_system *sys = NULL;
    sal_event_config e = sal_event_config_default();
    e.name = "tick";
    e.trigger = SAL_ON_PERIOD;
    e.kind = kind;
    e.period = period;
    e.offset = offset;
    CHECK(sal_system_new(NULL, &class, "clock", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    return sys;
}

static void samplings(void) {
    sal_system *clock[4] = {new_clock(1, 0.5, SAL_DISCRETE), new_clock(2, 0, SAL_PUBLISH),
                            new_clock(1, 0.5, SAL_DISCRETE), new_clock(1, 0, SAL_DISCRETE)};
    sal_system *d = NULL;
    sal_sampling s;
    CHECK(sal_system_sampling(clock[1], &s) == SAL_EINVAL && s.first.part == -1);
    CHECK(sal_diagram_new(NULL, "d", &d) == SAL_OK);
    const char *const name[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++) {
        CHECK(sal_diagram_add(d, clock[i], name[i], NULL) == SAL_OK);
        const bool one = sal_system_sampling(d, &s) == SAL_OK;
        CHECK(one == (i < 3) && s.period == 1 && s.offset == 0.5 && s.first.part == 0 && s.first.event == 0);
        CHECK(s.other.part == (i < 3 ? -1 : 3));
    }
    sal_system_free(d);
    for (int i = 0; i < 4; i++)
        sal_system_free(clock[i]);
}

int main(void) {
    samplings();
    loops();
    hidden_loops();
    inputs_without_value();
    long_chains();
    nesting();
    return check_summary();
}
