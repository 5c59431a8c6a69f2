/* Equal runs have equal saves, byte for byte, whatever was in their memory before: every byte of a save was written.
 * All models, with every method. */
#include "base/test_allocator.h"
#include "base/test_check.h"
#include "../spec/support/models.h"

enum { RUNS = 2, POINTS = 10 };

/* Both go the same way: whole steps and cut ones, events from outside, fed inputs, an edit. */
static void advance(sal_simulator *sim, int i) {
    const double time = 0.1 * i + 0.03 * (i % 3), hand[] = {0.1 * i, 1};
    sal_simulator_schedule(sim, 0, 4, time - 0.02, NULL);
    if (i % 2)
        sal_simulator_feed(sim, 0, 0, time + 0.2, hand);
    if (i % 4 == 3 && sal_context_size(sal_simulator_context(sim), SAL_V) > 0)
        *sal_context_edit(sal_simulator_context(sim), SAL_V) *= 0.5;
    if (i % 3)
        sal_simulator_advance_to(sim, time, NULL);
    else
        sal_simulator_step(sim, time, NULL);
}

static bool are_equal(sal_simulator *const *sim) {
    const size_t size = sal_simulator_save_size(sim[0]);
    unsigned char *const bytes = malloc(2 * size);
    bool equal = sal_simulator_save_size(sim[1]) == size;
    for (int r = 0; r < RUNS && equal; r++)
        equal = sal_simulator_save(sim[r], bytes + (size_t)r * size, size) == SAL_OK;
    equal = equal && memcmp(bytes, bytes + size, size) == 0;
    free(bytes);
    return equal;
}

static void compare(const model *m, sal_system *sys, const char *method) {
    filling_allocator lent[RUNS] = {{{.requests_left = -1}, 0x55}, {{.requests_left = -1}, 0xAA}};
    model with = *m;
    sal_simulator *sim[RUNS] = {0};
    bool equal = true;
    with.method = method;
    for (int r = 0; r < RUNS; r++) {
        const sal_allocator mem = {test_allocate_filled, &lent[r]};
        if (make_simulator(&mem, &with, sys, &sim[r]) != SAL_OK)
            break; /* the method cannot do it */
    }
    for (int i = 0; i < POINTS && equal && sim[1]; i++) {
        for (int r = 0; r < RUNS && i > 0; r++)
            advance(sim[r], i);
        equal = are_equal(sim);
        CHECK(equal);
        if (!equal)
            printf("%s with %s, point %d\n", m->name, method, i);
    }
    for (int r = 0; r < RUNS; r++)
        sal_simulator_free(sim[r]);
}

/* Diagrams refer to their parts, which live as long as the process. */
static sal_system *made[MODELS];

int main(void) {
    for (int i = 0; i < MODELS; i++) {
        const sal_method *method;
        made[i] = models[i].make();
        for (int k = 0; (method = sal_method_at(k)); k++)
            compare(&models[i], made[i], sal_method_name(method));
    }
    for (int i = 0; i < MODELS; i++)
        CHECK(sal_diagram_parts(made[i]) > 0);
    return check_summary();
}
