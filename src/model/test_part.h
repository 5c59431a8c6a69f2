/* A part for the tests of the model: y = 2 u + q, z = y + 1, three discrete values, two velocities, a slot, an
 * event. */
#ifndef SAL_TEST_PART_H
#define SAL_TEST_PART_H

#include <stdlib.h>
#include <string.h>

#include "base/test_check.h"
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

/* Abstract state: one int; instances are counted. */
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
    event.trigger = SAL_ON_DEMAND;
    event.kind = SAL_PUBLISH;
    if (status == SAL_OK)
        status = sal_system_add_event(sys, &event, NULL);
    if (status == SAL_OK)
        return sys;
    sal_system_free(sys);
    return NULL;
}

#endif
