/* Declares values, ports and events of a block. After a failure these functions do nothing. */
#include <string.h>

#include "block_builder.h"

/* Writes `name` and a number, without stdio. `text` has room for 32 characters. */
static void numbered(char *text, const char *name, int k) {
    const size_t length = strlen(name);
    memcpy(text, name, length);
    text += length;
    for (int power = 1000000; power > 0; power /= 10)
        if (k >= power || (power == 1 && k == 0))
            *text++ = (char)('0' + k / power % 10);
    *text = 0;
}

static void add_values(sal__block_builder *b, sal_partition partition, const char *name, int size, const double *from) {
    if (b->status == SAL_OK)
        sal__fail(b, sal_system_add_values(b->sys, partition, name, size, from));
}

void sal__add_input(sal__block_builder *b, const char *name, int size) {
    sal__add_numbers(b, SAL_INPUT, name, size, sal_no_value());
}

void sal__add_numbered_input(sal__block_builder *b, int k, int size) {
    char name[32];
    numbered(name, "input", k);
    sal__add_input(b, name, size);
}

void sal__add_inputs(sal__block_builder *b, int count, int size) {
    for (int k = 1; k <= count; k++)
        sal__add_numbered_input(b, k, size);
}

void sal__add_output(sal__block_builder *b, const char *name, int size, bool direct) {
    int port = 0, inputs = direct ? b->sys->inputs.count : 0, *input = NULL;
    if (b->status == SAL_OK)
        sal__fail(b, sal_system_add_output(b->sys, name, size, &port));
    if (b->status == SAL_OK && inputs > 0 && !(input = sal__alloc(&b->sys->mem, (size_t)inputs * sizeof *input)))
        sal__fail(b, SAL_ENOMEM);
    for (int k = 0; input && k < inputs; k++)
        input[k] = k;
    if (b->status == SAL_OK)
        sal__fail(b, sal_system_set_dependencies(b->sys, port, input, inputs, NULL, 0));
    if (input)
        sal__free(&b->sys->mem, input, (size_t)inputs * sizeof *input);
}

void sal__add_signal(sal__block_builder *b, bool direct) {
    sal__add_input(b, "input", b->size);
    sal__add_output(b, "output", b->size, direct);
}

void sal__add_output_of(sal__block_builder *b, const char *name, int size, int input) {
    int port = 0;
    if (b->status == SAL_OK)
        sal__fail(b, sal_system_add_output(b->sys, name, size, &port));
    if (b->status == SAL_OK)
        sal__fail(b, sal_system_set_dependencies(b->sys, port, &input, 1, NULL, 0));
}

void sal__add_numbered_output(sal__block_builder *b, int k, int size) {
    char name[32];
    numbered(name, "output", k);
    sal__add_output(b, name, size, true);
}

double *sal__last_numbers(sal__block_builder *b, sal_partition partition, int size) {
    return b->status == SAL_OK ? b->sys->defaults[partition].item + b->sys->size[partition] - size : NULL;
}

void sal__add_numbers(sal__block_builder *b, sal_partition partition, const char *name, int size, double each) {
    add_values(b, partition, name, size, NULL);
    double *numbers = sal__last_numbers(b, partition, size);
    for (int i = 0; numbers && i < size; i++)
        numbers[i] = each;
}

void sal__add_state(sal__block_builder *b, sal_partition partition, const char *name, int size,
                    const sal_block_value *from) {
    if (from && from->count != size && from->count != 1)
        sal__refuse_option(b, from->option, "does not have one number for each state");
    else if (from && from->count == size)
        add_values(b, partition, name, size, from->numbers);
    else
        sal__add_numbers(b, partition, name, size, from ? *from->numbers : 0);
}

void sal__declare_source(sal__block_builder *b) {
    sal__add_output(b, "output", b->size, false);
}

void sal__declare_direct(sal__block_builder *b) {
    sal__add_signal(b, true);
}

void sal__declare_state(sal__block_builder *b) {
    sal__add_signal(b, false);
    sal__add_state(b, SAL_Z, "state", b->size, sal__value_of(b, "initial"));
}

static void add_event(sal__block_builder *b, sal_event_config config) {
    config.size = sizeof config;
    if (b->status == SAL_OK)
        sal__fail(b, sal_system_add_event(b->sys, &config, NULL));
}

void sal__add_event(sal__block_builder *b, const char *name, sal_trigger trigger, sal_kind kind) {
    add_event(b, (sal_event_config){.name = name, .trigger = trigger, .kind = kind, .time_variable = -1});
}

void sal__add_period(sal__block_builder *b, const char *name, sal_kind kind, double period, double offset) {
    add_event(b, (sal_event_config){.name = name,
                                    .trigger = SAL_ON_PERIOD,
                                    .kind = kind,
                                    .period = period,
                                    .offset = offset,
                                    .time_variable = -1});
}

void sal__add_samples(sal__block_builder *b) {
    sal__add_period(b, "sample", SAL_DISCRETE, sal__number(b, "period"), sal__number(b, "offset"));
}

static void add_follower(sal__block_builder *b, const char *name, sal_trigger trigger, sal_kind kind) {
    add_event(b, (sal_event_config){
                     .name = name, .trigger = trigger, .kind = kind, .time_variable = -1, .upstream_first = true});
}

void sal__add_start(sal__block_builder *b, sal_kind kind) {
    add_follower(b, "start", SAL_ON_INITIALIZATION, kind);
}

void sal__add_settle(sal__block_builder *b, sal_kind kind) {
    add_follower(b, "settle", SAL_ON_TIME, kind);
}

void sal__add_timed(sal__block_builder *b, const char *name, sal_kind kind, int variable) {
    add_event(b, (sal_event_config){.name = name, .trigger = SAL_ON_TIME, .kind = kind, .time_variable = variable});
}

void sal__add_witnesses(sal__block_builder *b, const char *name, sal_event_config config, int count) {
    config.trigger = SAL_ON_WITNESS;
    config.time_variable = -1;
    for (int k = 1; k <= count; k++) {
        char text[32];
        if (count > 1)
            numbered(text, name, k);
        config.name = count > 1 ? text : name;
        add_event(b, config);
    }
}

void sal__add_witness(sal__block_builder *b, const char *name, sal_kind kind, sal_direction direction, int count) {
    sal__add_witnesses(b, name, (sal_event_config){.kind = kind, .direction = direction}, count);
}

void sal__add_settle_events(sal__block_builder *b, sal_kind kind) {
    sal__add_start(b, kind);
    sal__add_settle(b, kind);
}
