/* Inputs added or subtracted. The signs are a parameter of +1 and -1. */
#include <string.h>

#include "saltus/blocks.h"

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)port;
    const double *sign = sal_context_get(ctx, SAL_PARAM);
    const int inputs = sal_system_inputs(self), size = sal_context_size(ctx, SAL_INPUT) / inputs;
    memset(y, 0, sizeof *y * (size_t)size);
    for (int k = 0; k < inputs; k++) {
        const double *u = NULL;
        const sal_status status = sal_context_input(ctx, k, &u);
        if (status != SAL_OK)
            return status;
        for (int i = 0; i < size; i++)
            y[i] += sign[k] * u[i];
    }
    return SAL_OK;
}

static const sal_system_class class = {.name = "sum", .output = output};

enum { MOST = 64 };

/* input1 ... input64, without stdio. */
static void name_input(char *name, int k) {
    memcpy(name, "input", 5);
    name += 5;
    if (k >= 10)
        *name++ = (char)('0' + k / 10);
    *name++ = (char)('0' + k % 10);
    *name = 0;
}

static sal_status declare(sal_system *sys, int size, int inputs, const double *sign) {
    sal_status status = sal_system_add_values(sys, SAL_PARAM, "signs", inputs, sign);
    for (int k = 0; status == SAL_OK && k < inputs; k++) {
        char name[8];
        name_input(name, k + 1);
        status = sal_system_add_values(sys, SAL_INPUT, name, size, NULL);
    }
    return status == SAL_OK ? sal_system_add_output(sys, "output", size, NULL) : status;
}

/* EINVAL for signs that are empty, more than 64, or neither + nor -. */
sal_status sal_block_sum(const sal_allocator *allocator, const char *name, int size, const char *signs,
                         sal_system **out) {
    const size_t inputs = signs ? strlen(signs) : 0;
    if (inputs == 0 || inputs > MOST || strspn(signs, "+-") != inputs)
        return SAL_EINVAL;
    double sign[MOST];
    for (size_t k = 0; k < inputs; k++)
        sign[k] = signs[k] == '+' ? 1 : -1;

    sal_system *sys = NULL;
    sal_status status = sal_system_new(allocator, &class, name, NULL, &sys);
    if (status == SAL_OK)
        status = declare(sys, size, (int)inputs, sign);
    if (status == SAL_OK)
        *out = sys;
    else
        sal_system_free(sys);
    return status;
}
