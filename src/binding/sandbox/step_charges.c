/* Charges the steps of a run to the budget of its Lua state: blocks and programs advance without Lua, so no hook sees
 * them. */
#include "binding/binding.h"

/* In units of the budget: a step, and so many operations on numbers, are as dear as that. */
enum { STEP = 16, OPERATIONS = 8 };

/* Small systems pay for so many steps at once. */
enum { SMALL = 64, STEPS = 32 };

static int64_t since(int64_t now, int64_t *before) {
    const int64_t more = now > *before ? now - *before : 0; /* fewer: the statistics were cleared */
    *before = now;
    return more;
}

/* What was computed since the last call. A factorization of n rows takes about n^3 / 3 multiplications; those of a band
 * take fewer, and pay for more. */
int64_t l_price_of_operations(l_step_charges *c, const sal_integrator *in) {
    const int64_t n = sal_integrator_size(in);
    const int64_t evaluations = since(sal_integrator_statistics(in)->derivative_evaluations, &c->evaluations);
    const int64_t factorizations =
        since(sal_integrator_implicit_statistics(in).total.factorizations, &c->factorizations);
    const double operations =
        (double)evaluations * (double)n + (double)factorizations * (double)n * (double)n * (double)n / 3;
    return operations < 1e15 ? (int64_t)operations / OPERATIONS : (int64_t)1e15;
}

static int64_t price(l_step_charges *c, const sal_integrator *in) {
    return STEP * (sal_integrator_size(in) > SMALL ? 1 : STEPS) + l_price_of_operations(c, in);
}

static sal_status on_step(void *user, sal_simulator *sim, sal_observation observation, int part, int event) {
    l_simulator *self = user;
    (void)part;
    (void)event;
    if (observation != SAL_OBSERVE_STEP || --self->charges.steps_left > 0)
        return SAL_OK;
    self->charges.steps_left = sal_integrator_size(sal_simulator_integrator(sim)) > SMALL ? 1 : STEPS;
    l_spend(self->limits, price(&self->charges, sal_simulator_integrator(sim)));
    if (!l_is_spent(self->limits))
        return SAL_OK;
    if (!self->frame.L || !lua_checkstack(self->frame.L, 20))
        return SAL_ENOMEM;
    lua_pushcfunction(self->frame.L, l_raise_spent);
    return l_call(self, 0, 0, L_IN_PROGRESS);
}

/* From the first call under limits on. If there are too many observers, Lua's instructions are charged still, and only
 * steps are free. */
void l_charge_steps(l_simulator *self) {
    int handle = 0;
    if (self->charges.begun || !l_are_limited(self->limits))
        return;
    self->charges.begun = sal_simulator_observe(self->sim, on_step, self, &handle) == SAL_OK;
}
