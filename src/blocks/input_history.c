/* Blocks that read the history of an input. */
#include "block_builder.h"

void sal__add_input_history(sal__block_builder *b, const char *input, double depth, const sal_past_config *config,
                            const sal_block_value *history) {
    int past = 0;
    sal_past_config full = config ? *config : sal_past_config_default();
    const size_t bytes = (size_t)b->size * sizeof(double);
    double *numbers = b->status == SAL_OK && history ? sal__alloc(&b->sys->mem, bytes) : NULL;
    if (history && !numbers)
        sal__fail(b, SAL_ENOMEM);
    for (int i = 0; numbers && i < b->size; i++)
        numbers[i] = sal__value_at(history, i);
    full.history = numbers;
    if (b->status == SAL_OK)
        sal__fail(b, sal_system_add_past(b->sys, input, depth, &past));
    if (b->status == SAL_OK)
        sal__fail(b, sal_system_set_past(b->sys, past, &full));
    if (numbers)
        sal__free(&b->sys->mem, numbers, bytes);
}

void sal__resolve_input(sal__block_builder *b) {
    if (sal__number(b, "resolve") != 0)
        sal__add_numbers(b, SAL_Z, "resolved", sal__size(b), 0);
}

sal_status sal__integrate_input(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    return sal__copy_input(ctx, 0, dot->z, self->size[SAL_Z]);
}

void sal__declare_whole_delay(sal__block_builder *b, int past) {
    if (b->status == SAL_OK)
        sal__delay_whole_input(b->sys, past);
}
