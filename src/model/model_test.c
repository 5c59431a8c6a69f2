/* Systems, diagrams and contexts: what is refused, how numbers are laid out, that outputs are computed once. */
#include <math.h>
#include <string.h>

#include "base/test_check.h"
#include "base/test_allocator.h"
#include "model.h"
#include "test_part.h"

static uint64_t hash_nothing(const void *value, uint64_t seed) {
    (void)value;
    return seed;
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
    CHECK(sal_system_add_output(sys, "q", 1, &port) == SAL_OK && port == 2); /* an output may have a state's name */
    CHECK(sal_system_set_weight(sys, SAL_Q, 1, 1, true) == SAL_EINVAL);
    CHECK(sal_system_set_weight(sys, SAL_Q, 0, NAN, false) == SAL_EINVAL);
    sal_slot_type cut = integer;
    cut.drop = NULL;
    CHECK(sal_system_add_slot(sys, "cut", &cut, NULL) == SAL_EINVAL);
    cut = integer;
    cut.hash = hash_nothing; /* one of four */
    CHECK(sal_system_add_slot(sys, "cut", &cut, NULL) == SAL_EINVAL);
    sal_system *none = NULL;
    CHECK(sal_system_new(NULL, NULL, "no class", NULL, &none) == SAL_EINVAL && !none);
    CHECK(sal_system_new(NULL, sys->behaviour, "clear\033[2J", NULL, &none) == SAL_EINVAL && !none);
    CHECK(sal_system_add_values(sys, SAL_V, "line\n", 1, NULL) == SAL_EINVAL);
    CHECK(sal_system_add_output(sys, "delete\177", 1, NULL) == SAL_EINVAL);
    CHECK(sal_system_add_slot(sys, "bell\a", &integer, NULL) == SAL_EINVAL);
    CHECK(sal_system_add_values(sys, SAL_V, "w", SAL_MAX_NUMBERS + 1, NULL) == SAL_EINVAL);
    CHECK(sal_system_add_output(sys, "w", SAL_MAX_NUMBERS + 1, NULL) == SAL_EINVAL);

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
    e.name = "back\b";
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

/* Two inputs of which the first is wide, so that ports and elements are told apart. */
static void names_and_numbers(void) {
    const sal_system_class nothing = {.name = "nothing"};
    sal_system *sys = NULL, *d = NULL;
    CHECK(sal_system_new(NULL, &nothing, "nothing", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_INPUT, "wide", 3, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_PARAM, "k", 2, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_INPUT, "late", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_output(sys, "k", 2, NULL) == SAL_OK);
    CHECK(sal_system_find_value(sys, SAL_INPUT, "late") == 3 && sal_system_find_input(sys, "late") == 1);
    CHECK(sal_system_find_input(sys, "k") == -1 && sal_system_find_input(sys, NULL) == -1);
    CHECK(sal_system_find_value(sys, SAL_INPUT, NULL) == -1 && sal_system_find_output(sys, NULL) == -1);
    CHECK(sal_system_find_event(sys, NULL) == -1);

    sal_declared told = {0};
    CHECK(sal_system_value_at(sys, SAL_INPUT, 1, &told) && strcmp(told.name, "late") == 0);
    CHECK(told.at == 3 && told.size == 1);
    CHECK(sal_system_value_at(sys, SAL_PARAM, 0, &told) && told.at == 0 && told.size == 2);
    CHECK(!sal_system_value_at(sys, SAL_PARAM, 1, &told) && !sal_system_value_at(sys, SAL_INPUT, -1, &told));
    CHECK(sal_system_output_at(sys, 0, &told) && strcmp(told.name, "k") == 0 && told.size == 2);
    CHECK(!sal_system_output_at(sys, 1, &told) && !sal_system_output_at(sys, -1, &told));

    CHECK(sal_diagram_new(NULL, "d", &d) == SAL_OK && sal_diagram_add(d, sys, "part", NULL) == SAL_OK);
    CHECK(sal_diagram_part(d, 0) == sys && !sal_diagram_part(d, 1) && !sal_diagram_part(d, -1));
    CHECK(sal_diagram_part(sys, 0) == sys && !sal_diagram_part(sys, 1));
    sal_system_free(d);
    sal_system_free(sys);
}

static void wiring(void) {
    tally t = {0};
    sal_system *a = new_part(NULL, &t, 1), *b = new_part(NULL, &t, 2), *d = NULL;
    CHECK(sal_diagram_new(NULL, "d", &d) == SAL_OK);
    sal_context *none = NULL;
    CHECK(sal_context_new(NULL, d, &none) == SAL_EINVAL); /* nothing is declared */
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

static void streams(void) {
    tally t = {0};
    slots = &t;
    sal_system *a = new_part(NULL, &t, 1);
    sal_context *ctx = NULL, *copy = NULL;
    CHECK(sal_context_new(NULL, a, &ctx) == SAL_OK);
    sal_context_seed(ctx, 42);
    CHECK(sal_context_random_count(ctx) == 0);
    double first[5];
    for (int i = 0; i < 5; i++)
        first[i] = sal_context_random(ctx);
    CHECK(sal_context_random_count(ctx) == 5);
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

static void every_allocation_fails_once(void) {
    for (long k = 0;; k++) {
        tally t = {0};
        slots = &t;
        test_allocator p = {.requests_left = k};
        const sal_allocator mem = {test_allocate, &p};
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
        CHECK(p.bytes_lent == 0 && t.made == t.dropped);
        if (p.requests_left >= 0) {
            CHECK(status == SAL_OK && k > 20);
            return;
        }
        CHECK(status == SAL_ENOMEM);
    }
}

/* A declaration that fails for lack of memory declares nothing: it can be tried again. */
static void failed_declarations_leave_nothing(void) {
    for (long k = 0; k < 40; k++) {
        test_allocator p = {.requests_left = -1};
        const sal_allocator mem = {test_allocate, &p};
        sal_system *sys = NULL;
        const double defaults[] = {1, 2, 3, 4, 5, 6};
        CHECK(sal_system_new(&mem, &class, "s", NULL, &sys) == SAL_OK);
        p.requests_left = k;
        const sal_status status = sal_system_add_values(sys, SAL_Q, "q", 6, defaults);
        p.requests_left = -1;
        if (status != SAL_OK)
            CHECK(sal_system_add_values(sys, SAL_Q, "q", 6, defaults) == SAL_OK);
        CHECK(sal_system_find_value(sys, SAL_Q, "q") == 0);
        CHECK(sal_system_add_values(sys, SAL_Q, "r", 1, NULL) == SAL_OK && sal_system_find_value(sys, SAL_Q, "r") == 6);
        sal_system_free(sys);
        CHECK(p.bytes_lent == 0);
    }
}

static sal_status copy_input(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, 0, &u);
    (void)self, (void)port;
    if (status == SAL_OK)
        *y = *u;
    return status;
}

/* An output that is an alias is read in place, in the context or in an integrator's stage. */
static void shown_outputs_are_read_where_they_stand(void) {
    static const sal_system_class holder = {.name = "holder"}, reader = {.name = "reader", .output = copy_input};
    static const sal_partition partition[] = {SAL_Q, SAL_V, SAL_Z, SAL_XD, SAL_PARAM};
    sal_system *sys = NULL, *follower = NULL, *d = NULL;
    const double two[] = {1, 2};
    CHECK(sal_system_new(NULL, &holder, "holder", NULL, &sys) == SAL_OK);
    CHECK(sal_system_new(NULL, &reader, "reader", NULL, &follower) == SAL_OK);
    for (int k = 0; k < 5; k++) {
        const char name[] = {(char)('a' + k), 0};
        CHECK(sal_system_add_output(sys, name, 1, NULL) == SAL_OK);
        CHECK(sal_system_alias_output(sys, k, partition[k], 1) == SAL_EINVAL); /* nothing is there yet */
        CHECK(sal_system_add_values(sys, partition[k], name, 2, two) == SAL_OK);
        CHECK(sal_system_alias_output(sys, k, partition[k], 2) == SAL_EINVAL);
        CHECK(sal_system_alias_output(sys, k, partition[k], 1) == SAL_OK);
    }
    CHECK(sal_system_alias_output(sys, 0, SAL_INPUT, 0) == SAL_EINVAL &&
          sal_system_alias_output(sys, 5, SAL_Q, 0) == SAL_EINVAL);
    CHECK(sal_system_add_values(follower, SAL_INPUT, "u", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_output(follower, "y", 1, NULL) == SAL_OK);

    CHECK(sal_diagram_new(NULL, "d", &d) == SAL_OK && sal_diagram_add(d, sys, "holder", NULL) == SAL_OK);
    for (int k = 0; k < 5; k++) {
        const char name[] = {(char)('a' + k), 0};
        CHECK(sal_diagram_add(d, follower, name, NULL) == SAL_OK && sal_diagram_connect(d, 0, k, 1 + k, 0) == SAL_OK);
    }
    sal_context *ctx = NULL;
    CHECK(sal_context_new(NULL, d, &ctx) == SAL_OK);
    const double stage[] = {10, 11, 12, 13, 14, 15};
    for (int k = 0; k < 5; k++) {
        const double *y = NULL, *shown = NULL;
        sal_context_edit(ctx, partition[k])[1] = 5 + k;
        CHECK(sal_context_output(sal_context_part(ctx, 1 + k), 0, &y) == SAL_OK && *y == 5 + k);
        CHECK(sal_context_output(ctx, k, &shown) == SAL_OK && shown == sal_context_get(ctx, partition[k]) + 1);
        sal__context_data_look(ctx->data, 0, stage);
        CHECK(sal_context_output(sal_context_part(ctx, 1 + k), 0, &y) == SAL_OK && *y == (k < 3 ? 11 + 2 * k : 5 + k));
        sal__context_data_look(ctx->data, 0, NULL);
    }
    sal_context_free(ctx);
    sal_system_free(d);
    sal_system_free(follower);
    sal_system_free(sys);
}

int main(void) {
    refusals();
    names_and_numbers();
    wiring();
    shown_outputs_are_read_where_they_stand();
    streams();
    every_allocation_fails_once();
    failed_declarations_leave_nothing();
    return check_summary();
}
