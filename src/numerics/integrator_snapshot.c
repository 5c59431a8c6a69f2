/* All that an integrator's next step hangs on: its pace, the last step as it can still be
 * read, and the matrices of implicit methods. A run that goes on from it goes on to the bit. */
#include <math.h>

#include "snapshot.h"

typedef struct head {
    uint64_t size; /* of all that follows it and it */
    int64_t n, degree, work;
    char method[32]; /* of the configuration */
    sal_pace pace;
    double gap, initial_step, t, h, t1;
    /* Flags; no padding. */
    int32_t has_step, knows_start, knows_end, dense_ready, gap_waits, stiffly, has_implicit, fixed;
    int32_t lower, upper, dense_jacobian, given_jacobian; /* these shape the matrices */
} head;

static int work_of(const sal_integrator *in) {
    return in->has_step && in->accepted->method ? in->accepted->method->work : 0;
}

static head head_of(const sal_integrator *in, uint64_t size) {
    head h;
    memset(&h, 0, sizeof h);
    h.size = size;
    h.n = in->n, h.degree = in->dense_degree, h.work = work_of(in);
    strncpy(h.method, in->config.method->name, sizeof h.method - 1);
    h.pace = in->pace;
    h.gap = in->gap, h.initial_step = in->initial_step;
    h.t = in->accepted->t, h.h = in->accepted->h, h.t1 = in->accepted->t1;
    h.has_step = in->has_step, h.knows_start = in->knows_start, h.knows_end = in->knows_end;
    h.dense_ready = in->dense_ready, h.gap_waits = in->gap_waits, h.fixed = in->config.fixed_step;
    h.stiffly = in->has_step && in->accepted->method == in->config.method->stiff;
    h.has_implicit = in->implicit != NULL;
    h.lower = in->config.lower, h.upper = in->config.upper;
    h.dense_jacobian = in->config.dense_jacobian, h.given_jacobian = in->config.jacobian != NULL;
    return h;
}

static size_t doubles(int64_t count) {
    return (size_t)count * sizeof(double);
}

static void write_all(sal__pen *p, const sal_integrator *in, uint64_t size) {
    const head h = head_of(in, size);
    const sal_attempt *a = in->accepted;
    sal__write(p, &h, sizeof h);
    if (h.has_step) {
        sal__write(p, a->x0, doubles(h.n));
        sal__write(p, a->f0, doubles(h.n));
        sal__write(p, a->x1, doubles(h.n));
        sal__write(p, a->f1, doubles(h.n));
        sal__write(p, a->work, doubles(h.n * h.work));
        sal__write(p, in->coefficients, doubles(h.dense_ready ? h.n * h.degree : 0));
    }
    if (in->implicit)
        sal__implicit_write(p, in->implicit);
}

size_t sal_integrator_save_size(const sal_integrator *in) {
    sal__pen p = {NULL, 0};
    write_all(&p, in, 0);
    return p.size;
}

void sal_integrator_save(const sal_integrator *in, void *bytes) {
    sal__pen p = {bytes, 0};
    write_all(&p, in, sal_integrator_save_size(in));
}

static bool has_such_matrices(const sal_integrator *in, const head *h) {
    const sal_integrator_config *c = &in->config;
    return h->has_implicit == (in->implicit != NULL) && h->lower == c->lower && h->upper == c->upper &&
           h->dense_jacobian == c->dense_jacobian && h->given_jacobian == (c->jacobian != NULL);
}

/* Another method, other steps or other matrices: the state alone goes on. */
static bool is_alike(const sal_integrator *in, const head *h) {
    const sal_method *m = in->config.method;
    return h->n == in->n && h->degree == in->dense_degree && h->fixed == in->config.fixed_step &&
           strncmp(h->method, m->name, sizeof h->method - 1) == 0 && has_such_matrices(in, h);
}

static const sal_method *method_of_step(const sal_integrator *in, const head *h) {
    const sal_method *m = in->config.method;
    return !m->mild ? m : h->stiffly ? m->stiff : m->mild;
}

static void read_step(const unsigned char **at, sal_integrator *in, const head *h) {
    sal_attempt *a = in->accepted;
    a->t = h->t, a->h = h->h, a->t1 = h->t1;
    a->method = method_of_step(in, h);
    sal__read(at, a->x0, doubles(h->n));
    sal__read(at, a->f0, doubles(h->n));
    sal__read(at, a->x1, doubles(h->n));
    sal__read(at, a->f1, doubles(h->n));
    sal__read(at, a->work, doubles(h->n * h->work));
    sal__read(at, in->coefficients, doubles(h->dense_ready ? h->n * h->degree : 0));
}

sal_status sal_integrator_load(sal_integrator *in, const void *bytes, size_t size) {
    head h;
    if (size < sizeof h)
        return SAL_EINVAL;
    memcpy(&h, bytes, sizeof h);
    if (h.size != size)
        return SAL_EINVAL;
    sal_integrator_invalidate(in);
    if (!is_alike(in, &h)) {
        if (in->memory)
            sal__memory_fail(in);
        sal_integrator_set_ideal_step(in, h.pace.ideal_step);
        return SAL_OK;
    }
    sal_integrator_set_pace(in, &h.pace);
    in->gap = h.gap, in->gap_waits = h.gap_waits, in->initial_step = h.initial_step;
    in->has_step = h.has_step, in->knows_start = h.knows_start, in->knows_end = h.knows_end;
    in->dense_ready = h.dense_ready;
    const unsigned char *at = (const unsigned char *)bytes + sizeof h;
    if (h.has_step)
        read_step(&at, in, &h);
    if (in->memory)
        sal__memory_recall(in);
    if (in->implicit)
        sal__implicit_read(&at, in->implicit);
    return SAL_OK;
}
