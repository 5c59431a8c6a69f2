/* Blocks with a piecewise law: saturation, tables, quantizers. Each piece lies between two borders and has its own law.
 * The present piece is a discrete state.
 *
 * Inside a step the piece is the one at the start of the step, wherever the method's stages lie, so the integrator
 * sees one smooth law. Crossing a border is an event that ends the step there. Between steps the piece is looked up,
 * so the output is correct immediately after a jump; the event `settle` then updates the state. For events it is also
 * looked up at the end of a step at which a delayed jump arrives: the jump may lead far behind a border. */
#ifndef SAL_PIECEWISE_H
#define SAL_PIECEWISE_H

#include "block.h"

typedef struct sal__pieces {
    /* Returns the number that decides the piece of element i. */
    sal_status (*variable)(const sal_system *self, const sal_context *ctx, int i, double *u);
    /* The border between pieces k - 1 and k; infinite beyond the last ones. */
    double (*border)(const sal_system *self, const sal_context *ctx, int i, double k);
    /* Returns the piece of u, or its neighbour. */
    double (*guess)(const sal_system *self, const sal_context *ctx, int i, double u);
} sal__pieces;

/* A `variable`: element i of input 0. */
sal_status sal__element_of_input(const sal_system *self, const sal_context *ctx, int i, double *u);

/* Declares the discrete state, the events "start" (of this kind) and "settle", and the witnesses "up" and "down" of
 * each element. */
void sal__add_pieces(sal__block_builder *b, int count, sal_kind start);

/* Returns the piece whose law is in effect. */
double sal__piece(const sal_system *self, const sal_context *ctx, int i, double u);

/* Functions for a class whose data is a sal__pieces. */
sal_status sal__pieces_witness(const sal_system *self, const sal_context *ctx, int event, double *value);
sal_status sal__pieces_settle(const sal_system *self, const sal_context *ctx, int event, double *t);
sal_outcome sal__pieces_update(const sal_system *self, const sal_context *ctx, const sal_event *event,
                               sal_context *next, sal_note *note);
#define SAL_PIECES_MEMBERS(pieces) \
    .witness = sal__pieces_witness, .next_time = sal__pieces_settle, .update = sal__pieces_update, .data = &(pieces)

/* ---- three pieces: below (-1), between (0) and above (1) two limits ---- */

static inline double sal__border_of_three(double lower, double upper, double k) {
    return k < 0 ? -HUGE_VAL : k > 1 ? HUGE_VAL : k < 1 ? lower : upper;
}

static inline double sal__piece_of_three(double lower, double upper, double u) {
    return (double)(u > upper) - (double)(u < lower);
}

#endif
