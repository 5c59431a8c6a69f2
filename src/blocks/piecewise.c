#include "piecewise.h"

void sal__add_pieces(sal__block_builder *b, int count, sal_kind start) {
    sal__add_numbers(b, SAL_XD, "piece", count, 0);
    sal__add_start(b, start);
    sal__add_settle(b, SAL_DISCRETE);
    sal__add_witness(b, "up", SAL_DISCRETE, SAL_FALLING, count);
    sal__add_witness(b, "down", SAL_DISCRETE, SAL_FALLING, count);
}

sal_status sal__element_of_input(const sal_system *self, const sal_context *ctx, int i, double *u) {
    (void)self;
    const double *input = NULL;
    const sal_status status = sal__input(ctx, 0, &input);
    if (status == SAL_OK)
        *u = input[i];
    return status;
}

static const sal__pieces *pieces_of(const sal_system *self) {
    return self->behaviour->data;
}

/* A guess may be off by one, by rounding. */
static double piece_of(const sal_system *self, const sal_context *ctx, int i, double u) {
    const sal__pieces *p = pieces_of(self);
    const double k = p->guess(self, ctx, i, u);
    if (u < p->border(self, ctx, i, k))
        return k - 1;
    return u > p->border(self, ctx, i, k + 1) ? k + 1 : k;
}

double sal__piece(const sal_system *self, const sal_context *ctx, int i, double u) {
    const bool kept = self->size[SAL_XD] > 0 && sal__is_inside_a_step(ctx);
    return kept ? sal__get(ctx, SAL_XD)[i] : piece_of(self, ctx, i, u);
}

static int count_of(const sal_system *self) {
    return self->size[SAL_XD];
}

sal_status sal__pieces_witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    const sal__pieces *p = pieces_of(self);
    const int count = count_of(self), at = event - SAL__FIRST_OWN_EVENT, i = at % count;
    const double k = sal__get(ctx, SAL_XD)[i];
    const double border = p->border(self, ctx, i, at < count ? k + 1 : k);
    *value = 1;
    if (!(border > -HUGE_VAL && border < HUGE_VAL))
        return SAL_OK;
    double u = 0;
    const sal_status status = p->variable(self, ctx, i, &u);
    *value = sal__resolve_zero(at < count ? border - u : u - border, true);
    return status;
}

static bool is_on_piece(const sal_system *self, const sal_context *ctx, int i, double u) {
    const sal__pieces *p = pieces_of(self);
    const double k = sal__get(ctx, SAL_XD)[i];
    return u >= p->border(self, ctx, i, k) && u <= p->border(self, ctx, i, k + 1);
}

sal_status sal__pieces_settle(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)event;
    bool settled = true;
    for (int i = 0; settled && i < count_of(self); i++) {
        double u = 0;
        const sal_status status = pieces_of(self)->variable(self, ctx, i, &u);
        if (status != SAL_OK)
            return status;
        settled = isnan(u) || is_on_piece(self, ctx, i, u); /* the integrator reports NaN */
    }
    *t = sal__settle_time(ctx, settled);
    return SAL_OK;
}

/* The piece behind the border that u has crossed: the neighbour in direction `to`, whatever rounding makes of u there.
 * A delayed jump may cross several borders at once. */
static double piece_behind(const sal_system *self, const sal_context *ctx, int i, double u, double to) {
    const sal__pieces *p = pieces_of(self);
    const double k = sal__get(ctx, SAL_XD)[i] + to;
    const bool is_beyond = to > 0 ? u > p->border(self, ctx, i, k + 1) : u < p->border(self, ctx, i, k);
    return is_beyond ? piece_of(self, ctx, i, u) : k;
}

sal_outcome sal__pieces_update(const sal_system *self, const sal_context *ctx, const sal_event *event,
                               sal_context *next, sal_note *note) {
    const int count = count_of(self), at = event->index - SAL__FIRST_OWN_EVENT;
    double *to = sal_context_edit(next, SAL_XD);
    for (int i = 0; i < count; i++) {
        double u = 0;
        const sal_status status = pieces_of(self)->variable(self, ctx, i, &u);
        if (status != SAL_OK)
            return sal__input_failed(status, note);
        if (at == i || at == count + i)
            to[i] = piece_behind(self, ctx, i, u, at < count ? 1 : -1);
        else if (event->index == SAL__START || !is_on_piece(self, ctx, i, u))
            to[i] = piece_of(self, ctx, i, u);
    }
    return SAL_SUCCEEDED;
}
