/* The list of methods, and the interpolant they share. */
#include "methods.h"

#include <string.h>

#ifdef SAL_SUNDIALS
#define SAL__SUNDIALS_METHODS(method) method(cvode_bdf) method(cvode_adams)
#else
#define SAL__SUNDIALS_METHODS(method)
#endif

/* The minimal profile knows the names of these methods, to refuse them in words. It does not list them. */
#ifdef SAL_MINIMAL
#define SAL__FULL_ONLY(method, name)
#else
#define SAL__FULL_ONLY(method, name) method(name)
#endif

/* A new method needs its file and one line here, an implicit one with SAL__FULL_ONLY. */
/* clang-format off */
#define SAL__METHODS(method) \
    method(explicit_euler) \
    method(semi_explicit_euler) \
    method(runge_kutta2) \
    method(runge_kutta3) \
    method(bogacki_shampine3) \
    method(runge_kutta5) \
    SAL__FULL_ONLY(method, implicit_euler) \
    SAL__FULL_ONLY(method, velocity_implicit_euler) \
    SAL__FULL_ONLY(method, radau1) \
    SAL__FULL_ONLY(method, radau3) \
    method(runge_kutta4) \
    method(tsitouras5) \
    method(dormand_prince5) \
    method(dormand_prince8) \
    SAL__FULL_ONLY(method, radau5) \
    SAL__FULL_ONLY(method, rodas4) \
    method(velocity_verlet) \
    method(symplectic4) \
    SAL__FULL_ONLY(method, auto) \
    SAL__SUNDIALS_METHODS(method)
/* clang-format on */

#define DECLARED(name) extern const sal_method sal__##name;
#define LISTED(name) &sal__##name,

SAL__METHODS(DECLARED)

static const sal_method *const methods[] = {SAL__METHODS(LISTED)};
enum { METHODS = sizeof methods / sizeof *methods };

const sal_method *sal_method_at(int index) {
    return index >= 0 && index < METHODS ? methods[index] : NULL;
}

const sal_method *sal_method_find(const char *name) {
    for (int i = 0; name && i < METHODS; i++)
        if (strcmp(methods[i]->name, name) == 0)
            return methods[i];
#ifdef SAL_MINIMAL
    return name ? sal__left_out_method(name) : NULL;
#else
    return NULL;
#endif
}

const char *sal_method_name(const sal_method *method) {
    return method->name;
}

int sal_method_order(const sal_method *method) {
    return method->order;
}

int sal_method_error_order(const sal_method *method) {
    return method->error_order;
}

int sal_method_dense_order(const sal_method *method) {
    return method->dense_order;
}

double sal_method_default_accuracy(const sal_method *method) {
    return method->default_accuracy;
}

double sal_method_loosest_accuracy(const sal_method *method) {
    return method->loosest_accuracy;
}

bool sal_method_takes_past(const sal_method *method) {
    return !method->solver;
}

bool sal_method_takes_mass(const sal_method *method) {
    return method->takes_mass;
}

bool sal_method_is_implicit(const sal_method *method) {
    return method->implicit_stages > 0;
}

void sal__linear_output(int n, const sal_attempt *a, double *c) {
    for (int i = 0; i < n; i++)
        c[i] = a->x1[i] - a->x0[i];
}

void sal__hermite(int n, const sal_attempt *a, double *c) {
    const double h = a->h;
    const double *restrict x0 = a->x0, *restrict x1 = a->x1, *restrict f0 = a->f0, *restrict f1 = a->f1;
    double *c1 = c, *c2 = c + n, *c3 = c + 2 * n;
    for (int i = 0; i < n; i++) {
        const double rise = x1[i] - x0[i], d0 = h * f0[i], d1 = h * f1[i];
        c1[i] = d0;
        c2[i] = 3 * rise - 2 * d0 - d1;
        c3[i] = d0 + d1 - 2 * rise;
    }
}
