/* The list of blocks. A new block needs its file and one line here. */
#include "block.h"

/* clang-format off */
#define SAL_BLOCKS(block) \
    /* the past */ \
    block(delay) \
    block(variable_delay) \
    block(maximum) \
    block(minimum) \
    block(max_abs) \
    block(min_abs) \
    block(differentiate) \
    block(transport_delay) \
    /* sources */ \
    block(constant) \
    block(clock) \
    block(sine) \
    block(chirp) \
    block(step) \
    block(ramp) \
    block(pulse) \
    block(time_table) \
    block(noise) \
    /* arithmetic */ \
    block(gain) \
    block(matrix_gain) \
    block(sum) \
    block(product) \
    block(lookup_table) \
    block(lookup_table_2d) \
    /* signals */ \
    block(mux) \
    block(demux) \
    block(selector) \
    block(pass_through) \
    block(switch) \
    /* continuous */ \
    block(integral) \
    block(bounded_integral) \
    block(derivative) \
    block(lag) \
    block(transfer_function) \
    block(state_space) \
    block(pid) \
    /* sampled */ \
    block(zero_order_hold) \
    block(unit_delay) \
    block(discrete_time_delay) \
    block(discrete_time_integrator) \
    block(discrete_derivative) \
    block(moving_average) \
    block(discrete_transfer_function) \
    block(discrete_state_space) \
    block(sampled_pid) \
    /* corners and jumps */ \
    block(saturation) \
    block(dead_zone) \
    block(rate_limit) \
    block(sampled_rate_limit) \
    block(quantizer) \
    block(wrap_to) \
    block(relay) \
    block(comparator) \
    block(edge_detector) \
    block(sample_and_hold) \
    block(counter) \
    /* mechanics */ \
    block(mass) \
    block(sliding_mass) \
    block(spring) \
    block(damper) \
    block(inertia) \
    block(sliding_inertia) \
    block(rotational_spring) \
    block(rotational_damper)
/* clang-format on */

#define DECLARED(name) extern const sal__block sal__block_##name;
#define LISTED(name) &sal__block_##name,

SAL_BLOCKS(DECLARED)

const sal__block *const sal__blocks[] = {SAL_BLOCKS(LISTED) NULL};
