/* Systems, diagrams and contexts: what is refused, where numbers stand, that outputs are computed once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "saltus/diagram.h"

typedef struct tally {
    int outputs, made, dropped;
} tally;

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *value) {
    tally *t = sal_system_data(self);
    t->outputs++;
    if (port == 1) { /* reads the first */
        const double *first = NULL;
        const sal_status status = sal_context_output(ctx, 0, &first);
        if (status != SAL_OK)
            return status;
        *value = *first + 1;
        return SAL_OK;
    }
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, 0, &u);
    if (status != SAL_OK)
        return status;
    *value = 2 * *u + *sal_context_get(ctx, SAL_Q);
    return SAL_OK;
}

static const sal_system_class class = {.name = "test", .output = output};

/* Abstract state: one int, counted. */
static tally *slots;

static sal_status make(const sal_system *self, int slot, void **out) {
    (void)self;
    int *value = malloc(sizeof *value);
    *value = 10 + slot;
    slots->made++;
    *out = value;
    return SAL_OK;
}

static sal_status assign(void *to, const void *from) {
    memcpy(to, from, sizeof(int));
    return SAL_OK;
}

static sal_status clone(const void *from, void **out) {
    const sal_status status = make(NULL, 0, out);
    assign(*out, from);
    return status;
}

static void drop(void *value) {
    slots->dropped++;
    free(value);
}

static const sal_slot_type integer = {.make = make, .clone = clone, .assign = assign, .drop = drop};

static sal_system *new_part(const sal_allocator *mem, tally *t, double q) {
    sal_system *sys = NULL;
    if (sal_system_new(mem, &class, "part", t, &sys) != SAL_OK)
        return NULL;
    const double discrete[] = {4, 5, 6};
    sal_status status = sal_system_add_values(sys, SAL_Q, "q", 1, &q);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_XD, "d", 3, discrete);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_V, "v", 2, NULL);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_INPUT, "u", 1, NULL);
    if (status == SAL_OK)
        status = sal_system_add_output(sys, "y", 1, NULL);
    if (status == SAL_OK)
        status = sal_system_add_output(sys, "z", 1, NULL);
    if (status == SAL_OK)
        status = sal_system_add_slot(sys, "s", &integer, NULL);
    sal_event_config event = sal_event_config_default();
    event.name = "e";
    event.kind = SAL_PUBLISH;
    if (status == SAL_OK)
        status = sal_system_add_event(sys, &event, NULL);
    if (status == SAL_OK)
        return sys;
    sal_system_free(sys);
    return NULL;
}

static void refusals(void) {
    tally t = {0};
    sal_system *sys = new_part(NULL, &t, 1);
    int port = 0;
    CHECK(sal_system_add_values(sys, SAL_V, "q", 1, NULL) == SAL_EINVAL);
    CHECK(sal_system_add_values(sys, SAL_V, "w", 0, NULL) == SAL_EINVAL);
    CHECK(sal_system_add_values(sys, SAL_PARTITIONS, "w", 1, NULL) == SAL_EINVAL);
    CHECK(sal_system_add_slot(sys, "q", &integer, NULL) == SAL_EINVAL);
    CHECK(sal_system_add_output(sys, "y", 1, NULL) == SAL_EINVAL);
    CHECK(sal_system_add_output(sys, "q", 1, &port) == SAL_OK && port == 2); /* an output may bear a state's name */
    CHECK(sal_system_set_weight(sys, SAL_Q, 1, 1, true) == SAL_EINVAL);

    sal_event_config e = sal_event_config_default();
    e.name = "periodic";
    e.trigger = SAL_ON_PERIOD;
    e.kind = SAL_PUBLISH;
    const double periods[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        e.period = periods[i];
        CHECK(sal_system_add_event(sys, &e, NULL) == SAL_EINVAL);
    }
    e.period = 1;
    e.offset = NAN;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_EINVAL);
    e.offset = 0;
    e.size = 3;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_EINVAL);
    e.size = sizeof e;
    e.name = "e";
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_EINVAL);
    e.name = "periodic";
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    e.name = "timed";
    e.trigger = SAL_ON_TIME;
    e.time_variable = 3;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_EINVAL);

    sal_context *ctx = NULL;
    slots = &t;
    CHECK(sal_context_new(NULL, sys, &ctx) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_V, "late", 1, NULL) == SAL_EINVAL); /* built */
    CHECK(sal_system_find_value(sys, SAL_XD, "d") == 0 && sal_system_find_value(sys, SAL_XD, "q") == -1);
    sal_context_free(ctx);
    sal_system_free(sys);
}

static void wiring(void) {
    tally t = {0};
    sal_system *a = new_part(NULL, &t, 1), *b = new_part(NULL, &t, 2), *d = NULL;
    CHECK(sal_diagram_new(NULL, "d", &d) == SAL_OK);
    sal_context *none = NULL;
    CHECK(sal_context_new(NULL, d, &none) == SAL_EINVAL); /* nothing in it */
    CHECK(sal_diagram_add(d, a, "a", NULL) == SAL_OK);
    CHECK(sal_diagram_add(d, b, "a", NULL) == SAL_EINVAL);
    CHECK(sal_diagram_add(d, b, "b", NULL) == SAL_OK);
    CHECK(sal_diagram_connect(d, 0, 0, 1, 1) == SAL_EINVAL);
    CHECK(sal_diagram_connect(d, 0, 2, 1, 0) == SAL_EINVAL);
    CHECK(sal_diagram_connect(d, 2, 0, 1, 0) == SAL_EINVAL);
    CHECK(sal_diagram_connect(d, 0, 1, 1, 0) == SAL_OK);
    CHECK(sal_diagram_connect(d, 0, 0, 1, 0) == SAL_EINVAL); /* taken */

    slots = &t;
    sal_context *ctx = NULL;
    CHECK(sal_context_new(NULL, d, &ctx) == SAL_OK);
    CHECK(sal_context_parts(ctx) == 2 && sal_context_part(ctx, 2) == NULL);
    const double *x = sal_context_continuous(ctx);
    CHECK(sal_context_continuous_size(ctx) == 6 && x[0] == 1 && x[1] == 2 && x[2] == 0); /* all q, then all v */
    const sal_context *second = sal_context_part_const(ctx, 1);
    CHECK(sal_context_get(second, SAL_XD)[2] == 6 && sal_context_size(second, SAL_V) == 2);

    const int asked = t.outputs; /* by the build */
    /* b.y = 2 a.z + 2, a.z = a.y + 1, a.y = 2 u + 1: each computed once per state. */
    const double *value = NULL;
    for (int i = 0; i < 3; i++)
        CHECK(sal_context_output(second, 0, &value) == SAL_OK && *value == 6);
    CHECK(t.outputs == asked + 3);
    sal_context_edit(sal_context_part(ctx, 0), SAL_INPUT)[0] = 1;
    CHECK(sal_context_output(second, 0, &value) == SAL_OK && *value == 10);
    CHECK(t.outputs == asked + 6);
    CHECK(sal_context_output(second, 2, &value) == SAL_EINVAL);
    CHECK(sal_context_input(second, 1, &value) == SAL_EINVAL);

    sal_context *copy = NULL;
    CHECK(sal_context_clone(ctx, &copy) == SAL_OK);
    void *slot = NULL;
    CHECK(sal_context_edit_slot(sal_context_part(copy, 1), 0, &slot) == SAL_OK);
    *(int *)slot = 99;
    CHECK(*(const int *)sal_context_slot(second, 0) == 10);
    CHECK(sal_context_output(sal_context_part_const(copy, 1), 0, &value) == SAL_OK && *value == 10);
    sal_context_free(ctx);
    CHECK(sal_context_get(copy, SAL_Q)[0] == 1);
    sal_context_free(copy);
    CHECK(t.made == t.dropped && t.made == 6);
    sal_system_free(d);
    sal_system_free(b);
    sal_system_free(a);
}

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
        for (int i = 0; i < 3; i++) { /* each is needed by the next: a.y, a.z, b.y, from wherever it begins */
            const sal_port from = path[i], to = path[(i + 1) % 3];
            CHECK(from.part == 1 ? to.part == 0 && to.port == 0
                                 : to.part == (from.port == 1) && to.port == !(from.port == 1));
        }
    }
    sal_system_free(d);
    sal_system_free(b);
    sal_system_free(a);
}

/* Needs that were declared too narrow: found when it is asked for, and again. */
static void hidden_loops(void) {
    tally t = {0};
    sal_system *a = new_part(NULL, &t, 1), *d = NULL;
    slots = &t;
    const int first = 0, beyond = 2;
    CHECK(sal_system_set_needs(a, 0, &beyond, 1, NULL, 0) == SAL_EINVAL);
    CHECK(sal_system_set_needs(a, 2, NULL, 0, NULL, 0) == SAL_EINVAL);
    CHECK(sal_system_set_needs(a, 0, NULL, 0, NULL, 0) == SAL_OK);
    CHECK(sal_system_set_needs(a, 1, NULL, 0, &first, 1) == SAL_OK);
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

/* Diagrams in diagrams: their parts, with their wires, under joined names. */
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

/* Each adds one to what it is fed; `deepest` is how far apart their frames stood on the C stack. */
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

/* A chain of 100,000 needs no more of the C stack than one of 20, and each rung is computed once. */
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
        CHECK(sal_context_new(NULL, d, &ctx) == SAL_OK && l.calls == 1); /* asked what it reads */
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

static void streams(void) {
    tally t = {0};
    slots = &t;
    sal_system *a = new_part(NULL, &t, 1);
    sal_context *ctx = NULL, *copy = NULL;
    CHECK(sal_context_new(NULL, a, &ctx) == SAL_OK);
    sal_context_seed(ctx, 42);
    double first[5];
    for (int i = 0; i < 5; i++)
        first[i] = sal_context_random(ctx);
    CHECK(sal_context_clone(ctx, &copy) == SAL_OK);
    CHECK(sal_context_random(copy) == sal_context_random(ctx)); /* from where it stood */
    sal_context_random(copy);
    sal_context_seed(ctx, 42);
    for (int i = 0; i < 5; i++) {
        const double again = sal_context_random(ctx);
        CHECK(again == first[i] && again > 0 && again < 1 && (i == 0 || again != first[i - 1]));
    }
    sal_context_seed(ctx, 43);
    CHECK(sal_context_random(ctx) != first[0]);
    sal_context_free(copy);
    sal_context_free(ctx);
    sal_system_free(a);
}

/* ---- memory ---- */

typedef struct purse {
    long left;
    long lent;
} purse;

static void *lend(void *user, void *block, size_t old, size_t bytes) {
    purse *p = user;
    if (bytes == 0) {
        p->lent -= (long)old;
        free(block);
        return NULL;
    }
    if (p->left-- == 0)
        return NULL;
    void *moved = realloc(block, bytes);
    p->lent += (long)bytes - (long)old;
    return moved;
}

static void every_allocation_fails_once(void) {
    for (long k = 0;; k++) {
        tally t = {0};
        slots = &t;
        purse p = {k, 0};
        const sal_allocator mem = {lend, &p};
        sal_system *a = new_part(&mem, &t, 1), *d = NULL, *whole = NULL;
        sal_context *ctx = NULL, *copy = NULL;
        sal_status status = a ? sal_diagram_new(&mem, "d", &d) : SAL_ENOMEM;
        if (status == SAL_OK)
            status = sal_diagram_new(&mem, "whole", &whole);
        if (status == SAL_OK)
            status = sal_diagram_add(d, a, "a", NULL);
        if (status == SAL_OK)
            status = sal_diagram_add(d, a, "b", NULL);
        if (status == SAL_OK)
            status = sal_diagram_connect(d, 0, 1, 1, 0);
        if (status == SAL_OK)
            status = sal_diagram_add(whole, d, "d", NULL);
        if (whole && status != SAL_OK)
            CHECK(sal_diagram_parts(whole) == 0 && sal_diagram_find_part(whole, "d.a") == -1);
        if (status == SAL_OK)
            status = sal_context_new(&mem, whole, &ctx);
        if (status == SAL_OK)
            status = sal_context_clone(ctx, &copy);
        sal_context_free(copy);
        sal_context_free(ctx);
        sal_system_free(whole);
        sal_system_free(d);
        sal_system_free(a);
        CHECK(p.lent == 0 && t.made == t.dropped);
        if (p.left >= 0) {
            CHECK(status == SAL_OK && k > 20);
            return;
        }
        CHECK(status == SAL_ENOMEM);
    }
}

/* A declaration that fails for want of memory has declared nothing: it can be tried again. */
static void failed_declarations_leave_nothing(void) {
    for (long k = 0; k < 40; k++) {
        purse p = {1000, 0};
        const sal_allocator mem = {lend, &p};
        sal_system *sys = NULL;
        const double defaults[] = {1, 2, 3, 4, 5, 6};
        CHECK(sal_system_new(&mem, &class, "s", NULL, &sys) == SAL_OK);
        p.left = k;
        const sal_status status = sal_system_add_values(sys, SAL_Q, "q", 6, defaults);
        p.left = 1000;
        if (status != SAL_OK)
            CHECK(sal_system_add_values(sys, SAL_Q, "q", 6, defaults) == SAL_OK);
        CHECK(sal_system_find_value(sys, SAL_Q, "q") == 0);
        CHECK(sal_system_add_values(sys, SAL_Q, "r", 1, NULL) == SAL_OK && sal_system_find_value(sys, SAL_Q, "r") == 6);
        sal_system_free(sys);
        CHECK(p.lent == 0);
    }
}

/* A periodic discrete update, or a publish, which has no say. */
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
    refusals();
    wiring();
    loops();
    hidden_loops();
    inputs_without_value();
    long_chains();
    nesting();
    streams();
    every_allocation_fails_once();
    failed_declarations_leave_nothing();
    return check_summary();
}
