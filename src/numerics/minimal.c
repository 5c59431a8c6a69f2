/* In place of the implicit methods, where SAL_MINIMAL is defined. An integrator then has no `implicit`,
 * so that most of these functions are never called. */
#include "base/archive.h"
#include "numerics/implicit/implicit.h"
#include "numerics/integrator/integrator_snapshot.h"
#include "numerics/methods/methods.h"

#include <string.h>

/* Known by name, and refused in words by sal_integrator_config_check. */
static const sal_method left_out[] = {
    {.name = "auto"},   {.name = "implicit_euler"}, {.name = "velocity_implicit_euler"},
    {.name = "radau1"}, {.name = "radau3"},         {.name = "radau5"},
    {.name = "rodas4"}};

const sal_method *sal__left_out_method(const char *name) {
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strcmp(left_out[i].name, name) == 0)
            return &left_out[i];
    return NULL;
}

sal_status sal__implicit_new(const sal_allocator *allocator, const sal_integrator *in, sal__implicit **out) {
    (void)allocator, (void)in, (void)out;
    return SAL_EINVAL;
}

void sal__implicit_free(const sal_allocator *allocator, sal__implicit *im) {
    (void)allocator, (void)im;
}

void sal__implicit_copy(sal__implicit *to, const sal__implicit *from) {
    (void)to, (void)from;
}

void sal__implicit_reset(sal__implicit *im) {
    (void)im;
}

void sal__implicit_reset_start(sal__implicit *im) {
    (void)im;
}

void sal__implicit_model_changed(sal__implicit *im) {
    (void)im;
}

void sal__implicit_discard_matrices(sal__implicit *im) {
    (void)im;
}

void sal__jacobian_times(const sal__implicit *im, const double *v, double *out) {
    (void)im, (void)v, (void)out;
}

void sal__jacobian_size_times(const sal__implicit *im, const double *v, double *out) {
    (void)im, (void)v, (void)out;
}

sal_status sal__meet_equations(sal_integrator *in, const sal_rhs *rhs, bool *moved) {
    (void)in, (void)rhs, (void)moved;
    return SAL_OK;
}

void sal__implicit_archive(sal__archive *a, struct sal__implicit *im) {
    (void)a, (void)im;
}
