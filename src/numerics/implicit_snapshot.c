/* What implicit methods keep from step to step. A pattern that was found is written as its
 * elements, and made into groups and bands again. */
#include <math.h>

#include "snapshot.h"

typedef struct head {
    double jacobian_time, factored_h, theta, left;
    /* Flags and counts; no padding. */
    int32_t has_jacobian, fresh, ready[SAL__MATRICES], sparsity, probes, growths, alarms, doubted, iterations;
} head;

static bool has_found(const sal__implicit *im) {
    return im->sparsity == SAL__FOUND_PATTERN;
}

static head head_of(const sal__implicit *im) {
    head h;
    memset(&h, 0, sizeof h);
    h.jacobian_time = im->jacobian_time, h.factored_h = im->factored_h, h.theta = im->theta, h.left = im->left;
    h.has_jacobian = im->has_jacobian, h.fresh = im->fresh;
    for (int i = 0; i < SAL__MATRICES; i++)
        h.ready[i] = im->factors[i].ready;
    h.sparsity = (int32_t)im->sparsity, h.iterations = im->iterations;
    h.probes = im->probes, h.growths = im->growths, h.alarms = im->alarms, h.doubted = im->doubted;
    return h;
}

/* Newton's states and the stages, which lie together. */
static size_t state_bytes(const sal__implicit *im) {
    const unsigned char *begin = (const unsigned char *)im->x;
    return (size_t)((const unsigned char *)im->factors[SAL__STAGES].pivots - begin);
}

static size_t jacobian_bytes(const sal__implicit *im) {
    return sal__matrix_elements(&im->shape) * sizeof(double);
}

static void write_pattern(sal__pen *p, const sal__implicit *im) {
    const int *starts = im->pattern.starts;
    sal__write(p, starts, ((size_t)im->n + 1) * sizeof *starts);
    sal__write(p, im->pattern.rows, (size_t)starts[im->n] * sizeof *starts);
}

void sal__implicit_write(sal__pen *p, const sal__implicit *im) {
    const head h = head_of(im);
    sal__write(p, &h, sizeof h);
    if (has_found(im))
        write_pattern(p, im);
    if (!h.has_jacobian)
        return;
    sal__write(p, im->x, state_bytes(im));
    sal__write(p, im->jacobian, jacobian_bytes(im));
    for (int i = 0; i < SAL__MATRICES; i++) {
        if (!h.ready[i])
            continue;
        sal__write(p, im->factors[i].pivots, sal__implicit_pivots(im, (sal__matrix)i) * sizeof(double));
        sal__write(p, im->factors[i].lu, sal__implicit_room(im, (sal__matrix)i) * sizeof(double));
    }
}

/* The lists are read where they were: the ends of a pattern tell how long it is. */
static void read_pattern(const unsigned char **at, sal__implicit *im) {
    const size_t ints = (size_t)im->n + 1;
    int last;
    memcpy(&last, *at + (ints - 1) * sizeof last, sizeof last);
    sal__pattern *to = &im->pattern;
    sal__read(at, to->starts, ints * sizeof last);
    sal__read(at, to->rows, (size_t)last * sizeof last);
    sal__pattern_close(to);
}

void sal__implicit_read(const unsigned char **at, sal__implicit *im) {
    head h;
    sal__read(at, &h, sizeof h);
    im->jacobian_time = h.jacobian_time, im->factored_h = h.factored_h, im->theta = h.theta, im->left = h.left;
    im->has_jacobian = h.has_jacobian, im->fresh = h.fresh;
    im->sparsity = (sal__sparsity)h.sparsity, im->iterations = h.iterations;
    im->probes = h.probes, im->growths = h.growths, im->alarms = h.alarms, im->doubted = h.doubted;
    if (has_found(im))
        read_pattern(at, im);
    sal__choose_shape(im);
    for (int i = 0; i < SAL__MATRICES; i++)
        im->factors[i].ready = h.has_jacobian && h.ready[i];
    if (!h.has_jacobian)
        return;
    sal__read(at, im->x, state_bytes(im));
    sal__read(at, im->jacobian, jacobian_bytes(im));
    for (int i = 0; i < SAL__MATRICES; i++) {
        if (!h.ready[i])
            continue;
        sal__read(at, im->factors[i].pivots, sal__implicit_pivots(im, (sal__matrix)i) * sizeof(double));
        sal__read(at, im->factors[i].lu, sal__implicit_room(im, (sal__matrix)i) * sizeof(double));
    }
}
