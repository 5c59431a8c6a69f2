/* The derivative of a signal, from its values. At and between accepted points it is the derivative of the engine's
 * history, which is a polynomial for each step. Inside a step it is the derivative of the quartic that continues the
 * newest interval to the present value. For a function of time its error is O(h^4); for a state it is the error of
 * the stage divided by h. No derivative depends on the previous one. The parabola through the last point, its
 * derivative and the present (Measure::Differentiate of Simbody) does depend on it, and oscillates when the step
 * size changes. */
#include "block.h"

static sal_status slope(const sal_system *self, const sal_context *ctx, int port, double *y) {
    sal__history_buffer *history = (sal__history_buffer *)(uintptr_t)sal_context_slot(ctx, self->history.slot);
    const int newest = sal_delay_buffer_points(history->ring) - 1, size = self->outputs.item[port].size;
    const double now = sal_context_time(ctx), t = sal_delay_buffer_time(history->ring, newest);
    const double before = sal_delay_buffer_time(history->ring, newest - 1);
    for (int i = 0; i < size; i++)
        y[i] = 0;
    if (now > t) {
        const sal_status status = sal__present_value(ctx, self->history.columns.item, y);
        if (status == SAL_OK)
            sal__read_history_to_present(&(sal__history_read){ctx, self->history.columns.item, history, now, true, y});
        return status;
    }
    sal_delay_reader reader = {0, false};
    if (before < t)
        sal__delay_read_branch(history->ring, &reader, now, -HUGE_VAL, t, 0, size, NULL, y);
    return SAL_OK;
}

static void declare(sal__block_builder *b) {
    sal__add_input(b, "input", sal__size(b));
    sal__resolve_input(b);
    sal__add_input_history(b, "input", 0, NULL, NULL);
    sal__add_output(b, "output", sal__size(b), true);
}

SAL_BLOCK(differentiate, SAL_OPTIONS(SAL_RESOLVE_OPTION, SAL_SIZE_OPTION), declare,
          SAL_FUNCTIONS(.derivatives = sal__integrate_input, .output = slope),
          .doc = "The derivative of a signal, from its values; 0 at the start and just after a jump.",
          .law = "output = input'", .simbody = "Differentiate", .example = "saltus.blocks.differentiate {}");
